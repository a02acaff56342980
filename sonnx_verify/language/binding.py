"""The ranges of variables, quantifiers, and membership. Trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard

from sonnx_verify.kernel import ranges
from sonnx_verify.kernel.applications import unheard
from sonnx_verify.kernel.arithmetic import truth
from sonnx_verify.kernel.guards import Part, exclusion, implication, negation
from sonnx_verify.kernel.ranges import Binding, binding
from sonnx_verify.kernel.values import Domain, Items, Members, Results, SetOf, Shape, Tensor, Value
from sonnx_verify.language import syntax as s
from sonnx_verify.language.access import Access
from sonnx_verify.language.complaints import expressions as complaints
from sonnx_verify.language.context import Context
from sonnx_verify.language.functions import RANGES, Range
from sonnx_verify.language.parser import holes
from sonnx_verify.language.subexpressions import Scope, Subexpressions
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Term


class Ranging:
    """Binders, quantifiers and membership in one context."""

    def __init__(self, inner: Subexpressions, context: Context, access: Access) -> None:
        self._inner, self._context, self._access = inner, context, access

    def domain(self, node: s.Domain, scope: Scope) -> Domain | SetOf:
        """An interval, the positions of a list, the axes or indices of a shape, or a set that is given by one."""
        if isinstance(node, s.Range):
            return ranges.interval(self._inner.integer(node.low, scope), self._inner.integer(node.high, scope))
        if _is_range(node) and len(node.arguments) == 1:
            argument = node.arguments[0]
            shape = self._access.shape(argument, self._inner.value(argument, scope))
            if node.name == Range.INDICES:
                return ranges.indices_of(shape)
            return ranges.axes_of(shape)
        value = self._access.plain(self._inner.value(node, scope), node.span)
        match value:
            case SetOf():
                return value
            case Items():
                return ranges.numbers_of(value)
            case Shape() | Tensor():
                return ranges.indices_of(self._access.shape(node, value))
            case Members():
                # The logic has only finite quantifiers. A set that is declared may have any integers, so no ends are
                # known.
                raise complaints.without_bounds(node.span)
            case _:
                raise complaints.not_a_range(value, node.span)

    def binding(self, node: s.Binder, scope: Scope) -> Binding:
        """The variable of a binder."""
        return binding(self.domain(node.domain, scope))

    # ------------------------------------------------------------------------------------------------- quantifiers

    def for_all(self, node: s.ForAll, scope: Scope) -> Term:
        """`for all ... where c : e`: of each, c implies e."""
        if node.sentence is not None:
            self._check_sentence(node, scope)
        return self.every(node.binders, scope, lambda inner: self._inner.condition(node.body, inner))

    def exists(self, node: s.Exists, scope: Scope) -> Term:
        """`exists ... where c : e` is `not for all ... : not (c and e)`."""
        binders = node.binders

        def body(inner: Scope) -> Term:
            return self._inner.condition(node.body, inner)

        return negation(self._over(binders.binders, binders.where, dict(scope), body, exclusion))

    def every(self, binders: s.Binders, scope: Scope, body: Callable[[Scope], Term]) -> Term:
        """The condition that `body` holds of the names of some binders, for every choice."""
        return self._over(binders.binders, binders.where, dict(scope), body, implication)

    def _check_sentence(self, node: s.ForAll, scope: Scope) -> None:
        """Check that the expressions in the sentence that tells why a `for all` fails mean something."""
        inner = dict(scope)
        applied = dict(self._context.applications)

        def look() -> None:
            for binder in node.binders.binders:
                inner[binder.name] = self.binding(binder, inner).value
            for hole in holes(node):
                self._inner.value(hole, inner)

        unheard(self._context, look)
        # The sentence has no part in the meaning.
        self._context.applications = applied

    def _over(
        self,
        binders: Sequence[s.Binder],
        where: s.Expression | None,
        scope: dict[str, Value],
        body: Callable[[Scope], Term],
        combine: Callable[[Context, Term, Part], Term],
    ) -> Term:
        """The binders from the outside in, each in scope for those behind it; then the condition, which is met where
        the body is looked at."""
        if not binders:
            # The condition is looked at under the binders, and not under itself: `where k < count(L) and L[k] > 0` has
            # to guard its own read by `and`.
            condition = truth(said=True) if where is None else self._inner.condition(where, scope)
            return combine(self._context, condition, lambda: body(scope))
        # A domain is elaborated before its name is in scope: in `for all k in 0 .. k` the second k is one outside.
        first, *others = binders

        def inside(value: Value) -> Term:
            scope[first.name] = value
            return self._over(others, where, scope, body, combine)

        return ranges.for_all(self._context, self.domain(first.domain, scope), inside)

    # -------------------------------------------------------------------------------------------------- membership

    def member_of(self, node: s.MemberOf, scope: Scope) -> Term:
        """`k in S`, where S may be all that a variable can range over, or a set of results."""
        member = self._inner.value(node.member, scope)
        if isinstance(node.owner, s.Range) or _is_range(node.owner):
            domain = self.domain(node.owner, scope)
            assert isinstance(domain, Domain)
            return self._in_domain(node, member, domain)
        owner = self._inner.value(node.owner, scope)
        match owner:
            case Members() if isinstance(member, Term) and member.sort == INT:
                return ranges.in_members(member, owner)
            case Items():
                made = ranges.in_list(member, owner)
                if made is None:
                    raise complaints.not_comparable(owner.item(owner.count), member, self._context, node.span)
                return made
            case SetOf():
                return self._in_set(node, owner, member)
            case Results() if isinstance(member, Term) and member.sort == owner.sort:
                return ranges.in_results(member, owner)
            case _:
                raise complaints.not_a_member(member, owner, node.span)

    def _in_domain(self, node: s.MemberOf, member: Value, domain: Domain) -> Term:
        made = ranges.in_domain(member, domain)
        if made is None:
            raise complaints.not_in_range(member, node.span)
        return made

    def _in_set(self, node: s.MemberOf, owner: SetOf, member: Value) -> Term:
        made = ranges.in_set(member, owner)
        if made is not None:
            return made
        if owner.body is owner.variable and isinstance(member, Term) and member.sort == INT:
            return self._in_domain(node, member, owner.domain)
        raise complaints.not_comparable(owner.body, member, self._context, node.span)


def _is_range(node: s.Expression) -> TypeGuard[s.Call]:
    """Return whether it is `axes(...)` or `indices(...)`."""
    return isinstance(node, s.Call) and node.name in RANGES and not node.settings
