"""Valid inputs of many classes, found from small ones by changing sizes, axes, lists, members and attributes.

Each change may break a clause, and nobody says which integers mean axes and which mean sizes: so changes are made in
several ways at once, and what the clauses accept is kept if its classes are new.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle
from math import prod

from sonnx_verify.conformance.inputs.covering.classes import HIGHEST, MEMBERS, SIZES, Classes
from sonnx_verify.conformance.inputs.covering.combinations import Pairs, Rows
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.special_values import plain_fill
from sonnx_verify.conformance.inputs.trial import counted, family_items
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.logic.sorts import INT, IntegerSort, Sort
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor, members_of

_STEPS = 4
"""The most changes at once."""
_AIMED = 200
"""The number of changes after which it is asked anew which pairs of classes no input has."""

Row = tuple[int, ...]
_Change = Callable[[Input], Input | None]


@dataclass(slots=True)
class Variants:
    """The valid inputs of one section, one or a few for each row of classes. The data have no elements: `filled` gives
    them some."""

    points: Points
    classes: Classes
    draws: random.Random
    most: int
    """The most elements of all data of an input, and of each output."""
    rejected: Pairs
    """The pairs of classes of the inputs that a clause rejects."""
    rows: list[Row] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    valid: Pairs = field(init=False)
    """The pairs of classes of the valid inputs."""
    tried: int = 0
    _with: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    """The numbers of the inputs that have a class, by factor and class."""
    _unmet: Rows = field(init=False)
    """The pairs of classes that no valid input has."""
    _counts: list[int] = field(default_factory=list)
    """The number of tensors of each input."""
    _known: set[Row] = field(default_factory=set)
    _data: list[str] = field(init=False)
    _read: list[Variable] = field(init=False)
    """The data whose elements some clause speaks of."""
    _others: list[str] = field(init=False)
    """The inputs and attributes of integers beside the data."""

    def __post_init__(self) -> None:
        self.valid = Pairs(self.classes.factors)
        self._data = [v.name for v in self.points.data]
        self._read = [v for v in self.points.data if v.name in self.points.choices.structural]
        chosen = (VariableRole.INPUT, VariableRole.ATTRIBUTE)
        given = self.points.meaning.given
        others = [v for v in given if v.role in chosen and v.name not in self._data]
        self._others = [v.name for v in others if v.sort == INT or isinstance(v.sort, IntegerSort)]

    def begin(self, valid: Iterable[Input]) -> None:
        """Take small inputs that are valid."""
        for assignment in valid:
            self._keep(self._emptied(assignment))

    def grow(self, tries: int) -> None:
        """Try so many changes of what is known; of many tensors fewer, since clauses compare each with each."""
        changes = list(self._changes())
        if not self.inputs or not changes:
            return
        turns = 0
        while self.tried < tries:
            if not turns % _AIMED:
                self._unmet = self.valid.unmet
            turns += 1
            made = self._known_one()
            for _ in range(self.draws.choice((1, 1, 2, 3, _STEPS))):
                made = self.draws.choice(changes)(made) or made
            self.tried += 1 + len(self._tensors(made)) ** 2 // 8
            self._keep(made)

    def _known_one(self) -> Input:
        """One of the known inputs, every second time one with a class that goes with another in none; of four the one
        with the fewest tensors: clauses compare each with each."""
        pool: Sequence[int] = range(len(self.inputs))
        if len(self._unmet) and self.draws.random() < 0.5:
            pair = self._unmet[self.draws.randrange(len(self._unmet))]
            factor, of_class = self.valid.of(int(self.draws.choice(pair)))
            # No input may have the class itself, but one the class before it, as the rank below.
            pool = self._with.get((factor, of_class)) or self._with.get((factor, of_class - 1)) or pool
        chosen = self.draws.choices(pool, k=4)
        return self.inputs[min(chosen, key=lambda n: self._counts[n] // 4)]

    def _keep(self, assignment: Input) -> None:
        """Keep an input that is valid and of a new row."""
        # An axis of size 0 makes no room: code that walks along the others would seem to hang.
        if sum(prod(max(size, 1) for size in shape) for shape in self._tensors(assignment)) > self.most:
            return
        row = self.classes.row(assignment)
        if row is None or row in self._known:
            return
        # Where the outcome is open, no result shows a fault. A result may be larger than the data, as where a row meets
        # a column.
        points = self.points
        judged = self._with_elements(assignment) if self._read else assignment
        answer = points.judge(judged)
        if answer.declared and not answer.valid:
            self.rejected.add(row)
        if answer.valid and points.decided(judged) and points.result_numel(assignment) <= self.most:
            self._known.add(row)
            self.valid.add(row)
            for one in enumerate(row):
                self._with.setdefault(one, []).append(len(self.rows))
            self.rows.append(row)
            self.inputs.append(assignment)
            self._counts.append(len(self._tensors(assignment)))

    def _with_elements(self, assignment: Input) -> Input:
        """The input with plain elements of the data that clauses speak of."""
        made = dict(assignment)
        for variable in self._read:
            made[variable.name] = _each(
                assignment[variable.name], lambda t: replace(t, elements=plain_fill(t.sort, prod(t.shape)))
            )
        return made

    def _emptied(self, assignment: Input) -> Input:
        """The input without the elements of its data."""
        made = dict(assignment)
        for name in self._data:
            made[name] = _each(assignment[name], lambda t: replace(t, elements=()))
        return made

    # ------------------------------------------------------------------------------------------------------- changes

    def _changes(self) -> Iterator[_Change]:
        meaning = self.points.meaning
        if self._data:
            yield from (self._resized, self._resized, self._one_resized, self._more_axes, self._more_axes)
            yield from (self._fewer_axes, self._stretched, self._short, self._long, self._broadcast, self._broadcast)
            yield from (self._squared, self._crossed)
        for variable in meaning.given:
            if variable.role is VariableRole.ABSENT:
                continue
            if variable.name in self._data:
                if variable.count is not None:
                    yield self._members(variable)
                elif variable.may_be_left_out:
                    yield self._optional(variable)
            elif variable.kind is VariableKind.TENSOR and variable.role is VariableRole.INPUT:
                # The integers of a list say axes or sizes; the bits of floats do not.
                if isinstance(variable.sort, IntegerSort):
                    yield from (self._entries(variable), self._entries(variable))
                yield self._chosen(variable)
                yield self._folded(variable)
            elif variable.role is VariableRole.ATTRIBUTE:
                if variable.count is not None and variable.sort == INT:
                    yield self._entries(variable)
                yield self._chosen(variable)
            elif variable.role is VariableRole.ASKED:
                yield self._chosen(variable)

    def _size(self) -> int:
        return self.draws.choice(self.draws.choice(list(SIZES.values())))

    def _tensors(self, assignment: Input) -> list[tuple[int, ...]]:
        found: list[tuple[int, ...]] = []
        for name in self._data:
            found += [t.shape for t in members_of(assignment[name]) if isinstance(t, ConcreteTensor)]
        return found

    def _with_shapes(self, assignment: Input, change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Input:
        """The input with each shape of its data changed."""
        made = dict(assignment)
        for name in self._data:
            made[name] = _each(assignment[name], lambda t: replace(t, shape=change(t.shape)))
        return made

    def _resized(self, assignment: Input) -> Input | None:
        """One size in place of another, wherever that is: sizes that are the same are often meant to be."""
        sizes = sorted({size for shape in self._tensors(assignment) for size in shape})
        if not sizes:
            return None
        old, new = self.draws.choice(sizes), self._size()
        made = self._with_shapes(assignment, lambda shape: tuple(new if s == old else s for s in shape))
        if self.draws.random() < 0.3:
            made = _numbers_changed(made, self._others, lambda n: new if n == old else n)
        return made

    def _one_resized(self, assignment: Input) -> Input | None:
        """Another size on one axis, counted from the right or left, of all data that have the axis."""
        shapes = self._tensors(assignment)
        rank = max(map(len, shapes), default=0)
        if not rank:
            return None
        axis, new, from_left = self.draws.randrange(rank), self._size(), self.draws.random() < 0.5

        def change(shape: tuple[int, ...]) -> tuple[int, ...]:
            place = axis if from_left else len(shape) - 1 - axis
            if not 0 <= place < len(shape):
                return shape
            return (*shape[:place], new, *shape[place + 1 :])

        if self.draws.random() < 0.3:
            return self._in_one(assignment, change)
        return self._with_shapes(assignment, change)

    def _in_one(self, assignment: Input, change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Input | None:
        """The input with one shape of its data changed."""
        names = [name for _, name, _ in self.points.elements(assignment)]
        if not names:
            return None
        chosen, made = self.draws.choice(names), dict(assignment)
        for variable in self.points.data:
            value = assignment[variable.name]
            if isinstance(value, ConcreteTensor) and variable.name == chosen:
                made[variable.name] = replace(value, shape=change(value.shape))
            elif items := family_items(value):
                made[variable.name] = tuple(
                    replace(t, shape=change(t.shape)) if f"{variable.name}{n}" == chosen else t
                    for n, t in enumerate(items, variable.base)
                )
        return made

    def _more_axes(self, assignment: Input) -> Input | None:
        """One axis more in all data, or in one; lists of numbers of axes, or with entries for each axis, follow."""
        rank = max(map(len, self._tensors(assignment)), default=0)
        if rank >= HIGHEST:
            return None
        place, new, from_left = self.draws.randrange(rank + 1), self._size(), self.draws.random() < 0.5

        def change(shape: tuple[int, ...]) -> tuple[int, ...]:
            at = min(place, len(shape)) if from_left else max(0, len(shape) - place)
            return (*shape[:at], new, *shape[at:])

        if self.draws.random() < 0.15:
            return self._in_one(assignment, change)
        made = self._with_shapes(assignment, change)
        at = place if from_left else rank - place
        way = self.draws.randrange(4)
        if way in (0, 2):
            made = _numbers_changed(made, self._others, lambda n: n + (n >= at) - (n < 0 and n + rank < at))
        if way in (1, 2):
            # What is the number of an axis in a list with one for each is that of the new axis.
            entry = at if way == 2 else self.draws.choice((0, 0, 1))
            made = _lists_grown(made, self._others, rank, at, entry)
        return made

    def _fewer_axes(self, assignment: Input) -> Input | None:
        """Without the first axes, in one of the data or in all."""
        gone = self.draws.choice((1, 1, 2, HIGHEST))
        if self.draws.random() < 0.5:
            return self._in_one(assignment, lambda shape: shape[gone:])
        return self._with_shapes(assignment, lambda shape: shape[gone:])

    def _stretched(self, assignment: Input) -> Input | None:
        """One of the data with size 1 on some axes."""
        draws = self.draws
        return self._in_one(assignment, lambda shape: tuple(1 if draws.random() < 0.5 else s for s in shape))

    def _short(self, assignment: Input) -> Input | None:
        """All of the data of small sizes, that are the same on each axis."""
        draws = self.draws
        sizes = [draws.choice((1, 2, 3, 2, 3, 5)) for _ in range(HIGHEST)]
        return self._with_shapes(assignment, lambda shape: tuple(sizes[: len(shape)][::-1]))

    def _long(self, assignment: Input) -> Input | None:
        """All of the data of few elements on each axis but one, where all have the same large number."""
        rank = max(map(len, self._tensors(assignment)), default=0)
        if not rank:
            return None
        sizes = [self.draws.choice((1, 1, 2, 3)) for _ in range(rank)]
        sizes[self.draws.randrange(rank)] = self.draws.choice(self.draws.choice([*SIZES.values()][-3:]))
        return self._with_shapes(assignment, lambda shape: tuple(sizes[rank - len(shape) :]))

    def _broadcast(self, assignment: Input) -> Input | None:
        """All of the data of shapes that broadcast to one, whose sizes are all new."""
        draws = self.draws
        shape = tuple(self._size() for _ in range(draws.randrange(1, HIGHEST + 1)))
        if prod(shape) > self.most:
            return None
        part = draws.choice((0.0, 0.2, 0.5))

        def change(_: tuple[int, ...]) -> tuple[int, ...]:
            own = tuple(1 if draws.random() < part else size for size in shape)
            return own[draws.randrange(len(own) + 1) :] if draws.random() < part / 2 else own

        return self._with_shapes(assignment, change)

    def _squared(self, assignment: Input) -> Input | None:
        """One axis as long as another one, in all data that have both."""
        shapes = [shape for shape in self._tensors(assignment) if len(shape) > 1]
        if not shapes:
            return None
        rank = max(map(len, shapes))
        one, other = self.draws.sample(range(1, rank + 1), 2)
        sizes = {shape[-other] for shape in shapes if len(shape) >= other}
        size = max(sizes, default=1)

        def change(shape: tuple[int, ...]) -> tuple[int, ...]:
            place = len(shape) - one
            return shape if place < 0 else (*shape[:place], size, *shape[place + 1 :])

        return self._with_shapes(assignment, change)

    def _crossed(self, assignment: Input) -> Input | None:
        """A column and a row, both of which are longer than a vector."""
        shapes = self._tensors(assignment)
        if len(shapes) < 2:
            return None
        column, row = (self.draws.choice((17, 33, 65)) for _ in range(2))
        both = self.draws.sample([(column, 1), (row,)], 2)
        turn = cycle(both)
        return self._with_shapes(assignment, lambda _: next(turn))

    def _folded(self, variable: Variable) -> _Change:
        """A list of integers as a table of two rows or more, each with its entries twice where they are few."""

        def change(assignment: Input) -> Input | None:
            value = assignment[variable.name]
            if not isinstance(value, ConcreteTensor) or not value.elements:
                return None
            items = value.elements * (1 if len(value.elements) % 2 == 0 and len(value.elements) > 2 else 2)
            if len(items) == 2:
                items *= 2
            return {**assignment, variable.name: ConcreteTensor(value.sort, (2, len(items) // 2), items)}

        return change

    def _members(self, variable: Variable) -> _Change:
        # Many members take long: they are drawn seldom.
        counts = [counts for n, counts in enumerate(MEMBERS.values()) for _ in range((4, 8, 8, 4, 2, 1)[n])]

        def change(assignment: Input) -> Input | None:
            items = family_items(assignment[variable.name])
            if not items:
                return None
            count = self.draws.choice(self.draws.choice(counts))
            chosen = (*items, *self.draws.choices(items, k=max(0, count - len(items))))[:count]
            return counted(self.points.meaning, {**assignment, variable.name: chosen})

        return change

    def _optional(self, variable: Variable) -> _Change:
        def change(assignment: Input) -> Input | None:
            if assignment[variable.name] is not LEFT_OUT:
                return {**assignment, variable.name: LEFT_OUT}
            shapes = self._tensors(assignment) or [()]
            given = ConcreteTensor(variable.sort, self.draws.choice(shapes), ())
            return {**assignment, variable.name: given}

        return change

    def _chosen(self, variable: Variable) -> _Change:
        values = [value for _, value in self.points.choices.of_variable(variable)]
        return lambda assignment: {**assignment, variable.name: self.draws.choice(values)}

    def _entries(self, variable: Variable) -> _Change:
        """A list of other integers: of axes, in any order, with any signs, or with an entry changed."""

        def change(assignment: Input) -> Input | None:
            rank = max(map(len, self._tensors(assignment)), default=0)
            value = assignment[variable.name]
            items = value.elements if isinstance(value, ConcreteTensor) else value
            known = tuple(n for n in items if isinstance(n, int)) if isinstance(items, tuple) else ()
            made = self._list(rank, known)
            if variable.kind is not VariableKind.TENSOR:
                return {**assignment, variable.name: made}
            shape: tuple[int, ...] = (len(made),)
            if isinstance(value, ConcreteTensor) and len(value.shape) != 1 and prod(value.shape) == len(made):
                shape = value.shape
            if not _are_of(variable.sort, made):
                return None
            return {**assignment, variable.name: ConcreteTensor(variable.sort, shape, made)}

        return change

    def _list(self, rank: int, known: Sequence[int]) -> tuple[int, ...]:
        draws = self.draws
        match draws.randrange(6):
            case 0 if known:
                place = draws.randrange(len(known))
                new = draws.choice((known[place] + 1, known[place] - 1, 0, 1, -1, rank, 100, -100))
                return (*known[:place], new, *known[place + 1 :])
            case 1 if known:
                return tuple(draws.sample(list(known), len(known)))
            case 2 if known and rank:
                return tuple(n - rank if n >= 0 and draws.random() < 0.5 else n for n in known)
            case 3:
                return (*known, *known[-1:]) if known else (0,)
            case _:
                chosen = draws.sample(range(rank), draws.randrange(rank + 1))
                if draws.random() < 0.5:
                    chosen.sort()
                signs = draws.choice((0.0, 0.0, 0.5, 1.0))
                return tuple(n - rank if draws.random() < signs else n for n in chosen)


def _each(value: Concrete, change: Callable[[ConcreteTensor], ConcreteTensor]) -> Concrete:
    """A tensor, or each member of a family, changed."""
    if isinstance(value, ConcreteTensor):
        return change(value)
    if items := family_items(value):
        return tuple(map(change, items))
    return value


def _lists(assignment: Input, names: Sequence[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The lists of integers of those names."""
    for name in names:
        value = assignment[name]
        items = value.elements if isinstance(value, ConcreteTensor) else value
        if isinstance(items, tuple) and items and all(isinstance(n, int) for n in items):
            yield name, items


