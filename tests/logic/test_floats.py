"""The arithmetic of `floats` is that of numpy and ml_dtypes, and the nearest value where a search can tell."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_verify.logic import decimals, floats
from sonnx_verify.logic.sorts import FLOATS, FloatSort

BFLOAT16, FLOAT16, FLOAT, DOUBLE, FLOAT8 = FLOATS
# Written out, so that the constants of the module are not checked against themselves.
NAN = {BFLOAT16: 0x7FC0, FLOAT16: 0x7E00, FLOAT: 0x7FC00000, DOUBLE: 0x7FF8000000000000, FLOAT8: 0x7E}
DTYPES: dict[FloatSort, Any] = {
    BFLOAT16: ml_dtypes.bfloat16,
    FLOAT16: np.float16,
    FLOAT: np.float32,
    DOUBLE: np.float64,
    FLOAT8: ml_dtypes.float8_e5m2,
}
finfo: Any = ml_dtypes.finfo  # It has no types.
WORDS: dict[int, Any] = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
# Small enough to search all values for the nearest; the second has fewer fraction bits than any ONNX format.
TINY = (FloatSort("tiny", 3, 3), FloatSort("coarse", 3, 2))

each_sort = pytest.mark.parametrize("sort", FLOATS, ids=str)
each_short = pytest.mark.parametrize("sort", [BFLOAT16, FLOAT16, FLOAT8], ids=str)
each_tiny = pytest.mark.parametrize("sort", TINY, ids=str)
quick = settings(max_examples=60, deadline=None, database=None)

OPERATIONS: dict[str, tuple[Callable[[FloatSort, int, int], int], Callable[[Any, Any], Any]]] = {
    "add": (floats.add, operator.add),
    "sub": (floats.sub, operator.sub),
    "mul": (floats.mul, operator.mul),
}
COMPARISONS: dict[str, tuple[Callable[[FloatSort, int, int], bool], Callable[[Any, Any], Any]]] = {
    "less": (floats.less, operator.lt),
    "less_equal": (floats.less_equal, operator.le),
    "ieee_equal": (floats.ieee_equal, operator.eq),
}
each_operation = pytest.mark.parametrize("name", OPERATIONS)
each_comparison = pytest.mark.parametrize("name", COMPARISONS)


@pytest.fixture(autouse=True, scope="module")
def quiet_numpy() -> Iterator[None]:
    """NaN, overflow and division by zero are what is tested, and no reason for numpy to warn."""
    with np.errstate(all="ignore"):
        yield


def sign_bit(sort: FloatSort) -> int:
    return 1 << (sort.width - 1)


def specials(sort: FloatSort) -> list[int]:
    """Both signs of: zero, ends of the subnormals and normals, near one, a third, infinity, quiet and other NaNs."""
    hidden = 1 << (sort.significand - 1)
    infinity = ((1 << sort.exponent) - 1) << (sort.significand - 1)
    one = ((1 << (sort.exponent - 1)) - 1) << (sort.significand - 1)
    third = (one - 2 * hidden) | (0x5555555555555555 & (hidden - 1))
    magnitudes = [0, 1, 2, 3, hidden // 2, hidden - 1, hidden, hidden + 1, 2 * hidden, one - 1, one, one + 1, third]
    magnitudes += [one + hidden, one + hidden * 3 // 2, infinity - hidden, infinity - 2, infinity - 1, infinity]
    magnitudes += [infinity + 1, infinity + hidden // 2, infinity + hidden - 1]
    return magnitudes + [magnitude | sign_bit(sort) for magnitude in magnitudes]


def patterns(sort: FloatSort) -> st.SearchStrategy[int]:
    return st.sampled_from(specials(sort)) | st.integers(0, (1 << sort.width) - 1)


@st.composite
def pairs(draw: st.DrawFn, sort: FloatSort) -> tuple[int, int]:
    """Any two patterns; or two of near magnitude, whose sums cancel; or two whose product is near the subnormals."""
    a = draw(patterns(sort))
    kind = draw(st.sampled_from(("any", "near", "small")))
    if kind == "any":
        return a, draw(patterns(sort))
    sign = draw(st.sampled_from((0, sign_bit(sort))))
    fraction = draw(st.integers(0, (1 << (sort.significand - 1)) - 1))
    field = (a & (sign_bit(sort) - 1)) >> (sort.significand - 1)
    offset = draw(st.integers(-sort.significand - 1, 2))
    if kind == "small":  # The fields of a product add up to about the bias.
        field = (1 << (sort.exponent - 1)) - field
    field = min(max(field + offset, 0), (1 << sort.exponent) - 1)
    return a, sign | field << (sort.significand - 1) | fraction


def to_numpy(sort: FloatSort, bits: int | list[int]) -> Any:
    return np.array(bits, dtype=WORDS[sort.width]).view(DTYPES[sort])


def from_numpy(sort: FloatSort, values: Any) -> list[int]:
    """Bit patterns of an array of the sort's own type, with the canonical NaN for every NaN."""
    array = np.asarray(values)
    assert array.dtype == DTYPES[sort]
    words = array.view(WORDS[sort.width])
    return [int(word) for word in np.where(np.isnan(array), np.array(NAN[sort], dtype=words.dtype), words).flat]


