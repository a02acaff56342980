"""Sets and folds: a sum, a number of members, the greatest, the only one. Trusted."""

from __future__ import annotations

from sonnx_verify.kernel import folds
from sonnx_verify.kernel.arithmetic import truth
from sonnx_verify.kernel.comparisons import at_most
from sonnx_verify.kernel.core import Family
from sonnx_verify.kernel.notes import Why
from sonnx_verify.kernel.values import Form, Items, Position, SetOf, Value
from sonnx_verify.language import syntax as s
from sonnx_verify.language.binding import Ranging
from sonnx_verify.language.calls import Calls
from sonnx_verify.language.complaints import expressions as complaints
from sonnx_verify.language.context import Context
from sonnx_verify.language.numbers import Numbers
from sonnx_verify.language.subexpressions import Scope, Subexpressions
from sonnx_verify.language.syntax import FoldKind, text_of
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT, REAL, STRING, IntegerSort, Sort
from sonnx_verify.logic.terms import Term

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
            raise complaints.several_variables(node.span)
        binder, where = node.binders.binders[0], node.binders.where

        def condition(value: Value) -> Term:
            if where is None:
                return truth(said=True)
            return self._inner.condition(where, {**scope, binder.name: value})

        made, body = folds.comprehension(
            self._context,
            self._ranging.domain(binder.domain, scope),
            condition,
            lambda value: self._inner.value(node.body, {**scope, binder.name: value}),
        )
        if made is None or not _can_be_member(body):
            raise complaints.not_for_sets(body, node.body.span)
        return made

    def fold(self, node: s.Fold, scope: Scope) -> Term:
        """`sum { ... }`, `greatest { ... } by ORDER`."""
        kind = node.kind
        base = self._inner.value(node.over, scope)
        if not isinstance(base, SetOf):
            raise complaints.not_a_set(node, base)
        otherwise = None
        if node.default is not None:
            otherwise = self._numbers.number(node.default, self._inner.value(node.default.value, scope))
            if kind in _OF_NOTHING:
                # `sum { } default 7` would be 7, and a sum over one more member could then be smaller by 7.
                raise complaints.no_default(kind, node.default.span)
        if node.order and kind not in _BY_ORDER:
            raise complaints.no_order(node)
        if kind is FoldKind.ALL or kind is FoldKind.ANY:
            return self._every(node, base)
        if kind is FoldKind.COUNT:
            return folds.number_of(base)
        body = base.body
        if not isinstance(body, Term) or body.sort in (BOOL, INDEX, STRING):
            raise complaints.fold_of_no_numbers(node, base)
        if otherwise is not None and otherwise.sort != body.sort:
            raise complaints.other_default(node.span)
        return self._of_numbers(node, base, body, otherwise)

    def _of_numbers(self, node: s.Fold, base: SetOf, body: Term, otherwise: Term | None) -> Term:
        not_empty = Why(f"the set is not empty: {text_of(node)}", node.span)
        match node.kind:
            case FoldKind.SUM:
                self._check_addable(node, body.sort)
                return folds.sum_of(base, body)
            case FoldKind.PRODUCT:
                self._check_addable(node, body.sort)
                return folds.product_of(base, body)
            case FoldKind.THE:
                all_equal = Why(f"all members of the set are equal: {text_of(node)}", node.span)
                return folds.the_only(self._context, base, body, otherwise, not_empty, all_equal)
            case _:
                # One fold of the logic for all four: `least S by <` is `greatest S` by the order turned round.
                order = self._order_of(node, body.sort)
                return folds.greatest_of(self._context, base, body, order, otherwise, not_empty, node.order)

    def _every(self, node: s.Fold, base: SetOf) -> Term:
        """`all` and `any` of conditions are quantifiers."""
        body = base.body
        if not isinstance(body, Term) or body.sort != BOOL:
            raise complaints.fold_of_no_conditions(node, base)
        if node.kind is FoldKind.ALL:
            return folds.all_of(base)
        return folds.any_of(base)

    def _order_of(self, node: s.Fold, sort: Sort) -> folds.Order:
        """The order by which the greatest is taken; the least is the greatest by the order turned round."""
        match node.kind:
            case FoldKind.GREATEST | FoldKind.LEAST:
                return self._named_order(node)
            case FoldKind.MAX | FoldKind.MIN if sort != INT:
                raise complaints.fold_of_no_integers(node, sort)
            case FoldKind.MIN:
                return lambda x, y: at_most(self._context, y, x)
            case _:
                return lambda x, y: at_most(self._context, x, y)

    def _named_order(self, node: s.Fold) -> folds.Order:
        if not node.order:
            raise complaints.without_order(node, self._calls.orders)
        order = self._calls.known_order(node.order, node.span)
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
            raise complaints.not_addable(node)


def _can_be_member(body: Value) -> bool:
    """Return whether a set can hold it: a number, an element, a condition, an index, or a list of what is no index."""
    match body:
        case Term():
            return body.sort != STRING
        case Items():
            return body.kind.form is Form.SINGLE and body.kind.of != STRING
        case _:
            return isinstance(body, Position)
