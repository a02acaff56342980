"""Rounded and compared expressions on arrays: as in the reference evaluator, whatever numpy's own functions give."""

from __future__ import annotations

import math
import random
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from sys import float_info
from threading import Thread
from typing import Any

import gmpy2
import numpy as np
import pytest

from sonnx_verify.arrays.evaluator import ends, pairs, rounding
from sonnx_verify.arrays.evaluator.known import DTYPES, bits_type
from sonnx_verify.arrays.evaluator.operations import compute_of
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.arrays.evaluator.rounding import OnEnds, on_ends
from sonnx_verify.arrays.evaluator.shares import Near, chosen
from sonnx_verify.arrays.evaluator.shares import literal as literal_near
from sonnx_verify.arrays.functions.pairs import Ball, exact
from sonnx_verify.arrays.functions.tables import table
from sonnx_verify.language.project import Project
from sonnx_verify.logic import floats
from sonnx_verify.logic.enclosed import Undecided
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.functions import RealFunction, in_domain
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, FLOATS, MINIFLOATS, REAL, FloatSort
from sonnx_verify.logic.terms import (
    Symbol,
    Term,
    add,
    apply,
    eq,
    ite,
    le,
    literal,
    quotient,
    real_function,
    rounded,
    scale,
    times,
    to_real,
)
from tests.language.test_arithmetic import ROOT, assert_same, inputs, loaded, oracle

NARROW = FLOATS[:3]
BFLOAT16, FLOAT16, FLOAT, DOUBLE, _ = FLOATS
FLOATS_OF = {str(sort): sort for sort in FLOATS}
each_sort = pytest.mark.parametrize("sort", FLOATS, ids=str)


def compiled(term: Term) -> OnEnds:
    found = on_ends(term, lambda part: compute_of(part, {}))
    assert found is not None
    return found


def leaf(name: str, sort: FloatSort) -> Term:
    return apply(Symbol(name, (), sort))


def name_of(part: Term) -> str:
    """The name of a leaf."""
    assert isinstance(part.payload, Symbol)
    return part.payload.name


def random_real(rng: random.Random, depth: int, leaves: list[Term]) -> Term:
    """An expression of reals over some leaves."""
    if depth == 0:
        if rng.random() < 0.3:
            return literal(Fraction(rng.randint(-9, 9), rng.choice((1, 2, 3, 10))), REAL)
        return to_real(rng.choice(leaves))
    parts = [random_real(rng, depth - 1, leaves) for _ in range(2)]
    match rng.randrange(7):
        case 0:
            return add(*parts)
        case 1:
            return times(*parts)
        case 2:
            return quotient(*parts)
        case 3:
            return ite(apply(Symbol("p", (), BOOL)), *parts)
        case 4:
            return scale(-1, parts[0])
        case _:
            function = rng.choice(list(RealFunction))
            return real_function(function, *parts[: function.arity])


def compare(term: Term, sort: FloatSort, count: int, rng: random.Random) -> int:
    """The number of elements on which the expression has a value, which is the same one in both evaluators."""
    found = compiled(term)
    numbers = inputs(sort.name, count, rng.randrange(1 << 30))
    arrays: list[np.ndarray] = []
    patterns: list[list[int]] = []
    for part in found.leaves:
        if part.sort == BOOL:
            arrays.append(np.array([rng.random() < 0.5 for _ in numbers]))
            patterns.append([bool(b) for b in arrays[-1].tolist()])
        else:
            arrays.append(np.array(rng.sample(list(numbers), len(numbers)), numbers.dtype))
            patterns.append([int(b) for b in arrays[-1].view(bits_type(sort))])
    expected: list[int | None] = []
    for values in zip(*patterns, strict=True):
        facts: dict[Symbol, Any] = {}
        for part, value in zip(found.leaves, values, strict=True):
            assert isinstance(part.payload, Symbol)
            facts[part.payload] = value
        try:
            expected.append(evaluate(term, facts))
        except Undefined:
            expected.append(None)
    # What is undecided raises for all: it is left out, as is what a guard would keep from being used.
    kept = [n for n, value in enumerate(expected) if value is not None]
    try:
        made = found.compute(*[array[kept] for array in arrays])
    except Undecided:  # In the branch of a condition that the reference does not look at.
        return 0
    if isinstance(term.sort, FloatSort):
        assert made.dtype == DTYPES[term.sort]
        made = made.view(bits_type(term.sort))
    assert made.tolist() == [expected[n] for n in kept]
    return len(kept)


