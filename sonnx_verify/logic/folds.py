"""Folds: what a set of integers, or of indices, gives by an order, by addition, by counting; and recursion.

Every domain is finite by its form: a range, or the indices of a shape. That is what makes their rules sound: of an
infinite set the greatest need not exist, and to say that it is attained would be a contradiction.

Trusted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sonnx_verify.logic.binders import axis_function, bind_forall, bind_forall_index, inside, substitute, within
from sonnx_verify.logic.builders import and_, le, lt, not_
from sonnx_verify.logic.nodes import ONE, TRUE, ZERO, FoldKind, FoldName, Term, integer, make, need, placeholder
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.polynomials import add, sub
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT, REAL, IntegerSort, Sort, StateSort, state_of

Order = Callable[[Term, Term], Term]
CHOSEN = (FoldName.GREATEST, FoldName.THE)
"""Folds whose value is that of a member."""
ADDED = (FoldName.SUM, FoldName.PRODUCT, FoldName.COUNT)
"""Folds that need no member."""
DEEP = 8
"""The number of states of a recursion that evaluators compute as calls of calls; of more the lowest come first."""


@dataclass(frozen=True, slots=True)
class Fold:
    """The parts of a fold. Its domain is a range `low` .. `high`, or the indices of a shape (`rank`, `axis` ->
    `sizes`); of the two the other is None."""

    term: Term
    kind: FoldKind
    variable: Term
    condition: Term
    value: Term
    x: Term
    y: Term
    order: Term
    otherwise: Term | None
    low: Term | None = None
    high: Term | None = None
    rank: Term | None = None
    axis: Term | None = None
    sizes: Term | None = None

    @classmethod
    def of(cls, term: Term) -> Fold:
        """The parts of a term of `fold` or `fold_index`."""
        kind = term.payload
        assert isinstance(kind, FoldKind)
        if term.op == Op.FOLD:
            variable, low, high, condition, value, x, y, order, *rest = term.args
            return cls(term, kind, variable, condition, value, x, y, order, next(iter(rest), None), low, high)
        variable, rank, axis, sizes, condition, value, x, y, order, *rest = term.args
        otherwise = next(iter(rest), None)
        return cls(term, kind, variable, condition, value, x, y, order, otherwise, rank=rank, axis=axis, sizes=sizes)

    def in_domain(self, name: Term) -> Term:
        """The condition that a name is in the domain."""
        if self.low is not None and self.high is not None:
            return and_(le(self.low, name), le(name, self.high))
        assert self.rank is not None
        assert self.axis is not None
        assert self.sizes is not None
        return inside(name, self.rank, self.axis, self.sizes)

    def chosen(self, name: Term) -> Term:
        """The fold's condition, of a name."""
        return substitute(self.condition, {self.variable: name})

    def member(self, name: Term) -> Term:
        """The condition that a name is in the domain and is chosen."""
        return and_(self.in_domain(name), self.chosen(name))

    def value_at(self, name: Term) -> Term:
        """The value of a name."""
        return substitute(self.value, {self.variable: name})

    @property
    def nothing(self) -> Term:
        """The formula that the domain is empty."""
        variable = placeholder(self.variable.sort)
        return self.every(variable, not_(self.chosen(variable)))

    def every(self, variable: Term, body: Term) -> Term:
        """The formula that the body, over the variable, is true of the whole domain."""
        if self.low is not None and self.high is not None:
            return bind_forall(self.low, self.high, variable, body)
        assert self.rank is not None
        assert self.axis is not None
        assert self.sizes is not None
        axis, sizes = self.axis, self.sizes
        return bind_forall_index(self.rank, lambda q: substitute(sizes, {axis: q}), variable, body)

    @property
    def template(self) -> object:
        """A key that folds share which differ only in the upper bound of their range."""
        return (self.kind.name, self.variable, self.low, self.condition, self.value)

    def up_to(self, high: Term) -> Term:
        """The same fold over a range with another upper bound."""
        # No builder: what is simplified could leave the family that the fold is compared with.
        args = (*self.term.args[:2], high, *self.term.args[3:])
        return make(Op.FOLD, args, self.term.sort, self.kind)


