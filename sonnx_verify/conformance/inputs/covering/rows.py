"""The rows of a covering array of an operator: inputs in which classes of shapes, lists, attributes, types, contents
and layouts occur together.

A row is a structure with a type, contents and a layout. Which rows there will be is decided one by one, by what came of
those before:

    aim       a combination that is missing, such as (rank: 2, type: int8, contents: small)
    find      structures that have its classes, and can have its contents and its layout
    complete  each with classes of the other free factors, drawn at random
    choose    the row with the most combinations that are missing, times its chance to show a fault
    record    what its result could show: the combinations that it has count, or not
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, unique
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from sonnx_verify.conformance.inputs.covering.combinations import Covering, Factor
from sonnx_verify.conformance.inputs.covering.contents import Contents
from sonnx_verify.conformance.inputs.covering.structures import Structures, structures_of
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.trial import Trial
from sonnx_verify.conformance.targets.calls import Presentation

# What was measured here is of sonnx.Max-13, Transpose-13 and sonnx.ReduceMax-20, each of int8 and a type of floats.
STRENGTH = 3
"""The number of factors of which each combination of classes is covered, unless another one is asked for."""
# Faults of kernels come of one to three properties at once, such as a rank, a size and a layout (tests/kernels has some
# of each kind). Of four properties there are 16 to 21 times as many combinations as of three. Properties of shapes, on
# which kernels branch most, are combined by one more.
TRIES = 36_000
"""The number of changed inputs that are judged to find structures, for combinations of so many factors or more."""
# Twice as many find structures for 0.6 to 4.5 % more combinations, in 1.6 to 2 times the time; half as many for 0.7 to
# 2.3 % fewer. Combinations of fewer factors are found sooner: a third as many are judged for each factor.
MOST = 6000
"""The most elements of the data of a row, unless another number is asked for."""
# The greatest classes are an axis of 4097 and 4096 elements or more (classes.py): there is room for both, and for some
# sizes beside them. What is expected takes time with each element more.
ROWS = 3000
"""The most rows of few types: those that have most come first."""
# 1323 cover all that rows of Transpose-13 can, 2138 those of sonnx.ReduceMax-20; of sonnx.Max-13, 500, 1000, 2000 and
# 3000 cover 62, 80, 94 and 98 %: each row costs the same, and adds less than those before it.
OF_TYPE = 400
"""The rows of each type where there are many: 13 types have 5200."""
# Of 3000 rows a type of 13 had 230, and 36 of 46 runs ended there: 400 of each type cost 4 ms each.
_SETS = 300
"""The number of sets of factors that are looked at to choose the best of some rows."""
# A tenth as many cover 2.6 to 3.6 % less in 500 rows; all of them up to 0.8 % more, in up to 8 times the time.
_CANDIDATES = 90
"""The number of rows that are looked at for one: structures drawn at random, each completed at random."""
# A third as many cover 0.4 to 1.3 % less in 500 rows; three times as many 0.1 to 0.9 % more, in 8 times the time.
_JUDGED = 30
"""The number of these, the best first, that are tried until one is valid."""
# Mostly the first is. Only elements that clauses speak of can make a structure invalid, since it was judged before.
_DRAWN = 50
"""The number of combinations that are drawn at most to find one whose row is likely to show a fault."""
# Where one in twenty is, 50 draws have one of them in 92 % of all cases: 1 - 0.95^50.
_FAILED = 3
"""The number of rows that are tried for a combination before one counts whose result cannot show a fault."""
# A row may be blind by chance, as where all of its elements happen to be equal. Where each fourth row is, three after
# each other are with a chance of 1 in 64.

Mask = npt.NDArray[np.bool_]
Classes = Mapping[int, int]
"""The classes of some factors, both by number."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the number of its type, its trial, the class of each factor, the number of the combination that it is
    for."""

    type: int
    trial: Trial
    classes: tuple[int, ...]
    aim: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """The combinations of classes that a covering array counts for some types, of `strength` factors, and `stronger`
    factors of shapes: how many there are, how many some row has, and how many rows there are. `left` were not tried:
    there were as many rows as there may be, or their rows were not run. Of the others no valid input was found;
    `rejected` are the pairs of classes that only inputs had that a clause rejects, `not_found` those that no input had
    that was tried."""

    types: tuple[str, ...]
    strength: int
    stronger: int
    factors: tuple[str, ...]
    combinations: int
    covered: int
    rows: int
    left: int
    rejected: tuple[str, ...]
    not_found: tuple[str, ...]


@unique
class Use(Enum):
    """The use of a row: its result could show a fault; it could not; it was not run."""

    SHOWS = "shows"
    BLIND = "blind"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Columns:
    """The places of factors in a row: those of structures, then the type, those of contents, and that of layouts, which
    is behind the end where there is one layout.

        rank, last axis, axes  |  type  |  contents of X, contents of the other data  |  layout
        0     1          2        3        4              5                              6
    """

    type: int
    layout: int

    @property
    def contents(self) -> range:
        """The places of the factors of contents."""
        return range(self.type + 1, self.layout)


class Fits:
    """The structures that can have a class of contents or of layouts: nothing tells those of no element apart.

    The first class of each is any bits, or lies plainly: every structure has it.
    """

    def __init__(
        self, inputs: Sequence[Input], contents: Contents, layouts: Mapping[str, Presentation], columns: Columns
    ) -> None:
        filled = np.zeros((len(columns.contents), len(inputs)), bool)
        lies = np.zeros((len(layouts), len(inputs)), bool)
        for n, structure in enumerate(inputs):
            tensors = contents.tensors(structure)
            for k, _, tensor in tensors:
                filled[k, n] |= prod(tensor.shape) > 0
            for k, presentation in enumerate(layouts.values()):
                lies[k, n] = any(presentation.tells(tensor.shape) for _, _, tensor in tensors)
        self._masks: dict[tuple[int, int], Mask] = {}
        for place, factor, mask in zip(columns.contents, contents.factors, filled, strict=True):
            self._masks |= {(place, c): mask for c in range(1, len(factor.classes))}
        self._masks |= {(columns.layout, c): lies[c] for c in range(1, len(layouts))}

    def among(self, mask: Mask, wanted: Classes) -> Mask:
        """The structures of a mask that can have what is wanted of contents and layouts."""
        for chosen in wanted.items():
            if chosen in self._masks:
                mask = mask & self._masks[chosen]
        return mask

    def allows(self, structure: int, factor: int, of_class: int) -> bool:
        """Return whether one structure can have a class."""
        mask = self._masks.get((factor, of_class))
        return mask is None or bool(mask[structure])


class Chances:
    """The chance that a row of a type, with contents of its first tensor, shows a fault, by the rows before it.

    Where a text leaves all sums of floats open, no row of floats shows anything, and those of integers are worth more.
    The chance is (shown + 1) / (run + 1): 1 before any row was run, so that each type is tried, and never 0, so that
    none is given up for good. A type that lacks a class of contents has no chance with it.
    """

    def __init__(self, has: Mask) -> None:
        self._has = has
        self._shown = np.zeros(has.shape, np.int64)
        self._run = np.zeros(has.shape, np.int64)

    def count(self, place: tuple[int, int], *, shows: bool) -> None:
        """Count a row that was run, of a type and a class of contents."""
        self._run[place] += 1
        self._shown[place] += shows

    @property
    def every(self) -> npt.NDArray[np.float64]:
        """The chance of each type with each class of contents."""
        return np.where(self._has, (self._shown + 1) / (self._run + 1), 0.0)


@dataclass(slots=True)
class CoveringArray:
    """The covering array of the types of an operator whose inputs have the same factors.

    `points` has those of each type, in the order of `names`. `layouts` are the ways in which the target takes arrays,
    by their names.
    """

    points: Sequence[Points]
    names: Sequence[str]
    seed: int
    strength: int
    layouts: Mapping[str, Presentation]
    most: int = MOST
    """The most elements of the data of a row."""
    tries: int = 0
    """The number of changed inputs that are judged to find structures; 0 for as many as the strength asks for."""
    known: Sequence[Sequence[Input]] = ()
    """Valid inputs of each type, to begin with where no small input is valid."""
    covering: Covering = field(init=False)
    structures: Structures = field(init=False)
    _contents: Contents = field(init=False)
    _columns: Columns = field(init=False)
    _fits: Fits = field(init=False)
    _chances: Chances = field(init=False)
    _draws: random.Random = field(init=False)
    _yielded: int = 0
    _given_up: list[int] = field(default_factory=list)
    """The numbers of the combinations whose rows were not run."""
    _failed: dict[int, int] = field(default_factory=dict)
    """The number of rows for a combination that showed nothing."""
    _opened: dict[tuple[int, int, int], list[int]] = field(default_factory=dict)
    """The classes of each free factor that a structure of a type can have, of those that were asked for."""

    def __post_init__(self) -> None:
        self._draws = random.Random(self.seed)
        tries = self.tries or TRIES * min(self.strength, STRENGTH) // STRENGTH
        self.structures = structures_of(self.points, self.seed, self.most, tries, self.known)
        self._contents = contents = Contents(self.points)
        free = [Factor("type", tuple(self.names)), *contents.factors]
        if len(self.layouts) > 1:
            free.append(Factor("layout", tuple(self.layouts)))
        place = len(self.structures.factors)
        self._columns = Columns(place, place + 1 + len(contents.factors))
        self._fits = Fits(self.structures.inputs, contents, self.layouts, self._columns)
        self.covering = Covering([*self.structures.factors, *free], self.strength, self.strength + 1)
        self.covering.wanted[~self._reachable()] = 0
        classes = range(len(contents.factors[0].classes) if contents.factors else 1)
        first = [known[0] if known else {0} for known in contents.known]
        self._chances = Chances(np.array([[c in known for c in classes] for known in first]))

    def _reachable(self) -> Mask:
        """The combinations that some structure has, with a type of its section and what fits it."""
        covering, structures = self.covering, self.structures
        reachable = np.zeros(len(covering.counts), bool)
        for n, chosen in enumerate(covering.subsets):
            numbers = covering.numbers_of(structures.rows, n)
            free = [f for f in chosen if f >= self._columns.type]
            for classes in product(*(range(len(covering.factors[f].classes)) for f in free)):
                wanted = dict(zip(free, classes, strict=True))
                reachable[numbers[self._fitting(wanted)] + covering.offset(n, wanted)] = True
        return reachable

    def _fitting(self, wanted: Classes) -> Mask:
        """The structures that can have what is wanted of types, contents and layouts."""
        sections = {self.structures.section_of_type[t] for t in self._types_with(wanted)}
        return self._fits.among(np.isin(self.structures.sections, list(sections)), wanted)

    def _types_with(self, wanted: Classes, types: Sequence[int] | None = None) -> list[int]:
        """The types that have all contents that are wanted, of those that are given, or of all: no integer is NaN."""
        of_type = wanted.get(self._columns.type)
        if of_type is not None:
            types = [of_type]
        elif types is None:
            types = range(len(self.points))
        needed = [(f - self._columns.contents.start, c) for f, c in wanted.items() if f in self._columns.contents]
        return [t for t in types if all(c in self._contents.known[t][k] for k, c in needed)]

    def rows(self) -> Iterator[Row]:
        """The rows, each chosen by what those before it have. Before the next one, `record` what came of each."""
        while self._yielded < self.limit and len(missing := self.covering.missing):
            number = self._aim(missing)
            made = self._best(number)
            if made is None:
                # No elements of this type make the structure valid.
                self.covering.wanted[number] = 0
                continue
            self._yielded += 1
            yield made

    @property
    def limit(self) -> int:
        """The most rows."""
        return max(ROWS, OF_TYPE * len(self.points))

    def record(self, row: Row, use: Use) -> None:
        """Count what a row covers: all that it has if its result could show a fault. After some rows that could not,
        nothing better is to be had, and the combination that they were for counts alone; if the last was not run, it is
        given up."""
        if use is not Use.NOT_RUN:
            self._chances.count(self._place(row.classes), shows=use is Use.SHOWS)
        if use is Use.SHOWS:
            self.covering.count(row.classes)
            return
        failed = self._failed[row.aim] = self._failed.get(row.aim, 0) + 1
        if failed < _FAILED:
            return
        if use is Use.BLIND:
            self.covering.count_one(row.aim)
        else:
            self.covering.wanted[row.aim] = 0
            self._given_up.append(row.aim)

    @property
    def coverage(self) -> Coverage:
        """The coverage by the rows so far."""
        covering = self.covering
        return Coverage(
            tuple(self.names),
            self.strength,
            covering.stronger,
            tuple(f.name for f in covering.factors),
            len(covering.counts),
            int((covering.counts > 0).sum()),
            self._yielded,
            len(covering.missing) + int((covering.counts[self._given_up] == 0).sum()),
            self.structures.rejected,
            self.structures.not_found,
        )

    def _place(self, classes: Any) -> tuple[Any, Any]:
        """The type of a row, or of a column of rows, and the class of contents of the first tensor."""
        place = self._columns.type
        return classes[place], classes[place + 1] if self._contents.factors else 0

    def _aim(self, missing: npt.NDArray[np.int64]) -> int:
        """One of the missing combinations, seldom one whose rows show nothing."""
        chances, number = self._chances.every, 0
        for _ in range(_DRAWN):
            number = int(self._draws.choice(missing))
            wanted = dict(self.covering.combination(number))
            of_type, of_class = wanted.get(self._columns.type), None
            if self._contents.factors:
                of_class = wanted.get(self._columns.type + 1)
            among = chances if of_type is None else chances[of_type : of_type + 1]
            if of_class is not None:
                among = among[:, of_class]
            if self._draws.random() < among.max():
                break
        return number

    def _best(self, number: int) -> Row | None:
        """The row with a combination that has the most others that are wanted; None where there is none."""
        wanted = dict(self.covering.combination(number))
        mask = self._fitting(wanted)
        for factor, of_class in wanted.items():
            if factor < self._columns.type:
                mask &= self.structures.rows[:, factor] == of_class
        found = np.flatnonzero(mask)
        if not len(found):
            return None
        chosen = self._draws.choices(found, k=_CANDIDATES)
        among: dict[int, list[int]] = {}
        free = [self._completed(int(n), wanted, among) for n in chosen]
        candidates = np.hstack([self.structures.rows[chosen], np.array(free, np.int64)])
        # The best is valid, as a rule: its structure was judged for another type of the section.
        for n in np.argsort(-self._gains(candidates), kind="stable")[:_JUDGED]:
            made = self._made(int(chosen[n]), candidates[n].tolist(), number)
            if made is not None:
                return made
        return None

    def _gains(self, candidates: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The number of combinations that each row has and that are wanted, times its chance to show a fault."""
        sets = len(self.covering.subsets)
        among = self._draws.sample(range(sets), min(_SETS, sets))
        types, contents = self._place(candidates.T)
        gains: npt.NDArray[np.float64] = self.covering.gains(candidates, among) * self._chances.every[types, contents]
        return gains

    def _completed(self, structure: int, wanted: Classes, among: dict[int, list[int]]) -> list[int]:
        """Classes of the free factors for a structure: those that are wanted, and any others that go together. `among`
        has the types of each section that have what is wanted."""
        section = int(self.structures.sections[structure])
        if (types := among.get(section)) is None:
            types = among[section] = self._types_with(wanted, self.structures.types_of(section))
        made = [of_type := self._draws.choice(types)]
        for factor in range(self._columns.type + 1, len(self.covering.factors)):
            chosen = wanted.get(factor)
            made.append(self._draws.choice(self._open(structure, of_type, factor)) if chosen is None else chosen)
        return made

    def _open(self, structure: int, of_type: int, factor: int) -> list[int]:
        """The classes of a factor of contents or of layouts that a structure of a type can have."""
        key = structure, of_type, factor
        found = self._opened.get(key)
        if found is None:
            known: Collection[int] = range(len(self.layouts))
            if factor in self._columns.contents:
                known = self._contents.known[of_type][factor - self._columns.contents.start]
            found = self._opened[key] = [c for c in known if self._fits.allows(structure, factor, c)]
        return found

    def _made(self, structure: int, classes: Sequence[int], aim: int) -> Row | None:
        """The input of a row of that structure; None where it is not valid with elements of that type."""
        columns = self._columns
        of_type, contents = classes[columns.type], [classes[place] for place in columns.contents]
        layout = classes[columns.layout] if columns.layout < len(classes) else 0
        assignment = self._contents.filled(of_type, self.structures.inputs[structure], contents, self._draws)
        if not self.points[of_type].judge(assignment).valid:
            return None
        return Row(of_type, Trial(assignment, [*self.layouts.values()][layout]), tuple(classes), aim)
