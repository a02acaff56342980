"""What is asked for, decided or recalled: the files that the cache knows and the others, in one order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.cache import Cache
from sonnx_verify.errors import UsageError, UserError, add_once
from sonnx_verify.language.places import shown_as
from sonnx_verify.results.result import Result
from sonnx_verify.solving.solvers import Solvers

if TYPE_CHECKING:
    from sonnx_verify.api.select import Selection


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
    errors: list[UserError] = field(default_factory=list)
    """What is wrong with the files, known when all is told."""
    found: dict[Path, list[Result]] = field(default_factory=dict)
    """What was told of each file so far, of those that the cache did not know."""
    _known: dict[Path, list[Result]] = field(default_factory=dict)
    _wrong: set[Path] = field(default_factory=set)
    """Those in which something could not be built when its turn came."""
    _selection: Selection | None = None

    def __post_init__(self) -> None:
        for path in self.asked.files:
            if (told := self._recall(path)) is not None:
                is_wanted = self.asked.wanted_in(path)
                self._known[path] = [one for one in told if is_wanted(one.id)]
        if len(self._known) < len(self.asked.files):
            from sonnx_verify.api.select import selected

            kept = None if self.cache is None else self.cache.texts
            texts = self.instead if kept is None else {**kept, **self.instead}
            self._selection = selected(self.asked, self._known.keys(), texts, closed=kept is not None)
            self.errors += self._selection.errors
        if not self.errors:
            self.asked.refuse_unmatched(identity for listed in self._identities().values() for identity in listed)

    def __len__(self) -> int:
        """How many there are."""
        open_ones = 0 if self._selection is None else len(self._selection.obligations)
        return self.recalled + open_ones

    @property
    def failed(self) -> set[Path]:
        """The files that errors are in, as far as they are known."""
        return self._wrong if self._selection is None else self._selection.failed | self._wrong

    def recalls(self) -> dict[Path, list[Result]]:
        """What earlier runs told, of the files of which the cache knows all."""
        return dict(self._known)

    def refuse_shared(self) -> None:
        """Raise UsageError where an identity is in two files."""
        identities = self._identities()
        refuse_shared(((p, i) for p in self.asked.files for i in identities.get(p, ())), self.asked.root)

    def _identities(self) -> dict[Path, list[str]]:
        """All that is asked for, by its files."""
        of_files = {} if self._selection is None else self._selection.of_files
        identities = {path: [one.id for one in told] for path, told in self._known.items()}
        return identities | {path: [obligation.id for obligation in listed] for path, listed in of_files.items()}

    @property
    def recalled(self) -> int:
        """How many of them an earlier run decided."""
        return sum(map(len, self._known.values()))

    def results(self, solvers: Solvers) -> Iterator[Result]:
        """The result of each, in the order of the text, as soon as it and all before it are known."""
        if self._selection is None:
            for path in self.asked.files:
                yield from self._known[path]
            return
        from sonnx_verify.solving.check.run import run, usable_cores
        from sonnx_verify.solving.check.telling import result_of

        jobs = usable_cores() if self.jobs is None else self.jobs
        selection, elsewhere = self._selection, None
        if self.dask is not None:
            from sonnx_verify.solving.check.cluster import Cluster

            elsewhere = Cluster(self.dask, selection.project)
        needed = selection.needed(self._recall)
        with closing(run(selection.obligations, solvers, needed, jobs, elsewhere)) as records:
            for path in self.asked.files:
                if path in self._known:
                    yield from self._known[path]
                    continue
                found = self.found[path] = []
                obligations = selection.of_files.get(path, [])
                for record in (next(records) for _ in obligations):
                    if record.error is not None:
                        add_once(self.errors, record.error)
                        self._wrong.add(path)
                    else:
                        found.append(result_of(record))
                        yield found[-1]
                whole = path in self.asked.whole and path not in selection.failed
                if self.cache is not None and whole and len(found) == len(obligations):
                    self.cache.records.keep(path, found)
            # Whoever decided writes down what solvers answered, and ends.
            left = next(records, None)
            assert left is None

    def again(self, number: int, solvers: Solvers) -> list[str]:
        """Read and decide some of what the cache knew again, at random: a line for each that comes out otherwise, whose
        file is forgotten."""
        every = [(path, one) for path, told in self._known.items() for one in told]
        chosen = SystemRandom().sample(every, min(number, len(every)))
        if not chosen or self.cache is None:
            return []
        from sonnx_verify.api.select import Selection, selected
        from sonnx_verify.language.trees import forget
        from sonnx_verify.solving.check.run import run
        from sonnx_verify.solving.check.telling import result_of

        forget()
        known = {(path, one.id): one for path, one in chosen}
        paths = {path for path, _ in chosen}
        everything = Asked(self.asked.root, further=self.asked.further, whole=self.asked.files, files=self.asked.files)
        whole = selected(everything, [p for p in self.asked.files if p not in paths], self.cache.texts)
        picked = {
            path: [o for o in found if (path, o.id) in known] for path, found in whole.of_files.items() if path in paths
        }
        selection = Selection(whole.project, picked)
        places = [path for path, found in picked.items() for _ in found]
        lines = []
        for path, record in zip(places, run(selection.obligations, solvers, selection.needed()), strict=True):
            before, now = known.pop((path, record.id)), result_of(record)
            if parts := _otherwise(before, now):
                had = f"the cache had {before.verdict}, it is {now.verdict}"
                same = f"it is {now.verdict}, as the cache had it, and the cache had another {' and '.join(parts)}"
                lines.append(f"{record.id}: {same if before.verdict == now.verdict else had}")
                self.cache.records.forget(path)
        for path, identity in known:
            lines.append(f"{identity}: the cache had it, and there is no such obligation")
            self.cache.records.forget(path)
        return lines

    def _recall(self, path: Path) -> Sequence[Result] | None:
        return None if self.cache is None else self.cache.records.find(path)


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


def _otherwise(before: Result, now: Result) -> list[str]:
    """The names of the fields in which two results differ."""
    return [f.name for f in fields(Result) if getattr(before, f.name) != getattr(now, f.name)]
