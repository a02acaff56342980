from functools import reduce

import numpy as np

OPERATOR = "sonnx.Min-13"
TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SLIP = "flattened row by row, given its shape again column by column"


def run(*inputs: np.ndarray) -> np.ndarray:
    flat = [x.ravel() for x in np.broadcast_arrays(*inputs)]
    shape = np.broadcast_shapes(*[x.shape for x in inputs])
    return reduce(np.minimum, flat).reshape(shape, order="F")
