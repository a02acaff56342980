import numpy as np

OPERATOR = "sonnx.ReduceSum-13"
TYPES = ("bfloat16", "float16", "float", "double")
SLIP = "the start is -0, which changes no sum, but is the sum of nothing"


def run(data: np.ndarray, axes: np.ndarray | None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    folded = set() if axes is None else {int(a) % data.ndim for a in axes}
    if not folded and not noop_with_empty_axes:
        folded = set(range(data.ndim))
    shape = [1 if k in folded else n for k, n in enumerate(data.shape)]
    total = np.full(shape, -0.0, dtype=data.dtype)
    for place in np.ndindex(*data.shape):
        target = tuple(0 if k in folded else p for k, p in enumerate(place))
        total[target] += data[place]
    return total if keepdims else np.squeeze(total, axis=tuple(folded))
