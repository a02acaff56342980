"""What each rule of the grammar becomes in the syntax tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lark import Token, Transformer, Tree, v_args

from sonnx_verify.errors import Source, Span, SpecificationError
from sonnx_verify.language import syntax as s

MAX_DEPTH = 120
MAX_PARTS = 5000


def too_deep(span: Span) -> SpecificationError:
    """The error for an expression that is nested too deeply."""
    return SpecificationError(
        f"this is nested more than {MAX_DEPTH} deep", span, "give parts of it names with `let` or `define`"
    )


class _Origin(str):
    pass


class _Family(str):
    pass


class _Text(str):
    pass


_EXPRESSIONS = [
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
class Builder(Transformer[Token, Any]):
    """One method for each rule of the grammar."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source

    def _span(self, meta: Any) -> Span:
        length = max(1, meta.end_pos - meta.start_pos) if not meta.empty else 1
        return Span(self.source, getattr(meta, "line", 1), getattr(meta, "column", 1), length)

    def start(self, meta: Any, children: list[Any]) -> Tree[Any]:
        return Tree("start", children)

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

    # -- items

    def use(self, meta: Any, children: list[Any]) -> Any:
        return ("use", str(children[0]), self._span(meta))

    def library(self, meta: Any, children: list[Any]) -> Any:
        return ("header", "library", str(children[0]), None, _unquoted(children[1]), self._span(meta))

    def theory(self, meta: Any, children: list[Any]) -> Any:
        return ("header", "theory", str(children[0]), None, _unquoted(children[1]), self._span(meta))

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
            name, kind, span, where=where.parts[0] if where else None, optional=_optional(children)
        )
        return ("change", s.Change("move", declaration, span))

    def refines(self, meta: Any, children: list[Any]) -> Any:
        namespace, name, version, *renamings = children
        return ("refines", s.Refines(str(namespace), str(name), int(version), dict(renamings), self._span(meta)))

    def renaming(self, meta: Any, children: list[Any]) -> Any:
        return (str(children[0]), str(children[1]))

    def page(self, meta: Any, children: list[Any]) -> Any:
        return ("page", _unquoted(children[0]), self._span(meta))

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

    def bounds(self, meta: Any, children: list[Any]) -> Any:
        return (children[0], children[1])

    def fact(self, meta: Any, children: list[Any]) -> Any:
        return ("fact", str(children[0]), _unquoted(children[1]), self._span(meta))

    def general(self, meta: Any, children: list[Any]) -> Any:
        return ("general", str(children[0]), _unquoted(children[1]), self._span(meta))

    def origin(self, meta: Any, children: list[Any]) -> Any:
        return _Origin(_unquoted(children[0]))

    def family(self, meta: Any, children: list[Any]) -> Any:
        return _Family(children[0])

    def clause(self, meta: Any, children: list[Any]) -> Any:
        return self._clause(meta, children, children[-1])

    def outside(self, meta: Any, children: list[Any]) -> Any:
        return self._clause(meta, children, None)

    def _clause(self, meta: Any, children: list[Any], body: s.Node | None) -> s.Clause:
        tag, kind, *rest = children
        title = next(str(c)[1:-1] for c in rest if isinstance(c, Token) and c.type == "STRING")
        origin, family = _marks(rest)
        span = Span(self.source, tag.line, tag.column, len(tag))
        tags = _tags(tag)
        arithmetic = _arithmetic(children)
        return s.Clause(tags.split(",")[0], str(kind), title, origin, family, body, span, tags, arithmetic)

    def let(self, meta: Any, children: list[Any]) -> Any:
        (name,) = _names(children)
        return s.Let(name, children[-1], self._span(meta), _tag(children))

    def shape(self, meta: Any, children: list[Any]) -> Any:
        (name,) = _names(children)
        return s.Rule(
            "shape", name, "", *_marks(children), children[-1], self._span(meta), _arithmetic(children), _tag(children)
        )

    def value(self, meta: Any, children: list[Any]) -> Any:
        name, index = _names(children)
        return s.Rule(
            "value",
            name,
            index,
            *_marks(children),
            children[-1],
            self._span(meta),
            _arithmetic(children),
            _tag(children),
        )

    def unspecified(self, meta: Any, children: list[Any]) -> Any:
        names = [str(c) for c in children if isinstance(c, Token) and c.type == "NAME"]
        output, index = (names + ["", ""])[:2]
        reach = next(str(c) for c in children if isinstance(c, Token) and c.type == "REACH")
        title = next((_unquoted(c) for c in children if isinstance(c, Token) and c.type == "STRING"), "")
        rest = (children[-1], self._span(meta), "", _tag(children), title)
        return s.Rule(f"unspecified {reach}", output, index, *_marks(children), *rest)

    def define(self, meta: Any, children: list[Any]) -> Any:
        name, *rest, body = children
        parameters = tuple(c for c in rest if isinstance(c, s.Declaration))
        result = next(c for c in rest if isinstance(c, s.Type))
        titles = [_unquoted(c) for c in rest if isinstance(c, Token) and c.type == "STRING"]
        recursion = next((c for c in rest if isinstance(c, tuple)), None)
        _, family = _marks(rest)
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
        names = [str(c) for c in children if isinstance(c, Token) and c.type == "NAME"]
        title = next(_unquoted(c) for c in children if isinstance(c, Token) and c.type == "STRING")
        name, family, x, y = names
        origin, _ = _marks(children)
        return s.OrderDefinition(name, family, title, origin, x, y, children[-1], self._span(meta), classes, of)

    def statement(self, meta: Any, children: list[Any]) -> Any:
        return self._theorem("statement", "the statement", children, meta)

    def theorem(self, meta: Any, children: list[Any]) -> Any:
        name, title, *rest = children
        return self._theorem(str(name), _unquoted(title), rest, meta)

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

    def undefined(self, meta: Any, children: list[Any]) -> Any:
        name, *rest = children
        *arguments, result = [c for c in rest if isinstance(c, s.Type)]
        origin, _ = _marks(rest)
        span = self._span(meta)
        return s.Undefined(str(name), tuple(arguments), result, _unquoted(rest[-1]), origin, span)

    def reading(self, meta: Any, children: list[Any]) -> Any:
        origin, _ = _marks(children)
        what, repair, span = str(children[0]), str(children[1]), self._span(meta)
        return s.Reading(what, repair, _unquoted(children[-1]), origin, span)

    def indices_from(self, meta: Any, children: list[Any]) -> Any:
        origin, _ = _marks(children)
        base = int(children[0])
        title = _unquoted(children[-1])
        return ("indices", (base, s.Reading("indices", f"from {base}", title, origin, self._span(meta))))

    def expect(self, meta: Any, children: list[Any]) -> Any:
        verdict, path, *rest = (str(c) for c in children)
        family = rest[0] if len(rest) == 2 else ""
        return s.Expectation(verdict, path, family, _unquoted(rest[-1]), self._span(meta))

    # -- types

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
    def method(self: Builder, meta: Any, children: list[Any]) -> s.Node:
        return self._node(kind, meta, children)

    return v_args(meta=True)(method)


