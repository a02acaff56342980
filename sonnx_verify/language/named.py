"""The project of the current folder, and operators by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from sonnx_verify.errors import UsageError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Unit
from sonnx_verify.language.places import root_here
from sonnx_verify.language.project import Project
from sonnx_verify.language.reach import Reach

_FEW = 12
"""The most operators that a message lists."""
_LONGEST = 60
"""The most characters of a name that a message repeats."""


def here() -> Project:
    """The project of the current folder, or the installed one when the folder has no specification."""
    return Project.open(root_here())


def here_at_once() -> Project:
    """The same, of texts that are all read now, so that other projects made of it say the same."""
    # A long run makes projects in other processes too, and somebody may save a file meanwhile: all are made of one
    # reading.
    root = root_here()
    texts, closed = read_at_once(root, ())
    return Project.open(root, texts, closed=closed)


def read_at_once(root: Path, further: Iterable[Path]) -> tuple[dict[Path, str], bool]:
    """All texts that can play a part, and whether there are no others."""
    reach = Reach.of(root, further)
    return reach.texts, reach.whole


def find_operator(project: Project, name: str) -> Unit:
    """The specification `namespace.Op-version`, or a text `...@text` of it, or the newest version of `namespace.Op`.
    UsageError if none."""
    # Nobody writes a version of more digits, and Python refuses to read one of thousands.
    found = re.fullmatch(r"(?:(\w+)\.)?(\w+)(?:-(\d{1,600}))?(?:@([\w.-]+))?", name)
    if found and found[1]:
        version = None
        if found[3]:
            version = int(found[3])
        unit = project.find(found[1], found[2], version, found[4] or "")
        if unit is not None:
            return unit
    # Without a namespace, or of another case or version: there is nothing of that name, but the ones that were meant
    # are shown, of the installed ones too.
    alike = [u for u in project.operators() if found and u.file is not None and u.file.name.lower() == found[2].lower()]
    same = [u for u in alike if found and u.namespace == found[1]]
    names = dict.fromkeys(u.operator for u in same or alike)
    shown = name
    if len(name) > _LONGEST:
        shown = f"{name[:_LONGEST]}..."
    cure = "there are: " + ", ".join(names)
    if not names:
        cure = _like(project, name[:_LONGEST])
    # Whoever leaves out the namespace means that version of one, or the newest.
    if found and not found[1]:
        meant = _newest(u for u in alike if found[3] in (None, str(_version(u))))
        if meant:
            cure = f"did you mean {' or '.join(u.operator for u in meant)}?"
    raise UsageError(f"unknown operator {shown}", cure=cure)


def _like(project: Project, name: str) -> str:
    """The cure for a name that is that of no operator: those that are written alike, or all of a few."""
    known = {
        u.operator.partition("-")[0]: u for u in project.units if u.file is not None and u.file.version is not None
    }
    near = get_close_matches(name.partition("-")[0], known, 3, 0.7)
    if near:
        return f"did you mean {', '.join(near)}?"
    if len(known) <= _FEW:
        return f"there are: {', '.join(u.operator for u in known.values()) or 'none'}"
    example = min(known, key=lambda one: (not one.startswith("sonnx."), one))
    return f"write a namespace and a name that is there, such as {example}"


def _newest(units: Iterable[Unit]) -> list[Unit]:
    """The newest version in each namespace, in its first text."""
    newest: dict[str, Unit] = {}
    for unit in units:
        known = newest.get(unit.namespace)
        if known is None or _version(unit) > _version(known):
            newest[unit.namespace] = unit
    return list(newest.values())


def _version(unit: Unit) -> int:
    return (unit.file and unit.file.version) or 0


def unit_of_text(project: Project, file: s.File) -> Unit:
    """A unit for a text that is no file, in the project's root."""
    path = project.root / f"{file.name} (text)"
    return Unit(path, file.path, "prove", file)
