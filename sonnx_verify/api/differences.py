"""The recorded differences of a project: which pairs of texts there are, what is known of each, and the way to decide
them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from sonnx_verify.api.asking import ignore
from sonnx_verify.api.cache import opened, solvers_with
from sonnx_verify.api.compared import Deciding
from sonnx_verify.api.hints import hints_in
from sonnx_verify.equivalence.difference import answers_all, decide_differences, uncompared_pair
from sonnx_verify.equivalence.keys import key_of
from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Unit
from sonnx_verify.language.places import shown_as
from sonnx_verify.language.project import Project
from sonnx_verify.progress import answers_shown
from sonnx_verify.results.difference import Difference
from sonnx_verify.solving.check.run import usable_cores
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.differences import (
    RESTORE,
    UPDATE,
    Differences,
    Entry,
    Names,
    differences_text,
    files_about,
    files_of,
    place_of,
    read_differences,
)
from sonnx_verify.stores.folder import write_files
from sonnx_verify.stores.homes import record_roots

Pair = tuple[Unit, Unit]
"""A text and its predecessor, which comes first."""
Decide = Callable[[Sequence[Pair]], list[Difference | UserError]]


def pairs_of(project: Project) -> list[Pair]:
    """Each operator of a project with the text before it: the version before or, of a profile, its standard. Raises
    the error of a text that cannot be read: its records would be taken for those of no pair."""
    for unit in project.units:
        if unit.error is not None:
            raise unit.error
    found = ((before(project, unit), unit) for unit in project.units)
    return [(one, unit) for one, unit in found if one is not None]


def before(project: Project, unit: Unit) -> Unit | None:
    """The predecessor of a text: the version before it or, of a profile, its standard; None if there is none."""
    return max((other for other in project.units if _comes_before(other, unit)), key=_version, default=None)


def _version(unit: Unit) -> int:
    """The version of an operator; no other text has one."""
    if unit.file is None or unit.file.version is None:
        return 0
    return unit.file.version


def _comes_before(other: Unit, unit: Unit) -> bool:
    if other.file is None or unit.file is None or other.file.name != unit.file.name:
        return False
    if other.file.version is None or unit.file.version is None:
        return False
    # A further text of an operator, `Op-13@draft`, is a proposal: nobody's version before.
    if other.text or unit.text or other.file.kind is not s.FileKind.STANDARD:
        return False
    if unit.file.kind is s.FileKind.STANDARD:
        return other.file.version < unit.file.version
    # Max-13 of a profile restricts Max-13 of the standard, or, if ONNX changed nothing since, one of a lower number.
    return unit.file.kind is s.FileKind.PROFILE and other.file.version <= unit.file.version


@dataclass(slots=True)
class Recorded:
    """The records of a project."""

    project: Project
    root: Path
    """The folder that is written to."""
    own: Differences
    """The records of that folder."""
    library: Differences
    """Those of the installed library, if that is another folder: nobody writes them."""

    operator: str = ""
    """The operator that is asked about; empty for all."""

    @classmethod
    def of(cls, project: Project, about: Names | None = None) -> Recorded:
        """Read the records of a project, or those beside the one of a pair. Raises UserError for a file that is not a
        record."""
        roots = record_roots(project.root)
        own, *others = (
            read_differences(root, files_of(root) if about is None else files_about(about, root)) for root in roots
        )
        return cls(project, roots[0], own, others[0] if others else Differences())

    def find(self, pair: Pair) -> Difference | None:
        """The recorded difference of two texts as they are now, in the order of the record or the other one. Raises
        UserError for a record that leaves out a question, or answers another one."""
        found = self.find_with_place(pair)
        return None if found is None else found[0]

    def find_with_place(self, pair: Pair) -> tuple[Difference, str] | None:
        """The same, with the file of the record as messages show it."""
        for units, records in product((pair, pair[::-1]), (self.own, self.library)):
            names = _names(units)
            entry = records.entries.get(names)
            if entry is not None and entry.key == key_of(self.project, units):
                place = shown_as(records.places.get(names) or self._place(names), self.root)
                if not answers_all(self.project, units, entry.difference):
                    record = f"the record of {' and '.join(names)} in {place}"
                    raise UserError(f"{record} answers other questions than those of the two texts", cure=RESTORE)
                return entry.difference, place
        return None

    def missing(self, pairs: Iterable[Pair]) -> list[Pair]:
        """The pairs without a record of their texts as they are now."""
        return [pair for pair in pairs if self.find(pair) is None]

    def problems(self) -> list[str]:
        """A line for each pair without a record, for each record of other texts, and for each of no pair."""
        pairs = {_names(pair): pair for pair in self.pairs()}
        lines = []
        for pair in self.missing(pairs.values()):
            stale = _names(pair) in {**self.own.entries, **self.library.entries}
            why = "decided of other texts" if stale else "not decided"
            lines.append(f"{' and '.join(_names(pair))}: {why}")
        lines += [f"{' and '.join(names)}: there is no such pair" for names in self._entries() if names not in pairs]
        return lines

    def pairs(self) -> list[Pair]:
        """The pairs that are asked about. Raises UsageError where there is none of the operator."""
        found = pairs_of(self.project)
        asked = [pair for pair in found if self._is_asked(_names(pair))]
        if found and not asked:
            cure = "name an operator of the project that has two texts, such as a profile and its standard"
            raise UsageError(f"no text of {self.operator} has one before it", cure=cure)
        return asked

    def _entries(self) -> list[Names]:
        return [names for names in self.own.entries if self._is_asked(names)]

    def _is_asked(self, names: Names) -> bool:
        return self.operator in ("", names[1].partition("@")[0].rpartition("-")[0].rpartition(".")[2])

    def decide(self, pairs: Sequence[Pair], jobs: int | None, problem: Callable[[str], None]) -> Iterator[Path]:
        """Decide pairs, a file at a time, and keep what is found and lasts; each file as soon as it is done."""
        with _deciding(self.project, jobs, problem) as decide:
            for path in dict.fromkeys(self._place(_names(pair)) for pair in pairs):
                mine = [pair for pair in pairs if self._place(_names(pair)) == path]
                for pair, found in zip(mine, decide(mine), strict=True):
                    if isinstance(found, UserError):
                        found = uncompared_pair(*_names(pair), found)
                    self.own.entries.pop(_names(pair), None)
                    if all(row.lasting for row in found.rows):
                        self.own.entries[_names(pair)] = Entry(key_of(self.project, pair), found)
                yield path

    def drop_foreign(self) -> list[Path]:
        """Drop the records of no pair of the project; the files that they belong to."""
        pairs = set(map(_names, self.pairs()))
        foreign = [names for names in self._entries() if names not in pairs]
        for names in foreign:
            del self.own.entries[names]
        return list(dict.fromkeys(map(self._place, foreign)))

    def moved(self) -> list[Path]:
        """The files that change when each record goes to the folder of its operator; those that it goes to first."""
        places = [(path, self._place(names)) for names, path in self.own.places.items() if self._is_asked(names)]
        found = [pair for pair in places if pair[0] != pair[1]]
        return list(dict.fromkeys([*(new for _, new in found), *(old for old, _ in found)]))

    def write(self, path: Path) -> None:
        """Write the file of an operator; one without records is removed."""
        own = {names: entry for names, entry in self.own.entries.items() if self._place(names) == path}
        write_files({path: differences_text(own) if own else None})

    def _place(self, names: Names) -> Path:
        return place_of(names, self.root)


def recorded_difference(project: Project, pair: Pair) -> tuple[Difference, str] | None:
    """The recorded difference of two specifications and the file of it, if there is one and they can be compared: of
    those that cannot, `decide_difference` says at once why and where."""
    found = Recorded.of(project, _names(pair)).find_with_place(pair)
    return found if found is not None and found[0].compared else None


def decide_difference(
    project: Project, pair: Pair, jobs: int | None = None, problem: Callable[[str], None] = ignore
) -> Difference:
    """Compare two specifications of one operator. Raises UsageError where they are about two, UserError for a mistake
    in one of them; `problem` is called with what went wrong with the cache."""
    with _deciding(project, jobs, problem) as decide:
        (found,) = decide([pair])
    if isinstance(found, UserError):
        raise found
    return found


@contextmanager
def _deciding(project: Project, jobs: int | None, problem: Callable[[str], None]) -> Iterator[Decide]:
    """Yield a function that decides pairs; what they rest on is recalled from the cache."""
    cache = opened(project.root, (), Solvers().versions())
    with solvers_with(cache) as solvers:
        deciding = Deciding(solvers, jobs or usable_cores(), cache)
        hinting = hints_in(project.root)

        def decide(pairs: Sequence[Pair]) -> list[Difference | UserError]:
            args = (project, pairs, solvers, deciding.jobs, answers_shown, deciding.recall, hinting)
            return decide_differences(*args)

        yield decide
    if cache is not None and (found := cache.close()):
        problem(found)


NOT_DECIDED = f"not decided: `{UPDATE}` decides it"
"""The answer for a pair without a record."""


def _names(pair: Pair) -> Names:
    one, other = pair
    return one.operator, other.operator
