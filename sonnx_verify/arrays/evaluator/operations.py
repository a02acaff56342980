"""Operations of terms on whole arrays.

Mathematical integers are int64 where their bounds fit, else Python's; real numbers are Python's fractions. So both are
exact: a result that differs from that of the reference evaluator is a mistake, never rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial, reduce
from math import floor
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.known import DTYPES, bits_type, constant
from sonnx_verify.arrays.evaluator.loops import NoProgram
from sonnx_verify.arrays.partial.intervals import Interval, interval
from sonnx_verify.logic import enclosed, floats
from sonnx_verify.logic.algebraic import function_of
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import INT, REAL, FloatSort, IntegerSort, MinifloatSort
from sonnx_verify.logic.terms import ONE, Term, is_literal, sub
from sonnx_verify.results.dtypes import FOREIGN

Compute = Callable[..., Any]
# Half of what int64 holds: the sum or difference of two integers that fit does not overflow.
_WIDE = 1 << 62
_JUNCTIONS: dict[Op, Compute] = {Op.AND: np.logical_and, Op.OR: np.logical_or}
_SMALL = 1 << 10
"""The elements up to which one call of numpy costs more than what it does."""
_WORDS: dict[int, Any] = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
"""Integers of as many bytes as an element."""


def choose(condition: Any, first: Any, second: Any) -> Any:
    """The elements of the first array where a condition holds, and of the second elsewhere; only one of the arrays, as
    it is, where that is all that is chosen."""
    # Stand-ins for arrays are not looked at.
    if type(condition) is not np.ndarray:
        return _either(condition, first, second)
    if condition.size == 1 and type(first) is type(second) is np.ndarray:
        return first if condition.item() else second
    if not condition.any():
        return np.asanyarray(second)
    if condition.all():
        return np.asanyarray(first)
    return mixed(condition, first, second)


def mixed(condition: Any, first: Any, second: Any) -> Any:
    """The same where a condition holds for some elements, and not for all."""
    dtype = getattr(first, "dtype", None)
    if condition.size <= _SMALL or dtype is None or dtype != getattr(second, "dtype", None):
        return _either(condition, first, second)
    if dtype.hasobject or dtype.itemsize not in _WORDS:
        return _either(condition, first, second)
    # numpy's own choice jumps for each element: where conditions follow no pattern, that takes six times as long.
    word = _WORDS[dtype.itemsize]
    bits, base, other = _bits_of(condition), second.view(word), first.view(word)
    if other.size == 1 and not _is_zero(base):
        base, other = other, base
        mask = np.subtract(bits, 1).astype(word)
    else:
        mask = np.negative(bits).astype(word)
    # A single number as the base is a pass over memory less, and 0 is two.
    if _is_zero(base):
        return _joined(np.bitwise_and, other, mask).view(dtype)
    made = _joined(np.bitwise_and, np.bitwise_xor(other, base), mask)
    return _joined(np.bitwise_xor, base, made).view(dtype)


def _is_zero(word: Any) -> bool:
    return bool(word.size == 1 and word.item() == 0)


def _joined(function: Any, words: Any, made: Any) -> Any:
    """The function of two arrays; in the place of the second one where that has the size of the result: new memory
    costs as much as the work."""
    if words.shape == made.shape or (words.size == 1 and words.ndim <= made.ndim):
        return function(words, made, out=made)
    return function(words, made)


def _either(condition: Any, first: Any, second: Any) -> Any:
    """The same by numpy's own choice."""
    # Python's integers are no int64 where they do not fit.
    ways = [np.array(way, object) if type(way) is int and abs(way) >= _WIDE else way for way in (first, second)]
    return np.where(condition, *ways)


def _bits_of(condition: Any) -> Any:
    """Truth values as 0 and 1: an array that was made of a buffer may have any other byte for true."""
    return np.not_equal(condition.view(np.int8), 0).view(np.int8)


def magnitude_of(term: Term) -> Term | None:
    """The float of which a term is the magnitude: `if is_negative(x) then -x else x`."""
    condition, first, second = term.args
    if condition.op is not Op.IS_NEGATIVE or first.op is not Op.NEG or not second is first.args[0] is condition.args[0]:
        return None
    return second


