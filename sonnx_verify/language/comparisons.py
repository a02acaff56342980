"""Comparisons, sameness, and what is said of a tensor or a clause: `is dense`, `C1 fails`."""

from __future__ import annotations

from collections.abc import Mapping

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.binding import Binders
from sonnx_verify.language.cures import of_two
from sonnx_verify.language.library import a_kind
from sonnx_verify.language.values import (
    Items,
    Members,
    Outcome,
    Position,
    SetOf,
    Shape,
    Tensor,
    Value,
    kind_of,
    same_shape,
    same_tensor,
)
from sonnx_verify.logic.sorts import BOOL, INT, STRING
from sonnx_verify.logic.terms import TRUE, Term, and_, eq, implies, le, lt, not_


class Comparisons(Binders):
    """The layer of comparisons."""

    def _relation(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        values = [self.value(p, scope) for p in node.parts]
        return and_(*(self._compare(node, op, a, b) for op, a, b in zip(node.text, values, values[1:], strict=False)))

    def _compare(self, node: s.Node, op: str, a: Value, b: Value) -> Term:
        if op in ("=", "!="):
            same = self._same(node, a, b)
            return same if op == "=" else not_(same)
        if isinstance(a, Term) and isinstance(b, Term) and a.sort == b.sort and a.sort not in (BOOL, STRING):
            if op in (">", ">="):
                op, a, b = {">": "<", ">=": "<="}[op], b, a
            if a.sort == INT:
                return (le if op == "<=" else lt)(a, b)
            return self.context.operation(op, a, b)
        raise SpecificationError(
            f"`{op}` cannot compare {a_kind(kind_of(a))} with {a_kind(kind_of(b))}",
            node.span,
            of_two(a, b, self.context) if kind_of(a) != kind_of(b) else "compare numbers, or elements",
        )

    def _same(self, node: s.Node, a: Value, b: Value) -> Term:
        match a, b:
            case Term(), Term() if a.sort == b.sort:
                return eq(a, b)
            case Shape(), Shape():
                return same_shape(a, b)
            case Tensor(), Tensor() if a.sort == b.sort:
                return same_tensor(a, b)
            case Position(), Position():
                return and_(eq(a.rank, b.rank), eq(a.term, b.term))
            case Outcome(), Outcome() if a.result.sort == b.result.sort:
                return and_(eq(a.defined, b.defined), implies(a.defined, same_tensor(a.result, b.result)))
            case Outcome(), Tensor() if a.result.sort == b.sort:
                return and_(a.defined, same_tensor(a.result, b))
            case Tensor(), Outcome():
                return self._same(node, b, a)
            case (Items(), Items()) | (SetOf() | Members(), SetOf() | Members()):
                raise SpecificationError(
                    "lists, and sets, are not compared as a whole",
                    node.span,
                    "compare their members: `for all k in ...`",
                )
            case _:
                raise SpecificationError(
                    f"{a_kind(kind_of(a))} is never {a_kind(kind_of(b))}",
                    node.span,
                    of_two(a, b, self.context),
                )

    def _is(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        value, what = self.value(node.parts[0], scope), node.text[0]
        if isinstance(value, Outcome) and what == "valid":
            return value.defined
        if isinstance(value, Outcome):
            value = self._result(value, node.span)
        if not isinstance(value, Tensor):
            raise SpecificationError(
                f"`is {what}` speaks of a tensor, and this is {a_kind(kind_of(value))}", node.span, "name a tensor"
            )
        if what not in self.library.facts:
            raise self._unknown("fact", what, node.span, list(self.library.facts))
        if value.facts is not None:
            return value.facts(what)
        if not self.context.applied:
            raise SpecificationError(
                f"whether it `is {what}` is known of an operator's inputs only", node.span, "leave this out"
            )
        return TRUE

    def _is_not(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        return not_(self._is(node, scope))

    def _fails(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        name = node.text[0]
        value = scope.get(f"[{name}]")
        if not isinstance(value, Term):
            known = [k[1:-1] for k in scope if k.startswith("[") and " " not in k]
            raise self._unknown("constraint", name, node.span, known)
        return value
