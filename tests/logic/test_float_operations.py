"""Operations on floats that are rounded once, held against MPFR, and the arrays of the fast evaluator against both."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import gmpy2
import numpy as np
import pytest

from sonnx_verify.arrays.evaluator.known import DTYPES, bits_type
from sonnx_verify.arrays.evaluator.operations import operation
from sonnx_verify.logic import conversions, floats
from sonnx_verify.logic.elements import ARITY
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.operators import GROUPS, Group, Op
from sonnx_verify.logic.sorts import FLOATS, FloatSort
from sonnx_verify.logic.terms import Symbol, apply, converted, element, eq, integer, literal, lt, ordinal, subterms

# Formats without a type in numpy show that nothing hangs on one: 8 bits are tried on every value.
SMALL = (FloatSort("float8_e4m3", 4, 4),)
FORMATS = (*SMALL, *FLOATS)

ORACLE: dict[Op, Callable[..., Any]] = {
    Op.ADD: gmpy2.add,
    Op.SUB: gmpy2.sub,
    Op.MUL: gmpy2.mul,
    Op.DIVIDE: gmpy2.div,
    Op.SQRT: gmpy2.sqrt,
    Op.FMA: gmpy2.fma,
    Op.REMAINDER: gmpy2.remainder,
    Op.FMOD: gmpy2.fmod,
    Op.ROUND_EVEN: gmpy2.rint,
    Op.ROUND_AWAY: gmpy2.rint_round,
    Op.ROUND_UP: gmpy2.rint_ceil,
    Op.ROUND_DOWN: gmpy2.rint_floor,
    Op.ROUND_TO_ZERO: gmpy2.rint_trunc,
}


def context(sort: FloatSort) -> Any:
    """MPFR's arithmetic of a format: its exponents count the significand as a fraction below 1."""
    bias = (1 << (sort.exponent - 1)) - 1
    return gmpy2.context(
        precision=sort.significand, emax=bias + 1, emin=1 - bias - sort.significand + 2, subnormalize=True
    )


def to_mpfr(sort: FloatSort, bits: int) -> Any:
    """The value of a pattern."""
    if floats.is_nan(sort, bits):
        return gmpy2.nan()
    sign = -1 if floats.is_negative(sort, bits) else 1
    if floats.is_infinite(sort, bits):
        return gmpy2.inf(sign)
    if floats.is_zero(sort, bits):
        return gmpy2.zero(sign)
    value = floats.to_fraction(sort, bits)
    return gmpy2.mpfr(gmpy2.mpq(value.numerator, value.denominator))


def from_mpfr(sort: FloatSort, value: Any) -> int:
    """The pattern of a value that the format has."""
    if gmpy2.is_nan(value):
        return floats.nan(sort)
    negative = bool(gmpy2.is_signed(value))
    if gmpy2.is_infinite(value):
        return floats.infinity(sort, negative=negative)
    exact = Fraction(*map(int, value.as_integer_ratio()))
    return floats.round_to_nearest(sort, exact, negative_zero=negative)


def values(sort: FloatSort, rng: random.Random, count: int) -> list[int]:
    """The special values, then random patterns and integers near halves."""
    one, hidden = floats.from_float(sort, 1.0), 1 << (sort.significand - 1)
    found = [0, 1, hidden - 1, hidden, hidden + 1, one - 1, one, one + 1]
    found += [floats.from_float(sort, x) for x in (0.5, 1.5, 2.5)]
    found += [floats.greatest(sort), floats.infinity(sort)]
    found += [floats.negate(sort, bits) for bits in found]
    found.append(floats.nan(sort))
    while len(found) < count:
        found.append(floats.canonical(sort, rng.getrandbits(sort.width)))
        found.append(floats.from_float(sort, rng.randint(-40, 40) / 2))
        # Near one another, where remainders and sums have few bits.
        found.append(floats.canonical(sort, found[-2] ^ rng.getrandbits(2)))
    return found


def operands(op: Op, sort: FloatSort, rng: random.Random) -> list[tuple[int, ...]]:
    """Arguments of an operation: all there are where these are few, else pairs of special values and random ones."""
    arity = ARITY[op]
    if sort.width == 8 and arity == 1:
        return [(floats.canonical(sort, bits),) for bits in range(256)]
    some = values(sort, rng, 60)
    if arity < 3:
        return list(product(some[:32], repeat=arity))
    # Signs of zeros and of infinities meet in all ways.
    ends = [0, 1, floats.from_float(sort, 1.0), floats.infinity(sort)]
    ends += [floats.negate(sort, bits) for bits in ends]
    return [*product(ends, repeat=3), *(tuple(rng.choice(some) for _ in range(3)) for _ in range(800))]


@pytest.mark.thinned
@pytest.mark.parametrize("sort", FORMATS, ids=str)
@pytest.mark.parametrize("op", ORACLE, ids=str)
def test_rounded_once_as_mpfr_rounds(op: Op, sort: FloatSort) -> None:
    """Each operation gives MPFR's result, in the evaluator, and on arrays where numpy has the format."""
    rng = random.Random(f"{op} {sort}")
    cases = operands(op, sort, rng)
    symbols = [Symbol(f"a{n}", (), sort) for n in range(ARITY[op])]
    term = element(op, *map(apply, symbols))

    expected = []
    with gmpy2.context(context(sort)):
        for case in cases:
            expected.append(from_mpfr(sort, ORACLE[op](*(to_mpfr(sort, bits) for bits in case))))  # noqa: PERF401

    found = [evaluate(term, dict(zip(symbols, case, strict=True))) for case in cases]
    wrong = [(c, e, f) for c, e, f in zip(cases, expected, found, strict=True) if e != f]
    assert wrong == []
    if sort in DTYPES:
        assert _on_arrays(term, cases, sort) == expected


