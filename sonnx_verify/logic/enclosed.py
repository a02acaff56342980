"""Real numbers that are no fractions: expressions over fractions and named functions, decided by enclosures.

An `Enclosed` mixes with Fraction in sums, products, quotients and comparisons. It is evaluated where a question is
asked: a comparison, a floor or a rounding encloses the value in a ball of FLINT's Arb, whose ends are exact binary
fractions, and takes ever more bits until every number in the ball has the same answer. A sign that `MOST_BITS` leave
open may follow from the ranges of functions (logic/ranges.py): tanh(10^30) < 1. So may a rounding: exp(exp(10000)) is
rounded to infinity. What is open then raises `Undecided`. So an answer is never a guess, and there need not be one: no
precision decides whether exp(1) * exp(-1) is 1.

Numbers a + sqrt(r) and a - sqrt(r) with fractions a and r have a normal form, and are compared with fractions, and with
each other where the roots have a rational ratio, by squaring: sqrt(2) * sqrt(2) is the fraction 2.

Trusted: the reference evaluator computes with it. It trusts FLINT for one thing, that a ball contains the value.
tests/logic/test_enclosed.py holds roundings against MPFR.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import count
from math import floor
from threading import RLock
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from sonnx_verify.errors import UserError
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.functions import RealFunction, in_domain, rational_value
from sonnx_verify.logic.ranges import Range, of_function
from sonnx_verify.logic.sorts import FloatSort, MinifloatSort

if TYPE_CHECKING:
    # Imported where a value is enclosed, and not before: it takes longer than all else that a command imports.
    from flint import arb

MOST_BITS = 4096
"""The greatest precision of an enclosure, in bits."""
_PRECISIONS = (64, 128, 256, 512, 1024, 2048, MOST_BITS)

FACTORS = 64
"""The greatest exponent whose powers are products, so that sqrt(2)^2 is the fraction 2, and x^3 is x * x * x.
Solvers are given fewer of them as products (logic/algebraic.py)."""

T = TypeVar("T")


class Undecided(Undefined):
    """Enclosures of `MOST_BITS` bits do not decide a question. The answer is unknown, and neither yes nor no."""


class UndecidedSign(Undecided):
    """A value rounds to a zero, and enclosures of `MOST_BITS` bits do not decide to which of the two."""


class MissingFlint(UserError):
    """FLINT, which encloses real numbers, cannot be imported."""

    def __init__(self) -> None:
        super().__init__(
            "the package python-flint is not installed; exp, log and other real functions need it",
            cure="pip install 'python-flint>=0.9,<1'",
        )

    def __reduce__(self) -> tuple[type[MissingFlint], tuple[()]]:
        # A worker process sends it back, and what is sent of an exception is what it was made of.
        return MissingFlint, ()


class _Operation(Enum):
    SUM = "sum"
    PRODUCT = "product"
    INVERSE = "inverse"


@dataclass(frozen=True, slots=True)
class _Surd:
    """The number `rational` + sqrt(`root`), or `rational` - sqrt(-`root`) where `root` is negative.

    The magnitude of `root` is no square of a fraction, so the number is irrational and has no other such form.
    """

    rational: Fraction
    root: Fraction


Head: TypeAlias = Fraction | _Surd | _Operation | RealFunction


class Enclosed:
    """A real number that is not known to be rational, as an expression. `apply` makes the first, arithmetic the others.

    Equal expressions are one object. Different ones are compared by their values, which may raise `Undecided`; so may a
    set or a dictionary of them. Division raises ZeroDivisionError, or `Undecided` where it is not decided whether the
    divisor is 0. What needs an enclosure raises MissingFlint without FLINT.
    """

    __slots__ = ("__weakref__", "head", "number", "operands")
    head: Head
    operands: tuple[Enclosed, ...]
    number: int

    def __new__(cls, head: Head, *operands: Enclosed) -> Enclosed:
        # By the numbers of the operands: dictionaries would compare the operands themselves by their values.
        key = (head, *(operand.number for operand in operands))
        found = _made.get(key)
        if found is None:
            found = object.__new__(cls)
            # Greater than those of its operands, and never given twice.
            found.head, found.operands, found.number = head, operands, next(_numbers)
            _made[key] = found
        return found

    def __reduce__(self) -> tuple[type[Enclosed], tuple[object, ...]]:
        return type(self), (self.head, *self.operands)

    def __repr__(self) -> str:
        # Operands by their numbers: written out, what is shared would be as long as 2 to the depth.
        operands = "".join(f" #{operand.number}" for operand in self.operands)
        return f"<Enclosed #{self.number}: {self.head}{operands}>"

    def __str__(self) -> str:
        """The first ten digits, for people."""
        return f"{refined(self, _digits, 'size')}..."

    def __add__(self, other: Operand) -> Value:
        return _sum(self, other) if isinstance(other, _OPERAND) else NotImplemented

    def __mul__(self, other: Operand) -> Value:
        return _product(self, other) if isinstance(other, _OPERAND) else NotImplemented

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Value:
        return _product(self, -1)

    def __abs__(self) -> Value:
        return -self if self < 0 else self

    def __sub__(self, other: Operand) -> Value:
        return _sum(self, -other) if isinstance(other, _OPERAND) else NotImplemented

    def __rsub__(self, other: Operand) -> Value:
        return -(self - other) if isinstance(other, _OPERAND) else NotImplemented

    def __truediv__(self, other: Operand) -> Value:
        if isinstance(other, Enclosed):
            return _product(self, _inverse(other))
        return _product(self, 1 / Fraction(other)) if isinstance(other, _OPERAND) else NotImplemented

    def __rtruediv__(self, other: Operand) -> Value:
        return _product(_inverse(self), other) if isinstance(other, _OPERAND) else NotImplemented

    def __lt__(self, other: Operand) -> bool:
        return _order(self, other) < 0 if isinstance(other, _OPERAND) else NotImplemented

    def __le__(self, other: Operand) -> bool:
        return _order(self, other) <= 0 if isinstance(other, _OPERAND) else NotImplemented

    def __gt__(self, other: Operand) -> bool:
        return _order(self, other) > 0 if isinstance(other, _OPERAND) else NotImplemented

    def __ge__(self, other: Operand) -> bool:
        return _order(self, other) >= 0 if isinstance(other, _OPERAND) else NotImplemented

    def __eq__(self, other: object) -> bool:
        return _order(self, other) == 0 if isinstance(other, _OPERAND) else NotImplemented

    def __hash__(self) -> int:
        # Only a number itself is ever found to be equal to it, so any number will do.
        return hash(self.number)

    def __bool__(self) -> bool:
        return self != 0

    def __floor__(self) -> int:
        return refined(self, _floor, "floor")


Value: TypeAlias = Fraction | Enclosed
"""A real number."""
Operand: TypeAlias = int | Value
_OPERAND = (int, Fraction, Enclosed)
_made: WeakValueDictionary[tuple[object, ...], Enclosed] = WeakValueDictionary()
_numbers = count()
_flint = RLock()
_limit: ContextVar[int] = ContextVar("limit", default=MOST_BITS)


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Inside, numbers of FLINT have so many bits, in one thread at a time. Raises ImportError without FLINT."""
    from flint import ctx

    # It is global in FLINT, for all threads, and counts for the ends of a ball too.
    with _flint, ctx.workprec(bits):
        yield


