import numpy as np

OPERATOR = "sonnx.ReduceMax-20"
TYPES = ("int8", "int32", "int64", "uint8", "uint32", "uint64", "bool")
SLIP = "max has no start, so it raises where there is nothing to fold"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    axis = () if axes is None else tuple(axes.tolist())
    if not axis and not noop_with_empty_axes:
        axis = tuple(range(data.ndim))
    result: np.ndarray = np.max(data, axis=axis, keepdims=bool(keepdims))
    return result