def _with_list(assignment: Input, name: str, items: tuple[int, ...]) -> Input:
    """The input with other integers in a list; as it is where one of them is no value of the type."""
    value = assignment[name]
    if not isinstance(value, ConcreteTensor):
        return {**assignment, name: items}
    if not _are_of(value.sort, items):
        return assignment
    shape = value.shape if prod(value.shape) == len(items) else (len(items),)
    return {**assignment, name: ConcreteTensor(value.sort, shape, items)}


def _are_of(sort: Sort, items: Sequence[int]) -> bool:
    """Return whether integers are values of a type of integers; of others, bits are not told from numbers."""
    return isinstance(sort, IntegerSort) and all(sort.lowest <= n <= sort.greatest for n in items)


def _numbers_changed(assignment: Input, names: Sequence[str], change: Callable[[int], int]) -> Input:
    """The input with all integers of those names changed, in lists and alone."""
    made = dict(assignment)
    for name, items in _lists(assignment, names):
        made = _with_list(made, name, tuple(map(change, items)))
    for name in names:
        value = assignment[name]
        if isinstance(value, int) and not isinstance(value, bool):
            made[name] = change(value)
    return made


def _lists_grown(assignment: Input, names: Sequence[str], rank: int, at: int, entry: int) -> Input:
    """The input where each list of those names with some entries for each axis has those for one axis more."""
    made = dict(assignment)
    for name, items in _lists(assignment, names):
        if rank and len(items) % rank == 0:
            blocks = [items[n : n + rank] for n in range(0, len(items), rank)]
            grown = tuple(n for block in blocks for n in (*block[:at], entry, *block[at:]))
            made = _with_list(made, name, grown)
    return made
