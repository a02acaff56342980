"""Real functions by enclosures: held against MPFR, which rounds correctly and was written independently of Arb."""

from __future__ import annotations

import math
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from math import floor, isqrt, prod
from operator import add, eq, ge, gt, le, lt, mul, sub, truediv
from typing import Any

import flint
import gmpy2
import ml_dtypes
import numpy as np
import pytest

from sonnx_verify.logic import decimals, enclosed, floats
from sonnx_verify.logic.enclosed import Enclosed, MissingFlint, Undecided, UndecidedSign, apply, round_to_nearest
from sonnx_verify.logic.functions import RealFunction, in_domain, rational_value
from sonnx_verify.logic.ranges import Range
from sonnx_verify.logic.sorts import FLOATS, MINIFLOATS, FloatSort

BFLOAT16, FLOAT16, FLOAT, DOUBLE, FLOAT8 = FLOATS
SQRT, EXP, LOG, SIN, COS, TANH, ERF, POW = RealFunction
OF_ONE = [function for function in RealFunction if function.arity == 1]
MPFR = {
    SQRT: gmpy2.sqrt,
    EXP: gmpy2.exp,
    LOG: gmpy2.log,
    SIN: gmpy2.sin,
    COS: gmpy2.cos,
    TANH: gmpy2.tanh,
    ERF: gmpy2.erf,
}
DTYPES = {
    BFLOAT16: np.dtype(ml_dtypes.bfloat16),
    FLOAT8: np.dtype(ml_dtypes.float8_e5m2),
    FLOAT16: np.dtype(np.float16),
    FLOAT: np.dtype(np.float32),
    DOUBLE: np.dtype(np.float64),
}
WORDS = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}

each_sort = pytest.mark.parametrize("sort", FLOATS, ids=str)
each_function = pytest.mark.parametrize("function", OF_ONE, ids=str)

ROOT_OF_2 = apply(SQRT, Fraction(2))
E = apply(EXP, Fraction(1))
ONE = E * apply(EXP, Fraction(-1))
"""The number 1, which no enclosure tells from its neighbours."""


def mpfr_context(sort: FloatSort) -> Any:
    """MPFR's arithmetic in a format of IEEE 754. Its significands are below 1, so its exponents are greater by one."""
    greatest = 1 << (sort.exponent - 1)
    return gmpy2.context(
        precision=sort.significand, emax=greatest, emin=4 - greatest - sort.significand, subnormalize=True
    )


def wide() -> Any:
    """Arithmetic of 500 bits, far beyond what any value of these tests needs."""
    return gmpy2.context(precision=500, emax=1 << 40, emin=-(1 << 40))


def nearest_of_mpfr(sort: FloatSort, function: RealFunction, numbers: list[float]) -> list[int]:
    """The patterns of the values at numbers that the format has."""
    with mpfr_context(sort):
        values = [float(MPFR[function](gmpy2.mpfr(x))) for x in numbers]
    # Exact: what a format has double has too.
    patterns: list[int] = np.array(values).astype(DTYPES[sort]).view(WORDS[sort.width]).tolist()
    return patterns


def special_patterns(sort: FloatSort) -> Iterator[int]:
    """Values at which rounding, or a function, changes its ways, with their neighbours."""
    greatest, normal = floats.greatest(sort), 1 << (sort.significand - 1)
    limit = float(floats.overflow_threshold(sort)) if sort != DOUBLE else sys.float_info.max
    least = math.log(float(floats.to_fraction(sort, floats.smallest_subnormal(sort))))
    numbers = [0.5, 1.0, 2.0, 4.0, math.pi, math.pi / 2, math.log(limit), -least, -least + math.log(2)]
    # Where tanh and erf round to 1, and where sin(x), tanh(x) and x round differently for the first time.
    numbers += [
        sort.significand * math.log(2) / 2,
        math.sqrt(sort.significand * math.log(2)),
        2 ** (-sort.significand / 2),
    ]
    for center in (1, normal, greatest, *(floats.from_float(sort, x) for x in numbers)):
        for magnitude in range(max(center - 1, 1), min(center + 1, greatest) + 1):
            yield magnitude
            yield floats.negate(sort, magnitude)
    yield floats.zero(sort)


