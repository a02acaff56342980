import numpy as np

OPERATOR = "sonnx.ReduceSum-13"
TYPES = ("int32", "uint32")
SLIP = "sum adds small integers in the machine's own width and gives that type"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    axis = None if axes is None or axes.size == 0 else tuple(axes.tolist())
    if axis is None and noop_with_empty_axes:
        return data.copy()
    result: np.ndarray = np.sum(data, axis=axis, keepdims=bool(keepdims))
    return result
