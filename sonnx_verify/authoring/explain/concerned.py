"""Which texts a change of some texts can reach: those that speak of them, and those that use what these prove."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sonnx_verify.errors import UserError
from sonnx_verify.language.applied import applied
from sonnx_verify.language.files import Key, Unit
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.presumed import nodes_of


@dataclass(frozen=True, slots=True)
class Concerned:
    """A text; `speaks` where it is one of those that are asked about, applies or refines one, or has a theorem about
    one. Others only use what is proved in a text that is concerned."""

    unit: Unit
    speaks: bool


def concerned(project: Project, units: Iterable[Unit], broken: bool = False) -> list[Concerned]:
    """The units, then the others that are concerned, also those that the texts of the project use elsewhere. Raises
    UserError for a text that fails to fit; where texts may be `broken`, it is left out."""
    asked = {u.key: u for u in units}
    reached: dict[Key, tuple[Unit, set[Key], set[str]]] = {}
    todo = [u for u in project.units if u.file is not None]
    while todo:
        for unit in todo:
            if unit.key not in reached:
                reached[unit.key] = unit, set(), set()
                try:
                    reached[unit.key] = unit, _spoken_of(project, unit), _used_by(project, unit)
                except UserError:
                    if not broken:
                        raise
        # What is used elsewhere is known only when what uses it was read.
        todo = [u for u in project.every_unit() if u.file is not None and u.key not in reached]
    speaking = {*asked, *(key for key, (_, spoken, _) in reached.items() if spoken & asked.keys())}
    found, before = set(speaking), 0
    while len(found) > before:
        before = len(found)
        files = {u.shown for key, (u, _, _) in reached.items() if key in found}
        found |= {key for key, (_, spoken, used) in reached.items() if spoken & found or used & files}
    others = [Concerned(u, key in speaking) for key, (u, _, _) in reached.items() if key in found and key not in asked]
    return [*(Concerned(u, True) for u in asked.values()), *others]


def _spoken_of(project: Project, unit: Unit) -> set[Key]:
    """The operators that a text applies, has theorems about, or refines, with what its standard applies."""
    file = unit.file
    assert file is not None
    nodes = [node for theorem in file.theorems for node in nodes_of(theorem)]
    found = applied(project, unit, nodes)
    if file.version is not None:
        found += applied(project, unit)
    if file.refines is not None:
        standard = project.find(file.refines.namespace, file.refines.operator, file.refines.version)
        if standard is not None:
            found += [standard, *applied(project, standard)]
    return {u.key for u in found}


def _used_by(project: Project, unit: Unit) -> set[str]:
    """The files, as they are shown, with theorems that a text can use."""
    return {lemma.file.path for lemma in project.library(unit).lemmas.values()} - {unit.shown}
