"""Each simplification of a builder keeps the meaning: the term it makes is equal to the node that it stands for.

The node is made by `nodes.make` from the same operands and is not simplified. Both solvers are asked whether the two
can differ; binders, that solvers do not read, are evaluated. A slip in a rule is seen by one or the other.
"""

from __future__ import annotations

import inspect
import random
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import count, product
from types import ModuleType

import pytest

from sonnx_verify.logic import binders, bits, builders, elements, polynomials
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.nodes import make
from sonnx_verify.logic.operators import GROUPS, Group, Op
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.sorts import BOOL, FLOATS, INDEX, INT, INTEGERS, REAL, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import FALSE, TRUE, ZERO, Symbol, Term, integer, literal
from sonnx_verify.solving.solvers import Solvers

UNSAT = {"z3": "unsat", "cvc5": "unsat"}
BYTE, UNSIGNED = INTEGERS[0], INTEGERS[4]
SORTS = (BOOL, INT, REAL, BYTE, UNSIGNED)
_RUNS = count()
Pair = tuple[Term, Term]
"""A node as it was made, and what the builder makes of the same operands."""


def raw(op: Op, sort: Sort, *args: Term) -> Term:
    """The node itself."""
    return make(op, args, sort)


class Operands:
    """Random operands of each sort, over a few symbols that no other run has: builders remember what they made."""

    def __init__(self, seed: int) -> None:
        self.random, self._run = random.Random(seed), next(_RUNS)

    def literals(self, sort: Sort) -> list[Term]:
        """The values at which rules do something of their own."""
        match sort:
            case IntegerSort():
                return [literal(v, sort) for v in {sort.lowest, 0, 1, 2, sort.greatest, max(sort.lowest, -1)}]
            case _ if sort == BOOL:
                return [TRUE, FALSE]
            case _ if sort == REAL:
                return [literal(Fraction(n, d), REAL) for n, d in ((0, 1), (1, 1), (-1, 1), (3, 2), (-5, 3))]
            case _:
                return [integer(n) for n in (-3, -1, 0, 1, 2, 7)]

    def leaf(self, sort: Sort) -> Term:
        """A symbol, or a value."""
        if self.random.random() < 0.3:
            return self.random.choice(self.literals(sort))
        return Symbol(f"{sort}{self._run}{self.random.choice('abc')}", (), sort)()

    def term(self, sort: Sort, depth: int = 2) -> Term:
        """A term that builders made."""
        if not depth or self.random.random() < 0.3:
            return self.leaf(sort)
        return self.random.choice(list(self.pairs(sort, depth)))[1]

    def pairs(self, sort: Sort, depth: int = 2) -> Iterator[Pair]:
        """The node and the built term of each operator of a sort, on random operands."""

        def some(wanted: Sort) -> Term:
            return self.term(wanted, depth - 1)

        condition, x, y = some(BOOL), some(sort), some(sort)
        if self.random.random() < 0.3:
            y = x
        yield raw(Op.ITE, sort, condition, x, y), builders.ite(condition, x, y)
        match sort:
            case IntegerSort():
                for op in (Op.ADD, Op.SUB, Op.MUL):
                    yield raw(op, sort, x, y), elements.element(op, x, y)
                yield raw(Op.NEG, sort, x), elements.element(Op.NEG, x)
                other = UNSIGNED if sort == BYTE else INTEGERS[1]
                narrow = bits.resized(some(sort), other)
                yield raw(Op.RESIZED, sort, narrow), bits.resized(narrow, sort)
            case _ if sort in (INT, REAL):
                yield raw(Op.PLUS, sort, x, y), polynomials.add(x, y)
                yield raw(Op.PLUS, sort, x, raw(Op.TIMES, sort, self._minus(sort), y)), polynomials.sub(x, y)
                yield raw(Op.TIMES, sort, x, y), polynomials.times(x, y)
                plus, minus = polynomials.add(x, y), polynomials.sub(x, y)
                yield raw(Op.TIMES, sort, plus, minus), polynomials.times(plus, minus)
                if sort == INT:
                    divisor = self.random.choice([integer(n) for n in (-3, -1, 1, 2, 5)])
                    yield raw(Op.DIV, INT, x, divisor), polynomials.div(x, divisor)
                    yield raw(Op.MOD, INT, x, divisor), polynomials.mod(x, divisor)
                    real = some(REAL)
                    yield raw(Op.FLOOR, INT, real), elements.floor(real)
                else:
                    whole = some(INT)
                    yield raw(Op.TO_REAL, REAL, whole), elements.to_real(whole)
                    by = literal(self.random.choice([Fraction(n, d) for n, d in ((-3, 1), (1, 2), (5, 7))]), REAL)
                    yield raw(Op.QUOTIENT, REAL, x, by), polynomials.quotient(x, by)
            case _:
                yield raw(Op.NOT, BOOL, x), builders.not_(x)
                more = (x, y, some(BOOL), builders.not_(x) if self.random.random() < 0.3 else y)
                yield raw(Op.AND, BOOL, *more), builders.and_(*more)
                yield raw(Op.OR, BOOL, *more), builders.or_(*more)
                yield raw(Op.OR, BOOL, raw(Op.NOT, BOOL, x), y), builders.implies(x, y)
                for compared in SORTS:
                    a, b = some(compared), some(compared)
                    yield raw(Op.EQUAL, BOOL, a, b), builders.eq(a, b)
                    if compared != BOOL:
                        yield raw(Op.AT_MOST, BOOL, a, b), builders.le(a, b)
                        yield raw(Op.LESS, BOOL, a, b), builders.lt(a, b)

    def _minus(self, sort: Sort) -> Term:
        return literal(Fraction(-1), REAL) if sort == REAL else integer(-1)


