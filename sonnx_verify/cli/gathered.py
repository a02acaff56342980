"""What a report shows, brought together: obligations, clauses with the sentences of pages, gaps, ledgers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.cache import Cache, opened
from sonnx_verify.api.decided import Decided
from sonnx_verify.api.gaps import gap_json, gap_of, records_of
from sonnx_verify.api.select import select
from sonnx_verify.api.tracing import rows_of
from sonnx_verify.authoring.mutation.table import PLACE, read_table
from sonnx_verify.cli.diff import answers_shown
from sonnx_verify.conformance.ledger import FOLDER, read_ledger
from sonnx_verify.equivalence.difference import decide_difference
from sonnx_verify.errors import Span, UsageError, UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Unit
from sonnx_verify.language.places import files_of_project, shown_as
from sonnx_verify.language.project import Project
from sonnx_verify.language.reach import unchanged
from sonnx_verify.language.sections import sections_of
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.outputs.console import finding_lines
from sonnx_verify.outputs.evidence.claim import of_report
from sonnx_verify.outputs.html.facts import Clause, Difference, Facts, Subject
from sonnx_verify.outputs.trace import equivalence, is_same, tests
from sonnx_verify.pages.reading.read import read_page
from sonnx_verify.pages.render.formal import Formal
from sonnx_verify.pages.render.opened import formal_of
from sonnx_verify.pages.trace import TEXT, Row, clauses_of
from sonnx_verify.progress import shown
from sonnx_verify.results.difference import difference_lines
from sonnx_verify.results.result import Result
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run, usable_cores
from sonnx_verify.solving.check.steps import finished
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.tool import digest_of


@dataclass(slots=True)
class Clock:
    """An executor that decides one obligation after the other in this process, and writes down how long each took."""

    seconds: dict[str, float] = field(default_factory=dict)

    def __call__(self, obligations: Sequence[Obligation], solvers: Solvers) -> Iterator[tuple[int, Record]]:
        for number, obligation in enumerate(obligations):
            began = time.perf_counter()
            yield from finished(iter([(number, obligation)]), solvers)
            self.seconds[obligation.id] = time.perf_counter() - began


def gathered(what: Sequence[str], jobs: int | None, timed: bool = False) -> Facts:
    """All that a report shows of what is named; `timed` measures how long each obligation takes, one after the other,
    with nothing from the cache. Raises UserError for what is wrong with a text."""
    asked = Asked.of(what)
    with unchanged(asked.root, asked.further):
        return _gathered(asked, what, jobs, timed)


def _gathered(asked: Asked, what: Sequence[str], jobs: int | None, timed: bool) -> Facts:
    cache = None if timed else opened(asked.root, asked.further, Solvers().versions())
    clock = Clock()
    with Solvers(kept=None if cache is None else cache.answers) as solvers:
        answers = _timed(what, solvers, clock) if timed else _decided(asked, cache, solvers, jobs)
        versions, digest, root = solvers.versions(), digest_of(), asked.root
        project = Project.open(root)
        project.units.extend(Project.of_files(Path.cwd(), asked.further).units)
        subjects = tuple(_subjects(project, answers, solvers, asked, usable_cores() if jobs is None else jobs))
    if cache is not None:
        cache.close()
    table = root / PLACE
    return Facts(
        subjects,
        versions,
        digest,
        of_report(answers, versions, digest),
        tuple(map(read_ledger, sorted((root / FOLDER).glob("*.json")))),
        read_table(table).rows if table.is_file() else {},
        {one.id: clock.seconds[one.id] for one in answers} if timed else {},
        set(asked.whole) >= set(files_of_project(root)),
    )


def _decided(asked: Asked, cache: Cache | None, solvers: Solvers, jobs: int | None) -> list[Result]:
    """What is told of all that is named, decided or recalled."""
    decided = Decided(asked, cache, jobs)
    answers = list(shown(decided.results(solvers), len(decided), "obligations"))
    for error in decided.errors:
        raise error
    return answers


def _timed(what: Sequence[str], solvers: Solvers, clock: Clock) -> list[Result]:
    """The same, each decided under the clock."""
    selection = select(what)
    for error in selection.errors:
        raise error
    every, answers = selection.obligations, []
    for record in shown(run(every, solvers, selection.needed(), 1, clock), len(every), "obligations"):
        if record.error is not None:
            raise record.error
        answers.append(result_of(record))
    return answers


def _is_asked_for(unit: Unit, by_subject: dict[str, list[Result]], asked: Asked) -> bool:
    is_wanted = asked.wanted_in(unit.path)
    return any(is_wanted(one.id) for one in by_subject.get(unit.operator, ()))


def _subjects(
    project: Project, answers: Sequence[Result], solvers: Solvers, asked: Asked, jobs: int
) -> Iterator[Subject]:
    by_subject: dict[str, list[Result]] = {}
    for one in answers:
        by_subject.setdefault(one.subject, []).append(one)
    units: dict[str, Unit] = {}
    for unit in project.units:
        # A text of the same name that nobody asked for has no part in this.
        if unit.file is not None and _is_asked_for(unit, by_subject, asked):
            first = units.setdefault(unit.operator, unit)
            if first is not unit:
                both = " and in ".join(shown_as(u.path, asked.root) for u in (first, unit))
                message = f"{unit.operator} is in {both}: a report has one page for it"
                raise UsageError(message, cure="give one of them another name, number or text")
    for name, own in by_subject.items():
        # A KeyError here is a bug of ours; leaving it out would be a report that says less than was decided.
        unit = units[name]
        formal, page = formal_of(project, unit), unit.path.with_suffix(".md")
        file = formal.file
        has_page = file.page is not None and file.page.name == page.name and page.is_file()
        clauses = list(_of_formal(formal))
        if has_page:
            shown_name = Path(own[0].place.file).with_suffix(".md").as_posix()
            rows = rows_of(unit.path, read_page(page, shown_name), formal, own, asked.root, solvers, jobs)
            clauses = [_of_row(row, file, unit.path in asked.whole) for row in rows if row.kind != TEXT]
        gaps_of, unshown = _gaps(project, unit, solvers) if file.kind == "standard" else ([], [])
        yield Subject(
            unit.operator,
            file.kind,
            own[0].place.file,
            own,
            page.name if has_page else "",
            tuple(clauses),
            gaps_of,
            unshown,
            tuple(_differences(project, unit, solvers, jobs)),
        )


def _gaps(project: Project, unit: Unit, solvers: Solvers) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """What a standard leaves open, and what it says that it does and is not shown: the identity, and why."""
    shown_gaps, unshown = [], []
    for record in records_of(project, unit, solvers):
        if record.error is None and record.witness is None:
            unshown.append((record.id, f"{record.verdict.name}: {record.verdict.reason}"))
            continue
        # What is wrong with one of them says nothing of the others.
        try:
            shown_gaps.append(gap_json(gap_of(project, unit, record)))
        except UserError as problem:
            unshown.append((record.id, problem.message))
    return shown_gaps, unshown


def _of_row(row: Row, file: s.File, asked: bool) -> Clause:
    result = None if row.outcome is None else row.outcome.result
    finding: list[str] = []
    if result is not None and result.verdict is not VerdictName.PROVED:
        finding = finding_lines(result)
    return Clause(
        row.tag,
        row.kind,
        row.family,
        row.formula,
        "" if row.formal is None else _place(row.formal),
        row.sentence,
        "" if row.page is None else _place(row.page),
        equivalence(row),
        is_same(row),
        tests(row),
        row.gap,
        tuple(finding),
        row.outcome.text if row.outcome is not None and row.outcome.verdict else "",
        sections_of(file, row.family),
        asked,
    )


def _of_formal(formal: Formal) -> Iterator[Clause]:
    """What a text without a page says: the clauses of an operator by families, with their titles and what they use of
    the text, else all that can be quoted."""
    file = formal.file
    if file.version is None:
        for item in formal.items():
            sections = sections_of(file, item.family) if item.family else ()
            yield Clause(item.name, "definition", item.family, item.formula, sections=sections)
        return
    for family, _, _ in formal.families:
        sections = sections_of(file, family)
        yield Clause(file.name, "signature", family, formal.signature(), sections=sections)
        for let in file.lets:
            yield Clause(let.name, "let", family, formal.let(let), _place(let.span), sections=sections)
        for d in (d for d in file.definitions if d.family in ("", family)):
            yield Clause(d.name, "definition", family, formal.definition(d), _place(d.span), d.title, sections=sections)
        titles = {c.tag: c.title for c in file.clauses if c.family in ("", family)}
        for tag, kind, span, formula in clauses_of(formal, family):
            yield Clause(tag, kind, family, formula, _place(span), titles.get(tag, ""), sections=sections)


def _place(span: Span) -> str:
    return f"{span.source.name}:{span.line}"


def _differences(project: Project, unit: Unit, solvers: Solvers, jobs: int) -> Iterator[Difference]:
    """What is otherwise than in the version before, or, of a profile, than in the standard."""
    others = [u for u in project.units if _comes_before(u, unit)]
    other = max(others, key=lambda u: (u.file and u.file.version) or 0, default=None)
    if other is None:
        return
    # All was decided by now: that these two cannot be held against each other is no reason to show none of it.
    try:
        lines = difference_lines(decide_difference(project, other, unit, solvers, jobs, answers_shown))
    except UserError as problem:
        lines = [f"is not compared: {problem.message}"]
    yield Difference(other.operator, lines)


def _comes_before(other: Unit, unit: Unit) -> bool:
    """Whether another unit is what a reader would hold this one against: an earlier version, or the standard of the
    same one."""
    if other.file is None or unit.file is None or other.text or unit.text or other.file.name != unit.file.name:
        return False
    if other.file.version is None or unit.file.version is None or other.file.kind != "standard":
        return False
    if unit.file.kind == "standard":
        return other.file.version < unit.file.version
    return unit.file.kind == "profile" and other.file.version <= unit.file.version