def random_patterns(sort: FloatSort, count: int, seed: str) -> Iterator[int]:
    """Half of them of any exponent, the others near 1, where all functions have values that are not trivial."""
    source = random.Random(seed)
    one = floats.from_float(sort, 1.0)
    near = 6 << (sort.significand - 1)
    for k in range(count):
        magnitude = source.randint(one - near, one + near) if k % 2 else source.randint(1, floats.greatest(sort))
        yield floats.negate(sort, magnitude) if source.random() < 0.5 else magnitude


def check_against_mpfr(sort: FloatSort, function: RealFunction, patterns: Iterator[int]) -> int:
    """The number of values that were compared: where there is none at x it is the value at -x."""
    doubles = np.array([*patterns], dtype=WORDS[sort.width]).view(DTYPES[sort]).astype(np.float64).tolist()
    numbers = [x if in_domain(function, Fraction(x)) else -x for x in doubles if x != 0 or function is not LOG]
    for x, expected in zip(numbers, nearest_of_mpfr(sort, function, numbers), strict=True):
        assert round_to_nearest(sort, apply(function, Fraction(x))) == expected, x
    return len(numbers)


@each_sort
@each_function
def test_special_values_round_as_in_mpfr(sort: FloatSort, function: RealFunction) -> None:
    """Ends, subnormals, 1, and where a function over- or underflows or rounds to 1: 0 differences."""
    assert check_against_mpfr(sort, function, special_patterns(sort)) > 80


@each_sort
@each_function
def test_random_values_round_as_in_mpfr(sort: FloatSort, function: RealFunction) -> None:
    """0 differences."""
    assert check_against_mpfr(sort, function, random_patterns(sort, 300, f"{sort} {function}")) == 300


@pytest.mark.soak
@each_sort
@each_function
def test_many_values_round_as_in_mpfr(sort: FloatSort, function: RealFunction) -> None:
    """100,000 values in all formats and functions, other ones on every run: 0 differences."""
    seed = f"{random.randrange(1 << 32)} {sort} {function}"
    print("seed", seed)
    assert check_against_mpfr(sort, function, random_patterns(sort, 3572, seed)) == 3572


# ---------------------------------------------------------------------------------------------------------- powers

SIX = (*FLOATS, FloatSort("five_bits", 5, 3), FloatSort("nineteen_bits", 8, 11))
"""The formats of the language, one of 8 bits, and one of 19."""
each_of_six = pytest.mark.parametrize("sort", SIX, ids=str)
SHORT = [Fraction(n, d) for n in range(-7, 8) for d in (1, 2, 4, 8)]


def number_of(sort: FloatSort, bits: int) -> Fraction:
    return floats.to_fraction(sort, bits)


def some_powers(sort: FloatSort, count: int, seed: str) -> Iterator[tuple[Fraction, Fraction]]:
    """Bases and exponents in the domain: ends, exponents that are whole or halves, and such that the power is near to
    the ends of the format, or close to 1."""
    source = random.Random(seed)
    special = [number_of(sort, bits) for bits in special_patterns(sort)]
    anywhere = [number_of(sort, bits) for bits in random_patterns(sort, count, seed)]
    for n, x in enumerate([*special, *anywhere]):
        near = Fraction(source.choice((-1, 1)) * 2 ** (sort.exponent - 1) * source.randint(1, 9), 8)
        size = abs(x.numerator).bit_length() - x.denominator.bit_length()
        # The power is about 2^near.
        aimed = number_of(sort, floats.round_to_nearest(sort, near / size if size else near))
        for y in (source.choice(SHORT), aimed, source.choice(special), anywhere[n % count]):
            yield (x if in_domain(POW, x, y) else abs(x)), (abs(y) if x == 0 else y)


def check_powers(sort: FloatSort, pairs: Iterator[tuple[Fraction, Fraction]]) -> int:
    compared = 0
    for x, y in pairs:
        # MPFR has doubles as operands; each format here has fewer bits and smaller exponents.
        with mpfr_context(sort):
            expected = gmpy2.mpfr(float(x)) ** gmpy2.mpfr(float(y))
        found = round_to_nearest(sort, apply(POW, x, y))
        if not gmpy2.is_finite(expected):
            assert found == floats.infinity(sort, negative=expected < 0), (x, y)
        else:
            exact = Fraction(*expected.as_integer_ratio())
            assert number_of(sort, found) == exact, (x, y)
            assert floats.is_negative(sort, found) == gmpy2.is_signed(expected), (x, y)
        compared += 1
    return compared


