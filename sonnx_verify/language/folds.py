"""Sets and folds: a sum, a number of members, the greatest, the only one. Trusted.

A set keeps its domain, condition and body apart, so that it becomes a binder of the logic where it is used. A fold that
needs a member (`max`, `the`, ...) asks that there is one, unless it has a default; `the` asks too that no other member
has another value.
"""

from __future__ import annotations

from collections.abc import Callable

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.binding import Binding, Ranging
from sonnx_verify.language.calls import Calls
from sonnx_verify.language.context import Context, Family
from sonnx_verify.language.numbers import Numbers
from sonnx_verify.language.subexpressions import Scope, Subexpressions
from sonnx_verify.language.syntax import FoldKind, text_of
from sonnx_verify.language.values import Form, Items, Position, SetOf, Value, a_kind, kind_of
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT, REAL, STRING, IntegerSort, Sort
from sonnx_verify.logic.terms import (
    ONE,
    TRUE,
    Term,
    and_,
    bind_fold,
    bind_fold_index,
    eq,
    implies,
    le,
    not_,
    placeholder,
    substitute,
)
from sonnx_verify.results.kinds import Kind

_Order = Callable[[Term, Term], Term]
"""The condition that x is at most y."""

_BY_ORDER = (FoldKind.GREATEST, FoldKind.LEAST)
_OF_NOTHING = (FoldKind.SUM, FoldKind.PRODUCT, FoldKind.COUNT, FoldKind.ALL, FoldKind.ANY)
"""Folds that have a value of the empty set."""


