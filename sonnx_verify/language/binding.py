"""The ranges of variables, quantifiers, and membership. Trusted.

A quantifier over a domain becomes one of the logic, over a range of integers or over the indices of a shape. Inside it
side conditions are closed over the variable, and asked for only where the condition behind `where` holds:

    for all k in 0 .. n where k != 2 : X[k] > 0       asks, for all k from 0 to n, that k != 2 => k is inside X
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeGuard

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.access import Access
from sonnx_verify.language.comparisons import Comparisons
from sonnx_verify.language.context import Context
from sonnx_verify.language.functions import RANGES, Range
from sonnx_verify.language.parser import holes
from sonnx_verify.language.subexpressions import Scope, Subexpressions
from sonnx_verify.language.values import (
    Domain,
    Items,
    Members,
    Position,
    Results,
    SetOf,
    Shape,
    Tensor,
    Value,
    a_kind,
    instantiate,
    kind_of,
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


class Ranging:
    """Binders, quantifiers and membership in one context."""

    def __init__(self, inner: Subexpressions, context: Context, access: Access, comparisons: Comparisons) -> None:
        self._inner, self._context, self._access, self._comparisons = inner, context, access, comparisons

    def domain(self, node: s.Domain, scope: Scope) -> Domain | SetOf:
        """An interval, the positions of a list, the axes or indices of a shape, or a set that is given by one."""
        if isinstance(node, s.Range):
            return Domain(self._inner.integer(node.low, scope), self._inner.integer(node.high, scope))
        if _is_range(node) and len(node.arguments) == 1:
            argument = node.arguments[0]
            shape = self._access.shape(argument, self._inner.value(argument, scope))
            if node.name == Range.INDICES:
                return Domain(shape=shape)
            # `axes(X)`: 0 to rank - 1, and none of a scalar.
            return Domain(ZERO, last(shape.rank))
        value = self._access.plain(self._inner.value(node, scope), node.span)
        match value:
            case SetOf():
                return value
            case Items():
                # A list is ranged over by the numbers of its items, as the text counts them: `k in X` of `X[1 .. N]`.
                return Domain(integer(value.base), add(integer(value.base - 1), value.count))
            case Shape() | Tensor():
                return Domain(shape=self._access.shape(node, value))
            case Members():
                # The logic has only finite quantifiers. A set that is declared may have any integers, so no ends are
                # known.
                raise SpecificationError(
                    "a declared set has no known bounds to range over",
                    node.span,
                    "write a range and a condition: `k in 0 .. n where k in A`",
                )
            case _:
                raise SpecificationError(
                    f"cannot range over {a_kind(kind_of(value))}",
                    node.span,
                    "range over `0 .. n`, a list, `axes(X)`, or a tensor (for its indices)",
                )

    def binding(self, node: s.Binder, scope: Scope) -> Binding:
        """The variable of a binder."""
        found = self.domain(node.domain, scope)
        if isinstance(found, SetOf):
            # `k in { e(j) | j in D where c(j) }` ranges over D: the name stands for e of the variable, where c holds.
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

    @contextmanager
    def within(self, binding: Binding) -> Iterator[None]:
        """Inside a binder: what is asked for there is asked of each value of its variable."""
        domain = binding.domain
        if domain.shape is None:
            ranging = self._context.ranging(domain.low, domain.high, binding.variable)
        else:
            ranging = self._context.indexing(domain.shape, binding.variable)
        with ranging, self._context.assuming(binding.condition):
            yield

    # ------------------------------------------------------------------------------------------------- quantifiers

    def for_all(self, node: s.ForAll, scope: Scope) -> Term:
        """`for all ... where c : e`: of each, c implies e."""
        if node.sentence is not None:
            self._check_sentence(node, scope)
        return self.every(node.binders, scope, lambda inner: self._inner.condition(node.body, inner))

    def exists(self, node: s.Exists, scope: Scope) -> Term:
        """`exists ... where c : e` is `not for all ... : not (c and e)`. Twin: where_becomes_implies."""
        # Read as `c => e`, `exists k in 0 .. 9 where k > 20 : k = 3` would be true of any k that misses the condition.
        return not_(
            self._over(
                node.binders.binders,
                node.binders.where,
                dict(scope),
                lambda inner: self._inner.condition(node.body, inner),
                lambda a, b: implies(a, not_(b)),
            )
        )

    def every(self, binders: s.Binders, scope: Scope, body: Callable[[Scope], Term]) -> Term:
        """The condition that `body` holds of the names of some binders, for every choice."""
        return self._over(binders.binders, binders.where, dict(scope), body, implies)

    def _check_sentence(self, node: s.ForAll, scope: Scope) -> None:
        """Check that the expressions in the sentence that tells why a `for all` fails mean something."""
        inner = dict(scope)
        applied = dict(self._context.applications)
        with self._context.silent():
            for binder in node.binders.binders:
                inner[binder.name] = self.binding(binder, inner).value
            for hole in holes(node):
                self._inner.value(hole, inner)
        # The sentence has no part in the meaning.
        self._context.applications = applied

    def _over(
        self,
        binders: Sequence[s.Binder],
        where: s.Expression | None,
        scope: dict[str, Value],
        body: Callable[[Scope], Term],
        combine: Callable[[Term, Term], Term],
    ) -> Term:
        """The binders from the outside in, each in scope for those behind it; then the condition, which is met where
        the body is looked at."""
        if not binders:
            # The condition is looked at under the binders, and not under itself: `where k < count(L) and L[k] > 0` has
            # to guard its own read by `and`.
            condition = TRUE
            if where is not None:
                condition = self._inner.condition(where, scope)
            with self._context.assuming(condition):
                return combine(condition, body(scope))
        # A domain is elaborated before its name is in scope: in `for all k in 0 .. k` the second k is one outside.
        first, *others = binders
        binding = self.binding(first, scope)
        scope[first.name] = binding.value
        with self.within(binding):
            inner = self._over(others, where, scope, body, combine)
        return binding.for_all(inner)

    # -------------------------------------------------------------------------------------------------- membership

    def member_of(self, node: s.MemberOf, scope: Scope) -> Term:
        """`k in S`, where S may be all that a variable can range over, or a set of results."""
        member = self._inner.value(node.member, scope)
        if _is_range(node.owner):
            domain = self.domain(node.owner, scope)
            assert isinstance(domain, Domain)
            return self._in_domain(node, member, domain)
        owner = self._inner.value(node.owner, scope)
        match owner:
            case Members() if isinstance(member, Term) and member.sort == INT:
                return owner.contains(member)
            case Items():
                # `x in L`: some position has it. Positions count from 0 here, whatever their numbers in the text.
                variable = placeholder(INT)
                same = self._comparisons.same(node, owner.item(variable), member)
                return not_(bind_forall(ZERO, last(owner.count), variable, not_(same)))
            case SetOf():
                return self._in_set(node, owner, member)
            case Results() if isinstance(member, Term) and member.sort == owner.sort:
                return owner.conforms(member)
            case _:
                raise SpecificationError(
                    f"{a_kind(kind_of(member))} cannot be a member of {a_kind(kind_of(owner))}",
                    node.span,
                    "name a set, a list, or axes(X)",
                )

    def _in_domain(self, node: s.MemberOf, member: Value, domain: Domain) -> Term:
        if domain.shape is None and isinstance(member, Term) and member.sort == INT:
            return and_(le(domain.low, member), le(member, domain.high))
        if domain.shape is not None and isinstance(member, Position):
            shape = domain.shape
            # The rank too: [0, 0] has coordinates inside (3), and is no index of it.
            return and_(eq(member.rank, shape.rank), inside_shape(member.term, shape.rank, shape.dim))
        raise SpecificationError(
            f"{a_kind(kind_of(member))} cannot be a member of this", node.span, "test a member of it"
        )

    def _in_set(self, node: s.MemberOf, owner: SetOf, member: Value) -> Term:
        if owner.body is owner.variable and isinstance(member, Term) and member.sort == INT:
            # A set of the numbers of a range themselves: no search for which of them it is. `5 in { k | k in 0 .. n
            # where c(k) }` is `0 <= 5 <= n and c(5)`, which needs no quantifier.
            chosen = instantiate(owner.condition, {owner.variable: member})
            assert isinstance(chosen, Term)
            return and_(self._in_domain(node, member, owner.domain), chosen)
        variable = placeholder(owner.variable.sort)
        condition = instantiate(owner.condition, {owner.variable: variable})
        assert isinstance(condition, Term)
        same = self._comparisons.same(node, instantiate(owner.body, {owner.variable: variable}), member)
        binding = Binding(owner.domain, variable, condition, variable)
        return not_(binding.for_all(not_(same)))


def _is_range(node: s.Expression) -> TypeGuard[s.Call]:
    """Return whether it is `axes(...)` or `indices(...)`."""
    return isinstance(node, s.Call) and node.name in RANGES and not node.settings