def magnitude(x: Any) -> Any:
    """The magnitudes of floats; a NaN stays as it is."""
    made, nan = np.abs(x), np.isnan(x)
    if nan.any():
        np.copyto(made, x, where=nan)
    return made


def limiting(term: Term) -> Compute | None:
    """The greater or the less of two elements, where a term chooses it so: `if x < m then m else x` is the greater one
    of x and m, and x where x is NaN."""
    condition, first, second = term.args
    if condition.op is not Op.LESS or {first, second} != set(condition.args):
        return None
    return np.maximum if condition.args[1] is first else np.minimum


def is_limit(value: Any) -> bool:
    """A number that is no NaN and no zero: of a zero the choice depends on the sign, which numpy leaves open."""
    # A stand-in for an array is not looked at.
    if not isinstance(value, np.generic) and (type(value) is not np.ndarray or value.size != 1):
        return False
    number = value.item()
    return bool(number != 0) and bool(number == number)  # noqa: PLR0124 - NaN is not


_FUNCTIONS: dict[Op, Compute] = {Op.NOT: np.logical_not, Op.ITE: choose}
_ORDERED: dict[Op, Compute] = {Op.AT_MOST: np.less_equal, Op.LESS: np.less}
"""Comparisons of machine integers, and of floats as in IEEE 754: false if either is NaN."""
_FRACTION = np.frompyfunc(Fraction, 1, 1)
_FLOOR = np.frompyfunc(floor, 1, 1)
_ONE: Any = Fraction(1)
_REAL = np.frompyfunc(lambda x: Fraction(float(x)), 1, 1)


def operation(term: Term, args: Sequence[int], bounds: Mapping[str, Interval]) -> Callable[[Any, Any], Any]:
    """Return the step that computes a term from the values at the places `args`."""
    compute = compute_of(term, bounds)
    if len(args) == 1:
        (a,) = args
        return lambda frame, values: compute(values[a])
    if len(args) == 2:
        a, b = args
        return lambda frame, values: compute(values[a], values[b])
    return lambda frame, values: compute(*[values[a] for a in args])


def compute_of(term: Term, bounds: Mapping[str, Interval]) -> Compute:
    """Return the operation of a term on arrays of the values of its parts."""
    op = term.op
    if op is Op.LITERAL:
        return _literal(term)
    if op in _JUNCTIONS:
        join = _JUNCTIONS[op]
        return lambda *parts: reduce(join, parts)
    if op in _FUNCTIONS:
        return _FUNCTIONS[op]
    sort = term.args[0].sort
    if sort == INT:
        return _on_integers(term, bounds)
    if sort == REAL:
        return _on_reals(term)
    if op in _ORDERED:
        return _ORDERED[op]
    if op is Op.EQUAL:
        return _sameness(term)
    return _on_elements(term)


def _literal(term: Term) -> Compute:
    value = term.payload
    if term.sort not in (INT, REAL):
        value = constant(value, term.sort)
    return lambda: value


def _on_integers(term: Term, bounds: Mapping[str, Interval]) -> Compute:
    every: dict[Op, Compute] = {
        Op.PLUS: lambda *parts: reduce(np.add, parts),
        Op.TIMES: lambda *parts: reduce(np.multiply, parts),
        Op.DIV: lambda a, b: _euclid(a, b)[0],
        Op.MOD: lambda a, b: _euclid(a, b)[1],
        Op.EQUAL: np.equal,
        Op.AT_MOST: np.less_equal,
        Op.LESS: np.less,
        Op.WRAPPED: lambda a: _wrap(a, term.sort),
        Op.TO_REAL: lambda a: _FRACTION(a),
    }
    exact = every[term.op]
    # A sum of products is one term of many addends: each product has to fit too, or it overflows before the sum.
    inner = [term, *term.args]
    if term.op in (Op.DIV, Op.MOD):
        # No quotient is larger than what is divided, no remainder as large as the divisor.
        inner = list(term.args)
    for arg in term.args:
        inner += arg.args
    if all(_fits(a, bounds) for a in inner if a.sort == INT):
        if term.op in (Op.DIV, Op.MOD) and all(is_natural(a, bounds) for a in term.args):
            return _of_naturals(term, bounds)
        return exact
    return lambda *parts: exact(*[np.asarray(p, dtype=object) for p in parts])