def bind_fold(
    name: str, low: Term, high: Term, variable: Term, chosen: Term, value: Term, order: Order, otherwise: Term | None
) -> Term:
    """A fold of a value over the integers in low..high that meet a condition; the variable stands in both.

    `greatest` by the order, `the` only member; the `sum` (0 when empty), the `product` (1 when empty), how many there
    are (`count`). The first two give `otherwise` when the set is empty; without it non-emptiness is the caller's
    obligation, as is uniqueness for `the`.
    """
    need(low.sort == INT and high.sort == INT, "a fold needs a range")
    taken = _named(name)
    if taken in CHOSEN:
        # Sums and counts up to several bounds are found to be one family by their condition and value: what a bound
        # decides would make these differ.
        chosen, value = (within(t, variable, low, high) for t in (chosen, value))
    variable, rest = _closed(taken, variable, chosen, value, order, otherwise)
    return make(Op.FOLD, (variable, low, high, *rest), _sort(taken, value), FoldKind(taken, otherwise is not None))


def bind_fold_index(
    name: str,
    rank: Term,
    dim: Callable[[Term], Term],
    variable: Term,
    chosen: Term,
    value: Term,
    order: Order,
    otherwise: Term | None,
) -> Term:
    """A fold over the indices of a shape, as `forall_index` has it; the variable stands in the condition and body."""
    need(rank.sort == INT and variable.sort == INDEX, "a fold over indices needs a rank and an index")
    taken = _named(name)
    need(taken != FoldName.POSITION, "indices have no positions: they are not in a row")
    axis, sizes = axis_function(dim)
    variable, rest = _closed(taken, variable, chosen, value, order, otherwise)
    kind = FoldKind(taken, otherwise is not None)
    return make(Op.FOLD_INDEX, (variable, rank, axis, sizes, *rest), _sort(taken, value), kind)


def _named(name: str) -> FoldName:
    """The fold of a name, which texts write. Raises SortError where there is none."""
    need(name in tuple(FoldName), f"no fold is called {name}")
    return FoldName(name)


def _sort(name: FoldName, value: Term) -> Sort:
    if name in (FoldName.COUNT, FoldName.POSITION):
        return INT
    return value.sort


def _closed(
    name: FoldName, variable: Term, chosen: Term, value: Term, order: Order, otherwise: Term | None
) -> tuple[Term, tuple[Term, ...]]:
    """The bound variable, and the arguments after the domain."""
    need(chosen.sort == BOOL, "a fold needs a condition")
    sort = value.sort
    added = sort in (INT, REAL, ELEMENT) or isinstance(sort, IntegerSort)
    need(name not in (FoldName.SUM, FoldName.PRODUCT) or added, f"{name} of {sort}")
    need(name not in (FoldName.COUNT, FoldName.POSITION) or value is ONE, f"a {name} has no value")
    need(name != FoldName.POSITION or otherwise is not None, "a position needs an ordinal")
    need(otherwise is None or otherwise.sort == sort or name == FoldName.POSITION, "the else value has another sort")
    x, y = placeholder(sort), placeholder(sort)
    ordered = TRUE
    if name == FoldName.GREATEST:
        ordered = order(x, y)
    # One number over condition and value, since one variable stands in both.
    number = max(chosen.binders, value.binders) + 1
    canonical = make(Op.VARIABLE, (), variable.sort, number)
    chosen, value = (substitute(t, {variable: canonical}) for t in (chosen, value))
    x_, y_ = (make(Op.VARIABLE, (), sort, ordered.binders + n) for n in (1, 2))
    ordered = substitute(ordered, {x: x_, y: y_})
    made = (chosen, value, x_, y_, ordered)
    if otherwise is None:
        return canonical, made
    return canonical, (*made, otherwise)


def bind_count(low: Term, high: Term, variable: Term, chosen: Term) -> Term:
    """The number of integers of a range that meet a condition, in which the variable stands."""
    return bind_fold(FoldName.COUNT, low, high, variable, chosen, ONE, le, None)


def bind_position(low: Term, high: Term, variable: Term, chosen: Term, ordinal: Term) -> Term:
    """The member of a range that meets the condition and has `ordinal` such members before it. That there is one,
    0 <= ordinal < count, is the caller's obligation."""
    need(ordinal.sort == INT, "an ordinal is an integer")
    return bind_fold(FoldName.POSITION, low, high, variable, chosen, ONE, le, ordinal)


def count_before(position: Fold, name: Term) -> Term:
    """The number of members of the domain of a `position` that stand before a name."""
    # The same range up to one below the name, the same condition; the ordinal, which is the last argument, goes.
    args = (*position.term.args[:2], sub(name, ONE), *position.term.args[3:8])
    return make(Op.FOLD, args, INT, FoldKind(FoldName.COUNT, has_else=False))