@each_of_six
def test_powers_round_as_in_mpfr(sort: FloatSort) -> None:
    """Ends, subnormals, over- and underflow, powers close to 1, whole exponents of negative numbers: 0 differences."""
    assert check_powers(sort, some_powers(sort, 120, f"powers {sort}")) > 500


@pytest.mark.soak
@each_of_six
def test_many_powers_round_as_in_mpfr(sort: FloatSort) -> None:
    """60,000 powers in all formats, other ones on every run: 0 differences."""
    seed = f"{random.randrange(1 << 32)} {sort}"
    print("seed", seed)
    assert check_powers(sort, some_powers(sort, 2500, seed)) > 10000


def test_rational_powers_are_exact() -> None:
    """Every x^(p/q) that is rational is found, and its power by q is that of x by p: products, roots and both."""
    small = {Fraction(n, d) for n in range(28) for d in range(1, 28)}
    powers = {degree: {x**degree for x in small} for degree in (1, 2, 3, 4, 6)}
    found = 0
    for x in sorted({Fraction(n, d) for n in range(-9, 28) for d in (1, 4, 8, 27)}):
        for y in sorted({Fraction(p, q) for p in (-5, -2, -1, 0, 1, 3, 4) for q in powers}):
            if not in_domain(POW, x, y):
                continue
            value = rational_value(POW, x, y)
            if value is None:
                assert x not in powers[y.denominator], (x, y)
                continue
            found += 1
            assert value**y.denominator == x**y.numerator, (x, y)
            assert value >= 0 or (x < 0 and y.denominator == 1)
    assert found > 600


def test_powers_that_are_ties() -> None:
    """A square halfway between two floats, and half of the least float: no enclosure would decide these."""
    for sort in SIX:
        odd = next(n for n in range(1, 1 << 30, 2) if (n * n).bit_length() == sort.significand + 1)
        for x, y in ((odd, 2), (odd**2, 1), (odd**4, Fraction(1, 2)), (Fraction(1, odd**2), -1)):
            expected = floats.round_to_nearest(sort, Fraction(odd**2))
            assert round_to_nearest(sort, apply(POW, x, y)) == expected
        tiny = floats.to_fraction(sort, floats.smallest_subnormal(sort)) / 2
        places = tiny.denominator.bit_length() - 1
        assert round_to_nearest(sort, apply(POW, 2, -places)) == floats.zero(sort)
        assert round_to_nearest(sort, apply(POW, Fraction(1, 4), Fraction(places, 2))) == floats.zero(sort)
        assert round_to_nearest(sort, apply(POW, tiny / 2, Fraction(places, places + 1))) == floats.zero(sort)


def test_the_domain_of_powers() -> None:
    """Of 0 the powers are 0 and 1, a negative number has whole ones alone, as in MPFR."""
    numbers = [Fraction(n, 2) for n in (-4, -2, -1, 0, 1, 2, 6)]
    for x in numbers:
        for y in (*numbers, Fraction(1, 4), Fraction(1 << 2000), Fraction(-(1 << 2000) - 1)):
            real = bool(gmpy2.is_finite(gmpy2.mpfr(float(x)) ** gmpy2.mpfr(gmpy2.mpq(y)))) or abs(y) > 9
            real = real and not (x == 0 and y < 0)
            assert in_domain(POW, x, y) == real, (x, y)
            if not real:
                with pytest.raises(ValueError, match="pow has no real value at"):
                    apply(POW, x, y)
    assert apply(POW, 0, 0) == 1
    assert apply(POW, -1, 1 << 2000) == 1
    assert apply(POW, -1, (1 << 2000) + 1) == -1


