"""Two inputs at a time, by comparisons alone."""

from functools import reduce

import numpy as np

OPERATOR = "sonnx.Max-13"
TYPES = ("bfloat16", "float16", "float", "double")


def later(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    # Of equal elements only zeros can differ: +0 comes after -0.
    above = (a > b) | ((a == b) & np.signbit(b))
    return np.where(np.isnan(a) | above, a, b)


def run(*inputs: np.ndarray) -> np.ndarray:
    return reduce(later, inputs[1:], inputs[0].copy())
