"""One axis after another, each by recursion on its two halves."""

import numpy as np

OPERATOR = "sonnx.ReduceMax-20"
TYPES = ("int8", "int32", "int64", "uint8", "uint32", "uint64", "bool")


def greatest(x: np.ndarray, axis: int) -> np.ndarray:
    """With the axis kept, of size 1."""
    size = x.shape[axis]
    if size == 0:
        lowest = False if x.dtype == np.bool_ else np.iinfo(x.dtype).min
        return np.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), lowest, x.dtype)
    if size == 1:
        return x
    before = (slice(None),) * axis
    lower = x[(*before, slice(None, size // 2))]
    upper = x[(*before, slice(size // 2, None))]
    result: np.ndarray = np.maximum(greatest(lower, axis), greatest(upper, axis))
    return result


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = set() if axes is None else {int(a) % data.ndim for a in axes}
    if not folded and not noop_with_empty_axes:
        folded = set(range(data.ndim))
    result = data
    for axis in folded:
        result = greatest(result, axis)
    if keepdims:
        return result
    return result.reshape([n for k, n in enumerate(result.shape) if k not in folded])
