"""Real expressions of floats that are rounded once, such as `T(1.0 / (1.0 + exp(-real(x))))`, on whole arrays.

A value is correctly rounded, so its bytes are the same on every machine, though numpy's exp differs from one to
another. The expression is enclosed by two doubles, and where both round to one float, that is it. All else is computed
exactly, element by element, as the reference evaluator does it: values next to a tie, zeros, and all results of type
double. Equal elements are computed once, and what has at most `TABLE` bits of input is kept in a table of the process.

Rests on one thing that is tested and not proved: that numpy's functions of doubles, and erf of Python's math module,
are off by at most 2^-45 of their value (for sin and cos of more than 1, by at most 2^-45).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.known import DTYPES, bits_type
from sonnx_verify.logic.algebraic import function_of
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, REAL, FloatSort
from sonnx_verify.logic.terms import Term

TABLE = 18
"""The most bits of input for which results are kept: one float of 16 bits, and two conditions."""
_OF_FUNCTION = 2.0**-45
_OF_ROUNDING = 2.0**-51
"""More than half a unit in the last place of a double, with room for the rounding of the end itself."""
_TINY = 2.0**-1000
"""More than what underflow takes away."""
_MOST = np.finfo(np.float64).max
_EXACT_INTEGERS = 1 << 53

Compute = Callable[..., Any]
Ends = tuple[Any, Any]
"""The lower and the upper ends of all elements; NaN where nothing is known."""


@dataclass(frozen=True, slots=True)
class Rounded:
    """A rounded expression: the terms that it takes its arrays from, and how it is computed from these."""

    leaves: tuple[Term, ...]
    compute: Compute


def correctly_rounded(term: Term, compute_of: Callable[[Term], Compute]) -> Rounded | None:
    """A term that rounds an expression of floats, integers and conditions; None of any other. `compute_of` gives the
    exact operation of a term on arrays of objects."""
    if term.op is not Op.ROUNDED or not isinstance(term.sort, FloatSort):
        return None
    steps = _Steps(compute_of)
    try:
        steps.place(term.args[0])
    except _NotOfFloats:
        return None
    if not steps.leaves:
        return None
    return Rounded(tuple(steps.leaves), _Expression(term, steps).compute)


class _NotOfFloats(Exception):  # noqa: N818 - it is no error
    """The expression has a part that is not computed here, such as a sum over an axis."""


class _Steps:
    """The operations of an expression in order, each with the places of its operands. A leaf is a step too."""

    def __init__(self, compute_of: Callable[[Term], Compute]) -> None:
        self._compute_of = compute_of
        self._places: dict[Term, int] = {}
        self.leaves: dict[Term, int] = {}
        self.of_leaf: list[int | None] = []
        self.terms: list[Term] = []
        self.operands: list[tuple[int, ...]] = []
        self.exact: list[Compute | None] = []

    def place(self, term: Term) -> int:
        """The place of a real, or of what one is made of."""
        if term in self._places:
            return self._places[term]
        if self._is_leaf(term):
            self.of_leaf.append(self.leaves.setdefault(term, len(self.leaves)))
            self._add(term, (), None)
        else:
            operands = tuple([self.place(arg) for arg in term.args])
            self.of_leaf.append(None)
            self._add(term, operands, self._compute_of(term))
        return self._places[term]

    def _add(self, term: Term, operands: tuple[int, ...], exact: Compute | None) -> None:
        self.terms.append(term)
        self.operands.append(operands)
        self.exact.append(exact)
        self._places[term] = len(self.terms) - 1

    @staticmethod
    def _is_leaf(term: Term) -> bool:
        if term.sort == REAL:
            if term.op in _ENCLOSED:
                return False
            raise _NotOfFloats
        return True

    def key(self) -> tuple[object, ...]:
        """What tells this expression from any other, whatever its leaves are read from."""
        described: list[object] = []
        for term, operands, leaf in zip(self.terms, self.operands, self.of_leaf, strict=True):
            if leaf is None:
                described.append((term.op, term.payload, operands))
            else:
                described.append((leaf, term.sort))
        return tuple(described)


class _Expression:
    """A rounded expression on arrays."""

    def __init__(self, term: Term, steps: _Steps) -> None:
        assert isinstance(term.sort, FloatSort)
        self._sort, self._steps = term.sort, steps
        self._bits, self._dtype = bits_type(self._sort), DTYPES[self._sort]
        self._widths = [_width(leaf) for leaf in steps.leaves]
        self._key = (self._sort, steps.key())
        self._round = steps._compute_of(term)

    def compute(self, *leaves: Any) -> Any:
        """The rounded values on arrays of the leaves, as bits are of the type."""
        arrays = np.broadcast_arrays(*[np.asarray(leaf) for leaf in leaves])
        shape = arrays[0].shape
        flat = [array.reshape(-1) for array in arrays]
        width = sum(self._widths)
        if width <= TABLE:
            made = self._by_table(flat, width)
        elif self._sort.width > 32:
            made = self._each_once(flat)
        else:
            made = self._by_ends(flat)
        return made.view(self._dtype).reshape(shape)

    def _by_table(self, flat: Sequence[Any], width: int) -> Any:
        table, known = _tables.setdefault(self._key, (np.zeros(1 << width, self._bits), np.zeros(1 << width, bool)))
        keys = self._keys(flat)
        new, first = np.unique(keys[~known[keys]], return_index=True)
        if new.size:
            places = np.flatnonzero(~known[keys])[first]
            table[new] = self._by_ends([array[places] for array in flat])
            # Known only now: an element without a result raises, and has none the next time either.
            known[new] = True
        return table[keys]

    def _by_ends(self, flat: Sequence[Any]) -> Any:
        if self._sort.width > 32:
            return self._exactly(flat)
        with np.errstate(all="ignore"):
            low, high = self._ends(flat)
            below, above = (_nearest(end, self._sort).view(self._bits) for end in (low, high))
            # The sign of a zero is known only of what is on one side of 0.
            sided = (below << 1 != 0) | (low >= 0) | (high < 0)
            decided = (below == above) & sided & (low <= high)
        open_ = np.flatnonzero(~decided)
        if open_.size:
            below[open_] = self._each_once([array[open_] for array in flat])
        return below

    def _each_once(self, flat: Sequence[Any]) -> Any:
        """The exact results, of equal elements computed once."""
        if sum(self._widths) > 64:
            return self._exactly(flat)
        _, first, back = np.unique(self._keys(flat), return_index=True, return_inverse=True)
        return self._exactly([array[first] for array in flat])[back]

    def _keys(self, flat: Sequence[Any]) -> Any:
        """The bits of all leaves side by side."""
        keys = np.zeros(flat[0].shape, np.uint64)
        for array, width in zip(flat, self._widths, strict=True):
            word = array if array.dtype.kind in "biu" else np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
            keys = (keys << np.uint64(width % 64)) | word.astype(np.uint64)
        return keys

    def _exactly(self, flat: Sequence[Any]) -> Any:
        steps = self._steps
        made: list[Any] = []
        for exact, operands, leaf in zip(steps.exact, steps.operands, steps.of_leaf, strict=True):
            if leaf is not None:
                made.append(flat[leaf])
                continue
            assert exact is not None
            made.append(exact(*[made[n] for n in operands]))
        return np.broadcast_to(np.asarray(self._round(made[-1])).view(self._bits), flat[0].shape)

    def _ends(self, flat: Sequence[Any]) -> Ends:
        steps = self._steps
        made: list[Any] = []
        for term, operands, leaf in zip(steps.terms, steps.operands, steps.of_leaf, strict=True):
            if leaf is not None:
                made.append(flat[leaf])
            else:
                made.append(_ENCLOSED[term.op](term, *[made[n] for n in operands]))
        low, high = made[-1]
        return np.broadcast_to(low, flat[0].shape), np.broadcast_to(high, flat[0].shape)


_tables: dict[object, tuple[Any, Any]] = {}


def _width(leaf: Term) -> int:
    if leaf.sort == BOOL:
        return 1
    if isinstance(leaf.sort, FloatSort):
        return leaf.sort.width
    return 65  # An integer may have any size: such elements are not told apart by bits.


def _nearest(values: Any, sort: FloatSort) -> Any:
    """The float nearest to each double."""
    if sort.significand != 8:
        return values.astype(DTYPES[sort])
    # ml_dtypes makes a bfloat16 by way of float32, and rounds twice. To odd first, the last bit says whether anything
    # was cut off, so that the second rounding sees on which side of a tie the value is.
    single = values.astype(np.float32)
    single = np.where(np.abs(single) > np.abs(values), np.nextafter(single, np.float32(0)), single)
    odd = np.where(single == values, single.view(np.uint32), single.view(np.uint32) | np.uint32(1))
    return odd.view(np.float32).astype(DTYPES[sort])


# ------------------------------------------------------------------------------------------------------------- ends


def _outward(low: Any, high: Any, relative: float, least: float = -np.inf, most: float = np.inf) -> Ends:
    """Ends moved outward by what the computation may be off, but not beyond what the value can be."""
    low = low - (np.abs(low) * relative + _TINY)
    high = high + (np.abs(high) * relative + _TINY)
    # No double is as large as the infinity that a computation gives: the value is only above the greatest.
    low, high = np.where(low == np.inf, _MOST, low), np.where(high == -np.inf, -_MOST, high)
    # Not by + 0.0 alone: the maximum of -0 and +0 is either.
    return np.maximum(low, least) + 0.0, np.minimum(high, most) + 0.0


def _literal(term: Term) -> Ends:
    number = term.payload
    assert isinstance(number, Fraction)
    try:
        near = float(number)
    except OverflowError:
        return np.float64(np.nan), np.float64(np.nan)
    if Fraction(near) == number:
        return np.float64(near), np.float64(near)
    return np.nextafter(near, -np.inf), np.nextafter(near, np.inf)


def _leaf(term: Term, array: Any) -> Ends:
    (leaf,) = term.args
    if isinstance(leaf.sort, FloatSort):
        # NaN and infinities are no real numbers: a guard keeps their places from being used.
        exact = np.where(np.isfinite(array), array, array.dtype.type(0)).astype(np.float64)
        return exact + 0.0, exact + 0.0  # The real of -0 is 0.
    if array.dtype == object:
        return np.full(array.shape, np.nan), np.full(array.shape, np.nan)
    exact = np.where(np.abs(array) <= _EXACT_INTEGERS, array.astype(np.float64), np.nan)
    return exact, exact


def _sum(term: Term, *parts: Ends) -> Ends:
    return reduce(lambda a, b: _outward(a[0] + b[0], a[1] + b[1], _OF_ROUNDING), parts)


def _corners(operation: Compute, a: Ends, b: Ends) -> Ends:
    """The least and the greatest of what an operation, monotone in each operand, gives at the ends."""
    found = [operation(x, y) for x in a for y in b]
    return reduce(np.minimum, found), reduce(np.maximum, found)


def _product(term: Term, *parts: Ends) -> Ends:
    return reduce(lambda a, b: _outward(*_corners(np.multiply, a, b), _OF_ROUNDING), parts)


def _quotient(term: Term, a: Ends, b: Ends) -> Ends:
    low, high = _outward(*_corners(np.divide, a, b), _OF_ROUNDING)
    outside = (b[0] > 0) | (b[1] < 0)
    return np.where(outside, low, np.nan), np.where(outside, high, np.nan)


def _chosen(term: Term, condition: Any, a: Ends, b: Ends) -> Ends:
    return np.where(condition, a[0], b[0]), np.where(condition, a[1], b[1])


_erf = np.frompyfunc(math.erf, 1, 1)
_GROWING: Mapping[RealFunction, tuple[Compute, float, float]] = {
    RealFunction.SQRT: (np.sqrt, 0.0, np.inf),
    RealFunction.EXP: (np.exp, 0.0, np.inf),
    RealFunction.LOG: (np.log, -np.inf, np.inf),
    RealFunction.TANH: (np.tanh, -1.0, 1.0),
    RealFunction.ERF: (lambda x: np.asarray(_erf(x), dtype=np.float64), -1.0, 1.0),
}
"""Functions that grow, and the least and the greatest values."""


def in_domain(function: RealFunction, x: Any) -> Any:
    """Whether each number is in the domain of a function of one; of NaN nothing is known."""
    match function:
        case RealFunction.SQRT:
            return ~(x < 0)
        case RealFunction.LOG:
            return ~(x <= 0)
        case _:
            return np.ones_like(x, bool)


_WAVES: Mapping[RealFunction, Compute] = {RealFunction.SIN: np.sin, RealFunction.COS: np.cos}


def _function(term: Term, *arguments: Ends) -> Ends:
    function = function_of(term)
    if function is RealFunction.POW:
        return _power(*arguments)
    ((low, high),) = arguments
    if function in _GROWING:
        compute, least, most = _GROWING[function]
        low, high = _outward(compute(low), compute(high), _OF_FUNCTION, least, most)
        # Outside the domain a guard keeps the place from being used; it has 0, as where it is computed exactly.
        outside = ~in_domain(function, arguments[0][1])
        return np.where(outside, 0.0, low), np.where(outside, 0.0, high)
    middle, radius = (low + high) / 2, (high - low) * (1 + _OF_ROUNDING)
    value = _WAVES[function](middle)
    # Neither changes faster than its argument. Beyond 1 numpy is not trusted with the digits of what is almost 0.
    error = np.where(np.abs(middle) <= 1, np.abs(value), 1.0) * _OF_FUNCTION + _OF_ROUNDING * np.abs(middle) * (
        radius > 0
    )
    return _outward(value - radius - error, value + radius + error, _OF_ROUNDING, -1.0, 1.0)


def _power(base: Ends, exponent: Ends) -> Ends:
    # Of a positive base it is monotone in each operand. Of any other only single numbers are computed.
    points = (base[0] == base[1]) & (exponent[0] == exponent[1])
    low, high = _corners(np.power, base, exponent)
    positive = base[0] > 0
    known = (positive | points) & ~((base[0] == 0) & (exponent[0] < 0))
    low, high = np.where(known, low, np.nan), np.where(known, high, np.nan)
    low, high = _outward(low, high, _OF_FUNCTION)
    return np.where(positive, np.maximum(low, 0.0), low), high


_ENCLOSED: Mapping[Op, Callable[..., Ends]] = {
    Op.LITERAL: _literal,
    Op.TO_REAL: _leaf,
    Op.PLUS: _sum,
    Op.TIMES: _product,
    Op.QUOTIENT: _quotient,
    Op.ITE: _chosen,
    Op.REAL_FUNCTION: _function,
}
"""The ends of each operation on reals, from those of its operands."""
