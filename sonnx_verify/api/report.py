"""The facts of a report, brought together: obligations, clauses with the sentences of pages, gaps, ledgers.

In go names of files and identities, out come `Facts`, which a writer of pages only has to draw. All of it is read from
one state of the files: a text that changes meanwhile is an error, since its formulas would stand beside verdicts of
another text.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.cache import Cache, opened, solvers_with
from sonnx_verify.api.compared import Deciding
from sonnx_verify.api.decided import everything
from sonnx_verify.api.differences import NOT_DECIDED, Recorded, before
from sonnx_verify.api.select import select
from sonnx_verify.api.stamp import stamp_of
from sonnx_verify.api.tracing import rows_of
from sonnx_verify.arrays.pinned import pinned_of
from sonnx_verify.authoring.mutation.record_files import read_mutants
from sonnx_verify.conformance.records.accuracy import ERRORS
from sonnx_verify.conformance.records.ledger import LEDGERS, Ledger
from sonnx_verify.errors import UsageError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.extents import item_text
from sonnx_verify.language.files import Unit
from sonnx_verify.language.places import files_of_project, shown_as
from sonnx_verify.language.project import Project
from sonnx_verify.language.reach import unchanged
from sonnx_verify.language.sections import belongs, sections_of
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.outputs.console import finding_lines
from sonnx_verify.outputs.evidence.claim import claim_of_report
from sonnx_verify.outputs.html.facts import Clause, Difference, Facts, Subject
from sonnx_verify.outputs.overview import Overview, overviews
from sonnx_verify.outputs.trace import equivalence, is_same, tests
from sonnx_verify.pages.reading.read import read_page
from sonnx_verify.pages.render.formal import Formal
from sonnx_verify.pages.render.opened import formal_of, page_of
from sonnx_verify.pages.trace import TEXT, Row, clauses_of
from sonnx_verify.progress import shown
from sonnx_verify.results.difference import difference_lines
from sonnx_verify.results.result import Result
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run, usable_cores
from sonnx_verify.solving.check.steps import finished
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.sources import Span
from sonnx_verify.stores.homes import record_roots
from sonnx_verify.stores.tool import digest_of


@dataclass(slots=True)
class Clock:
    """An `Executor` that decides one obligation after the other in this process, and writes down how long each took."""

    seconds: dict[str, float] = field(default_factory=dict)

    def __call__(self, obligations: Sequence[Obligation], solvers: Solvers) -> Iterator[tuple[int, Record]]:
        for number, obligation in enumerate(obligations):
            began = time.perf_counter()
            yield from finished(iter([(number, obligation)]), solvers)
            self.seconds[obligation.id] = time.perf_counter() - began


def facts_of(what: Sequence[str], jobs: int | None) -> Facts:
    """All that a report shows of what is named. Raises UserError for what is wrong with a text."""
    asked = Asked.of(what)
    with unchanged(asked.root, asked.further):
        cache = opened(asked.root, asked.further, Solvers().versions())
        with solvers_with(cache) as solvers:
            facts = _facts(asked, everything(asked, cache, solvers, jobs), solvers, jobs, {}, cache)
        if cache is not None:
            cache.close()
    return facts


def timed_facts_of(what: Sequence[str]) -> Facts:
    """The same with the seconds that each obligation takes: one after the other, with nothing from the cache."""
    asked = Asked.of(what)
    with unchanged(asked.root, asked.further), Solvers() as solvers:
        clock = Clock()
        results = _timed(what, solvers, clock)
        seconds = {result.id: clock.seconds[result.id] for result in results}
        return _facts(asked, results, solvers, 1, seconds)


def _facts(
    asked: Asked,
    results: list[Result],
    solvers: Solvers,
    jobs: int | None,
    seconds: Mapping[str, float],
    cache: Cache | None = None,
) -> Facts:
    """The facts about obligations that are decided."""
    versions, digest, root = solvers.versions(), digest_of(), asked.root
    project = Project.open(root)
    project.units.extend(Project.of_files(Path.cwd(), asked.further).units)
    by_subject: dict[str, list[Result]] = {}
    for result in results:
        by_subject.setdefault(result.subject, []).append(result)
    texts = _Texts(project, _units(project, by_subject, asked), by_subject, asked)
    deciding = Deciding(solvers, jobs or usable_cores(), cache, texts.results_of_files())
    ledgers = tuple(LEDGERS.all(record_roots(root)))
    return Facts(
        subjects=tuple(_subjects(texts, deciding)),
        solvers=versions,
        digest=digest,
        claim=claim_of_report(results, versions, digest),
        ledgers=ledgers,
        mutants=read_mutants(root),
        seconds=seconds,
        whole=set(asked.whole) >= set(files_of_project(root)),
        stamp=stamp_of(root),
        accuracy=tuple(ERRORS.all(record_roots(root))),
        operators=_operators(texts, ledgers),
    )


def _operators(texts: _Texts, ledgers: Sequence[Ledger]) -> list[Overview]:
    """An overview of each operator of which a text was asked for."""
    pages = {}
    for name, unit in texts.units.items():
        page = page_of(unit)
        if page is not None:
            pages[name] = page
    verdicts = {name: Counter(str(one.verdict) for one in own) for name, own in texts.by_subject.items()}
    return overviews(texts.units.values(), pages, ledgers, verdicts)


def _timed(what: Sequence[str], solvers: Solvers, clock: Clock) -> list[Result]:
    """The result of each obligation, decided under the clock."""
    selection = select(what)
    for error in selection.errors:
        raise error
    every, results = selection.obligations, []
    # The clock decides here, in one process: two that share a core would measure each other.
    for record in shown(run(every, solvers, selection.needed(), 1, clock), len(every), "obligations"):
        if record.error is not None:
            raise record.error
        results.append(result_of(record))
    return results


def _is_asked_for(unit: Unit, by_subject: dict[str, list[Result]], asked: Asked) -> bool:
    is_wanted = asked.wanted_in(unit.path)
    return any(is_wanted(one.id) for one in by_subject.get(unit.operator, ()))


def _units(project: Project, by_subject: dict[str, list[Result]], asked: Asked) -> dict[str, Unit]:
    """The text of each subject. Raises UsageError where two texts are about one: they would share a page."""
    units: dict[str, Unit] = {}
    for unit in project.units:
        # A text of the same name that nobody asked for has no part in this.
        if unit.file is None or not _is_asked_for(unit, by_subject, asked):
            continue
        first = units.setdefault(unit.operator, unit)
        if first is not unit:
            both = " and in ".join(shown_as(u.path, asked.root) for u in (first, unit))
            message = f"{unit.operator} is in {both}: a report has one page for it"
            raise UsageError(message, cure="give one of them another name, number or text")
    return units


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts that a report is on: the unit of each subject, and its results in the order of the text."""

    project: Project
    units: Mapping[str, Unit]
    by_subject: Mapping[str, list[Result]]
    asked: Asked

    def results_of_files(self) -> dict[Path, list[Result]]:
        """The results of the files that were asked for as a whole: those are all that there are."""
        made: dict[Path, list[Result]] = {}
        for name, own in self.by_subject.items():
            path = self.units[name].path
            if path in self.asked.whole:
                made.setdefault(path, []).extend(own)
        return made