@contextmanager
def at_most(bits: int) -> Iterator[None]:
    """Enclose with at most so many bits: what is false is soon decided, and only what is true takes all of them."""
    token = _limit.set(bits)
    try:
        yield
    finally:
        _limit.reset(token)


def apply(function: RealFunction, *arguments: Operand) -> Value:
    """The value of the function at the arguments: a Fraction where it is known to be rational.

    Raises ValueError outside the domain, and `Undecided` where it is not decided whether the arguments are inside.
    """
    if function is RealFunction.POW:
        return _power(*map(_number, arguments))
    (x,) = arguments
    if isinstance(x, Enclosed):
        _check_domain(function, x)
        return Enclosed(function, x)
    x = Fraction(x)
    value = rational_value(function, x)
    if value is not None:
        return value
    if function is RealFunction.SQRT:
        return Enclosed(_Surd(Fraction(0), x))
    return Enclosed(function, Enclosed(x))


def _number(x: Operand) -> Value:
    return x if isinstance(x, Enclosed) else Fraction(x)


def _power(x: Value, y: Value) -> Value:
    if isinstance(y, Fraction):
        if isinstance(x, Fraction):
            value = rational_value(RealFunction.POW, x, y)
            if value is not None:
                return value
        if y.denominator == 1 and abs(y) <= FACTORS:
            return _whole_power(x, int(y))
        if y.denominator == 2 and isinstance(x, Fraction):
            # By its normal form a root is compared beyond any precision.
            square = rational_value(RealFunction.POW, x, 2 * y)
            if square is not None:
                return apply(RealFunction.SQRT, square)
    _check_base(x, y)
    # Else 0 or 1 would be enclosed, and nothing would decide that they are.
    if isinstance(x, Fraction) and x in (0, 1):
        return x
    return Enclosed(RealFunction.POW, _expression(x), _expression(y))


