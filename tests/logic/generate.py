"""Random closed formulas over a few free symbols, and the small interpretations that they are tried on.

Loaded by conftest.py: the tests are no package. Everything depends on the given `random.Random` alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from sonnx_verify.logic.sorts import BOOL, INDEX, INT, INTEGERS, REAL, Sort
from sonnx_verify.logic.terms import (
    ONE,
    Symbol,
    Term,
    add,
    and_,
    at,
    div,
    eq,
    forall,
    forall_index,
    index,
    integer,
    ite,
    le,
    lt,
    mod,
    not_,
    or_,
    sub,
    subterms,
    with_copy,
)
from tests.logic.built import exists, fold

A, B = Symbol("a", (), INT), Symbol("b", (), INT)
F, G = Symbol("f", (INT,), INT), Symbol("g", (INT, INT), INT)
P = Symbol("p", (INT,), BOOL)
PLACE, H = Symbol("i", (), INDEX), Symbol("h", (INDEX,), INT)
NUMBERS = range(-1, 3)
INDICES = ((), (1,), (2,), (0, 1), (1, 1), (-1,), (0, 0, 1))
FRACTIONS = tuple(Fraction(n, 2) for n in (-4, -1, 0, 0, 1, 2, 3))
BYTE = INTEGERS[0]
BYTES = (-128, -100, -1, 0, 0, 1, 2, 100, 127)

Body = Callable[[Term], Term]


def reversed_order(x: Term, y: Term) -> Term:
    """The order that makes `greatest` the least."""
    return le(y, x)


class Formulas:
    """Draws formulas. `depth` bounds how deep connectives nest, `quantifiers` how deep binders do."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    # ------------------------------------------------------------------------------------------------- free drawing

    def low(self, scope: tuple[Term, ...]) -> Term:
        return self.rng.choice([integer(-1), integer(0), integer(0), integer(1), A(), *scope[-1:]])

    def high(self, scope: tuple[Term, ...]) -> Term:
        return self.rng.choice([integer(0), integer(1), integer(2), integer(2), A(), B(), B(), *scope[-1:]])

    def number(self, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        draw = self.rng.randrange
        if depth <= 0 or draw(4) == 0:
            return self.rng.choice([integer(draw(-1, 3)), A(), B(), *scope, *scope])

        def smaller() -> Term:
            return self.number(depth - 1, quantifiers, scope)

        match draw(11):
            case 0 | 1:
                return F(smaller())
            case 2:
                return G(smaller(), smaller())
            case 3 | 4:
                return add(smaller(), smaller())
            case 5:
                return sub(smaller(), smaller())
            case 6:
                return ite(self.formula(depth - 1, quantifiers - 1, scope), smaller(), smaller())
            case 7:
                return self.rng.choice([div, mod])(smaller(), integer(self.rng.choice([2, 3, -2])))
            case 8:
                position = self.position(depth - 1, quantifiers, scope)
                return at(position, smaller()) if draw(2) else H(position)
            case _ if quantifiers > 0:
                return self.fold(depth - 1, quantifiers - 1, scope)
            case _:
                return F(smaller())

    def position(self, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        if quantifiers <= 0 or self.rng.randrange(3) == 0:
            return PLACE()
        rank = self.rng.choice([integer(1), integer(2), A()])
        return index(rank, lambda k: self.number(depth - 1, quantifiers - 1, (*scope, k)))

    def fold(self, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        name = self.rng.choice(["greatest", "greatest", "the", "sum"])
        otherwise = self.number(depth - 1, 0, scope) if name != "sum" and self.rng.randrange(2) else None
        return fold(
            name,
            self.low(scope),
            self.high(scope),
            lambda k: self.formula(depth, quantifiers, (*scope, k)),
            lambda k: self.number(depth, quantifiers, (*scope, k)),
            self.rng.choice([le, reversed_order]),
            otherwise,
        )

    def atom(self, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        def number() -> Term:
            return self.number(depth, quantifiers, scope)

        match self.rng.randrange(8):
            case 0 | 1:
                return P(number())
            case 2 | 3:
                return eq(number(), number())
            case 4 if quantifiers > 0:
                return eq(self.position(depth, quantifiers, scope), PLACE())
            case 5:
                return lt(number(), number())
            case _:
                return le(number(), number())

    def formula(self, depth: int, quantifiers: int, scope: tuple[Term, ...] = ()) -> Term:
        draw = self.rng.randrange
        if depth <= 0:
            return self.atom(depth, quantifiers, scope)

        def smaller() -> Term:
            return self.formula(depth - 1, quantifiers, scope)

        match draw(12):
            case 0 | 1:
                return and_(smaller(), smaller())
            case 2 | 3:
                return or_(smaller(), smaller())
            case 4:
                return not_(smaller())
            case 5:
                return eq(smaller(), smaller())
            case 6 | 7 | 8 | 9 if quantifiers > 0:
                return self.quantified(depth, quantifiers, scope)
            case _:
                return self.atom(depth, quantifiers, scope)

    def quantified(self, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        def body(k: Term) -> Term:
            return self.formula(depth - 1, quantifiers - 1, (*scope, k))

        match self.rng.randrange(5):
            case 0 | 1:
                return forall(self.low(scope), self.high(scope), body)
            case 2 | 3:
                return exists(self.low(scope), self.high(scope), body)
            case _:
                return self.over_indices(lambda i: or_(body(at(i, integer(0))), eq(H(i), H(PLACE()))))

    def over_indices(self, body: Body) -> Term:
        rank = self.rng.choice([integer(0), integer(1), integer(2), A()])
        size = self.rng.choice([lambda k: integer(2), lambda k: B(), lambda k: F(k)])
        return forall_index(rank, size, body)

    # ---------------------------------------------------------------------------------- schemas and their near misses

    def property_of(self, quantifiers: int = 1) -> Body:
        """A condition of one integer, the same at each call."""
        seed = self.rng.getrandbits(32)
        return lambda k: type(self)(random.Random(seed)).formula(2, quantifiers, (k,))

    def value_of(self, quantifiers: int = 1) -> Body:
        """A number that depends on one integer, the same at each call."""
        seed = self.rng.getrandbits(32)
        return lambda k: type(self)(random.Random(seed)).number(2, quantifiers, (k,))

    def usually(self, term: Term) -> Term:
        """The term, or now and then a near miss of it: that is what makes a law false."""
        match self.rng.randrange(8):
            case 0:
                return add(term, ONE) if term.sort == INT else not_(term)
            case 1:
                return sub(term, ONE) if term.sort == INT else or_(term, P(A()))
            case _:
                return term

    def range(self) -> tuple[Term, Term]:
        return self.low(()), self.high(())

    def in_range(self, low: Term, high: Term, k: Term) -> Term:
        return self.usually(and_(le(low, k), le(k, high)))

    def instance(self) -> Term:
        """A quantifier, and a name that breaks it."""
        (low, high), holds, name = self.range(), self.property_of(), self.number(1, 0, ())
        return and_(forall(low, high, holds), self.in_range(low, high, name), not_(holds(self.usually(name))))

    def alternation(self) -> Term:
        """For all x some y, against some x for all y."""
        (low, high), (first, last) = self.range(), self.range()
        seed = self.rng.getrandbits(32)

        def related(x: Term, y: Term) -> Term:
            return type(self)(random.Random(seed)).formula(2, 0, (x, y))

        top = self.usually(last)
        return and_(
            forall(low, high, lambda x: exists(first, last, lambda y: related(x, y))),
            exists(low, high, lambda x: forall(first, top, lambda y: not_(related(x, y)))),
        )

    def swapped(self) -> Term:
        """Some y for all x gives for all x some y; the converse is the near miss."""
        (low, high), (first, last) = self.range(), self.range()
        one = exists(first, last, lambda y: forall(low, high, lambda x: le(G(x, y), F(y))))
        each = forall(low, high, lambda x: exists(first, last, lambda y: le(G(x, y), F(y))))
        return and_(each, not_(one)) if self.rng.randrange(4) == 0 else and_(one, not_(each))

    def fold_bound(self) -> Term:
        """A member of a set that is beyond its greatest member."""
        (low, high), chosen, value, name = self.range(), self.property_of(), self.value_of(), self.number(1, 0, ())
        order = self.rng.choice([le, reversed_order])
        best = fold("greatest", low, high, chosen, value, order)
        return and_(self.in_range(low, high, name), chosen(self.usually(name)), not_(order(value(name), best)))

    def fold_member(self) -> Term:
        """A fold of a set that has members and is none of their values."""
        (low, high), chosen, value = self.range(), self.property_of(0), self.value_of(0)
        name = self.rng.choice(["greatest", "the"])
        taken = fold(name, low, high, chosen, value, otherwise=self.rng.choice([None, A()]))
        some = self.usually(exists(low, high, chosen))
        return and_(some, forall(low, high, lambda k: or_(not_(chosen(k)), not_(eq(value(k), taken)))))

    def fold_else(self) -> Term:
        """A fold of an empty set that is not its else value."""
        (low, high), chosen, value = self.range(), self.property_of(), self.value_of(0)
        name = self.rng.choice(["greatest", "the"])
        taken = fold(name, low, high, chosen, value, otherwise=B())
        empty = self.usually(forall(low, high, lambda k: not_(chosen(k))))
        return and_(empty, not_(eq(taken, self.usually(B()))))

    def congruence(self) -> Term:
        """Folds of sets that are the same by a hypothesis, with different values."""
        (low, high), chosen, value = self.range(), self.property_of(), self.value_of()
        name, order = self.rng.choice(["greatest", "the"]), self.rng.choice([le, reversed_order])
        other = self.rng.choice([chosen, self.property_of(0)])
        same = forall(low, self.usually(high), lambda k: eq(chosen(k), other(k)))
        some = self.usually(exists(low, high, chosen))
        one = fold(name, low, high, chosen, value, order)
        two = fold(name, low, high, other, value, order)
        return and_(same, some, not_(eq(one, self.usually(with_copy(two, self.rng.randrange(2))))))

    def longer_sum(self) -> Term:
        """A sum with one addend more, that is not the sum of both."""
        (low, high), chosen, value = self.range(), self.property_of(0), self.value_of(0)
        last = add(high, ONE)
        less, more = (fold("sum", low, top, chosen, value) for top in (high, last))
        step = ite(and_(chosen(last), le(low, last)), value(self.usually(last)), integer(0))
        return not_(eq(more, add(less, step)))

    def negative_sum(self) -> Term:
        """A sum below 0 without an addend below 0."""
        (low, high), chosen, value = self.range(), self.property_of(), self.value_of(0)
        total = fold("sum", low, high, chosen, value)
        none = forall(low, self.usually(high), lambda k: or_(not_(chosen(k)), le(integer(0), value(k))))
        return and_(none, lt(total, integer(0)))

    def extensional(self) -> Term:
        """Two indices with the same coordinates, read differently."""
        (_, high), value = self.range(), self.value_of(0)
        other = self.rng.choice([value, self.value_of(0)])
        one, two = index(high, value), self.usually_index(high, other)
        same = forall(integer(0), sub(high, ONE), lambda k: eq(value(k), other(k)))
        return and_(same, not_(eq(H(one), H(two))))

    def usually_index(self, rank: Term, value: Body) -> Term:
        return index(self.usually(rank), lambda k: value(k))

    def index_read(self) -> Term:
        """A coordinate of an index literal that is not what is written."""
        (_, high), value, axis = self.range(), self.value_of(0), self.number(1, 0, ())
        inside = self.usually(and_(le(integer(0), axis), lt(axis, high)))
        one = index(high, value)
        return and_(inside, eq(one, PLACE()), not_(eq(at(PLACE(), axis), value(self.usually(axis)))))

    def index_instance(self) -> Term:
        """A law of all indices of a shape, and an index of it that breaks it."""
        rank, size = self.rng.choice([integer(1), integer(2)]), self.high(())
        bound = self.number(1, 0, ())
        law = forall_index(rank, lambda k: size, lambda i: le(H(i), bound))
        within = forall(integer(0), self.usually(sub(rank, ONE)), lambda k: le(integer(0), at(PLACE(), k)))
        below = forall(integer(0), sub(rank, ONE), lambda k: lt(at(PLACE(), k), self.usually(size)))
        flat = forall(rank, integer(3), lambda k: eq(at(PLACE(), k), integer(0)))
        read = H(index(rank, lambda k: at(PLACE(), k)))
        return and_(law, within, below, flat, lt(bound, self.usually(read)))

    def contradiction(self) -> Term:
        """A formula, and the negation of something that follows from it."""
        one, two = self.formula(3, 2), self.formula(2, 1)
        return and_(one, not_(or_(self.usually(one), two)))

    def schemas(self) -> tuple[Callable[[], Term], ...]:
        """What `closed` chooses from."""
        return (
            self.instance,
            self.alternation,
            self.swapped,
            self.fold_bound,
            self.fold_member,
            self.fold_else,
            self.congruence,
            self.longer_sum,
            self.negative_sum,
            self.extensional,
            self.index_read,
            self.index_instance,
            self.contradiction,
            lambda: self.formula(3, 3),
            lambda: self.formula(4, 3),
        )

    def closed(self) -> Term:
        """A closed formula: a schema, alone or joined to others, or one without a plan."""
        schemas = self.schemas()
        made: Term = self.rng.choice(schemas)()
        match self.rng.randrange(8):
            case 0:
                made = or_(made, self.rng.choice(schemas)())
            case 1 | 2:
                made = and_(made, self.formula(3, 2))
            case 3:
                made = with_copy(made, 1)
        return made


# ------------------------------------------------------------------------------------------------------ interpretations


class Table(dict[Any, Any]):
    """A function with a default value outside the pairs that are written down."""

    def __init__(self, pairs: Mapping[Any, Any], default: Any) -> None:
        super().__init__(pairs)
        self.default = default

    def __call__(self, *args: Any) -> Any:
        return self.get(args[0] if len(args) == 1 else args, self.default)


def symbols_of(term: Term) -> list[Symbol]:
    """The free symbols of a term, by name."""
    found = {n.payload for n in subterms(term) if n.op == "apply" and isinstance(n.payload, Symbol)}
    return sorted(found, key=lambda s: s.name)


def _values(sort: Sort) -> tuple[Any, ...]:
    return {BOOL: (False, True), INT: tuple(NUMBERS), INDEX: INDICES, REAL: FRACTIONS, BYTE: BYTES}[sort]


def meaning(symbol: Symbol, rng: random.Random) -> Any:
    """A value, or a function."""
    values = _values(symbol.result)
    if not symbol.arguments:
        return rng.choice(values)
    default = rng.choice(values)
    if rng.randrange(4) == 0:
        return Table({}, default)
    domain = product(*(_values(s) for s in symbol.arguments))
    return Table({(k[0] if len(k) == 1 else k): rng.choice(values) for k in domain}, default)


def interpretations(symbols: list[Symbol], rng: random.Random, limit: int) -> Iterator[dict[Symbol, Any]]:
    """All meanings of the constants with constant functions, then `limit` random ones."""
    constants = [s for s in symbols if not s.arguments]
    functions = [s for s in symbols if s.arguments]
    for values in product(*(_values(s.result) for s in constants)):
        flat = {s: Table({}, rng.choice(_values(s.result))) for s in functions}
        yield {**dict(zip(constants, values, strict=True)), **flat}
    for _ in range(limit):
        yield {s: meaning(s, rng) for s in symbols}
