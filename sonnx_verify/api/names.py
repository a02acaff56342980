"""Names of operators on a command line: one without a version is its newest version, and those of the installed library
are known in every folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from sonnx_verify.errors import UserError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.places import installed_library
from sonnx_verify.language.project import Project
from sonnx_verify.paths import resolved

# `sonnx.Max` and `sonnx.Max.int/C1/covered`, but not `sonnx.Max-13`.
_BARE = re.compile(r"(\w+)\.(\w+)((?:[./@].*)?)")


def completed(patterns: Sequence[str], root: Path) -> list[str]:
    """The patterns, each with the newest version where it names an operator without one. Raises SpecificationError
    where two operators have the name."""
    if not any(map(_BARE.fullmatch, patterns)):
        # Nothing is read for a name that says its version, or stands for a namespace.
        return list(patterns)
    projects = [Project.open(folder) for folder in dict.fromkeys((root, installed_library()))]
    return [_completed(projects, pattern) for pattern in patterns]


def _completed(projects: Sequence[Project], pattern: str) -> str:
    found = _BARE.fullmatch(pattern)
    if found is None:
        return pattern
    namespace, name, rest = found.groups()
    # A theory has no version: its name is whole.
    for project in projects:
        if any(unit.file is not None and unit.operator == f"{namespace}.{name}" for unit in project.units):
            return pattern
        unit = project.find(namespace, name)
        if unit is not None and unit.file is not None:
            return f"{namespace}.{name}-{unit.file.version}{rest}"
    return pattern


def only_installed(patterns: Sequence[str], root: Path) -> list[Path]:
    """The files of the installed library that may have what patterns name, of the patterns that nothing in the project
    can match."""
    library = installed_library()
    if not patterns or resolved(root) == resolved(library):
        return []
    own = Project.open(root).units
    foreign = [pattern for pattern in patterns if not any(may_hold(unit, [pattern]) for unit in own)]
    if not foreign:
        return []
    known = Project.open(library).units
    found = [unit.path for unit in known if unit.file is not None and may_hold(unit, foreign)]
    return list(dict.fromkeys(found))


def near_identities(pattern: str, root: Path) -> list[str]:
    """Up to three identities that may be meant by one that there is not: of the operator or theory that it names, or of
    one with a name like that."""
    if re.search(r"[*?\[]", pattern):
        return []
    projects = [Project.open(folder) for folder in dict.fromkeys((root, installed_library()))]
    places = {
        unit.operator: (project, unit)
        for project in reversed(projects)
        for unit in project.units
        if unit.file is not None
    }
    # The longest name first: user.Max-13 before user.Max-1.
    named = [name for name in sorted(places, key=len, reverse=True) if pattern.startswith((f"{name}.", f"{name}/"))]
    if not named:
        subject, slash, rest = pattern.partition("/")
        near = get_close_matches(subject, places, n=3, cutoff=0.8)
        return [f"{name}{slash}{rest}" for name in near]
    # Loaded where a name is wrong: it takes the logic with it.
    from sonnx_verify.solving.check.collect import of_unit

    project, unit = places[named[0]]
    try:
        known = [obligation.id for obligation in of_unit(project, unit)]
    except UserError:
        return []
    return get_close_matches(pattern, known, n=3, cutoff=0.8)


def may_hold(unit: Unit, patterns: Sequence[str]) -> bool:
    """True if an identity in the unit can match: the unit's name decides before anything is elaborated."""
    # Of a file that cannot be read only the namespace is known.
    name = f"{unit.namespace}." if unit.file is None else unit.operator

    def agrees(fixed: str) -> bool:
        # `sonnx.M*` may match in sonnx.Max-13, and `sonnx.Max-13.int/C1` only there.
        return name.startswith(fixed) or fixed.startswith(name)

    return any(agrees(fixed_part(pattern)) for pattern in patterns)


def fixed_part(pattern: str) -> str:
    """The part of a pattern that a unit's name has to agree with: up to the first wildcard or slash."""
    return re.split(r"[*?\[/]", pattern)[0]
