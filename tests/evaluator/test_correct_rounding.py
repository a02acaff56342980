"""Functions of reals are correctly rounded: against MPFR, with twins whose bounds or tables are wrong."""

from __future__ import annotations

import math
import random
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import gmpy2
import numpy as np
import pytest

from sonnx_verify.arrays.evaluator import rounding
from sonnx_verify.arrays.evaluator.known import DTYPES
from sonnx_verify.arrays.evaluator.operations import compute_of
from sonnx_verify.arrays.evaluator.rounding import on_ends
from sonnx_verify.arrays.functions import bounded, exponential, rows, waves
from sonnx_verify.arrays.functions.pairs import exact
from sonnx_verify.logic.enclosed import MissingFlint
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.sorts import FLOATS, FloatSort
from sonnx_verify.logic.terms import Symbol, apply, real_function, rounded, to_real

BFLOAT16, FLOAT16, FLOAT, DOUBLE, _ = FLOATS
UNARY = [function for function in RealFunction if function.arity == 1]
EACH = 100_000


def compiled(function: RealFunction, sort: FloatSort) -> Callable[..., Any]:
    """A function of elements, rounded once."""
    leaves = [to_real(apply(Symbol(name, (), sort))) for name in ("x", "y")[: function.arity]]
    found = on_ends(rounded(real_function(function, *leaves), sort), lambda part: compute_of(part, {}))
    assert found is not None
    return found.compute


FORMATS = {BFLOAT16: (8, 127), FLOAT16: (11, 15), FLOAT: (24, 127), DOUBLE: (53, 1023)}


@contextmanager
def mpfr(sort: FloatSort) -> Iterator[None]:
    """Inside, MPFR rounds to the format, subnormal numbers too."""
    precision, emax = FORMATS[sort]
    context = gmpy2.context(precision=precision, emax=emax + 1, emin=3 - emax - precision, subnormalize=True)
    with gmpy2.context(context):
        yield


def expected(function: RealFunction, sort: FloatSort, *arrays: Any) -> list[float]:
    """The correctly rounded values."""
    compute: Callable[..., Any] = pow if function is RealFunction.POW else getattr(gmpy2, function)
    numbers = [[gmpy2.mpfr(x) for x in array.astype(np.float64).tolist()] for array in arrays]
    with mpfr(sort):
        return [float(compute(*each)) for each in zip(*numbers, strict=True)]


def differences(function: RealFunction, sort: FloatSort, *arrays: Any) -> list[tuple[float, ...]]:
    """The arguments at which the evaluator has another value than MPFR, zeros compared with their signs."""
    made = compiled(function, sort)(*arrays).astype(np.float64)
    right = np.array(expected(function, sort, *arrays))
    # The real number 0 has no sign: MPFR's log 1 is +0, its sin -0 is -0.
    wrong = (made != right) | (np.signbit(made) != np.signbit(right)) & (arrays[0] != 0)
    return [tuple(float(array[n]) for array in arrays) for n in np.flatnonzero(wrong)]


def arguments(function: RealFunction, sort: FloatSort, count: int, rng: np.random.Generator) -> Any:
    """Ordinary numbers, numbers of all sizes, numbers where the function turns, ends or is nearly linear, and some of
    all bit patterns."""
    dtype = {FLOAT: np.float32, DOUBLE: np.float64}[sort]
    info: Any = np.finfo(dtype)
    many, few = count // 4, count // 100
    parts: list[Any] = [
        rng.standard_normal(many) * 2,
        rng.standard_normal(many) * np.exp(rng.uniform(-20, 6, many)),
        1 + rng.standard_normal(many) * np.exp2(rng.uniform(-info.nmant, 0, many)),
        rng.standard_normal(many) * np.exp2(rng.uniform(-info.nmant, 0, many)),
        np.rint(rng.uniform(-9999, 9999, few)) * (math.pi / 2),
        rng.uniform(0.99, 1.01, few) * math.log(info.max),
        rng.uniform(0.9, 1.1, few) * math.log(info.smallest_subnormal),
        rng.integers(1, 1 << 20, few) * float(info.smallest_subnormal),
        [info.max, info.smallest_normal, info.smallest_subnormal, 1.0, 2.0, 0.5, 6.0, 20.0, 2.0**20],
    ]
    bits = rng.integers(0, 1 << 8 * info.dtype.itemsize, few, f"u{info.dtype.itemsize}")
    with np.errstate(over="ignore"):
        x = np.concatenate([np.concatenate(parts).astype(dtype), bits.view(dtype)])
    x = x[np.isfinite(x)]
    if function in (RealFunction.LOG, RealFunction.SQRT):
        return abs(x[x != 0])
    # The real number 0 has no sign.
    return x[x != 0]


