"""The pages of a report from its facts: the same bytes for the same facts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import chain
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from sonnx_verify.authoring.mutation.table import count
from sonnx_verify.outputs.conformance import outcome_words
from sonnx_verify.outputs.html import plots
from sonnx_verify.outputs.html.claims import of_markdown
from sonnx_verify.outputs.html.drawn import of_divergence, of_shown
from sonnx_verify.outputs.html.facts import KINDS, Clause, Facts, Subject
from sonnx_verify.outputs.html.maths import formula, sentence
from sonnx_verify.pages.trace import is_about
from sonnx_verify.results.answer_json import example_json
from sonnx_verify.results.kinds import KINDS as OBLIGATIONS
from sonnx_verify.results.result import Result, State
from sonnx_verify.stores.folder import INDEX, sealed
from sonnx_verify.version import __version__

ROWS = "files"
"""The key of a report's files in its index."""
STATES = (State.FINDING, State.OPEN, State.LEFT, State.EXPECTED, State.GOOD)
"""States of obligations, those that a reader has to see first before the others."""
_SLOWEST = 25
_ASSETS = ("report.css", "report.js")


@dataclass(frozen=True, slots=True)
class Heap:
    """A cell of the matrix: some obligations of one kind."""

    results: list[Result]

    @property
    def worst(self) -> Result:
        """The one that a reader has to see."""
        return min(self.results, key=lambda one: STATES.index(one.state))


def site(facts: Facts) -> dict[str, bytes]:
    """The files of the report by their names, and their index."""
    environment = Environment(
        loader=PackageLoader("sonnx_verify.outputs.html"),
        # Sentences of pages and names of files are text, whatever is in them.
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "facts": facts,
        "tool": __version__,
        "formula": formula,
        "sentence": sentence,
        "of_shown": of_shown,
        "example_json": example_json,
        "of_divergence": of_divergence,
        "outcome_words": outcome_words,
        "kinds": KINDS,
        "about": OBLIGATIONS,
        "link": lambda identity, subject: link(facts, identity, subject),
        "page_of": lambda subject: quote(facts.files[subject]),
        "more": more,
        "anchor": quote,
    }

    # StrictUndefined: a name that a template misspells fails, and is not an empty place in a report that claims things.
    def page(template: str, **values: Any) -> bytes:
        return environment.get_template(f"{template}.html.jinja").render(**values).encode()

    made = {f"assets/{name}": (files("sonnx_verify.outputs.html") / "assets" / name).read_bytes() for name in _ASSETS}
    made["index.html"] = page("index", home="", **_overview(facts))
    for subject in facts.subjects:
        made[facts.files[subject.name]] = page("subject", home="../", **_of_subject(facts, subject))
    made["open.html"] = page("open", home="", standards=[s for s in facts.subjects if s.kind == "standard"])
    made["divergences.html"] = page("divergences", home="")
    made["mutants.html"] = page("mutants", home="", **_of_mutants(facts.mutants))
    made["timings.html"] = page("timings", home="", **_of_seconds(facts))
    made["claim.html"] = page("claim", home="", text=of_markdown(facts.claim))
    return _with_index(made)


def _with_index(made: dict[str, bytes]) -> dict[str, bytes]:
    # Sorted by name: the index does not depend on the order in which pages are made.
    listed = [{"file": name, "bytes_sha256": hashlib.sha256(data).hexdigest()} for name, data in sorted(made.items())]
    index = {"tool": {"name": "sonnx-verify", "version": __version__}, ROWS: listed}
    return {**made, INDEX: sealed(index)}


def link(facts: Facts, identity: str, subject: str) -> str:
    """The address of an obligation, from the folder of the report on."""
    return f"{quote(facts.files[subject])}#{quote(identity)}"


def more(one: Result) -> list[tuple[str, str]]:
    """The rest of a finding: the words of its clause, and the reason why it is expected."""
    if not one.surprising and one.state is State.GOOD:
        return []
    rows = [("clause", one.title), ("expected", one.expected_reason)]
    return [(name, words) for name, words in rows if words]


def _overview(facts: Facts) -> dict[str, Any]:
    """The matrix of texts and kinds of obligations, and how many came out how."""
    seen = {one.kind for one in facts.results}
    kinds = [kind for kind in OBLIGATIONS if kind in seen]
    groups = []
    for kind, title in KINDS.items():
        own = [subject for subject in facts.subjects if subject.kind == kind]
        rows = [*chain.from_iterable(_rows(subject, kinds) for subject in own)]
        if rows:
            groups.append((kind, title, rows))
    states = Counter(one.state for one in facts.results)
    verdicts = Counter(one.verdict for one in facts.results)
    return {"columns": kinds, "groups": groups, "states": states, "verdicts": sorted(verdicts.items())}


def _rows(subject: Subject, kinds: Sequence[str]) -> Iterator[tuple[Subject, str, list[Heap | None]]]:
    """A row for each section of a text, with a cell for each kind of obligation; None if there is none."""
    heaps: dict[str, dict[str, Heap]] = {}
    for one in subject.results:
        cell = heaps.setdefault(one.section, {}).setdefault(one.kind, Heap([]))
        cell.results.append(one)
    for section, cells in heaps.items():
        yield subject, section, [cells.get(kind) for kind in kinds]


def _of_subject(facts: Facts, subject: Subject) -> dict[str, Any]:
    def by_clause(clause: Clause) -> list[Result]:
        return [one for one in subject.results if is_about(one, clause.tag, clause.sections)]

    # A text that no implementation was held against has none.
    ledgers = [(ledger, ledger.operators[subject.name]) for ledger in facts.ledgers if subject.name in ledger.operators]
    subjects = {one.id: one.subject for one in facts.results}
    return {"subject": subject, "by_clause": by_clause, "ledgers": ledgers, "subjects": subjects}


def _of_mutants(rows: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    by_file: dict[str, list[str]] = {}
    for identity, row in rows.items():
        by_file.setdefault(identity.partition(":")[0], []).append(row["verdict"])
    alive = [(identity, row) for identity, row in rows.items() if row["verdict"] in ("surviving", "not shown")]
    return {"files": [(name, count(verdicts)) for name, verdicts in sorted(by_file.items())], "alive": alive}


def _of_seconds(facts: Facts) -> dict[str, Any]:
    took = facts.seconds
    # Nothing was measured: the page says so, and draws nothing.
    measured = facts if took else replace(facts, subjects=())
    totals = []
    for subject in measured.subjects:
        whole = sum(took[one.id] for one in subject.results)
        totals.append((subject.name, whole, quote(facts.files[subject.name])))
    single = [(one.id, took[one.id], link(facts, one.id, one.subject)) for one in measured.results]
    return {
        "totals": plots.bars(totals),
        "slowest": plots.bars(single)[:_SLOWEST],
        "curve": plots.curve(took) if took else [],
        "decades": [(seconds, plots.place(seconds)) for seconds in plots.DECADES],
        "width": plots.WIDTH,
        "height": plots.HEIGHT,
        "whole": sum(took.values()),
    }
