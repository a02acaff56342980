"""Sets, and what is taken from them: a sum, a number of members, the greatest, the only one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.binding import Binding
from sonnx_verify.language.calls import Calls
from sonnx_verify.language.library import a_kind, binders_of, text_of
from sonnx_verify.language.values import Position, SetOf, Value, kind_of
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


class Folds(Calls):
    """The layer of sets and folds."""

    def _set(self, node: s.Node, scope: Mapping[str, Value]) -> SetOf:
        *binders, where = binders_of(node.parts[1])
        if len(binders) != 1 or binders[0] is None:
            raise SpecificationError("a set has one variable", node.span, "write { e | k in low .. high where c }")
        binding = self.binding(binders[0].parts[0], scope)
        inner = {**scope, binders[0].text[0]: binding.value}
        with self.within(binding):
            condition = TRUE if where is None else self.condition(where, inner)
            with self.context.assuming(condition):
                body = self.value(node.parts[0], inner)
        if not isinstance(body, Term | Position) or (isinstance(body, Term) and body.sort == STRING):
            raise SpecificationError(
                f"a set holds numbers, elements or indices, not {a_kind(kind_of(body))}",
                node.parts[0].span,
                "write a number",
            )
        return SetOf(binding.domain, binding.variable, and_(binding.condition, condition), body)

    def _fold(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        kind, *rest = node.text
        base = self.value(node.parts[0], scope)
        if not isinstance(base, SetOf):
            raise SpecificationError(
                f"`{kind}` takes a set, and this is {a_kind(kind_of(base))}", node.parts[0].span, "write { ... | ... }"
            )
        fallback = next((p for p in node.parts if p.kind == "default"), None)
        otherwise = None if fallback is None else self._number(fallback, self.value(fallback.parts[0], scope))
        if kind in ("sum", "product", "count", "all", "any") and fallback is not None:
            raise SpecificationError(f"`{kind}` of nothing has a value already", fallback.span, "leave the default out")
        if rest and kind not in ("greatest", "least"):
            raise SpecificationError(f"`{kind}` goes by no order", node.span, f"leave out `by {rest[0]}`")
        if kind in ("all", "any"):
            return self._every(node, kind, base)
        if kind == "count":
            return self._folded(base, "count", ONE, le, None)
        body = base.body
        if not isinstance(body, Term) or body.sort in (BOOL, INDEX, STRING):
            raise SpecificationError(
                f"`{kind}` is of numbers or elements, and this is {a_kind(kind_of(base))}",
                node.parts[0].span,
                "write numbers before the `|`",
            )
        if otherwise is not None and otherwise.sort != body.sort:
            raise SpecificationError("the default has another type than the set", node.span, "give both one type")
        order = self._order_of(node, kind, rest[0] if rest else "", body.sort)
        if kind not in ("sum", "product"):
            self._choice(node, kind, base, body, otherwise)
        name = {"max": "greatest", "min": "greatest", "least": "greatest"}.get(kind, kind)
        return self._folded(base, name, body, order, otherwise)

    def _folded(
        self, base: SetOf, name: str, body: Term, order: Callable[[Term, Term], Term], otherwise: Term | None
    ) -> Term:
        shape = base.domain.shape
        if shape is None:
            low, high = base.domain.low, base.domain.high
            return bind_fold(name, low, high, base.variable, base.condition, body, order, otherwise)
        return bind_fold_index(name, shape.rank, shape.dim, base.variable, base.condition, body, order, otherwise)

    def _every(self, node: s.Node, kind: str, base: SetOf) -> Term:
        body = base.body
        if not isinstance(body, Term) or body.sort != BOOL:
            raise SpecificationError(
                f"`{kind}` is of conditions, and this is {a_kind(kind_of(base))}",
                node.parts[0].span,
                "write a condition",
            )
        binding = Binding(base.domain, base.variable, base.condition, base.variable)
        return binding.for_all(body) if kind == "all" else not_(binding.for_all(not_(body)))

    def _order_of(self, node: s.Node, kind: str, name: str, sort: Sort) -> Callable[[Term, Term], Term]:
        if kind in ("greatest", "least"):
            if not name:
                known = ", ".join(f"`{order}`" for order in self.library.orders) or "none; `use orders` has some"
                raise SpecificationError(
                    f"`{kind}` needs an order", node.span, f"write `{kind} {{ ... }} by ORDER`; known here: {known}"
                )
            if name not in self.library.orders:
                raise self._unknown("order", name, node.span, list(self.library.orders))
            order = self.library.orders[name]
            self.context.know_order(order, self.library)
            self.context.fold_orders[(name, sort)] = None
            if kind == "greatest":
                return lambda x, y: self.order(order, x, y, node.span)
            return lambda x, y: self.order(order, y, x, node.span)
        if kind in ("sum", "product"):
            self._addable(node, kind, sort)
        elif kind in ("max", "min") and sort != INT:
            raise SpecificationError(
                f"`{kind}` is for integers, and this is a set of {sort}",
                node.span,
                "name an order: `greatest S by ...`",
            )
        return (lambda x, y: le(y, x)) if kind == "min" else le

    def _addable(self, node: s.Node, kind: str, sort: Sort) -> None:
        """What is added in any order has to give the same."""
        self.may_wrap(sort, node.span)
        exact = sort in (INT, REAL) or isinstance(sort, IntegerSort)
        if not exact and not (sort == ELEMENT and self.context.family in ("int", "real")):
            raise SpecificationError(
                f"a {kind} of floats depends on its order, so it is not one value",
                node.span,
                f"write the {kind} of `real(...)`, and round it or give a set of results",
            )

    def _choice(self, node: s.Node, kind: str, base: SetOf, body: Term, otherwise: Term | None) -> None:
        """Without a default the set must not be empty; the only member has to be the only one."""

        def over(body: Callable[[Term, Term, Term], Term]) -> Term:
            """What holds of each member: the name, its condition, its value."""
            m = placeholder(base.variable.sort)
            condition, value = (substitute(t, {base.variable: m}) for t in (base.condition, base_body))
            return Binding(base.domain, m, TRUE, m).for_all(body(m, condition, value))

        base_body = body
        if otherwise is None:
            empty = over(lambda m, condition, value: not_(condition))
            self.context.require("total", not_(empty), f"the set is not empty: {text_of(node)}", node.span)
        if kind == "the":
            one = over(
                lambda m, first, x: over(lambda n, second, y: implies(and_(first, second), eq(x, y))),
            )
            self.context.require("total", one, f"the set has one member only: {text_of(node)}", node.span)
