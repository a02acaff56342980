import numpy as np

OPERATOR = "sonnx.Min-13"
TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SLIP = "vectorize takes the type from a first element, and fails where there is none"


def run(*inputs: np.ndarray) -> np.ndarray:
    result = np.array(inputs[0])
    for x in inputs[1:]:
        result = np.vectorize(min)(result, x)
    return np.array(np.broadcast_to(result, np.broadcast_shapes(*(x.shape for x in inputs))))
