import numpy as np

OPERATOR = "sonnx.ReduceMax-20"
TYPES = ("bfloat16", "float16", "float", "double")
SLIP = "max says nothing of the sign of a zero that is the greatest of +0 and -0"
OPEN = True


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    axis = None if axes is None or axes.size == 0 else tuple(axes.tolist())
    if axis is None and noop_with_empty_axes:
        return data.copy()
    result: np.ndarray = np.max(data, axis=axis, keepdims=bool(keepdims), initial=-np.inf)
    return result
