import numpy as np

OPERATOR = "sonnx.ReduceMin-20"
TYPES = ("uint8", "uint32", "uint64")
SLIP = "the start is the greatest signed integer of that width, and half of the unsigned ones are above it"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    if axes is None or axes.size == 0:
        if noop_with_empty_axes:
            return data.copy()
        axes = np.arange(data.ndim)
    limit = 2 ** (8 * data.itemsize - 1) - 1
    result: np.ndarray = np.min(data, axis=tuple(axes.tolist()), keepdims=bool(keepdims), initial=limit)
    return result
