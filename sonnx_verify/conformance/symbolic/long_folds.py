"""Folds of many elements, by what they are: one member attains the value, and every member keeps to it.

A claim about such folds does not need every element: it is asked of a few members that are named, one that attains each
value. What cannot be of these cannot be of any elements, however many there are.

Sound since fewer facts are used than hold: `max(a, b, c) >= a` and "one member attains it" are true of the fold. With
`m = max(a, b, c)` and `n = max(a, b, c)`, two members are named, x with m = x and y with n = y, and both m and n are
at least x and y: so m = n, without a word about a, b and c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sonnx_verify.logic.binders import replace_nodes
from sonnx_verify.logic.terms import Symbol, Term, and_, apply, is_literal, or_, placeholder, substitute

Law = Callable[[Term, Term], Term]
"""A statement about the value of a fold and one of its members."""

LONG = 2
"""A fold of more elements is a symbol."""


@dataclass(frozen=True, slots=True)
class LongFold:
    """The value of a fold stands for itself: for some member `attained` holds of both, for every one `bound` does."""

    value: Symbol
    members: tuple[Term, ...]
    attained: Law
    bound: Law

    @property
    def full(self) -> Term:
        """All of it, of every member."""
        value = apply(self.value)
        # Without the first law the value could be beyond all members, without the second it could be any of them.
        some = or_(*(self.attained(value, m) for m in self.members))
        return and_(some, *(self.bound(value, m) for m in self.members))


Fact = Term | LongFold
Facts = Mapping[Symbol, Fact]


def full(fact: Fact) -> Term:
    """The fact as one term."""
    if isinstance(fact, LongFold):
        return fact.full
    return fact


@dataclass(frozen=True, slots=True)
class _Set:
    """The members of a fold as values of one term of one element each."""

    elements: frozenset[Symbol]
    variable: Term
    member: Term
    plain: tuple[Term, ...]
    """Members that are written out, as an initial value."""


def symbols_of(terms: Iterable[Term]) -> list[Symbol]:
    """The constants in terms, in the order in which they occur."""
    # Leaves are met in this order from the top too, at a third of the time that `subterms` takes.
    found: dict[Symbol, None] = {}
    seen: set[Term] = set()
    stack = [*terms][::-1]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.args:
            stack += node.args[::-1]
        elif isinstance(node.payload, Symbol):
            found[node.payload] = None
    return list(found)


def _set_of(fold: LongFold) -> _Set | None:
    """The members as one term of one element each; None where they are not all alike."""
    plain = tuple(m for m in fold.members if is_literal(m))
    rest = [m for m in fold.members if not is_literal(m)]
    named = [symbols_of([term]) for term in rest]
    # A member of two elements is no value of one; elements of two sorts have no variable for both.
    if not rest or any(len(symbols) != 1 for symbols in named):
        return None
    elements = [symbol for (symbol,) in named]
    if any(symbol.result != elements[0].result for symbol in elements):
        return None
    variable = placeholder(elements[0].result)
    forms = {_with(term, symbol, variable) for term, symbol in zip(rest, elements, strict=True)}
    if len(forms) != 1:
        return None
    (member,) = forms
    return _Set(frozenset(elements), variable, member, plain)


def _with(term: Term, symbol: Symbol, value: Term) -> Term:
    return replace_nodes([term], {apply(symbol): value})[0]


def of_named_members(folds: Sequence[LongFold], others: Iterable[Symbol]) -> list[Term]:
    """The facts about folds when one member that attains each is named, and the `others` are elements too. Of a fold
    whose members are not alike, all of it."""
    made: list[Term] = []
    sets: list[tuple[LongFold, _Set]] = []
    for fold in folds:
        found = _set_of(fold)
        if found is None:
            made.append(fold.full)
        else:
            sets.append((fold, found))
    names: list[tuple[Term, frozenset[Symbol]]] = [(apply(s), frozenset((s,))) for s in others]
    for number, (fold, held) in enumerate(sets):
        name = apply(Symbol(f"member {number}", (), held.variable.sort))
        names.append((name, held.elements))
        value = apply(fold.value)
        attained = [fold.attained(value, substitute(held.member, {held.variable: name}))]
        made.append(or_(*attained, *(fold.attained(value, p) for p in held.plain)))
    for fold, held in sets:
        value = apply(fold.value)
        made += [fold.bound(value, p) for p in held.plain]
        for name, elements in names:
            # A named member is one of its own fold: it is one of this fold where all members of the one are.
            if elements <= held.elements:
                made.append(fold.bound(value, substitute(held.member, {held.variable: name})))
    return made
