from math import prod

import numpy as np

OPERATOR = "sonnx.ReduceMin-20"
TYPES = ("bfloat16",)
SLIP = "what is not of numpy's kind `f` is taken for an integer, and bfloat16 is of kind `V`"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = [] if axes is None else [a % data.ndim for a in axes.tolist()]
    if not folded and noop_with_empty_axes:
        return data.copy()
    folded = folded or list(range(data.ndim))
    kept = [k for k in range(data.ndim) if k not in folded]
    rows = np.moveaxis(data, kept, list(range(len(kept))))
    rows = rows.reshape(prod(rows.shape[: len(kept)]), prod(rows.shape[len(kept) :]))
    greatest = np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).max
    least = np.full(rows.shape[0], greatest, data.dtype)
    for n in range(rows.shape[1]):
        x = rows[:, n]
        below = (x < least) | ((x == least) & np.signbit(x)) | np.isnan(x)
        least = np.where(below, x, least)
    return least.reshape([1 if k in folded else n for k, n in enumerate(data.shape) if keepdims or k in kept])
