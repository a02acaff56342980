import numpy as np

OPERATOR = "sonnx.ReduceMax-20"
TYPES = ("int8", "int32", "int64", "uint8", "uint32", "uint64", "bool")
SLIP = "axes are removed one after another from the first on, though the later ones have moved by then"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = [] if axes is None else sorted(int(a) % data.ndim for a in axes)
    if not folded and not noop_with_empty_axes:
        folded = list(range(data.ndim))
    lowest = False if data.dtype == bool else np.iinfo(data.dtype).min
    result = data
    for axis in folded:
        result = np.max(result, axis=axis, initial=lowest)
    if keepdims:
        result = result.reshape([1 if k in folded else n for k, n in enumerate(data.shape)])
    return result
