import numpy as np

OPERATOR = "sonnx.Max-13"
TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SLIP = "the larger of two sizes is taken, so 0 beside 1 becomes 1"


def run(*inputs: np.ndarray) -> np.ndarray:
    rank = max(x.ndim for x in inputs)
    shapes = [(1,) * (rank - x.ndim) + x.shape for x in inputs]
    result = np.empty([max(sizes) for sizes in zip(*shapes, strict=True)], inputs[0].dtype)
    result[...] = inputs[0]
    for x in inputs[1:]:
        np.maximum(result, x, out=result)
    return result
