"""The rows of a covering array of an operator: inputs in which classes of shapes, lists, attributes, types, contents
and layouts occur together."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from sonnx_verify.conformance.calls import FORMS, Presentation
from sonnx_verify.conformance.cases.contents import NAMES, Content, contents_of, with_contents
from sonnx_verify.conformance.cases.covering import Covering, Factor
from sonnx_verify.conformance.cases.found import Structures
from sonnx_verify.conformance.cases.points import Points
from sonnx_verify.conformance.trial import Trial
from sonnx_verify.language.variables import VariableRole

LAYOUTS: dict[str, Presentation] = {
    "contiguous": Presentation(),
    "1 element into a buffer": Presentation(1),
    "4 elements into a buffer": Presentation(4),
    **{str(form): Presentation(form=form) for form in FORMS},
}
"""The ways in which arrays lie in memory."""
TRIES = 36_000
"""The number of changed inputs that are judged to find structures, for each section."""
MOST = 6000
"""The most elements of the data of a row, unless another number is asked for."""
ROWS = 3000
"""The most rows: those that have most come first."""
_ASKED = 300
"""The number of sets of factors that are looked at to choose the best of some rows."""
_CANDIDATES = 30
"""The number of structures that are looked at for one row."""
_COMPLETIONS = 3
"""The number of ways to complete each."""
_BLIND = 3
"""The number of rows that are tried for a combination before one counts whose result cannot show a fault."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the number of its type, its trial, the class of each factor."""

    type: int
    trial: Trial
    classes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Covered:
    """The combinations of classes that a covering array counts for some types: how many there are, how many some row
    has, and how many rows there are; how many more were left when there were as many rows as there may be, or
    since their rows were not run. Of the others no valid input was found; `rejected` are the pairs of classes that only
    inputs had that a clause rejects."""

    types: tuple[str, ...]
    strength: int
    factors: tuple[str, ...]
    combinations: int
    covered: int
    rows: int
    left: int
    rejected: tuple[str, ...]

    @property
    def json(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return {
            "types": list(self.types),
            "strength": self.strength,
            "factors": list(self.factors),
            "combinations": self.combinations,
            "covered": self.covered,
            "rows": self.rows,
            "left": self.left,
            "rejected": list(self.rejected),
        }


@dataclass(slots=True)
class Group:
    """The covering array of the types of an operator whose inputs have the same factors.

    `points` are those of each type, the first of each section with its number. `layouts`: the target takes arrays
    where they lie.
    """

    points: Sequence[Points]
    names: Sequence[str]
    seed: int
    strength: int
    layouts: bool
    most: int = MOST
    """The most elements of the data of a row."""
    tries: int = TRIES
    covering: Covering = field(init=False)
    structures: Structures = field(init=False)
    _contents: list[dict[int, Content]] = field(init=False)
    """The classes of contents of each type, by their numbers."""
    _of_contents: frozenset[int] = field(init=False)
    _every_layout: Sequence[int] = tuple(range(len(LAYOUTS)))
    _draws: random.Random = field(init=False)
    _structural: int = field(init=False)
    """The number of factors of structures, which come before the others."""
    _free: list[Factor] = field(init=False)
    _yielded: int = 0
    _was_run: bool = True
    """Whether the last row was run."""
    _given_up: list[int] = field(default_factory=list)
    """The numbers of the combinations whose rows were not run."""
    _blind: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._draws = random.Random(self.seed)
        self.structures = Structures(self.points, self.seed, self.most, self.tries)
        self._structural = len(self.structures.factors)
        self._free = self._free_factors()
        every = [contents_of(p.context.element) for p in self.points]
        self._contents = [{NAMES.index(name): content for name, content in known.items()} for known in every]
        self.covering = Covering([*self.structures.factors, *self._free], self.strength, self.strength + 1)
        self._of_contents = frozenset(n for n, f in enumerate(self.covering.factors) if f.classes is NAMES)
        self._mark_reachable()

    def _free_factors(self) -> list[Factor]:
        """The factors that go with any structure: type, contents, layout."""
        made = [Factor("type", tuple(self.names))]
        data = [v for v in self.points[0].data if v.role is not VariableRole.ABSENT]
        if data:
            made.append(Factor(f"contents of {data[0].name}", NAMES))
        if len(data) > 1 or any(v.count is not None for v in data):
            made.append(Factor("contents of the other data", NAMES))
        if self.layouts:
            made.append(Factor("layout", tuple(LAYOUTS)))
        return made

    # ----------------------------------------------------------------------------------------------------- what can be

    def _mark_reachable(self) -> None:
        """Want only what some structure has, with all types of its section."""
        covering = self.covering
        reachable = np.zeros(len(covering.counts), bool)
        for n, chosen in enumerate(covering.subsets):
            own = [f for f in chosen if f < self._structural]
            free = [f for f in chosen if f >= self._structural]
            for section in range(max(self.structures.section_of_type, default=-1) + 1):
                seen = np.unique(self.structures.rows[self.structures.sections == section][:, own], axis=0)
                rest = [self._classes_of(f, section) for f in free]
                for row in product(*rest):
                    full = np.zeros((len(seen), len(covering.factors)), np.int64)
                    full[:, own] = seen
                    full[:, free] = row
                    reachable[covering.numbers_of(full, n)] = True
        covering.wanted[~reachable] = 0
        self._unwant_foreign_contents()

    def _classes_of(self, factor: int, section: int) -> list[int]:
        if factor != self._structural:
            return list(range(len(self.covering.factors[factor].classes)))
        return [t for t, own in enumerate(self.structures.section_of_type) if own == section]

    def _unwant_foreign_contents(self) -> None:
        """A type has no contents of another: no integer is NaN."""
        every = set().union(*(known.keys() for known in self._contents))
        for number in np.flatnonzero(self.covering.wanted):
            combination = dict(self.covering.combination(int(number)))
            of_type = combination.get(self._structural)
            known = every if of_type is None else self._contents[of_type].keys()
            if any(content not in known for f, content in combination.items() if f in self._of_contents):
                self.covering.wanted[number] = 0

    # ------------------------------------------------------------------------------------------------------------ rows

    def rows(self) -> Iterator[Row]:
        """The rows, each chosen after it was counted what those before it have: see `count`."""
        while self._yielded < ROWS and len(missing := self.covering.missing):
            number = int(self._draws.choice(missing))
            made = self._best(number)
            if made is None:
                # No elements of this type make the structure valid.
                self.covering.wanted[number] = 0
                continue
            before = int(self.covering.counts[number])
            self._yielded += 1
            self._was_run = True
            yield made
            if self.covering.counts[number] == before:
                # The result shows no fault. After some tries nothing better is to be had.
                self._blind[number] = self._blind.get(number, 0) + 1
                if self._blind[number] >= _BLIND and self._was_run:
                    self.covering.count(made.classes)
                elif self._blind[number] >= _BLIND:
                    self.covering.wanted[number] = 0
                    self._given_up.append(number)

    @property
    def covered(self) -> Covered:
        """What the rows so far cover."""
        covering = self.covering
        return Covered(
            tuple(self.names),
            self.strength,
            tuple(f.name for f in covering.factors),
            len(covering.counts),
            int((covering.counts > 0).sum()),
            self._yielded,
            len(covering.missing) + int((covering.counts[self._given_up] == 0).sum()),
            self.structures.rejected,
        )

    def count(self, row: Row) -> None:
        """Count a row whose result can show a fault."""
        self.covering.count(row.classes)

    def pass_over(self) -> None:
        """Note that the last row was not run: no combination of it is covered."""
        self._was_run = False

    def _best(self, number: int) -> Row | None:
        """The row with a combination that has the most others that are wanted; None where there is none."""
        wanted = dict(self.covering.combination(number))
        mask = np.ones(len(self.structures.rows), bool)
        for factor, of_class in wanted.items():
            if factor < self._structural:
                mask &= self.structures.rows[:, factor] == of_class
        if self._structural in wanted:
            mask &= self.structures.sections == self.structures.section_of_type[wanted[self._structural]]
        found = np.flatnonzero(mask)
        if not len(found):
            return None
        chosen = self._draws.choices(found, k=_CANDIDATES * _COMPLETIONS)
        free = [self._completed(int(n), wanted) for n in chosen]
        candidates = np.hstack([self.structures.rows[chosen], np.array(free, np.int64)])
        # The best is valid, as a rule: its structure was judged for another type of the section.
        sets = len(self.covering.subsets)
        among = self._draws.sample(range(sets), min(_ASKED, sets))
        for n in np.argsort(-self.covering.gains(candidates, among), kind="stable")[:_CANDIDATES]:
            made = self._made(int(chosen[n]), candidates[n].tolist())
            if made is not None:
                return made
        return None

    def _completed(self, structure: int, wanted: Mapping[int, int]) -> list[int]:
        """Classes of the free factors for a structure: those that are wanted, and any others that go together."""
        first, choose = self._structural, self._draws.choice
        of_type = wanted.get(first)
        if of_type is None:
            types = self.structures.types_of_section[int(self.structures.sections[structure])]
            needed = {c for f, c in wanted.items() if f in self._of_contents}
            of_type = choose([t for t in types if needed <= self._contents[t].keys()] or types)
        known = list(self._contents[of_type])
        made = [of_type]
        for factor in range(first + 1, first + len(self._free)):
            chosen = wanted.get(factor)
            if chosen is None:
                chosen = choose(known if factor in self._of_contents else self._every_layout)
            made.append(chosen)
        return made

    def _made(self, structure: int, classes: Sequence[int]) -> Row | None:
        """The input of a row of that structure; None where it is not valid with elements of that type."""
        free = dict(zip((f.name for f in self._free), classes[self._structural :], strict=True))
        of_type = free.pop("type")
        points = self.points[of_type]
        layout = list(LAYOUTS.values())[free.pop("layout", 0)]
        names = [NAMES[n] for n in free.values()]
        assignment = with_contents(points, self.structures.inputs[structure], names, self._draws)
        if not points.judge(assignment).valid:
            return None
        return Row(of_type, Trial(assignment, layout), tuple(classes))
