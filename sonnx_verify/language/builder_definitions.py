"""What the rules of definitions, orders and theorems become in the syntax tree."""

from __future__ import annotations

from typing import Any

from lark import Token, v_args

from sonnx_verify.language import syntax as s
from sonnx_verify.language.builder_expressions import ExpressionBuilder
from sonnx_verify.language.builder_tokens import marks_of, names_of, unquoted


@v_args(meta=True)
class DefinitionBuilder(ExpressionBuilder):
    """The rules of what a library or a theory holds: definitions, orders, theorems and their proofs."""

    def bounds(self, meta: Any, children: list[Any]) -> Any:
        return (children[0], children[1])

    def define(self, meta: Any, children: list[Any]) -> Any:
        name, *rest, body = children
        parameters = tuple(c for c in rest if isinstance(c, s.Declaration))
        result = next(c for c in rest if isinstance(c, s.Type))
        titles = [unquoted(c) for c in rest if isinstance(c, Token) and c.type == "STRING"]
        recursion = next((c for c in rest if isinstance(c, tuple)), None)
        _, family = marks_of(rest)
        title = titles[0] if titles else ""
        return s.Definition(str(name), parameters, result, family, title, body, self._span(meta), recursion)

    def recursion(self, meta: Any, children: list[Any]) -> Any:
        return (str(children[0]), int(children[1]))

    def parameter(self, meta: Any, children: list[Any]) -> Any:
        return s.Declaration(str(children[0]), children[1], self._span(meta))

    def order(self, meta: Any, children: list[Any]) -> Any:
        return self._order(meta, children, (), "")

    def order_by_classes(self, meta: Any, children: list[Any]) -> Any:
        classes = tuple(c for c in children if isinstance(c, tuple))
        plain = [c for c in children if not isinstance(c, tuple)]
        names = [c for c in plain if isinstance(c, Token) and c.type == "NAME"]
        of = names[2]
        return self._order(meta, [c for c in plain if c is not of], classes, str(of))

    def class_(self, meta: Any, children: list[Any]) -> Any:
        return (str(children[0]), children[1])

    def _order(self, meta: Any, children: list[Any], classes: Any, of: str) -> s.OrderDefinition:
        title = next(unquoted(c) for c in children if isinstance(c, Token) and c.type == "STRING")
        name, family, x, y = names_of(children)
        origin, _ = marks_of(children)
        return s.OrderDefinition(name, family, title, origin, x, y, children[-1], self._span(meta), classes, of)

    def statement(self, meta: Any, children: list[Any]) -> Any:
        return self._theorem("statement", "the statement", children, meta)

    def theorem(self, meta: Any, children: list[Any]) -> Any:
        name, title, *rest = children
        return self._theorem(str(name), unquoted(title), rest, meta)

    def _theorem(self, name: str, title: str, children: list[Any], meta: Any) -> s.Theorem:
        *middle, body = children
        declarations: tuple[s.Declaration, ...] = ()
        assuming = induction = None
        using: tuple[s.Used, ...] = ()
        taken: list[s.Taken] = []
        for part in middle:
            match part:
                case s.Taken():
                    taken.append(part)
                case ("using", found):
                    using = found
                case ("declarations", found):
                    declarations = found
                case ("assuming", found):
                    assuming = found
                case ("induction", *found):
                    induction = tuple(found)
        span = self._span(meta)
        return s.Theorem(name, title, declarations, assuming, induction, body, span, using, tuple(taken))

    def using(self, meta: Any, children: list[Any]) -> Any:
        return ("using", tuple(children))

    def used(self, meta: Any, children: list[Any]) -> Any:
        return s.Used(str(children[0]), children[1].parts, None, self._span(meta))

    def used_as_named(self, meta: Any, children: list[Any]) -> Any:
        return s.Used(str(children[0]), None, None, self._span(meta))

    def used_for_all(self, meta: Any, children: list[Any]) -> Any:
        binders, name, arguments = children
        return s.Used(str(name), arguments.parts, binders, self._span(meta))

    def take(self, meta: Any, children: list[Any]) -> Any:
        name, *binders, body = children
        return s.Taken(str(name), tuple(binders), body, self._span(meta))

    def declarations(self, meta: Any, children: list[Any]) -> Any:
        return ("declarations", tuple(d for group in children for d in group))

    def declaration(self, meta: Any, children: list[Any]) -> Any:
        *declared, kind = children
        return [s.Declaration(name, kind, span, low, high) for name, low, high, span in declared]

    def declared(self, meta: Any, children: list[Any]) -> Any:
        low, high = children[1] if len(children) > 1 else (None, None)
        return (str(children[0]), low, high, self._span(meta))

    def assuming(self, meta: Any, children: list[Any]) -> Any:
        return ("assuming", children[0])

    def induction(self, meta: Any, children: list[Any]) -> Any:
        return ("induction", str(children[0]), children[1], children[2])