class Folds:
    """Sets and folds in one context."""

    def __init__(
        self, inner: Subexpressions, context: Context, ranging: Ranging, numbers: Numbers, calls: Calls
    ) -> None:
        self._inner, self._context = inner, context
        self._ranging, self._numbers, self._calls = ranging, numbers, calls

    def set(self, node: s.Comprehension, scope: Scope) -> SetOf:
        """`{ e | k in D where c }`."""
        if len(node.binders.binders) != 1:
            raise SpecificationError(
                "a set ranges over one variable", node.span, "write { e | k in low .. high where c }"
            )
        binder, where = node.binders.binders[0], node.binders.where
        binding = self._ranging.binding(binder, scope)
        inner = {**scope, binder.name: binding.value}
        with self._ranging.within(binding):
            condition = TRUE
            if where is not None:
                condition = self._inner.condition(where, inner)
            with self._context.assuming(condition):
                body = self._inner.value(node.body, inner)
        if not _can_be_member(body):
            raise SpecificationError(
                f"a set holds numbers, elements, indices or lists of these, not {a_kind(kind_of(body))}",
                node.body.span,
                "write a number",
            )
        assert isinstance(body, Term | Position | Items)
        return SetOf(binding.domain, binding.variable, and_(binding.condition, condition), body)

    def fold(self, node: s.Fold, scope: Scope) -> Term:
        """`sum { ... }`, `greatest { ... } by ORDER`."""
        kind = node.kind
        base = self._inner.value(node.over, scope)
        if not isinstance(base, SetOf):
            raise SpecificationError(
                f"`{kind}` takes a set, not {a_kind(kind_of(base))}", node.over.span, "write { ... | ... }"
            )
        otherwise = None
        if node.default is not None:
            otherwise = self._numbers.number(node.default, self._inner.value(node.default.value, scope))
            if kind in _OF_NOTHING:
                # `sum { } default 7` would be 7, and a sum over one more member could then be smaller by 7.
                raise SpecificationError(
                    f"`{kind}` of an empty set already has a value", node.default.span, "remove the default"
                )
        if node.order and kind not in _BY_ORDER:
            raise SpecificationError(f"`{kind}` takes no order", node.span, f"remove `by {node.order}`")
        if kind is FoldKind.ALL or kind is FoldKind.ANY:
            return self._every(node, base)
        if kind is FoldKind.COUNT:
            # A set has one value for each member of its domain that meets the condition: they are counted, not values.
            # `count { mod(k, 2) | k in 0 .. 9 }` is 10, not 2.
            return self._folded(base, kind.value, ONE, le, None)
        body = base.body
        if not isinstance(body, Term) or body.sort in (BOOL, INDEX, STRING):
            raise SpecificationError(
                f"`{kind}` takes numbers or elements, not {a_kind(kind_of(base))}",
                node.over.span,
                "write numbers before the `|`",
            )
        if otherwise is not None and otherwise.sort != body.sort:
            raise SpecificationError(
                "the default and the set have different types", node.span, "give both the same type"
            )
        return self._of_numbers(node, base, body, otherwise)

    def _of_numbers(self, node: s.Fold, base: SetOf, body: Term, otherwise: Term | None) -> Term:
        match node.kind:
            case FoldKind.SUM | FoldKind.PRODUCT:
                self._check_addable(node, body.sort)
                return self._folded(base, node.kind.value, body, le, otherwise)
            case FoldKind.THE:
                self._check_choice(node, base, body, otherwise)
                return self._folded(base, node.kind.value, body, le, otherwise)
            case _:
                # One fold of the logic for all four: `least S by <` is `greatest S` by the order turned round.
                order = self._order_of(node, body.sort)
                self._check_choice(node, base, body, otherwise)
                return self._folded(base, FoldKind.GREATEST.value, body, order, otherwise)

    def _folded(self, base: SetOf, name: str, body: Term, order: _Order, otherwise: Term | None) -> Term:
        shape = base.domain.shape
        if shape is None:
            low, high = base.domain.low, base.domain.high
            return bind_fold(name, low, high, base.variable, base.condition, body, order, otherwise)
        return bind_fold_index(name, shape.rank, shape.dim, base.variable, base.condition, body, order, otherwise)

    def _every(self, node: s.Fold, base: SetOf) -> Term:
        """`all` and `any` of conditions are quantifiers."""
        body = base.body
        if not isinstance(body, Term) or body.sort != BOOL:
            raise SpecificationError(
                f"`{node.kind}` takes conditions, not {a_kind(kind_of(base))}",
                node.over.span,
                "write a condition",
            )
        # Of the empty set `all` is true and `any` false, as the quantifiers have it.
        binding = Binding(base.domain, base.variable, base.condition, base.variable)
        if node.kind is FoldKind.ALL:
            return binding.for_all(body)
        return not_(binding.for_all(not_(body)))

    def _order_of(self, node: s.Fold, sort: Sort) -> _Order:
        """The order by which the greatest is taken; the least is the greatest by the order turned round."""
        match node.kind:
            case FoldKind.GREATEST | FoldKind.LEAST:
                return self._named_order(node, sort)
            case FoldKind.MAX | FoldKind.MIN if sort != INT:
                raise SpecificationError(
                    f"`{node.kind}` without an order takes integers, not {sort}",
                    node.span,
                    "name an order: `greatest S by ...`",
                )
            case FoldKind.MIN:
                return lambda x, y: le(y, x)
            case _:
                return le

    def _named_order(self, node: s.Fold, sort: Sort) -> _Order:
        if not node.order:
            known = ", ".join(f"`{name}`" for name in self._calls.orders) or "none; `use orders` brings some"
            raise SpecificationError(
                f"`{node.kind}` needs an order",
                node.span,
                f"write `{node.kind} {{ ... }} by ORDER`; in scope: {known}",
            )
        order = self._calls.known_order(node.order, node.span)
        # That there is a greatest member rests on the order being total: an obligation of its own, and no proof that
        # uses the order stands where that does not. Twin: totality_not_asked.
        self._context.fold_orders[(node.order, sort)] = None
        if node.kind is FoldKind.GREATEST:
            return lambda x, y: self._calls.order(order, x, y, node.span)
        return lambda x, y: self._calls.order(order, y, x, node.span)

    def _check_addable(self, node: s.Fold, sort: Sort) -> None:
        """Refuse to add what gives another sum in another order. A set has no order, so its sum must not depend on one:
        that of float16 65504, 16 and -16 is 65504 or infinity."""
        self._numbers.may_wrap(sort, node.span)
        exact = sort in (INT, REAL) or isinstance(sort, IntegerSort)
        # Abstract integers and reals add up as those of each type do: wrapping addition is commutative and associative.
        if not exact and not (sort == ELEMENT and self._context.family in (Family.INT, Family.REAL)):
            raise SpecificationError(
                f"a {node.kind} of floats depends on the order of evaluation, so it has no single value",
                node.span,
                f"write the {node.kind} of `real(...)`, and round it or give a set of results",
            )

    def _check_choice(self, node: s.Fold, base: SetOf, body: Term, otherwise: Term | None) -> None:
        """Without a default the set must not be empty; the only member has to be the only one."""

        # Terms are total: `max { }` has some value in the logic, and `the` of two members is one of them. Neither is a
        # meaning that a text may rest on.
        def over(said: Callable[[Term, Term], Term]) -> Term:
            """The condition on each member: on the condition under which it is one, and its value."""
            m = placeholder(base.variable.sort)
            condition, value = (substitute(t, {base.variable: m}) for t in (base.condition, body))
            return Binding(base.domain, m, TRUE, m).for_all(said(condition, value))

        if otherwise is None:
            empty = over(lambda condition, value: not_(condition))
            self._context.require(Kind.TOTAL, not_(empty), f"the set is not empty: {text_of(node)}", node.span)
        if node.kind is FoldKind.THE:
            # Two members may have one value, as in `the { x | x in [a, a] }`. That all members agree is asked even
            # where there is a default, which is for the empty set alone. Twin of the evaluator: the_first_member.
            one = over(
                lambda first, x: over(lambda second, y: implies(and_(first, second), eq(x, y))),
            )
            self._context.require(Kind.TOTAL, one, f"all members of the set are equal: {text_of(node)}", node.span)


def _can_be_member(body: Value) -> bool:
    """Return whether a set can hold it: a number, an element, a condition, an index, or a list of what is no index."""
    match body:
        case Term():
            return body.sort != STRING
        case Items():
            return body.kind.form is Form.SINGLE and body.kind.of != STRING
        case _:
            return isinstance(body, Position)