def _whole_power(x: Value, exponent: int) -> Value:
    made: Value = Fraction(1)
    for _ in range(abs(exponent)):
        made = made * x
    if exponent < 0:
        return 1 / made
    return made


def _check_base(x: Value, y: Value) -> None:
    """Raise ValueError where `x` has no power `y`, and `Undecided` where that is open."""
    if isinstance(y, Fraction) and y.denominator == 1 and y >= 0:
        return
    base = _sign(x)
    if base == 0 and _sign(y) < 0:
        raise ValueError(f"{RealFunction.POW} has no real value at 0 and a negative number")
    if base < 0 and not _is_whole(y):
        raise ValueError(f"{RealFunction.POW} has no real value at a negative number and a fraction")


def _is_whole(y: Value) -> bool:
    if isinstance(y, Fraction):
        return y.denominator == 1
    # Of what is no fraction it is decided only if it is none.
    return y == floor(y)


def _check_domain(function: RealFunction, x: Enclosed) -> None:
    # Of one number a domain is all reals or begins at 0, so the sign decides, but of 0. Of 0 it would be undecided.
    if not in_domain(function, Fraction(-1)) and _sign(x) < 0:
        raise ValueError(f"{function} has no real value at a negative number")


def round_to_nearest(sort: FloatSort, value: Value, *, negative_zero: bool = False) -> int:
    """The value of `sort` nearest to `value`, ties to even, as floats.round_to_nearest has it.

    Raises `Undecided` where that is not decided, and of this `UndecidedSign` where it is only the sign of a zero.
    `negative_zero` is the sign of the result for the Fraction 0.
    """
    if not isinstance(value, Enclosed):
        return floats.round_to_nearest(sort, value, negative_zero=negative_zero)
    # Both zeros are one answer here: a value may be near to 0 long before its sign is known.
    try:
        pattern = refined(value, lambda ball: _pattern(sort, ball), "rounding")
    except Undecided:
        # The exponent of exp(exp(10000)) is none of Arb: its ball has no ends, and its range begins beyond all floats.
        found = pattern_of_range(sort, _range(value))
        if found is None:
            raise
        pattern = found
    if not floats.is_zero(sort, pattern):
        return pattern
    try:
        return floats.zero(sort, negative=_sign(value) < 0)
    except Undecided:
        raise UndecidedSign(f"sign of a zero not decided at {MOST_BITS} bits") from None


# Normal forms.


def _surd_of(x: Operand) -> _Surd | None:
    """The normal form of `x`, with root 0 for a fraction, or None."""
    if not isinstance(x, Enclosed):
        return _Surd(Fraction(x), Fraction(0))
    if isinstance(x.head, _Surd):
        return x.head
    return None


@dataclass(frozen=True, slots=True)
class _Pair:
    """The numbers a + b sqrt(unit) and c + d sqrt(unit)."""

    a: Fraction
    b: Fraction
    c: Fraction
    d: Fraction
    unit: Fraction


def _pair(x: Enclosed, y: Operand) -> _Pair | None:
    """Two numbers in normal form over one root, or None where they have none in common."""
    first, second = _surd_of(x), _surd_of(y)
    if first is None or second is None:
        return None
    # `x` is irrational, so it has a root. That of a fraction is 0.
    unit = abs(first.root)
    b, d = _factor(first.root, unit), _factor(second.root, unit)
    if b is None or d is None:
        return None
    return _Pair(first.rational, b, second.rational, d, unit)


def _factor(root: Fraction, unit: Fraction) -> Fraction | None:
    """The fraction f with f |f| unit = root, if there is one: for -8 and 2 it is -2, as -sqrt(8) = -2 sqrt(2)."""
    ratio = rational_value(RealFunction.SQRT, abs(root) / unit)
    if ratio is not None and root < 0:
        return -ratio
    return ratio


def _normal(a: Fraction, b: Fraction, unit: Fraction) -> Value:
    """The number a + b sqrt(unit), for a unit that is no square."""
    if b == 0:
        return a
    return Enclosed(_Surd(a, b * abs(b) * unit))


# Arithmetic.


def _sum(x: Enclosed, y: Operand) -> Value:
    pair = _pair(x, y)
    if pair is not None:
        return _normal(pair.a + pair.c, pair.b + pair.d, pair.unit)
    # A comparison of what is no fraction would ask for an enclosure.
    if not isinstance(y, Enclosed) and y == 0:
        return x
    return Enclosed(_Operation.SUM, x, _expression(y))


