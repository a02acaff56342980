from functools import reduce

import numpy as np

OPERATOR = "sonnx.Max-13"
TYPES = ("bfloat16", "float16", "float", "double")
SLIP = "maximum says nothing of the sign of a zero that is the greatest of +0 and -0"
OPEN = True


def run(*inputs: np.ndarray) -> np.ndarray:
    return reduce(np.maximum, inputs)
