"""The obligations that are asked for, decided or recalled: the files that the cache knows and the others, in one order.

Of a few files all obligations are made before the first is decided; of many, file by file.

Trusted: a result that is recalled counts as one that was decided. The cache finds it only under the digest of all that
the file can read, and `again` decides a random sample anew.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.cache import Cache
from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language.places import shown_as
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.progress import lines_shown, shown
from sonnx_verify.results.result import Result
from sonnx_verify.solving.check.mistakes import add_once
from sonnx_verify.solving.solvers import Solvers

if TYPE_CHECKING:
    from sonnx_verify.api.helping import Helping
    from sonnx_verify.api.select import Selection
    from sonnx_verify.language.project import Project
    from sonnx_verify.solving.check.by_file import ByFile, Told
    from sonnx_verify.solving.check.hints import Hinting
    from sonnx_verify.solving.check.record import Record


_MANY = 8
"""The number of files from which on they are checked file by file. Of fewer, the clauses of one may keep all processes
busy, and to make them in each would take longer."""


@dataclass(slots=True)
class Decided:
    """The obligations that are asked for. What the cache has is not read again, and nothing is imported for it."""

    asked: Asked
    cache: Cache | None
    jobs: int | None = None
    dask: str | None = None
    """The address of the scheduler of a cluster that decides instead of processes here."""
    instead: Mapping[Path, str] = field(default_factory=dict)
    """Texts that stand for what is written in files, by their paths without links; the cache knows of them."""
    hinting: Hinting | None = None
    """The hints to try; those of the project where this is None."""
    hints: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    """The identity of each obligation that was decided and the hints that were found, where they are wanted."""
    searched: int = 0
    """The number of proofs to which no hints led, in a project that has some."""
    errors: list[UserError] = field(default_factory=list)
    """The errors of the files, known when all is told."""
    found: dict[Path, list[Result]] = field(default_factory=dict)
    """The results of each file so far, of those that the cache did not know."""
    _known: dict[Path, list[Result]] = field(default_factory=dict)
    _wrong: set[Path] = field(default_factory=set)
    """Those in which something could not be built when its turn came."""
    _selection: Selection | None = None
    """The obligations of the files that the cache does not know; None where it knows all, or they are not made yet."""
    _by_file: ByFile | None = None
    """The files that the cache does not know, where they are checked file by file."""
    _listed: dict[Path, list[str]] = field(default_factory=dict)
    """The identities in each of these, as far as they are known."""
    _failed: set[Path] = field(default_factory=set)
    """Those in which there was a mistake."""
    _is_shared_refused: bool = False

    def __post_init__(self) -> None:
        for path in self.asked.files:
            told = self._recall(path)
            if told is not None and not self._lacks_version(told):
                is_wanted = self.asked.wanted_in(path)
                self._known[path] = [one for one in told if is_wanted(one.id)]
        # A run of which the cache knows all is over in half a second, since nothing that elaborates texts is loaded.
        if len(self._known) < len(self.asked.files):
            from sonnx_verify.api.select import by_file, selected

            texts, closed = self._texts()
            if self._is_by_file():
                new = [path for path in self.asked.files if path not in self._known]
                self._by_file = by_file(self.asked, new, texts, self._recall, closed=closed)
                return
            self._selection = selected(self.asked, self._known.keys(), texts, closed=closed)
            self.errors += self._selection.errors
        # The identities of a text with a mistake are not known: a pattern that matches none may well be right.
        if not self.errors:
            self.asked.refuse_unmatched(identity for _, identity in self._identities())

    def _is_by_file(self) -> bool:
        """Return whether the files are checked file by file: many of them, and nothing but whole files of the project,
        so that no identity has to be known before."""
        if self.dask is not None or self.asked.patterns or self.asked.further or self.asked.picked:
            return False
        # What rests on theorems that its text does not name is known here alone.
        if any(one.lemmas for told in self._known.values() for one in told):
            return False
        return len(self.asked.files) - len(self._known) >= _MANY

    def _lacks_version(self, told: Sequence[Result]) -> bool:
        """Return whether a pattern names a version, of an operator among these, that is not among them: one without a
        text of its own, which no entry of the cache speaks for."""
        for pattern in self.asked.patterns:
            named = re.match(r"(\w+\.\w+-)\d+", pattern)
            subjects = {one.id.partition("/")[0] for one in told if named and one.id.startswith(named[1])}
            if named and subjects and not any(re.match(rf"{re.escape(named[0])}(?!\d)", one) for one in subjects):
                return True
        return False

    def _texts(self) -> tuple[Mapping[Path, str], bool]:
        """The texts of files, and whether those are all. With a cache nothing is read twice: what is decided of a text
        is kept under the digest of that same text, even if an editor writes the file meanwhile."""
        if self.cache is None or self.cache.texts is None:
            return self.instead, False
        return {**self.cache.texts, **self.instead}, True

    def _open(self) -> Mapping[Path, list[Obligation]]:
        """The obligations that are to be decided, by their files."""
        if self._selection is None:
            return {}
        return self._selection.of_files

    def __len__(self) -> int:
        """The number of all of them, as far as they are known."""
        return sum(1 for _ in self._identities())

    @property
    def is_empty(self) -> bool:
        """Return whether nothing is asked for."""
        return self._by_file is None and not len(self)

    @property
    def failed(self) -> set[Path]:
        """The files that errors are in, as far as they are known."""
        if self._selection is None:
            return self._wrong | self._failed
        return self._selection.failed | self._wrong

    @property
    def unchecked(self) -> list[str]:
        """The files that were asked for and not checked, as they are shown; known when all is told."""
        missing = self._wrong | self._failed
        if self._selection is not None:
            missing |= self._selection.unchecked
        return [shown_as(path, self.asked.root) for path in self.asked.files if path in missing]

    @property
    def notes(self) -> list[str]:
        """Of each version without a text of its own among them: which text it uses, and what differs."""
        if self._selection is None:
            return []
        return [unit.note for unit in self._selection.project.units if unit.note]

    def recalls(self) -> dict[Path, list[Result]]:
        """The results of earlier runs, of the files of which the cache knows all."""
        return dict(self._known)

    def refuse_shared(self) -> None:
        """Raise UsageError where an identity is in two files; of what is not known yet, when it is."""
        self._is_shared_refused = True
        refuse_shared(self._identities(), self.asked.root)

    def twice(self) -> list[str]:
        """A sentence for each two files that define one operator or theory, by the first that they share."""
        first: dict[str, Path] = {}
        told: dict[tuple[Path, Path], str] = {}
        for path, identity in self._identities():
            subject = identity.partition("/")[0]
            before = first.setdefault(subject, path)
            if before != path and (before, path) not in told:
                one, other = shown_as(before, self.asked.root), shown_as(path, self.asked.root)
                told[before, path] = f"{one} and {other} both define {subject}; each is checked on its own"
        return list(told.values())

    def _identities(self) -> Iterator[tuple[Path, str]]:
        """All that is asked for, each with its file, in the order of the files."""
        listed = self._open()
        for path in self.asked.files:
            for result in self._known.get(path, ()):
                yield path, result.id
            for obligation in listed.get(path, ()):
                yield path, obligation.id
            for identity in self._listed.get(path, ()):
                yield path, identity

    @property
    def recalled(self) -> int:
        """The number of those that an earlier run decided."""
        return sum(map(len, self._known.values()))

    def shown(self, solvers: Solvers) -> Iterator[Result]:
        """The results, with progress on standard error."""
        if self._by_file is not None:
            return lines_shown(self.results(solvers), self._progress)
        identities = [identity for _, identity in self._identities()]
        return shown(self.results(solvers), len(identities), "obligations", identities)

    def _progress(self, done: int) -> str:
        assert self._by_file is not None
        files = self.asked.files
        at = len(self._known) + self._by_file.turn
        line = f"{done} obligations, {at} of {len(files)} files"
        if self._by_file.turn < self._by_file.asked:
            line += f"  {shown_as(self._by_file.files[self._by_file.turn], self.asked.root)}"
        return line

    def results(self, solvers: Solvers) -> Iterator[Result]:
        """The result of each, in the order of the text, as soon as it and all before it are known."""
        if self._selection is None and self._by_file is None:
            for path in self.asked.files:
                yield from self._known[path]
            return
        from sonnx_verify.api.hints import hints_in
        from sonnx_verify.solving.check.by_file import Told

        hinting = self.hinting or hints_in(self.asked.root)
        helping = None if self.dask is not None else self._help(solvers, hinting)
        with closing(self._records(solvers, hinting, helping)) as records:
            # In the order of the files, recalled or not: the output of a run must not depend on what the cache had.
            for path in self.asked.files:
                if path in self._known:
                    yield from self._known[path]
                    continue
                found = self.found[path] = []
                project, obligations = self._told(path, records)
                for record in (next(records) for _ in obligations):
                    assert not isinstance(record, Told)
                    if record.error is not None:
                        add_once(self.errors, record.error)
                        self._wrong.add(path)
                    else:
                        self.hints.append((record.id, record.hints))
                        if hinting.known and record.verdict.name is VerdictName.PROVED and not record.hinted:
                            self.searched += 1
                        result = _result(project, record)
                        found.append(result if helping is None else helping.marked(path, result))
                        yield found[-1]
                # An entry of the cache speaks for all of a file: not for what a pattern picked, or what had a mistake.
                others = self._selection is not None and any(u.note and u.path == path for u in project.units)
                whole = path in self.asked.whole and path not in self.failed and not others
                if self.cache is not None and whole and len(found) == len(obligations):
                    self.cache.records.keep(path, found)
            # Whoever decided writes down what solvers answered, and ends.
            left = next(records, None)
            assert left is None

    def _help(self, solvers: Solvers, hinting: Hinting) -> Helping:
        """Let what follows with theorems that its text does not name be decided as if it named them."""
        from sonnx_verify.api.helping import Helping

        helping, by_file = Helping(solvers, hinting), self._by_file
        if self.cache is not None:
            helping.rest_on_all = self.cache.records.rest_on_all
        new = [path for path in self.asked.files if path not in self._known and path not in self.failed]
        if by_file is not None:
            helping.look(by_file.project, new, None)
        else:
            helping.look(self._selected().project, new, self._open())
        if helping.found and by_file is not None:
            # Each process makes the obligations of a file by itself, as its text has them.
            from sonnx_verify.api.select import selected

            texts, closed = self._texts()
            self._selection = selected(self.asked, self._known.keys(), texts, closed=closed)
            self._by_file = None
            self.errors += self._selection.errors
            if self._is_shared_refused:
                refuse_shared(self._identities(), self.asked.root)
        for path, found in helping.found.items():
            selection = self._selected()
            # The files of the theorems, in which what the obligations use is found.
            for place in found.project.files.parsed:
                selection.project.files.read(place)
            selection.replace(path, found.obligations)
        return helping

    def _recall_read(self, path: Path) -> Sequence[Result] | None:
        """The results of an earlier run on a file, once the theorems are read that they rest on."""
        from sonnx_verify.api.helping import read_again

        told = self._recall(path)
        read_again(self._selected().project, self.asked.root, path, told or ())
        return told

    def _selected(self) -> Selection:
        assert self._selection is not None
        return self._selection

    def results_by_file(self) -> dict[Path, list[Result]]:
        """The results so far, recalled or not, by their files."""
        return {path: self._known.get(path) or self.found.get(path, []) for path in self.asked.files}

    def _records(
        self, solvers: Solvers, hinting: Hinting, helping: Helping | None
    ) -> Generator[Told | Record, None, None]:
        """The records of what is to be decided, those of each file behind what is told of it where that comes first."""
        from sonnx_verify.solving.check.by_file import run_by_file
        from sonnx_verify.solving.check.hints import NO_HINTS
        from sonnx_verify.solving.check.run import run, usable_cores

        jobs = self.jobs or usable_cores()
        if self._by_file is not None:
            return run_by_file(self._by_file, solvers, jobs, hinting=hinting)
        selection, elsewhere = self._selection, None
        assert selection is not None
        if self.dask is not None:
            from sonnx_verify.solving.check.cluster import Cluster

            elsewhere = Cluster(self.dask, selection.project)
            hinting = NO_HINTS  # it decides without them
        needed: Sequence[Obligation] = selection.needed(self._recall_read)
        if helping is not None:
            needed = helping.among(selection.project, needed, self.asked.files, self._recall_read)
        return run(selection.obligations, solvers, needed, jobs, elsewhere, hinting=hinting)

    def _told(self, path: Path, records: Iterator[Told | Record]) -> tuple[Project, Sequence[Obligation]]:
        """The project, and the obligations of a file whose records come next."""
        if self._by_file is None:
            assert self._selection is not None
            return self._selection.project, self._selection.of_files.get(path, [])
        from sonnx_verify.solving.check.by_file import Told

        found = next(records)
        assert isinstance(found, Told)
        assert found.path == path
        for error in found.errors:
            add_once(self.errors, error)
            self._failed.add(path)
        self._listed[path] = [one.id for one in found.obligations]
        if self._is_shared_refused:
            refuse_shared(self._identities(), self.asked.root)
        return self._by_file.project, found.obligations

    def again(self, number: int, solvers: Solvers) -> list[str]:
        """Read and decide some of what the cache knew again, at random: a line for each that comes out otherwise, whose
        file is forgotten."""
        if self.cache is None:
            return []
        every: list[tuple[Path, Result]] = []
        for path, told in self._known.items():
            every += [(path, one) for one in told]
        # Not a seeded choice: over many runs each entry has its turn, and nobody can know which one is safe to change.
        chosen = SystemRandom().sample(every, min(number, len(every)))
        if not chosen:
            return []
        from sonnx_verify.api.helping import as_decided
        from sonnx_verify.api.select import Selection, selected
        from sonnx_verify.language.trees import forget
        from sonnx_verify.solving.check.run import run

        forget()  # a tree in memory may be the cache's, and reading is decided again too
        known = {(path, one.id): one for path, one in chosen}
        paths = {path for path, _ in chosen}
        everything = Asked(self.asked.root, further=self.asked.further, whole=self.asked.files, files=self.asked.files)
        whole = selected(everything, [p for p in self.asked.files if p not in paths], self.cache.texts)
        picked: dict[Path, list[Obligation]] = {}
        places: list[Path] = []
        for path in whole.of_files:
            picked[path] = [o for o in whole.of_files[path] if (path, o.id) in known]
            picked[path] = as_decided(whole.project, picked[path], {one.id: one for of, one in chosen if of == path})
            places += [path] * len(picked[path])
        selection = Selection(whole.project, picked)
        lines = []
        for path, record in zip(places, run(selection.obligations, solvers, selection.needed()), strict=True):
            before = known.pop((path, record.id))
            now = replace(_result(whole.project, record), lemmas=before.lemmas)
            # What a clock ended this time says nothing of what the cache had.
            if now.lasting and (parts := _otherwise(before, now)):
                said = f"the cache had {before.verdict}, it is {now.verdict}"
                if before.verdict == now.verdict:
                    said = f"it is {now.verdict}, as the cache had it, and the cache had another {' and '.join(parts)}"
                lines.append(f"{record.id}: {said}")
                self.cache.records.forget(path)
        for path, identity in known:
            lines.append(f"{identity}: the cache had it, and there is no such obligation")
            self.cache.records.forget(path)
        return lines

    def _recall(self, path: Path) -> Sequence[Result] | None:
        if self.cache is None:
            return None
        return self.cache.records.find(path)


def everything(asked: Asked, cache: Cache | None, solvers: Solvers, jobs: int | None) -> list[Result]:
    """The results of all that is asked for, decided or recalled. Raises the first UserError that is in a text."""
    decided = Decided(asked, cache, jobs)
    results = list(decided.shown(solvers))
    for error in decided.errors:
        raise error
    return results


def refuse_shared(identities: Iterable[tuple[Path, str]], root: Path) -> None:
    """Raise UsageError where an identity is in two files: one line of the ledger cannot speak of both."""
    found: dict[str, Path] = {}
    for path, identity in identities:
        if found.setdefault(identity, path) != path:
            first, second = (shown_as(p, root) for p in (found[identity], path))
            raise UsageError(
                f"{identity} is in {first} and in {second}: the ledger has one line for it",
                cure="give one of them another name, number or text, or check only one of them",
            )


def _result(project: Project, record: Record) -> Result:
    """The result of an obligation. That a clause may mend it is said only if there is one to try."""
    from sonnx_verify.solving.check.telling import result_of

    made = result_of(record)
    if not made.mend:
        return made
    from sonnx_verify.authoring.repair.proposals import is_worth_a_try

    return replace(made, mend=is_worth_a_try(project, record))


def _otherwise(before: Result, now: Result) -> list[str]:
    """The names of the fields in which two results differ."""
    # Which queries were asked depends on hints, and so does a witness that was not searched for: these are not what a
    # verdict rests on.
    left = {"hinted", "queries"} if before.hinted else set()
    if before.witness is not None and now.witness is not None and not before.witness.minimal:
        left.add("witness")
    return [f.name for f in fields(Result) if f.name not in left and getattr(before, f.name) != getattr(now, f.name)]
