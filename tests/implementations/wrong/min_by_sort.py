import numpy as np

OPERATOR = "sonnx.Min-13"
TYPES = ("float16", "float", "double")
SLIP = "a sort puts NaN behind all numbers, so that it is not the first of them"


def run(*inputs: np.ndarray) -> np.ndarray:
    stack = np.stack(np.broadcast_arrays(*inputs), axis=-1)
    return np.sort(stack + 0, axis=-1)[..., 0]