def _fits(term: Term, bounds: Mapping[str, Interval]) -> bool:
    """The bounds of an integer show that it stays within 64 bits."""
    low, high = interval(term, bounds)
    if low is None or high is None:
        return False
    return low > -_WIDE and high < _WIDE


def is_natural(term: Term, bounds: Mapping[str, Interval]) -> bool:
    """The integer is not negative: its bounds say so, or the condition of a choice, as that of an absolute value."""
    low, _ = interval(term, bounds)
    if low is not None and low >= 0:
        return True
    if term.op is not Op.ITE:
        return False
    condition, *ways = term.args
    return all(_is_above(way, condition, bounds, truth=truth) for way, truth in zip(ways, (True, False), strict=True))


def _is_above(way: Term, condition: Term, bounds: Mapping[str, Interval], *, truth: bool) -> bool:
    """The integer is not negative where a condition has this truth value."""
    if condition.op is Op.NOT:
        condition, truth = condition.args[0], not truth
    if condition.op is not Op.AT_MOST or condition.args[0].sort != INT:
        return is_natural(way, bounds)
    # a <= b says that b - a is not negative; its denial, that a - b - 1 is not.
    small, large = condition.args
    known = sub(large, small) if truth else sub(sub(small, large), ONE)
    low, _ = interval(sub(way, known), bounds)
    return (low is not None and low >= 0) or is_natural(way, bounds)


def _of_naturals(term: Term, bounds: Mapping[str, Interval]) -> Compute:
    """Quotient or remainder of integers that are not negative, where all divisions agree. Of 32 bits they take a third
    of the time of 64."""
    highs = [interval(arg, bounds)[1] for arg in term.args]
    narrow = all(high is not None and high < 1 << 32 for high in highs)
    word: Any = np.uint32 if narrow else np.uint64
    function: Any = np.floor_divide if term.op is Op.DIV else np.remainder

    def compute(a: Any, b: Any) -> Any:
        # A guard keeps the place of a divisor of 0 from being used.
        made = function(np.asarray(a).astype(word), np.maximum(np.asarray(b).astype(word), 1))
        return made.astype(np.int64)

    return compute


def _euclid(a: Any, b: Any) -> tuple[Any, Any]:
    """Quotient and remainder, the latter not negative, as in SMT-LIB: 7 by -2 is -3, remainder 1, and -7 by -2 is 4,
    remainder 1; numpy's own remainder has the sign of the divisor. Anything where `b` is 0: an array is computed as a
    whole, and a guard keeps that place from being used."""
    safe = np.where(np.equal(b, 0), 1, b)
    remainder = np.mod(a, np.abs(safe))
    return np.floor_divide(np.subtract(a, remainder), safe), remainder


def _wrap(a: Any, sort: Any) -> Any:
    # Between integers of 64 bits and fewer numpy's conversion wraps. Python's integers it converts only if they fit.
    lowest, modulus = sort.lowest, 1 << sort.width
    if getattr(a, "dtype", None) == np.int64:
        return a.astype(DTYPES[sort])
    # Of an array without axes these are Python's integers, which numpy's functions would take for int64.
    return np.asarray((np.asarray(a, dtype=object) - lowest) % modulus + lowest, dtype=object).astype(DTYPES[sort])


def _on_reals(term: Term) -> Compute:
    # Comparisons of arrays of objects give arrays of objects.
    match term.op:
        case Op.PLUS:
            return lambda *parts: reduce(np.add, parts)
        case Op.TIMES:
            return lambda *parts: reduce(np.multiply, parts)
        case Op.EQUAL:
            return lambda a, b: np.equal(a, b).astype(bool)
        case Op.AT_MOST:
            return lambda a, b: np.less_equal(a, b).astype(bool)
        case Op.LESS:
            return lambda a, b: np.less(a, b).astype(bool)
        case Op.FLOOR:
            return lambda a: _FLOOR(a)
        case Op.REAL_FUNCTION:
            return _real_function(function_of(term))
        case Op.QUOTIENT:
            # An array is computed as a whole: where the divisor is 0, a guard keeps the place from being used.
            return lambda a, b: np.divide(a, np.where(np.equal(b, 0), _ONE, b))
        case Op.ROUNDED:
            return _rounding(term.sort)
        case _:
            raise NoProgram(f"unknown arithmetic of reals `{term.op}`")


