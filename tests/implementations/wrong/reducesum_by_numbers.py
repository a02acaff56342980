import numpy as np

OPERATOR = "sonnx.ReduceSum-13"
TYPES = ("int32", "uint32")
SLIP = "numbers of Python do not wrap: a sum beyond the type is an error where it is put into an array"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = set() if axes is None else {int(a) % data.ndim for a in axes}
    if not folded and not noop_with_empty_axes:
        folded = set(range(data.ndim))
    add = np.vectorize(lambda a, b: a + b, otypes=[data.dtype])
    result = data.copy()
    for axis in folded:
        rows = np.moveaxis(result, axis, 0)
        total = np.zeros(rows.shape[1:], data.dtype)
        for row in rows:
            total = add(total, row)
        result = np.expand_dims(total, axis)
    return result if keepdims else np.squeeze(result, axis=tuple(folded))