def reached(position: Fold) -> Term:
    """The condition that there is a member with as many before it as the ordinal says: a count from 0 has values below
    the number of members."""
    assert position.high is not None
    assert position.otherwise is not None
    total = count_before(position, add(position.high, ONE))
    return and_(le(ZERO, position.otherwise), lt(position.otherwise, total))


def recursion(start: int, number: Term, variable: Term, below: Term, body: Term) -> Term:
    """The value at `number` of the function that is `body` at `variable`, where `below` stands for its value one
    below. At `start` the body has no use for that; below `start` there is no value."""
    need(variable.sort == INT and number.sort == INT and below.sort == body.sort, "a recursion over integers")
    # Two variables over one scope, told apart by their numbers: the second is one higher (`_OFFSETS`).
    depth = body.binders
    new_variable, new_below = make(Op.VARIABLE, (), INT, depth + 1), make(Op.VARIABLE, (), below.sort, depth + 2)
    body = substitute(body, {variable: new_variable, below: new_below})
    return make(Op.RECURSION, (new_variable, new_below, integer(start), number, body), body.sort)


def state(start: int, number: Term, variables: tuple[Term, Term, Term, Term], body: Term) -> Term:
    """The function of a member and an index at `number`, of a recursion whose value is a function.

    The variables stand in the body, which is the value for a member and an index: the number, the function one below,
    the member and the index. At `start` the body has no use for the function below; below `start` there is no value.
    """
    sorts = (INT, state_of(body.sort), INT, INDEX)
    need(number.sort == INT and tuple(v.sort for v in variables) == sorts, "a recursion over integers, of a function")
    # Four variables over one scope, told apart by their numbers (`_OFFSETS`).
    bound = tuple(make(Op.VARIABLE, (), v.sort, body.binders + n) for n, v in enumerate(variables, 1))
    body = substitute(body, dict(zip(variables, bound, strict=True)))
    return make(Op.STATE, (*bound, integer(start), number, body), state_of(body.sort))


def state_at(of: Term, member: Term, position: Term) -> Term:
    """The value of a state for a member and an index."""
    sort = of.sort
    assert isinstance(sort, StateSort)
    need(member.sort == INT and position.sort == INDEX, "a state is a function of a member and an index")
    return make(Op.STATE_AT, (of, member, position), sort.result)


@dataclass(frozen=True, slots=True)
class State:
    """The parts of a term of `state`."""

    term: Term
    variable: Term
    below: Term
    member: Term
    position: Term
    start: Term
    number: Term
    body: Term

    @classmethod
    def of(cls, term: Term) -> State:
        """The parts of a term of `state`."""
        return cls(term, *term.args)

    @property
    def template(self) -> tuple[Term, ...]:
        """A key that states share which differ only in their number."""
        return (*self.term.args[:5], self.body)

    @property
    def free(self) -> frozenset[Term]:
        """The variables that are free in the body but for its own."""
        return self.body.free - set(self.term.args[:4])

    def at(self, number: Term) -> State:
        """The state at another number."""
        return State.of(make(Op.STATE, (*self.term.args[:5], number, self.body), self.term.sort))

    def value_at(self, member: Term, position: Term, below: Term | None = None) -> Term:
        """The body for a member and an index, at the number: its value, where that is not below the start. Another
        state may be taken for that one below."""
        if below is None:
            below = self.at(sub(self.number, ONE)).term
        values = {self.variable: self.number, self.below: below, self.member: member, self.position: position}
        return substitute(self.body, values)


_INDEPENDENT = (*CHOSEN, FoldName.POSITION)
"""Folds whose value two readings of a text may choose differently. What is added up is the same in each."""


def with_copy(term: Term, copy: int, but: FoldName | None = None) -> Term:
    """The term with every choice in it made independently of those of other copies, `but` those of one kind.

    Whether a value is determined is asked of two readings: with shared choices each would agree with itself (twin
    copies_share_choices).
    """
    memo: dict[Term, Term] = {}

    def walk(node: Term) -> Term:
        done = memo.get(node)
        if done is None:
            # Inside out, bodies of binders too: a choice under a quantifier is a choice for each value.
            args = tuple(walk(a) for a in node.args)
            payload = node.payload
            if isinstance(payload, FoldKind) and payload.name in _INDEPENDENT and payload.name != but:
                payload = FoldKind(payload.name, payload.has_else, copy)
            done = make(node.op, args, node.sort, payload)
            memo[node] = done
        return done

    return walk(term)
