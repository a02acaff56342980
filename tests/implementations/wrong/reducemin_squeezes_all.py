import numpy as np

OPERATOR = "sonnx.ReduceMin-20"
TYPES = ("int8", "int32", "int64", "uint8", "uint32", "uint64", "bool")
SLIP = "without keepdims every axis of size 1 goes, not only those that were folded"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    axis = () if axes is None else tuple(axes.tolist())
    if not axis:
        if noop_with_empty_axes:
            return data.copy()
        axis = tuple(range(data.ndim))
    greatest = True if data.dtype == np.bool_ else np.iinfo(data.dtype).max
    result = np.min(data, axis=axis, keepdims=True, initial=greatest)
    made: np.ndarray = result if keepdims else np.squeeze(result)
    return made