def _subjects(texts: _Texts, deciding: Deciding) -> Iterator[Subject]:
    differences = _differences(texts)
    for name, own in shown(texts.by_subject.items(), len(texts.by_subject), "texts"):
        # A KeyError here is a bug of ours; leaving it out would be a report that says less than was decided.
        unit = texts.units[name]
        formal, page = formal_of(texts.project, unit), unit.path.with_suffix(".md")
        file, shown_file = formal.file, own[0].place.file
        has_page = file.page is not None and file.page.name == page.name and page.is_file()
        page_name, clauses = "", list(_of_formal(formal))
        if has_page:
            page_name = page.name
            read = read_page(page, Path(shown_file).with_suffix(".md").as_posix())
            decide = deciding.formulas(unit.path, read)
            rows = rows_of(unit.path, read, formal, own, texts.asked.root, decide)
            is_whole = unit.path in texts.asked.whole
            clauses = [_of_row(row, file, asked=is_whole) for row in rows if row.kind != TEXT]
        gaps = deciding.gaps(texts.project, unit, own)
        pinned = pinned_of(texts.project, unit)
        yield Subject(
            name=unit.operator,
            kind=file.kind,
            file=shown_file,
            results=own,
            page=page_name,
            clauses=tuple(clauses),
            gaps=gaps.shown,
            unshown=gaps.unshown,
            differences=differences.get(name, ()),
            pins="" if pinned is None else str(pinned),
        )


