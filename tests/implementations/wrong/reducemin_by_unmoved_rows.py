from math import prod

import numpy as np

OPERATOR = "sonnx.ReduceMin-20"
TYPES = ("int8", "int32", "int64", "uint8", "uint32", "uint64")
SLIP = "a matrix is made as if the folded axes were the last ones, and they are not moved there"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = set() if axes is None else {int(a) % data.ndim for a in axes}
    if not folded and not noop_with_empty_axes:
        folded = set(range(data.ndim))
    kept = [n for k, n in enumerate(data.shape) if k not in folded]
    rows = data.reshape(prod(kept), prod(data.shape[k] for k in folded))
    least = np.min(rows, axis=1, initial=np.iinfo(data.dtype).max)
    shape = [1 if k in folded else n for k, n in enumerate(data.shape)] if keepdims else kept
    result: np.ndarray = least.reshape(shape)
    return result
