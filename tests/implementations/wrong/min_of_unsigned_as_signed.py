from functools import reduce

import numpy as np

OPERATOR = "sonnx.Min-13"
TYPES = ("uint8", "uint16", "uint32", "uint64")
SLIP = "every integer type is read as the signed one of its width, so large unsigned ones are negative"


def run(*inputs: np.ndarray) -> np.ndarray:
    signed = np.dtype(f"i{inputs[0].itemsize}")
    least = reduce(np.minimum, [x.view(signed) for x in inputs])
    return least.view(inputs[0].dtype)
