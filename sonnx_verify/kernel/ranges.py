"""Forms that bind a variable: domains, quantifiers, membership. Trusted.

A quantifier over a domain becomes one of the logic, over a range of integers or over the indices of a shape. Inside it
side conditions are closed over the variable, and asked for only where the condition behind `where` holds:

    for all n in 0 .. m where n != 2 : X[n] > 0       asks, for all n from 0 to m, that n != 2 => n is inside X

The body is a function of what the variable means: it is called once, inside the binder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sonnx_verify.kernel.comparisons import same
from sonnx_verify.kernel.core import Kernel
from sonnx_verify.kernel.values import (
    Domain,
    Items,
    Members,
    Position,
    Results,
    SetOf,
    Shape,
    Value,
    instantiate,
    last,
)
from sonnx_verify.logic.sorts import INDEX, INT
from sonnx_verify.logic.terms import (
    TRUE,
    ZERO,
    Term,
    add,
    and_,
    bind_forall,
    bind_forall_index,
    eq,
    implies,
    inside_shape,
    integer,
    le,
    not_,
    placeholder,
)


def interval(low: Term, high: Term) -> Domain:
    """`low .. high`: empty where low is above high."""
    return Domain(low, high)


def axes_of(shape: Shape) -> Domain:
    """`axes(X)`: 0 to rank - 1, and none of a scalar."""
    return Domain(ZERO, last(shape.rank))


def indices_of(shape: Shape) -> Domain:
    """`indices(X)`."""
    return Domain(shape=shape)


def numbers_of(owner: Items) -> Domain:
    """The numbers of the items of a list, as the text counts them: `n in X` of `X[1 .. N]`."""
    return Domain(integer(owner.base), add(integer(owner.base - 1), owner.count))


@dataclass(frozen=True)
class Binding:
    """A variable over a domain, where a condition holds; `value` is the meaning of its name there."""

    domain: Domain
    variable: Term
    condition: Term
    value: Value

    def for_all(self, body: Term) -> Term:
        """The condition that the body, in which the variable stands, holds of each."""
        # `exists` is made of it, as `not for all not`: so a condition has to become an implication here, and nothing
        # else.
        body = implies(self.condition, body)
        shape = self.domain.shape
        if shape is None:
            return bind_forall(self.domain.low, self.domain.high, self.variable, body)
        return bind_forall_index(shape.rank, shape.dim, self.variable, body)

    @contextmanager
    def inside(self, k: Kernel) -> Iterator[None]:
        """Inside the binder: what is asked for there is asked of each value of its variable."""
        domain = self.domain
        if domain.shape is None:
            binding = k.ranging(domain.low, domain.high, self.variable)
        else:
            binding = k.indexing(domain.shape, self.variable)
        with binding, k.assuming(self.condition):
            yield


def binding(found: Domain | SetOf) -> Binding:
    """A variable over a domain; over a set, one over its domain whose name stands for a member."""
    if isinstance(found, SetOf):
        # `n in { e(j) | j in D where c(j) }` ranges over D: the name stands for e of the variable, where c holds.
        # So a value that two members have is met twice, which changes no quantifier.
        variable = placeholder(found.variable.sort)
        condition = instantiate(found.condition, {found.variable: variable})
        assert isinstance(condition, Term)
        return Binding(found.domain, variable, condition, instantiate(found.body, {found.variable: variable}))
    if found.shape is None:
        variable = placeholder(INT)
        return Binding(found, variable, TRUE, variable)
    variable = placeholder(INDEX)
    return Binding(found, variable, TRUE, Position(variable, found.shape.rank))


def for_all(k: Kernel, found: Domain | SetOf, body: Callable[[Value], Term]) -> Term:
    """`for all n in D : p`. What the body asks is asked of each n; nothing is of an empty domain."""
    bound = binding(found)
    with bound.inside(k):
        made = body(bound.value)
    return bound.for_all(made)


# ------------------------------------------------------------------------------------------------------- membership


def in_domain(member: Value, domain: Domain) -> Term | None:
    """`m in D`; None where a member of it is of another kind."""
    if domain.shape is None and isinstance(member, Term) and member.sort == INT:
        return and_(le(domain.low, member), le(member, domain.high))
    if domain.shape is not None and isinstance(member, Position):
        shape = domain.shape
        # The rank too: [0, 0] has coordinates inside (3), and is no index of it.
        return and_(eq(member.rank, shape.rank), inside_shape(member.term, shape.rank, shape.dim))
    return None


def in_members(member: Term, owner: Members) -> Term:
    """`m in A` of a declared set."""
    return owner.contains(member)


def in_results(member: Term, owner: Results) -> Term:
    """`x in R` of a set of results."""
    return owner.conforms(member)


def in_list(member: Value, owner: Items) -> Term | None:
    """`x in L`: some position has it. Asks for nothing, since each position that is looked at is there. None where it
    is of another kind."""
    # Positions count from 0 here, whatever their numbers in the text.
    variable = placeholder(INT)
    found = same(owner.item(variable), member)
    return None if found is None else not_(bind_forall(ZERO, last(owner.count), variable, not_(found)))


def in_set(member: Value, owner: SetOf) -> Term | None:
    """`x in { e(j) | j in D where c(j) }`: some member of the domain has that value. None where it is of another
    kind."""
    if owner.body is owner.variable and isinstance(member, Term) and member.sort == INT:
        # A set of the numbers of a range themselves: no search for which of them it is. `5 in { n | n in 0 .. m
        # where c(n) }` is `0 <= 5 <= m and c(5)`, which needs no quantifier.
        chosen = instantiate(owner.condition, {owner.variable: member})
        assert isinstance(chosen, Term)
        inside = in_domain(member, owner.domain)
        return None if inside is None else and_(inside, chosen)
    variable = placeholder(owner.variable.sort)
    condition = instantiate(owner.condition, {owner.variable: variable})
    assert isinstance(condition, Term)
    found = same(instantiate(owner.body, {owner.variable: variable}), member)
    if found is None:
        return None
    return not_(Binding(owner.domain, variable, condition, variable).for_all(not_(found)))
