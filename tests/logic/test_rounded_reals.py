"""The reading of floats as rounded reals: all that it says is true of floats, and it says enough."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import pytest

from sonnx_verify.logic import enclosed, floats, rounded_reals
from sonnx_verify.logic.elements import ARITY
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.rounded_reals import RoundedReals, as_rounded_reals
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.sorts import BOOL, FLOATS, INT, INTEGERS, REAL, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import (
    Symbol,
    Term,
    add,
    and_,
    apply,
    converted,
    element,
    eq,
    integer,
    ite,
    le,
    literal,
    lt,
    not_,
    ordinal,
    rounded,
    times,
    to_int,
    to_real,
)
from sonnx_verify.solving.solvers import Query

TINY = FloatSort("float6", 3, 3)
"""A format in which overflow, underflow and ties are met all the time."""
COARSE = FloatSort("float7", 3, 4)
"""A format that does not have the integers next to its infinities: 15.5 is the threshold, and 15 the greatest float."""
FORMATS = (TINY, COARSE, *FLOATS)
UNSAT = {"z3": "unsat", "cvc5": "unsat"}


ROUNDINGS = {
    Op.ROUND_EVEN: floats.Rounding.NEAREST_EVEN,
    Op.ROUND_AWAY: floats.Rounding.NEAREST_AWAY,
    Op.ROUND_UP: floats.Rounding.UP,
    Op.ROUND_DOWN: floats.Rounding.DOWN,
    Op.ROUND_TO_ZERO: floats.Rounding.TO_ZERO,
}


class Meaning(dict[Symbol, Any]):
    """What the symbols of a reading mean of given floats."""

    def __init__(self, reading: RoundedReals, given: dict[str, tuple[FloatSort, int]]) -> None:
        super().__init__()
        self._given = {Symbol(name, (), sort): bits for name, (sort, bits) in given.items()}
        self._made: dict[Symbol, Callable[[], Any]] = {}
        for made, (part, term) in reading._parts.items():
            self._made[_symbol(made)] = partial(self._part, part, term)
        for sort, found in reading._rounded.items():
            for one in found.values():
                self._made[_symbol(one.nearest)] = partial(self._nearest, sort, one.exact)
        for (a, b), quotient in reading._algebra.quotients.items():
            self._made[_symbol(quotient)] = partial(self._quotient, a, b)
        for (function, *args), root in reading._algebra.values.items():
            assert function is RealFunction.SQRT
            (a,) = args
            self._made[_symbol(root)] = partial(self._root, a)
        for (sort, value), place in reading._places.items():
            self._made[_symbol(place)] = partial(self._place, sort, value)
        for (op, value), number in reading._integers.items():
            self._made[_symbol(number)] = partial(self._integer, op, value)

    def __missing__(self, symbol: Symbol) -> Any:
        if symbol in self._made:
            value: Any = self._made[symbol]()
        else:
            value = {BOOL: False, INT: 3}.get(symbol.result, Fraction(7))
        self[symbol] = value
        return value

    def _part(self, part: str, term: Term) -> Any:
        """Of an operation that is not read: the part of the float that it gives."""
        assert isinstance(term.sort, FloatSort)
        return parts(term.sort, evaluate(term, self._given))[part]

    def _nearest(self, sort: FloatSort, exact: Term) -> Any:
        bits = enclosed.round_to_nearest(sort, evaluate(exact, self))
        return parts(sort, bits)["value"]

    def _quotient(self, a: Term, b: Term) -> Fraction:
        divisor = evaluate(b, self)
        return evaluate(a, self) / divisor if divisor else Fraction(5)

    def _place(self, sort: FloatSort, value: Term) -> int:
        return floats.ordinal(sort, floats.round_to_nearest(sort, evaluate(value, self)))

    def _integer(self, op: Op, value: Term) -> Fraction:
        return Fraction(floats._integral(evaluate(value, self), ROUNDINGS[op]))

    def _root(self, a: Term) -> Any:
        square = evaluate(a, self)
        # Outside the domain it may be anything, the same of equal arguments.
        return enclosed.apply(RealFunction.SQRT, square) if square >= 0 else Fraction(-3)


def _symbol(term: Term) -> Symbol:
    assert isinstance(term.payload, Symbol)
    return term.payload


def parts(sort: FloatSort, bits: int) -> dict[str, Any]:
    """A float as the three parts that the reading has of it."""
    if floats.is_nan(sort, bits):
        return {"nan": True, "negative": False, "value": Fraction(0)}
    negative = floats.is_negative(sort, bits)
    if floats.is_infinite(sort, bits):
        limit = floats.overflow_threshold(sort)
        return {"nan": False, "negative": negative, "value": -limit if negative else limit}
    return {"nan": False, "negative": negative, "value": floats.to_fraction(sort, bits)}


def some_bits(sort: FloatSort, rng: random.Random) -> int:
    """A value, half of the time one at which arithmetic is special."""
    special = [0, 1, floats.infinity(sort), floats.greatest(sort), floats.nan(sort), floats.from_float(sort, 1.0),
               floats.from_float(sort, 2.25)]  # fmt: skip
    bits = rng.choice(special) if rng.randrange(2) else rng.getrandbits(sort.width)
    if rng.randrange(2):
        bits = floats.negate(sort, floats.canonical(sort, bits))
    return floats.canonical(sort, bits)


BINARY = (Op.ADD, Op.SUB, Op.MUL, Op.DIVIDE)


def some_float(sort: FloatSort, atoms: Sequence[Term], rng: random.Random, depth: int) -> Term:
    """A nested operation."""
    if depth == 0:
        return rng.choice([a for a in atoms if a.sort == sort])
    inner = [some_float(sort, atoms, rng, depth - 1) for _ in range(3)]
    match rng.randrange(11):
        case 0:
            return element(Op.NEG, inner[0])
        case 1:
            return element(Op.SQRT, inner[0])
        case 2:
            return element(Op.FMA, *inner)
        case 3:
            other = rng.choice([a for a in atoms if a.sort != sort])
            return converted(other, sort)
        case 4:
            return ite(some_condition(inner, rng), inner[1], inner[2])
        case 5:
            finite = not_(element(Op.IS_NAN, inner[0])) if rng.randrange(2) else some_condition(inner, rng)
            exact = add(times(to_real(inner[0]), to_real(inner[1])), literal(Fraction(1, 3), REAL))
            return ite(and_(finite, *map(is_finite, inner)), rounded(exact, sort), inner[2])
        case 6:
            return element(rng.choice(list(ROUNDINGS)), inner[0])
        case _:
            return element(rng.choice(BINARY), inner[0], inner[1])


def is_finite(a: Term) -> Term:
    return and_(not_(element(Op.IS_NAN, a)), not_(element(Op.IS_INFINITE, a)))


def some_condition(args: Sequence[Term], rng: random.Random) -> Term:
    """A condition about two floats."""
    a, b, _ = args
    numbers = and_(not_(element(Op.IS_NAN, a)), not_(element(Op.IS_NAN, b)))
    return rng.choice([
        and_(numbers, le(ordinal(a), add(ordinal(b), integer(rng.randint(-2, 2))))),
        eq(a, b), le(a, b), lt(a, b), element(Op.IEEE_EQUAL, a, b), element(Op.IS_NAN, a), element(Op.IS_INFINITE, a),
        element(Op.IS_ZERO, a), element(Op.IS_NEGATIVE, a), element(Op.IS_POSITIVE, a),
    ])  # fmt: skip


def some_case(sort: FloatSort, rng: random.Random) -> tuple[dict[str, tuple[FloatSort, int]], Term, int]:
    """Values of symbols, an operation on them, and its result."""
    other = rng.choice([s for s in FORMATS if s != sort])
    given = {f"x{n}": (s, some_bits(s, rng)) for n, s in enumerate((sort, sort, sort, other))}
    atoms = [apply(Symbol(name, (), s)) for name, (s, _) in given.items()]
    term = some_float(sort, [*atoms, literal(some_bits(sort, rng), sort)], rng, rng.randint(1, 2))
    return given, term, evaluate(term, {Symbol(n, (), s): bits for n, (s, bits) in given.items()})


def conditions(term: Term, bits: int, sort: FloatSort) -> list[Term]:
    """All that can be asked of a float, and of it beside another one."""
    other = literal(bits, sort)
    compared = [eq(term, other), le(term, other), lt(term, other), element(Op.IEEE_EQUAL, term, other)]
    predicates = (Op.IS_NAN, Op.IS_INFINITE, Op.IS_ZERO, Op.IS_NEGATIVE, Op.IS_POSITIVE)
    return [*compared, *(element(op, term) for op in predicates)]


def untrue(sort: FloatSort, seed: int, count: int) -> Iterator[tuple[Term, dict[str, tuple[FloatSort, int]]]]:
    """What the reading says that is false of given floats, with them."""
    rng = random.Random(f"{sort} {seed}")
    for _ in range(count):
        given, term, bits = some_case(sort, rng)
        reading = RoundedReals()
        # An equation that forgot the sign of a zero would be true of whatever is equal: what is false has to be false
        # too, or the negation of a goal would say more than it does.
        asked = [*conditions(term, bits, sort), *conditions(term, floats.negate(sort, bits), sort)]
        told = [reading.read(condition) for condition in asked]
        facts = {Symbol(name, (), s): value for name, (s, value) in given.items()}
        said = reading.facts()
        meaning = Meaning(reading, given)
        yield from ((fact, given) for fact in said if not evaluate(fact, meaning))
        for condition, read in zip(asked, told, strict=True):
            if evaluate(condition, facts) is not evaluate(read, meaning):
                yield condition, given


each_format = pytest.mark.parametrize("sort", FORMATS, ids=str)


@each_format
def test_what_it_says_is_true_of_floats(sort: FloatSort) -> None:
    """The parts of a result are those of the float that the evaluator has, and every fact holds of them."""
    assert next(untrue(sort, 1, 150), None) is None


@each_format
@pytest.mark.soak
def test_what_it_says_is_true_of_many_floats(sort: FloatSort) -> None:
    """The same on more of them."""
    assert next(untrue(sort, 2, 10_000), None) is None


def some_patterns(arity: int) -> list[int]:
    """The patterns of the small format that an operation is tried on: all, or fewer of more operands."""
    if arity == 1:
        return [bits for bits in range(1 << TINY.width) if floats.canonical(TINY, bits) == bits]
    found = [0, 1, floats.from_float(TINY, 1.0), floats.infinity(TINY)]
    if arity == 2:
        found += [floats.from_float(TINY, 1.5), floats.greatest(TINY)]
    return [*found, *(floats.negate(TINY, bits) for bits in found), floats.nan(TINY)]


@pytest.mark.parametrize("op", [*BINARY, Op.SQRT, Op.FMA, *ROUNDINGS])
def test_special_values_of_each_operation(op: Op) -> None:
    """Of zeros, infinities, NaN and the ends of a small format, all that is asked of the result has the answer that it
    has of floats, and every fact holds."""
    symbols = [Symbol(f"x{n}", (), TINY) for n in range(ARITY[op])]
    result = Symbol("result", (), TINY)
    term, other = element(op, *map(apply, symbols)), apply(result)
    asked = [eq(term, other), le(term, other), lt(term, other), le(other, term)]
    asked += [element(which, term) for which in (Op.IS_NAN, Op.IS_INFINITE, Op.IS_ZERO, Op.IS_NEGATIVE)]
    reading = RoundedReals()
    told = [reading.read(condition) for condition in asked]
    said = reading.facts()
    for case in product(some_patterns(ARITY[op]), repeat=ARITY[op]):
        bits = dict(zip(symbols, case, strict=True))
        expected = evaluate(term, bits)
        for value in dict.fromkeys((expected, floats.negate(TINY, expected))):
            facts = {**bits, result: value}
            meaning = Meaning(reading, {symbol.name: (TINY, held) for symbol, held in facts.items()})
            assert [fact for fact in said if not evaluate(fact, meaning)] == [], facts
            for condition, read in zip(asked, told, strict=True):
                assert evaluate(condition, facts) is evaluate(read, meaning), (condition, facts)


def test_an_overflow_one_step_early_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reading that has infinity begin at the greatest float says what is false."""
    real = floats.overflow_threshold

    class Wrong:
        """The module of floats with another threshold."""

        def __getattr__(self, name: str) -> Any:
            if name == "overflow_threshold":
                return lambda sort: real(sort) - Fraction(floats._least(sort))
            return getattr(floats, name)

    monkeypatch.setattr(rounded_reals, "floats", Wrong())

    assert next(untrue(TINY, 1, 2_000), None) is not None


