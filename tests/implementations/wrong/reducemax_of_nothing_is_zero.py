from functools import reduce
from math import prod

import numpy as np

OPERATOR = "sonnx.ReduceMax-20"
TYPES = ("bfloat16", "float16", "float", "double")
SLIP = "the greatest of no elements is 0, not -inf"


def later(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    above = (a > b) | ((a == b) & np.signbit(b))
    return np.where(np.isnan(a) | above, a, b)


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    listed = [] if axes is None else [int(a) % data.ndim for a in axes]
    if not listed:
        if noop_with_empty_axes:
            return data.copy()
        listed = list(range(data.ndim))
    kept = [k for k in range(data.ndim) if k not in listed]
    sizes = [data.shape[k] for k in kept]
    count = prod(data.shape[k] for k in listed)
    shape = [1 if k in listed else n for k, n in enumerate(data.shape)] if keepdims else sizes
    if count == 0:
        return np.zeros(shape, data.dtype)
    parts = data.transpose(listed + kept).reshape([count, *sizes])
    result: np.ndarray = reduce(later, [parts[n] for n in range(count)]).reshape(shape)
    return result
