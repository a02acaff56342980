"""Random formulas in which sums, products, counts, positions, recursions and conversions stand, of all sorts.

Loaded by conftest.py after generate.py, of which this is an extension.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from sonnx_verify.logic.sorts import INDEX, INT, REAL, Sort, state_of
from sonnx_verify.logic.terms import (
    ONE,
    TRUE,
    ZERO,
    Symbol,
    Term,
    add,
    and_,
    at,
    bind_count,
    bind_fold,
    bind_fold_index,
    bind_position,
    element,
    eq,
    forall,
    implies,
    index,
    integer,
    ite,
    le,
    literal,
    lt,
    not_,
    or_,
    placeholder,
    recursion,
    scale,
    state,
    state_at,
    sub,
    times,
    to_int,
    to_real,
    with_copy,
    wrapped,
)
from tests.logic.built import exists

if TYPE_CHECKING:
    from tests.logic.generate import (
        BYTE,
        BYTES,
        FRACTIONS,
        NUMBERS,
        PLACE,
        A,
        B,
        Body,
        F,
        Formulas,
        G,
        H,
        P,
    )
else:  # the name under which conftest.py loads it
    from logic_generate import (
        BYTE,
        BYTES,
        FRACTIONS,
        NUMBERS,
        PLACE,
        A,
        B,
        Body,
        F,
        Formulas,
        G,
        H,
        P,
    )

U, V, UI = Symbol("u", (INT,), REAL), Symbol("v", (INT,), REAL), Symbol("ui", (INDEX,), REAL)
W, WI = Symbol("w", (INT,), BYTE), Symbol("wi", (INDEX,), BYTE)
C, X, Y = Symbol("c", (), INT), Symbol("x", (), REAL), Symbol("y", (), BYTE)
NAMES = ("greatest", "the", "sum", "product", "count")

Relation = Callable[[Term, Term], Term]


def over(name: str, low: Term, high: Term, chosen: Body, value: Body) -> Term:
    """A fold over a range; a count has no value."""
    k = placeholder(INT)
    if name == "count":
        return bind_count(low, high, k, chosen(k))
    return bind_fold(name, low, high, k, chosen(k), value(k), le, None)


def place(low: Term, high: Term, chosen: Body, ordinal: Term) -> Term:
    """The member with so many others before it."""
    k = placeholder(INT)
    return bind_position(low, high, k, chosen(k), ordinal)


def step_by_step(start: int, number: Term, body: Callable[[Term, Term], Term], sort: Sort) -> Term:
    """A recursion."""
    k, below = placeholder(INT), placeholder(sort)
    return recursion(start, number, k, below, body(k, below))


Reads = Callable[[Term, Term], Term]
"""The values of a state, for a member and an index."""


def stateful(
    start: int, number: Term, body: Callable[[Term, Reads, Term, Term], Term], sort: Sort
) -> Callable[[Term, Term], Term]:
    """The values of a recursion that gives a function."""
    k, below, m, i = placeholder(INT), placeholder(state_of(sort)), placeholder(INT), placeholder(INDEX)
    made = state(start, number, (k, below, m, i), body(k, lambda m, i: state_at(below, m, i), m, i))
    return lambda m, i: state_at(made, m, i)


def single(k: Term) -> Term:
    """The index of a vector."""
    return index(ONE, lambda axis: k)


def added(name: str, a: Term, b: Term) -> Term:
    """The sum or product of two terms of any sort that is added up."""
    if a.sort == BYTE:
        return element("mul" if name == "product" else "add", a, b)
    return times(a, b) if name == "product" else add(a, b)


def unit(name: str, sort: Sort) -> Term:
    number = 1 if name == "product" else 0
    return literal(Fraction(number) if sort == REAL else number, sort)


class FoldFormulas(Formulas):
    """Draws formulas with all binders and conversions."""

    # ------------------------------------------------------------------------------------------------- free drawing

    def number(self, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        draw = self.rng.randrange
        if depth <= 0 or draw(3):
            return super().number(depth, quantifiers, scope)

        def smaller() -> Term:
            return self.number(depth - 1, quantifiers, scope)

        match draw(8):
            case 0:
                return to_int(self.byte(depth - 1, quantifiers, scope))
            case 1:
                return times(smaller(), smaller())
            case 2 if quantifiers > 0:
                return self.recursion(INT, depth - 1, quantifiers - 1, scope)
            case 3 if quantifiers > 0:
                return self.place(depth - 1, quantifiers - 1, scope)
            case 4 if quantifiers > 0:
                return self.fold_index(INT, depth - 1, quantifiers - 1, scope)
            case _ if quantifiers > 0:
                return self.added(INT, depth - 1, quantifiers - 1, scope)
            case _:
                return times(F(smaller()), smaller())

    def real(self, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        return self._of(REAL, depth, quantifiers, scope)

    def byte(self, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        return self._of(BYTE, depth, quantifiers, scope)

    def _of(self, sort: Sort, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        """A real or a machine integer."""
        draw = self.rng.randrange
        if depth <= 0:
            values = FRACTIONS if sort == REAL else BYTES
            return self.rng.choice([literal(self.rng.choice(values), sort), X() if sort == REAL else Y()])

        def smaller() -> Term:
            return self._of(sort, depth - 1, quantifiers, scope)

        def read() -> Term:
            return self.number(depth - 1, quantifiers, scope)

        match draw(9):
            case 0 | 1:
                return self.rng.choice([U, V])(read()) if sort == REAL else W(read())
            case 2:
                return added(self.rng.choice(["sum", "product"]), smaller(), smaller())
            case 3:
                return scale(-1, smaller()) if sort == REAL else element("neg", smaller())
            case 4:
                return to_real(read()) if sort == REAL else wrapped(scale(self.rng.choice([1, 70]), read()), BYTE)
            case 5 if quantifiers > 0:
                return self.recursion(sort, depth - 1, quantifiers - 1, scope)
            case 6 if quantifiers > 0:
                return self.fold_index(sort, depth - 1, quantifiers - 1, scope)
            case _ if quantifiers > 0:
                return self.added(sort, depth - 1, quantifiers - 1, scope)
            case _:
                return smaller()

    def value(self, sort: Sort, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        return self.number(depth, quantifiers, scope) if sort == INT else self._of(sort, depth, quantifiers, scope)

    def added(self, sort: Sort, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        return over(
            self.rng.choice(["sum", "product", "count", "count"] if sort == INT else ["sum", "product"]),
            self.low(scope),
            self.high(scope),
            lambda k: self.formula(depth, quantifiers, (*scope, k)),
            lambda k: self.value(sort, depth, quantifiers, (*scope, k)),
        )

    def fold_index(self, sort: Sort, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        name = self.rng.choice(["sum", "product", "greatest", "the"] + ["count"] * (sort == INT))
        rank = self.rng.choice([ZERO, ONE, integer(2), A()])
        size = self.rng.choice([lambda k: integer(2), lambda k: B(), lambda k: F(k)])
        i = placeholder(INDEX)
        inner = (*scope, at(i, ZERO))
        chosen = or_(self.formula(depth, quantifiers, inner), le(H(i), ZERO))
        read = {INT: H(i), REAL: UI(i), BYTE: WI(i)}[sort]
        value = self.rng.choice([read, self.value(sort, depth, quantifiers, inner)])
        otherwise = self.rng.choice([None, self.value(sort, 0, 0, scope)]) if name in ("greatest", "the") else None
        return bind_fold_index(name, rank, size, i, chosen, ONE if name == "count" else value, le, otherwise)

    def place(self, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        def chosen(k: Term) -> Term:
            return or_(P(k), self.formula(depth, quantifiers, (*scope, k)))

        ordinal = self.rng.choice([ZERO, ZERO, ONE, self.number(depth, 0, scope)])
        return place(self.low(scope), self.high(scope), chosen, ordinal)

    def recursion(self, sort: Sort, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        start, number = self.rng.choice([-1, 0, 0, 1]), self.number(depth, quantifiers, scope)
        if self.rng.randrange(2):
            return self.state(sort, start, number, depth, quantifiers, scope)

        def body(k: Term, below: Term) -> Term:
            base, more = (self.value(sort, depth, quantifiers, (*scope, k)) for _ in range(2))
            grown = added(self.rng.choice(["sum", "sum", "product"]), below, more)
            return grown if self.rng.randrange(8) == 0 else ite(eq(k, integer(start)), base, grown)

        return step_by_step(start, number, body, sort)

    def state(
        self, sort: Sort, start: int, number: Term, depth: int, quantifiers: int, scope: tuple[Term, ...]
    ) -> Term:
        """A value of a state whose steps read other values of the one below."""
        draw = self.rng.randrange
        moves = (lambda m: m, lambda m: add(m, ONE), lambda m: sub(ONE, m), lambda m: integer(draw(2)))

        def body(k: Term, below: Reads, m: Term, i: Term) -> Term:
            inner = (*scope, k, m, at(i, ZERO))
            base, more = (self.value(sort, depth, quantifiers, inner) for _ in range(2))
            read = below(self.rng.choice(moves)(m), self.rng.choice([i, single(self.rng.choice(moves)(at(i, ZERO)))]))
            grown = added(self.rng.choice(["sum", "sum", "product"]), read, more)
            return grown if draw(8) == 0 else ite(eq(k, integer(start)), base, grown)

        reads = stateful(start, number, body, sort)
        return reads(self.number(0, 0, scope), single(self.number(0, 0, scope)))

    def atom(self, depth: int, quantifiers: int, scope: tuple[Term, ...]) -> Term:
        if self.rng.randrange(4):
            return super().atom(depth, quantifiers, scope)
        sort = self.rng.choice([REAL, BYTE])
        relations: list[Relation] = [eq, le, lt]
        relation = self.rng.choice(relations)
        return relation(*(self._of(sort, depth, quantifiers, scope) for _ in range(2)))

    # ---------------------------------------------------------------------------------- schemas and their near misses

    def usually(self, term: Term) -> Term:
        if term.sort not in (REAL, BYTE):
            return super().usually(term)
        return added("sum", term, unit("product", term.sort)) if self.rng.randrange(5) == 0 else term

    def any_fold(self, sort: Sort, quantifiers: int = 0) -> tuple[str, Body, Body]:
        """The kind, the condition and the value of something that is added up."""
        name = self.rng.choice(["sum", "product"] + ["count"] * (sort == INT))
        seed = self.rng.getrandbits(32)
        functions: dict[Sort, Body] = {INT: F, REAL: U, BYTE: W}
        simple = functions[sort]

        def drawn(k: Term) -> Term:
            return type(self)(random.Random(seed)).value(sort, 1, quantifiers, (k,))

        conditions: list[Body] = [P, lambda k: TRUE, self.property_of(quantifiers)]
        chosen = self.rng.choice(conditions)
        return name, chosen, lambda k: ONE if name == "count" else (simple if seed % 3 else drawn)(k)

    def any_sort(self) -> Sort:
        return self.rng.choice([INT, INT, REAL, BYTE])

    def one_more(self) -> Term:
        """A fold with one member more, that is not that member added to the fold without it."""
        (low, high), sort = self.range(), self.any_sort()
        name, chosen, value = self.any_fold(sort)
        last = add(high, ONE)
        less, more = (over(name, low, top, chosen, value) for top in (high, last))
        grown = added("sum" if name == "count" else name, less, value(last))
        step = ite(and_(chosen(last), le(low, self.usually(last))), grown, less)
        return not_(eq(more, self.usually(step)))

    def nothing(self) -> Term:
        """A fold of nothing that is not the unit."""
        (low, high), sort = self.range(), self.any_sort()
        name, chosen, value = self.any_fold(sort)
        none = forall(low, self.usually(high), lambda k: not_(chosen(k)))
        empty = self.rng.choice([lt(high, self.usually(low)), none])
        return and_(empty, not_(eq(over(name, low, high, chosen, value), unit(name, sort))))

    def two_counts(self) -> Term:
        """Counts up to two bounds that differ by other numbers than there are members between."""
        chosen, low = self.property_of(0), self.low(())
        first, last = self.high(()), add(self.high(()), integer(self.rng.randint(0, 2)))
        less, more = (over("count", low, top, chosen, chosen) for top in (first, last))
        between = (self.usually(add(first, ONE)), last)
        claim = self.rng.choice(
            [
                le(less, more),
                le(sub(more, less), sub(last, self.usually(first))),
                implies(exists(*between, lambda k: and_(le(low, k), chosen(k))), lt(less, more)),
                implies(lt(less, more), exists(*between, lambda k: and_(le(low, k), chosen(k)))),
                implies(not_(chosen(last)), le(sub(more, less), sub(sub(last, first), ONE))),
                implies(chosen(last), lt(less, more)),
                eq(sub(more, less), over("count", add(first, ONE), last, chosen, chosen)),
            ]
        )
        return and_(self.usually(le(first, last)), self.usually(le(low, add(first, ONE))), not_(claim))

    def bounded_count(self) -> Term:
        """A count that is beyond its range, or less than all of it though all are members."""
        (low, high), chosen = self.range(), self.property_of()
        counted, length = over("count", low, high, chosen, chosen), add(sub(high, low), ONE)
        all_of_them = and_(le(low, high), forall(low, high, chosen), not_(eq(counted, self.usually(length))))
        some_not = and_(exists(low, self.usually(high), lambda k: not_(chosen(k))), le(length, counted))
        return self.rng.choice([and_(le(low, high), lt(length, self.usually(counted))), all_of_them, some_not])

    def signs(self) -> Term:
        """A sum or product with a sign, or a zero, that no member accounts for."""
        (low, high), sort = self.range(), self.rng.choice([INT, REAL, BYTE])
        name, chosen, value = self.any_fold(sort)
        zero, whole = unit("sum", sort), over(name, low, high, chosen, value)
        if sort == BYTE or self.rng.randrange(2):
            has_zero = exists(low, self.usually(high), lambda k: and_(chosen(k), eq(value(k), zero)))
            return self.rng.choice([and_(has_zero, not_(eq(whole, zero))), and_(not_(has_zero), eq(whole, zero))])
        none = forall(low, self.usually(high), lambda k: implies(chosen(k), le(zero, value(k))))
        return and_(none, lt(whole, zero))

    def alike(self) -> Term:
        """Folds over what is the same by a hypothesis, with different values."""
        (low, high), sort = self.range(), self.any_sort()
        name = self.rng.choice([n for n in NAMES if n != "count" or sort == INT])
        _, chosen, value = self.any_fold(sort)
        _, other, another = self.any_fold(sort)
        same = forall(low, self.usually(high), lambda k: eq(chosen(k), other(k)))
        equal = forall(low, high, lambda k: implies(chosen(k), eq(self.usually(value(k)), another(k))))
        some = TRUE if name in ("sum", "product", "count") else self.usually(exists(low, high, chosen))
        one, two = over(name, low, high, chosen, value), over(name, low, high, other, another)
        copies = self.rng.randrange(2)
        return and_(same, equal, some, not_(eq(one, self.usually(with_copy(two, copies)))))

    def ordered_sums(self) -> Term:
        """Two sums, and something that is said of their addends and of them, that need not go together."""
        (low, high), sort = self.range(), self.rng.choice([INT, REAL, REAL])
        ours: Body = U if sort == REAL else F
        theirs: Body = V if sort == REAL else lambda k: G(k, k)
        conditions: list[Body] = [P, lambda k: TRUE]
        chosen = self.rng.choice(conditions)
        claims: tuple[Relation, ...] = (eq, le, lt, lambda a, b: le(scale(-1, a), b), lambda a, b: le(a, scale(-1, b)))
        one, two = (self.rng.choice(claims) for _ in range(2))
        law = forall(low, self.usually(high), lambda k: or_(one(ours(k), theirs(k)), two(ours(k), theirs(k))))
        c, d = (over("sum", low, high, chosen, v) for v in (ours, theirs))
        return and_(law, not_(self.rng.choice(claims)(c, d)), not_(self.rng.choice(claims)(c, d)))

    def positions(self) -> Term:
        """Positions that are not where the members are."""
        (low, high), chosen, ordinal = self.range(), self.property_of(0), self.number(1, 0, ())
        counted = over("count", low, high, chosen, chosen)
        there = and_(le(ZERO, ordinal), lt(ordinal, self.usually(counted)))
        here = place(low, high, chosen, ordinal)
        following = place(low, high, chosen, add(ordinal, ONE))
        before = over("count", low, sub(here, ONE), chosen, chosen)
        claim = self.rng.choice(
            [
                and_(le(low, here), le(self.usually(here), high)),
                chosen(self.usually(here)),
                eq(self.usually(before), ordinal),
                implies(lt(add(ordinal, ONE), counted), lt(here, self.usually(following))),
                forall(low, sub(self.usually(here), ONE), lambda k: implies(eq(ordinal, ZERO), not_(chosen(k)))),
                eq(here, with_copy(self.usually(here), 1)),
            ]
        )
        return and_(there, not_(claim))

    def recursions(self) -> Term:
        """A recursion that does not do its step, its start, or what another does that has the same steps."""
        start, number, sort = self.rng.choice([-1, 0, 1]), self.number(1, 0, ()), self.any_sort()
        name, _, value = self.any_fold(sort)
        name = "sum" if name == "count" else name
        first = integer(start)

        def body(k: Term, below: Term, read: Body = value) -> Term:
            return ite(eq(k, first), read(k), added(name, below, read(k)))

        whole = step_by_step(start, number, body, sort)
        before = step_by_step(start, sub(number, ONE), body, sort)
        _, _, another = self.any_fold(sort)
        other = step_by_step(start, number, lambda k, below: body(k, below, another), sort)
        same = forall(first, self.usually(number), lambda k: eq(value(k), another(k)))
        grown = added(name, before, self.usually(value(number)))
        return self.rng.choice(
            [
                and_(eq(number, self.usually(first)), not_(eq(whole, value(number)))),
                and_(lt(first, self.usually(number)), not_(eq(whole, grown))),
                and_(le(first, number), not_(eq(whole, over(name, first, number, lambda k: TRUE, value)))),
                and_(le(first, number), same, not_(eq(whole, other))),
            ]
        )

    def states(self) -> Term:
        """A state that does not do its step, or its start, for a member and an index, or for all of them."""
        start, number, sort = self.rng.choice([-1, 0, 1]), self.number(1, 0, ()), self.any_sort()
        name, _, value = self.any_fold(sort)
        name = "sum" if name == "count" else name
        first = integer(start)

        def body(k: Term, below: Reads, m: Term, i: Term) -> Term:
            read = below(add(m, ONE), single(sub(ONE, at(i, ZERO))))
            return ite(eq(k, first), added(name, value(m), value(at(i, ZERO))), added(name, read, value(k)))

        whole, before = (stateful(start, n, body, sort) for n in (number, sub(number, ONE)))
        member, place = self.number(0, 0, ()), self.number(0, 0, ())
        moved = before(add(member, self.usually(ONE)), single(sub(self.usually(ONE), place)))
        begun = added(name, value(self.usually(member)), value(place))
        step = eq(whole(member, single(place)), added(name, moved, self.usually(value(number))))
        return self.rng.choice(
            [
                and_(eq(number, self.usually(first)), not_(eq(whole(member, single(place)), begun))),
                and_(lt(first, self.usually(number)), not_(step)),
                and_(
                    forall(ZERO, ONE, lambda m: eq(before(m, single(place)), value(place))),
                    lt(self.usually(first), number),
                    not_(eq(whole(ZERO, single(sub(ONE, place))), added(name, value(place), value(number)))),
                ),
            ]
        )

    def conversions(self) -> Term:
        """What does not hold between a machine integer and the integer it stands for."""
        number, byte = self.number(2, 1, ()), self.byte(2, 1, ())
        scaled = scale(self.rng.choice([1, 60, 128]), number)
        fits = and_(le(integer(-128), scaled), lt(scaled, self.usually(integer(128))))
        there, turned = to_int(wrapped(scaled, BYTE)), sub(scaled, self.usually(integer(256)))
        return self.rng.choice(
            [
                and_(fits, not_(eq(there, self.usually(scaled)))),
                not_(eq(wrapped(to_int(byte), BYTE), self.usually(byte))),
                lt(integer(self.rng.choice([126, 127])), to_int(byte)),
                and_(le(integer(128), scaled), lt(scaled, integer(384)), not_(eq(there, turned))),
            ]
        )

    def over_shapes(self) -> Term:
        """Folds over the indices of shapes, that are the same, empty, or signed, and are not."""
        sort = self.any_sort()
        read = {INT: H, REAL: UI, BYTE: WI}[sort]
        one, two = (self.fold_index(sort, 1, 1, ()) for _ in range(2))
        rank, size = self.rng.choice([ONE, integer(2)]), self.high(())
        i = placeholder(INDEX)
        whole = bind_fold_index("sum", rank, lambda k: size, i, TRUE, read(i), le, None)
        single = read(index(ONE, lambda k: ZERO))
        return self.rng.choice(
            [
                and_(eq(rank, ONE), eq(size, self.usually(ONE)), not_(eq(whole, single))),
                and_(le(size, self.usually(ZERO)), not_(eq(whole, unit("sum", sort)))),
                not_(eq(one, two)),
                not_(eq(one, self.usually(with_copy(one, 1)))),
            ]
        )

    def schemas(self) -> tuple[Callable[[], Term], ...]:
        return (
            self.one_more,
            self.nothing,
            self.two_counts,
            self.two_counts,
            self.bounded_count,
            self.signs,
            self.alike,
            self.alike,
            self.ordered_sums,
            self.positions,
            self.positions,
            self.recursions,
            self.recursions,
            self.states,
            self.states,
            self.conversions,
            self.over_shapes,
            self.contradiction,
            lambda: self.formula(3, 3),
        )

    # ------------------------------------------------------------------------------------------------- whole models

    def relatives(self) -> list[Term]:
        """Folds, positions or recursions that differ little from each other, so that rules compare them."""
        sort = self.rng.choice([INT, REAL, BYTE])
        choose = self.rng.choice
        low, high = choose([integer(-1), ZERO, ZERO, ZERO, A()]), choose([ONE, integer(2), integer(2), B(), A()])
        lows, highs = (low, low, low, add(low, ONE), B()), (high, high, add(high, ONE), sub(low, ONE), B())
        conditions: list[Body] = [P, lambda k: TRUE, lambda k: not_(P(k)), lambda k: and_(P(k), le(k, B()))]
        some = choose(conditions)
        chosen: list[Body] = [some, some, some, P, lambda k: TRUE]
        reads: dict[Sort, tuple[Body, Body]] = {
            INT: (F, lambda k: G(k, k)),
            REAL: (U, V),
            BYTE: (W, lambda k: element("neg", W(k))),
        }
        read = reads[sort]
        values: list[Body] = [*read, *read, lambda k: added("sum", read[0](k), read[1](k))]
        match self.rng.randrange(7):
            case 6:
                start, number = self.rng.choice([-1, 0, 1]), choose(highs)
                of_state = partial(self.state, sort, start, depth=1, quantifiers=1, scope=())
                seed = self.rng.getrandbits(32)
                drawn_states = []
                for n in (number, choose(highs), sub(number, ONE)):
                    # The same steps to other numbers, and for other members and indices.
                    self.rng.seed(seed)
                    drawn_states.append(of_state(number=n))
                return drawn_states
            case 0:
                ordinals = (ZERO, ONE, self.number(1, 0, ()))
                return [place(choose(lows), choose(highs), choose(chosen), choose(ordinals)) for _ in range(3)]
            case 1:
                start, name = self.rng.choice([-1, 0, 1]), choose(["sum", "product"])

                def body(value: Body, k: Term, below: Term) -> Term:
                    return ite(eq(k, integer(start)), value(k), added(name, below, value(k)))

                numbers = (*highs, sub(highs[0], ONE))
                made = []
                for _ in range(3):
                    number, value = choose(numbers), choose(values)
                    made.append(step_by_step(start, number, partial(body, value), sort))
                return made
            case 2:
                return [self.fold_index(sort, 1, 1, ()) for _ in range(2)]
            case _:
                name = choose(["sum", "sum", "product", "greatest", "the"] + ["count"] * 3 * (sort == INT))
                drawn = [(choose(lows), choose(highs), choose(chosen), choose(values)) for _ in range(3)]
                return [over(name, *parts) for parts in drawn]

    def pinned(self, facts: dict[Symbol, Any]) -> list[Term]:
        """What an interpretation says of the free symbols, at small arguments."""
        made: list[Term] = []
        for symbol in sorted(facts, key=lambda s: s.name):
            meaning = facts[symbol]
            if symbol == PLACE:
                made += [eq(at(PLACE(), integer(k)), integer(n)) for k, n in enumerate((*meaning, 0, 0, 0)[:3])]
            elif not symbol.arguments:
                made.append(same(symbol(), meaning))
            elif symbol.arguments == (INT,):
                made += [same(symbol(integer(n)), meaning(n)) for n in NUMBERS]
            elif symbol.arguments == (INDEX,):
                places = {(): (), (1,): (1,), (0, 1): (0, 1), (1, 1): (1, 1)}
                made += [same(symbol(written(i)), meaning(i)) for i in places]
            elif self.rng.randrange(2):
                made += [same(symbol(integer(n), integer(m)), meaning(n, m)) for n in (0, 1) for m in (0, 1)]
        return made


def written(position: tuple[int, ...]) -> Term:
    """An index that is written out."""
    coordinates = (*position, 0, 0)
    return index(integer(2), lambda k: ite(eq(k, ZERO), integer(coordinates[0]), integer(coordinates[1])))


def same(term: Term, value: Any) -> Term:
    """That the term has the value."""
    return eq(term, literal(Fraction(value) if term.sort == REAL else value, term.sort))