@each_sort
def test_random_expressions_are_those_of_the_reference(sort: FloatSort) -> None:
    """Functions in functions, sums, products, quotients and conditions of one or two floats, rounded to any format."""
    rng = random.Random(f"rounding {sort}")
    compared = 0
    for n in range(40):
        leaves = [leaf("x", sort), leaf("y", sort)][: 1 + n % 2]
        term = rounded(random_real(rng, rng.randint(1, 3), leaves), rng.choice((*FLOATS, *MINIFLOATS)))
        if on_ends(term, lambda part: compute_of(part, {})) is None:
            continue
        compared += compare(term, sort, 12, rng)
    assert compared > 500


@each_sort
@pytest.mark.parametrize("comparison", [le, eq], ids=["le", "eq"])
def test_random_comparisons_are_those_of_the_reference(comparison: Callable[..., Term], sort: FloatSort) -> None:
    """Of expressions that differ, that are a little apart, and that are equal."""
    rng = random.Random(f"{comparison} {sort}")
    compared = 0
    for n in range(30):
        leaves = [leaf("x", sort), leaf("y", sort)][: 1 + n % 2]
        real = random_real(rng, rng.randint(1, 3), leaves)
        nearly = add(real, literal(Fraction(rng.choice([0, 1, -1]), rng.choice([10**9, 10**18, 10**30])), REAL))
        other = nearly if n % 3 else random_real(rng, 2, leaves)
        for a, b in ((real, other), (other, real)):
            term = comparison(a, b)
            if on_ends(term, lambda part: compute_of(part, {})) is not None:
                compared += compare(term, sort, 12, rng)
    assert compared > 200


