"""The texts to mutate, or lines of them, by the words of a command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.mutation import Mutation
from sonnx_verify.authoring.mutation.mutations import mutations_of_unit
from sonnx_verify.errors import UsageError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.named import here
from sonnx_verify.language.places import files_of_project, installed_library, root_here
from sonnx_verify.language.project import Project
from sonnx_verify.language.reach import Reach
from sonnx_verify.language.syntax import FileKind
from sonnx_verify.paths import resolved


def project_of(what: Sequence[str]) -> Project:
    """The project of the current folder, or the installed one when the folder has no specification, or none of that
    name; for a text that is in neither, the folder that it is in."""
    if not what and not files_of_project(Path.cwd()):
        # All of the installed library takes hours: who wants that can say so.
        raise UsageError("there is no specification here", cure="name an operator, or work in a folder that has some")
    units = here().units
    known = {u.place for u in units}
    root = root_here()
    for name in what:
        path, _ = _with_line(name)
        is_text = path.suffix == ".sonnx" and path.is_file()
        if is_text and resolved(path) not in known:
            root = path.parent
            break
        if path.is_dir() and not any(resolved(path) in place.parents for place in known):
            root = path
            break
        if not path.exists() and not any(_is_called(unit, name) for unit in units):
            root = installed_library()
            break
    # Read once: an edit that somebody makes meanwhile is no mutation.
    reach = Reach.of(root, ())
    if reach.snapshot() is None:
        return Project.open(root)
    return Project.open(root, reach.texts, closed=True)


def _with_line(name: str) -> tuple[Path, int | None]:
    """A path, and the line that is named behind it."""
    path, _, number = name.rpartition(":")
    if not path or not re.fullmatch("[0-9]+", number):
        return Path(name), None
    # No text has so many lines that more digits matter.
    return Path(path), int(number[:12])


def _is_called(unit: Unit, name: str) -> bool:
    """Return whether an operator has a name, with its version or without it."""
    return unit.file is not None and (unit.operator == name or unit.operator.startswith(f"{name}-"))


def chosen(baseline: Baseline, what: Sequence[str]) -> Iterator[tuple[Unit, int | None]]:
    """One unit of each file that is named, with the line where one is; else of each library, standard and profile."""
    units = list({u.place: u for u in baseline.project.units}.values())
    if not what:
        # A draft says what a page says, and nothing has to notice a mutation in it.
        kinds = (FileKind.LIBRARY, FileKind.STANDARD, FileKind.PROFILE, FileKind.USER)
        for unit in units:
            if unit.file is not None and unit.file.kind in kinds:
                yield unit, None
        return
    for name in what:
        named, line = _with_line(name)
        found = [u for u in units if resolved(named) in (u.place, *u.place.parents)]
        if not found:
            # No file or folder: an operator, with its version or of any.
            every = baseline.project.units
            places = {u.place for u in every if _is_called(u, name)}
            found = [u for u in units if u.place in places]
        if not found:
            raise UsageError(
                f"there is no specification `{name}` in this project", cure="name a .sonnx file of it, or FILE:LINE"
            )
        for unit in found:
            yield unit, line


def mutations_in(baseline: Baseline, unit: Unit, line: int | None) -> list[Mutation]:
    """The mutations that can be made in a text, or in one line of it."""
    every = mutations_of_unit(baseline.project, unit)
    return [mutation for mutation in every if line in (None, mutation.line)]
