"""The folded axes made one, the last, and multiplied with ones."""

from math import prod

import numpy as np

OPERATOR = "sonnx.ReduceSum-13"
TYPES = ("int32", "int64", "uint32", "uint64")


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = set() if axes is None else {int(a) % data.ndim for a in axes}
    if not folded and not noop_with_empty_axes:
        folded = set(range(data.ndim))
    kept = [k for k in range(data.ndim) if k not in folded]
    length = prod(data.shape[k] for k in folded)
    rows = np.transpose(data, [*kept, *sorted(folded)]).reshape(prod(data.shape[k] for k in kept), length)
    sums = rows @ np.ones((length, 1), data.dtype)
    return sums.reshape([1 if k in folded else n for k, n in enumerate(data.shape) if keepdims or k not in folded])
