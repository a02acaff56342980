"""Rounded and compared expressions on arrays: as in the reference evaluator, whatever numpy's own functions give."""

from __future__ import annotations

import math
import random
from collections import OrderedDict
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import gmpy2
import numpy as np
import pytest

from sonnx_verify.arrays.evaluator import balls, ends, rounding
from sonnx_verify.arrays.evaluator.known import DTYPES, bits_type
from sonnx_verify.arrays.evaluator.operations import compute_of
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.arrays.evaluator.rounding import OnEnds, on_ends
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


needs_longer_floats = pytest.mark.skipif(ends.EXTENDED is None, reason="no floats of 80 bits on this machine")


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
def test_balls_alone_give_the_values_of_the_reference(sort: FloatSort, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no ends are asked. Most are decided by balls, and what they decide is right."""
    left: list[int] = []
    exactly = rounding.Expression.exactly

    def counted(self: Any, flat: Any) -> Any:
        left.append(len(flat[0]))
        return exactly(self, flat)

    monkeypatch.setattr(rounding, "_tables", OrderedDict())
    monkeypatch.setattr(rounding, "_results", OrderedDict())
    monkeypatch.setattr(rounding.Expression, "exactly", counted)
    monkeypatch.setattr(rounding.Expression, "by_ends", lambda self, flat, asked: self.each(flat))
    rng = random.Random(f"balls {sort}")
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
    assert sum(left) < compared / 2


@pytest.mark.parametrize(("power", "sign"), [(10**10, 1), (-(10**10), 1), (10**30, 1), (-(10**30), -1), (10**30, -1)])
def test_balls_beyond_all_floats(power: int, sign: int) -> None:
    """An exponent of 2 that has ten digits, or thirty, is never written out."""
    from flint import arb

    minifloat = MINIFLOATS[0]
    with balls.precision(128):
        ball = sign * arb(2) ** power
        bit = floats.zero(FLOAT, negative=sign < 0)
        assert balls.rounded(FLOAT, ball) == (bit | floats.infinity(FLOAT) if power > 0 else bit)
        # It has no infinity, and a NaN has no one pattern.
        assert balls.rounded(minifloat, ball) == (None if power > 0 else floats.zero(minifloat, negative=sign < 0))


def test_balls_that_decide_nothing() -> None:
    """A ball around 0 has both zeros, and NaN is no number."""
    from flint import arb

    with balls.precision(128):
        assert balls.rounded(FLOAT, arb(0, 1e-300)) is None
        assert balls.rounded(FLOAT, arb("nan")) is None
        assert balls.compared(Op.AT_MOST, arb(1, 0.5), arb(1)) is None
        assert balls.compared(Op.EQUAL, arb(1), arb(1)) is None
        assert balls.compared(Op.AT_MOST, arb(1), arb(1)) is True
        assert balls.compared(Op.AT_MOST, arb("nan"), arb(1)) is None


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
    if name != "double" or ends.EXTENDED is not None:
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
    """And of floats of 32 bits nearly all are decided by doubles, and doubles by longer floats."""
    computed = count_exact(monkeypatch)
    x = inputs(name, 6000, 5)

    assert_same(loaded(text).evaluate(x), oracle(name, UNARY[text], x))
    if name != "double" or ends.EXTENDED is not None:
        assert sum(computed) < {"float": 12, "double": 800}.get(name, 400)


def test_without_longer_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the machine has none, doubles are computed exactly, and equal ones once, by a later call too."""
    x = inputs("double", 300, 9)
    expected = loaded("sigmoid").evaluate(x)

    monkeypatch.setattr(rounding, "EXTENDED", None)
    computed = count_exact(monkeypatch)
    for _ in range(2):
        assert loaded("sigmoid").evaluate(x).tobytes() == expected.tobytes()
    assert sum(computed) <= len(x)


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
    if ends.EXTENDED is not None:
        # NaN and infinities count as 0, whose sign is computed once.
        assert sum(computed) == 2


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


@pytest.mark.parametrize("off", [-1, 1])
def test_functions_of_numpy_may_be_off(off: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By 2^-46, up or down, the bytes are the same: other machines have another exp. Longer floats by 2^-59."""
    table = dict(ends.GROWING)
    for function, (compute, least, most) in ends.GROWING.items():

        def shifted(x: Any, compute: Callable[..., Any] = compute) -> Any:
            value = compute(x)
            return value * (1 + off * (2.0**-46 if x.dtype == np.float64 else np.longdouble(2) ** -59))

        table[function] = (shifted, least, most)
    x, doubles = inputs("float", 4000, 6), inputs("double", 1000, 6)
    texts = (*UNARY, "sigmoid")
    expected = {text: (loaded(text).evaluate(x), loaded(text).evaluate(doubles)) for text in texts}

    monkeypatch.setattr(ends, "GROWING", table)
    for text, (of_floats, of_doubles) in expected.items():
        assert loaded(text).evaluate(x).tobytes() == of_floats.tobytes(), text
        assert loaded(text).evaluate(doubles).tobytes() == of_doubles.tobytes(), text


DOUBLES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "exp": (np.exp, gmpy2.exp),
    "log": (np.log, gmpy2.log),
    "tanh": (np.tanh, gmpy2.tanh),
    "erf": (ends.GROWING[RealFunction.ERF][0], gmpy2.erf),
    "sin": (np.sin, gmpy2.sin),
    "cos": (np.cos, gmpy2.cos),
}


def arguments(name: str, most: float) -> np.ndarray:
    """Arguments of a function up to about e^most, near 1, and near what sin and cos turn at."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal(4000) * np.exp(rng.uniform(-40, most, 4000))
    x = np.concatenate([x, rng.uniform(-8, 8, 4000), np.arange(1, 200) * math.pi / 2, [1.0, 1 - 2**-53, 1 + 2**-52]])
    return abs(x) if name == "log" else x


@pytest.mark.parametrize("name", DOUBLES)
def test_functions_of_doubles_are_off_by_less_than_is_trusted(name: str) -> None:
    """By less than 2^-45 of the value, and beyond 1 of sin and cos by less than 2^-45. MPFR has the value."""
    ours, theirs = DOUBLES[name]
    x = arguments(name, 6)
    with np.errstate(over="ignore"):
        made = ours(x)
    for number, value in zip(x.tolist(), made.tolist(), strict=True):
        exact = theirs(gmpy2.mpfr(number, 200))
        if math.isinf(value) or abs(exact) < 2.0**-1000:
            continue
        allowed = 1.0 if name in ("sin", "cos") and abs(number) > 1 else abs(exact)
        assert abs(gmpy2.mpfr(value, 200) - exact) <= 2.0**-45 * allowed, number


@needs_longer_floats
@pytest.mark.parametrize("name", DOUBLES)
def test_functions_of_longer_floats_are_off_by_less_than_is_trusted(name: str) -> None:
    """By less than 2^-58 of the value, and beyond 1 of sin and cos by less than 2^-58."""
    ours, theirs = DOUBLES[name]
    x = arguments(name, 9)
    long = x.astype(np.longdouble)
    # Half of them with bits that no double has.
    rng = np.random.default_rng(3)
    long[::2] *= 1 + np.longdouble(2) ** -60 * rng.integers(-64, 64, len(long[::2]))
    with np.errstate(over="ignore"):
        made = ours(long)
    with gmpy2.context(precision=400):
        for number, value in zip(long, made, strict=True):
            exact = theirs(as_mpfr(number))
            if np.isinf(value) or abs(exact) < gmpy2.exp2(-16000):
                continue
            allowed = 1.0 if name in ("sin", "cos") and abs(number) > 1 else abs(exact)
            assert abs(as_mpfr(value) - exact) <= 2.0**-58 * allowed, number


def as_mpfr(number: Any) -> Any:
    """The same number in MPFR, of a double or a longer float."""
    if not np.isfinite(number):
        return gmpy2.mpfr(float(number))
    return gmpy2.mpfr(gmpy2.mpq(*np.longdouble(number).as_integer_ratio()), 400)


def test_powers_of_doubles_are_off_by_less_than_is_trusted() -> None:
    """As functions of one number are."""
    rng = np.random.default_rng(4)
    x, y = np.exp(rng.uniform(-80, 80, 6000)), rng.uniform(-8, 8, 6000)
    for base, exponent, value in zip(x.tolist(), y.tolist(), np.power(x, y).tolist(), strict=True):
        exact = gmpy2.mpfr(base, 200) ** gmpy2.mpfr(exponent, 200)
        assert abs(gmpy2.mpfr(value, 200) - exact) <= 2.0**-45 * abs(exact), (base, exponent)


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
    x, y = (gmpy2.mpfr(number) for number in numbers)
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
CARRIERS = [
    pytest.param(ends.DOUBLES, id="double"),
    pytest.param(ends.EXTENDED, id="longer", marks=needs_longer_floats),
]


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("number", [Fraction(1, 3), Fraction(-2, 7), Fraction(10**40 + 1, 3), Fraction(5, 2)])
def test_literals_are_between_their_ends(number: Fraction, carrier: ends.Carrier) -> None:
    """A fraction that is no float is between two, which are near."""
    low, high = (ends.ENCLOSED[Op.LITERAL](carrier, literal(number, REAL))[n] for n in range(2))
    below, above = (Fraction(*end.as_integer_ratio()) for end in (low, high))

    assert below <= number <= above
    assert above - below <= 4 * Fraction(carrier.of_rounding) * abs(number)


@pytest.mark.parametrize("term", [
    add(X, Y), times(X, Y), quotient(X, Y), *(real_function(f, *(X, Y)[: f.arity]) for f in RealFunction),
], ids=str)  # fmt: skip
@pytest.mark.parametrize("carrier", CARRIERS)
def test_ends_hold_the_values(term: Term, carrier: ends.Carrier) -> None:
    """Whatever the numbers between the ends of the operands are; and with room for a function that is off by half of
    what is trusted."""
    rng = random.Random(str(term))
    room = carrier.of_function / 2 if term.op is Op.REAL_FUNCTION else 0.0
    held = 0
    with np.errstate(all="ignore"), gmpy2.context(precision=400, emax=1 << 50, emin=-(1 << 50)):
        for _ in range(1500):
            operands = [some_ends(rng) for _ in range(2)]
            given = [tuple(map(carrier.dtype, pair)) for pair in operands[: len(term.args)]]
            low, high = ends.ENCLOSED[term.op](carrier, term, *given)
            if np.isnan(low) or np.isnan(high):
                continue
            for numbers in product(*[inside(rng, *e) for e in operands]):
                value = exactly(term, list(numbers))
                if gmpy2.is_finite(value) and (abs(value) > 1e-290 or not room) and abs(value) <= 1e290:
                    held += 1
                    off = abs(value) * (
                        room if abs(value) < 0.999 or term.payload not in ("tanh", "erf", "sin", "cos") else 0
                    )
                    assert as_mpfr(low) <= value - off, (operands, numbers)
                    assert value + off <= as_mpfr(high), (operands, numbers)
                elif gmpy2.is_finite(value):
                    assert as_mpfr(low) <= value <= as_mpfr(high), (operands, numbers)
            assert not (low == 0 and np.signbit(low))
            assert not (high == 0 and np.signbit(high))
    assert held > 200


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