def test_powers_that_are_no_fractions() -> None:
    """Products of what is enclosed, roots by their normal form, and powers of which only the rounding is known."""
    assert apply(POW, ROOT_OF_2, 2) == 2
    assert apply(POW, ROOT_OF_2, -4) == Fraction(1, 4)
    assert apply(POW, 2, Fraction(3, 2)) is 2 * ROOT_OF_2
    assert apply(POW, E, 3) is E * E * E
    assert apply(POW, E, 0) == 1
    for number in (0, 1):
        assert type(apply(POW, number, E)) is Fraction
        assert apply(POW, number, E) == number
    assert type(apply(POW, 3, 5000)) is Enclosed
    assert apply(POW, 3, 5000) < apply(POW, 3, 5001) < apply(POW, 4, 5000)
    assert apply(POW, -3, 5001) < 0 < apply(POW, -3, 5000)
    assert 23 < apply(POW, E, apply(LOG, Fraction(24))) < 25
    assert -1 < apply(POW, -E, -65) < 0 < apply(POW, -E, -66) < 1
    outside: list[tuple[Any, Any]] = [(-E, Fraction(1, 2)), (-E, E), (-2, ROOT_OF_2), (0, -E), (-2, ROOT_OF_2 + E)]
    for x, y in outside:
        with pytest.raises(ValueError, match="pow has no real value at"):
            apply(POW, x, y)
    undecided: list[tuple[Any, Any]] = [(ONE - 1, Fraction(1, 2)), (0, ONE - 1), (-2, ONE), (ONE - 1, -2)]
    for x, y in undecided:
        with pytest.raises(Undecided):
            apply(POW, x, y)


# ---------------------------------------------------------------------------------------- ends that are never reached


def test_open_ends_decide() -> None:
    """Functions stay within their ranges also where no enclosure tells them from the ends."""
    far = Fraction(10**30)
    tiny = apply(EXP, -far)

    for function in (TANH, ERF):
        assert -1 < apply(function, -far) < 0 < apply(function, far) < 1
        assert apply(function, tiny) > 0 > apply(function, -tiny)
        assert apply(LOG, 1 - apply(function, far)) < 0
    assert 0 < tiny < 1 < 1 + tiny
    assert apply(EXP, -tiny) < 1 < apply(EXP, tiny)
    assert 0 < 1 / (1 + apply(EXP, far)) < 1
    assert 0 < 1 / (1 + tiny) < 1
    assert apply(LOG, 1 + tiny) > 0
    assert apply(SQRT, 1 - apply(TANH, far)) > 0
    assert apply(POW, 1 + tiny, far) > 0
    assert 1 - apply(TANH, far) * apply(TANH, far) > 0
    assert apply(TANH, far) * apply(TANH, -far) > -1


def test_no_other_end_decides() -> None:
    """A sum that may reach an end, and what the range of a function does not say."""
    far = Fraction(10**30)
    near_one = apply(TANH, far)

    for value in (near_one + apply(ERF, far) - 1 - ONE, ONE - 1, near_one - apply(ERF, far), near_one * ONE - near_one):
        with pytest.raises(Undecided, match="sign not decided"):
            bool(value > 0)


# ------------------------------------------------------------------------------------------------------ exact values


@each_function
def test_rational_values_are_those_of_mpfr(function: RealFunction) -> None:
    """Where a value is given as a fraction MPFR has it exactly; at small fractions else it is not near a small one."""
    found = []
    for x in sorted({Fraction(p, q) for p in range(-9, 10) for q in (1, 2, 3, 4, 9, 16)}):
        if not in_domain(function, x):
            continue
        value = rational_value(function, x)
        with wide():
            known = MPFR[function](gmpy2.mpfr(gmpy2.mpq(x)))
            if value is None:
                assert min(abs(known - gmpy2.mpfr(gmpy2.mpq(n, d))) for d in range(1, 9) for n in range(-d, d + 1)) > 0
            else:
                found.append(x)
                assert abs(known - gmpy2.mpfr(gmpy2.mpq(value))) < 1e-140
    assert Fraction(1 if function is LOG else 0) in found
    assert len(found) == 1 or (function is SQRT and Fraction(9, 16) in found)


def test_domains_end_where_mpfr_has_no_number() -> None:
    """On both sides of 0, and at 0."""
    for function in OF_ONE:
        for x in (Fraction(-1, 9), Fraction(0), Fraction(1, 9)):
            real = gmpy2.is_finite(MPFR[function](gmpy2.mpfr(gmpy2.mpq(x))))
            assert in_domain(function, x) == real, (function, x)
            if not real:
                with pytest.raises(ValueError, match=f"{function} has no real value at {x}"):
                    rational_value(function, x)


def test_exact_results_are_fractions() -> None:
    """Known values, what is taken 0 times, and what roots give."""
    assert type(apply(EXP, Fraction(0))) is Fraction
    assert type(apply(SQRT, Fraction(4, 9))) is Fraction
    assert type(0 * E) is Fraction
    assert type(ROOT_OF_2 * ROOT_OF_2) is Fraction
    assert 0 * E == 0
    assert E * 1 is E
    assert E + 0 is 0 + E is E
    assert apply(EXP, 1) is E
    assert apply(EXP, 77) > 77


