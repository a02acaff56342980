"""The texts whose meaning a file can change: those that use it, refine it or apply its operator, directly or not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import FileKind

_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*[({]")


class Reach:
    """The files that each file of a project is made of. A name before a bracket is taken for an operator wherever there
    is one of that name: a file too many costs time only, one that is missed would let a mutant survive."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._by_name: dict[str, list[Unit]] = {}
        for unit in project.units:
            if unit.file is not None and unit.file.version is not None:
                self._by_name.setdefault(unit.file.name, []).append(unit)
        self._direct: dict[Path, frozenset[Path]] = {}
        self._whole: dict[Path, frozenset[Path]] = {}

    def of(self, unit: Unit) -> frozenset[Path]:
        """The places of all files that the unit says something through."""
        if unit.place not in self._whole:
            # Through any number of files: a library that uses one that is mutated is mutated too.
            found = {unit.place}
            todo = [(unit.path, unit.place)]
            while todo:
                for other in self._next(*todo.pop()) - found:
                    found.add(other)
                    todo.append((other, other))
            self._whole[unit.place] = frozenset(found)
        return self._whole[unit.place]

    def direct(self, unit: Unit) -> frozenset[Path]:
        """Those that its own text names."""
        return self._next(unit.path, unit.place)

    def is_circular(self, unit: Unit) -> bool:
        """Return whether a text that the unit is made of, or its own, names the unit's file."""
        return any(unit.place in self._direct[place] for place in self.of(unit))

    def _next(self, path: Path, place: Path) -> frozenset[Path]:
        if place not in self._direct:
            # By their paths, since what is used may stand outside the project.
            file = self._project.files.read(path)
            self._direct[place] = frozenset(self._named(path, file))
        return self._direct[place]

    def _named(self, path: Path, file: s.File) -> Iterable[Path]:
        for use in file.uses:
            yield self._project.files.library(path, use.name, use.span).resolve()
        if file.refines is not None:
            named = self._by_name.get(file.refines.operator, [])
            yield from (u.place for u in named if u.namespace == file.refines.namespace)
        assert file.span is not None
        for name in set(_CALLED.findall(file.span.source.text)):
            yield from (u.place for u in self._by_name.get(name, []) if u.namespace in ("sonnx", "user"))


_KINDS = {
    FileKind.THEORY: 0,
    FileKind.LIBRARY: 1,
    FileKind.PROFILE: 2,
    FileKind.USER: 2,
    FileKind.STANDARD: 3,
    FileKind.DRAFT: 4,
    FileKind.UNSAID: 5,
}
"""Theorems say most of what was meant, and are decided quickest."""


def touched(project: Project, reach: Reach, place: Path, judges: Iterable[str] | None) -> Sequence[Unit]:
    """The units that the file at a place can change the meaning of, itself first, then those that name it, theorems
    before operators; else in the order of the project. Of operators the text's own, and the `judges` where they are
    named: whatever else there is, the same ones are asked."""

    def rank(unit: Unit) -> tuple[bool, bool, int]:
        assert unit.file is not None
        return unit.place != place, place not in reach.direct(unit), _KINDS[unit.file.kind]

    found = [u for u in project.units if u.file is not None and place in reach.of(u)]
    if judges is not None:
        asked = {*own_names(project, place), *judges}
        found = [u for u in found if not is_operator(u) or {name_of(u), u.file.name if u.file else ""} & asked]
    return sorted(found, key=rank)


def own_names(project: Project, place: Path) -> set[str]:
    """The names, without a namespace, of the operators in the file at a place: a standard and its profile have one."""
    return {unit.file.name for unit in project.units if unit.place == place and unit.file and is_operator(unit)}


def is_operator(unit: Unit) -> bool:
    """Return whether a unit is no library and no theory."""
    return unit.file is None or unit.file.version is not None


def name_of(unit: Unit) -> str:
    """The name of an operator without its version, as `onnx.Add`."""
    assert unit.file is not None
    return f"{unit.namespace}.{unit.file.name}"


def is_of(unit: Unit, identity: str) -> bool:
    """Return whether an identity is that of one of the unit's obligations, or its path."""
    return identity == unit.shown or identity.startswith((f"{unit.operator}.", f"{unit.operator}/"))