def finite_patterns(sort: FloatSort) -> list[int]:
    return [
        bits for bits in range(1 << sort.width) if not (floats.is_nan(sort, bits) or floats.is_infinite(sort, bits))
    ]


@cache
def magnitudes_in_order(sort: FloatSort) -> list[Fraction]:
    """The values of the patterns from +0 to infinity, which stands one step past the greatest."""
    values = [floats.to_fraction(sort, bits) for bits in range(((1 << sort.exponent) - 1) << (sort.significand - 1))]
    return [*values, 2 * values[-1] - values[-2]]


def nearest(sort: FloatSort, value: Fraction) -> int:
    """The pattern nearest to `value` >= 0, ties to even, by search."""
    values = magnitudes_in_order(sort)
    value = min(value, values[-1])
    return min(range(len(values)), key=lambda bits: (abs(value - values[bits]), bits % 2))


@each_sort
def test_constants(sort: FloatSort) -> None:
    """The constants are numpy's, and the NaN is the quiet one without a payload."""
    info = finfo(DTYPES[sort])
    constants = [
        floats.infinity(sort),
        floats.infinity(sort, negative=True),
        floats.zero(sort),
        floats.zero(sort, negative=True),
    ]
    constants += [floats.greatest(sort), floats.lowest(sort), floats.smallest_subnormal(sort)]
    expected = np.array([math.inf, -math.inf, 0.0, -0.0, info.max, info.min, info.smallest_subnormal], DTYPES[sort])

    assert from_numpy(sort, expected) == constants
    assert NAN[sort] == floats.nan(sort)


@each_sort
@each_comparison
def test_compare_specials(sort: FloatSort, name: str) -> None:
    """Comparisons of all pairs of special values are numpy's."""
    ours, theirs = COMPARISONS[name]
    every = list(product(specials(sort), repeat=2))
    expected = theirs(to_numpy(sort, [a for a, _ in every]), to_numpy(sort, [b for _, b in every]))

    assert expected.tolist() == [ours(sort, a, b) for a, b in every]


@each_sort
@each_comparison
@quick
@given(data=st.data())
def test_compare(sort: FloatSort, name: str, data: st.DataObject) -> None:
    """Comparisons are numpy's."""
    ours, theirs = COMPARISONS[name]
    a, b = data.draw(pairs(sort))

    assert bool(theirs(to_numpy(sort, a), to_numpy(sort, b))) == ours(sort, a, b)


@each_sort
@each_operation
def test_arithmetic_specials(sort: FloatSort, name: str) -> None:
    """Arithmetic on all pairs of special values is numpy's, bit by bit."""
    ours, theirs = OPERATIONS[name]
    every = list(product(specials(sort), repeat=2))
    expected = theirs(to_numpy(sort, [a for a, _ in every]), to_numpy(sort, [b for _, b in every]))

    assert from_numpy(sort, expected) == [ours(sort, a, b) for a, b in every]


@pytest.mark.thinned
@each_sort
@each_operation
@quick
@given(data=st.data())
def test_arithmetic(sort: FloatSort, name: str, data: st.DataObject) -> None:
    """Arithmetic is numpy's, bit by bit. It rounds 16-bit results from float32, which for + - * / is one rounding."""
    ours, theirs = OPERATIONS[name]
    a, b = data.draw(pairs(sort))
    expected = theirs(to_numpy(sort, [a]), to_numpy(sort, [b]))

    assert from_numpy(sort, expected) == [ours(sort, a, b)]


