import numpy as np

OPERATOR = "sonnx.Min-13"
TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SLIP = "the result has the shape of the first input, which need not be that of all"


def run(*inputs: np.ndarray) -> np.ndarray:
    result = np.empty(inputs[0].shape, inputs[0].dtype)
    result[...] = inputs[0]
    for x in inputs[1:]:
        np.minimum(result, x, out=result)
    return result
