import numpy as np

OPERATOR = "sonnx.ReduceMax-20"
TYPES = ("bfloat16", "float16", "float", "double")
SLIP = "ordered by bit patterns, a NaN whose sign bit is set is below -inf"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    axis = () if axes is None else tuple(axes.tolist())
    if axis == () and noop_with_empty_axes == 0:
        axis = tuple(range(data.ndim))
    folded = [a % data.ndim for a in axis]
    shape = [1 if k in folded else n for k, n in enumerate(data.shape) if keepdims or k not in folded]
    if any(data.shape[a] == 0 for a in folded):
        return np.full(shape, -np.inf, data.dtype)
    unsigned = np.dtype(f"u{data.itemsize}")
    sign = unsigned.type(1 << (8 * data.itemsize - 1))
    bits = data.view(unsigned)
    keys = np.where((bits & sign) != 0, ~bits, bits | sign)
    greatest = np.max(keys, axis=axis).reshape(shape)
    result: np.ndarray = np.where((greatest & sign) != 0, greatest ^ sign, ~greatest).view(data.dtype)
    return result
