"""A tree: neighbours are added by slices until one is left."""

import numpy as np

OPERATOR = "sonnx.ReduceSum-13"
TYPES = ("int32", "int64", "uint32", "uint64", "bfloat16", "float16", "float", "double")


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    rank = data.ndim
    if axes is None or len(axes) == 0:
        folded = np.full(rank, not noop_with_empty_axes)
    else:
        folded = np.zeros(rank, dtype=bool)
        folded[axes] = True
    kept = [k for k in range(rank) if not folded[k]]
    order = kept + [k for k in range(rank) if folded[k]]
    outer = [data.shape[k] for k in kept]
    count = 1
    for k in order[len(kept) :]:
        count *= data.shape[k]
    parts = np.transpose(data, order).reshape([*outer, count])
    while count > 1:
        even = count - count % 2
        added = parts[..., 0:even:2] + parts[..., 1:even:2]
        parts = np.concatenate([added, parts[..., even:]], axis=-1)
        count = parts.shape[-1]
    total = np.zeros(outer, data.dtype) if count == 0 else parts[..., 0]
    return total.reshape([1 if folded[k] else n for k, n in enumerate(data.shape)] if keepdims else outer)
