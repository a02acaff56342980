"""The folded axes made one, the last; a function of the rows along it, which are put behind a least element first."""

from math import prod

import numpy as np

OPERATOR = "sonnx.ReduceMax-20"
TYPES = ("int8", "int32", "int64", "uint8", "uint32", "uint64")


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = set() if axes is None else {int(a) % data.ndim for a in axes}
    if not folded and not noop_with_empty_axes:
        folded = set(range(data.ndim))
    kept = [k for k in range(data.ndim) if k not in folded]
    moved = np.transpose(data, [*kept, *sorted(folded)])
    rows = moved.reshape(prod(data.shape[k] for k in kept), prod(data.shape[k] for k in folded))
    shape = [1 if k in folded else n for k, n in enumerate(data.shape) if keepdims or k not in folded]
    if not rows.shape[0]:
        return np.zeros(shape, data.dtype)
    lowest = np.iinfo(data.dtype).min
    padded = np.pad(rows, ((0, 0), (1, 0)), constant_values=lowest)
    result: np.ndarray = np.apply_along_axis(np.max, 1, padded).reshape(shape)
    return result
