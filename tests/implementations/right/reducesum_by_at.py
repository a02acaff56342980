"""Each element added to where it belongs."""

import numpy as np

OPERATOR = "sonnx.ReduceSum-13"
TYPES = ("int32", "int64", "uint32", "uint64")


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = set() if axes is None else {int(a) % data.ndim for a in axes}
    if not folded and not noop_with_empty_axes:
        folded = set(range(data.ndim))
    result = np.zeros([1 if k in folded else n for k, n in enumerate(data.shape)], data.dtype)
    numbers = np.broadcast_to(np.arange(result.size).reshape(result.shape), data.shape)
    flat = result.reshape(-1)
    np.add.at(flat, numbers.ravel(), data.ravel())
    return flat.reshape([n for k, n in enumerate(result.shape) if keepdims or k not in folded])