def differ(pairs: Sequence[Pair]) -> Term:
    """That some node is another than the built term. Nothing in this is simplified."""
    apart = [raw(Op.NOT, BOOL, raw(Op.EQUAL, BOOL, one, other)) for one, other in pairs]
    return reduce(lambda a, b: raw(Op.OR, BOOL, a, b), apart)


def pairs_of(seed: int, sort: Sort, rounds: int = 4) -> list[Pair]:
    """Pairs of one sort, and of wider integers that lose bits on the way."""
    operands = Operands(seed)
    found = [pair for _ in range(rounds) for pair in operands.pairs(sort)]
    if sort == BYTE:
        wide = operands.leaf(INTEGERS[1])
        narrow = bits.resized(wide, BYTE)
        found.append((raw(Op.RESIZED, INTEGERS[1], narrow), bits.resized(narrow, INTEGERS[1])))
    return found


# A product of bytes takes both solvers half a minute.
LONG = (2, UNSIGNED)
DRAWN = [
    pytest.param(seed, sort, marks=[pytest.mark.soak] * ((seed, sort) == LONG), id=f"{seed}-{sort}")
    for seed, sort in product(range(4), SORTS)
]


@pytest.mark.parametrize(("seed", "sort"), DRAWN)
def test_what_builders_make_is_equal_to_the_node(sort: Sort, seed: int, solvers: Solvers) -> None:
    """For both solvers no value of the symbols tells the two apart."""
    found = pairs_of(seed, sort)
    answers = {n: a.status for n, a in solvers.submit(script([differ(found)])).result().items()}
    if answers != UNSAT:
        for one, other in found:
            alone = solvers.submit(script([differ([(one, other)])])).result()
            assert {n: a.status for n, a in alone.items()} == UNSAT, (one, other)


def test_every_builder_that_simplifies_is_tried() -> None:
    """Whatever `rebuild` has a builder for is among the pairs here, or below; the functions of reals, and the places of
    floats, which no solver has, are in test_algebraic.py and test_float_operations.py."""
    tried = {one.op for sort in SORTS for seed in range(4) for one, _ in pairs_of(seed, sort)}

    assert set(binders._BUILDERS) - tried == {Op.TO_INT, Op.WRAPPED, Op.AT, Op.REAL_FUNCTION, Op.ORDINAL}


# --------------------------------------------------------------------------- what solvers do not read: by the evaluator

N, M = Symbol("rewrites.n", (), INT), Symbol("rewrites.m", (), INT)
F, P = Symbol("rewrites.f", (INT,), INT), Symbol("rewrites.p", (INT,), BOOL)
I = Symbol("rewrites.i", (), INDEX)  # noqa: E741 - an index
FACTS = [
    {N: n, M: m, F: lambda k, n=n: (k * k - n) % 5 - 2, P: lambda k, m=m: (k + m) % 2 == 0, I: i}
    for n, m, i in product((-1, 0, 2, 3), (-2, 0, 3), ((), (1,), (0, 2)))
]
K = make(Op.VARIABLE, (), INT, 7)


