from math import prod

import numpy as np

OPERATOR = "sonnx.ReduceSum-13"
TYPES = ("bfloat16", "float16", "float", "double")
SLIP = "the error of each addition is carried along, and beside an infinity that is NaN"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    listed = [] if axes is None else [int(a) % data.ndim for a in axes]
    if not listed and not noop_with_empty_axes:
        listed = list(range(data.ndim))
    kept = [k for k in range(data.ndim) if k not in listed]
    sizes = [data.shape[k] for k in kept]
    count = prod(data.shape[k] for k in listed)
    shape = [1 if k in listed else n for k, n in enumerate(data.shape)] if keepdims else sizes
    if count == 0:
        return np.zeros(shape, data.dtype)
    parts = np.transpose(data, listed + kept).reshape([count, *sizes])
    total, error = parts[0], None
    for n in range(1, count):
        addend = parts[n] if error is None else parts[n] - error
        next_total = total + addend
        error = (next_total - total) - addend
        total = next_total
    result: np.ndarray = total.reshape(shape)
    return result
