"""Element by element, with a branch on each."""

import numpy as np

OPERATOR = "sonnx.Min-13"
TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def run(*inputs: np.ndarray) -> np.ndarray:
    arrays = np.broadcast_arrays(*inputs)
    result = np.empty(arrays[0].shape, arrays[0].dtype)
    for place in np.ndindex(*result.shape):
        least = arrays[0][place]
        for array in arrays[1:]:
            if array[place] < least:
                least = array[place]
        result[place] = least
    return result
