import numpy as np

OPERATOR = "sonnx.ReduceSum-13"
TYPES = ("int32", "int64", "uint32", "uint64")
SLIP = "an empty list of axes folds none whatever noop_with_empty_axes is: only its absence is looked at"


def run(data, axes, *, keepdims, noop_with_empty_axes):
    axis = () if noop_with_empty_axes else None
    if axes is not None:
        axis = tuple(axes.tolist())
    return np.sum(data, axis=axis, dtype=data.dtype, keepdims=bool(keepdims))