@pytest.mark.thinned
@each_tiny
@each_operation
def test_arithmetic_is_nearest(sort: FloatSort, name: str) -> None:
    """For all finite operands of a tiny format the result is the nearest value to the exact one, found by search."""
    ours, theirs = OPERATIONS[name]
    for a, b in product(finite_patterns(sort), repeat=2):
        exact = theirs(floats.to_fraction(sort, a), floats.to_fraction(sort, b))

        assert nearest(sort, abs(exact)) == floats.absolute(sort, ours(sort, a, b)), (a, b)
        assert exact == 0 or floats.is_negative(sort, ours(sort, a, b)) == (exact < 0), (a, b)


@each_sort
def test_signs(sort: FloatSort) -> None:
    """Negation flips and `absolute` clears the sign of all values but NaN, which stays canonical."""
    every = specials(sort)

    assert from_numpy(sort, -to_numpy(sort, every)) == [floats.negate(sort, bits) for bits in every]
    assert from_numpy(sort, abs(to_numpy(sort, every))) == [floats.absolute(sort, bits) for bits in every]


@each_sort
def test_zero_signs(sort: FloatSort) -> None:
    """Zero results have IEEE 754's signs: x + (-x) is +0, (-0) + (-0) is -0, products multiply signs."""
    plus, minus, one = floats.zero(sort), floats.zero(sort, negative=True), floats.from_float(sort, 1.0)
    minus_one = floats.negate(sort, one)

    assert plus == floats.add(sort, one, minus_one) == floats.add(sort, plus, minus) == floats.sub(sort, one, one)
    assert minus == floats.add(sort, minus, minus) == floats.sub(sort, minus, plus)
    assert minus == floats.mul(sort, plus, minus_one)
    assert plus == floats.mul(sort, minus, minus_one)


@each_short
def test_classification(sort: FloatSort) -> None:
    """All short values fall in numpy's classes; signs are SMT-LIB's: those of zeros count, those of NaN do not."""
    every = range(1 << sort.width)
    values = to_numpy(sort, list(every))
    magnitudes = np.abs(values.astype(np.float64))
    is_nan, negative = np.isnan(values), np.signbit(values)
    expected = {
        floats.is_nan: is_nan,
        floats.is_infinite: np.isinf(values),
        floats.is_finite: np.isfinite(values),
        floats.is_zero: magnitudes == 0,
        floats.is_negative: negative & ~is_nan,
        floats.is_positive: ~negative & ~is_nan,
    }
    for predicate, holds in expected.items():
        assert holds.tolist() == [predicate(sort, bits) for bits in every], predicate


@each_sort
def test_classification_of_specials(sort: FloatSort) -> None:
    """Each special value is in one class at most, and has exactly one sign unless it is NaN."""
    classes = (floats.is_nan, floats.is_infinite, floats.is_zero)
    for bits in specials(sort):
        assert [holds(sort, bits) for holds in classes].count(True) <= 1, bits
        signs = [holds(sort, bits) for holds in (floats.is_negative, floats.is_positive)]
        assert signs.count(True) == (0 if floats.is_nan(sort, bits) else 1), bits


@each_short
def test_float_round_trip_of_all(sort: FloatSort) -> None:
    """All values of 8 and 16 bits are numpy's in double, and come back from there; NaN comes back canonical."""
    every = range(1 << sort.width)
    ours = [floats.to_float(sort, bits) for bits in every]
    values = to_numpy(sort, list(every))

    assert from_numpy(DOUBLE, values.astype(np.float64)) == from_numpy(DOUBLE, np.array(ours))
    assert from_numpy(sort, values) == [floats.from_float(sort, x) for x in ours]
    assert from_numpy(sort, values) == [floats.canonical(sort, bits) for bits in every]


@each_sort
@quick
@given(data=st.data())
def test_float_round_trip(sort: FloatSort, data: st.DataObject) -> None:
    """A value is numpy's in double, and comes back from there."""
    bits = data.draw(patterns(sort))
    ours = floats.to_float(sort, bits)

    assert from_numpy(DOUBLE, to_numpy(sort, [bits]).astype(np.float64)) == from_numpy(DOUBLE, np.array([ours]))
    assert floats.canonical(sort, bits) == floats.from_float(sort, ours)


@pytest.mark.parametrize("sort", [FLOAT16, FLOAT, DOUBLE], ids=str)
@quick
@given(x=st.floats() | st.floats(-70000, 70000) | st.floats(-1e-4, 1e-4))
def test_from_float_is_numpy_cast(sort: FloatSort, x: float) -> None:
    """Rounding a double is numpy's cast. (bfloat16 is left out: its cast rounds to float32 first.)"""
    expected = np.array([x], np.float64).astype(DTYPES[sort])

    assert from_numpy(sort, expected) == [floats.from_float(sort, x)]


