"""Elements by a seed: bytes that anybody can make again, in any language.

The words of a seed are those of SplitMix64 (Steele, Lea and Flood 2014), all arithmetic modulo 2^64: word n, counted
from 0, is

    z = seed + (n + 1) * 0x9E3779B97F4A7C15
    z = (z xor (z >> 30)) * 0xBF58476D1CE4E5B9
    z = (z xor (z >> 27)) * 0x94D049BB133111EB
    z xor (z >> 31)

The first word of seed 0 is 0xE220A8397B1DCDAF. Element n of a tensor, in row-major order, follows from word n alone.
"""

from __future__ import annotations

from enum import StrEnum, unique
from typing import Any

import numpy as np

from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import ConcreteTensor, numel
from sonnx_verify.results.dtypes import dtype_of

GENERATOR = "SplitMix64"


@unique
class Elements(StrEnum):
    """The ways from a word to an element.

    BITS: its highest bits, as many as the type has, as an integer in two's complement, a truth value, or the bits of a
    float; for a NaN the one NaN of the type that vectors have. FRACTIONS, of floats whose significand has p bits: the
    highest bit is the sign, the next p bits are m, and the element is m / 2^p. MAGNITUDES: the same without the sign.
    SPREAD, of floats: the highest bit is the sign, the next p - 1 bits are m, the lowest 11 bits are e, and the element
    is (1 + m / 2^(p - 1)) * 2^(e mod 17 - 10).
    """

    BITS = "bits"
    FRACTIONS = "fractions"
    MAGNITUDES = "magnitudes"
    SPREAD = "spread"


def words(seed: int, count: int) -> Any:
    """The first words of a seed, as 64-bit integers without sign."""
    n = np.arange(1, count + 1, dtype=np.uint64)
    z = np.uint64(seed) + n * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def seeded(sort: Sort, shape: tuple[int, ...], way: Elements, seed: int) -> ConcreteTensor:
    """The tensor of a seed."""
    found = words(seed, numel(shape))
    match sort:
        case FloatSort() if way is not Elements.BITS:
            value = _magnitudes(sort, way, found)
            if way is not Elements.MAGNITUDES:
                value = np.where(found >> np.uint64(63), -value, value)
            bits = value.astype(dtype_of(sort.name)).view(f"u{sort.width // 8}").tolist()
        case FloatSort():
            bits = [floats.canonical(sort, word) for word in (found >> np.uint64(64 - sort.width)).tolist()]
        case IntegerSort():
            raw = (found >> np.uint64(64 - sort.width)).tolist()
            bits = [word if word <= sort.greatest else word - (1 << sort.width) for word in raw]
        case _:
            bits = (found >> np.uint64(63)).astype(bool).tolist()
    return ConcreteTensor(sort, shape, tuple(bits))


def _magnitudes(sort: FloatSort, way: Elements, found: Any) -> Any:
    """The floats of words without their signs, as doubles, which are exact."""
    # No digit is lost: a size has as many as the type, and the type has exponents enough.
    if way is Elements.SPREAD:
        digits = sort.significand - 1
        size = ((found << np.uint64(1)) >> np.uint64(64 - digits)).astype(np.float64) + 2.0**digits
        exponent = (found & np.uint64(0x7FF)).astype(np.int64) % 17 - 10
        return np.ldexp(size, exponent - digits)
    size = (found << np.uint64(1)) >> np.uint64(64 - sort.significand)
    return np.ldexp(size.astype(np.float64), -sort.significand)
