"""Results are compared as whole arrays; what is found is what a look at each element finds."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_verify.conformance.oracles.comparison import Kind, compare, differing, elements_of, place_in
from sonnx_verify.conformance.oracles.expectation import Demand, Expected, Member, Place
from sonnx_verify.conformance.targets.calls import Array, Ending, Response
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT_TYPES, REAL, FloatSort
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.results.dtypes import dtype_of

SORTS = [sort for sort in ELEMENT_TYPES.values() if sort != REAL]


def _patterns(draw: Any, sort: Any, count: int) -> list[int]:
    """Bytes of elements, few of them different, so that many are equal."""
    some = draw(st.lists(st.integers(0, 255), min_size=1, max_size=3))
    size = dtype_of(sort.name).itemsize
    return [draw(st.sampled_from(some)) for _ in range(count * size)]


@pytest.mark.parametrize("sort", SORTS, ids=str)
@settings(max_examples=20)
@given(data=st.data())
def test_the_differences_are_those_of_the_elements(sort: Any, data: st.DataObject) -> None:
    """For arrays of any bytes: every index with another element is found, with the element of the target, unless the
    specification leaves it open."""
    shape = data.draw(st.sampled_from([(), (0,), (3,), (2, 3)]))
    count = int(np.prod(shape))
    first, second = (Array(sort.name, shape, bytes(_patterns(data.draw, sort, count))) for _ in range(2))
    ours, theirs = elements_of(first, sort), elements_of(second, sort)
    free = frozenset(place_in(shape, n) for n in range(0, count, 4))
    expected = Expected(Demand.RESULT, (), {"Y": ConcreteTensor(sort, shape, tuple(ours))}, {"Y": free})

    wanted = [(place_in(shape, n), b) for n, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b and n % 4]
    assert [(place, element) for place, element, _ in differing(expected, "Y", second)] == wanted


@pytest.mark.parametrize("sort", [sort for sort in SORTS if isinstance(sort, FloatSort)], ids=str)
def test_the_kinds_of_differences_are_those_of_the_elements(sort: FloatSort) -> None:
    """For all pairs of a few patterns of each sign: zeros, the least and greatest numbers, infinity and NaNs where the
    type has them; for each pair alone and for all in one array."""
    digits = sort.significand - 1
    greatest = (1 << (sort.width - 1)) - 1
    several = [
        0,
        1,
        1 << digits,
        floats.greatest(sort),
        floats.greatest(sort) + 1,
        floats.nan(sort),
        greatest - 1,
        greatest,
    ]
    patterns = [size | sign for size in several for sign in (0, floats.zero(sort, negative=True))]
    pairs = list(product(patterns, patterns))

    def kind(one: int, other: int) -> Kind | None:
        if one == other:
            return None
        was, is_now = floats.is_nan(sort, one), floats.is_nan(sort, other)
        if was and is_now:
            return Kind.NAN_PAYLOAD
        if was or is_now:
            return Kind.NAN_LOST if was else Kind.NAN_MADE
        return Kind.ZERO_SIGN if floats.is_zero(sort, one) and floats.is_zero(sort, other) else Kind.VALUE

    def compared(rows: list[tuple[int, int]], free: frozenset[Place] = frozenset()) -> tuple[list[Kind], list[Kind]]:
        """The kinds at the places of an output, and those of the whole."""
        data = np.array([other for _, other in rows], f"u{sort.width // 8}").tobytes()
        wanted = ConcreteTensor(sort, (len(rows),), tuple(one for one, _ in rows))
        expected, array = Expected(Demand.RESULT, (), {"Y": wanted}, {"Y": free}), Array(sort.name, (len(rows),), data)
        whole = compare(expected, ["Y"], Response(Ending.RESULT, (array,)))[1]
        return [f.kind for _, _, f in differing(expected, "Y", array)], [f.kind for f in whole]

    kinds = [k for one, other in pairs if (k := kind(one, other))]
    assert compared(pairs) == (kinds, list(dict.fromkeys(kinds)))
    for one, other in pairs:
        found = [k for k in [kind(one, other)] if k]
        assert compared([(one, other)]) == (found, found)
        assert compared([(one, other)], frozenset([(0,)])) == ([], [])


def test_a_truth_value_is_no_byte() -> None:
    """A byte that is neither 0 nor 1 is true, as where numpy reads it."""
    expected = Expected(Demand.RESULT, (), {"Y": ConcreteTensor(ELEMENT_TYPES["bool"], (3,), (True, True, False))})
    assert list(differing(expected, "Y", Array("bool", (3,), bytes([1, 7, 0])))) == []
    assert [place for place, _, _ in differing(expected, "Y", Array("bool", (3,), bytes([0, 1, 9])))] == [(0,), (2,)]


def test_members_are_asked_for_where_bits_differ() -> None:
    """Of an element of a set, its place and the element with the one NaN of the specification."""
    sort = ELEMENT_TYPES["float"]
    assert isinstance(sort, FloatSort)
    asked = []

    class Finite(Member):
        def __call__(self, place: Place, element: object) -> bool:
            asked.append((place, element))
            return element != 0x7F800000

    elements = (0x3F800000, 0x3F800000, 0x3F800000, 0)
    expected = Expected(Demand.RESULT, (), {"Y": ConcreteTensor(sort, (2, 2), elements)}, {}, {"Y": Finite()})
    theirs = np.array([0x3F800000, 0xFFC00001, 0x7F800000, 0x80000000], np.uint32)
    level, findings = compare(expected, ["Y"], Response(Ending.RESULT, (Array("float", (2, 2), theirs.tobytes()),)))
    assert asked == [((0, 1), 0x7FC00000), ((1, 0), 0x7F800000), ((1, 1), 0x80000000)]
    assert {f.kind for f in findings} == {Kind.VALUE}
    assert level == 4
