"""The obligations of files, made by whoever decides them; here what the others know of them.

Trusted: the obligation of a number is the same in each process, since each reads the same texts in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sonnx_verify.errors import UserError
from sonnx_verify.language.context import Context
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.obligation import Obligation, Statement
from sonnx_verify.paths import resolved
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.mistakes import add_once, mistakes_of

_FILE = 1 << 20
"""The numbers of a file: its own, and those of its obligations behind it."""
_KEPT = 2
"""The files whose obligations a process keeps: the one that it is at, and the one before."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The obligations of a file without what states them, and its mistakes; `used_in` are the files that may have the
    obligations that they rest on, by identity."""

    obligations: list[Obligation]
    errors: list[UserError]
    used_in: dict[str, list[Path]]


def number_of(file: int, place: int | None = None) -> int:
    """The number of the obligation at a place of a file, or that of the file itself."""
    return file * _FILE + (0 if place is None else place + 1)


def place_of(number: int) -> tuple[int, int | None]:
    """The file, and the place in it, that a number is of."""
    file, place = divmod(number, _FILE)
    return file, place - 1 if place else None


class Gatherer:
    """The files of a project by their numbers, and their obligations, made when they are asked for."""

    def __init__(self, project: Project, files: Sequence[Path], unread: Mapping[Path, UserError]) -> None:
        self._project, self._files, self._unread = project, files, unread
        self._made: dict[int, tuple[list[Obligation], list[UserError]]] = {}

    def __getitem__(self, number: int) -> Obligation | Gathered:
        """The obligation of a number; of a file's own number, what others know of its obligations."""
        file, place = place_of(number)
        obligations, errors = self._of_file(file)
        if place is not None:
            return obligations[place]
        known = [_told(one) for one in obligations]
        return Gathered(known, errors, self.used_in(obligations))

    def used_in(self, obligations: Iterable[Obligation]) -> dict[str, list[Path]]:
        """The files that may have what some obligations rest on, by identity."""
        names = dict.fromkeys(name for one in obligations for name in (*one.uses, *one.presumes))
        # An identity begins with the name of its text, which many of them share. Found anew for each file: what it uses
        # elsewhere is known only once it is read.
        texts = dict.fromkeys(name.partition("/")[0] for name in names)
        places = {text: [*dict.fromkeys(u.path for u in self._project.of_identity(text))] for text in texts}
        return {name: places[name.partition("/")[0]] for name in names}

    def _of_file(self, file: int) -> tuple[list[Obligation], list[UserError]]:
        if file not in self._made:
            # Texts share little, and all that was made of one would stay as long as this process.
            self._project.forget_meanings()
            while len(self._made) >= _KEPT:
                del self._made[next(iter(self._made))]
            self._made[file] = self._collected(self._files[file])
        return self._made[file]

    def _collected(self, path: Path) -> tuple[list[Obligation], list[UserError]]:
        found: list[Obligation] = []
        errors: list[UserError] = []
        if resolved(path) in self._unread:
            return found, [self._unread[resolved(path)]]
        for unit in self._project.units_in(path):
            try:
                if unit.error is not None:
                    raise unit.error
                found += of_unit(self._project, unit)
            except UserError as error:
                for mistake in mistakes_of(self._project, unit, error):
                    add_once(errors, mistake)
        return found, errors


def _told(obligation: Obligation) -> Obligation:
    """An obligation as others know it: all but its statement, and what serves to make and decide that."""
    build = None if obligation.build is None else _stated_elsewhere
    return replace(obligation, build=build, library=None, stated=(), tried=())


def _stated_elsewhere(_: Context) -> Statement:
    raise RuntimeError("this obligation is stated where it is decided")
