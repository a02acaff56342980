"""The texts that a change of some texts can reach: those that speak of them, and those that use what these prove."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

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


@dataclass(frozen=True, slots=True)
class _Read:
    """A text with the operators that it speaks of, and the files whose theorems it can use."""

    unit: Unit
    spoken: frozenset[Key] = frozenset()
    used: frozenset[str] = frozenset()


def concerned(project: Project, units: Iterable[Unit], *, broken: bool = False) -> list[Concerned]:
    """The units, then the others that are concerned, also those that the texts of the project use elsewhere. Raises
    UserError for a text that fails to fit; where texts may be `broken`, it is left out."""
    asked = {u.key: u for u in units}
    reached = _reached(project, broken=broken)
    speaking = {*asked, *(key for key, read in reached.items() if read.spoken & asked.keys())}
    # A theorem about the operator may prove one elsewhere, which proves another one: until nothing is added.
    found, before = set(speaking), 0
    while len(found) > before:
        before = len(found)
        files = {reached[key].unit.shown for key in reached.keys() & found}
        found |= {key for key, read in reached.items() if read.spoken & found or read.used & files}
    made = [Concerned(u, speaks=True) for u in asked.values()]
    for key, read in reached.items():
        if key in found and key not in asked:
            made.append(Concerned(read.unit, key in speaking))
    return made


def _reached(project: Project, *, broken: bool) -> dict[Key, _Read]:
    """All texts of a project, in their order, and those that it uses elsewhere."""
    made: dict[Key, _Read] = {}
    todo = [u for u in project.units if u.file is not None]
    while todo:
        for unit in todo:
            try:
                made[unit.key] = _Read(unit, _spoken_of(project, unit), _used_by(project, unit))
            except UserError:
                if not broken:
                    raise
                made[unit.key] = _Read(unit)
        # A text that is used elsewhere is known only when the one that uses it was read.
        todo = [u for u in project.every_unit() if u.file is not None and u.key not in made]
    return made


def _spoken_of(project: Project, unit: Unit) -> frozenset[Key]:
    """The operators that a text applies, has theorems about, or refines, with what its standard applies."""
    file = unit.file
    assert file is not None
    nodes = list(chain.from_iterable(nodes_of(theorem) for theorem in file.theorems))
    found = applied(project, unit, nodes)
    # Only an operator applies others outside of its theorems.
    if file.version is not None:
        found += applied(project, unit)
    # A profile is held against its standard, so against what that applies too.
    if file.refines is not None:
        standard = project.find(file.refines.namespace, file.refines.operator, file.refines.version)
        if standard is not None:
            found += [standard, *applied(project, standard)]
    return frozenset(u.key for u in found)


def _used_by(project: Project, unit: Unit) -> frozenset[str]:
    """The files, as they are shown, with theorems that a text can use."""
    return frozenset(lemma.file.path for lemma in project.library(unit).lemmas.values()) - {unit.shown}