def _product(x: Enclosed, y: Operand) -> Value:
    pair = _pair(x, y)
    if pair is not None:
        rational = pair.a * pair.c + pair.b * pair.d * pair.unit
        return _normal(rational, pair.a * pair.d + pair.b * pair.c, pair.unit)
    if not isinstance(y, Enclosed) and y == 0:
        return Fraction(0)
    if not isinstance(y, Enclosed) and y == 1:
        return x
    return Enclosed(_Operation.PRODUCT, x, _expression(y))


def _inverse(x: Enclosed) -> Enclosed:
    surd = _surd_of(x)
    if surd is None:
        # What is not told from 0 at any precision may be 0.
        _sign(x)
        return Enclosed(_Operation.INVERSE, x)
    # 1 / (a + b) = (a - b) / (a^2 - b^2). Here a is a fraction and b^2 is not the square of one, so they differ.
    norm = surd.rational**2 - abs(surd.root)
    return Enclosed(_Surd(surd.rational / norm, -surd.root / (norm * abs(norm))))


def _expression(x: Operand) -> Enclosed:
    if isinstance(x, Enclosed):
        return x
    return Enclosed(Fraction(x))


# Questions.


def _order(x: Enclosed, y: Operand) -> int:
    """The sign of x - y."""
    if x is y:
        return 0
    return _sign(x - y)


def _sign(x: Value) -> int:
    """-1, 0 or 1. Raises Undecided."""
    surd = _surd_of(x)
    if surd is None:
        assert isinstance(x, Enclosed)
        try:
            return refined(x, _sign_of_ball, "sign")
        except Undecided:
            sign = _range(x).sign()
            if sign is None:
                raise
            return sign
    rational, root = surd.rational, surd.root
    # The term of the greater magnitude decides. The two are equal only where both are 0.
    greater = rational if rational**2 > abs(root) else root
    return (greater > 0) - (greater < 0)


def _sign_of_ball(ball: arb) -> int | None:
    # Each of these is true only if it is so of every number in the ball.
    if ball > 0:
        return 1
    if ball < 0:
        return -1
    return None


def _range(value: Enclosed) -> Range:
    """A range of a value, from what is known of functions and from balls of few bits."""
    balls: dict[int, arb] = {}
    ranges: dict[int, Range] = {}
    with precision(_PRECISIONS[0]):
        for expression in _operands_first(value):
            operands = [operand.number for operand in expression.operands]
            ball = balls[expression.number] = _step(expression.head, [balls[n] for n in operands])
            known = _range_of(expression.head, [ranges[n] for n in operands])
            ranges[expression.number] = known.within(_ends(ball))
    return ranges[value.number]


def _range_of(head: Head, ranges: list[Range]) -> Range:
    match head:
        case Fraction():
            return Range(head, head)
        case _Surd():
            return Range()  # Its ball says enough.
        case _Operation.SUM:
            return ranges[0] + ranges[1]
        case _Operation.PRODUCT:
            return ranges[0] * ranges[1]
        case _Operation.INVERSE:
            return ranges[0].inverse()
        case RealFunction():
            return of_function(head, *ranges)


def _ends(ball: arb) -> Range:
    """A range of the numbers in a ball, without an end that would be a long fraction."""
    high = _low_end(-ball.upper())
    return Range(_low_end(ball.lower()), None if high is None else -high)


def _low_end(end: arb) -> Fraction | None:
    """A fraction that is not above an end."""
    if not end.is_finite():
        return None
    mantissa, exponent = map(int, end.man_exp())
    if exponent > MOST_BITS and mantissa > 0:
        return Fraction(1 << MOST_BITS)
    if abs(exponent) > MOST_BITS:
        return None
    return Fraction(mantissa) * Fraction(2) ** exponent


def pattern_of_range(sort: FloatSort, numbers: Range) -> int | None:
    """The float that every number of a range rounds to, or None; +0 for both zeros."""
    # Rounding is monotone, so where the end next to 0 is rounded to infinity, whatever is further out is so too.
    if numbers.low is not None and numbers.low > 0:
        pattern = floats.round_to_nearest(sort, numbers.low)
        if not floats.is_finite(sort, pattern):
            return pattern
    if numbers.high is not None and numbers.high < 0:
        pattern = floats.round_to_nearest(sort, numbers.high)
        if not floats.is_finite(sort, pattern):
            return pattern
    if numbers.low is None or numbers.high is None:
        return None
    low, high = floats.round_to_nearest(sort, numbers.low), floats.round_to_nearest(sort, numbers.high)
    # In a format without infinities all that is too great is one NaN: between two of them there may be floats.
    if floats.is_nan(sort, low) or floats.is_nan(sort, high):
        return None
    if floats.is_zero(sort, low) and floats.is_zero(sort, high):
        return floats.zero(sort)
    return low if low == high else None