# ----------------------------------------------------------------------------------------------------- normal forms


def test_roots_of_one_field_are_one_number() -> None:
    """However it was come by."""
    assert apply(SQRT, Fraction(8)) is 2 * ROOT_OF_2
    assert apply(SQRT, Fraction(1, 2)) is 1 / ROOT_OF_2 is ROOT_OF_2 / 2
    assert ROOT_OF_2 * apply(SQRT, Fraction(8)) == 4
    assert -(3 - ROOT_OF_2) is ROOT_OF_2 - 3
    assert 1 / (1 + ROOT_OF_2) is ROOT_OF_2 - 1
    assert (1 + ROOT_OF_2) * (1 - ROOT_OF_2) == -1
    assert ROOT_OF_2 - apply(SQRT, Fraction(8)) + ROOT_OF_2 == 0
    assert apply(SQRT, Fraction(2)) + apply(SQRT, Fraction(3)) > 3


def test_arithmetic_of_roots_is_that_of_reals() -> None:
    """Random numbers a + b sqrt(q), over one root or two, in each operation and comparison: against MPFR."""
    source = random.Random(7)

    def number() -> tuple[Any, Any]:
        a, b = (Fraction(source.randint(-4, 4), source.randint(1, 4)) for _ in range(2))
        q = source.choice((2, 8, 3, Fraction(1, 2)))
        return a + b * apply(SQRT, Fraction(q)), gmpy2.mpq(a) + gmpy2.mpq(b) * gmpy2.sqrt(gmpy2.mpfr(gmpy2.mpq(q)))

    with wide():
        for _ in range(40):
            (x, wide_x), (y, wide_y) = number(), number()
            for operation in (add, sub, mul, truediv):
                if operation is truediv and y == 0:
                    continue
                found, known = operation(x, y), operation(wide_x, wide_y)
                assert abs(known - gmpy2.mpfr(gmpy2.mpq(nearby(found)))) < 1e-30 * (1 + abs(known)), (operation, x, y)
            if abs(wide_x - wide_y) < 1e-100:
                assert x == y
                continue
            for relation in (lt, le, gt, ge, eq):
                assert relation(x, y) == relation(wide_x, wide_y), (relation, x, y)


def nearby(x: Any) -> Fraction:
    """A fraction close to x, by what `floor` says of it."""
    return Fraction(floor(x * 10**40), 10**40)


def test_roots_are_compared_beyond_every_precision() -> None:
    """By squaring: the fraction below agrees with the root in 16,000 bits, so balls would not decide."""
    below = Fraction(isqrt(2 * 10**10000), 10**5000)

    assert below < ROOT_OF_2 < below + Fraction(1, 10**5000)
    assert not below >= ROOT_OF_2
    assert below != ROOT_OF_2
    assert -below > -ROOT_OF_2
    with pytest.raises(Undecided, match="sign not decided at 4096 bits"):
        bool(below < ROOT_OF_2 * ONE)


def test_a_tie_is_decided_by_the_normal_form_or_not_at_all() -> None:
    """sqrt(2)^2 (1 + 2^-24) is halfway between two floats. Of e * e^-1 (1 + 2^-24) nothing decides that it is."""
    halfway = 1 + Fraction(1, 1 << 24)

    assert decimals.show(FLOAT, round_to_nearest(FLOAT, ROOT_OF_2 * ROOT_OF_2 * halfway)) == "2"
    assert decimals.show(FLOAT, round_to_nearest(FLOAT, ROOT_OF_2 * (ROOT_OF_2 * halfway))) == "2"
    with pytest.raises(Undecided, match="rounding not decided at 4096 bits"):
        round_to_nearest(FLOAT, ONE * halfway)
    # A tie in float is none in double.
    assert decimals.show(DOUBLE, round_to_nearest(DOUBLE, ONE * halfway)) == "1.0000000596046448"


# ------------------------------------------------------------------------------------------------- roundings


