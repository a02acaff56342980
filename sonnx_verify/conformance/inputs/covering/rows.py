"""The rows of a covering array of an operator: inputs in which classes of shapes, lists, attributes, types, contents
and layouts occur together."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, unique
from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt

from sonnx_verify.conformance.inputs.covering.classes import Classes
from sonnx_verify.conformance.inputs.covering.combinations import Covering, Factor, Pairs, Rows
from sonnx_verify.conformance.inputs.covering.contents import Contents
from sonnx_verify.conformance.inputs.covering.variants import Variants
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.trial import Trial
from sonnx_verify.conformance.targets.calls import Presentation

_SMALL = 3000
"""The number of small inputs that are looked at for valid ones."""


_FEWEST = 12_000
"""The number of changed inputs that are judged for each of many sections, unless fewer are asked for."""


def _section(points: Points) -> object:
    return points.context.family, tuple(points.context.variables.items())[1:]


@dataclass(slots=True)
class Structures:
    """The structures of some types whose inputs have the same factors: those of each section hold for all its types.

    `points` are those of each type. An input has at most `most` elements; `tries` changed ones are judged, or more
    where there are many sections.
    """

    points: Sequence[Points]
    seed: int
    most: int
    tries: int
    known: Sequence[Sequence[Input]] = ()
    """Valid inputs of each type, for a section of which no small input is valid."""
    factors: list[Factor] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    rows: Rows = field(init=False)
    """The class of each factor, a row for each input."""
    sections: npt.NDArray[np.int64] = field(init=False)
    """The number of the section of each input."""
    section_of_type: list[int] = field(default_factory=list)
    types_of_section: list[list[int]] = field(default_factory=list)
    examples: list[Input] = field(default_factory=list)
    """Small valid inputs of the first section."""
    rejected: tuple[str, ...] = ()
    """The pairs of classes that only inputs had that a clause rejects, in words."""
    not_found: tuple[str, ...] = ()
    """Those that no input had, valid or not: many contradict each other, which nobody proves."""

    def __post_init__(self) -> None:
        known: dict[object, int] = {}
        rejected: Pairs | None = None
        rows: list[tuple[int, ...]] = []
        sections: list[int] = []
        sections_in_all = len({_section(points) for points in self.points})
        for n, points in enumerate(self.points):
            key = _section(points)
            if key not in known:
                known[key] = len(known)
                small = [a for a in points.choices.inputs(_SMALL) if points.judge(a).valid and points.decided(a)]
                if not small and self.known:
                    small = [a for a in self.known[n] if points.judge(a).valid and points.decided(a)]
                # What the inputs of the first section show holds for all.
                self.examples = self.examples or small
                classes = Classes(points, self.examples)
                self.factors = classes.factors
                rejected = rejected or Pairs(self.factors)
                variants = Variants(points, classes, random.Random(self.seed), self.most, rejected)
                variants.begin(small)
                variants.grow(max(self.tries // sections_in_all, min(self.tries, _FEWEST)))
                rows += variants.rows
                self.inputs += variants.inputs
                sections += [known[key]] * len(variants.rows)
                self.types_of_section.append([])
            self.section_of_type.append(known[key])
            self.types_of_section[known[key]].append(len(self.section_of_type) - 1)
        self.rows = np.array(rows, np.int64).reshape(len(rows), len(self.factors))
        self.sections = np.array(sections, np.int64)
        if rejected is not None:
            valid = Pairs(self.factors)
            for row in rows:
                valid.add(row)
            self.rejected, self.not_found = tuple(rejected.beyond(valid)), tuple(valid.neither(rejected))


STRENGTH = 3
"""The number of factors of which each combination of classes is covered, unless another one is asked for."""
TRIES = 36_000
"""The number of changed inputs that are judged to find structures, for combinations of so many factors or more."""
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
_DRAWN = 50
"""The number of combinations that are drawn at most to find one whose row is likely to show a fault."""
_FAILED = 3
"""The number of rows that are tried for a combination before one counts whose result cannot show a fault."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the number of its type, its trial, the class of each factor, the number of the combination that it is
    for."""

    type: int
    trial: Trial
    classes: tuple[int, ...]
    aim: int


@dataclass(frozen=True, slots=True)
class Covered:
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
class Outcome(Enum):
    """The use of a row: its result could show a fault; it could not; it was not run."""

    SHOWS = "shows"
    BLIND = "blind"
    NOT_RUN = "not run"


@dataclass(slots=True)
class Group:
    """The covering array of the types of an operator whose inputs have the same factors.

    `points` has those of each type, in the order of `names`. `layouts` are the ways in which the
    target takes arrays, by their names.
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
    _fits: dict[tuple[int, int], npt.NDArray[np.bool_]] = field(default_factory=dict)
    """For each class of contents and layouts that not every structure can have, which ones can."""
    _draws: random.Random = field(init=False)
    _type: int = field(init=False)
    """The number of the factor of types: factors of structures come before it, of contents and layouts behind."""
    _layout: int = field(init=False)
    """The number of the factor of layouts, or of the one that is not there."""
    _yielded: int = 0
    _given_up: list[int] = field(default_factory=list)
    """The numbers of the combinations whose rows were not run."""
    _failed: dict[int, int] = field(default_factory=dict)
    """The number of rows for a combination that showed nothing."""
    _shown: npt.NDArray[np.int64] = field(init=False)
    """The number of rows of each type that could show a fault, for each class of contents of the first tensor."""
    _blind: npt.NDArray[np.int64] = field(init=False)
    """The number of those that could not."""
    _has_content: npt.NDArray[np.bool_] = field(init=False)
    """Return whether a type has a class of contents."""

    def __post_init__(self) -> None:
        self._draws = random.Random(self.seed)
        tries = self.tries or TRIES * min(self.strength, STRENGTH) // STRENGTH
        self.structures = Structures(self.points, self.seed, self.most, tries, self.known)
        self._contents = Contents(self.points)
        free = [Factor("type", tuple(self.names)), *self._contents.factors]
        if len(self.layouts) > 1:
            free.append(Factor("layout", tuple(self.layouts)))
        self._type = len(self.structures.factors)
        self._layout = self._type + 1 + len(self._contents.factors)
        self.covering = Covering([*self.structures.factors, *free], self.strength, self.strength + 1)
        self._find_fitting()
        self._mark_reachable()
        first = [known[0] if known else {0} for known in self._contents.known]
        columns = range(len(self._contents.factors[0].classes) if self._contents.factors else 1)
        self._has_content = np.array([[c in classes for c in columns] for classes in first])
        self._shown = np.zeros(self._has_content.shape, np.int64)
        self._blind = np.zeros(self._has_content.shape, np.int64)

    # ----------------------------------------------------------------------------------------------------- what can be

    def _find_fitting(self) -> None:
        """Find which structures can have which contents and layouts: nothing tells those of no element apart."""
        count, contents = len(self.structures.inputs), len(self._contents.factors)
        filled = np.zeros((contents, count), bool)
        lies = {name: np.zeros(count, bool) for name in self.layouts}
        for n, structure in enumerate(self.structures.inputs):
            tensors = self._contents.tensors(structure)
            for k, _, tensor in tensors:
                filled[k, n] |= prod(tensor.shape) > 0
            for name, presentation in self.layouts.items():
                lies[name][n] = any(presentation.tells(tensor.shape) for _, _, tensor in tensors)
        for k, factor in enumerate(self._contents.factors):
            self._fits |= {(self._type + 1 + k, c): filled[k] for c in range(1, len(factor.classes))}
        if len(self.layouts) > 1:
            self._fits |= {(self._layout, c): lies[name] for c, name in enumerate(self.layouts) if c}

    def _mark_reachable(self) -> None:
        """Want only what some structure has, with a type of its section and what fits it."""
        covering, structures = self.covering, self.structures
        reachable = np.zeros(len(covering.counts), bool)
        sections = [structures.sections == n for n in range(len(structures.types_of_section))]
        for n, chosen in enumerate(covering.subsets):
            numbers = covering.numbers_of(structures.rows, n)
            free = [f for f in chosen if f >= self._type]
            every = [range(len(covering.factors[f].classes)) for f in free]
            for classes in product(*every):
                wanted = dict(zip(free, classes, strict=True))
                for section in {structures.section_of_type[t] for t in self._types_with(wanted)}:
                    mask = self._fitting(sections[section], wanted)
                    reachable[numbers[mask] + covering.offset(n, wanted)] = True
        covering.wanted[~reachable] = 0

    def _types_with(self, wanted: Mapping[int, int], types: Sequence[int] | None = None) -> list[int]:
        """The types that have all contents that are wanted, of those that are given, or of all: no integer is NaN."""
        of_type = wanted.get(self._type)
        if of_type is not None:
            types = [of_type]
        elif types is None:
            types = range(len(self.points))
        needed = [(f - self._type - 1, c) for f, c in wanted.items() if self._type < f < self._layout]
        return [t for t in types if all(c in self._contents.known[t][k] for k, c in needed)]

    def _fitting(self, mask: npt.NDArray[np.bool_], wanted: Mapping[int, int]) -> npt.NDArray[np.bool_]:
        """The structures of a mask that can have what is wanted of contents and layouts."""
        for chosen in wanted.items():
            if chosen in self._fits:
                mask = mask & self._fits[chosen]
        return mask

    # ------------------------------------------------------------------------------------------------------------ rows

    def rows(self) -> Iterator[Row]:
        """The rows, each chosen by what those before it have. Before the next one, `record` what came of each."""
        while self._yielded < ROWS and len(missing := self.covering.missing):
            number = self._aim(missing)
            made = self._best(number)
            if made is None:
                # No elements of this type make the structure valid.
                self.covering.wanted[number] = 0
                continue
            self._yielded += 1
            yield made

    def record(self, row: Row, outcome: Outcome) -> None:
        """Count what a row covers: all that it has if its result could show a fault. After some rows that could not,
        nothing better is to be had, and the combination that they were for counts alone; if the last was not run, it is
        given up."""
        if outcome is Outcome.SHOWS:
            self._shown[self._place(row.classes)] += 1
            self.covering.count(row.classes)
            return
        self._blind[self._place(row.classes)] += outcome is Outcome.BLIND
        failed = self._failed[row.aim] = self._failed.get(row.aim, 0) + 1
        if failed < _FAILED:
            return
        if outcome is Outcome.BLIND:
            self.covering.count_one(row.aim)
        else:
            self.covering.wanted[row.aim] = 0
            self._given_up.append(row.aim)

    @property
    def covered(self) -> Covered:
        """The coverage by the rows so far."""
        covering = self.covering
        return Covered(
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

    def _place(self, classes: Sequence[int]) -> tuple[int, int]:
        """The type of a row, and the class of contents of the first tensor."""
        return classes[self._type], classes[self._type + 1] if self._contents.factors else 0

    @property
    def _chances(self) -> npt.NDArray[np.float64]:
        """The chance that a row of a type and of contents shows a fault, by the rows before it: all sums of floats may
        be left open."""
        return np.where(self._has_content, (self._shown + 1) / (self._shown + self._blind + 1), 0.0)

    def _aim(self, missing: npt.NDArray[np.int64]) -> int:
        """One of the missing combinations, seldom one whose rows show nothing."""
        chances, number = self._chances, 0
        for _ in range(_DRAWN):
            number = int(self._draws.choice(missing))
            wanted = dict(self.covering.combination(number))
            of_type, of_class = wanted.get(self._type), None
            if self._contents.factors:
                of_class = wanted.get(self._type + 1)
            among = chances if of_type is None else chances[of_type : of_type + 1]
            if of_class is not None:
                among = among[:, of_class]
            if self._draws.random() < among.max():
                break
        return number

    def _best(self, number: int) -> Row | None:
        """The row with a combination that has the most others that are wanted; None where there is none."""
        wanted = dict(self.covering.combination(number))
        sections = {self.structures.section_of_type[t] for t in self._types_with(wanted)}
        mask = self._fitting(np.isin(self.structures.sections, list(sections)), wanted)
        for factor, of_class in wanted.items():
            if factor < self._type:
                mask &= self.structures.rows[:, factor] == of_class
        found = np.flatnonzero(mask)
        if not len(found):
            return None
        chosen = self._draws.choices(found, k=_CANDIDATES * _COMPLETIONS)
        free = [self._completed(int(n), wanted) for n in chosen]
        candidates = np.hstack([self.structures.rows[chosen], np.array(free, np.int64)])
        # The best is valid, as a rule: its structure was judged for another type of the section.
        sets = len(self.covering.subsets)
        among = self._draws.sample(range(sets), min(_ASKED, sets))
        contents = candidates[:, self._type + 1] if self._contents.factors else 0
        gains = self.covering.gains(candidates, among) * self._chances[candidates[:, self._type], contents]
        for n in np.argsort(-gains, kind="stable")[:_CANDIDATES]:
            made = self._made(int(chosen[n]), candidates[n].tolist(), number)
            if made is not None:
                return made
        return None

    def _completed(self, structure: int, wanted: Mapping[int, int]) -> list[int]:
        """Classes of the free factors for a structure: those that are wanted, and any others that go together."""
        types = self.structures.types_of_section[int(self.structures.sections[structure])]
        made = [of_type := self._draws.choice(self._types_with(wanted, types))]
        for factor in range(self._type + 1, len(self.covering.factors)):
            known: Collection[int] = range(len(self.layouts))
            if factor < self._layout:
                known = self._contents.known[of_type][factor - self._type - 1]
            chosen = wanted.get(factor)
            if chosen is None:
                chosen = self._draws.choice([c for c in known if self._is_fit(structure, factor, c)])
            made.append(chosen)
        return made

    def _is_fit(self, structure: int, factor: int, of_class: int) -> bool:
        fits = self._fits.get((factor, of_class))
        return fits is None or bool(fits[structure])

    def _made(self, structure: int, classes: Sequence[int], aim: int) -> Row | None:
        """The input of a row of that structure; None where it is not valid with elements of that type."""
        of_type, contents = classes[self._type], classes[self._type + 1 : self._layout]
        layout = classes[self._layout] if self._layout < len(classes) else 0
        assignment = self._contents.filled(of_type, self.structures.inputs[structure], contents, self._draws)
        if not self.points[of_type].judge(assignment).valid:
            return None
        return Row(of_type, Trial(assignment, [*self.layouts.values()][layout]), tuple(classes), aim)