@each_sort
def test_pairs_alone_give_the_values_of_the_reference(sort: FloatSort, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no ends are asked. Of inputs at the ends of the formats, pairs decide a third, and right."""
    left: list[int] = []
    exactly = rounding.Expression.exactly

    def counted(self: Any, flat: Any) -> Any:
        left.append(len(flat[0]))
        return exactly(self, flat)

    monkeypatch.setattr(rounding, "_tables", OrderedDict())
    monkeypatch.setattr(rounding, "_results", OrderedDict())
    monkeypatch.setattr(rounding.Expression, "exactly", counted)
    monkeypatch.setattr(rounding.Expression, "by_ends", lambda self, flat, asked: self.each(flat))
    rng = random.Random(f"pairs {sort}")
    compared = 0
    for n in range(30):
        leaves = [leaf("x", sort), leaf("y", sort)][: 1 + n % 2]
        real = random_real(rng, rng.randint(1, 3), leaves)
        made = (
            le(real, random_real(rng, 2, leaves)) if n % 3 == 0 else rounded(real, rng.choice((*FLOATS, *MINIFLOATS)))
        )
        if on_ends(made, lambda part: compute_of(part, {})) is not None:
            compared += compare(made, sort, 12, rng)
    assert compared > 300
    assert sum(left) < compared * 2 / 3


@pytest.mark.parametrize("name", ["float16", "float", "double"])
def test_most_comparisons_are_decided_by_ends(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a result is within some units in the last place of erf x."""
    computed = count_exact(monkeypatch)
    sort = FLOATS_OF[name]
    x = inputs(name, 3000, 5)
    x = x[np.isfinite(x)]
    y = (np.vectorize(math.erf)(x.astype(float))).astype(x.dtype)
    exact = real_function(RealFunction.ERF, to_real(leaf("x", sort)))
    bound = times(literal(Fraction(8) * Fraction(float(np.finfo(x.dtype).eps)), REAL), to_real(leaf("x", sort)))

    term = le(to_real(leaf("y", sort)), add(exact, bound))
    found = compiled(term)
    arrays = {"x": x, "y": y}
    made = found.compute(*[arrays[name_of(part)] for part in found.leaves])

    assert made[x > 0.01].all()
    assert not made[x < -1].any()
    assert sum(computed) < 300


@pytest.mark.soak
@each_sort
def test_many_random_expressions(sort: FloatSort) -> None:
    """Other ones on every run."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    rng = random.Random(seed)
    for n in range(1500):
        leaves = [leaf("x", sort), leaf("y", sort)][: 1 + n % 2]
        term = rounded(random_real(rng, rng.randint(1, 4), leaves), rng.choice((*FLOATS, *MINIFLOATS)))
        if on_ends(term, lambda part: compute_of(part, {})) is not None:
            compare(term, sort, 40, rng)


UNARY: dict[str, Callable[..., object]] = {
    "exp": gmpy2.exp, "log": gmpy2.log, "tanh": gmpy2.tanh, "erf": gmpy2.erf,
}  # fmt: skip


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float", "double"])
@pytest.mark.parametrize("text", UNARY)
def test_thousands_of_values_are_those_of_mpfr(text: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And of floats of 32 bits nearly all are decided by doubles, and doubles by pairs."""
    computed = count_exact(monkeypatch)
    x = inputs(name, 6000, 5)

    assert_same(loaded(text).evaluate(x), oracle(name, UNARY[text], x))
    assert sum(computed) < {"float": 12, "double": 800}.get(name, 400)


def test_what_is_not_chosen_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below -16 Gelu is about 0, and its own expression, which no ends decide there, does not count."""
    path = ROOT / "spec" / "sonnx" / "gelu" / "gelu.sonnx"
    project = Project.of_files(ROOT, [path])
    gelu = Operator(project, next(unit for unit in project.units if unit.path == path))
    computed = count_exact(monkeypatch)
    x = np.array([-17, -1e4, np.nan, -np.inf, 1])

    for dtype in (np.float64, np.float16):
        made = gelu.evaluate(x.astype(dtype), approximate="none")
        assert_same(made, np.array([0, 0, np.nan, np.nan, 0.8413447460685429], dtype))
    # NaN and infinities count as 0, which pairs keep exact; of float16 its sign is computed once.
    assert sum(computed) == 1


def count_exact(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of elements that are computed one by one from now on."""
    computed: list[int] = []
    each = rounding.Expression.each

    def counted(self: Any, flat: Any) -> Any:
        computed.append(len(flat[0]))
        return each(self, flat)

    monkeypatch.setattr(rounding.Expression, "each", counted)
    return computed


def test_every_float_of_16_bits() -> None:
    """Tanh of all float16, against MPFR."""
    x: np.ndarray = np.arange(1 << 16, dtype=np.uint16).view(np.float16)

    assert_same(loaded("tanh").evaluate(x), oracle("float16", gmpy2.tanh, x))


def test_a_table_is_filled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was computed before is not computed again, for another tensor either."""
    x = inputs("bfloat16", 300, 9)
    first = loaded("sigmoid").evaluate(x)
    computed: list[int] = []
    original = rounding.Expression.by_ends

    def counted(self: Any, flat: Any, asked: Any) -> Any:
        computed.append(len(flat[0]))
        return original(self, flat, asked)

    monkeypatch.setattr(rounding.Expression, "by_ends", counted)
    again = loaded("sigmoid").evaluate(x[::-1].reshape(-1, 1))

    assert again.reshape(-1)[::-1].tobytes() == first.tobytes()
    assert computed == []


def as_mpfr(number: Any) -> Any:
    """The same number in MPFR."""
    return number if isinstance(number, gmpy2.mpfr) else gmpy2.mpfr(float(number))


ENDS = [0.0, 1.0, 3.0, 1e-9, 40.0, 800.0, 1e30, 1e200, 1.7e308, 2.0**-1074, 1e-200, 0.5]


def some_ends(rng: random.Random) -> tuple[float, float]:
    """Two ends: one number, near ones, or far ones."""
    first = rng.choice(ENDS) * rng.choice((-1, 1)) * rng.choice((1, rng.uniform(0.9, 1)))
    match rng.randrange(3):
        case 0:
            second = first
        case 1:
            second = first * (1 + 2.0 ** -rng.randint(20, 52))
        case _:
            second = rng.choice(ENDS) * rng.choice((-1, 1))
    return min(first, second) + 0.0, max(first, second) + 0.0


def inside(rng: random.Random, low: float, high: float) -> set[float]:
    """The ends, 0 and 2 if they are between, and some other number."""
    return {low, high, *(x for x in (0.0, 2.0) if low <= x <= high), min(max(low * rng.random(), low), high)}


def exactly(term: Term, numbers: list[float]) -> Any:
    """The result of an operation on some numbers, in MPFR with 400 bits; NaN where there is none."""
    x, y = (gmpy2.mpfr(number) for number in (*numbers, 0.0)[:2])
    match term.op:
        case Op.PLUS:
            return x + y
        case Op.TIMES:
            return x * y
        case Op.QUOTIENT:
            return x / y if y else gmpy2.nan()
    function = RealFunction(str(term.payload))
    if not in_domain(function, *[Fraction(n) for n in numbers[: function.arity]]):
        return gmpy2.nan()
    return x**y if function is RealFunction.POW else getattr(gmpy2, function)(x)


X, Y = apply(Symbol("x", (), REAL)), apply(Symbol("y", (), REAL))


def ends_of(term: Term, operands: list[tuple[float, float]]) -> tuple[Any, Any]:
    """The ends of an operation on numbers between some ends, as doubles."""
    # Single numbers are one array, as the elements of an input are.
    given = [(x, x) if low == high else (x, np.array([high])) for low, high in operands for x in [np.array([low])]]
    made = ends.ENCLOSED[term.op](term, *given)
    low, high = ends.compared(made, made)[0]
    return np.ravel(low)[0], np.ravel(high)[0]


def ends_of_shares(term: Term, operands: list[tuple[float, float]]) -> tuple[Any, Any]:
    """The same by shares of one double, where this is open to them."""
    given: list[Near] = []
    for low, high in operands:
        zero = literal_near(Fraction(0), np.float64(0)) if low == high == 0 else None
        if zero is not None:
            given.append(zero)
            continue
        middle = low / 2 + high / 2
        share = 0.0 if low == high else abs((high - low) / middle if middle else math.inf)
        if middle and share < 2.0**-21 and 2.0**-1000 < abs(middle) < 2.0**1000:
            given.append(Near(np.array([middle]), share, middle, middle, abs(middle)))
    if len(given) < len(operands):
        return math.nan, math.nan
    made = ends.ENCLOSED[term.op](term, *given)
    if not isinstance(made, Near):
        return math.nan, math.nan
    value = float(np.ravel(made.values)[0])
    assert made.low <= value <= made.high
    assert value == 0 or abs(value) >= made.least
    share = as_mpfr(made.share)
    first, second = as_mpfr(value) * (1 - share), as_mpfr(value) * (1 + share)
    return min(first, second), max(first, second)


def ends_of_pairs(term: Term, operands: list[tuple[float, float]]) -> tuple[Any, Any]:
    """The same by balls around pairs, as numbers of MPFR."""
    given: list[Ball] = []
    for low, high in operands:
        if low == high:
            given.append(exact(np.array([low])))
        else:
            middle = low / 2 + high / 2
            radius = max(middle - low, high - middle) * (1 + 2.0**-50)
            given.append(Ball(np.array([middle]), np.array([0.0]), np.array([radius])))
    made = pairs.ENCLOSED[term.op](term, *given)
    if made.vanishing is not None and np.any(made.vanishing):
        return tuple(sorted([gmpy2.mpfr(0), gmpy2.exp2(-1076) * math.copysign(1, made.high[0])]))
    if np.isinf(made.high[0]) and made.radius[0] == 0:
        far = [gmpy2.exp2(1025), gmpy2.mpfr("inf")]
        return tuple(far if made.high[0] > 0 else [-far[1], -far[0]])
    high, low, radius = (as_mpfr(np.ravel(part)[0]) for part in (made.high, made.low, made.radius))
    return high + low - radius, high + low + radius


def test_chosen_numbers_keep_their_shares() -> None:
    """Of a zero and of other numbers: the ends and the share hold for whichever is chosen."""
    zero = literal_near(Fraction(0), np.float64(0))
    assert zero is not None
    others = Near(np.array([-3.0, 0.5]), 2.0**-40, -3.0, 0.5, 0.5)
    made = chosen(np.array([True, False]), zero, others)
    assert made.values.tolist() == [0.0, 0.5]
    assert (made.share, made.low, made.high, made.least) == (2.0**-40, -3.0, 0.5, 0.5)
    turned = chosen(np.array([True, False]), others, zero)
    assert turned.values.tolist() == [-3.0, 0.0]
    assert (turned.share, turned.low, turned.high, turned.least) == (2.0**-40, -3.0, 0.5, 0.5)


ARITHMETICS = pytest.mark.parametrize(
    "ends_by", [ends_of, ends_of_shares, ends_of_pairs], ids=["ends", "shares", "pairs"]
)


@ARITHMETICS
@pytest.mark.parametrize("number", [Fraction(1, 3), Fraction(-2, 7), Fraction(10**40 + 1, 3), Fraction(5, 2)])
def test_literals_are_between_their_ends(number: Fraction, ends_by: Callable[..., Any]) -> None:
    """A fraction that is no float is between two, which are near."""
    with gmpy2.context(precision=400):
        low, high = ends_by(literal(number, REAL), [])
        below, above = (Fraction(*as_mpfr(end).as_integer_ratio()) for end in (low, high))

    assert below <= number <= above
    assert above - below <= Fraction(2) ** (-98 if ends_by is ends_of_pairs else -49) * abs(number)


@pytest.mark.parametrize("term", [
    add(X, Y), times(X, Y), quotient(X, Y), *(real_function(f, *(X, Y)[: f.arity]) for f in RealFunction),
], ids=str)  # fmt: skip
@ARITHMETICS
def test_ends_hold_the_values(term: Term, ends_by: Callable[..., Any]) -> None:
    """Whatever the numbers between the ends of the operands are."""
    rng = random.Random(str(term))
    held = 0
    with np.errstate(all="ignore"), gmpy2.context(precision=400, emax=1 << 50, emin=-(1 << 50)):
        for _ in range(1500):
            operands = [some_ends(rng) for _ in range(len(term.args))]
            low, high = ends_by(term, operands)
            if np.isnan(float(low)) or np.isnan(float(high)):
                continue
            for numbers in product(*[inside(rng, *e) for e in operands]):
                value = exactly(term, list(numbers))
                if gmpy2.is_finite(value):
                    held += 1
                    assert as_mpfr(low) <= value <= as_mpfr(high), (operands, numbers)
            if ends_by is ends_of:
                assert not (low == 0 and np.signbit(low))
                assert not (high == 0 and np.signbit(high))
    # Sines have no share.
    assert held > 200 or (ends_by is ends_of_shares and term.payload in ("sin", "cos", "pow", "log"))


def near_ties(sort: FloatSort) -> Iterator[float]:
    for bits in (1, 2, 3, 0x3F80, 0x3F81, 0x3C01, 0x3C02, floats.greatest(sort) - 1):
        value = float(floats.to_fraction(sort, bits % floats.greatest(sort)))
        above = float(floats.to_fraction(sort, bits % floats.greatest(sort) + 1))
        tie = (value + above) / 2
        yield from (tie, np.nextafter(tie, 0.0), np.nextafter(tie, np.inf), -tie, value, above)


@pytest.mark.parametrize("sort", NARROW, ids=str)
def test_doubles_are_rounded_once(sort: FloatSort) -> None:
    """Ties to even, and a hair beside them: also to bfloat16, which ml_dtypes rounds by way of float32."""
    doubles = [*near_ties(sort), 0.0, -0.0, 1e300, -1e300, math.inf, 1e-300, -1e-300, 2.0**-1074]
    with np.errstate(over="ignore"):
        made = ends.nearest(np.array(doubles), sort).view(bits_type(sort)).tolist()

    for x, bits in zip(doubles, made, strict=True):
        assert bits == floats.from_float(sort, x), x


def test_ties_and_zeros_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """A square that is a tie, and a product with 0: doubles leave both open, and equal ones are computed once."""
    x, y = leaf("x", FLOAT), leaf("y", FLOAT)
    square = compiled(
        rounded(real_function(RealFunction.POW, to_real(x), add(to_real(y), literal(Fraction(0), REAL))), FLOAT)
    )
    computed = count_exact(monkeypatch)
    bases: np.ndarray = np.array([5791, 5791, -5791, 3, 0, 0], np.float32)  # 5791^2 = 33535681 has 25 bits.
    made = square.compute(bases, np.float32(2))

    assert made.tolist() == [33535680.0, 33535680.0, 33535680.0, 9.0, 0.0, 0.0]
    assert computed == [3]


def test_far_values_are_decided_by_doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the double is an infinity, or 0."""
    x, y = leaf("x", FLOAT), leaf("y", FLOAT)
    power = compiled(rounded(real_function(RealFunction.POW, to_real(x), to_real(y)), FLOAT))
    computed = count_exact(monkeypatch)
    far: np.ndarray = np.array([88.8, 800, 1e30, -800, -1e30], np.float32)

    assert loaded("exp").evaluate(far).tolist() == [math.inf] * 3 + [0.0] * 2
    assert power.compute(np.float32(7), far).tolist() == [math.inf] * 3 + [0.0] * 2
    assert computed == []


@pytest.mark.parametrize("function", RealFunction)
@pytest.mark.parametrize("sort", [FLOAT, DOUBLE], ids=str)
def test_functions_of_literals(function: RealFunction, sort: FloatSort) -> None:
    """An operand need not be an array."""
    third = literal(Fraction(1, 3), REAL)
    product = times(to_real(leaf("x", sort)), real_function(function, *[third] * function.arity))
    assert compare(rounded(product, sort), sort, 5, random.Random(7)) > 10


@each_sort
def test_the_logarithm_of_what_vanishes(sort: FloatSort) -> None:
    """e^-10000 is nearer to 0 than any float, and its logarithm is not that of 0."""
    x = to_real(leaf("x", sort))
    power = real_function(RealFunction.EXP, scale(10, x))
    made = compiled(rounded(real_function(RealFunction.LOG, power), DOUBLE))
    numbers = np.array([-1000, -200, 1, 200], DTYPES[sort])

    assert made.compute(numbers).tolist() == (10 * numbers.astype(np.float64)).tolist()


def test_numbers_beyond_both_ends_of_a_minifloat() -> None:
    """What is NaN at both ends may be anything between."""
    x = to_real(leaf("x", DOUBLE))
    inverse = quotient(literal(Fraction(2), REAL), x)
    made = compiled(rounded(times(times(x, x), inverse), MINIFLOATS[0]))

    assert made.compute(np.array([2.2250738585072014e-308])).tolist() == [0]


def test_a_double_that_overflows_decides_nothing() -> None:
    """The double of 2x is an infinity, its logarithm a number; the square of a root overflows."""
    x, two = leaf("x", FLOATS_OF["double"]), literal(Fraction(2), REAL)
    term = rounded(real_function(RealFunction.LOG, times(two, to_real(x))), FLOATS_OF["float16"])
    assert compiled(term).compute(np.array([float_info.max, 1.0])).tolist() == [710.5, 0.693359375]
    root = real_function(RealFunction.SQRT, to_real(x))
    far = compiled(rounded(real_function(RealFunction.EXP, root), FLOATS_OF["double"]))
    assert far.compute(np.array([float_info.max, 1.0])).tolist() == [math.inf, math.e]


def test_shapes_are_broadcast() -> None:
    """Also to what is empty, and of scalars."""
    x, y = leaf("x", FLOAT), leaf("y", FLOAT)
    found = compiled(rounded(add(to_real(x), quotient(to_real(y), literal(Fraction(3), REAL))), FLOAT))
    column: np.ndarray = np.arange(4, dtype=np.float32)[:, None]
    row: np.ndarray = np.arange(3, dtype=np.float32)[None, :] * 3

    assert found.compute(column, row).tolist() == [[a + b for b in range(3)] for a in range(4)]
    assert found.compute(column[:0], row).shape == (0, 3)
    assert found.compute(np.float32(1), np.float32(3)).shape == ()


def test_other_expressions_are_left() -> None:
    """A sum over an axis, a literal, and what is no rounding."""
    x, total = leaf("x", FLOAT), apply(Symbol("total", (), REAL))

    for term in (rounded(total, FLOAT), to_real(x), x):
        assert on_ends(term, lambda part: compute_of(part, {})) is None


def test_threads_make_tables_of_the_same_bits() -> None:
    """The precision of FLINT is that of all threads: one that ends its own must not end that of another."""
    from flint import arb, ctx

    made: set[tuple[bytes, ...]] = set()

    def make() -> None:
        for _ in range(50):
            made.add(
                tuple([part.tobytes() for part in table(lambda: (arb(2 * j / 97).sin_pi() for j in range(1, 60)))])
            )

    threads, interval, bits = [Thread(target=make) for _ in range(4)], sys.getswitchinterval(), ctx.prec
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert (len(made), ctx.prec) == (1, bits)
