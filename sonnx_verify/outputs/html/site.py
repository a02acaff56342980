"""The pages of a report from its facts: the same bytes for the same facts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from sonnx_verify.authoring.mutation.records import TextRecord, count
from sonnx_verify.outputs import accuracy
from sonnx_verify.outputs.conformance import covering_words, outcome_words
from sonnx_verify.outputs.html import plots
from sonnx_verify.outputs.html.counts import STATES, Heap
from sonnx_verify.outputs.html.drawn import of_divergence, of_shown
from sonnx_verify.outputs.html.facts import KINDS, Clause, Facts, Subject
from sonnx_verify.outputs.html.lexer import coloured
from sonnx_verify.outputs.html.maths import coded, formula, sentence
from sonnx_verify.outputs.html.plan import Measured, Plan, Runtime, TextPages
from sonnx_verify.pages.trace import is_about
from sonnx_verify.progress import shown
from sonnx_verify.results.answer_json import example_json
from sonnx_verify.results.result import Result, State
from sonnx_verify.results.sentences import KINDS as OBLIGATIONS
from sonnx_verify.results.written import plain
from sonnx_verify.stores.folder import INDEX, sealed
from sonnx_verify.version import TOOL, __version__


def of_markdown(text: str) -> Markup:
    """Markdown of our own as HTML; what looks like HTML in it stays text. Headings are one level lower."""
    parser = MarkdownIt("commonmark", {"html": False})
    tokens = parser.parse(text)
    for token in tokens:
        if token.type.startswith("heading_"):
            # `#` is the title of the text, which stands in a page that has one of its own.
            token.tag = f"h{int(token.tag[1]) + 1}"
    return Markup(parser.renderer.render(tokens, parser.options, {}))


ROWS = "files"
"""The key of a report's files in its index."""
_SLOWEST = 25
_ASSETS = ("report.css", "report.js")
SEARCHED = "assets/obligations.js"
"""The file that the search of the overview looks through: a script, since a page in a file may read nothing else."""


