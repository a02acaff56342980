"""Names that a shell completes: operators, their versions, and the identities of their obligations."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sonnx_verify.errors import UserError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.kept import keep_in
from sonnx_verify.language.places import installed_library, root_here
from sonnx_verify.language.project import Project
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.stores.store import store_of_trees


def operators(begun: str) -> list[str]:
    """The operators whose names begin so, each with its version."""
    found = (unit.operator for project in _projects() for unit in project.units if _has_version(unit))
    return _beginning(found, begun)


def identities(begun: str) -> list[str]:
    """The operators and theories whose names begin so; behind the whole name of one, its clauses and obligations."""
    names: dict[str, None] = {}
    for project in _projects():
        for unit in project.units:
            if unit.file is None:
                continue
            names[unit.operator] = None
            # To elaborate a text takes a second: only that of the name that is already written.
            if begun.startswith((f"{unit.operator}.", f"{unit.operator}/")):
                names |= dict.fromkeys(_obligations(project, unit))
    return _beginning(names, begun)


def _projects() -> list[Project]:
    """The project here, and the installed library. What cannot be read has no names."""
    keep_in(store_of_trees)
    found = []
    for root in dict.fromkeys((root_here(), installed_library())):
        try:
            found.append(Project.open(Path(root)))
        except UserError:
            continue
    return found


def _obligations(project: Project, unit: Unit) -> list[str]:
    try:
        listed = [obligation.id for obligation in of_unit(project, unit)]
    except UserError:
        return []
    # `sonnx.Max-13/C1` is a clause, of which there is an obligation `sonnx.Max-13.int/C1/covered`.
    tags = (identity.split("/")[1] for identity in listed if identity.count("/") > 1)
    return [*listed, *(f"{unit.operator}/{tag}" for tag in tags)]


def _has_version(unit: Unit) -> bool:
    return unit.file is not None and unit.file.version is not None


def _beginning(names: Iterable[str], begun: str) -> list[str]:
    return list(dict.fromkeys(name for name in names if name.startswith(begun)))
