"""The polynomial normal form: of integers and reals against sympy, of machine integers against Python's modulo."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import sympy

from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import wrap
from sonnx_verify.logic.polynomials import _MANY
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.sorts import INT, INTEGERS, REAL, IntegerSort, Sort
from sonnx_verify.logic.terms import (
    Symbol,
    Term,
    add,
    element,
    eq,
    integer,
    le,
    linear,
    literal,
    placeholder,
    rebuild,
    scale,
    sub,
    substitute,
    times,
)

NAMES = "abc"
ATOMS = sympy.symbols("a b c")


def number(value: int | Fraction, sort: Sort) -> Term:
    return literal(Fraction(value) if sort == REAL else int(value), sort)


def drawn(chance: random.Random, sort: Sort, depth: int) -> tuple[Term, sympy.Expr]:
    """A term and the sympy expression that is built the same way."""
    if depth == 0:
        if chance.random() < 0.3:
            value = Fraction(chance.randint(-3, 3), chance.choice([1, 2, 3]) if sort == REAL else 1)
            return number(value, sort), sympy.Rational(value.numerator, value.denominator)
        name = chance.choice(NAMES)
        return Symbol(name, (), sort)(), sympy.Symbol(name)
    (a, x), (b, y) = (drawn(chance, sort, depth - 1) for _ in range(2))
    match chance.randint(0, 4):
        case 0:
            return add(a, b), x + y
        case 1:
            return sub(a, b), x - y
        case 2:
            factor = chance.randint(-3, 3)
            return scale(factor, a), factor * x
        case _:
            return times(a, b), x * y


def coefficients(term: Term) -> dict[tuple[int, ...], Any]:
    """The coefficient of each monomial, by the powers of a, b and c in it, as the term has it written."""
    atoms, constant = linear(term)
    made: dict[tuple[int, ...], Any] = {(0, 0, 0): constant} if constant else {}
    for atom, coefficient in atoms.items():
        factors = atom.args if atom.op == "*" else (atom,)
        names = [f.payload.name for f in factors if isinstance(f.payload, Symbol)]
        assert len(names) == len(factors)
        made[tuple(names.count(n) for n in NAMES)] = coefficient
    return made


@pytest.mark.parametrize("sort", [INT, REAL], ids=str)
def test_polynomials_are_those_of_sympy(sort: Sort) -> None:
    """Each monomial has the coefficient that it has in sympy's expansion, and there are no others."""
    chance = random.Random(7)
    products = 0
    for _ in range(400):
        term, expression = drawn(chance, sort, 3)
        found = sympy.Poly(sympy.expand(expression), *ATOMS).as_dict()
        expected = {powers: Fraction(int(c.p), int(c.q)) for powers, c in found.items() if c != 0}
        products += any(sum(powers) > 1 for powers in expected)

        assert coefficients(term) == expected
    assert products > 100


@pytest.mark.parametrize("sort", [INT, REAL], ids=str)
def test_equal_polynomials_are_one_object(sort: Sort) -> None:
    """Terms are the same object exactly where sympy expands their difference to 0; a term with itself, differently
    associated and distributed, always is."""
    chance = random.Random(8)
    pool = [drawn(chance, sort, 2) for _ in range(70)]
    equal = 0
    for (a, x), (b, y) in product(pool, repeat=2):
        same = sympy.expand(x - y) == 0
        equal += same

        assert (a is b) is same
        assert times(a, add(b, number(1, sort))) is add(a, times(b, a))
    assert equal > len(pool)


@pytest.mark.parametrize("sort", [INT, REAL], ids=str)
def test_comparisons_are_decided_where_sympy_decides_them(sort: Sort) -> None:
    """Equations and inequalities between terms whose difference is a number are true or false, as sympy says."""
    chance = random.Random(9)
    for _ in range(200):
        term, _ = drawn(chance, sort, 3)
        shift = chance.randint(-2, 2)
        other = add(term, number(shift, sort))

        assert eq(term, other).payload is (shift == 0)
        assert le(term, other).payload is (shift >= 0)
        assert le(other, term).payload is (shift <= 0)


@pytest.mark.parametrize("sort", [INT, REAL], ids=str)
def test_normal_forms_mean_what_was_built(sort: Sort) -> None:
    """The evaluator gives a term the value of the operations that it was built with."""
    chance = random.Random(10)
    for _ in range(200):
        term, expression = drawn(chance, sort, 3)
        values = [Fraction(chance.randint(-5, 5), chance.choice([1, 2]) if sort == REAL else 1) for _ in NAMES]
        facts = {Symbol(n, (), sort): v if sort == REAL else int(v) for n, v in zip(NAMES, values, strict=True)}
        exact = sympy.sympify(expression).subs(
            {s: sympy.Rational(v.numerator, v.denominator) for s, v in zip(ATOMS, values, strict=True)}
        )

        assert evaluate(term, facts) == Fraction(int(exact.p), int(exact.q))


