import numpy as np

OPERATOR = "sonnx.ReduceMax-20"
TYPES = ("int8", "int32", "int64", "uint8", "uint32", "uint64")
SLIP = "the last along each axis is taken, and all are sorted along the last axis"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = set() if axes is None else {int(a) % data.ndim for a in axes}
    if not folded and not noop_with_empty_axes:
        folded = set(range(data.ndim))
    result = data.copy()
    for axis in sorted(folded):
        if not result.shape[axis]:
            shape = [1 if k == axis else n for k, n in enumerate(result.shape)]
            result = np.full(shape, np.iinfo(data.dtype).min, data.dtype)
        result = np.take(np.sort(result), [-1], axis=axis)
    return result if keepdims else np.squeeze(result, axis=tuple(folded))
