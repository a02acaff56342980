from functools import reduce

import numpy as np

OPERATOR = "sonnx.Min-13"
TYPES = ("int8", "int16", "int32", "uint8", "uint16", "uint32")
SLIP = "an array of the greatest integer is the start, and it is an array of int64"


def run(*inputs: np.ndarray) -> np.ndarray:
    greatest = np.array(np.iinfo(inputs[0].dtype).max)
    return reduce(np.minimum, inputs, greatest)
