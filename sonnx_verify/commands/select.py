"""Which obligations a command line names."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sonnx_verify.check.collect import of_unit
from sonnx_verify.check.uses import needed_by
from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language.files import Key, Unit, installed_library, resolved
from sonnx_verify.language.project import Project
from sonnx_verify.language.versions import untold
from sonnx_verify.obligations.obligation import Obligation


@dataclass(slots=True)
class Selection:
    """The obligations that were asked for, and the errors of files that were asked for too."""

    project: Project
    obligations: list[Obligation] = field(default_factory=list)
    errors: list[UserError] = field(default_factory=list)

    def needed(self) -> list[Obligation]:
        """What the obligations use that was not asked for. Raises UserError where they use each other in a circle."""
        return needed_by(self.obligations, used_in(self.project))


def used_in(project: Project) -> Callable[[str], list[Obligation]]:
    """What has an identity, in any file that was asked for or that one of those uses: two of them may share it, and
    which is meant is known by its file only."""

    made: dict[Key, list[Obligation]] = {}

    def of(unit: Unit) -> list[Obligation]:
        if unit.key not in made:
            made[unit.key] = of_unit(project, unit)
        return made[unit.key]

    def find(identity: str) -> list[Obligation]:
        units = [u for u in project.every_unit() if u.file is not None and identity.startswith(u.operator)]
        return [o for u in units for o in of(u) if o.id == identity]

    return find


def here() -> Project:
    """The project of the current folder, or the installed one when the folder has no specification."""
    project = Project.open(Path.cwd())
    return project if project.units else Project.open(installed_library())


def select(what: Sequence[str]) -> Selection:
    """Paths and patterns of identities to obligations. Raises UsageError for what names nothing."""
    paths = [Path(w) for w in what if _is_path(w)]
    patterns = [w for w in what if not _is_path(w)]
    for path in paths:
        if not _exists(path):
            raise UsageError(f"there is no file or folder {path}", cure="name a .sonnx file, a folder or an identity")
    project = here()
    units = [u for u in project.units if not what or _under(u, paths)]
    known = {resolved(u.path) for u in project.units}
    for path in paths:
        files = sorted(path.rglob("*.sonnx")) if path.is_dir() else [path]
        if not files:
            raise UsageError(f"there is no .sonnx file below {path}", cure="name another folder")
        missing = [f for f in files if resolved(f) not in known]
        more = Project.of_files(Path.cwd(), missing)
        project.units.extend(more.units)
        units.extend(more.units)
    selection = Selection(project)
    chosen = {id(u) for u in units}
    for unit in [u for u in project.units if id(u) in chosen or _may_hold(u, patterns)] if patterns else units:
        found = _obligations(selection, unit, report=id(unit) in chosen)
        wanted = found if id(unit) in chosen else [o for o in found if _matches(o.id, patterns)]
        selection.obligations.extend(wanted)
    if patterns and not selection.obligations and not selection.errors:
        raise UsageError(
            f"no obligation is called {', '.join(patterns)}", cure="`sonnx-verify list` prints all identities"
        )
    return selection


def _exists(path: Path) -> bool:
    try:
        return path.exists() or path.is_symlink()
    except (OSError, ValueError):
        return False


def _obligations(selection: Selection, unit: Unit, report: bool) -> list[Obligation]:
    try:
        if unit.error is not None:
            raise unit.error
        return of_unit(selection.project, unit)
    except UserError as error:
        # What is wrong in every version of a file is said once.
        told = {(e.span, untold(e.message)) for e in selection.errors}
        if report and (error.span, untold(error.message)) not in told:
            selection.errors.append(error)
    return []


def _is_path(text: str) -> bool:
    if text.endswith(".sonnx") or text in (".", "..") or text.startswith(("./", "../")):
        return True
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False


def _under(unit: Unit, paths: Sequence[Path]) -> bool:
    mine = resolved(unit.path)
    return any(resolved(p) in (mine, *mine.parents) for p in paths)


def _may_hold(unit: Unit, patterns: Sequence[str]) -> bool:
    """Whether an identity in the unit can match: the unit's name decides before anything is elaborated."""
    if unit.file is None:
        return True
    for pattern in patterns:
        fixed = re.split(r"[*?\[/]", pattern)[0]
        if unit.operator.startswith(fixed) or fixed.startswith(unit.operator):
            return True
    return False


def _matches(identity: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(identity, p) or identity.startswith((f"{p}/", f"{p}.")) for p in patterns)


def one(identity: str) -> tuple[Selection, Obligation]:
    """The obligation of that identity. Raises UsageError when there is none, or several."""
    selection = select([identity])
    found = [o for o in selection.obligations if o.id == identity] or selection.obligations
    if len(found) != 1:
        listed = ", ".join(o.id for o in found[:6])
        raise UsageError(f"{identity} names {len(found)} obligations: {listed}", cure="write one identity in full")
    selection.obligations = found
    return selection, found[0]