def powers(sort: FloatSort, count: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Bases and exponents: ordinary, near 1 with large exponents, negative with integers, roots, squares, and far."""
    dtype = {FLOAT: np.float32, DOUBLE: np.float64}[sort]
    many = count // 5
    near = 1 + rng.standard_normal(many) * np.exp2(rng.uniform(-20, -2, many))
    pairs = [
        (np.exp(rng.uniform(-5, 5, many)), rng.uniform(-8, 8, many)),
        (near, rng.uniform(-50, 50, many) / abs(np.log(near) + 1e-9)),
        (rng.standard_normal(many) * 4, np.rint(rng.uniform(-20, 20, many))),
        (np.rint(rng.uniform(1, 5000, many)), rng.choice([0.5, 2, 3, -1, 1.5, 0.25, 1], many)),
        (np.exp(rng.uniform(-80, 80, many)), rng.uniform(-9, 9, many)),
    ]
    x, y = (np.concatenate(part).astype(dtype) for part in zip(*pairs, strict=True))
    kept = (x != 0) & np.isfinite(x) & np.isfinite(y)
    return x[kept], y[kept]


@pytest.mark.parametrize("sort", [FLOAT, DOUBLE], ids=str)
@pytest.mark.parametrize("function", UNARY, ids=str)
def test_a_hundred_thousand_values_are_those_of_mpfr(function: RealFunction, sort: FloatSort) -> None:
    """None of them differs."""
    x = arguments(function, sort, EACH, np.random.default_rng(1))
    assert len(x) > EACH / 2
    assert differences(function, sort, x) == []


@pytest.mark.parametrize("sort", [FLOAT, DOUBLE], ids=str)
def test_a_hundred_thousand_powers_are_those_of_mpfr(sort: FloatSort) -> None:
    """None of them differs."""
    x, y = powers(sort, EACH, np.random.default_rng(2))
    assert len(x) > EACH / 2
    assert differences(RealFunction.POW, sort, x, y) == []


@pytest.mark.parametrize("sort", [BFLOAT16, FLOAT16], ids=str)
@pytest.mark.parametrize("function", UNARY, ids=str)
def test_every_float_of_16_bits_is_that_of_mpfr(function: RealFunction, sort: FloatSort) -> None:
    """None of them differs."""
    x: Any = np.arange(1 << 16, dtype=np.uint16).view(DTYPES[sort])
    with np.errstate(invalid="ignore"):
        numbers = x.astype(np.float64)
    kept = np.isfinite(numbers) & (numbers != 0)
    if function in (RealFunction.LOG, RealFunction.SQRT):
        kept &= numbers > 0
    assert differences(function, sort, x[kept]) == []


def with_mpfr(function: RealFunction, *numbers: float) -> Any:
    """The value with 1500 bits, which are enough for sines of all doubles."""
    compute: Callable[..., Any] = pow if function is RealFunction.POW else getattr(gmpy2, function)
    return compute(*map(gmpy2.mpfr, numbers))


def as_double(function: RealFunction, x: Any) -> tuple[Any, Any, Any]:
    """Values by one double, a low part of 0, and how far they may be off."""
    near = rows.ROWS[function].near
    if near is None:
        value, error = waves.wave(x, int(function is RealFunction.COS))
        return value, np.zeros_like(x), error
    value = near.values(np.minimum(np.maximum(x, near.least_argument), near.most_argument))
    return value, np.zeros_like(x), near.share * abs(value) + bounded.TINY


def as_pair(function: RealFunction, x: Any) -> tuple[Any, Any, Any]:
    """Values by pairs of doubles, and how far they may be off."""
    ball = rows.ROWS[function].of_ball(exact(x))
    return ball.high, ball.low, ball.radius


def greatest_excess(function: RealFunction, compute: Callable[..., Any], seed: int = 5, count: int = 3000) -> float:
    """The greatest error of some values, as a multiple of how far they may be off."""
    x = arguments(function, DOUBLE, count, np.random.default_rng(seed))
    x = x[abs(x) > 2.0**-900]
    near = rows.ROWS[function].near
    if near is not None:
        x = x[(x >= near.least_argument) & (x <= near.most_argument)]
    greatest = 0.0
    with np.errstate(all="ignore"), gmpy2.context(precision=1500):
        for number, high, low, radius in zip(x.tolist(), *map(np.ndarray.tolist, compute(function, x)), strict=True):
            if math.isfinite(radius) and math.isfinite(high):
                off = abs(gmpy2.mpfr(high) + gmpy2.mpfr(low) - with_mpfr(function, number))
                greatest = max(greatest, float(off / radius))
    return greatest


KINDS = pytest.mark.parametrize("compute", [as_double, as_pair], ids=["double", "pair"])


@KINDS
@pytest.mark.parametrize("function", UNARY, ids=str)
def test_no_value_is_off_by_more_than_its_bound(function: RealFunction, compute: Callable[..., Any]) -> None:
    """Of arguments of every kind."""
    assert 0 < greatest_excess(function, compute) <= 1


SHARES_OF_PAIRS = {
    RealFunction.EXP: (exponential, "EXP_PAIR_SHARE"),
    RealFunction.LOG: (exponential, "LOG_PAIR_SHARE"),
    RealFunction.TANH: (bounded, "TANH_PAIR_SHARE"),
    RealFunction.ERF: (bounded, "ERF_PAIR_SHARE"),
    RealFunction.SIN: (waves, "PAIR_SHARE"),
    RealFunction.COS: (waves, "PAIR_SHARE"),
}


@KINDS
@pytest.mark.parametrize("function", SHARES_OF_PAIRS, ids=str)
def test_a_bound_that_is_too_small_is_seen(
    function: RealFunction, compute: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By 2^20."""
    row = rows.ROWS[function]
    if compute is as_pair:
        module, name = SHARES_OF_PAIRS[function]
        monkeypatch.setattr(module, name, getattr(module, name) * 2.0**-20)
    elif row.near is None:
        monkeypatch.setattr(waves, "SHARE", waves.SHARE * 2.0**-20)
    else:
        monkeypatch.setitem(
            cast("dict[RealFunction, rows.Row]", rows.ROWS),
            function,
            replace(row, near=replace(row.near, share=row.near.share * 2.0**-20)),
        )
    assert greatest_excess(function, compute) > 1


TABLES = {
    RealFunction.EXP: (exponential, "_powers"),
    RealFunction.LOG: (exponential, "_logarithms"),
    RealFunction.TANH: (bounded, "_tanhs"),
    RealFunction.ERF: (bounded, "_bells"),
    RealFunction.SIN: (waves, "_sines"),
    RealFunction.COS: (waves, "_sines"),
}


@KINDS
@pytest.mark.parametrize("function", TABLES, ids=str)
def test_a_table_that_is_off_by_a_bit_is_seen(
    function: RealFunction, compute: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the last bit but twelve of each double, and of each low part."""
    module, name = TABLES[function]
    right = getattr(module, name)()
    monkeypatch.setattr(module, name, lambda: tuple(part * (1 + 2.0**-39) for part in right))
    exponential._halves.cache_clear()  # noqa: SLF001 - made of such a table
    try:
        assert greatest_excess(function, compute) > 1
    finally:
        exponential._halves.cache_clear()  # noqa: SLF001


# Where the functions are off by much of their bound.
@pytest.mark.parametrize(("function", "low", "high"), [
    (RealFunction.EXP, -4.0, 4.0), (RealFunction.TANH, 0.9 * 2.0**-10, 2.0**-10), (RealFunction.ERF, 2.0**-11, 2.0**-8),
], ids=str)  # fmt: skip
def test_a_bound_that_is_too_small_rounds_wrongly(
    function: RealFunction, low: float, high: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Floats whose rounding one double leaves open: without the bound, some are rounded to the wrong side."""
    hard: list[Any] = []

    def noted(self: Any, flat: Any) -> Any:
        hard.append(flat[0])
        return self.each(flat)

    with monkeypatch.context() as patch:
        patch.setattr(rounding.Rounding, "_each_once", noted)
        compiled(function, FLOAT)(np.random.default_rng(6).uniform(low, high, 1 << 22).astype(np.float32))
    found = np.concatenate(hard)
    assert 3 < len(found) < 300
    assert differences(function, FLOAT, found) == []

    row = rows.ROWS[function]
    assert row.near is not None
    twin = replace(row, near=replace(row.near, share=row.near.share * 2.0**-20))
    monkeypatch.setitem(cast("dict[RealFunction, rows.Row]", rows.ROWS), function, twin)
    monkeypatch.setattr(rounding, "_results", OrderedDict())
    assert differences(function, FLOAT, found) != []


def test_what_erf_leaves_out_is_below_its_bound() -> None:
    """The terms from d^4 on, enclosed on each cell of the grid by the coefficient of Taylor's rest, which balls of
    FLINT bound; around 0, where erf is odd, those from d^5 on. Roundings have the other twentieth."""
    from flint import arb, arb_series, ctx

    half = 2.0**-11
    with ctx.workprec(200):
        before = ctx.cap
        ctx.cap = 6
        try:
            for n in range(6 << 10):
                cell = arb(n / 1024, half)
                coefficients = arb_series([cell, 1]).erf()
                if n == 0:
                    # erf d >= 1.12 |d| here.
                    assert abs(coefficients[5]) * half**4 / 1.12 < bounded.ERF_SHARE * 0.95
                else:
                    assert abs(coefficients[4]) * half**4 / arb(n / 1024 - half).erf() < bounded.ERF_SHARE * 0.95, n
        finally:
            ctx.cap = before


@pytest.mark.parametrize("sort", [FLOAT, DOUBLE], ids=str)
def test_without_flint_there_are_no_tables(sort: FloatSort, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is that of the reference evaluator, and says what to install."""

    def steps() -> Any:
        import flint  # As a process without tables does.

        return flint

    monkeypatch.setitem(sys.modules, "flint", None)
    monkeypatch.setattr(exponential, "_steps", steps)
    monkeypatch.setattr(rounding, "_results", OrderedDict())
    with pytest.raises(MissingFlint) as raised:
        compiled(RealFunction.EXP, sort)(np.ones(2, DTYPES[sort]))
    assert raised.value.cure == "pip install 'python-flint>=0.9,<1'"


@pytest.mark.soak
@pytest.mark.parametrize("sort", [FLOAT, DOUBLE], ids=str)
@pytest.mark.parametrize("function", RealFunction, ids=str)
def test_ten_million_values_are_those_of_mpfr(function: RealFunction, sort: FloatSort) -> None:
    """Other ones on every run."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    rng = np.random.default_rng(seed)
    for _ in range(100):
        is_power = function is RealFunction.POW
        arrays = powers(sort, EACH, rng) if is_power else (arguments(function, sort, EACH, rng),)
        assert differences(function, sort, *arrays) == []
