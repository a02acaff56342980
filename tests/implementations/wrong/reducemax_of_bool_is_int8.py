import numpy as np

OPERATOR = "sonnx.ReduceMax-20"
TYPES = ("bool",)
SLIP = "truth values are folded as int8, and the result stays of that type"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    axis = None if axes is None or len(axes) == 0 else tuple(int(a) for a in axes)
    if axis is None and noop_with_empty_axes:
        axis = ()
    result: np.ndarray = np.max(data.astype(np.int8), axis=axis, keepdims=bool(keepdims), initial=0)
    return result
