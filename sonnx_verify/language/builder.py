"""What each rule of the grammar becomes in the syntax tree: items, on top of expressions and definitions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lark import Token, Tree, v_args

from sonnx_verify.errors import Span
from sonnx_verify.language import syntax as s
from sonnx_verify.language.builder_definitions import DefinitionBuilder
from sonnx_verify.language.builder_tokens import (
    Family,
    Origin,
    arithmetic_of,
    is_optional,
    marks_of,
    names_of,
    tag_of,
    tags_of,
    unquoted,
)


class _Text(str):
    pass


@v_args(meta=True)
class Builder(DefinitionBuilder):
    """One method for each rule of the grammar."""

    def start(self, meta: Any, children: list[Any]) -> Tree[Any]:
        return Tree("start", children)

    def use(self, meta: Any, children: list[Any]) -> Any:
        return ("use", str(children[0]), self._span(meta))

    def library(self, meta: Any, children: list[Any]) -> Any:
        return ("header", "library", str(children[0]), None, unquoted(children[1]), self._span(meta))

    def theory(self, meta: Any, children: list[Any]) -> Any:
        return ("header", "theory", str(children[0]), None, unquoted(children[1]), self._span(meta))

    def operator(self, meta: Any, children: list[Any]) -> Any:
        name, version, status, *text = children
        return ("header", str(status), str(name), int(version), text[0] if text else "", self._span(meta))

    def text(self, meta: Any, children: list[Any]) -> Any:
        return _Text(children[0])

    def version(self, meta: Any, children: list[Any]) -> Any:
        number, *text = children
        return ("version", int(number), str(text[0]) if text else "", self._span(meta))

    def add(self, meta: Any, children: list[Any]) -> Any:
        return ("change", s.Change("add", children[0], self._span(meta)))

    def replace(self, meta: Any, children: list[Any]) -> Any:
        return ("change", s.Change("replace", children[0], self._span(meta)))

    def remove(self, meta: Any, children: list[Any]) -> Any:
        return ("change", s.Change("remove", (str(children[0]), str(children[1])), self._span(meta)))

    def remove_types(self, meta: Any, children: list[Any]) -> Any:
        family, *members = (str(c) for c in children)
        return ("change", s.Change("remove", ("types", family, members), self._span(meta)))

    def remove_types_of(self, meta: Any, children: list[Any]) -> Any:
        family, variable, *members = (str(c) for c in children)
        return ("change", s.Change("remove", ("types", f"{family} of {variable}", members), self._span(meta)))

    def move(self, meta: Any, children: list[Any]) -> Any:
        where = next((c for c in children if isinstance(c, s.Node)), None)
        kind = next(c for c in children if isinstance(c, s.Type))
        name = next(str(c) for c in children if isinstance(c, Token) and c.type == "NAME")
        span = self._span(meta)
        declaration = s.Declaration(
            name, kind, span, where=where.parts[0] if where else None, optional=is_optional(children)
        )
        return ("change", s.Change("move", declaration, span))

    def refines(self, meta: Any, children: list[Any]) -> Any:
        namespace, name, version, *renamings = children
        return ("refines", s.Refines(str(namespace), str(name), int(version), dict(renamings), self._span(meta)))

    def renaming(self, meta: Any, children: list[Any]) -> Any:
        return (str(children[0]), str(children[1]))

    def page(self, meta: Any, children: list[Any]) -> Any:
        return ("page", unquoted(children[0]), self._span(meta))

    def types(self, meta: Any, children: list[Any]) -> Any:
        name, *members = (str(c) for c in children)
        return ("types", name, members, "T", self._span(meta))

    def types_of(self, meta: Any, children: list[Any]) -> Any:
        name, variable, *members = (str(c) for c in children)
        # T and another variable may have lines for the same family.
        return ("types", f"{name} of {variable}", members, variable, self._span(meta))

    def input(self, meta: Any, children: list[Any]) -> Any:
        return ("input", _declaration(children))

    def output(self, meta: Any, children: list[Any]) -> Any:
        return ("output", _declaration(children))

    def attribute(self, meta: Any, children: list[Any]) -> Any:
        return ("attribute", _declaration(children))

    def declared_as(self, meta: Any, children: list[Any]) -> Any:
        name, *bounds, kind = children
        low, high = bounds[0] if bounds else (None, None)
        return s.Declaration(str(name), kind, self._span(meta), low, high)

    def fact(self, meta: Any, children: list[Any]) -> Any:
        return ("fact", str(children[0]), unquoted(children[1]), self._span(meta))

    def general(self, meta: Any, children: list[Any]) -> Any:
        whom, what = children[2] if len(children) > 2 else ("", "")
        span = self._span(meta)
        return ("general", str(children[0]), s.General(unquoted(children[1]), span, whom, what), span)

    def every(self, meta: Any, children: list[Any]) -> Any:
        return tuple(str(c) for c in children)

    def origin(self, meta: Any, children: list[Any]) -> Any:
        return Origin(unquoted(children[0]))

    def family(self, meta: Any, children: list[Any]) -> Any:
        return Family(children[0])

    def clause(self, meta: Any, children: list[Any]) -> Any:
        return self._clause(meta, children, children[-1])

    def outside(self, meta: Any, children: list[Any]) -> Any:
        return self._clause(meta, children, None)

    def _clause(self, meta: Any, children: list[Any], body: s.Node | None) -> s.Clause:
        tag, kind, *rest = children
        title = next(str(c)[1:-1] for c in rest if isinstance(c, Token) and c.type == "STRING")
        origin, family = marks_of(rest)
        span = Span(self.source, tag.line, tag.column, len(tag))
        tags = tags_of(tag)
        arithmetic = arithmetic_of(children)
        return s.Clause(tags.split(",")[0], str(kind), title, origin, family, body, span, tags, arithmetic)

    def let(self, meta: Any, children: list[Any]) -> Any:
        (name,) = names_of(children)
        return s.Let(name, children[-1], self._span(meta), tag_of(children))

    def shape(self, meta: Any, children: list[Any]) -> Any:
        return self._rule("shape", meta, children)

    def value(self, meta: Any, children: list[Any]) -> Any:
        return self._rule("value", meta, children)

    def unspecified(self, meta: Any, children: list[Any]) -> Any:
        reach = next(str(c) for c in children if isinstance(c, Token) and c.type == "REACH")
        title = next((unquoted(c) for c in children if isinstance(c, Token) and c.type == "STRING"), "")
        return replace(self._rule(f"unspecified {reach}", meta, children), title=title)

    def _rule(self, what: str, meta: Any, children: list[Any]) -> s.Rule:
        output, index = (names_of(children) + ["", ""])[:2]
        origin, family = marks_of(children)
        arithmetic, tag = arithmetic_of(children), tag_of(children)
        return s.Rule(what, output, index, origin, family, children[-1], self._span(meta), arithmetic, tag)

    def undefined(self, meta: Any, children: list[Any]) -> Any:
        name, *rest = children
        *arguments, result = [c for c in rest if isinstance(c, s.Type)]
        origin, _ = marks_of(rest)
        span = self._span(meta)
        return s.Undefined(str(name), tuple(arguments), result, unquoted(rest[-1]), origin, span)

    def reading(self, meta: Any, children: list[Any]) -> Any:
        origin, _ = marks_of(children)
        what, repair, span = str(children[0]), str(children[1]), self._span(meta)
        return s.Reading(what, repair, unquoted(children[-1]), origin, span)

    def indices_from(self, meta: Any, children: list[Any]) -> Any:
        origin, _ = marks_of(children)
        base = int(children[0])
        title = unquoted(children[-1])
        return ("indices", (base, s.Reading("indices", f"from {base}", title, origin, self._span(meta))))

    def expect(self, meta: Any, children: list[Any]) -> Any:
        verdict, path, *rest = (str(c) for c in children)
        family = rest[0] if len(rest) == 2 else ""
        return s.Expectation(verdict, path, family, unquoted(rest[-1]), self._span(meta))


def _declaration(children: list[Any]) -> s.Declaration:
    """A declaration with what stands before and after its name and type."""
    declaration = next(c for c in children if isinstance(c, s.Declaration))
    after = {c.kind: c.parts[0] for c in children if isinstance(c, s.Node)}
    return replace(declaration, where=after.get("where"), default=after.get("default"), optional=is_optional(children))
