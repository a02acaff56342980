"""The special values of an element type, and which pairs of them tell implementations apart."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, FloatSort, IntegerSort, Sort


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
        "inf": floats.infinity(sort),
        "-inf": floats.infinity(sort, negative=True),
        "NaN": floats.nan(sort),
        "greatest": floats.greatest(sort),
        "lowest": floats.lowest(sort),
    }
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
        if sort.lowest <= value <= sort.greatest and value not in found.values():
            found[name] = value
    return found


@cache
def special_pairs(sort: Sort) -> tuple[tuple[str, str], ...]:
    """The pairs that are tried on two elements: all of the few values where order, sign or overflow matter."""
    match sort:
        case FloatSort():
            chosen: tuple[str, ...] = ("+0", "-0", "inf", "-inf", "NaN", "greatest", "lowest")
        case IntegerSort():
            chosen = ("0", "greatest", "lowest", "-1" if sort.signed else "1")
        case _:
            chosen = tuple(special_values(sort))
    known = special_values(sort)
    names = [n for n in dict.fromkeys(chosen) if n in known]
    return tuple((a, b) for a in names for b in names)


def ordinary(sort: Sort) -> object:
    """The value of elements of which nothing is said: not neutral to a sum, nor to a greatest or least."""
    return special_values(sort)["true" if sort == BOOL else "1"]


def plain_fill(sort: Sort, count: int) -> tuple[object, ...]:
    """Elements that differ from each other where the type has so many, by small steps."""
    match sort:
        case FloatSort():
            return tuple(floats.from_float(sort, float(1 + (n * 5) % 7)) for n in range(count))
        case IntegerSort():
            return tuple(1 + (n * 5) % 7 for n in range(count))
        case _ if sort == BOOL:
            return tuple(n % 3 != 1 for n in range(count))
        case _:
            return tuple(Fraction(1 + (n * 5) % 7) for n in range(count))
