"""A table of where the addends lie, one row for each, and one after another added."""

from functools import reduce
from math import prod

import numpy as np

OPERATOR = "sonnx.ReduceSum-13"
TYPES = ("int32", "int64", "uint32", "uint64", "bfloat16", "float16", "float", "double")


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    rank = data.ndim
    listed = () if axes is None else tuple(axes.tolist())
    everything = not listed and noop_with_empty_axes == 0
    folded = tuple(k for k in range(rank) if everything or k in listed or k - rank in listed)
    kept = tuple(k for k in range(rank) if k not in folded)
    count = prod(data.shape[k] for k in folded)
    others = tuple(data.shape[k] for k in kept)
    shape = tuple(1 if k in folded else n for k, n in enumerate(data.shape)) if keepdims == 1 else others
    if count == 0:
        return np.zeros(shape, data.dtype)
    places = np.arange(data.size).reshape(data.shape)
    table = places.transpose(folded + kept).reshape(count, prod(others))
    addends = np.take(data.reshape(-1), table)
    result: np.ndarray = reduce(lambda a, b: a + b, [addends[n] for n in range(count)]).reshape(shape)
    return result
