from functools import reduce

import numpy as np

OPERATOR = "sonnx.Max-13"
TYPES = ("bfloat16", "float16", "float", "double")
SLIP = "fmax in the place of maximum: of NaN and a number it gives the number"


def greater(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    zeros = (a == 0) & (b == 0)
    # The sum of two zeros is -0 only where both are.
    result: np.ndarray = np.where(zeros, a + b, np.fmax(a, b))
    return result


def run(*inputs: np.ndarray) -> np.ndarray:
    return reduce(greater, inputs[1:], inputs[0].copy())