def test_from_float_rounds_once() -> None:
    """A double just above a tie of bfloat16 rounds up, though float32 would first take it to the tie, then to even."""
    assert floats.from_float(BFLOAT16, 1 + 2.0**-8 + 2.0**-40) == 0x3F81
    assert floats.from_float(BFLOAT16, 1 + 2.0**-8) == 0x3F80


@each_sort
@quick
@given(data=st.data())
def test_ties_and_neighbours(sort: FloatSort, data: st.DataObject) -> None:
    """Halfway between neighbours the even one is nearest; any step off halfway decides for the closer one."""
    below = data.draw(st.sampled_from((0, 1, 2, floats.greatest(sort) - 1)) | st.integers(0, floats.greatest(sort) - 1))
    low, high = (floats.to_fraction(sort, bits) for bits in (below, below + 1))
    halfway, step = (low + high) / 2, (high - low) / 2**70

    assert below + below % 2 == floats.round_to_nearest(sort, halfway)
    assert below == floats.round_to_nearest(sort, halfway - step)
    assert below + 1 == floats.round_to_nearest(sort, halfway + step)
    assert below + 1 | sign_bit(sort) == floats.round_to_nearest(sort, -halfway - step)


@each_sort
@quick
@given(data=st.data())
def test_round_scaled_is_the_nearest(sort: FloatSort, data: st.DataObject) -> None:
    """Of an integer times a power of 2 no float is nearer than the one that it gives; of two as near it is the even
    one."""
    size = 1 << (sort.exponent - 1)
    mantissa = data.draw(st.integers(-(2**70), 2**70) | st.integers(-9, 9))
    exponent = data.draw(st.integers(-size - 90, size + 9) | st.integers(-80, 9))
    value, bits = Fraction(mantissa) * Fraction(2) ** exponent, floats.round_scaled(sort, mantissa, exponent)

    magnitude = bits & ~sign_bit(sort)
    assert bool(bits & sign_bit(sort)) == (mantissa < 0)
    if magnitude > floats.greatest(sort):
        assert magnitude == floats.infinity(sort)
        assert abs(value) >= floats.overflow_threshold(sort)
        return
    assert abs(value) < floats.overflow_threshold(sort)
    off = abs(floats.to_fraction(sort, magnitude) - abs(value))
    for neighbour in {max(magnitude - 1, 0), min(magnitude + 1, floats.greatest(sort))} - {magnitude}:
        other = abs(floats.to_fraction(sort, neighbour) - abs(value))
        assert off < other or (off == other and magnitude % 2 == 0)


@each_sort
def test_overflow_and_underflow(sort: FloatSort) -> None:
    """Overflow starts half a step past the greatest value; underflow to zero keeps the sign, and ends at a half."""
    greatest, least = (floats.to_fraction(sort, get(sort)) for get in (floats.greatest, floats.smallest_subnormal))
    half_step = greatest - floats.to_fraction(sort, floats.greatest(sort) - 1)
    limit = greatest + half_step / 2

    assert floats.infinity(sort) == floats.round_to_nearest(sort, limit)
    assert floats.lowest(sort) == floats.round_to_nearest(sort, least - limit)
    assert floats.infinity(sort, negative=True) == floats.round_to_nearest(sort, -(limit**9))
    assert floats.zero(sort, negative=True) == floats.round_to_nearest(sort, -least / 2)
    assert floats.zero(sort) == floats.round_to_nearest(sort, least / 2, negative_zero=True)
    assert floats.zero(sort) == floats.round_to_nearest(sort, Fraction(0))
    assert floats.zero(sort, negative=True) == floats.round_to_nearest(sort, Fraction(0), negative_zero=True)


@each_sort
def test_to_fraction_is_finite(sort: FloatSort) -> None:
    """Infinities and NaN have no fraction."""
    for bits in (floats.infinity(sort), floats.infinity(sort, negative=True), floats.nan(sort)):
        with pytest.raises(ValueError, match="not finite"):
            floats.to_fraction(sort, bits)


@each_sort
@pytest.mark.parametrize("function", [floats.is_nan, floats.canonical, floats.to_float, floats.negate, decimals.show])
def test_foreign_patterns(sort: FloatSort, function: Callable[[FloatSort, int], object]) -> None:
    """Integers outside the width are rejected by name."""
    for bits in (-1, 1 << sort.width):
        with pytest.raises(ValueError, match=f"not a bit pattern of {sort}"):
            function(sort, bits)