for _kind in _EXPRESSIONS:
    setattr(Builder, _kind, _expression_method(_kind))


def _unquoted(token: Any) -> str:
    text = str(token)
    return text[1:-1] if text.startswith('"') else text


def _marks(children: list[Any]) -> tuple[str, str]:
    """The origin and the family among the children."""
    origin = next((str(c) for c in children if isinstance(c, _Origin)), "")
    family = next((str(c) for c in children if isinstance(c, _Family)), "")
    return origin, family


def _names(children: list[Any]) -> list[str]:
    return [str(c) for c in children if isinstance(c, Token) and c.type == "NAME"]


def _arithmetic(children: list[Any]) -> str:
    return next((str(c) for c in children if isinstance(c, Token) and c.type == "ARITHMETIC"), "")


def _tag(children: list[Any]) -> str:
    return next((_tags(c) for c in children if isinstance(c, Token) and c.type == "TAG"), "")


def _tags(token: Token) -> str:
    """The tags in a pair of brackets, whatever blanks are between them."""
    return ", ".join(tag.strip() for tag in token[1:-1].split(","))


def _optional(children: list[Any]) -> bool:
    return any(isinstance(c, Token) and c.type == "OPTIONAL" for c in children)


def _declaration(children: list[Any]) -> s.Declaration:
    """A declaration with what stands before and after its name and type."""
    declaration = next(c for c in children if isinstance(c, s.Declaration))
    after = {c.kind: c.parts[0] for c in children if isinstance(c, s.Node)}
    return replace(declaration, where=after.get("where"), default=after.get("default"), optional=_optional(children))
