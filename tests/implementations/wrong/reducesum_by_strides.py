from math import prod

import numpy as np
from numpy.lib.stride_tricks import as_strided

OPERATOR = "sonnx.ReduceSum-13"
TYPES = ("int32", "int64", "uint32", "uint64")
SLIP = "the last row is followed by one that is not there"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = set() if axes is None else {int(a) % data.ndim for a in axes}
    if not folded and not noop_with_empty_axes:
        folded = set(range(data.ndim))
    kept = [k for k in range(data.ndim) if k not in folded]
    length = prod(data.shape[k] for k in folded)
    rows = np.transpose(data, [*kept, *sorted(folded)]).reshape(prod(data.shape[k] for k in kept), length).copy()
    longer = as_strided(rows, (rows.shape[0] + 1, length), (length * data.itemsize, data.itemsize))
    sums: np.ndarray = np.sum(longer[:-1], axis=1, dtype=data.dtype)
    result: np.ndarray = sums.reshape(
        [1 if k in folded else n for k, n in enumerate(data.shape) if keepdims or k not in folded]
    )
    return result
