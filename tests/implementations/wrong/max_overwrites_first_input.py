import numpy as np

OPERATOR = "sonnx.Max-13"
TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SLIP = "where the first input has the shape of the result, the result is written into it"


def run(*inputs: np.ndarray) -> np.ndarray:
    shape = np.broadcast_shapes(*[x.shape for x in inputs])
    result = inputs[0]
    if result.shape != shape:
        result = np.broadcast_to(result, shape).copy()
    for x in inputs[1:]:
        np.maximum(result, x, out=result)
    return result
