"""The factors of the inputs of an operator, with the class that an input has of each.

They come from the declarations of the text alone: its tensors, lists, attributes, what is optional, how many members a
family has. Code branches on such classes: on ranks, on sizes around the widths of vectors and of blocks, on how two
shapes meet, on which axes a list names, in which order and with which sign.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from math import prod
from typing import Any

from sonnx_verify.conformance.inputs.covering.combinations import Factor
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.trial import family_items
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import INT, STRING, FloatSort
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor

HIGHEST = 5
"""The highest rank that has a class of its own."""
NOTHING = "none"
SIZES: dict[str, tuple[int, ...]] = {
    "0": (0,),
    "1": (1,),
    "2": (2,),
    "3": (3,),
    "5 to 15, odd": (5, 7, 9, 11, 13, 15),
    "a vector": (4, 8, 16, 32, 64),
    "beside a vector": (6, 10, 12, 14, 17, 31, 33, 63, 65),
    "hundreds": (100, 130, 257),
    "thousands": (1025, 4097),
}
"""The classes of sizes, each with those that are tried. Registers take 4 to 64 elements at once, blocks of a cache
more; code does one thing with those and another with the rest."""
_BELOW = ((16, "up to 15"), (256, "up to 255"), (4096, "up to 4095"))
"""The classes of numbers of elements: those below each bound."""
_MANY = "4096 or more"
MEMBERS: dict[str, tuple[int, ...]] = {
    "1": (1,),
    "2": (2,),
    "3": (3,),
    "4 to 8": (5, 4, 8),
    "9 to 64": (17, 9, 33),
    "65 or more": (65,),
}
"""The classes of numbers of members of a family, each with those that are tried."""
_PATTERNS = (
    "alike",
    "first is a scalar",
    "second is a scalar",
    "first has fewer axes",
    "second has fewer axes",
    "first is stretched",
    "second is stretched",
    "both are stretched",
    "both are stretched far",
    "do not broadcast",
)
_FAR = 16
"""The size from which on code takes an axis in registers and blocks: a kernel of tables and rows has two such axes."""
_EQUAL = (NOTHING, "all differ", "two neighbours", "two apart", "three or more")
_CYCLES = (NOTHING, "identity", "one swap", "two swaps", "a cycle of 3", "a cycle of 4 or more", "cycles of several")
"""The cycle types of permutations of at most five axes. All but the last two are their own inverse or nearly so: code
that takes the inverse permutation is right of them."""
_PLACES = (NOTHING, "the first", "an inner one", "the last", "several")
_FIRST = (NOTHING, "0", "1", "2 or 3", "4 or more")
_INNER = (NOTHING, "one is 0", "one is 1", "one is a vector", "2 or 3", "one is 4 or more")
_ENTRIES = ("left out", "0", "1", "2", "3 or more", "as many as axes")
_SIGNS = (NOTHING, "not negative", "negative", "of both signs")
_ORDERS = (NOTHING, "one", "neighbours ascending", "ascending with a gap", "descending", "in disorder", "one twice")
_ENDS = (NOTHING, "the first and the last", "the first", "the last", "inner ones", "no axes")
_NUMBERS = ("left out", "0", "1", "-1", "2", "-2", "above 2", "below -2")

_Classify = Callable[[Input], str]


@dataclass(slots=True)
class Classes:
    """The factors of the inputs of one section, in one order, and how an input is classified."""

    points: Points
    valid: Sequence[Input] = ()
    """Small valid inputs: they show which attributes are numbers of axes."""
    factors: list[Factor] = field(default_factory=list)
    _classify: list[_Classify] = field(default_factory=list)
    _shared: dict[int, tuple[Input, list[tuple[int, ...]], tuple[int, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._of_all_data()
        for variable in self.points.data:
            self._of_data(variable)
        self._of_pairs()
        for variable in self.points.meaning.given:
            self._of_rest(variable)

    def row(self, assignment: Input) -> tuple[int, ...] | None:
        """The class of each factor, by its number; None where the input is of a class that is not counted."""
        found = []
        for factor, classify in zip(self.factors, self._classify, strict=True):
            name = classify(assignment)
            if name not in factor.classes:
                return None
            found.append(factor.classes.index(name))
        return tuple(found)

    def _add(self, name: str, classes: Sequence[str], classify: _Classify, *, strong: bool = False) -> None:
        self.factors.append(Factor(name, tuple(classes), strong))
        self._classify.append(classify)

    # ---------------------------------------------------------------------------------------------------------- data

    def _joined(self, assignment: Input) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
        """The shapes of the data, and the widest size on each axis, counted from the right."""
        kept = self._shared.get(0)
        # All factors of shapes ask for the same one after another.
        if kept is None or kept[0] is not assignment:
            shapes = [tensor.shape for _, _, tensor in self.points.elements(assignment)]
            sizes = (max(s) for s in zip_longest(*(s[::-1] for s in shapes), fillvalue=0))
            kept = self._shared[0] = assignment, shapes, tuple(sizes)[::-1]
        return kept[1], kept[2]

    def _of_all_data(self) -> None:
        if not self.points.data:
            return
        ranks = [f"{n}" for n in range(HIGHEST + 1)]
        self._add("rank", ranks, lambda a: f"{len(self._joined(a)[1])}", strong=True)
        self._add("last axis", [NOTHING, *SIZES], lambda a: _size_class(self._joined(a)[1][-1:]), strong=True)
        self._add("first axis", _FIRST, lambda a: _first(self._joined(a)[1][:-1]), strong=True)
        self._add("inner axes", _INNER, lambda a: _inner(self._joined(a)[1][1:-1]), strong=True)
        self._add("equal sizes", _EQUAL, lambda a: _equal_sizes(self._joined(a)[1]))
        counts = ["0", "1", *(name for _, name in _BELOW), _MANY]
        self._add("elements", counts, lambda a: _count_class(prod(self._joined(a)[1])))

    def _of_data(self, variable: Variable) -> None:
        name = variable.name
        if variable.count is not None:

            def members(assignment: Input) -> str:
                return _class_of(len(family_items(assignment[name])), MEMBERS)

            self._add(f"members of {name}", list(MEMBERS), members, strong=True)
        elif variable.may_be_left_out and variable.role is not VariableRole.ABSENT:
            given = ("given", "left out")
            self._add(f"input {name}", given, lambda a: given[a[name] is LEFT_OUT], strong=True)

    def _of_pairs(self) -> None:
        """The ways in which shapes of tensors meet: of a family the first with the second, and the last with the first;
        else each with the next."""
        data = [v for v in self.points.data if v.role is not VariableRole.ABSENT]
        for variable in data:
            if variable.count is not None:
                self._of_members(variable.name)
        for one, other in pairwise(v.name for v in data if v.count is None):
            self._of_two(one, other)

    def _of_members(self, name: str) -> None:
        patterns = (NOTHING, *_PATTERNS)
        self._add(f"first two of {name}", patterns, lambda a: _meeting(_shapes(a[name])[:2]), strong=True)
        self._add(f"axis where they differ, {name}", _PLACES, lambda a: _differing(_shapes(a[name])[:2]))

        def ends(assignment: Input) -> str:
            shapes = _shapes(assignment[name])
            return _meeting([shapes[0], shapes[-1]]) if len(shapes) > 2 else NOTHING

        self._add(f"first and last of {name}", patterns, ends)

    def _of_two(self, one: str, other: str) -> None:
        def meeting(assignment: Input) -> str:
            return _meeting([*_shapes(assignment[one]), *_shapes(assignment[other])])

        def place(assignment: Input) -> str:
            return _differing([*_shapes(assignment[one]), *_shapes(assignment[other])])

        self._add(f"{one} and {other}", (NOTHING, *_PATTERNS), meeting, strong=True)
        self._add(f"axis where they differ, {one} and {other}", _PLACES, place)

    # ---------------------------------------------------------------------------------------------------------- rest

    def _of_rest(self, variable: Variable) -> None:
        name = variable.name
        match variable:
            case Variable(role=VariableRole.ASKED):
                self._add(f"{name}", ("true", "false"), lambda a: str(bool(a[name])).lower())
            case Variable(role=VariableRole.INPUT, kind=VariableKind.TENSOR) if not self.points.is_data(variable):
                self._of_list(variable)
                ranks = ("left out", "0", "1", "2 or more, some of size 1", "2 or more")
                self._add(f"rank of {name}", ranks, lambda a: _few_axes(a[name]))
            case Variable(role=VariableRole.ATTRIBUTE, kind=VariableKind.TENSOR):
                pass
            case Variable(role=VariableRole.ATTRIBUTE) if variable.count is not None and variable.sort == INT:
                self._of_list(variable)
            case Variable(role=VariableRole.ATTRIBUTE) if variable.count is None and variable.code is None:
                self._of_number(variable)
            case _:
                pass

    def _of_list(self, variable: Variable) -> None:
        name = variable.name

        def axes(assignment: Input) -> int:
            return len(self._joined(assignment)[1])

        self._add(f"entries of {name}", _ENTRIES, lambda a: _entries(_items(a[name]), axes(a)))
        self._add(f"signs of {name}", _SIGNS, lambda a: _signs(_items(a[name])))
        self._add(f"order of {name}", _ORDERS, lambda a: _order(_items(a[name]), axes(a)))
        if self._permutes(name):
            self._add(f"cycles of {name}", _CYCLES, lambda a: _cycles(_items(a[name]), axes(a)))
        self._add(f"axes that {name} names", _ENDS, lambda a: _ends(_items(a[name]), axes(a)))
        self._add(f"size on the axes {name}", [NOTHING, *SIZES], lambda a: self._size_on(a, _items(a[name])))

    def _permutes(self, name: str) -> bool:
        """Return whether a list may be a permutation of the axes: in no valid input it is anything else."""
        seen = [(items, len(self._joined(a)[1])) for a in self.valid if (items := _items(a[name]))]
        return bool(seen) and all(sorted(_wrapped(items, axes)) == list(range(axes)) for items, axes in seen)

    def _names_an_axis(self, name: str) -> bool:
        """Return whether an attribute may be the number of an axis: it has both signs, and is never beyond the axes."""
        seen = [(n, len(self._joined(a)[1])) for a in self.valid if isinstance(n := a[name], int)]
        signs = {n < 0 for n, _ in seen}
        return len(signs) == 2 and all(-axes <= n < max(axes, 1) for n, axes in seen)

    def _size_on(self, assignment: Input, items: tuple[Any, ...] | None) -> str:
        """The class of the largest size on the axes that are named."""
        shape = self._joined(assignment)[1]
        if not items or not all(isinstance(n, int) and -len(shape) <= n < len(shape) for n in items):
            return NOTHING
        return _size_class([max(shape[n] for n in items)])

    def _of_number(self, variable: Variable) -> None:
        name = variable.name
        values = [value for _, value in self.points.choices.of_variable(variable)]
        if variable.sort == INT:
            self._add(name, _NUMBERS, lambda a: _number(a[name]))
            if self._names_an_axis(name):
                self._add(f"size on the axis {name}", [NOTHING, *SIZES], lambda a: self._size_on(a, (a[name],)))
        elif variable.sort == STRING:
            self._add(name, [_text(v) for v in values], lambda a: _text(a[name]))
        elif isinstance(variable.sort, FloatSort):
            sort = variable.sort
            self._add(name, ("left out", "0", "1", "other", "special"), lambda a: _float(sort, a[name]))


# ------------------------------------------------------------------------------------------------------------ of shapes


def _class_of(number: int, classes: dict[str, tuple[int, ...]]) -> str:
    """The first class with the number; where there is none, the last that begins below it, or the first."""
    for name, numbers in classes.items():
        if number in numbers:
            return name
    below = [name for name, numbers in classes.items() if min(numbers) <= number]
    return (below or list(classes)[:1])[-1]


def _size_class(axis: Sequence[int]) -> str:
    return _class_of(axis[0], SIZES) if axis else NOTHING


def _first(axes: Sequence[int]) -> str:
    if not axes:
        return NOTHING
    return f"{axes[0]}" if axes[0] < 2 else "2 or 3" if axes[0] < 4 else "4 or more"


def _inner(axes: Sequence[int]) -> str:
    if not axes:
        return NOTHING
    for size in (0, 1):
        if size in axes:
            return f"one is {size}"
    if not set(axes).isdisjoint(SIZES["a vector"]):
        return "one is a vector"
    return "2 or 3" if max(axes) < 4 else "one is 4 or more"


def _equal_sizes(axes: Sequence[int]) -> str:
    """The way in which sizes above 1 are equal: code that takes one axis for the other is right of a square."""
    if len(axes) < 2:
        return NOTHING
    places: dict[int, list[int]] = {}
    for place, size in enumerate(axes):
        if size > 1:
            places.setdefault(size, []).append(place)
    widest = max(places.values(), key=len, default=[])
    if len(widest) < 2:
        return "all differ"
    if len(widest) > 2:
        return "three or more"
    return "two neighbours" if widest[1] - widest[0] == 1 else "two apart"


def _count_class(count: int) -> str:
    if count < 2:
        return f"{count}"
    return next((name for bound, name in _BELOW if count < bound), _MANY)


def _shapes(value: Concrete) -> list[tuple[int, ...]]:
    if isinstance(value, ConcreteTensor):
        return [value.shape]
    return [item.shape for item in family_items(value)]


def _meeting(shapes: Sequence[tuple[int, ...]]) -> str:
    """The way in which two shapes meet."""
    if len(shapes) != 2:
        return NOTHING
    one, other = shapes
    if one == other:
        return "alike"
    relations = set()
    for a, b in zip_longest(one[::-1], other[::-1], fillvalue=1):
        if a != b:
            relations.add("first" if a == 1 else "second" if b == 1 else "none")
    if "none" in relations:
        return "do not broadcast"
    for name, shape in (("first", one), ("second", other)):
        if not shape:
            return f"{name} is a scalar"
    if relations == {"first", "second"}:
        pairs = list(zip_longest(one[::-1], other[::-1], fillvalue=1))
        far = any(a == 1 and b > _FAR for a, b in pairs) and any(b == 1 and a > _FAR for a, b in pairs)
        return "both are stretched far" if far else "both are stretched"
    if len(one) != len(other):
        return f"{'first' if len(one) < len(other) else 'second'} has fewer axes"
    return f"{relations.pop()} is stretched"


def _differing(shapes: Sequence[tuple[int, ...]]) -> str:
    """The axis on which two shapes differ, counted from the right."""
    if len(shapes) != 2:
        return NOTHING
    sizes = [*zip_longest(shapes[0][::-1], shapes[1][::-1], fillvalue=1)]
    places = [n for n, (a, b) in enumerate(sizes) if a != b]
    if len(places) != 1:
        return "several" if places else NOTHING
    if places == [0]:
        return "the last"
    return "the first" if places == [len(sizes) - 1] else "an inner one"


def _few_axes(value: Concrete) -> str:
    if not isinstance(value, ConcreteTensor):
        return "left out"
    rank = len(value.shape)
    if rank < 2:
        return f"{rank}"
    return "2 or more" if min(value.shape) > 1 else "2 or more, some of size 1"


# ------------------------------------------------------------------------------------------------------------- of lists


def _items(value: Concrete) -> tuple[int, ...] | None:
    """The integers of a list, or of a tensor that is one."""
    if isinstance(value, ConcreteTensor):
        value = value.elements
    if not isinstance(value, tuple) or not all(isinstance(item, int) for item in value):
        return None
    return value


def _entries(items: tuple[int, ...] | None, axes: int) -> str:
    if items is None:
        return "left out"
    if items and len(items) == axes:
        return "as many as axes"
    return f"{len(items)}" if len(items) < 3 else "3 or more"


def _signs(items: tuple[int, ...] | None) -> str:
    if not items:
        return NOTHING
    if min(items) >= 0:
        return "not negative"
    return "negative" if max(items) < 0 else "of both signs"


def _wrapped(items: tuple[int, ...], axes: int) -> tuple[int, ...]:
    """The axes that are meant, if the items are numbers of axes; else the items."""
    if all(-axes <= item < axes for item in items):
        return tuple(item % axes for item in items)
    return items


def _order(items: tuple[int, ...] | None, axes: int) -> str:
    if not items:
        return NOTHING
    if len(items) == 1:
        return "one"
    meant = _wrapped(items, axes)
    if len(set(meant)) < len(meant):
        return "one twice"
    steps = {b - a for a, b in pairwise(meant)}
    if steps == {1}:
        return "neighbours ascending"
    if min(steps) > 0:
        return "ascending with a gap"
    return "descending" if max(steps) < 0 else "in disorder"


def _cycles(items: tuple[int, ...] | None, axes: int) -> str:
    """The cycle type of a permutation of the axes."""
    if not items or sorted(meant := _wrapped(items, axes)) != list(range(axes)):
        return NOTHING
    left, lengths = set(range(axes)), []
    while left:
        place, length = left.pop(), 1
        while (place := meant[place]) in left:
            left.remove(place)
            length += 1
        if length > 1:
            lengths.append(length)
    match sorted(lengths):
        case []:
            return "identity"
        case [2]:
            return "one swap"
        case [2, 2]:
            return "two swaps"
        case [3]:
            return "a cycle of 3"
        case [_]:
            return "a cycle of 4 or more"
    return "cycles of several"


def _ends(items: tuple[int, ...] | None, axes: int) -> str:
    if not items:
        return NOTHING
    if not all(-axes <= item < axes for item in items):
        return "no axes"
    meant = {item % axes for item in items}
    match 0 in meant, axes - 1 in meant:
        case True, True:
            return "the first and the last"
        case True, False:
            return "the first"
        case False, True:
            return "the last"
    return "inner ones"


# ----------------------------------------------------------------------------------------------------------- of numbers


def _number(value: Any) -> str:
    if value is LEFT_OUT:
        return "left out"
    if -2 <= value <= 2:
        return f"{value}"
    return "above 2" if value > 0 else "below -2"


def _text(value: Any) -> str:
    return "left out" if value is LEFT_OUT else f'"{value}"'


def _float(sort: FloatSort, value: Any) -> str:
    if value is LEFT_OUT:
        return "left out"
    if floats.is_nan(sort, value) or floats.is_infinite(sort, value):
        return "special"
    number = floats.to_fraction(sort, value)
    return f"{number}" if number in (0, 1) else "other"
