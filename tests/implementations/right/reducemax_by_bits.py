"""Floats as signed integers of the same order, made by shifts; the greatest of these by one call; back again."""

import numpy as np

OPERATOR = "sonnx.ReduceMax-20"
TYPES = ("bfloat16", "float16", "float", "double")


def swapped(bits: np.ndarray) -> np.ndarray:
    """All bits but the sign inverted where the sign is set: its own inverse."""
    mask = np.iinfo(bits.dtype).max
    result: np.ndarray = bits ^ ((bits >> (8 * bits.itemsize - 1)) & mask)
    return result


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    axis = () if axes is None else tuple(axes.tolist())
    if axis == () and noop_with_empty_axes == 0:
        axis = tuple(range(data.ndim))
    folded = [a % data.ndim for a in axis]
    if any(data.shape[a] == 0 for a in folded):
        shape = [1 if k in folded else n for k, n in enumerate(data.shape) if keepdims or k not in folded]
        return np.full(shape, -np.inf, data.dtype)
    keys = swapped(data.view(f"i{data.itemsize}"))
    keys = np.where(np.isnan(data), np.full_like(keys, np.iinfo(keys.dtype).max), keys)
    greatest = np.max(keys, axis=axis, keepdims=keepdims == 1)
    return np.asarray(swapped(greatest).view(data.dtype))