def _real_function(function: RealFunction) -> Compute:
    def value(*xs: Any) -> Any:
        try:
            return enclosed.apply(function, *map(_real_number, xs))
        except ValueError:
            return Fraction(0)  # Outside the domain a guard keeps the place from being used.

    compute: Compute = np.frompyfunc(value, function.arity, 1)
    return compute


def _real_number(x: Any) -> Any:
    if isinstance(x, enclosed.Enclosed):
        return x
    return Fraction(x)


def _rounding(sort: Any) -> Compute:
    bits, dtype = bits_type(sort), DTYPES[sort]
    rounded = np.frompyfunc(lambda x: enclosed.round_to_nearest(sort, _real_number(x)), 1, 1)
    return lambda a: np.asarray(rounded(a), dtype=object).astype(bits).view(dtype)


def _float_to_float(source: FloatSort, sort: Any) -> Compute:
    """The conversion of a float to another type of floats."""
    dtype = DTYPES[sort]

    def direct(a: Any) -> Any:
        with np.errstate(over="ignore"):
            return a.astype(dtype)

    def twice(a: Any) -> Any:
        # The sign of a zero and of an infinity, and a NaN, are those of a conversion by way of float32.
        by_way = direct(a)
        exact = np.logical_and(np.isfinite(a), np.not_equal(a, 0))
        rounded = _rounding(sort)(_REAL(np.where(exact, a, 1).astype(np.float64)))
        return np.where(exact, rounded, by_way).astype(dtype)

    # ml_dtypes makes its floats of a double by way of float32, and rounds twice.
    if source.width == 64 and sort.name in FOREIGN:
        return twice
    return direct


def _sameness(term: Term) -> Compute:
    """`=` of elements, which is sameness: of floats a NaN is the same as any other, and -0 is another than +0. IEEE 754
    compares the other way round, so bits are compared."""
    sort = term.args[0].sort
    if not isinstance(sort, FloatSort):
        return np.equal
    bits = bits_type(sort)
    for n, arg in enumerate(term.args):
        if is_literal(arg):
            value = arg.payload
            assert isinstance(value, int)
            # Beside a literal one comparison does: of NaN, or of the bits of what is none.
            if floats.is_nan(sort, value):
                return lambda *parts, n=n: np.isnan(parts[1 - n])
            return lambda a, b: np.equal(a.view(bits), b.view(bits))

    def same(a: Any, b: Any) -> Any:
        return np.logical_or(np.equal(a.view(bits), b.view(bits)), np.logical_and(np.isnan(a), np.isnan(b)))

    return same


_PLAIN: dict[Op, Compute] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.NEG: np.negative,
    Op.IEEE_EQUAL: np.equal,
    Op.IS_NAN: np.isnan,
    Op.IS_INFINITE: np.isinf,
    Op.IS_ZERO: lambda a: np.equal(a, 0),
    Op.DIVIDE: np.divide,
    Op.SQRT: np.sqrt,
    Op.FMOD: np.fmod,
    Op.ROUND_EVEN: np.rint,
    Op.ROUND_UP: np.ceil,
    Op.ROUND_DOWN: np.floor,
    Op.ROUND_TO_ZERO: np.trunc,
}
"""Operations that numpy rounds once. Those of 16 bits it computes in 32, which are enough: sums, products, quotients
and roots rounded twice are the same where the wider format has two bits more than twice those of the narrower."""
_EXACT: dict[Op, Callable[..., int]] = {
    # A product of 16 bits is exact in 32, and its sum is not: rounded twice, a tie may be broken that is none.
    Op.FMA: floats.fused,
    # numpy's `remainder` has the sign of the divisor, IEEE's is the least in magnitude.
    Op.REMAINDER: floats.remainder,
    Op.ROUND_AWAY: partial(floats.round_to_integral, rounding=floats.Rounding.NEAREST_AWAY),
}