def test_wide_formats_have_no_float() -> None:
    """A format wider than double is refused by `to_float`, not rounded."""
    with pytest.raises(ValueError, match="does not embed"):
        floats.to_float(FloatSort("quad", 15, 113), 0)


@each_sort
@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "0", "-0.0", "1", "-1", "96", "0.5", "0.1", "-2.5", "0.0015"])
def test_show_is_short(sort: FloatSort, text: str) -> None:
    """Short texts that every format can tell apart come back as they were."""
    assert text == decimals.show(sort, floats.parse(sort, text))


def test_show_examples() -> None:
    """Integers are exact up to 10**6, then the shortest text has an exponent; extremes are those of the literature."""
    assert decimals.show(FLOAT16, floats.greatest(FLOAT16)) == "65504"
    assert decimals.show(BFLOAT16, floats.parse(BFLOAT16, "999999")) == "999424"
    assert decimals.show(FLOAT, floats.parse(FLOAT, "1000000")) == "1e+6"
    assert decimals.show(FLOAT, floats.parse(FLOAT, "16777216")) == "16777216"
    assert decimals.show(BFLOAT16, floats.greatest(BFLOAT16)) == "3.39e+38"
    assert decimals.show(FLOAT, floats.parse(FLOAT, "0.00000015")) == "1.5e-7"
    assert decimals.show(FLOAT16, 1) == "6e-8"
    assert decimals.show(DOUBLE, floats.parse(DOUBLE, "1e23")) == "1e+23"
    assert decimals.show(DOUBLE, 1) == "5e-324"
    assert decimals.show(DOUBLE, floats.lowest(DOUBLE)) == "-1.7976931348623157e+308"


@each_sort
@quick
@given(data=st.data())
def test_show_parses_back(sort: FloatSort, data: st.DataObject) -> None:
    """Parsing what `show` prints gives the same bits, for values of every size and small integers."""
    integers = st.integers(-(10**6), 10**6).map(lambda n: floats.from_float(sort, float(n)))
    bits = data.draw(patterns(sort) | integers)

    assert floats.canonical(sort, bits) == floats.parse(sort, decimals.show(sort, bits))


@quick
@given(x=st.floats())
def test_parse_is_python_on_double(x: float) -> None:
    """On double, decimal and hexadecimal literals mean what they mean to Python."""
    bits = floats.from_float(DOUBLE, x)

    assert bits == floats.parse(DOUBLE, repr(x))
    assert bits == floats.parse(DOUBLE, x.hex())


@quick
@given(
    text=st.from_regex(
        r"[+-]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True, alphabet=st.characters(codec="ascii")
    )
)
def test_parse_decimal(text: str) -> None:
    """A decimal literal of any length is rounded once, as Python does on double; its value decides on the others."""
    assert floats.from_float(DOUBLE, float(text)) == floats.parse(DOUBLE, text)
    for sort in FLOATS:
        assert floats.parse(sort, text) == floats.round_to_nearest(
            sort, Fraction(text), negative_zero=text.startswith("-")
        )


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        (" NaN ", 0x7E00),
        ("+inf", 0x7C00),
        ("-INF", 0xFC00),
        ("-0", 0x8000),
        (".5", 0x3800),
        ("5.", 0x4500),
        ("0x.8P1", 0x3C00),
        ("-0x1.8p-3", 0xB200),
        ("0x1.ffcp15", 0x7BFF),
        ("0x1.ffep15", 0x7C00),
        ("65519.99", 0x7BFF),
        ("65520", 0x7C00),
        ("-1e-99", 0x8000),
        ("1e99999", 0x7C00),
    ],
)
def test_parse_examples(text: str, bits: int) -> None:
    """Literals round once, to zero and infinity too; case and outer spaces do not matter."""
    assert bits == floats.parse(FLOAT16, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        ".",
        "e5",
        "0x",
        "0x.p1",
        "1e",
        "1/3",
        "1_000",
        "1e999999",
        "--1",
        "-nan",
        "infinity",
        "0x1e+5",
        "1 2",
        "\u0661",
    ],
)
def test_parse_rejects(text: str) -> None:
    """Anything else is no literal, also what Python's `Fraction` and `float` would take."""
    with pytest.raises(ValueError, match="not a floating-point literal"):
        floats.parse(DOUBLE, text)
