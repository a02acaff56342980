import numpy as np

OPERATOR = "sonnx.ReduceMin-20"
TYPES = ("int8", "int32", "int64", "uint8", "uint32", "uint64")
SLIP = "the first slice is the start and is folded into, and a slice is no copy"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = [] if axes is None else [int(a) % data.ndim for a in axes]
    if not folded and not noop_with_empty_axes:
        folded = list(range(data.ndim))
    result = data
    for axis in sorted(folded, reverse=True):
        slices = np.moveaxis(result, axis, 0)
        if len(slices) == 0:
            result = np.full(slices.shape[1:], np.iinfo(data.dtype).max, data.dtype)
            continue
        result = slices[0, ...]
        for n in range(1, len(slices)):
            np.minimum(result, slices[n, ...], out=result)
    if keepdims:
        result = result.reshape([1 if k in folded else n for k, n in enumerate(data.shape)])
    return result
