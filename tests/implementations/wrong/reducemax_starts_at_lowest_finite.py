from math import prod

import numpy as np

OPERATOR = "sonnx.ReduceMax-20"
TYPES = ("float16", "float", "double")
SLIP = "the start is the lowest finite number, and -inf is below it"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = [] if axes is None else [a % data.ndim for a in axes.tolist()]
    if not folded and noop_with_empty_axes:
        return data.copy()
    folded = folded or list(range(data.ndim))
    kept = [k for k in range(data.ndim) if k not in folded]
    rows = np.transpose(data, kept + folded)
    rows = rows.reshape(prod(rows.shape[: len(kept)]), prod(rows.shape[len(kept) :]))
    greatest = np.full(rows.shape[0], np.finfo(data.dtype).min, data.dtype)
    for n in range(rows.shape[1]):
        x = rows[:, n]
        above = (x > greatest) | ((x == greatest) & np.signbit(greatest)) | np.isnan(x)
        greatest = np.where(above, x, greatest)
    return greatest.reshape([1 if k in folded else n for k, n in enumerate(data.shape) if keepdims or k in kept])
