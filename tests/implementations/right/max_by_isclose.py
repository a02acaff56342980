"""Equal floats told by a tolerance of nothing; of these, and of NaNs, one is taken by its sign."""

from functools import reduce

import numpy as np

OPERATOR = "sonnx.Max-13"
TYPES = ("float16", "float", "double")


def later(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    same = np.isclose(a, b, rtol=0, atol=0, equal_nan=True)
    above = np.isnan(a) | (a > b)
    return np.where((same & np.signbit(b)) | (~same & above), a, b)


def run(*inputs: np.ndarray) -> np.ndarray:
    return reduce(later, inputs[1:], inputs[0].copy())
