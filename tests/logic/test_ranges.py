"""Ranges with open ends: they hold all results, and leave out an end that no result reaches."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import gmpy2

from sonnx_verify.logic.functions import RealFunction, in_domain
from sonnx_verify.logic.ranges import Range, of_function

ENDS = [None, *map(Fraction, (-2, -1, 0, 1, 3))]
LITTLE = Fraction(1, 1000)


def every_range() -> Iterator[Range]:
    for low in ENDS:
        for high in ENDS:
            for low_open in (False, True):
                for high_open in (False, True):
                    made = Range(low, high, low_open and low is not None, high_open and high is not None)
                    if low is None or high is None or low < high or (low == high and not (low_open or high_open)):
                        yield made


RANGES = list(dict.fromkeys(every_range()))


def holds(x: Fraction, within: Range) -> bool:
    if within.low is not None and (x < within.low or (x == within.low and within.low_open)):
        return False
    return not (within.high is not None and (x > within.high or (x == within.high and within.high_open)))


def members(of: Range) -> list[Fraction]:
    """Numbers of a range: its ends, what is next to them, 0 and what is far out."""
    near = [end + step for end in (of.low, of.high) if end is not None for step in (-LITTLE, Fraction(0), LITTLE)]
    return [x for x in (*near, Fraction(0), Fraction(1, 2), Fraction(9), Fraction(-9)) if holds(x, of)]


def test_results_are_in_the_range_of_the_result() -> None:
    """Sums, products, opposites, inverses and common parts, of every pair of ranges."""
    for a in RANGES:
        for x in members(a):
            assert holds(-x, -a)
            assert x == 0 or holds(1 / x, a.inverse()), (a, x)
            assert a.sign() is None or (x > 0) - (x < 0) == a.sign(), (a, x)
        for b in RANGES:
            total, product, both = a + b, a * b, a.within(b)
            for x in members(a):
                assert holds(x, both) == holds(x, b), (a, b, x)
                for y in members(b):
                    assert holds(x + y, total), (a, b, x, y)
                    assert holds(x * y, product), (a, b, x, y)


def test_ends_are_left_out() -> None:
    """Where an operand leaves one out."""
    one, zero, two = Fraction(1), Fraction(0), Fraction(2)
    positive, between = Range(zero, None, low_open=True), Range(zero, two, low_open=True, high_open=True)

    assert positive + Range(one, one) == Range(one, None, low_open=True)
    assert Range(one, None, low_open=True).inverse() == Range(zero, one, low_open=True, high_open=True)
    assert between * -Range(one, two) == Range(Fraction(-4), zero, low_open=True, high_open=True)
    assert between.within(Range(zero, one)) == Range(zero, one, low_open=True)


def test_values_of_functions_are_in_their_ranges() -> None:
    """Of each function on arguments in each range; MPFR has the values."""
    rng = random.Random(5)
    with gmpy2.context(precision=300):
        for function in RealFunction:
            for a in RANGES:
                b = rng.choice(RANGES)
                for x in members(a):
                    y = rng.choice(members(b))
                    arguments, ranges = ((x,), (a,)) if function.arity == 1 else ((x, y), (a, b))
                    if in_domain(function, *arguments):
                        numbers = [gmpy2.mpfr(gmpy2.mpq(n)) for n in arguments]
                        value = getattr(gmpy2, function)(*numbers) if len(numbers) == 1 else numbers[0] ** numbers[1]
                        exact = Fraction(*value.as_integer_ratio())
                        assert holds(exact, of_function(function, *ranges)), (function, arguments, ranges)
