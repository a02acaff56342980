"""A check of many files, one after the other in each process: the first verdict does not wait for the last file.

A process is given a file, makes its obligations, and tells what others have to know of them; then it is given these one
by one. So no process holds the terms of more than a few files, and this one holds none.

Trusted: a record is held back until all that it rests on is known.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sonnx_verify.errors import SpecificationError, UserError
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.paths import resolved
from sonnx_verify.processes.child import Child, can_fork, forked
from sonnx_verify.processes.limits import Limits
from sonnx_verify.processes.pool import Pool
from sonnx_verify.solving.check.forked import Deciding, decide
from sonnx_verify.solving.check.gathered import Gathered, Gatherer, number_of, place_of
from sonnx_verify.solving.check.hints import NO_HINTS, Hinting
from sonnx_verify.solving.check.record import Record, of_outcome
from sonnx_verify.solving.check.shares import FileShares, clauses_of
from sonnx_verify.solving.check.steps import finished
from sonnx_verify.solving.check.uses import Uses
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.sources import Source, Span


@dataclass(frozen=True, slots=True)
class Told:
    """A file that was asked for, before the records of its obligations: they stand for each other, in this order."""

    path: Path
    obligations: list[Obligation]
    errors: list[UserError]


@dataclass(slots=True)
class ByFile:
    """The files of a project by their numbers, of which the first ones are `asked` for, and what is known of each.

    Those that `recall` has of another file have their answers. Raises SpecificationError where an obligation uses one
    that does not exist, and where they use each other in a circle.
    """

    project: Project
    files: Sequence[Path]
    asked: int
    recall: Callable[[Path], Sequence[Obligation] | None]
    unread: Mapping[Path, UserError]
    """The errors of files that could not be read, by their paths without links."""
    uses: Uses = field(default_factory=lambda: Uses([]))
    shares: FileShares = field(init=False)
    gatherer: Gatherer = field(init=False)
    turn: int = 0
    """The number of files that are told in full."""
    _gathered: dict[int, Gathered] = field(default_factory=dict)
    _numbers: dict[Path, list[int]] = field(default_factory=dict)
    """The numbers of a file by its path without links: one that is found under two paths has two."""
    _chosen: set[int] = field(default_factory=set)
    _records: dict[int, Record] = field(default_factory=dict)
    _awaited: dict[str, set[int]] = field(default_factory=dict)
    """Of each identity that something rests on, the files that may have it and are not gathered yet."""
    _sought: set[tuple[str, int]] = field(default_factory=set)
    _askers: dict[str, Obligation] = field(default_factory=dict)
    _place: int | None = None

    def __post_init__(self) -> None:
        self.shares = FileShares(range(self.asked))
        self.gatherer = Gatherer(self.project, self.files, self.unread)
        for number, path in enumerate(self.files):
            self._numbers.setdefault(resolved(path), []).append(number)

    # ------------------------------------------------------------------------------------------------ what is found out

    def gathered(self, file: int, found: Gathered) -> None:
        """Take note of the obligations of a file."""
        self._gathered[file] = found
        wanted = set(range(len(found.obligations)))
        if file >= self.asked:
            wanted = {n for n, one in enumerate(found.obligations) if one.id in self._awaited}
            # Nobody reads its errors otherwise.
            for error in found.errors:
                raise error
        self._choose(file, wanted)
        for name, files in self._awaited.items():
            if file in files:
                files.remove(file)
                self._look(file, name)
                self._refuse_missing(name)

    def know(self, number: int, record: Record) -> None:
        """Take note of what came of an obligation by itself."""
        self._records[number] = record
        self.uses.know(record)

    def ready(self) -> Iterator[Told | Record]:
        """All that can be told now: each file that is asked for, followed by the records of its obligations."""
        while self.turn < self.asked and self.turn in self._gathered:
            found = self._gathered[self.turn]
            if self._place is None:
                self._place = 0
                yield Told(self.files[self.turn], found.obligations, found.errors)
            while self._place < len(found.obligations):
                number = number_of(self.turn, self._place)
                if number not in self._records or not self._settled(found.obligations[self._place]):
                    return
                self._place += 1
                yield self.uses.joined(self._records.pop(number))
            self.turn, self._place = self.turn + 1, None

    def obligation(self, number: int) -> Obligation:
        """The obligation of a number, as it is known here."""
        file, place = place_of(number)
        assert place is not None
        return self._gathered[file].obligations[place]

    # ------------------------------------------------------------------------------------------------ what it rests on

    def _settled(self, obligation: Obligation) -> bool:
        return self.uses.settled(obligation, {name for name, files in self._awaited.items() if files})

    def _choose(self, file: int, places: set[int]) -> None:
        """Let these obligations of a file be decided, and what they rest on."""
        found = self._gathered[file].obligations
        new = [n for n in sorted(places) if number_of(file, n) not in self._chosen]
        self._chosen |= {number_of(file, n) for n in new}
        self.uses.add([found[n] for n in new])
        self.shares.put(file, clauses_of([(number_of(file, n), found[n]) for n in new]))
        for n in new:
            self._need(found[n], self._gathered[file].used_in)

    def _need(self, obligation: Obligation, used_in: dict[str, list[Path]]) -> None:
        for name in (*obligation.uses, *obligation.presumes):
            self._askers.setdefault(name, obligation)
            awaited = self._awaited.setdefault(name, set())
            # Of each that asks, since which of two files of one name is meant is known by its own file only.
            for path in used_in.get(name, ()):
                if resolved(path) not in self._numbers:
                    self.uses.miss(name)
                for file in self._numbers.get(resolved(path), ()):
                    if (name, file) not in self._sought:
                        self._sought.add((name, file))
                        if not self._has(file, name):
                            awaited.add(file)
            self._refuse_missing(name)

    def _look(self, file: int, name: str) -> None:
        """Note where a file with a mistake lacks an obligation that it may have: another file may have one of its name,
        which is not the one meant."""
        found = self._gathered[file]
        if found.errors and all(one.id != name for one in found.obligations):
            self.uses.miss(name)

    def _has(self, file: int, name: str) -> bool:
        """Return whether the obligations of a file are known, after what is needed was chosen; else they will be."""
        if file in self._gathered:
            found = self._gathered[file].obligations
            self._choose(file, {n for n, one in enumerate(found) if one.id == name})
            self._look(file, name)
            return True
        told = None if file < self.asked else self.recall(self.files[file])
        if told is None:
            self.shares.first(file)
            return False
        for one in told:
            if one.id == name:
                self.uses.add([one])
                assert one.answer is not None
                self.uses.know(Record(one, one.answer))
                self._need(one, self._places_of(self.files[file], one))
        return True

    def _places_of(self, path: Path, obligation: Obligation) -> dict[str, list[Path]]:
        # What the file uses has to be read for that.
        with suppress(UserError):
            for unit in self.project.units_in(path):
                if unit.file is not None:
                    self.project.library(unit)
        return self.gatherer.used_in([obligation])

    def _refuse_missing(self, name: str) -> None:
        """Raise SpecificationError where no file has an obligation of a name, unless some of them could not be read."""
        if self._awaited[name] or self.uses.has(name):
            return
        asker = self._askers[name]
        failed = any(found.errors for found in self._gathered.values())
        if not failed:
            raise SpecificationError(
                f"{asker.id} uses {name}, which does not exist",
                asker.span,
                "`sonnx-verify explain --list` prints what there is",
            )


def run_by_file(
    files: ByFile,
    solvers: Solvers,
    jobs: int = 1,
    limits: Limits | None = None,
    hinting: Hinting = NO_HINTS,
) -> Generator[Told | Record, None, None]:
    """Each file that is asked for, followed by the records of its obligations, each as soon as it and all before it are
    known. With several `jobs` as many processes decide, held to `limits`; where processes cannot be forked, this one
    does."""
    jobs = min(jobs, files.asked)
    if jobs > 1 and can_fork():
        outcomes = _elsewhere(files, solvers, jobs, limits or Limits(), hinting)
    else:
        outcomes = _here(files, solvers, hinting)
    for _ in outcomes:
        yield from files.ready()
    yield from files.ready()


def _here(files: ByFile, solvers: Solvers, hinting: Hinting) -> Iterator[None]:
    def upcoming() -> Iterator[tuple[int, Obligation]]:
        while (number := files.shares.next(1)) is not None:
            found = files.gatherer[number]
            if isinstance(found, Gathered):
                files.gathered(place_of(number)[0], found)
            else:
                yield number, found

    for number, record in finished(upcoming(), solvers, hinting=hinting):
        # What states the obligation would keep all terms of its file.
        record.obligation = files.obligation(number)
        files.know(number, record)
        yield


def _elsewhere(files: ByFile, solvers: Solvers, jobs: int, limits: Limits, hinting: Hinting) -> Iterator[None]:
    # A fork whose parent is gone ends by itself: nobody would take its records.
    parent = os.getpid()

    def start(alone: bool) -> Child:  # noqa: FBT001  # as a pool calls it
        return forked(decide, parent, files.gatherer, solvers, Deciding(limits, alone, hinting))

    for number, outcome in Pool(files.shares, start, jobs, limits).outcomes():
        file, place = place_of(number)
        if place is None:
            files.gathered(file, _gathered_of(files, file, outcome))
        else:
            files.know(number, of_outcome(files.obligation(number), outcome))
        yield


def _gathered_of(files: ByFile, file: int, outcome: bytes | str) -> Gathered:
    if isinstance(outcome, bytes):
        found: Gathered = pickle.loads(outcome)
        return found
    span = Span(Source(str(files.files[file]), ""), 1, 1)
    return Gathered([], [SpecificationError(f"the obligations could not be made: {outcome}", span)], {})
