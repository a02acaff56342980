"""Wrong kernels: right implementations that go wrong in one pair or triple of classes of input, and right elsewhere.

They stand for compiled kernels. Each class is one that code distinguishes: a rank, a layout, a block size, a threshold,
an element type, a sign of an axis, a number of inputs, an element that is special.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.kernels import damages, regions
from tests.kernels.calls import DTYPES, Array, Implementation, Result
from tests.kernels.damages import Damage
from tests.kernels.operators import NAMED, OPERATORS, Operator, of_families
from tests.kernels.regions import Region
from tests.kernels.witnesses import (
    Given,
    Witness,
    column_major,
    fixed,
    flipped,
    given,
    holding,
    ints,
    numbers,
    plain_call,
    plain_type,
    reduce_call,
    reducing,
    several,
    with_offset,
)


@dataclass(frozen=True)
class Kernel:
    """A way to be wrong, of one or several operators."""

    name: str
    where: str
    """The inputs on which it is wrong, in words."""
    strength: int
    """How many classes have to come together: 2 or 3."""
    wrong: str
    """What it gives there, in words."""
    region: Region
    damage: Damage
    operators: tuple[str, ...]
    """Those that it fits: the region has valid input, and most elements show the damage."""
    witness: Witness
    """Makes an input in the region on which the damage shows."""
    too_slow: tuple[str, ...] = ()
    """Operators that it fits too, but whose evaluator takes many seconds, or minutes, for any input in the region."""

    def of(self, operator: Operator) -> Implementation:
        """The wrong implementation of an operator."""
        return broken(operator, self.region, self.damage)


def broken(operator: Operator, region: Region, damage: Damage) -> Implementation:
    """The right implementation, damaged in a region; it refuses what the right one refuses."""

    def run(*inputs: Array | None, **attributes: Any) -> Result:
        result = operator.run(*inputs, **attributes)
        call = operator.call(*inputs, **attributes)
        with np.errstate(all="ignore"):
            return damage(call, result) if region(call) else result

    return run


def without(names: tuple[str, ...], *left_out: str) -> tuple[str, ...]:
    """Some operators without others."""
    return tuple(name for name in names if name not in left_out)


def with_types(names: tuple[str, ...], *types: str) -> tuple[str, ...]:
    """Those of the operators that have all of these element types."""
    return tuple(name for name in names if set(types) <= set(NAMED[name].types))


def with_any_type(names: tuple[str, ...], *types: str) -> tuple[str, ...]:
    """Those of the operators that have one of these element types."""
    return tuple(name for name in names if set(types) & set(NAMED[name].types))


# The standards leave float sums open, and much else that is left out below.
OPEN_SUMS = ("onnx.ReduceSum-1", "onnx.ReduceSum-11", "onnx.ReduceSum-13")
ALL = tuple(operator.name for operator in OPERATORS)
OF_ANY_RANK = without(ALL, "user.MaxPool-22")
FLOATS_DECIDED = without(ALL, *OPEN_SUMS)
EXTREMA = of_families("Max", "Min")
BROADCASTING = without(EXTREMA, "onnx.Max-6", "onnx.Min-6")
REDUCED_EXTREMA = of_families("ReduceMax", "ReduceMin")
REDUCTIONS = (*REDUCED_EXTREMA, *of_families("ReduceSum"))
FIRST_REDUCTIONS = ("onnx.ReduceMax-1", "onnx.ReduceMin-1", "onnx.ReduceSum-1")
"""Those that leave negative axes open."""
OF_LISTS = tuple(name for name in REDUCTIONS if NAMED[name].arity == 2)
"""The reductions whose axes are an input, and which may do nothing."""
PROFILE = tuple(name for name in ALL if name.startswith("sonnx."))
OF_AN_AXIS = of_families(
    "Concat", "Gather", "Split", "Flatten", "TopK", "ArgMax", "CumSum", "Softmax", "QuantizeLinear"
)
NEGATIVE_AXES = (*without(REDUCTIONS, *FIRST_REDUCTIONS), *OF_AN_AXIS)
SLOW_ON_LONG_ROWS = of_families("CumSum", "Softmax", "TopK")
MOVING = of_families(
    "Transpose", "Concat", "Slice", "Gather", "Pad", "Where", "Expand", "Split", "Flatten", "TopK", "Clip"
)
EMPTIES = (
    *(name for name in PROFILE if name in REDUCTIONS),
    "onnx.ReduceMax-18",
    "onnx.ReduceMax-20",
    *without(of_families("ReduceMin"), "sonnx.ReduceMin-20", "onnx.ReduceMin-12"),
)
"""The reductions that say what the fold of nothing is."""


def lowest_in_a_row(operator: Operator) -> Given:
    """The lowest integer in a row of 70, with others to compare it with."""
    x = numbers((2, 70), DTYPES["int32"])
    x[1, 3] = np.iinfo(np.int32).min
    if operator.name in REDUCTIONS:
        return reduce_call(operator, x, [1])
    return given(x, numbers((2, 70), DTYPES["int32"]))


def empty_rows(operator: Operator) -> Given:
    """Rank 3, first dim 0; the last axis is named, where one is."""
    return plain_call(operator, numbers((0, 2, 3), DTYPES[plain_type(operator)]), 2)


def long_rows(operator: Operator) -> Given:
    """Rows of 1,025 elements, the greatest and the least at odd places, and their axis."""
    x = numbers((2, 1025), DTYPES[plain_type(operator)])
    x[:, 501], x[:, 503] = 50, 0
    return plain_call(operator, x, 1)


def ends_apart(operator: Operator) -> Given:
    """The first and the last axis of three are reduced; the greatest and the least are not at the first place."""
    x = numbers((2, 2, 3), DTYPES[plain_type(operator)])
    x[:, :, 1], x[:, :, 2] = 50, 0
    return reduce_call(operator, x, [0, 2])


def minus_zero_that_is_chosen(operator: Operator) -> Given:
    """-0 in the second input, beside a number that is not chosen."""
    other = 1.0 if operator.family == "Min" else -1.0
    return several((1,), (3,), elements=[other, -0.0])(operator)


def permuted_wide_data(operator: Operator) -> Given:
    """Integers where the floats are open, or there are none of 8 bytes."""
    integers = operator.family in ("ReduceSum", "TopK")
    return holding((2, 3, 2, 5), "int64" if integers else "double", layout=column_major)(operator)


def omitted(operator: Operator) -> Given:
    """Rank 3, and one optional input left out."""
    x = numbers((2, 3, 4), DTYPES[plain_type(operator)])
    if operator.family in ("ReduceMax", "ReduceMin", "ReduceSum"):
        return reduce_call(operator, x, None)
    if operator.family == "Clip":
        return given(x, None, np.array(5, np.float32))
    return plain_call(operator, x)


def tied(operator: Operator) -> Given:
    """Two equal elements are the greatest of a row that is the only one."""
    x = np.array([[1, 5, 2, 5]], np.float32)
    return given(x, ints(2), axis=1) if operator.family == "TopK" else given(x, axis=1)


LAYOUT_AND_SHAPE = [
    Kernel(
        "reversed_at_rank_3",
        "an axis runs backward in memory, and the rank is 3",
        2,
        "the last element is stale",
        regions.reversed_at_rank_3,
        damages.last_is_stale,
        OF_ANY_RANK,
        holding((2, 3, 5), layout=flipped),
    ),
    Kernel(
        "strided_at_rank_2",
        "the data is not contiguous, and the rank is 2",
        2,
        "the first element is stale",
        regions.strided_at_rank_2,
        damages.first_is_stale,
        OF_ANY_RANK,
        holding((3, 5), layout=column_major),
    ),
    Kernel(
        "offset_with_a_tail",
        "the data begins at an address that is no multiple of 16, and its size is no multiple of 8",
        2,
        "the elements after the last full vector are stale",
        regions.offset_with_a_tail,
        damages.tail_is_stale,
        ALL,
        holding((1, 1, 3, 5), layout=with_offset),
    ),
    Kernel(
        "permuted_at_8_bytes",
        "the axes are not in the order of memory, the rank is 3 or more, an element has 8 bytes",
        3,
        "the last element is stale",
        regions.permuted_at_8_bytes,
        damages.last_is_stale,
        with_any_type(ALL, "double", "int64"),
        permuted_wide_data,
    ),
    Kernel(
        "float16_of_odd_rows",
        "the type is float16, and the last dim is odd",
        2,
        "the last element is stale",
        regions.float16_of_odd_rows,
        damages.last_is_stale,
        with_types(FLOATS_DECIDED, "float16"),
        holding((1, 2, 3, 5), "float16", axis=2),
    ),
    Kernel(
        "blocks_of_16_at_2_bytes",
        "an element has 2 bytes, the last dim is a multiple of 16, and the rank is 2 or more",
        3,
        "the last element is stale",
        regions.blocks_of_16_at_2_bytes,
        damages.last_is_stale,
        with_types(FLOATS_DECIDED, "float16"),
        holding((1, 1, 3, 32), "float16"),
    ),
    Kernel(
        "bytes_beyond_4096",
        "an element has 1 byte, and there are more than 4,096 of them",
        2,
        "what lies behind 4,096 elements of the result is stale, the last one at least",
        regions.bytes_beyond_4096,
        damages.all_after_4096_is_stale,
        with_types(ALL, "int8"),
        holding((1, 5, 25, 33), "int8"),
    ),
    Kernel(
        "triples_of_int64",
        "integers of 8 bytes, rank 3, and the last dim is 3",
        3,
        "the last element is the greatest of the type",
        regions.triples_of_int64,
        damages.last_is_saturated,
        with_types(OF_ANY_RANK, "int64"),
        holding((2, 4, 3), "int64"),
    ),
    Kernel(
        "tail_beyond_4096",
        "there are more than 4,096 elements, and their number is no multiple of 16",
        2,
        "the elements after the last full vector are stale",
        regions.tail_beyond_4096,
        damages.tail_is_stale,
        ALL,
        holding((1, 1, 45, 101)),
    ),
    Kernel(
        "one_image_of_prime_width",
        "the rank is 4, the first dim is 1, the last is a prime of 5 or more",
        3,
        "the last element is stale",
        regions.one_image_of_prime_width,
        damages.last_is_stale,
        ALL,
        holding((1, 2, 3, 7)),
    ),
    Kernel(
        "rank_5_with_a_one_inside",
        "the rank is 5, and an axis that is neither the first nor the last has the size 1",
        2,
        "the first element is stale",
        regions.rank_5_with_a_one_inside,
        damages.first_is_stale,
        OF_ANY_RANK,
        holding((2, 1, 3, 1, 2)),
    ),
    Kernel(
        "empty_first_dim_at_rank_3",
        "the first dim is 0, and the rank is 3",
        2,
        "the input is refused",
        regions.empty_first_dim_at_rank_3,
        damages.refuses,
        OF_ANY_RANK,
        empty_rows,
    ),
]

ELEMENTS = [
    Kernel(
        "nan_in_the_tail",
        "NaN stands in a row behind the last full vector of 8",
        2,
        "it counts as 0",
        regions.nan_in_the_tail,
        damages.nan_in_the_tail_is_0,
        (*PROFILE, *of_families("Clip", "ArgMax", "TopK", "CumSum", "Softmax", "Add", "MaxPool")),
        holding((1, 1, 2, 11), "float", axis=3, elements={9: np.nan, 20: np.nan}),
    ),
    Kernel(
        "lowest_in_a_long_row",
        "the lowest integer of the type is in data whose last dim is above 64",
        2,
        "it counts as the greatest",
        regions.lowest_in_a_long_row,
        damages.lowest_is_greatest,
        with_types((*EXTREMA, *REDUCED_EXTREMA), "int32"),
        lowest_in_a_row,
    ),
    Kernel(
        "minus_zero_beside_a_broadcast",
        "-0 is in the second input, the first is broadcast, the type has floats",
        3,
        "zeros of the result lose their sign",
        regions.minus_zero_beside_a_broadcast,
        damages.zeros_have_no_sign,
        (*BROADCASTING, *of_families("Where")),
        minus_zero_that_is_chosen,
    ),
    Kernel(
        "infinity_in_pairs_of_2_bytes",
        "an infinity is in the data, a float has 2 bytes, and the last dim is even",
        3,
        "infinities of the result are the greatest number",
        regions.infinity_in_pairs_of_2_bytes,
        damages.infinities_are_finite,
        (
            *EXTREMA,
            *REDUCED_EXTREMA,
            "sonnx.ReduceSum-13",
            *of_families("Clip", "Add", "CumSum", "MaxPool", "TopK", "Pad", "Where"),
        ),
        holding((1, 1, 2, 2), "float16", elements={0: np.inf, 1: -np.inf, 3: -np.inf}, axis=2),
    ),
    Kernel(
        "subnormal_in_a_vector",
        "a subnormal float is in the data, and there are 8 elements or more",
        2,
        "it counts as 0",
        regions.subnormal_in_a_vector,
        damages.subnormals_are_0,
        (*MOVING, *EXTREMA),
        holding((2, 5), elements={4: 1e-40}),
    ),
    Kernel(
        "strided_integers_beyond_double",
        "integers of 8 bytes, one is beyond 2^53, and the data is not contiguous",
        3,
        "the result is rounded to a double and back",
        regions.strided_integers_beyond_double,
        damages.through_double,
        with_types(
            (*EXTREMA, *REDUCTIONS, *of_families("Clip", "Add", "CumSum", "MatMul", "MaxPool", "TopK")), "int64"
        ),
        holding((1, 1, 2, 3), "int64", layout=column_major, elements={n: 2**60 + 2 * n + 1 for n in range(6)}, axis=2),
    ),
]

NAMED_AXES = [
    Kernel(
        "negative_axis_at_rank_4",
        "an axis is named from the end, and the rank is 4 or more",
        2,
        "the last element is stale",
        regions.negative_axis_at_rank_4,
        damages.last_is_stale,
        NEGATIVE_AXES,
        holding((2, 3, 2, 2), axis=-2),
    ),
    Kernel(
        "blocks_of_8_on_the_middle_axis",
        "the rank is 3, the middle axis alone is named, its size is a multiple of 8",
        3,
        "the last element is a copy of the one before it",
        regions.blocks_of_8_on_the_middle_axis,
        damages.last_is_its_neighbour,
        (*REDUCTIONS, *OF_AN_AXIS),
        holding((2, 16, 5), axis=1),
    ),
    Kernel(
        "long_last_axis",
        "the last axis alone is named, and its size is above 1,024",
        2,
        "every other element of a row is taken for the one before it",
        regions.long_last_axis,
        damages.every_other_lane,
        without((*REDUCTIONS, *OF_AN_AXIS), *SLOW_ON_LONG_ROWS),
        long_rows,
        too_slow=SLOW_ON_LONG_ROWS,
    ),
]

REDUCED = [
    Kernel(
        "rank_3_without_keepdims",
        "the rank is 3, and axes that are reduced do not stay",
        2,
        "the last element is stale",
        regions.rank_3_without_keepdims,
        damages.last_is_stale,
        (*REDUCTIONS, *of_families("ArgMax")),
        reducing((2, 3, 2), [1], keepdims=0),
    ),
    Kernel(
        "two_axes_apart",
        "two axes are reduced, with one between them that is not",
        2,
        "of the second only the first place is read",
        regions.two_axes_apart,
        damages.second_axis_at_0,
        REDUCTIONS,
        ends_apart,
    ),
    Kernel(
        "negative_axis_without_keepdims",
        "an axis is named from the end, and axes that are reduced do not stay",
        2,
        "it is counted from the last axis but one",
        regions.negative_axis_without_keepdims,
        damages.negative_axes_are_off_by_one,
        (*without(REDUCTIONS, *FIRST_REDUCTIONS), *of_families("ArgMax")),
        reducing((2, 3), [-1], keepdims=0),
    ),
    Kernel(
        "some_ascending_axes_without_keepdims",
        "several axes are named in ascending order from the front, others are left, those that are reduced do not stay",
        3,
        "they are folded one after the other, as if those before them were still there",
        regions.some_ascending_axes_without_keepdims,
        damages.one_axis_after_the_other,
        REDUCTIONS,
        reducing((2, 3, 4), [0, 1], keepdims=0),
    ),
    Kernel(
        "empty_axis_that_stays",
        "axes are named, and another one is empty",
        2,
        "the input is refused",
        regions.empty_axis_that_stays,
        damages.refuses,
        REDUCTIONS,
        reducing((2, 0), [0]),
    ),
    Kernel(
        "empty_axis_folded_without_keepdims",
        "an axis that is reduced is empty, and axes that are reduced do not stay",
        2,
        "the last element is stale",
        regions.empty_axis_folded_without_keepdims,
        damages.last_is_stale,
        EMPTIES,
        reducing((3, 0), [1], keepdims=0),
    ),
    Kernel(
        "no_operation_without_keepdims",
        "no axis is named, noop_with_empty_axes is 1, keepdims is 0",
        3,
        "every axis is reduced",
        regions.no_operation_without_keepdims,
        damages.folds_all,
        OF_LISTS,
        reducing((2, 3), None, keepdims=0, noop=1),
    ),
    Kernel(
        "empty_list_at_rank_3",
        "the list of axes is given, and empty, where this means all; the rank is 3 or more",
        2,
        "no axis is reduced",
        regions.empty_list_at_rank_3,
        damages.folds_none,
        OF_LISTS,
        reducing((2, 3, 2), []),
    ),
]

SEVERAL_INPUTS = [
    Kernel(
        "more_than_64_inputs_of_rank_2",
        "there are more than 64 inputs, and one has the rank 2 or more",
        2,
        "the last element is stale",
        regions.more_than_64_inputs_of_rank_2,
        damages.last_is_stale,
        EXTREMA,
        several(*[(1, 3)] * 65),
        too_slow=of_families("Concat"),
    ),
    Kernel(
        "scalar_among_three",
        "there are three inputs or more, and some but not all are scalars",
        2,
        "the first element is stale",
        regions.scalar_among_three,
        damages.first_is_stale,
        (*BROADCASTING, *of_families("Where")),
        several((), (2, 3), (2, 3)),
    ),
    Kernel(
        "row_meets_column",
        "one input is [N, 1] and another [1, M], with N and M of 5 or more",
        2,
        "the result is written column by column",
        regions.row_meets_column,
        damages.column_major,
        (*BROADCASTING, *of_families("Where", "Add")),
        several((5, 1), (1, 7)),
    ),
    Kernel(
        "third_of_lower_rank",
        "the first two inputs have one shape, and the third a lower rank",
        2,
        "the last element is a copy of the one before it",
        regions.third_of_lower_rank,
        damages.last_is_its_neighbour,
        (*BROADCASTING, *of_families("Where")),
        several((2, 3), (2, 3), (3,)),
    ),
    Kernel(
        "vectors_broadcast_on_the_middle_axis",
        "the rank is 3, an input is broadcast on the middle axis alone, the last dim is a multiple of 4",
        3,
        "the first row is repeated",
        regions.vectors_broadcast_on_the_middle_axis,
        damages.first_row_repeated,
        (*BROADCASTING, *of_families("Where", "Add")),
        several((2, 1, 4), (2, 3, 4)),
    ),
    Kernel(
        "optional_input_omitted_at_rank_3",
        "an optional input is left out, and the rank is 3 or more",
        2,
        "the first element is stale",
        regions.optional_input_omitted_at_rank_3,
        damages.first_is_stale,
        (*OF_LISTS, *of_families("Slice", "Pad", "Clip", "Split")),
        omitted,
    ),
]

OF_ONE_OPERATOR = [
    Kernel(
        "negative_step_past_the_front",
        "a step is negative, and its end lies before the first place",
        2,
        "the first place is not taken",
        regions.negative_step_past_the_front,
        damages.ends_stop_at_the_front,
        of_families("Slice"),
        fixed(np.arange(4, dtype=np.int32), ints(3), ints(-9), None, ints(-1)),
    ),
    Kernel(
        "repeated_places_with_a_negative",
        "a place is named twice, and one from the end",
        2,
        "that one is counted from the last place but one",
        regions.repeated_places_with_a_negative,
        damages.negative_places_are_off_by_one,
        of_families("Gather"),
        fixed(np.arange(4, dtype=np.int32), ints(1, 1, -1), axis=0),
    ),
    Kernel(
        "ties_beside_an_axis_of_one",
        "equal elements stand on the axis, and another axis has the size 1",
        2,
        "the last of them comes first",
        regions.ties_beside_an_axis_of_one,
        damages.the_last_of_equals,
        of_families("ArgMax", "TopK"),
        tied,
    ),
    Kernel(
        "rotation_of_axes",
        "the rank is 3 or more, and perm is not its own inverse",
        2,
        "the inverse of perm is applied",
        regions.rotation_of_axes,
        damages.inverse_order_of_axes,
        of_families("Transpose"),
        fixed(np.arange(6, dtype=np.int32).reshape(1, 2, 3), perm=[1, 2, 0]),
    ),
    Kernel(
        "exclusive_and_reverse_from_the_end",
        "exclusive and reverse are 1, and the axis is named from the end",
        3,
        "the element itself is in the sum",
        regions.exclusive_and_reverse_from_the_end,
        damages.not_exclusive,
        of_families("CumSum"),
        fixed(ints(1, 2, 3), np.array(-1, np.int32), exclusive=1, reverse=1),
    ),
]

KERNELS = [*LAYOUT_AND_SHAPE, *ELEMENTS, *NAMED_AXES, *REDUCED, *SEVERAL_INPUTS, *OF_ONE_OPERATOR]
"""The 40 wrong kernels."""


def fits() -> Iterator[tuple[Operator, Kernel]]:
    """Each wrong kernel with each operator that it fits, but for those that are too slow."""
    for kernel in KERNELS:
        for name in kernel.operators:
            yield NAMED[name], kernel
