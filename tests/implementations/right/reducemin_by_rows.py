"""The folded axes moved to the end, a matrix made of them and of the others, its columns compared in turn."""

from math import prod

import numpy as np

OPERATOR = "sonnx.ReduceMin-20"
TYPES = ("bfloat16", "float16", "float", "double")


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    listed = [] if axes is None else axes.tolist()
    if not listed and noop_with_empty_axes:
        return data.copy()
    rank = data.ndim
    folded = [a if a >= 0 else a + rank for a in listed] or list(range(rank))
    kept = [k for k in range(rank) if k not in folded]
    moved = np.moveaxis(data, folded, list(range(len(kept), rank)))
    rows = moved.reshape(prod(data.shape[k] for k in kept), prod(data.shape[k] for k in folded))
    least = np.full(rows.shape[0], np.inf, data.dtype)
    for column in rows.T:
        first = (column < least) | ((column == least) & np.signbit(column)) | np.isnan(column)
        least = np.where(first, column, least)
    if keepdims:
        return least.reshape([1 if k in folded else n for k, n in enumerate(data.shape)])
    return least.reshape([data.shape[k] for k in kept])