@pytest.mark.parametrize(("rule", "wrong"), {
    "of_two": lambda one, a, other, b: [le(a, b)],
    "of_known": lambda exact, nearest, value: [le(nearest, value)],
    "of_rounding": lambda sort, exact, nearest: [eq(exact, nearest)],
    "of_integer": lambda op, value, number: [le(number, value)],
    "_condition": lambda op, parts: eq(parts[0].value, parts[-1].value),
    "_sign": lambda exact, of_zero: lt(exact, literal(Fraction(0), REAL)),
}.items())  # fmt: skip
def test_a_wrong_rule_is_seen(rule: str, wrong: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is false of some floats is met by the cases."""
    monkeypatch.setattr(rounded_reals, rule, wrong)

    assert next(untrue(TINY, 1, 2_000), None) is not None


def _law(sort: FloatSort) -> dict[str, list[Term]]:
    """Assertions that no floats meet."""
    x, y, z = (apply(Symbol(name, (), sort)) for name in "xyz")
    zero = literal(0, sort)
    numbers = [not_(element(Op.IS_NAN, element(Op.MUL, a, z))) for a in (x, y)]
    wide = max((s for s in FORMATS if _embeds(sort, s)), key=lambda s: s.width)
    return {
        "sum commutes": [not_(eq(element(Op.ADD, x, y), element(Op.ADD, y, x)))],
        "product is monotone": [le(x, y), le(zero, z), *numbers,
                                not_(le(element(Op.MUL, x, z), element(Op.MUL, y, z)))],
        "root is monotone": [le(zero, x), le(x, y), not_(le(element(Op.SQRT, x), element(Op.SQRT, y)))],
        "an integer is its own":
            [not_(eq(element(Op.ROUND_UP, element(Op.ROUND_EVEN, x)), element(Op.ROUND_EVEN, x)))],
        "places are ordered": [not_(element(Op.IS_NAN, x)), not_(element(Op.IS_NAN, y)),
                               le(add(ordinal(x), integer(1)), ordinal(y)), not_(lt(x, y))],
        "there and back": [not_(eq(converted(converted(x, wide), sort), x))],
    }  # fmt: skip


def test_an_infinity_of_a_format_of_as_many_bits() -> None:
    """The infinity of float6 has the value 15, which is none of float8e5m2, that has as many bits: it is rounded to
    16."""
    wide = FloatSort("float8e5m2", 5, 3)
    exact = Symbol("exact", (), REAL)
    reading = RoundedReals()
    reading.read(element(Op.IS_INFINITE, apply(Symbol("x", (), TINY))))
    reading.read(element(Op.IS_NAN, rounded(apply(exact), wide)))
    # An infinity is read, of which it is told that it is a number of the wider format.
    reading.read(element(Op.IS_NAN, converted(apply(Symbol("x", (), TINY)), wide)))
    meaning = Meaning(reading, {"x": (TINY, floats.infinity(TINY))})
    meaning[exact] = Fraction(15)

    assert [fact for fact in reading.facts() if not evaluate(fact, meaning)] == []


def _embeds(sort: FloatSort, other: FloatSort) -> bool:
    return other.exponent >= sort.exponent and other.significand >= sort.significand


def _whole_numbers(sort: FloatSort) -> list[int]:
    """Integers up to the ends of every type, and those around the powers of two."""
    near = [(1 << n) + k for n in range(66) for k in (-1, 0, 1)]
    return sorted({*near, *(-n for n in near), (1 << sort.significand) + 3})


@each_format
def test_integers_of_few_bits_are_floats(sort: FloatSort) -> None:
    """What is said of the float nearest to an integer is true, and it says that 2 to the number of bits is one."""
    exact, nearest = apply(Symbol("exact", (), REAL)), apply(Symbol("nearest", (), REAL))
    fact = and_(*rounded_reals.of_whole(sort, exact, nearest))
    last = 1 << sort.significand

    def holds(number: int, found: Fraction) -> bool:
        return bool(evaluate(fact, {Symbol("exact", (), REAL): Fraction(number), Symbol("nearest", (), REAL): found}))

    if rounded_reals._has_integers(sort):
        for number in _whole_numbers(sort):
            bits = floats.round_to_nearest(sort, Fraction(number))
            if not floats.is_infinite(sort, bits):
                assert holds(number, floats.to_fraction(sort, bits)), number
        assert not holds(last, Fraction(last + 1))
        assert holds(last + 1, Fraction(last)), "the next integer is no float"


@each_format
@pytest.mark.parametrize("machine", INTEGERS, ids=str)
def test_elements_that_are_floats(machine: IntegerSort, sort: FloatSort) -> None:
    """An integer type whose elements are not rounded is one whose integers are all floats, and every such type is."""
    numbers = [n for n in _whole_numbers(sort) if machine.lowest <= n <= machine.greatest]
    kept = [floats.round_to_nearest(sort, Fraction(n)) for n in numbers]
    are_floats = all(
        not floats.is_infinite(sort, bits) and floats.to_fraction(sort, bits) == n
        for n, bits in zip(numbers, kept, strict=True)
    )

    element_of = apply(Symbol("x", (), machine))
    assert rounded_reals._is_float(sort, to_real(to_int(element_of))) is (
        are_floats and rounded_reals._has_integers(sort)
    )
    assert not rounded_reals._is_float(sort, apply(Symbol("r", (), REAL)))


@each_format
def test_it_says_enough_for_laws(sort: FloatSort, submit: Callable[[Sequence[Term]], Query]) -> None:
    """Both solvers decide laws of rounded arithmetic; all at once."""
    laws = _law(sort)
    if not rounded_reals._has_integers(sort):
        del laws["an integer is its own"]
    queries = {name: submit(as_rounded_reals(law)) for name, law in laws.items()}

    found = {name: {who: str(a.status) for who, a in q.result().items()} for name, q in queries.items()}
    assert found == dict.fromkeys(found, UNSAT)


def test_there_are_no_floats_in_a_reading() -> None:
    """A solver is not told of floats at all."""
    for law in _law(FLOATS[0]).values():
        assert "FloatingPoint" not in script(as_rounded_reals(law))


def test_sorts_are_kept() -> None:
    """Conditions stay conditions."""
    for law in _law(FLOATS[0]).values():
        sorts: set[Sort] = {term.sort for term in as_rounded_reals(law)}
        assert sorts == {BOOL}