def _of_row(row: Row, file: s.File, *, asked: bool) -> Clause:
    """The clause of a page, beside the sentence for it and what that was read as."""
    finding: list[str] = []
    reading = ""
    if row.outcome is not None:
        # Without a verdict nothing was read, or not all of it, which would be shown as the reading of the sentence.
        if row.outcome.verdict:
            reading = row.outcome.text
        result = row.outcome.result
        if result is not None and result.verdict is not VerdictName.PROVED:
            finding = finding_lines(result)
    return Clause(
        tag=row.tag,
        kind=row.kind,
        family=row.family,
        formula=row.formula,
        text=_text(row.formal),
        place=_place(row.formal),
        sentence=row.sentence,
        page=_place(row.page),
        equivalence=equivalence(row),
        same=is_same(row),
        tests=tests(row),
        gap=row.gap,
        finding=tuple(finding),
        reading=reading,
        sections=sections_of(file, row.family),
        asked=asked,
    )


def _of_formal(formal: Formal) -> Iterator[Clause]:
    """The clauses of a text without a page: those of an operator by families, with their titles and what they use of
    the text, else all that can be quoted."""
    file = formal.file
    if file.version is None:
        yield from _of_library(formal)
        return
    for family, _, _ in formal.families:
        sections = sections_of(file, family)
        yield Clause(file.name, "signature", family, formal.signature(), sections=sections)
        for let in file.lets:
            if not belongs(file, let, family):
                continue
            text, place = _text(let.span), _place(let.span)
            yield Clause(let.name, "let", family, formal.let(let), text, place, sections=sections)
        # Without a family of its own an item counts in each: the page of a family shows all that it rests on.
        for d in (d for d in file.definitions if belongs(file, d, family)):
            text, place = _text(d.span), _place(d.span)
            yield Clause(d.name, "definition", family, formal.definition(d), text, place, d.title, sections=sections)
        titles = {c.tag: c.title for c in file.clauses if belongs(file, c, family)}
        for tag, kind, span, formula in clauses_of(formal, family):
            title = titles.get(tag, "")
            yield Clause(tag, kind, family, formula, _text(span), _place(span), title, sections=sections)


def _of_library(formal: Formal) -> Iterator[Clause]:
    """The items of a library or a theory, each with its title."""
    file = formal.file
    known: dict[tuple[str, str], tuple[str, Span, str]] = {}
    for definition in file.definitions:
        known[definition.name, definition.family] = "definition", definition.span, definition.title
    for order in file.orders:
        known[order.name, order.family] = "order", order.span, ""
    for theorem in file.theorems:
        kind, title = "theorem", theorem.title
        if theorem.cited is not None:
            kind, title = "axiom", f"{title} (from {theorem.cited}; tried on values, not proved)"
        known[theorem.name, ""] = kind, theorem.span, title
    for item in formal.items():
        sections: frozenset[str] = frozenset()
        if item.family:
            sections = sections_of(file, item.family)
        kind, span, title = known[item.name, item.family]
        text, place = _text(span), _place(span)
        yield Clause(item.name, kind, item.family, item.formula, text, place, title, sections=sections)


def _text(span: Span | None) -> str:
    if span is None:
        return ""
    return item_text(span)


def _place(span: Span | None) -> str:
    if span is None:
        return ""
    return f"{span.source.name}:{span.line}"


def _differences(texts: _Texts) -> dict[str, tuple[Difference, ...]]:
    """The recorded difference of each text from the one before it, by the name of the text."""
    recorded = Recorded.of(texts.project)
    made: dict[str, tuple[Difference, ...]] = {}
    for name in texts.by_subject:
        unit = texts.units[name]
        other = before(texts.project, unit)
        if other is None:
            continue
        found = recorded.find((other, unit))
        # What is not decided is said, and decided by another command: it takes minutes.
        lines = [NOT_DECIDED] if found is None else difference_lines(found)
        made[name] = (Difference(other.operator, lines),)
    return made
