import numpy as np

OPERATOR = "sonnx.ReduceMin-20"
TYPES = ("int8", "int32", "int64", "uint8", "uint32", "uint64", "bool")
SLIP = "noop_with_empty_axes is read the wrong way round"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    axis = () if axes is None else tuple(axes.tolist())
    if len(axis) == 0 and noop_with_empty_axes:
        axis = tuple(range(data.ndim))
    greatest = True if data.dtype == bool else np.iinfo(data.dtype).max
    result: np.ndarray = np.min(data, axis=axis, keepdims=bool(keepdims), initial=greatest)
    return result
