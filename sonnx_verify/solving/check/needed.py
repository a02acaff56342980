"""Obligations of a project with all that they rest on, wherever in the project that stands."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from sonnx_verify.language.files import Key, Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import recalled
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.result import Result
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.uses import needed_by
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.sources import Source, Span

Watch = Callable[[Iterator[Record], int], Iterable[Record]]
"""Hands on so many records, while it says how far it is."""


def unwatched(records: Iterator[Record], _: int) -> Iterable[Record]:
    """The records, with nothing said."""
    return records


Recall = Callable[[Path], Sequence[Result] | None]
"""The results that an earlier run had of the obligations of a file, if that is known."""


def nothing_recalled(_: Path) -> None:
    """The `Recall` that knows no file."""


def decided_in(
    project: Project,
    obligations: Sequence[Obligation],
    solvers: Solvers,
    jobs: int = 1,
    watch: Watch = unwatched,
    recall: Recall = nothing_recalled,
) -> Generator[Record, None, None]:
    """The records of obligations of a project, in their order, each with what it rests on. What `recall` knows of that
    is not decided again. Raises the error of a text that fails to fit, and where obligations use each other in a
    circle."""
    # Closed where the reader stops early, which ends the processes.
    with closing(run(obligations, solvers, needed_in(project, obligations, recall), jobs)) as records:
        for record in watch(records, len(obligations)):
            if record.error is not None:
                raise record.error
            yield record


def needed_in(
    project: Project,
    obligations: Sequence[Obligation],
    recall: Recall = nothing_recalled,
    collected: Mapping[Key, list[Obligation]] | None = None,
) -> list[Obligation]:
    """The obligations that some rest on and that are not among them. Raises UserError where they use each other in a
    circle."""
    return needed_by(obligations, used_in(project, recall, collected))


def used_in(
    project: Project, recall: Recall = nothing_recalled, collected: Mapping[Key, list[Obligation]] | None = None
) -> Callable[[str], list[Obligation]]:
    """A finder of obligations by identity, in any file of the project or that one of those uses: two may share it, and
    which is meant is known by its file only. What `recall` knows of a file is not made again, nor are the obligations
    of units that were `collected`."""

    made = dict(collected or {})
    earlier: dict[Path, list[Obligation] | None] = {}

    def of(unit: Unit) -> list[Obligation]:
        if unit.key not in made:
            made[unit.key] = of_unit(project, unit)
        return made[unit.key]

    def known(path: Path) -> list[Obligation] | None:
        if path not in earlier:
            told = recall(path)
            earlier[path] = None
            if told is not None:
                earlier[path] = list(decided_earlier(told))
        return earlier[path]

    def find(identity: str) -> list[Obligation]:
        found: list[Obligation] = []
        seen: set[Path] = set()
        for unit in project.of_identity(identity):
            # What is known of a file is of the versions that it has texts of.
            decided = None if unit.note else known(unit.path)
            if decided is None:
                found += (o for o in of(unit) if o.id == identity)
            elif unit.path not in seen:  # Once a file: the results of its versions are kept together.
                seen.add(unit.path)
                found += (o for o in decided if o.id == identity)
        return found

    return find


def decided_earlier(results: Sequence[Result]) -> Iterator[Obligation]:
    """Obligations that an earlier run decided: all that others have to know of them."""
    sources: dict[str, Source] = {}
    for one in results:
        source = sources.setdefault(one.place.file, Source(one.place.file, ""))
        # `recalled` holds the verdict against the answers that were kept with it: proved needs two solvers here too.
        obligation = Obligation(
            one.operator,
            one.version,
            one.section,
            one.tag,
            one.kind,
            Span(source, one.place.line, one.place.column),
            one.subject,
            answer=recalled(one.verdict, one.reason, one.answers, [query.answers for query in one.queries]),
            title=one.title,
            # What it rests on is asked too: axioms are told of whatever rests on them, through others as well.
            uses=one.uses,
        )
        assert obligation.id == one.id
        yield obligation
