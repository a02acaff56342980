"""What the rules of expressions and types become in the syntax tree."""

from __future__ import annotations

from typing import Any

from lark import Token, Transformer, v_args

from sonnx_verify.errors import Source, Span, SpecificationError
from sonnx_verify.language import syntax as s

MAX_DEPTH = 120
MAX_PARTS = 5000


def too_deep(span: Span) -> SpecificationError:
    """The error for an expression that is nested too deeply."""
    return SpecificationError(
        f"this is nested more than {MAX_DEPTH} deep", span, "give parts of it names with `let` or `define`"
    )


EXPRESSIONS = [
    "if_",
    "for_all",
    "exists",
    "binders",
    "binder",
    "range",
    "implies",
    "iff",
    "disjunction",
    "conjunction",
    "not_",
    "is_",
    "is_not",
    "fails",
    "sum",
    "product",
    "negative",
    "power",
    "read",
    "slice",
    "call",
    "call_set",
    "member",
    "integer",
    "name",
    "group",
    "listed",
    "set",
    "fold",
    "make",
    "replaced",
    "arguments",
    "relation",
    "member_of",
    "within",
    "any_",
    "decimal",
    "text_value",
    "call_with",
    "setting",
]


@v_args(meta=True)
class ExpressionBuilder(Transformer[Token, Any]):
    """The rules of expressions and types."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source

    def _span(self, meta: Any) -> Span:
        length = max(1, meta.end_pos - meta.start_pos) if not meta.empty else 1
        return Span(self.source, getattr(meta, "line", 1), getattr(meta, "column", 1), length)

    def _node(self, kind: str, meta: Any, children: list[Any]) -> s.Node:
        parts = tuple(c for c in children if isinstance(c, s.Node))
        text = tuple(str(c) for c in children if not isinstance(c, s.Node))
        depth = 1 + max((p.depth for p in parts), default=0)
        span = self._span(meta)
        if depth > MAX_DEPTH:
            raise too_deep(span)
        if len(parts) > MAX_PARTS:
            raise SpecificationError(
                f"the expression has more than {MAX_PARTS} parts", span, "give parts of it names with `let` or `define`"
            )
        return s.Node(kind, span, parts, text, depth)

    def default(self, meta: Any, children: list[Any]) -> s.Node:
        return self._node("default", meta, children)

    def where(self, meta: Any, children: list[Any]) -> s.Node:
        return self._node("where", meta, children)

    def named_type(self, meta: Any, children: list[Any]) -> s.Type:
        return s.Type(str(children[0]), self._span(meta))

    def tensor_type(self, meta: Any, children: list[Any]) -> s.Type:
        span = self._span(meta)
        return s.Type("tensor", span, s.Type(str(children[0]), span))

    def list_type(self, meta: Any, children: list[Any]) -> s.Type:
        return s.Type("list", self._span(meta), children[0])

    def set_type(self, meta: Any, children: list[Any]) -> s.Type:
        return s.Type("set", self._span(meta), children[0])


def _expression_method(kind: str) -> Any:
    def method(self: ExpressionBuilder, meta: Any, children: list[Any]) -> s.Node:
        return self._node(kind, meta, children)

    return v_args(meta=True)(method)


for _kind in EXPRESSIONS:
    setattr(ExpressionBuilder, _kind, _expression_method(_kind))
