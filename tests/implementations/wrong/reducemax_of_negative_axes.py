import numpy as np

OPERATOR = "sonnx.ReduceMax-20"
TYPES = ("int8", "int32", "int64", "uint8", "uint32", "uint64")
SLIP = "a negative axis is not recognised when the shape of the result is made"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    axis = () if axes is None else tuple(axes.tolist())
    if axis == () and noop_with_empty_axes == 0:
        axis = tuple(range(data.ndim))
    shape = [1 if k in axis else n for k, n in enumerate(data.shape) if keepdims or k not in axis]
    result: np.ndarray = np.max(data, axis=axis, initial=np.iinfo(data.dtype).min).reshape(shape)
    return result
