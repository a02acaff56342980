"""numpy's own reduction, kept in the type of the data, into a result that is there before."""

import numpy as np

OPERATOR = "sonnx.ReduceSum-13"
TYPES = ("int32", "int64", "uint32", "uint64")


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    if axes is not None and axes.size > 0:
        axis = tuple(int(a) for a in axes)
    else:
        axis = () if noop_with_empty_axes else tuple(range(data.ndim))
    shape = list(data.shape)
    for a in axis:
        shape[a] = 1 if keepdims else None
    result = np.empty([n for n in shape if n is not None], data.dtype)
    np.add.reduce(data, axis=axis, dtype=data.dtype, out=result, keepdims=bool(keepdims))
    return result