def _exactly(compute: Callable[..., int], sort: FloatSort) -> Compute:
    """An operation on floats by that of the reference evaluator, element by element."""
    bits, dtype = bits_type(sort), DTYPES[sort]
    each = {
        1: np.frompyfunc(lambda a: compute(sort, int(a)), 1, 1),
        2: np.frompyfunc(lambda a, b: compute(sort, int(a), int(b)), 2, 1),
        3: np.frompyfunc(lambda a, b, c: compute(sort, int(a), int(b), int(c)), 3, 1),
    }

    def run(*arrays: Any) -> Any:
        made = each[len(arrays)](*[np.asarray(a).view(bits) for a in arrays])
        return np.asarray(made, dtype=object).astype(bits).view(dtype)

    return run


def _has_sign(sort: FloatSort, *, negative: bool) -> Compute:
    """Return whether floats have that sign. As in SMT-LIB a NaN has none, whatever its sign bit."""
    bits = bits_type(sort)
    last = floats.greatest(sort) if isinstance(sort, MinifloatSort) else floats.infinity(sort)
    greatest = bits.type(last)
    if not negative:
        return lambda a: np.less_equal(np.asarray(a).view(bits), greatest)
    # The bits of negative floats, as integers with a sign, go from the least one up to those of the infinity.
    signed = np.dtype(f"i{bits.itemsize}")
    end = bits.type(last | floats.zero(sort, negative=True)).view(signed)
    return lambda a: np.less_equal(np.asarray(a).view(signed), end)


def _ordinals(sort: FloatSort) -> Compute:
    """The place of each float among all of its format; anything of NaN, which a guard keeps from being used."""
    magnitude = (1 << (sort.width - 1)) - 1

    def run(a: Any) -> Any:
        places = np.bitwise_and(np.asarray(a).view(bits_type(sort)), magnitude).astype(np.int64)
        return np.where(np.signbit(a), -places, places)

    return run


def _integer_to_float(sort: FloatSort) -> Compute:
    """A machine integer as the nearest float."""
    bits, dtype = bits_type(sort), DTYPES[sort]
    of_integer = np.frompyfunc(lambda a: floats.round_to_nearest(sort, Fraction(int(a))), 1, 1)
    return lambda a: np.asarray(of_integer(a), dtype=object).astype(bits).view(dtype)


def _on_elements(term: Term) -> Compute:
    sort = term.args[0].sort
    if term.op is Op.NEG and isinstance(sort, IntegerSort) and sort.width < 8:
        # numpy's negative of an int4 is an int8: that of -8 is 8, and of the uint4 1 it is -1.
        zero = DTYPES[sort].type(0)
        return lambda a: np.subtract(zero, a)
    if term.op in _PLAIN:
        return _PLAIN[term.op]
    if term.op in _EXACT:
        assert isinstance(sort, FloatSort)
        return _exactly(_EXACT[term.op], sort)
    match term.op:
        case Op.IS_NEGATIVE | Op.IS_POSITIVE:
            assert isinstance(sort, FloatSort)
            return _has_sign(sort, negative=term.op is Op.IS_NEGATIVE)
        case Op.TO_INT:
            assert isinstance(sort, IntegerSort)
            exact: Any = np.int64
            if sort.greatest >= _WIDE:
                exact = object
            return lambda a: a.astype(exact)
        case Op.TO_REAL:
            # NaN and infinities are no real numbers: a guard keeps their places from being used.
            return lambda a: _REAL(np.where(np.isfinite(a), a, DTYPES[sort].type(0)).astype(np.float64))
        case Op.CONVERTED if isinstance(sort, FloatSort):
            return _float_to_float(sort, term.sort)
        case Op.ORDINAL:
            assert isinstance(sort, FloatSort)
            return _ordinals(sort)
        case Op.CONVERTED:
            assert isinstance(term.sort, FloatSort)
            return _integer_to_float(term.sort)
        case _:
            raise NoProgram(f"`{term.op}` of {sort}")