@each_sort
def test_compositions_round_as_in_wide_arithmetic(sort: FloatSort) -> None:
    """Sigmoid and Softmax of two, against MPFR with 500 bits, which decide all of these."""
    for bits in random_patterns(sort, 40, f"compositions {sort}"):
        x = floats.to_fraction(sort, bits)
        if abs(x) > 60:
            continue
        sigmoid = 1 / (1 + apply(EXP, -x))
        softmax = apply(EXP, x) / (apply(EXP, x) + apply(EXP, x / 3))
        with wide():
            wide_x = gmpy2.mpfr(gmpy2.mpq(x))
            expected = [1 / (1 + gmpy2.exp(-wide_x)), 1 / (1 + gmpy2.exp(gmpy2.mpfr(gmpy2.mpq(x / 3 - x))))]
        for ours, theirs in zip((sigmoid, softmax), expected, strict=True):
            assert round_to_nearest(sort, ours) == floats.round_to_nearest(
                sort, Fraction(*theirs.as_integer_ratio())
            ), x


def test_softmax_of_equal_inputs() -> None:
    """It is 1/n, which rounds in no doubt, though no enclosure decides that it is 1/2."""
    for n in (2, 3):
        share = E / reduce(add, [E] * n)
        assert round_to_nearest(FLOAT, share) == floats.round_to_nearest(FLOAT, Fraction(1, n))


@each_sort
def test_far_beyond_the_format(sort: FloatSort) -> None:
    """Infinities and zeros of values whose fractions would fill the memory."""
    for size in (10**6, 10**30, 10**400):
        huge, tiny = apply(EXP, Fraction(size)), apply(EXP, Fraction(-size))
        assert floats.infinity(sort) == round_to_nearest(sort, huge)
        assert floats.infinity(sort, negative=True) == round_to_nearest(sort, -huge)
        assert floats.zero(sort) == round_to_nearest(sort, tiny)
        assert floats.zero(sort, negative=True) == round_to_nearest(sort, -tiny)
        assert round_to_nearest(sort, 1 / (1 + huge)) == floats.zero(sort)
        assert round_to_nearest(sort, 1 + tiny) == floats.from_float(sort, 1.0)
    assert round_to_nearest(sort, apply(EXP, Fraction(10**5000))) == floats.infinity(sort)
    assert round_to_nearest(sort, apply(EXP, Fraction(-(10**5000)))) == floats.zero(sort)


@each_sort
def test_the_limits_of_a_format(sort: FloatSort) -> None:
    """A hair below and above what rounds to infinity, and to zero."""
    hair = apply(EXP, Fraction(-200)) * Fraction(1, 1 << 2400)
    threshold = floats.overflow_threshold(sort)
    half = floats.to_fraction(sort, floats.smallest_subnormal(sort)) / 2

    assert round_to_nearest(sort, threshold + hair) == floats.infinity(sort)
    assert round_to_nearest(sort, threshold - hair) == floats.greatest(sort)
    assert round_to_nearest(sort, -threshold + hair) == floats.lowest(sort)
    assert round_to_nearest(sort, half + hair) == floats.smallest_subnormal(sort)
    assert round_to_nearest(sort, half - hair) == floats.zero(sort)
    assert round_to_nearest(sort, -half + hair) == floats.zero(sort, negative=True)
    assert round_to_nearest(sort, 3 * half + hair) == 2


@each_sort
def test_beyond_all_exponents(sort: FloatSort) -> None:
    """exp(exp(10000)) has no exponent in Arb, whose ball of it has no ends: it is rounded to infinity, its inverse to
    0. The difference of two such numbers is open."""
    far, further = (apply(EXP, apply(EXP, Fraction(n))) for n in (10_000, 10_001))

    assert round_to_nearest(sort, far) == floats.infinity(sort)
    assert round_to_nearest(sort, -far) == floats.infinity(sort, negative=True)
    assert round_to_nearest(sort, 1 / far) == floats.zero(sort)
    assert round_to_nearest(sort, -1 / far) == floats.zero(sort, negative=True)
    assert enclosed.pattern_of_range(sort, Range(-floats.overflow_threshold(sort), Fraction(0))) is None
    with pytest.raises(Undecided):
        round_to_nearest(sort, further - far)


def test_beyond_all_exponents_without_infinities() -> None:
    """There NaN is on both sides, and what may be on either is open."""
    (sort,) = MINIFLOATS
    far, further = (apply(EXP, apply(EXP, Fraction(n))) for n in (10_000, 10_001))

    assert round_to_nearest(sort, far) == round_to_nearest(sort, -far) == floats.nan(sort)
    assert enclosed.pattern_of_range(sort, Range(Fraction(-500), Fraction(500))) is None
    with pytest.raises(Undecided):
        round_to_nearest(sort, further - far)


