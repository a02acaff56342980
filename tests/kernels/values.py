"""Kernels that are wrong at a few values: at one exponent, one pair of operands, an edge of the type; and right ones.

Each is a function of arrays for one operator and one type, as `conform --against python:tests.kernels.values:NAME` has
it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.kernels.calls import Array

WRONG = {
    "exp_at_one_exponent": ("sonnx.Exp-13", "float"),
    "exp_near_the_greatest_half": ("sonnx.Exp-13", "float16"),
    "add_of_one_pair": ("sonnx.Add-14", "int8"),
    "mul_of_one_pair": ("sonnx.Mul-14", "uint8"),
    "add_overflows_early": ("sonnx.Add-14", "float"),
    "sqrt_flushes": ("sonnx.Sqrt-13", "double"),
    "div_floors_in_rows": ("sonnx.Div-14", "int32"),
    "neg_of_one_value": ("sonnx.Neg-13", "int16"),
    "mul_in_double": ("sonnx.Mul-14", "int64"),
    "equal_up_to_one_step": ("sonnx.Equal-13", "float"),
    "abs_of_one_value": ("sonnx.Abs-13", "bfloat16"),
    "sub_misaligned": ("sonnx.Sub-14", "float"),
    "mul_underflows_early": ("sonnx.Mul-14", "double"),
    "less_in_float": ("sonnx.Less-13", "int32"),
    "relu_of_small_numbers": ("sonnx.Relu-14", "double"),
}
"""The wrong kernels, each with its operator and its type."""
RIGHT = {
    "add": ("sonnx.Add-14", "int8", "float"),
    "sub": ("sonnx.Sub-14", "float", "uint16"),
    "mul": ("sonnx.Mul-14", "uint8", "double"),
    "div": ("sonnx.Div-14", "int32", "int8", "float"),
    "sqrt": ("sonnx.Sqrt-13", "float", "float16"),
    "neg": ("sonnx.Neg-13", "int16", "float"),
    "equal": ("sonnx.Equal-13", "float", "int8"),
    "less": ("sonnx.Less-13", "int32", "float16"),
}
"""The right ones, with their types."""


def add(a: Array, b: Array) -> Array:
    return np.asarray(a + b)


def sub(a: Array, b: Array) -> Array:
    return np.asarray(a - b)


def mul(a: Array, b: Array) -> Array:
    return np.asarray(a * b)


def div(a: Array, b: Array) -> Array:
    """Truncated for integers."""
    if a.dtype.kind == "f":
        return np.asarray(a / b)
    quotient = np.asarray(a // b)
    if a.dtype.kind == "i":
        quotient = quotient + ((quotient < 0) & (quotient * b != a)).astype(a.dtype)
    return np.asarray(quotient, a.dtype)


def sqrt(x: Array) -> Array:
    return np.asarray(np.sqrt(x))


def neg(x: Array) -> Array:
    return np.asarray(-x)


def equal(a: Array, b: Array) -> Array:
    return np.asarray(a == b)


def less(a: Array, b: Array) -> Array:
    return np.asarray(a < b)


def _exp(x: Array) -> Array:
    # From double rounded to a narrower type: right but for a few elements of which nobody here speaks.
    return np.asarray(np.exp(x.astype(np.float64)).astype(x.dtype))


def _instead(result: Array, where: Any, value: Any) -> Array:
    """The result with another value where a condition holds."""
    return np.asarray(np.where(where, value, result).astype(result.dtype))


def exp_at_one_exponent(x: Array) -> Array:
    """Wrong from 2^-17 to 2^-16."""
    return _instead(_exp(x), (np.abs(x) >= 2.0**-17) & (np.abs(x) < 2.0**-16), 1.5)


def exp_near_the_greatest_half(x: Array) -> Array:
    return _instead(_exp(x), (x > 11.0) & (x < 11.09), 65504)


def add_of_one_pair(a: Array, b: Array) -> Array:
    return _instead(add(a, b), (a == 93) & (b == -21), 0)


def mul_of_one_pair(a: Array, b: Array) -> Array:
    return _instead(mul(a, b), (a == 251) & (b == 13), 1)


def add_overflows_early(a: Array, b: Array) -> Array:
    """Infinite from 1 - 2^-12 of the greatest float on."""
    result, end = add(a, b), np.float32(np.finfo(np.float32).max * (1 - 2.0**-12))
    return _instead(result, (result > end) & (np.maximum(a, b) < end), np.inf)


def sqrt_flushes(x: Array) -> Array:
    """The root of subnormal numbers other than the smallest and the greatest is 0."""
    tiny = np.finfo(np.float64).tiny
    return _instead(sqrt(x), (x > tiny / 2**30) & (x < tiny / 2), 0)


def div_floors_in_rows(a: Array, b: Array) -> Array:
    result = div(a, b)
    return np.asarray(a // b) if result.ndim and result.shape[-1] >= 17 else result


def neg_of_one_value(x: Array) -> Array:
    return _instead(neg(x), x == -12345, 12346)


def mul_in_double(a: Array, b: Array) -> Array:
    """Rounded where the product has more than 53 bits."""
    rounded = a.astype(np.float64) * b.astype(np.float64)
    return _instead(mul(a, b), (np.abs(rounded) > 2.0**53) & (np.abs(rounded) < 2.0**62), rounded)


def equal_up_to_one_step(a: Array, b: Array) -> Array:
    near = (np.nextafter(a, np.float32(np.inf)) == b) & (np.abs(a) > 2) & np.isfinite(b)
    return np.asarray((a == b) | near)


def abs_of_one_value(x: Array) -> Array:
    result = np.abs(x)
    return np.asarray(np.where(x.view(np.uint16) == 0xC2B7, x, result))


def sub_misaligned(a: Array, b: Array) -> Array:
    """Wrong in the last element of rows of 64 or more behind an address that is no multiple of 16."""
    result = sub(a, b)
    if a.ndim == 1 and a.shape == b.shape and a.size >= 64 and a.ctypes.data % 16:
        result[-1] = 7
    return result


def mul_underflows_early(a: Array, b: Array) -> Array:
    """0 below 4 times the smallest normal number, unless an operand is that small."""
    result, end = mul(a, b), np.finfo(np.float64).tiny * 4
    small = (np.abs(result) < end) & (np.abs(a) > 2.0**-900) & (np.abs(b) > 2.0**-900)
    return _instead(result, small, 0)


def less_in_float(a: Array, b: Array) -> Array:
    return np.asarray(a.astype(np.float32) < b.astype(np.float32))


def relu_of_small_numbers(x: Array) -> Array:
    return _instead(np.where(x < 0, np.zeros_like(x), x), (x > 2.0**-301) & (x < 2.0**-300), 0)
