"""The special values of an element type, the pairs of them that tell implementations apart, those that tensors hold."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product

from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.solving.inputs.values import infinities

MOST_PLACES = 4
"""The number of elements above which the places of special values are not distinguished."""


@cache
def special_values(sort: Sort) -> dict[str, object]:
    """The special values of a type by their names, the plainest first."""
    match sort:
        case FloatSort():
            return _of_floats(sort)
        case IntegerSort():
            return _of_integers(sort)
        case _ if sort == BOOL:
            return {"false": False, "true": True}
        case _:
            return {str(v): Fraction(v) for v in (0, 1, -1, 2)}


def _of_floats(sort: FloatSort) -> dict[str, object]:
    names: dict[str, object] = {
        "+0": floats.zero(sort),
        "-0": floats.zero(sort, negative=True),
        "1": floats.from_float(sort, 1.0),
        "-1": floats.from_float(sort, -1.0),
        **dict(zip(("inf", "-inf"), infinities(sort), strict=False)),
        "NaN": floats.nan(sort),
        "greatest": floats.greatest(sort),
        "lowest": floats.lowest(sort),
    }
    # Code that flushes subnormal numbers to zero gives 0 for the one, and not for the other.
    small = {"smallest subnormal": floats.smallest_subnormal(sort), "smallest normal": 1 << (sort.significand - 1)}
    for name, value in small.items():
        names |= {name: value, f"-{name}": floats.negate(sort, value)}
    return names


def _of_integers(sort: IntegerSort) -> dict[str, object]:
    half = 1 << (sort.width // 2)
    wanted = {
        "0": 0,
        "1": 1,
        "-1": -1,
        "greatest": sort.greatest,
        "lowest": sort.lowest,
        "greatest - 1": sort.greatest - 1,
        "lowest + 1": sort.lowest + 1,
        # A type half as wide, or one with a sign, holds the one and not the other.
        f"2^{sort.width // 2} - 1": half - 1,
        f"2^{sort.width // 2}": half,
    }
    if not sort.signed:
        wanted[f"2^{sort.width - 1}"] = 1 << (sort.width - 1)
    found: dict[str, object] = {}
    for name, value in wanted.items():
        # Of int8 "2^4" is a value; of unsigned types -1 is none, and 0 is the lowest: each value has one name.
        if sort.lowest <= value <= sort.greatest and value not in found.values():
            found[name] = value
    return found


@cache
def special_pairs(sort: Sort) -> tuple[tuple[str, str], ...]:
    """The pairs that are tried on two elements: all of the few values where order, sign or overflow matter."""
    match sort:
        case FloatSort():
            # Signs of zero, infinities that cancel, NaN against all others, ends that overflow.
            chosen: tuple[str, ...] = ("+0", "-0", "inf", "-inf", "NaN", "greatest", "lowest")
        case IntegerSort():
            # The type decides which of the two it has: of unsigned integers -1 is no value.
            chosen = ("0", "greatest", "lowest", "-1")
            if not sort.signed:
                chosen = ("0", "greatest", "lowest", "1")
        case _:
            chosen = tuple(special_values(sort))
    known = special_values(sort)
    names = [n for n in dict.fromkeys(chosen) if n in known]
    return tuple(product(names, names))


def ordinary(sort: Sort) -> object:
    """The value of elements of which nothing is said: not neutral to a sum, nor to a greatest or least."""
    values = special_values(sort)
    return values.get("1", True)


def plain_fill(sort: Sort, count: int) -> tuple[object, ...]:
    """Elements that differ from each other where the type has that many, by small steps."""
    if sort == BOOL:
        return tuple(n % 3 != 1 for n in range(count))
    # 1 to 7 in another order than that of the indices: what is taken from a wrong index shows.
    numbers = [1 + (n * 5) % 7 for n in range(count)]
    match sort:
        case FloatSort():
            return tuple(eighths(sort, 8 * number) for number in numbers)
        case IntegerSort():
            # Types of two bits have fewer values.
            return tuple(number % (sort.greatest + 1) for number in numbers)
        case _:
            return tuple(map(Fraction, numbers))


@cache
def eighths(sort: FloatSort, number: int) -> int:
    """The float nearest to so many eighths: sums of small ones are exact, and a wrong one is easy to see."""
    return floats.from_float(sort, number / 8)


# ----------------------------------------------------------------------------------------------------------- in tensors


def special_names(tensors: Sequence[tuple[str, str, ConcreteTensor]]) -> list[str]:
    """The special values in tensors, each given with its declared name and its own: with their places in small ones,
    and of two elements which comes before which."""
    found: list[str] = []
    for variable, name, tensor in tensors:
        names = _names(tensor.sort)
        met = [(place, names[e]) for place, e in enumerate(tensor.elements) if e in names]
        found += dict.fromkeys(f"{text} in {variable}" for _, text in met)
        if len(tensor.elements) <= MOST_PLACES:
            found += [f"{text} at {name}{_place(tensor.shape, place)}" for place, text in met]
    return [*found, *_before(tensors)]


@cache
def _names(sort: Sort) -> dict[object, str]:
    return {value: text for text, value in special_values(sort).items()}


def _before(tensors: Sequence[tuple[str, str, ConcreteTensor]]) -> list[str]:
    """The order of two special values, where there are two elements in all: of more, other elements play a part."""
    every: list[tuple[Sort, object]] = []
    for _, _, tensor in tensors:
        every += [(tensor.sort, element) for element in tensor.elements]
    if len(every) != 2 or every[0][0] != every[1][0]:
        return []
    known = [_names(sort).get(element) for sort, element in every]
    if None in known:
        return []
    return [f"{known[0]} before {known[1]}"]


def _place(shape: tuple[int, ...], offset: int) -> str:
    """An index as it is written: `[1][0]`, nothing for rank 0."""
    text = ""
    for size in reversed(shape):
        text = f"[{offset % size}]{text}"
        offset //= size
    return text