def bound_pairs() -> Iterator[Pair]:
    """Quantifiers over few numbers, comparisons that a range decides, coordinates, conversions of values."""
    bodies = [builders.le(F(K), N()), builders.or_(P(K), builders.lt(K, M())), builders.le(ZERO, K), TRUE, FALSE]
    bodies += [builders.le(K, N()), builders.lt(N(), K), builders.or_(P(K), builders.le(polynomials.sub(N(), K), ZERO))]
    ends = [(integer(0), integer(2)), (integer(1), integer(0)), (ZERO, N()), (N(), M()), (M(), integer(2))]
    variable = make(Op.VARIABLE, (), INT, 1)
    for (low, high), body in product(ends, bodies):
        closed = binders.substitute(body, {K: variable})
        yield raw(Op.FORALL, BOOL, variable, low, high, closed), binders.bind_forall(low, high, K, body)
    for rank, axis in product((ZERO, integer(2), N()), (ZERO, integer(1), M())):
        listed = raw(Op.INDEX, INDEX, variable, rank, F(variable))
        yield raw(Op.AT, INT, listed, axis), binders.at(listed, axis)
        chosen = raw(Op.ITE, INDEX, P(M()), listed, I())
        yield raw(Op.AT, INT, chosen, axis), binders.at(chosen, axis)
    for sort in (BYTE, UNSIGNED):
        for value in (sort.lowest, 0, sort.greatest):
            yield raw(Op.TO_INT, INT, literal(value, sort)), elements.to_int(literal(value, sort))
        for number in (integer(-300), integer(128), integer(5), F(N())):
            yield raw(Op.WRAPPED, sort, number), elements.wrapped(number, sort)
        small = elements.wrapped(N(), sort)
        yield raw(Op.WRAPPED, sort, raw(Op.TO_INT, INT, small)), elements.wrapped(elements.to_int(small), sort)
    for float_sort in FLOATS:
        for fraction in (Fraction(1, 3), Fraction(10**6), Fraction(-1, 10**9)):
            exact = literal(fraction, REAL)
            yield raw(Op.ROUNDED, float_sort, exact), elements.rounded(exact, float_sort)


def evaluated_apart() -> list[Pair]:
    """The pairs that differ on some of the interpretations."""
    return [
        (one, other)
        for one, other in bound_pairs()
        if any(evaluate(one, dict(facts)) != evaluate(other, dict(facts)) for facts in FACTS)
    ]


def test_binders_and_conversions_are_equal_to_the_node() -> None:
    """On every small interpretation the evaluator gives both one value."""
    assert evaluated_apart() == []


def test_elements_of_floats_are_not_simplified() -> None:
    """Rounded arithmetic has no rules: each operation is its node."""
    for sort in FLOATS:
        assert isinstance(sort, FloatSort)
        x, y = (Symbol(f"rewrites.{sort}.{name}", (), sort)() for name in "xy")
        for op in sorted(GROUPS[Group.ELEMENT]):
            args = (x,) if op == Op.NEG else (x, y)
            assert elements.element(op, *args) is raw(op, sort, *args)


# ---------------------------------------------------------------------------------------------------------- wrong rules

SLIPS: list[tuple[ModuleType, str, str, str]] = [
    (builders, "_junction", "return absorbing", "return unit"),
    (builders, "_at_most", "boolean(constant >= 0)", "boolean(constant > 0)"),
    (builders, "_comparison", "max(-constant, 0)", "max(constant, 0)"),
    (polynomials, "multiplied", "made.get(monomial, 0) + n * m", "n * m"),
    (polynomials, "from_linear", "if constant or not parts:", "if not parts:"),
    (elements, "_modulo", "(value - sort.lowest) % (1 << sort.width) + sort.lowest",
     "max(sort.lowest, min(sort.greatest, value))"),
    (elements, "_negative", "-coefficient", "coefficient"),
    (bits, "resized", "a.sort.width >= sort.width", "True"),
    (binders, "within", "(integer_of(slack) >= 0) is holds", "(integer_of(slack) >= 0) is not holds"),
    (binders, "at", "le(ZERO, axis), lt(axis, rank)", "le(ZERO, axis), le(axis, rank)"),
]  # fmt: skip  # a table


@pytest.mark.parametrize(("module", "name", "old", "new"), SLIPS, ids=[slip[1] for slip in SLIPS])
def test_a_wrong_rule_is_seen(
    module: ModuleType, name: str, old: str, new: str, solvers: Solvers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a slip in its text a rule makes a term that differs from the node."""
    text = textwrap.dedent(inspect.getsource(getattr(module, name)))
    assert text.count(old) == 1
    space = dict(vars(module))
    exec("from __future__ import annotations\n" + text.replace(old, new), space)
    forget()
    monkeypatch.setattr(module, name, space[name])
    try:
        assert evaluated_apart() or any(seen(pairs_of(seed, sort), solvers) for seed, sort in product(range(4), SORTS))
    finally:
        monkeypatch.undo()
        forget()


def seen(pairs: list[Pair], solvers: Solvers) -> bool:
    """Whether a solver tells some node from the built term."""
    return "unsat" not in {a.status for a in solvers.submit(script([differ(pairs)])).result().values()}


def forget() -> None:
    """What builders made with another rule is not taken for what they make."""
    for name, module in list(sys.modules.items()):
        if name.startswith("sonnx_verify.logic"):
            for value in list(vars(module).values()):
                clear: Callable[[], None] | None = getattr(value, "cache_clear", None)
                if clear is not None:
                    clear()
    binders._MEMOS.clear()
