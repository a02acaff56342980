import numpy as np

OPERATOR = "sonnx.ReduceSum-13"
TYPES = ("int32", "int64", "uint32", "uint64")
SLIP = "an empty list of axes folds none whatever noop_with_empty_axes is: only its absence is looked at"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    axis = () if noop_with_empty_axes else None
    if axes is not None:
        axis = tuple(axes.tolist())
    result: np.ndarray = np.sum(data, axis=axis, dtype=data.dtype, keepdims=bool(keepdims))
    return result