# ---------------------------------------------------------------------------------------------------- machine integers

each_type = pytest.mark.parametrize("sort", INTEGERS, ids=str)
Polynomial = dict[tuple[int, ...], int]


def machine(chance: random.Random, sort: IntegerSort, depth: int) -> tuple[Term, Polynomial, Callable[..., int]]:
    """A term, the polynomial it stands for, and a function that does the operations one by one as the machine does."""
    if depth == 0:
        if chance.random() < 0.3:
            value = chance.choice(
                [sort.lowest, sort.greatest, 0, 1, wrap(sort, 2), wrap(sort, -1), wrap(sort, 1 << (sort.width // 2))]
            )
            return literal(value, sort), {(0, 0, 0): value}, lambda *_: value
        place = chance.randrange(3)
        powers = tuple(int(n == place) for n in range(3))
        return Symbol(NAMES[place], (), sort)(), {powers: 1}, lambda *values: values[place]
    (a, p, f), (b, q, g) = (machine(chance, sort, depth - 1) for _ in range(2))
    made: Polynomial = {}
    match chance.randint(0, 4):
        case 0:
            for powers, c in (*p.items(), *q.items()):
                made[powers] = made.get(powers, 0) + c
            return element("add", a, b), made, lambda *v: wrap(sort, f(*v) + g(*v))
        case 1:
            for powers, c in (*p.items(), *((powers, -c) for powers, c in q.items())):
                made[powers] = made.get(powers, 0) + c
            return element("sub", a, b), made, lambda *v: wrap(sort, f(*v) - g(*v))
        case 2:
            return element("neg", a), {powers: -c for powers, c in p.items()}, lambda *v: wrap(sort, -f(*v))
        case _:
            for (ours, c), (theirs, d) in product(p.items(), q.items()):
                powers = tuple(n + m for n, m in zip(ours, theirs, strict=True))
                made[powers] = made.get(powers, 0) + c * d
            return element("mul", a, b), made, lambda *v: wrap(sort, f(*v) * g(*v))


def reduced(polynomial: Polynomial, sort: IntegerSort) -> Polynomial:
    """The coefficients modulo 2 to the width."""
    made = {powers: c % (1 << sort.width) for powers, c in polynomial.items()}
    return {powers: c for powers, c in made.items() if c}


@each_type
def test_machine_terms_mean_the_operations_one_by_one(sort: IntegerSort) -> None:
    """A term in normal form has the value of the operations that it was built with, each of which wraps."""
    chance = random.Random(f"{sort}")
    for _ in range(150):
        term, _, steps = machine(chance, sort, 3)
        for _ in range(3):
            values = [chance.choice([sort.lowest, 3, chance.randint(sort.lowest, sort.greatest)]) for _ in NAMES]
            facts = {Symbol(n, (), sort): v for n, v in zip(NAMES, values, strict=True)}

            assert evaluate(term, facts) == steps(*values)


@each_type
def test_equal_machine_polynomials_are_one_object(sort: IntegerSort) -> None:
    """Terms are the same object exactly where their polynomials have the same coefficients modulo 2 to the width."""
    chance = random.Random(f"{sort}")
    pool = [machine(chance, sort, 2)[:2] for _ in range(120)]
    equal = 0
    for (a, p), (b, q) in product(pool, repeat=2):
        same = reduced(p, sort) == reduced(q, sort)
        equal += same

        assert (a is b) is same
    assert equal > len(pool)


@each_type
def test_coefficients_vanish_modulo_the_width(sort: IntegerSort) -> None:
    """What is multiplied by 2 to the width is 0, and half of that is not; differences of equal terms are 0."""
    x, y = (Symbol(n, (), sort)() for n in "xy")
    zero, half = literal(0, sort), literal(wrap(sort, 1 << (sort.width - 1)), sort)

    assert element("mul", element("add", half, half), x) is zero
    assert element("add", element("mul", half, x), element("mul", half, x)) is zero
    assert element("mul", half, x) is not zero
    assert element("sub", element("add", x, y), element("add", y, x)) is zero
    assert element("neg", element("sub", x, y)) is element("sub", y, x)
    assert element("neg", element("neg", x)) is x


# ------------------------------------------------------------------------------------------------------- what is large

WIDE = 9
assert WIDE * WIDE > _MANY >= WIDE


def wide(sort: Sort, stem: str, addends: int = WIDE) -> Term:
    """A sum of so many symbols."""
    made = number(0, sort) if sort in (INT, REAL) else literal(0, sort)
    for n in range(addends):
        made = plus(made, Symbol(f"{stem}{n}", (), sort)())
    return made


def plus(a: Term, b: Term) -> Term:
    return add(a, b) if a.sort in (INT, REAL) else element("add", a, b)


def by(a: Term, b: Term) -> Term:
    return times(a, b) if a.sort in (INT, REAL) else element("mul", a, b)


every_ring = pytest.mark.parametrize("sort", [INT, REAL, INTEGERS[0], INTEGERS[7]], ids=str)


def facts_of(sort: Sort) -> dict[Symbol, Any]:
    """A value of every symbol of wide sums."""
    values = {Symbol(f"{stem}{n}", (), sort): 3 * n - 7 * ord(stem) % 11 for stem in "xyz" for n in range(70)}
    if isinstance(sort, IntegerSort):
        return {s: wrap(sort, v) for s, v in values.items()}
    return {s: Fraction(v) if sort == REAL else v for s, v in values.items()}


@every_ring
def test_large_products_are_left_as_factors(sort: Sort) -> None:
    """Beyond the limit sums are not multiplied out; the product still means what it is, also in further ones."""
    x, y, z = (wide(sort, stem) for stem in "xyz")
    facts = facts_of(sort)
    wraps = (lambda n: wrap(sort, n)) if isinstance(sort, IntegerSort) else (lambda n: n)
    a, b, c = (evaluate(t, facts) for t in (x, y, z))
    large = by(x, y)

    assert large is by(y, x)
    assert len(script([eq(large, z)])) < 3000
    assert evaluate(large, facts) == wraps(a * b)
    for built, expected in (
        (by(large, z), a * b * c),
        (by(z, large), a * b * c),
        (by(large, large), a * b * a * b),
        (by(plus(large, z), large), (a * b + c) * a * b),
        (plus(large, large), 2 * a * b),
    ):
        assert evaluate(built, facts) == wraps(expected)


@every_ring
def test_what_has_one_addend_is_multiplied_out(sort: Sort) -> None:
    """A number or a product of symbols is distributed over a sum of any size: a number is no factor of a monomial."""
    many = wide(sort, "x", _MANY + 1)
    y, z = Symbol("y0", (), sort)(), Symbol("z0", (), sort)()
    zero, one, two = (number(n, sort) if sort in (INT, REAL) else literal(n, sort) for n in range(3))
    facts = facts_of(sort)
    wraps = (lambda n: wrap(sort, n)) if isinstance(sort, IntegerSort) else (lambda n: n)

    assert by(zero, many) is zero
    assert by(many, one) is many
    assert by(many, two) is plus(many, many)
    assert by(by(many, two), y) is by(many, plus(y, y)) is by(two, by(y, many))
    assert evaluate(by(by(by(many, two), y), z), facts) == wraps(
        2 * evaluate(many, facts) * facts[Symbol("y0", (), sort)] * facts[Symbol("z0", (), sort)]
    )


@every_ring
def test_substitution_into_large_products(sort: Sort) -> None:
    """A product that was left as factors is multiplied out when a substitution makes it small."""
    v = placeholder(sort)
    x, y = wide(sort, "x"), wide(sort, "y")
    three = number(3, sort) if sort in (INT, REAL) else literal(3, sort)
    large = by(plus(x, v), y)
    minus_x = scale(-1, x) if sort in (INT, REAL) else element("neg", x)

    assert substitute(large, {v: plus(minus_x, three)}) is by(three, y)
    assert substitute(large, {v: minus_x}) is (number(0, sort) if sort in (INT, REAL) else literal(0, sort))
    assert rebuild(large, large.args) is large


def test_many_machine_addends() -> None:
    """A sum of machine integers may have hundreds of addends."""
    sort = INTEGERS[0]
    whole = wide(sort, "x", 300)

    assert element("sub", whole, wide(sort, "x", 299)) is Symbol("x299", (), sort)()
    assert element("sub", whole, whole) is literal(0, sort)


def test_integers_are_not_reals() -> None:
    """A polynomial keeps its sort when all that is left of it is a number."""
    a, u = Symbol("a", (), INT)(), Symbol("u", (), REAL)()

    assert sub(add(a, integer(2)), a) is integer(2)
    assert sub(add(u, literal(Fraction(1, 2), REAL)), u) is literal(Fraction(1, 2), REAL)
    assert times(scale(0, u), u) is literal(Fraction(0), REAL)