def _on_arrays(term: Any, cases: list[tuple[int, ...]], sort: FloatSort) -> list[int]:
    columns = [np.array(column, dtype=bits_type(sort)).view(DTYPES[sort]) for column in zip(*cases, strict=True)]
    compute = operation(term, range(len(columns)), {})
    with np.errstate(all="ignore"):
        made = compute(None, columns).view(bits_type(sort)).tolist()
    return [floats.canonical(sort, bits) for bits in made]


@pytest.mark.thinned
@pytest.mark.parametrize("target", FORMATS, ids=str)
@pytest.mark.parametrize("source", FORMATS, ids=str)
def test_conversions_round_once(source: FloatSort, target: FloatSort) -> None:
    """A float of another format is the nearest one, as MPFR has it. Double to float16 by way of float is not."""
    if source == target:
        pytest.skip("the same format")
    cases = values(source, random.Random(f"{source} {target}"), 150)
    symbol = Symbol("a", (), source)
    term = converted(apply(symbol), target)

    with gmpy2.context(context(target)):
        expected = [from_mpfr(target, _rounded(source, bits)) for bits in cases]

    assert [evaluate(term, {symbol: bits}) for bits in cases] == expected
    if source in DTYPES and target in DTYPES:
        column = np.array(cases, dtype=bits_type(source)).view(DTYPES[source])
        made = operation(term, [0], {})(None, [column]).view(bits_type(target)).tolist()
        assert made == expected


@pytest.mark.parametrize("target", ["float16", "bfloat16"])
def test_doubles_round_once_to_16_bits(target: str) -> None:
    """Just above the middle of two floats, by less than a float of 32 bits holds: the upper one is nearest."""
    double, sort = (next(s for s in FLOATS if s.name == name) for name in ("double", target))
    step = Fraction(1, 1 << (sort.significand - 1))
    bits = floats.round_to_nearest(double, 1 + step / 2 + Fraction(1, 1 << 30))
    column = np.array([bits], dtype=bits_type(double)).view(DTYPES[double])
    made = operation(converted(apply(Symbol("a", (), double)), sort), [0], {})(None, [column])

    assert floats.to_fraction(sort, floats.convert(double, bits, sort)) == 1 + step
    assert float(made[0]) == 1 + step


def _rounded(source: FloatSort, bits: int) -> Any:
    with gmpy2.context(context(source)):
        exact = to_mpfr(source, bits)
    # A sum with -0 rounds, and changes no value and no sign.
    return gmpy2.add(exact, gmpy2.zero(-1))


@pytest.mark.parametrize("sort", FORMATS, ids=str)
def test_places_of_floats(sort: FloatSort) -> None:
    """Places count the floats from zero on; what solvers are told of them is true of all floats, and of NaN too."""
    cases = [bits for bits in values(sort, random.Random(str(sort)), 60) if not floats.is_nan(sort, bits)]
    numbers = list(dict.fromkeys([*cases, *(floats.negate(sort, bits) for bits in cases)]))
    symbol = Symbol("a", (), sort)
    places = {bits: evaluate(ordinal(apply(symbol)), {symbol: bits}) for bits in numbers}

    assert places[1] == 1
    assert places[0] == places[floats.zero(sort, negative=True)] == 0
    assert places[floats.infinity(sort)] == places[floats.greatest(sort)] + 1
    for bits in numbers:
        assert places[floats.negate(sort, bits)] == -places[bits]
        assert ordinal(literal(bits, sort)) == integer(places[bits])
    for one, other in product(numbers[:30], repeat=2):
        assert (places[one] < places[other]) == floats.less(sort, one, other)
    with pytest.raises(Undefined):
        evaluate(ordinal(apply(symbol)), {symbol: floats.nan(sort)})
    if sort in DTYPES:
        column = np.array(numbers, dtype=bits_type(sort)).view(DTYPES[sort])
        assert operation(ordinal(apply(symbol)), [0], {})(None, [column]).tolist() == list(places.values())


@pytest.mark.parametrize("sort", FORMATS, ids=str)
def test_what_solvers_are_told_of_places_is_true(sort: FloatSort) -> None:
    """Each fact about places holds of floats, whatever place NaN is given."""
    a, b = Symbol("a", (), sort), Symbol("b", (), sort)
    one = literal(floats.from_float(sort, 1.0), sort)
    said = conversions.facts([lt(ordinal(apply(a)), ordinal(apply(b))), eq(apply(a), one)])
    guarded = [fact for fact in said if any(node.op is Op.ORDINAL for node in subterms(fact))]
    assert len(guarded) >= 6
    for x, y in product(values(sort, random.Random(f"places {sort}"), 24), repeat=2):
        assert all(evaluate(fact, {a: x, b: y}) for fact in guarded)


def test_every_operation_is_held() -> None:
    """No operation that rounds is left out."""
    assert GROUPS[Group.ROUNDED] <= set(ORACLE)
