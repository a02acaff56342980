"""Each axis by a window as long as it, of which there is one; an axis without elements is put behind a greatest one."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

OPERATOR = "sonnx.ReduceMin-20"
TYPES = ("int8", "int32", "int64", "uint8", "uint32", "uint64")


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = set() if axes is None else {int(a) % data.ndim for a in axes}
    if not folded and not noop_with_empty_axes:
        folded = set(range(data.ndim))
    result = data.copy()
    for axis in folded:
        if not result.shape[axis]:
            widths = [(0, int(k == axis)) for k in range(data.ndim)]
            result = np.pad(result, widths, constant_values=np.iinfo(data.dtype).max)
        windows = sliding_window_view(result, result.shape[axis], axis=axis)
        result = np.sort(windows, axis=-1)[..., 0]
    if not keepdims:
        result = np.squeeze(result, axis=tuple(folded))
    return result
