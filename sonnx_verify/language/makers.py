"""Makers: lists, shapes, indices and tensors, and sets of results. Trusted."""

from __future__ import annotations

from collections.abc import Callable

from sonnx_verify.kernel import makers, reads, results
from sonnx_verify.kernel.core import Family
from sonnx_verify.kernel.notes import Why
from sonnx_verify.kernel.values import Items, Position, Results, SetOf, Shape, Tensor, Value, listed
from sonnx_verify.language import syntax as s
from sonnx_verify.language.access import Access
from sonnx_verify.language.binding import Ranging
from sonnx_verify.language.complaints import expressions as complaints
from sonnx_verify.language.context import Context
from sonnx_verify.language.numbers import Numbers
from sonnx_verify.language.subexpressions import Scope, Subexpressions
from sonnx_verify.language.syntax import Maker, text_of
from sonnx_verify.logic.sorts import INT, REAL
from sonnx_verify.logic.terms import Term

_NAN = "NaN"
"""The word behind `any` that is no type."""


class Makers:
    """Makers in one context."""

    def __init__(
        self,
        inner: Subexpressions,
        context: Context,
        ranging: Ranging,
        numbers: Numbers,
        access: Access,
    ) -> None:
        self._inner, self._context = inner, context
        self._ranging, self._numbers, self._access = ranging, numbers, access

    def listed(self, node: s.Listed, scope: Scope) -> Items:
        """`[a, b]`."""
        values = [self._inner.value(item, scope) for item in node.items]
        made = listed(values)
        if made is None:
            raise complaints.not_listed(values, node.span)
        return made

    def make(self, node: s.Make, scope: Scope) -> Value:
        """`shape (k in D where c -> e)` and the like."""
        (binder,), where = node.binders.binders, node.binders.where
        found = self._ranging.domain(binder.domain, scope)
        if isinstance(found, SetOf):
            # A set is written with a domain, but two texts that write the same set over other domains would get two
            # lists.
            raise complaints.made_of_set(binder.domain.span)
        if node.maker is Maker.TENSOR:
            if found.shape is None or where is not None:
                raise complaints.not_over_a_shape(binder.domain.span)
            return self._tensor(found.shape, binder.name, node.body, scope)
        if found.shape is not None:
            raise complaints.not_over_integers(node.maker, binder.domain.span)

        def condition(number: Term) -> Term:
            assert where is not None
            return self._inner.condition(where, {**scope, binder.name: number})

        def part(number: Term) -> Value:
            return self._inner.value(node.body, {**scope, binder.name: number})

        parts = makers.places(self._context, found, condition if where is not None else None)
        if node.maker is Maker.LIST:
            length = Why(f"the length is at least 0: {text_of(node)}", node.span)
            return makers.list_over(self._context, parts, part, length)
        return self._coordinates(node, parts, part)

    def _coordinates(self, node: s.Make, parts: makers.Places, part: Callable[[Term], Value]) -> Shape | Position:
        """A shape, or an index."""

        def size(number: Term) -> Term:
            made = self._numbers.number(node.body, part(number))
            if made.sort != INT:
                raise complaints.not_of_integers(node.maker, node.body.span)
            return made

        rank = Why(f"the rank is at least 0: {text_of(node)}", node.span)
        if node.maker is Maker.INDEX:
            return makers.index_over(self._context, parts, size, self._access.index_base, rank)
        return makers.shape_over(
            self._context, parts, size, Why(f"every size is at least 0: {text_of(node)}", node.span), rank
        )

    def _tensor(self, shape: Shape, name: str, body: s.Expression, scope: Scope) -> Tensor:
        made, element = makers.tensor_over(
            self._context, shape, lambda position: self._inner.value(body, {**scope, name: position})
        )
        if made is None:
            raise complaints.not_of_elements(element, body.span)
        return made

    def replaced(self, node: s.Replaced, scope: Scope) -> Position:
        """`(i with [axis] = value)`."""
        position = self._inner.value(node.index, scope)
        if not isinstance(position, Position):
            raise complaints.without_coordinates(position, node.span)
        axis = self._inner.integer(node.axis, scope)
        value = self._inner.integer(node.value, scope)
        why = Why(f"the index has axis {text_of(node.axis)}: {text_of(node)}", node.span)
        return reads.replaced(self._context, position, axis, value, self._access.index_base, why)

    # ------------------------------------------------------------------------------------------------ sets of results

    def any_of(self, node: s.AnyOf) -> Results:
        """`any T`: each element conforms. `any NaN`: each NaN does."""
        if node.what != _NAN:
            return results.any_of_type(self._context, self._context.sort_of(node.what, node.span))
        if self._context.family != Family.FLOAT:
            raise complaints.without_nan(node.span)
        return results.any_nan(self._context)

    def within(self, node: s.Within, scope: Scope) -> Results:
        """`within b of e in l .. h`."""
        values = self._inner.value(node.bound, scope), self._inner.value(node.centre, scope)
        bound, centre = (_real(part, value) for part, value in zip((node.bound, node.centre), values, strict=True))
        if self._context.family not in (Family.FLOAT, Family.REAL):
            raise complaints.within_others(node.span)
        return results.within(self._context, bound, centre, self._ends(node.range, scope))

    def within_steps(self, node: s.WithinSteps, scope: Scope) -> Results:
        """`within k steps of e in a .. b`."""
        centre = _real(node.centre, self._inner.value(node.centre, scope))
        count = self._inner.integer(node.count, scope)
        if self._context.family != Family.FLOAT:
            raise complaints.steps_of_others(node.span)
        why = Why(f"the number of steps {text_of(node.count)} is not negative", node.span)
        return results.within_steps(self._context, count, centre, self._ends(node.range, scope), why)

    def _ends(self, cut: s.Range | None, scope: Scope) -> results.Ends | None:
        if cut is None:
            return None
        return self._end(cut.low, scope), self._end(cut.high, scope)

    def _end(self, node: s.Expression, scope: Scope) -> Term:
        value = self._inner.value(node, scope)
        if isinstance(value, Term) and value.sort == self._context.element:
            return value
        raise complaints.not_an_end(value, node.span)


def _real(node: s.Expression, value: Value) -> Term:
    if isinstance(value, Term) and value.sort == REAL:
        return value
    raise complaints.not_a_real(value, node.span)
