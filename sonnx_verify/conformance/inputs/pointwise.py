"""Vectors of values for operators of which an element of the output depends on one element of each input.

Whether that is so is seen from the terms: an output at index i reads each input at one place, which follows from i.

    C[i] = A[i] + B[i]                       all pairs of 8-bit values are one input of 65,536 elements
    Y[i] = if X[i] < 0 then alpha * X[i] ...  all values of 16 bits
    exp(X[i])                                floats of each exponent, and those around which the result changes its kind

The results change their kind where they overflow, underflow, become 0 or NaN, or change their sign: such a place is
found between two values with results of two kinds by halving, with the oracle, of all such pairs at once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from functools import cached_property
from itertools import product
from math import prod

from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.sampled_values import (
    beside,
    every_value,
    float_at,
    grid,
    is_narrow,
    near_ends,
    ordinary_values,
    place_of,
    values_of,
    width_of,
)
from sonnx_verify.conformance.inputs.small_inputs import with_elements
from sonnx_verify.conformance.inputs.special_values import special_values
from sonnx_verify.kernel.variables import VariableKind, VariableRole
from sonnx_verify.logic import floats
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.sorts import INDEX, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import Term, placeholder, subterms
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor, members_of

MOST_PAIRS = 1 << 16
"""The most elements of a vector: all pairs of values of 8 bits."""
_BASES = 3
"""The number of inputs that vectors are made of: with and without what is optional, with some attributes."""
_JUDGED = 100
"""The number of parts of a vector that are judged to find the elements that a clause rejects."""
# Two clauses such as "no element of B is 0" and "no quotient overflows" need 40, where the elements are sorted. A part
# of which the first, the middle and the last element are rejected is given up.
_EDGES = 48
"""The number of places that are looked for where the results change their kind, for each tensor."""
_STEPS = (0, 1, -1, *(sign * (1 << k) for k in range(1, 40, 2) for sign in (1, -1)))
"""The distances from such a place at which values are tried, in floats."""
_OTHERS = 4
"""The number of values of the other tensors with which such places are looked for, beside those near the ends."""
_POOL = 500
"""The number of values that the others are drawn from: three of five are ordinary, one is special."""
_FILLS = 2
"""The number of choices of the elements of scalars beside vectors."""
_CLOSE = 1500
"""The number of elements of a vector of values that are the same, neighbours or opposite."""

Results = Callable[[Input], "dict[str, ConcreteTensor] | None"]
"""The outputs that are expected of a valid input, if an oracle gives them."""


def is_pointwise(points: Points) -> bool:
    """Return whether each element of the outputs depends on one element of each input, and is made of these."""
    meaning = points.meaning
    reads = {v.symbol("read") for v in points.data}
    if not reads or set(meaning.values) != {v.name for v in meaning.outputs}:
        return False
    index = placeholder(INDEX)
    return all(_is_of_one_element(value(index), index, reads) for value in meaning.values.values())


def _is_of_one_element(value: Term, index: Term, reads: Set[object]) -> bool:
    found: dict[object, Term] = {}
    for node in subterms(value):
        if node.op != ops.APPLY or node.payload not in reads:
            continue
        # Two reads of one tensor are two elements; a variable of a fold other than the number of a member runs over
        # elements.
        members, place = node.args[:-1], node.args[-1]
        if found.setdefault(node.payload, node) is not node or not place.free <= {index, *members}:
            return False
    # What is only moved is tried by the rows of a covering array.
    return bool(found) and value not in found.values()


class _Vectors:
    """The vectors of one base: a valid input of whose tensors some are vectors, and the others have one element."""

    def __init__(self, points: Points, base: Input, draws: random.Random) -> None:
        self._points, self._base, self._draws = points, base, draws
        self._tensors = [tensor for _, _, tensor in points.elements(base)]
        self._sorts = [tensor.sort for tensor in self._tensors if tensor.shape]

    @cached_property
    def _others(self) -> list[list[object]]:
        """The values beside those of one tensor, for each: ordinary ones, special ones, and any."""
        made = []
        for sort in self._sorts:
            special = list(special_values(sort).values())
            any_of = every_value(sort) if is_narrow(sort) else grid(sort) if isinstance(sort, FloatSort) else special
            some = [*self._draws.choices(special, k=_POOL // 5), *self._draws.choices(any_of, k=_POOL // 5)]
            made.append([*ordinary_values(sort, self._draws, _POOL - len(some)), *some])
        return made

    def of(self, rows: Sequence[Sequence[object]]) -> Input:
        """The input whose vectors have these elements, given row by row: one element of each vector."""
        count, columns = len(rows), iter(zip(*rows, strict=True))
        elements: list[object] = []
        for tensor in self._tensors:
            elements += next(columns) if tensor.shape else tensor.elements
        return with_elements(self._points, self._sized(count), elements)

    def _sized(self, count: int) -> Input:
        """The base with vectors of another length."""

        def of(tensor: Concrete) -> Concrete:
            if not isinstance(tensor, ConcreteTensor) or not tensor.shape:
                return tensor
            return replace(tensor, shape=(count,), elements=(None,) * count)

        made = dict(self._base)
        for variable in self._points.data:
            value = made[variable.name]
            made[variable.name] = tuple(map(of, value)) if isinstance(value, tuple) else of(value)
        return made

    def valid(self, rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
        """The rows without those that a clause rejects, or whose outcome is left open, in disorder."""
        self._draws.shuffle(rows)
        if self._points.is_sound(self.of(rows)):
            return rows
        # Sorted, those that are rejected for one reason stand beside each other.
        todo = [sorted(rows, key=_numbers)]
        found: list[tuple[object, ...]] = []
        judged = 0
        while todo and judged < _JUDGED:
            part = todo.pop()
            judged += 1
            if self._points.is_sound(self.of(part)):
                found += part
            elif any(self._points.is_sound(self.of([part[n]])) for n in (0, len(part) // 2, -1)):
                half = len(part) // 2
                todo += [part[half:], part[:half]]
        self._draws.shuffle(found)
        return found

    # ------------------------------------------------------------------------------------------------------- elements

    def every(self) -> Iterator[list[tuple[object, ...]]]:
        """The rows of each vector: all pairs of two small types; else for each tensor all of its values with others of
        the others, and values that are close to each other."""
        sorts = self._sorts
        if prod(1 << width_of(sort) for sort in sorts) <= MOST_PAIRS:
            yield list(product(*map(every_value, sorts)))
            return
        for n, sort in enumerate(sorts):
            values = values_of(sort, self._draws)
            # A truth value meets as many others as a number does.
            yield self._with_others(n, values * max(1, _CLOSE // len(values)))
        if len(sorts) > 1 and len(set(sorts)) == 1:
            yield [self._close(sorts[0], len(sorts)) for _ in range(_CLOSE)]
        if len(sorts) == 2 and all(isinstance(sort, IntegerSort) for sort in sorts):
            yield list(self._ends_of_integers())

    def _with_others(self, n: int, values: Sequence[object]) -> list[tuple[object, ...]]:
        """Rows with these values of one tensor, and any of the others."""
        columns = [self._draws.choices(pool, k=len(values)) for pool in self._others]
        columns[n] = list(values)
        return list(zip(*columns, strict=True))

    def _close(self, sort: Sort, count: int) -> tuple[object, ...]:
        """Values that are the same, next to each other, or opposite."""
        (first,) = ordinary_values(sort, self._draws, 1)
        return (first, *(self._beside(sort, first) for _ in range(count - 1)))

    def _beside(self, sort: Sort, value: object) -> object:
        way = self._draws.randrange(4)
        match sort, value:
            case FloatSort(), int() if way:
                return (
                    floats.negate(sort, value) if way == 1 else beside(sort, value, (self._draws.choice((1, -1)),))[0]
                )
            case IntegerSort(), int() if way:
                other = -value if way == 1 else value + self._draws.choice((1, -1))
                return min(max(other, sort.lowest), sort.greatest)
        return value

    def _ends_of_integers(self) -> Iterator[tuple[object, ...]]:
        """Pairs around whose sum, difference, product and quotient the type ends."""
        one, other = self._sorts
        assert isinstance(one, IntegerSort)
        assert isinstance(other, IntegerSort)
        for second in ordinary_values(other, self._draws, _CLOSE // 6):
            assert isinstance(second, int)
            end, step = self._draws.choice((one.lowest, one.greatest)), self._draws.choice((-1, 0, 1))
            firsts = [end - second, end + second, *([end // second] if second else [])]
            yield from ((n + step, second) for n in firsts if one.lowest <= n + step <= one.greatest)

    # ---------------------------------------------------------------------------------------------------------- edges

    def edges(self, results: Results) -> Iterator[list[tuple[object, ...]]]:
        """Rows around the places where the results change their kind, for each tensor of a wide type of floats."""
        for n, sort in enumerate(self._sorts):
            if isinstance(sort, FloatSort) and not is_narrow(sort):
                yield list(self._around(n, sort, results))

    def _around(self, n: int, sort: FloatSort, results: Results) -> Iterator[tuple[object, ...]]:
        others = self._with_others(n, [None] * (_OTHERS if len(self._sorts) > 1 else 1))
        if len(self._sorts) > 1:
            # A sum overflows where both operands are large.
            others += [(bits,) * len(self._sorts) for bits in near_ends(sort) if set(self._sorts) == {sort}]
        coarse = (*grid(sort)[::3], floats.greatest(sort))
        pairs: list[tuple[tuple[object, ...], int, int]] = []
        for row in others:
            kinds = self._kinds([_at(row, n, bits) for bits in coarse], results)
            steps = zip(coarse, coarse[1:], kinds, kinds[1:], strict=False)
            pairs += [(row, place_of(sort, a), place_of(sort, b)) for a, b, one, two in steps if one != two]
        self._draws.shuffle(pairs)
        for row, low, high in self._halved(n, sort, pairs[:_EDGES], results):
            for bits in dict.fromkeys((*beside(sort, low, _STEPS), *beside(sort, high, _STEPS))):
                yield _at(row, n, bits)

    def _halved(
        self, n: int, sort: FloatSort, pairs: list[tuple[tuple[object, ...], int, int]], results: Results
    ) -> Iterator[tuple[tuple[object, ...], int, int]]:
        """The two neighbours between which the kind changes, for each pair of places."""
        below = self._kinds([_at(row, n, float_at(sort, low)) for row, low, _ in pairs], results)
        for _ in range(sort.width if below else 0):
            middle = [(low + high) // 2 for _, low, high in pairs]
            kinds = self._kinds(
                [_at(row, n, float_at(sort, m)) for (row, _, _), m in zip(pairs, middle, strict=True)], results
            )
            if not kinds:
                return
            halves = zip(pairs, middle, kinds, below, strict=True)
            pairs = [(row, m, high) if kind == was else (row, low, m) for (row, low, high), m, kind, was in halves]
        for row, low, high in pairs:
            yield row, float_at(sort, low), float_at(sort, high)

    def _kinds(self, rows: Sequence[Sequence[object]], results: Results) -> list[tuple[str, ...]]:
        """The kinds of the results of each row; none where some are not valid."""
        outputs = results(self.of(rows)) if rows else None
        if outputs is None:
            return []
        columns = [[kind_of(t.sort, element) for element in t.elements] for t in outputs.values()]
        return list(zip(*columns, strict=True))


def _numbers(row: tuple[object, ...]) -> list[int]:
    """The elements of a row as integers, the last first."""
    return [element for element in row[::-1] if isinstance(element, int)]


def _at(row: tuple[object, ...], n: int, value: object) -> tuple[object, ...]:
    return (*row[:n], value, *row[n + 1 :])


def kind_of(sort: Sort, element: object) -> str:
    """The kind of a result: NaN, infinite, normal, subnormal or 0, with its sign; of integers the sign."""
    if not isinstance(sort, FloatSort) or not isinstance(element, int):
        return str(element) if isinstance(element, bool) else str(isinstance(element, int) and element < 0)
    if floats.is_nan(sort, element):
        return "NaN"
    size = floats.absolute(sort, element)
    sign = "-" if floats.is_negative(sort, element) else ""
    if floats.is_infinite(sort, size):
        return f"{sign}inf"
    if floats.is_zero(sort, size):
        return f"{sign}0"
    return f"{sign}{'normal' if size >= 1 << (sort.significand - 1) else 'subnormal'}"


# -------------------------------------------------------------------------------------------------------------- vectors


def vectors(points: Points, valid: Sequence[Input], seed: int, results: Results) -> Iterator[Input]:
    """Valid inputs of many elements of an operator that is pointwise; `valid` are small ones, the smallest first."""
    draws = random.Random(seed)
    for base in _bases(points, valid):
        for filled in _with_scalars(points, base, draws):
            made = _Vectors(points, filled, draws)
            for rows in (*made.every(), *made.edges(results)):
                taken = made.valid(rows) if rows else []
                if taken:
                    yield made.of(taken)


def _with_scalars(points: Points, base: Input, draws: random.Random) -> Iterator[Input]:
    """The input with ordinary elements of its scalars, a few times where it has scalars."""
    tensors = [tensor for _, _, tensor in points.elements(base)]
    for _ in range(_FILLS if not all(tensor.shape for tensor in tensors) else 1):
        elements: list[object] = []
        for tensor in tensors:
            elements += tensor.elements if tensor.shape else ordinary_values(tensor.sort, draws, 1)
        yield with_elements(points, base, elements)


def window(points: Points, assignment: Input, begin: int, end: int) -> Input:
    """A part of the vectors of such an input."""
    vectors = [tensor.elements[begin:end] for _, _, tensor in points.elements(assignment) if tensor.shape]
    return _Vectors(points, assignment, random.Random(0)).of(list(zip(*vectors, strict=True)))


def _bases(points: Points, valid: Sequence[Input]) -> list[Input]:
    """The smallest inputs with one vector or more and otherwise scalars, those with most vectors first: one for each
    choice of what is given."""
    found: dict[object, Input] = {}
    fitting = [(vectors_in, a) for a in valid if (vectors_in := _count(points, a))]
    for _, assignment in sorted(fitting, key=lambda row: -row[0]):
        found.setdefault(_given(points, assignment), assignment)
    made = list(found.values())[:_BASES]
    return [*made, *filter(points.is_sound, (_with_ordinary(points, a) for a in made[:1] if _has_floats(points)))]


def _count(points: Points, assignment: Input) -> int:
    """The number of vectors of an input, of at most two members of a family; 0 if they differ in size, or others are no
    scalars."""
    shapes = [tensor.shape for _, _, tensor in points.elements(assignment)]
    sizes = {shape for shape in shapes if shape}
    many = any(isinstance(assignment[v.name], tuple) and len(members_of(assignment[v.name])) > 2 for v in points.data)
    if many or len(sizes) != 1 or len(max(sizes)) != 1 or points.result_numel(assignment) != max(sizes)[0]:
        return 0
    return sum(bool(shape) for shape in shapes) if max(sizes)[0] else 0


def _given(points: Points, assignment: Input) -> object:
    """The same for inputs that differ in shapes and elements of data alone."""
    data = {v.name for v in points.data}
    return tuple(
        len(members_of(value)) if name in data and value is not LEFT_OUT else value
        for name, value in assignment.items()
    )


def _has_floats(points: Points) -> bool:
    return any(_is_float(points, v.name) for v in points.meaning.given)


def _is_float(points: Points, name: str) -> bool:
    variable = next(v for v in points.meaning.given if v.name == name)
    is_attribute = variable.role is VariableRole.ATTRIBUTE and variable.kind is not VariableKind.TENSOR
    return is_attribute and isinstance(variable.sort, FloatSort) and variable.count is None


def _with_ordinary(points: Points, assignment: Input) -> Input:
    """The input with 0.3 for each attribute that is a float: small inputs have 0, 1, and what is special."""
    made = dict(assignment)
    for variable in points.meaning.given:
        if _is_float(points, variable.name):
            assert isinstance(variable.sort, FloatSort)
            made[variable.name] = floats.from_float(variable.sort, 0.3)
    return made
