"""The least of Python's numbers, element by element."""

import numpy as np

OPERATOR = "sonnx.Min-13"
TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def run(*inputs: np.ndarray) -> np.ndarray:
    result = np.array(np.broadcast_to(inputs[0], np.broadcast_shapes(*(x.shape for x in inputs))))
    for x in inputs[1:]:
        result = np.vectorize(min, otypes=[x.dtype])(result, x)
    return result
