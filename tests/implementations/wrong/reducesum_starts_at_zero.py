from math import prod

import numpy as np

OPERATOR = "sonnx.ReduceSum-13"
TYPES = ("bfloat16", "float16", "float", "double")
SLIP = "the start is +0, so that a single -0 becomes +0"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    listed = [] if axes is None else [a % data.ndim for a in axes.tolist()]
    if not listed and not noop_with_empty_axes:
        listed = list(range(data.ndim))
    kept = [k for k in range(data.ndim) if k not in listed]
    sizes = [data.shape[k] for k in kept]
    parts = np.transpose(data, listed + kept).reshape([prod(data.shape[k] for k in listed), *sizes])
    total = np.zeros(sizes, dtype=data.dtype)
    for part in parts:
        total += part
    return total.reshape([1 if k in listed else n for k, n in enumerate(data.shape)]) if keepdims else total
