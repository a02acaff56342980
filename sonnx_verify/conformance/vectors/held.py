"""The tests of a folder, beside the specifications of their operators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

from sonnx_verify.conformance.vectors.coverage import Covered
from sonnx_verify.conformance.vectors.suite import (
    Reader,
    Test,
    Unread,
    Unreadable,
    folders,
    name_of,
    operator_of,
    operators_of,
    tests_of,
)
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project


def read(folder: Path, wanted: Collection[tuple[str, str]] = ()) -> tuple[list[Test], list[Unread]]:
    """The tests of a folder, and those that cannot be read, with the reason; those of some operators, given by domain
    and name, or where none is given of all."""
    tests: list[Test] = []
    broken = []
    for one in folders(folder):
        try:
            if wanted and operators_of(one).isdisjoint(wanted):
                continue
            operator_of(one)
            tests += tests_of(one, folder)
        except Unreadable as problem:
            broken.append(Unread(name_of(one, folder), str(problem)))
    return tests, broken


def units_of(project: Project, wanted: Unit | None, tests: list[Test]) -> tuple[list[Unit], Counter[str]]:
    """The specifications that the tests are held against, and how many tests there are of each other operator: the one
    that is named, or for each operator its profile, or the newest standard where there is no profile."""
    # In the order of the folders, so that reports of two runs can be compared.
    names = list(dict.fromkeys(test.operator for test in tests))
    if wanted is not None:
        units = [wanted]
    else:
        found = (_specification(project, name) for name in names)
        units = [unit for unit in found if unit is not None]
    known = {unit.file.name for unit in units if unit.file is not None}
    return units, Counter(test.operator for test in tests if test.operator not in known)


def _specification(project: Project, name: str) -> Unit | None:
    # Tests of a runtime are mostly written for all of ONNX; the profile is what this project says of it.
    for namespace in ("user", "sonnx", "onnx"):
        if (unit := project.find(namespace, name)) is not None:
            return unit
    return None


def covered(project: Project, unit: Unit, tests: list[Test]) -> Covered:
    """The part of a specification that the tests of its operator exercise."""
    assert unit.file is not None
    made = Covered(Reader(project, unit))
    for test in tests:
        if test.operator == unit.file.name:
            made.add(test)
    return made
