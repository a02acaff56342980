from functools import reduce

import numpy as np

OPERATOR = "sonnx.Min-13"
TYPES = ("bfloat16", "float16", "float", "double")
SLIP = "the rule for equal zeros is that of the maximum: +0 is taken"


def earlier(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    below = (a < b) | ((a == b) & ~np.signbit(a))
    return np.where(np.isnan(a) | below, a, b)


def run(*inputs: np.ndarray) -> np.ndarray:
    return reduce(earlier, inputs[1:], inputs[0].copy())