@each_sort
def test_a_zero_of_unknown_sign(sort: FloatSort) -> None:
    """What may be 0 rounds to a zero; only its sign is left open."""
    with pytest.raises(UndecidedSign, match="sign of a zero not decided at 4096 bits"):
        round_to_nearest(sort, ONE - 1)
    # At 4096 bits, and not before, both ends of this round to a zero, and neither is far below the least float.
    last = (ONE - 1) * 2 ** (4088 - (1 << (sort.exponent - 1)) - sort.significand)
    with pytest.raises(UndecidedSign):
        round_to_nearest(sort, last)


@each_sort
def test_a_zero_of_known_sign(sort: FloatSort) -> None:
    """gelu(-10^30) is so close to 0 that enclosures keep both signs. That 1 + erf is above 0 decides."""
    x = Fraction(-(10**30))
    gelu = x / 2 * (1 + apply(ERF, x / ROOT_OF_2))

    assert round_to_nearest(sort, gelu) == floats.zero(sort, negative=True)
    assert round_to_nearest(sort, -gelu) == floats.zero(sort)
    assert round_to_nearest(sort, 1 + gelu) == floats.from_float(sort, 1.0)


@each_sort
def test_fractions_round_as_before(sort: FloatSort) -> None:
    """With the sign that is asked for at 0."""
    for value in (Fraction(0), Fraction(1, 3), Fraction(-(10**400)), Fraction(1, 10**400)):
        for negative_zero in (False, True):
            expected = floats.round_to_nearest(sort, value, negative_zero=negative_zero)
            assert round_to_nearest(sort, value, negative_zero=negative_zero) == expected


# ---------------------------------------------------------------------------------------------- other questions


def test_comparisons_mix_with_fractions() -> None:
    """On both sides, with integers, with minimum and maximum, and in loops of the reference evaluator."""
    assert 2 < E < 3
    assert Fraction(2) <= E <= Fraction(28, 10)
    assert Fraction(271, 100) != E
    assert not E < 2
    assert not E > 3
    assert Fraction(3) > E >= E
    assert Fraction(2) < E <= E
    assert max(Fraction(3), E, 1) == 3
    assert min(Fraction(3), E) is E
    assert 5 < sum([E, Fraction(1, 3), E]) < 6
    assert 7 < prod([E, Fraction(1), E]) < 8
    assert Fraction(1) - E < 0 < E - 1
    assert Fraction(1) / E < 1 < E / 2
    assert bool(E)


def test_comparisons_wait_for_enough_bits() -> None:
    """The number e lies between neighbouring fractions of any size that its enclosures can tell from it: also where the
    middle of a ball is on the other side, since products of several roundings have no good middle."""
    for e in (E, prod([apply(EXP, Fraction(1, 9))] * 9), 1 / prod([apply(EXP, Fraction(-1, 7))] * 7)):
        for bits in range(10, 3000, 230):
            below = Fraction(floor(E * 2**bits), 2**bits)
            above = below + Fraction(1, 2**bits)
            assert below < e < above
            assert floor((e - below) * 2**bits) == 0
            assert floor((e - above) * 2**bits) == -1


def test_floors() -> None:
    """Floors of both signs. A floor of a million digits is not looked for, and a number that may be 1 has none."""
    assert floor(E) == 2
    assert floor(-E) == -3
    assert floor(10**40 * E) == 27182818284590452353602874713526624977572
    assert floor(ONE + Fraction(1, 2)) == 1
    with wide():
        assert floor(apply(EXP, Fraction(100))) == gmpy2.floor(gmpy2.exp(100))
    for value in (ONE, apply(EXP, Fraction(10**6)), apply(EXP, Fraction(10**5000))):
        with pytest.raises(Undecided, match="floor not decided at 4096 bits"):
            floor(value)


def test_what_no_precision_decides() -> None:
    """Is neither true nor false, nor a divisor, nor in a domain."""
    for question in (
        lambda: ONE == 1,
        lambda: ONE != 1,
        lambda: ONE < 1,
        lambda: ONE >= 1,
        lambda: bool(ONE - 1),
        lambda: 1 / (ONE - 1),
        lambda: E / (ONE - 1),
        lambda: apply(SQRT, ONE - 1),
        lambda: apply(LOG, ONE - 1),
    ):
        with pytest.raises(Undecided, match="sign not decided at 4096 bits"):
            question()