@dataclass(frozen=True, slots=True)
class _Page:
    """A page that is still to be drawn: its file, its template, what that is given."""

    file: str
    template: str
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def home(self) -> str:
        """The way from the page to the folder of the report."""
        return "../" * self.file.count("/")


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of the menu, or of the menu of a text: what it is called, where it leads, and how many things are there;
    no number where nothing is counted."""

    name: str
    file: str
    number: int | None = None


def site(facts: Facts) -> dict[str, bytes]:
    """The files of the report by their names, and their index."""
    plan = Plan.of(facts)
    pages = [*_whole(facts, plan), *_texts(facts, plan)]
    environment = _environment(facts, plan)
    made = {f"assets/{name}": (files("sonnx_verify.outputs.html") / "assets" / name).read_bytes() for name in _ASSETS}
    made[SEARCHED] = _searched(facts, plan)
    for page in shown(pages, len(pages), "pages"):
        template = environment.get_template(f"{page.template}.html.jinja")
        made[page.file] = template.render(home=page.home, here=page.file, **page.values).encode()
    return _with_index(made)


def _environment(facts: Facts, plan: Plan) -> Environment:
    environment = Environment(
        loader=PackageLoader("sonnx_verify.outputs.html"),
        # Sentences of pages and names of files are text, whatever is in them.
        autoescape=True,
        # A name that a template misspells fails, and is not an empty place in a report that claims things.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "facts": facts,
        "plan": plan,
        "menu": _menu(facts, plan),
        "tool": __version__,
        "formula": formula,
        "sentence": sentence,
        "coded": coded,
        "coloured": coloured,
        "of_shown": of_shown,
        "example_json": lambda one: plain(example_json(one)),
        "of_divergence": of_divergence,
        "outcome_words": outcome_words,
        "covering_words": covering_words,
        "errors": accuracy,
        "kinds": KINDS,
        "about": OBLIGATIONS,
        "more": more,
        "anchor": quote,
        "states": STATES,
        "signs": SIGNS,
    }
    return environment


SIGNS = {State.GOOD: "✓", State.EXPECTED: "≠", State.LEFT: "?", State.FINDING: "✗", State.OPEN: "?"}
"""A sign for each state, so that nothing is told by its colour alone."""


def _with_index(made: dict[str, bytes]) -> dict[str, bytes]:
    # Sorted by name: the index does not depend on the order in which pages are made.
    listed = [{"file": name, "bytes_sha256": hashlib.sha256(data).hexdigest()} for name, data in sorted(made.items())]
    index = {"tool": TOOL, ROWS: listed}
    return {**made, INDEX: sealed(index)}


def more(one: Result) -> list[tuple[str, str]]:
    """The rest of a finding: the words of its clause, and the reason why it is expected."""
    if not one.surprising and one.state is State.GOOD:
        return []
    rows = [("clause", one.title), ("expected", one.expected_reason)]
    return [(name, words) for name, words in rows if words]


def _searched(facts: Facts, plan: Plan) -> bytes:
    """The obligations for the search of the overview: identity, verdict, kind, state, and the address."""
    rows = [[one.id, one.verdict, one.kind, one.state, plan.address(one)] for one in facts.results]
    listed = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"const OBLIGATIONS = [\n{listed}\n];\n".encode()


# ------------------------------------------------------------------------------------------- pages about all of it


def _menu(facts: Facts, plan: Plan) -> list[_Entry]:
    """The pages about all of it: those that have something to show."""
    listed = [_Entry("Overview", "index.html")]
    if facts.operators:
        listed.append(_Entry("Operators", "operators.html"))
    if any(pages.gaps for pages in plan.texts.values()):
        listed.append(_Entry("Left open", "open.html"))
    if plan.runtimes:
        listed.append(_Entry("Runtimes", "runtimes.html"))
    if plan.accuracy:
        listed.append(_Entry("Accuracy", "accuracy.html"))
    if facts.mutants:
        listed.append(_Entry("Mutants", "mutants/index.html"))
    if facts.seconds:
        listed.append(_Entry("Timings", "timings.html"))
    return [*listed, _Entry("What is claimed", "claim.html")]


def _whole(facts: Facts, plan: Plan) -> Iterator[_Page]:
    yield _Page("index.html", "index", _overview(facts))
    if facts.operators:
        yield _Page("operators.html", "operators", {"operators": facts.operators})
        for one in facts.operators:
            yield _Page(plan.operators[one.name], "operator", {"one": one})
    if any(pages.gaps for pages in plan.texts.values()):
        yield _Page("open.html", "open", {"texts": [one for one in facts.subjects if plan.texts[one.name].gaps]})
    if plan.runtimes:
        yield _Page("runtimes.html", "runtimes", {"targets": _by_target(plan.runtimes)})
        for runtime in plan.runtimes:
            for sheet in runtime.sheets:
                yield _Page(sheet.file, "runtime", {"runtime": runtime, "sheet": sheet})
    if plan.accuracy:
        yield _Page("accuracy.html", "accuracy", {"targets": _by_target(plan.accuracy)})
        for measured in plan.accuracy:
            for rows in measured.sheets:
                yield _Page(rows.file, "errors", {"measured": measured, "sheet": rows})
    if facts.mutants:
        yield _Page("mutants/index.html", "mutants", _of_mutants(facts.mutants))
        for alive in plan.mutants:
            yield _Page(alive.file, "alive", {"sheet": alive})
    if facts.seconds:
        yield _Page("timings.html", "timings", _of_seconds(facts, plan))
    yield _Page("claim.html", "claim", {"text": of_markdown(facts.claim)})


def _overview(facts: Facts) -> dict[str, Any]:
    """The counts of obligations, and the matrix of texts and kinds."""
    every = Heap(facts.results)
    groups = []
    for kind, title in KINDS.items():
        own = [(subject, Heap(subject.results)) for subject in facts.subjects if subject.kind == kind]
        if own:
            groups.append((title, own))
    return {"every": every, "groups": groups}


def _by_target(listed: Sequence[Runtime | Measured]) -> list[tuple[str, str, list[Runtime | Measured]]]:
    """The ledger and the errors of each target in one version."""
    by_target: dict[tuple[str, str], list[Runtime | Measured]] = {}
    for one in listed:
        by_target.setdefault((one.target, one.version), []).append(one)
    return [(target, version, found) for (target, version), found in by_target.items()]


def _of_mutants(records: Mapping[str, TextRecord]) -> dict[str, Any]:
    return {"files": [(name, count(record.counted())) for name, record in sorted(records.items())]}


def _of_seconds(facts: Facts, plan: Plan) -> dict[str, Any]:
    took = facts.seconds
    totals = []
    for subject in facts.subjects:
        whole = sum(took[one.id] for one in subject.results)
        totals.append((subject.name, whole, quote(plan.texts[subject.name].home)))
    single = [(one.id, took[one.id], plan.address(one)) for one in facts.results]
    return {
        "totals": plots.bars(totals),
        "slowest": plots.bars(single)[:_SLOWEST],
        "curve": plots.curve(took),
        "decades": [(seconds, plots.place(seconds)) for seconds in plots.DECADES],
        "width": plots.WIDTH,
        "height": plots.HEIGHT,
        "whole": sum(took.values()),
    }


# --------------------------------------------------------------------------------------------- pages about one text


def _texts(facts: Facts, plan: Plan) -> Iterator[_Page]:
    # What a proof uses may stand in any text of the report.
    subjects = {one.id: one.subject for one in facts.results}
    for subject in facts.subjects:
        pages = plan.texts[subject.name]
        values = {"subject": subject, "pages": pages, "every": Heap(subject.results), "tabs": _tabs(subject, pages)}
        yield _Page(pages.home, "text", values)
        for clauses in pages.clauses:
            by_clause = [(clause, _about(subject, clause)) for clause in clauses.items]
            yield _Page(clauses.file, "clauses", {**values, "sheet": clauses, "by_clause": by_clause})
        for obligations in pages.obligations:
            yield _Page(obligations.file, "obligations", {**values, "sheet": obligations, "subjects": subjects})
        if pages.differences:
            yield _Page(pages.differences, "differences", values)
        for gaps in pages.gaps:
            yield _Page(gaps.file, "gaps", {**values, "sheet": gaps})


def _tabs(subject: Subject, pages: TextPages) -> list[_Entry]:
    """The menu of a text: the pages about it that have something to show."""
    listed = [_Entry("Summary", pages.home)]
    if pages.clauses:
        listed.append(_Entry("Clauses", pages.clauses[0].file, len(subject.clauses)))
    if pages.obligations:
        listed.append(_Entry("Obligations", pages.obligations[0].file, len(subject.results)))
    if pages.differences:
        listed.append(_Entry("Differences", pages.differences))
    if pages.gaps:
        listed.append(_Entry("Left open", pages.gaps[0].file, len(subject.gaps)))
    return listed


def _about(subject: Subject, clause: Clause) -> list[Result]:
    return [one for one in subject.results if is_about(one, clause.tag, clause.sections)]
