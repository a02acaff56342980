"""The formal text of a file or a name, with what it uses."""

from __future__ import annotations

from pathlib import Path

from sonnx_verify.errors import UsageError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.places import root_here
from sonnx_verify.language.project import Project
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import read_page
from sonnx_verify.pages.render.formal import Formal


def formal_of_file(path: Path, version: int | None = None) -> Formal:
    """The formal text of a file: of a version of its operator, by default the newest. Raises UserError where it cannot
    be read, says no specification, or has no such version."""
    project = Project.of_files(root_here(), [path])
    units = [u for u in project.units if not u.text]
    for unit in units:
        if unit.error is not None:
            raise unit.error
    # The versions of an operator stand in one file, oldest first; a library has one unit, without a version.
    versions = [(u, u.file.version) for u in units if u.file is not None]
    found = [unit for unit, own in versions if version in (None, own)]
    if not found:
        known = ", ".join(str(own) for _, own in versions if own is not None)
        raise UsageError(f"{path.as_posix()} has no version {version}", cure=f"it has {known or 'no versions'}")
    return formal_of(project, found[-1])


def page_of(unit: Unit) -> Page | None:
    """The page beside a text; None where the text names none, or it is not there."""
    if unit.file is None or unit.file.page is None:
        return None
    path = unit.path.parent / unit.file.page.name
    if not path.is_file():
        return None
    return read_page(path, Path(unit.shown).with_name(path.name).as_posix())


def formal_of(project: Project, unit: Unit) -> Formal:
    """The formal text of a unit. Raises UserError where what it uses is not there."""
    assert unit.file is not None
    return Formal.of(unit.file, project.library(unit))
