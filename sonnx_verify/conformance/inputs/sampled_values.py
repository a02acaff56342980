"""All values of a narrow type, and those of a wide one that code treats differently; the places of floats in order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from sonnx_verify.conformance.inputs.special_values import eighths, special_values
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, FloatSort, IntegerSort, Sort

NARROW = 16
"""The most bits of a type of which all values are tried: 65,536 elements, of which a runtime and the numpy evaluator
take some milliseconds."""
_ORDINARY = 1500
"""The number of ordinary values of a wide type: a kernel that is wrong on one in 500 is found with a chance of 95 %."""


def width_of(sort: Sort) -> int:
    """The number of bits of a type."""
    return sort.width if isinstance(sort, FloatSort | IntegerSort) else 1


def is_narrow(sort: Sort) -> bool:
    """Return whether all values of a type are tried."""
    return width_of(sort) <= NARROW


@cache
def every_value(sort: Sort) -> tuple[object, ...]:
    """All values of a narrow type, NaN once."""
    match sort:
        case FloatSort():
            return tuple(dict.fromkeys(floats.canonical(sort, bits) for bits in range(1 << sort.width)))
        case IntegerSort():
            return tuple(range(sort.lowest, sort.greatest + 1))
        case _:
            return (False, True)


def values_of(sort: Sort, draws: random.Random) -> list[object]:
    """All values of a narrow type; of a wide one those next to each power of two, special ones and ordinary ones."""
    if is_narrow(sort) or sort == BOOL:
        return list(every_value(sort))
    made: list[object] = [*special_values(sort).values(), *ordinary_values(sort, draws, _ORDINARY)]
    if isinstance(sort, FloatSort):
        made += grid(sort)
    elif isinstance(sort, IntegerSort):
        near = {sign * ((1 << k) + d) for k in range(sort.width + 1) for d in (-1, 0, 1) for sign in (1, -1)}
        made += [n for n in sorted(near) if sort.lowest <= n <= sort.greatest]
    return list(dict.fromkeys(made))


def ordinary_values(sort: Sort, draws: random.Random, count: int) -> list[object]:
    """Numbers of ordinary size: floats from 2^-10 to 2^7 with all digits and of eighths, integers of each length."""
    match sort:
        case FloatSort():
            return [_ordinary_float(sort, draws) for _ in range(count)]
        case IntegerSort():
            # Of each number of bits alike many: of uniform ones half would have all bits.
            sizes = [draws.getrandbits(draws.randrange(1, sort.width)) for _ in range(count)]
            return [-size if sort.signed and draws.random() < 0.5 else size for size in sizes]
        case _:
            return [draws.random() < 0.5 for _ in range(count)]


def _ordinary_float(sort: FloatSort, draws: random.Random) -> int:
    if draws.random() < 0.25:
        return eighths(sort, draws.randrange(-80, 81))
    size = Fraction(draws.getrandbits(64) + (1 << 64), 1 << 64) * Fraction(2) ** draws.randrange(-10, 7)
    return floats.round_to_nearest(sort, size * draws.choice((1, -1)))


@cache
def grid(sort: FloatSort) -> tuple[int, ...]:
    """Floats of each exponent and both signs, in their order: the least, one in the middle and the greatest."""
    digits = sort.significand - 1
    exponents = range((floats.greatest(sort) >> digits) + 1)
    fractions = (0, 0x5DEECE66D % (1 << digits), (1 << digits) - 1)
    sizes = [bits for e in exponents for f in fractions if (bits := (e << digits) | f) <= floats.greatest(sort)]
    return tuple(
        sorted((*sizes, *(floats.negate(sort, bits) for bits in sizes)), key=lambda bits: place_of(sort, bits))
    )


def near_ends(sort: FloatSort) -> tuple[int, ...]:
    """A float of each sign a third as large as the greatest, and five times as large as the smallest normal one."""
    third = floats.round_to_nearest(sort, floats.to_fraction(sort, floats.greatest(sort)) / 3)
    small = floats.round_to_nearest(sort, floats.to_fraction(sort, 1 << (sort.significand - 1)) * 5)
    return (third, floats.negate(sort, third), small, floats.negate(sort, small))


def place_of(sort: FloatSort, bits: int) -> int:
    """The place of a number among those of its type, in their order: -0 has -1, +0 has 0."""
    # IEEE 754: positive floats are in the order of their bits, negative ones in the opposite order.
    sign = 1 << (sort.width - 1)
    if bits & sign:
        return -1 - (bits - sign)
    return bits


def float_at(sort: FloatSort, number: int) -> int:
    """The number at a place."""
    if number < 0:
        return (1 << (sort.width - 1)) - 1 - number
    return number


def beside(sort: FloatSort, bits: int, steps: Sequence[int]) -> list[int]:
    """The floats so many steps from one, as far as the finite ones go."""
    here, ends = place_of(sort, bits), (place_of(sort, floats.lowest(sort)), place_of(sort, floats.greatest(sort)))
    return [float_at(sort, here + step) for step in steps if ends[0] <= here + step <= ends[1]]