def _digits(ball: arb) -> str | None:
    if not ball.is_finite() or ball.rel_accuracy_bits() < 40:
        return None
    return str(ball.mid().str(10, radius=False))


def _floor(ball: arb) -> int | None:
    integer = ball.floor().unique_fmpz()
    if integer is None:
        return None
    return int(integer)


def _pattern(sort: FloatSort, ball: arb) -> int | None:
    """The float that every number in the ball rounds to, or None; +0 for both zeros."""
    # Rounding is monotone, so both ends tell.
    low, high = _nearest(sort, ball.lower()), _nearest(sort, ball.upper())
    if low == high and low is not None:
        return floats.canonical(sort, low)
    return None


def _nearest(sort: FloatSort, end: arb) -> int | None:
    """The float nearest to the end of a ball, +0 for both zeros; None where there is no end. A NaN, of a number that a
    format without infinities does not reach, has the sign of the number: from below the lowest float to above the
    greatest there are floats."""
    if not end.is_finite():
        return None
    mantissa, exponent = map(int, end.man_exp())
    # 2^(size - 1) <= |end| < 2^size. The end of exp(10^6) has a short mantissa, and would be a fraction of a million
    # bits. What is far beyond the greatest float, or far below the least one, rounds as any such number.
    size = mantissa.bit_length() + exponent
    limit = (1 << sort.exponent) + sort.significand
    if mantissa == 0 or size < -limit:
        return floats.zero(sort)
    sign = floats.zero(sort, negative=mantissa < 0)
    if size > limit and isinstance(sort, MinifloatSort):
        return sign | floats.nan(sort)
    if size > limit:
        return sign | floats.infinity(sort)
    pattern = floats.round_scaled(sort, mantissa, exponent)
    if isinstance(sort, MinifloatSort) and floats.is_nan(sort, pattern):
        return sign | pattern
    return floats.zero(sort) if floats.is_zero(sort, pattern) else pattern


def refined(value: Enclosed, decide: Callable[[arb], T | None], question: str) -> T:
    """The first decision, by enclosures of growing precision. Raises Undecided and MissingFlint."""
    expressions = _operands_first(value)
    for bits in _PRECISIONS:
        if bits > _limit.get():
            break
        try:
            with precision(bits):
                decision = decide(_ball(expressions))
        except ImportError:
            raise MissingFlint() from None
        if decision is not None:
            return decision
    raise Undecided(f"{question} not decided at {MOST_BITS} bits")


def _operands_first(value: Enclosed) -> list[Enclosed]:
    """The expressions in `value`, each once and behind its operands."""
    # Not by recursion: a sum of thousands of terms is as deep.
    found = {value.number: value}
    todo = [value]
    while todo:
        for operand in todo.pop().operands:
            if operand.number not in found:
                found[operand.number] = operand
                todo.append(operand)
    return [found[number] for number in sorted(found)]


def _ball(expressions: list[Enclosed]) -> arb:
    """A ball that contains the value of the last expression. The others are its operands, in order."""
    balls: dict[int, arb] = {}
    for expression in expressions:
        operands = [balls[operand.number] for operand in expression.operands]
        balls[expression.number] = _step(expression.head, operands)
    return balls[expressions[-1].number]


def _step(head: Head, balls: list[arb]) -> arb:
    """A ball that contains the value of an operation on any numbers in the balls. NaN stands for every number."""
    match head:
        case Fraction():
            return ball_of_fraction(head)
        case _Surd(rational, root):
            magnitude = ball_of_fraction(abs(root)).sqrt()
            return ball_of_fraction(rational) + (magnitude if root > 0 else -magnitude)
        case _Operation.SUM:
            return balls[0] + balls[1]
        case _Operation.PRODUCT:
            return balls[0] * balls[1]
        case _Operation.INVERSE:
            return 1 / balls[0]
        case RealFunction.SQRT:
            return balls[0].sqrt()
        case RealFunction.EXP:
            return balls[0].exp()
        case RealFunction.LOG:
            return balls[0].log()
        case RealFunction.SIN:
            return balls[0].sin()
        case RealFunction.COS:
            return balls[0].cos()
        case RealFunction.TANH:
            return balls[0].tanh()
        case RealFunction.ERF:
            return balls[0].erf()
        case RealFunction.POW:
            return balls[0] ** balls[1]


def ball_of_fraction(x: Fraction) -> arb:
    """A ball that contains a fraction, which need not be a binary one."""
    from flint import arb, fmpq

    return arb(fmpq(x.numerator, x.denominator))
