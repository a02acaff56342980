"""What goes wrong in the wrong kernels: from a call and its right result to another result."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.kernels.calls import Array, Call, Result, greatest_finite, is_float, is_integer
from tests.kernels.regions import is_subnormal, tail_of_rows

Damage = Callable[[Call, Result], Result]


# ---------------------------------------------------------------------------------------------- elements of the result


def on_last_output(change: Callable[[Array], Array]) -> Damage:
    """A change of the last output that has elements."""

    def damage(call: Call, result: Result) -> Result:
        if not isinstance(result, tuple):
            return change(result.copy()) if result.size else result
        outputs = list(result)
        filled = [n for n, y in enumerate(outputs) if y.size]
        if filled:
            outputs[filled[-1]] = change(outputs[filled[-1]].copy())
        return tuple(outputs)

    return damage


def stale(x: Array) -> Array:
    """What was in memory before: here the complement of every bit of what should be."""
    if x.dtype.kind == "b":
        return ~x
    bits = np.ascontiguousarray(x).view(f"u{x.itemsize}")
    return (~bits).view(x.dtype)


def stale_from(place: int) -> Damage:
    """The elements from a place on are never written; at least the last."""

    def change(y: Array) -> Array:
        flat = y.reshape(-1)
        begin = min(place, y.size - 1) if place >= 0 else y.size + place
        flat[begin:] = stale(flat[begin:])
        return flat.reshape(y.shape)

    return on_last_output(change)


def _stale_tail(y: Array) -> Array:
    flat = y.reshape(-1)
    begin = (y.size - 1) // 8 * 8
    flat[begin:] = stale(flat[begin:])
    return flat.reshape(y.shape)


def _stale_first(y: Array) -> Array:
    flat = y.reshape(-1)
    flat[:1] = stale(flat[:1])
    return flat.reshape(y.shape)


def _neighbour_last(y: Array) -> Array:
    flat = y.reshape(-1)
    flat[-1:] = flat[-2:-1] if y.size > 1 else stale(flat)
    return flat.reshape(y.shape)


def _column_major(y: Array) -> Array:
    return y.reshape(-1).reshape(y.shape, order="F")


def _first_row_repeated(y: Array) -> Array:
    y[:, 1:] = y[:, :1]
    return y


def _saturated_last(y: Array) -> Array:
    flat = y.reshape(-1)
    flat[-1] = greatest_finite(y)
    return flat.reshape(y.shape)


last_is_stale = stale_from(-1)
all_after_4096_is_stale = stale_from(4096)
tail_is_stale = on_last_output(_stale_tail)
first_is_stale = on_last_output(_stale_first)
last_is_its_neighbour = on_last_output(_neighbour_last)
column_major = on_last_output(_column_major)
first_row_repeated = on_last_output(_first_row_repeated)
last_is_saturated = on_last_output(_saturated_last)


def refuses(call: Call, result: Result) -> Result:
    """The input is refused."""
    raise ValueError("zero-size array")


def on_each_output(change: Callable[[Array], Array]) -> Damage:
    """A change of every output."""

    def damage(call: Call, result: Result) -> Result:
        if isinstance(result, tuple):
            return tuple(change(y.copy()) for y in result)
        return change(result.copy())

    return damage


def _without_signs_of_zeros(y: Array) -> Array:
    y[y == 0] = 0
    return y


def _without_infinities(y: Array) -> Array:
    if not is_float(y):
        return y
    y[y == np.inf] = greatest_finite(y)
    y[y == -np.inf] = -greatest_finite(y)
    return y


def _through_double(y: Array) -> Array:
    if not is_integer(y) or y.itemsize != 8:
        return y
    ends = np.iinfo(y.dtype)
    wide = y.astype(np.float64)
    # What does not fit becomes the integer with the first bit set, or 0, as the instructions of processors have it.
    beyond = wide >= float(ends.max)
    y = np.where(beyond, 0.0, wide).astype(y.dtype)
    y[beyond] = ends.min
    return y


zeros_have_no_sign = on_each_output(_without_signs_of_zeros)
infinities_are_finite = on_each_output(_without_infinities)
through_double = on_each_output(_through_double)


# --------------------------------------------------------------------------------------------------------- another call


def on_other_data(change: Callable[[Array], Array]) -> Damage:
    """The right result of other data."""

    def damage(call: Call, result: Result) -> Result:
        return call.with_data(change(call.data.copy())).right()

    return damage


def _without_nan_in_the_tail(x: Array) -> Array:
    tail = tail_of_rows(x)
    tail[np.isnan(tail)] = 0
    return x


def _lowest_as_greatest(x: Array) -> Array:
    ends = np.iinfo(x.dtype)
    x[x == ends.min] = ends.max
    return x


def _without_subnormals(x: Array) -> Array:
    x[is_subnormal(x)] = 0
    return x


def _every_other_lane(x: Array) -> Array:
    odd = x[..., 1::2]
    odd[...] = x[..., : 2 * odd.shape[-1] : 2]
    return x


nan_in_the_tail_is_0 = on_other_data(_without_nan_in_the_tail)
lowest_is_greatest = on_other_data(_lowest_as_greatest)
subnormals_are_0 = on_other_data(_without_subnormals)
every_other_lane = on_other_data(_every_other_lane)


def with_axes(call: Call, axes: tuple[int, ...]) -> Call:
    """The call with other axes, wherever the operator takes them."""
    if "axis" in call.attributes:
        return call.with_attributes(axis=axes[0])
    if "axes" in call.attributes:
        return call.with_attributes(axes=list(axes))
    return call.with_inputs(call.inputs[0], np.array(axes, np.int64), *call.inputs[2:])


def second_axis_at_0(call: Call, result: Result) -> Result:
    """Of the second axis that is named only the first place is read."""
    axis = max(call.positive_axes)
    first = np.take(call.data, [0] if call.data.shape[axis] else [], axis)
    return call.with_data(np.broadcast_to(first, call.data.shape)).right()


def negative_axes_are_off_by_one(call: Call, result: Result) -> Result:
    """A negative axis is counted from the last axis but one."""
    rank = call.data.ndim
    return with_axes(call, tuple(a if a >= 0 else (a - 1) % rank for a in call.axes or ())).right()


def one_axis_after_the_other(call: Call, result: Result) -> Result:
    """Each axis is folded away by itself; nothing accounts for those that are gone."""
    data = call.data
    for axis in call.positive_axes:
        folded = with_axes(call.with_data(data), (axis % data.ndim,)).right()
        assert not isinstance(folded, tuple)
        data = folded
    return data


def folds_all(call: Call, result: Result) -> Result:
    """Every axis is folded."""
    return with_axes(call, tuple(range(call.data.ndim))).right()


def folds_none(call: Call, result: Result) -> Result:
    """No axis is folded."""
    return call.with_attributes(noop_with_empty_axes=1).right()


def ends_stop_at_the_front(call: Call, result: Result) -> Result:
    """A negative step does not reach the first place."""
    x, starts, ends, axes, steps = call.inputs
    assert ends is not None
    assert steps is not None
    named = np.arange(len(ends)) if axes is None else axes
    sizes = np.array([call.data.shape[int(a)] for a in named], ends.dtype)
    return call.with_inputs(x, starts, np.where((steps < 0) & (ends < -sizes), 0, ends), axes, steps).right()


def negative_places_are_off_by_one(call: Call, result: Result) -> Result:
    """A negative place is counted from the last place but one."""
    x, places = call.inputs
    assert places is not None
    size = call.data.shape[call.positive_axes[0]]
    return call.with_inputs(x, np.where(places < 0, (places - 1) % size, places).astype(places.dtype)).right()


def the_last_of_equals(call: Call, result: Result) -> Result:
    """Among equal elements the order is the other way round."""
    axis = call.positive_axes[0]
    turned = call.with_data(np.flip(call.data, axis)).right()
    last = call.data.shape[axis] - 1
    return (turned[0], last - turned[1]) if isinstance(turned, tuple) else last - turned


def inverse_order_of_axes(call: Call, result: Result) -> Result:
    """Axis perm[k] of the result is axis k of the input."""
    return call.with_attributes(perm=np.argsort(call.attributes["perm"]).tolist()).right()


def not_exclusive(call: Call, result: Result) -> Result:
    """The element itself is in the sum."""
    return call.with_attributes(exclusive=0).right()
