"""Where the wrong kernels go wrong: predicates on a call whose input is valid. table.py has each of them in words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.kernels.calls import Array, Call, is_float, is_integer, smallest_normal

Region = Callable[[Call], bool]


def is_prime(n: int) -> bool:
    """Whether a size is a prime."""
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))


def is_permuted(x: Array) -> bool:
    """Whether the elements fill a block of memory, but the axes are not in the order of memory."""
    if x.flags.c_contiguous or min(x.strides, default=0) <= 0:
        return False
    order = sorted(range(x.ndim), key=lambda k: -x.strides[k])
    return bool(np.transpose(x, order).flags.c_contiguous)


def common_shape(call: Call) -> tuple[int, ...]:
    """The shape to which the inputs broadcast."""
    return np.broadcast_shapes(*(x.shape for x in call.inputs if x is not None))


def folded_axes(call: Call) -> tuple[int, ...]:
    """The axes that a reduction folds."""
    if call.axes or call.attributes.get("noop_with_empty_axes", 0):
        return call.positive_axes
    return tuple(range(call.data.ndim))


# --------------------------------------------------------------------------------------------- layout, type and shape


def reversed_at_rank_3(call: Call) -> bool:
    x = call.data
    return x.ndim == 3 and any(n > 1 and stride < 0 for n, stride in zip(x.shape, x.strides, strict=True))


def strided_at_rank_2(call: Call) -> bool:
    return call.data.ndim == 2 and not call.data.flags.c_contiguous


def offset_with_a_tail(call: Call) -> bool:
    # What numpy allocates begins at a multiple of 16.
    return call.data.ctypes.data % 16 != 0 and call.data.size % 8 != 0


def permuted_at_8_bytes(call: Call) -> bool:
    return call.data.ndim >= 3 and call.data.itemsize == 8 and is_permuted(call.data)


def float16_of_odd_rows(call: Call) -> bool:
    x = call.data
    return x.ndim >= 1 and x.dtype == np.float16 and x.shape[-1] % 2 == 1


def blocks_of_16_at_2_bytes(call: Call) -> bool:
    x = call.data
    return x.ndim >= 2 and x.itemsize == 2 and x.shape[-1] > 0 and x.shape[-1] % 16 == 0


def bytes_beyond_4096(call: Call) -> bool:
    return call.data.itemsize == 1 and call.data.size > 4096


def triples_of_int64(call: Call) -> bool:
    x = call.data
    return x.ndim == 3 and x.shape[-1] == 3 and is_integer(x) and x.itemsize == 8


def tail_beyond_4096(call: Call) -> bool:
    return call.data.size > 4096 and call.data.size % 16 != 0


def one_image_of_prime_width(call: Call) -> bool:
    x = call.data
    return x.ndim == 4 and x.shape[0] == 1 and x.shape[3] >= 5 and is_prime(x.shape[3])


def rank_5_with_a_one_inside(call: Call) -> bool:
    return call.data.ndim == 5 and 1 in call.data.shape[1:-1]


def empty_first_dim_at_rank_3(call: Call) -> bool:
    return call.data.ndim == 3 and call.data.shape[0] == 0


# ----------------------------------------------------------------------------------------------------------- elements


def tail_of_rows(x: Array) -> Array:
    """The elements of each row after the last full vector of 8; none where there is no full vector."""
    if x.ndim == 0 or x.shape[-1] < 8:
        return x.reshape(-1)[:0]
    return x[..., x.shape[-1] // 8 * 8 :]


def nan_in_the_tail(call: Call) -> bool:
    return is_float(call.data) and bool(np.any(np.isnan(tail_of_rows(call.data))))


def lowest_in_a_long_row(call: Call) -> bool:
    x = call.data
    if x.ndim == 0 or x.dtype.kind != "i":
        return False
    return x.shape[-1] > 64 and bool(np.any(x == np.iinfo(x.dtype).min))


def minus_zero_beside_a_broadcast(call: Call) -> bool:
    if len(call.arrays) < 2 or not is_float(call.data):
        return False
    second = call.arrays[1]
    return call.data.shape != common_shape(call) and bool(np.any((second == 0) & np.signbit(second)))


def infinity_in_pairs_of_2_bytes(call: Call) -> bool:
    x = call.data
    if not is_float(x) or x.itemsize != 2 or x.ndim == 0:
        return False
    return x.shape[-1] % 2 == 0 and bool(np.any(np.isinf(x)))


def is_subnormal(x: Array) -> Array:
    """Which elements are subnormal."""
    return np.asarray((x != 0) & (np.abs(x) < smallest_normal(x)))


def subnormal_in_a_vector(call: Call) -> bool:
    return is_float(call.data) and call.data.size >= 8 and bool(np.any(is_subnormal(call.data)))


def strided_integers_beyond_double(call: Call) -> bool:
    x = call.data
    if not is_integer(x) or x.itemsize != 8 or x.flags.c_contiguous:
        return False
    limit = 2**53
    return bool(np.any(x > limit)) or (x.dtype.kind == "i" and bool(np.any(x < -limit)))


# ------------------------------------------------------------------------------------------ axes that are named


def negative_axis_at_rank_4(call: Call) -> bool:
    return call.data.ndim >= 4 and min(call.axes or (0,)) < 0


def blocks_of_8_on_the_middle_axis(call: Call) -> bool:
    size = call.data.shape[1] if call.data.ndim == 3 else 0
    return call.positive_axes == (1,) and size > 0 and size % 8 == 0


def long_last_axis(call: Call) -> bool:
    rank = call.data.ndim
    return rank > 0 and call.positive_axes == (rank - 1,) and call.data.shape[-1] > 1024


def rank_3_without_keepdims(call: Call) -> bool:
    return call.data.ndim == 3 and not call.keepdims


def two_axes_apart(call: Call) -> bool:
    axes = sorted(call.positive_axes)
    return len(axes) == 2 and axes[1] - axes[0] > 1


def negative_axis_without_keepdims(call: Call) -> bool:
    return min(call.axes or (0,)) < 0 and not call.keepdims


def some_ascending_axes_without_keepdims(call: Call) -> bool:
    axes = list(call.axes or ())
    ascending = axes == sorted(axes) and min(axes, default=-1) >= 0
    return 2 <= len(axes) < call.data.ndim and ascending and not call.keepdims


def empty_axis_that_stays(call: Call) -> bool:
    kept = [n for k, n in enumerate(call.data.shape) if k not in call.positive_axes]
    return bool(call.axes) and 0 in kept


def empty_axis_folded_without_keepdims(call: Call) -> bool:
    return not call.keepdims and any(call.data.shape[k] == 0 for k in folded_axes(call))


def no_operation_without_keepdims(call: Call) -> bool:
    return not call.axes and call.attributes.get("noop_with_empty_axes", 0) == 1 and not call.keepdims


def empty_list_at_rank_3(call: Call) -> bool:
    return call.axes == () and call.data.ndim >= 3 and call.attributes.get("noop_with_empty_axes", 0) == 0


# ----------------------------------------------------------------------------------------------------- several inputs


def more_than_64_inputs_of_rank_2(call: Call) -> bool:
    return len(call.inputs) > 64 and max(x.ndim for x in call.arrays) >= 2


def scalar_among_three(call: Call) -> bool:
    ranks = [x.ndim for x in call.inputs if x is not None]
    return len(ranks) >= 3 and min(ranks) == 0 and max(ranks) > 0


def row_meets_column(call: Call) -> bool:
    shapes = [x.shape for x in call.arrays if x.ndim == 2]
    columns = [s for s in shapes if s[0] >= 5 and s[1] == 1]
    rows = [s for s in shapes if s[0] == 1 and s[1] >= 5]
    return bool(columns) and bool(rows)


def third_of_lower_rank(call: Call) -> bool:
    given = [x for x in call.inputs if x is not None]
    return len(given) >= 3 and given[0].shape == given[1].shape and given[2].ndim < given[0].ndim


def vectors_broadcast_on_the_middle_axis(call: Call) -> bool:
    shape = common_shape(call)
    if len(shape) != 3 or min(shape) < 2 or shape[2] % 4 != 0:
        return False
    return any(x.ndim == 3 and x.shape == (shape[0], 1, shape[2]) for x in call.arrays)


def optional_input_omitted_at_rank_3(call: Call) -> bool:
    return call.data.ndim >= 3 and any(x is None for x in call.inputs)


# ----------------------------------------------------------------------------------------------------- of one operator


def negative_step_past_the_front(call: Call) -> bool:
    _, _, ends, axes, steps = call.inputs
    if ends is None or steps is None:
        return False
    named = range(len(ends)) if axes is None else [int(a) for a in axes]
    triples = [(axis, int(end), int(step)) for axis, end, step in zip(named, ends, steps, strict=True)]
    return any(step < 0 and end < -call.data.shape[axis] for axis, end, step in triples)


def repeated_places_with_a_negative(call: Call) -> bool:
    places = call.inputs[1]
    assert places is not None
    size = call.data.shape[call.positive_axes[0]]
    meant = np.where(places < 0, places + size, places).reshape(-1).tolist()
    return len(set(meant)) < len(meant) and bool(np.any(places < 0))


def ties_beside_an_axis_of_one(call: Call) -> bool:
    (axis,) = call.positive_axes
    others = [n for k, n in enumerate(call.data.shape) if k != axis]
    if 1 not in others or call.data.size == 0:
        return False
    ordered = np.moveaxis(np.sort(call.data, axis), axis, 0)
    return bool(np.any(ordered[1:] == ordered[:-1]))


def rotation_of_axes(call: Call) -> bool:
    perm = list(call.attributes["perm"])
    return len(perm) >= 3 and [perm[k] for k in perm] != list(range(len(perm)))


def exclusive_and_reverse_from_the_end(call: Call) -> bool:
    both = call.attributes.get("exclusive", 0) == 1 and call.attributes.get("reverse", 0) == 1
    return both and min(call.axes or (0,)) < 0
