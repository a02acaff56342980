"""The part of a specification that a suite of tests exercises, and cases for the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, product

from sonnx_verify.conformance.inputs.cases import Case, cases_at
from sonnx_verify.conformance.inputs.points import CLAUSE_POINTS, Points
from sonnx_verify.conformance.inputs.small_inputs import count_of
from sonnx_verify.conformance.vectors.suite import Reader, Test, Unread, Unreadable
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.results.concrete import Concrete, ConcreteTensor

LARGE = 400
"""The size above which the branches and boundaries that an input reaches are not determined: the evaluator is
slow."""


@dataclass(slots=True)
class SuiteCoverage:
    """The points of one specification that some tests exercise: of clauses, of branches, of what is left open; of
    special values by element type. `excluded` counts the tests that a clause rejects, `unread` says why one is no
    input."""

    reader: Reader
    tests: int = 0
    large: int = 0
    met: set[str] = field(default_factory=set)
    special: dict[str, set[str]] = field(default_factory=dict)
    excluded: Counter[str] = field(default_factory=Counter)
    unread: list[Unread] = field(default_factory=list)

    def add(self, test: Test) -> None:
        """Count a test."""
        try:
            points, assignment = self.reader.read(test)
        except Unreadable as problem:
            self.unread.append(Unread(test.name, str(problem)))
            return
        count = count_of(points, assignment)
        # What is no data is spoken of in clauses, which may compare each entry with each other.
        if sum(map(_entries, assignment.values())) - count > LARGE:
            self.unread.append(Unread(test.name, f"clauses speak of more than {LARGE} of its entries"))
            return
        self.tests += 1
        judged = points.judge(assignment)
        found: Sequence[str] = ()
        if count <= LARGE:
            found = points.met(assignment, judged)
        elif judged.valid:
            found = points.special(assignment)
        self.large += count > LARGE
        self.met.update(found)
        # Of an input that is not as declared no clause was evaluated.
        self.met.update(f"{s.tag} holds" for s, held in zip(points.statements, judged.holds, strict=False) if held)
        self.special.setdefault(points.context.element.name, set()).update(found)
        self.excluded.update(judged.broken)

    @property
    def wanted(self) -> dict[str, list[str]]:
        """The points of the specification, in any of its types, by what they are of."""
        every = self.reader.spoken
        # No test can exercise these: they would be called missing for ever.
        outside = {f"{tag} {what}" for tag, what in product(self.outside, CLAUSE_POINTS)}
        return {
            "clauses": [n for n in _each(p.clause_names for p in every) if n not in outside],
            "branches": _each(p.branch_names for p in every),
            "open": _each(p.open_names for p in every),
        }

    @property
    def outside(self) -> list[str]:
        """The clauses of which no test in a file says anything."""
        return _each(p.of_facts for p in self.reader.spoken)

    @property
    def types_without(self) -> list[str]:
        """The element types that no test is of."""
        return [t for t in dict.fromkeys(c.element.name for c in self.reader.contexts) if t not in self.special]

    @property
    def wanted_special(self) -> dict[str, list[str]]:
        """The special values by element type."""
        found: dict[str, list[str]] = {}
        for points in self.reader.spoken:
            mine = found.setdefault(points.context.element.name, [])
            mine += [name for name in points.special_names if name not in mine]
        return found

    def rest(self) -> list[tuple[Points, list[Case]]]:
        """The first cases that exercise what the tests do not."""
        missing = set[str]().union(*self.wanted.values()) - self.met
        made = []
        # Greedy: a case is taken for what no test and no case before it exercises.
        for points in self.reader.every:
            mine = {*points.special_names} - self.special.get(points.context.element.name, set())
            if not mine and not missing:
                continue
            chosen: list[Case] = []
            for case in cases_at(points):
                here = {*case.exercises} & (mine | missing)
                if here:
                    chosen.append(case)
                    mine -= here
                    missing -= here
            if chosen:
                made.append((points, chosen))
        return made


def _entries(value: Concrete) -> int:
    """The number of elements to look at."""
    match value:
        case ConcreteTensor():
            return len(value.elements)
        case tuple():
            return sum(map(_entries, value))
        case _:
            return 1


def _each(names: Iterable[list[str]]) -> list[str]:
    return list(dict.fromkeys(chain.from_iterable(names)))


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


def covered(project: Project, unit: Unit, tests: list[Test]) -> SuiteCoverage:
    """The part of a specification that the tests of its operator exercise."""
    assert unit.file is not None
    made = SuiteCoverage(Reader(project, unit))
    for test in tests:
        if test.operator == unit.file.name:
            made.add(test)
    return made
