"""A sum over named axes."""

import numpy as np

OPERATOR = "sonnx.ReduceSum-13"
TYPES = ("int32", "int64", "uint32", "uint64")


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = set() if axes is None else {int(a) % data.ndim for a in axes}
    if not folded and not noop_with_empty_axes:
        folded = set(range(data.ndim))
    kept = [k for k in range(data.ndim) if k not in folded]
    result = np.asarray(np.einsum(data, list(range(data.ndim)), kept))
    if keepdims:
        result = result.reshape([1 if k in folded else n for k, n in enumerate(data.shape)])
    return result.copy()