def test_domains_of_expressions() -> None:
    """A negative number has neither root nor logarithm, and every other function takes it."""
    for x in (-E, 1 - ROOT_OF_2):
        for function in OF_ONE:
            if function in (SQRT, LOG):
                with pytest.raises(ValueError, match=f"{function} has no real value at a negative number"):
                    apply(function, x)
            else:
                assert -1 < apply(function, x) < 1
    assert 1 < apply(SQRT, E) < apply(LOG, 10 * E) < 4


def test_division_by_zero() -> None:
    """Of the fraction 0, which sums of roots give too."""
    for divisor in (0, Fraction(0), ROOT_OF_2 - ROOT_OF_2):
        with pytest.raises(ZeroDivisionError):
            E / divisor


def test_equal_expressions_are_one() -> None:
    """So they are equal, have one hash, and are one in another process."""
    x = 1 / (1 + apply(EXP, Fraction(-3))) - apply(SIN, Fraction(1, 3))
    y = 1 / (1 + apply(EXP, Fraction(-3))) - apply(SIN, Fraction(1, 3))

    assert x is y is pickle.loads(pickle.dumps(x))
    assert x == y
    assert x <= y
    assert not x < y
    assert len({x, y, E, ROOT_OF_2, ROOT_OF_2 + 0}) == 3
    assert x not in (None, "x", 0.5)


def test_floats_and_other_things_are_no_operands() -> None:
    """A Python float is not taken for the number that it is near to."""
    others: tuple[Any, ...] = (0.5, None, "1")
    for operation in (add, sub, mul, truediv, lt, le, gt, ge):
        for other in others:
            with pytest.raises(TypeError):
                operation(E, other)
            with pytest.raises(TypeError):
                operation(other, E)


def test_long_and_shared_expressions() -> None:
    """A sum of 2,000 terms is no recursion, and what occurs 2^100 times is enclosed once."""
    total = sum((apply(EXP, Fraction(-k)) for k in range(2000)), Fraction(0))
    doubled = E
    for _ in range(100):
        doubled = doubled + doubled

    assert decimals.show(DOUBLE, round_to_nearest(DOUBLE, total)) == "1.5819767068693265"  # e / (e - 1)
    assert Fraction(27, 10) < doubled / 2**100 < Fraction(28, 10)
    assert len(repr(doubled)) < 100


# --------------------------------------------------------------------------------------------------------- FLINT


def test_the_precision_of_others_is_restored() -> None:
    """After an answer and after none."""
    with flint.ctx.workprec(77):
        assert E > 2
        with pytest.raises(Undecided):
            bool(ONE == 1)
        assert flint.ctx.prec == 77


def test_flint_is_imported_where_a_value_is_enclosed() -> None:
    """Not where this module is, nor for expressions and roots: it takes time."""
    code = (
        "import sys\n"
        "from fractions import Fraction\n"
        "from sonnx_verify.logic.enclosed import RealFunction, apply\n"
        "x = apply(RealFunction.EXP, Fraction(3)) * apply(RealFunction.SQRT, Fraction(4))\n"
        "assert apply(RealFunction.SQRT, Fraction(2)) < 2\n"
        "before = 'flint' in sys.modules\n"
        "assert x > 2\n"
        "print(before, 'flint' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert run.stdout == "False True\n"


def test_without_flint(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that needs an enclosure says how to install it; what is exact has its answer."""
    monkeypatch.setitem(sys.modules, "flint", None)

    assert ROOT_OF_2 < 2
    assert isinstance(E + 1, Enclosed)
    with pytest.raises(MissingFlint, match="python-flint is not installed") as found:
        round_to_nearest(FLOAT, E)
    assert found.value.cure == "pip install 'python-flint>=0.9,<1'"


def test_a_number_is_printed_by_its_digits() -> None:
    """People see ten digits, and that there are more."""
    assert str(apply(RealFunction.EXP, 1)) == "2.718281828..."
    assert str(apply(RealFunction.EXP, -400) + 1) == "1.000000000..."
    assert str(apply(RealFunction.SQRT, 2) - 2) == "-0.5857864376..."
