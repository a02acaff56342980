"""Text to syntax tree. Every mistake is a SpecificationError at its place."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, Tree, UnexpectedInput, v_args
from lark.exceptions import VisitError

from sonnx_verify.errors import Source, Span, SpecificationError
from sonnx_verify.language import syntax as s

MAX_DEPTH = 120
_KEYWORDS = frozenset(
    re.findall(r'"([a-z]+)"', (Path(__file__).with_name("grammar.lark")).read_text("utf-8"))
) | frozenset(["restriction", "constraint", "error", "outcome", "value"])


@functools.cache
def _lark(start: str) -> Lark:
    return Lark.open(
        "grammar.lark", rel_to=__file__, parser="lalr", propagate_positions=True, start=start, maybe_placeholders=False
    )


def parse(source: Source) -> s.File:
    """The syntax tree of a file."""
    if not source.text.strip():
        raise SpecificationError(
            f"{source.name} is empty", Span(source, 1, 1), "begin with a line such as `operator NAME version 1 draft`"
        )
    tree = _parse(source, "start")
    file = s.File(source.name)
    for item in tree.children:
        _place(file, item)
    if not file.kind:
        raise SpecificationError(
            "the file does not say what it is",
            Span(source, 1, 1),
            'begin with `operator NAME version N profile`, `library NAME "..."` or `theory NAME "..."`',
        )
    return file


def parse_expression(source: Source) -> s.Node:
    """The syntax tree of one expression."""
    node = _parse(source, "expression")
    assert isinstance(node, s.Node)
    return node


def parse_statement(source: Source) -> s.Theorem:
    """The syntax tree of a statement: an expression, or a theorem's text from its declarations on."""
    theorem = _parse(source, "statement")
    assert isinstance(theorem, s.Theorem)
    return theorem


def _parse(source: Source, start: str) -> Any:
    try:
        return _Builder(source).transform(_lark(start).parse(source.text))
    except UnexpectedInput as problem:
        raise _explain(source, problem) from None
    except VisitError as problem:
        if isinstance(problem.orig_exc, SpecificationError):
            raise problem.orig_exc from None
        raise
    except RecursionError:
        raise _too_deep(Span(source, 1, 1)) from None


def _too_deep(span: Span) -> SpecificationError:
    return SpecificationError(
        f"the expression is nested more than {MAX_DEPTH} deep", span, "give parts of it names with `let` or `define`"
    )


def _explain(source: Source, problem: UnexpectedInput) -> SpecificationError:
    token = getattr(problem, "token", None)
    line, column = problem.line, problem.column
    if token is not None and token.type == "$END" or line is None or line < 1:
        lines = source.text.split("\n")
        line = len(lines)
        column = len(lines[-1]) + 1 if lines else 1
        return SpecificationError(
            "the text ends in the middle of an item", Span(source, line, column), "complete the item, or check its end"
        )
    if token is not None:
        word, length = f"`{_short(str(token))}`", len(token)
    else:
        text = source.line(line)
        found = text[column - 1 : column]
        if found == '"':
            return SpecificationError(
                "a text in quotes does not end on its line", Span(source, line, column), 'close it with `"`'
            )
        word, length = f"the character {found!r}", 1
    cure = _cure(token, set(getattr(problem, "accepts", None) or getattr(problem, "expected", None) or ()))
    return SpecificationError(f"{word} does not fit here", Span(source, line, column, length), cure)


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:27] + "..."


_READABLE = {
    "NAME": "a name",
    "INT": "a number",
    "STRING": 'a text in "quotes"',
    "RELATION": "a comparison",
    "SIGN": "+ or -",
    "TAG": "a tag such as [R1]",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "LBRACE": "{",
    "RBRACE": "}",
    "COLON": ":",
    "EQUAL": "=",
    "VBAR": "|",
}


def _cure(token: Token | None, expected: set[str]) -> str:
    if token is not None and str(token) in _KEYWORDS and "NAME" in expected:
        return f"`{token}` is a word of the language: choose another name"
    wanted = sorted(_READABLE.get(name, name.lower().strip("_")) for name in expected if not name.startswith("__"))
    if not wanted:
        return "see the language reference"
    few = wanted if len(wanted) <= 6 else [w for w in wanted if not w.isalpha()][:6]
    return "expected here: " + ", ".join(few)


def _check_name(name: str, span: Span) -> None:
    if name in _KEYWORDS:
        found = re.search(rf"\b{name}\b", span.source.line(span.line)[span.column - 1 :])
        span = Span(span.source, span.line, span.column + (found.start() if found else 0), len(name))
        raise SpecificationError(f"`{name}` cannot be a name", span, "it is a word of the language: choose another")


def _place(file: s.File, item: Any) -> None:
    """Put an item where it belongs."""
    match item:
        case (("input" | "output" | "attribute"), s.Declaration(name=name, span=span)):
            _check_name(name, span)
        case s.Let(name=name, span=span):
            _check_name(name, span)
        case s.Definition(name=name, parameters=parameters, span=span):
            _check_name(name, span)
            for n, parameter in enumerate(parameters):
                _check_name(parameter.name, parameter.span)
                if parameter.name in {p.name for p in parameters[:n]}:
                    raise SpecificationError(
                        f"two parameters are called `{parameter.name}`", parameter.span, "rename one of them"
                    )
    match item:
        case ("header", kind, name, version, title, span):
            if file.kind:
                raise SpecificationError(
                    f"the file is a {file.kind} already", span, "write one operator, library or theory in a file"
                )
            file.kind, file.name, file.version, file.title, file.span = kind, name, version, title, span
        case ("use", name, span):
            file.uses.append((name, span))
        case ("refines", refines):
            file.refines = refines
        case ("page", name, span):
            file.page = (name, span)
        case ("types", name, members, span):
            if name in file.types:
                raise SpecificationError(f"types `{name}` are listed twice", span, "merge the two lists")
            file.types[name] = members
            file.type_spans[name] = span
        case ("input", declaration):
            file.inputs.append(declaration)
        case ("output", declaration):
            file.outputs.append(declaration)
        case ("attribute", declaration):
            file.attributes.append(declaration)
        case ("fact", name, title):
            file.facts[name] = title
        case ("general", name, title):
            file.generals[name] = title
        case ("indices", base):
            file.index_base = base[0]
            file.readings.append(base[1])
        case s.Clause():
            file.clauses.append(item)
        case s.Rule():
            file.rules.append(item)
        case s.Let():
            file.lets.append(item)
        case s.Definition():
            file.definitions.append(item)
        case s.OrderDefinition():
            file.orders.append(item)
        case s.Theorem():
            file.theorems.append(item)
        case s.Undefined():
            file.undefined.append(item)
        case s.Reading():
            file.readings.append(item)
        case s.Expectation():
            file.expectations.append(item)
        case _:
            raise AssertionError(f"an item that no case places: {item}")


class _Origin(str):
    pass


class _Family(str):
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
]


@v_args(meta=True)
class _Builder(Transformer[Token, Any]):
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
            raise _too_deep(span)
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
        name, version, status = children
        return ("header", str(status), str(name), int(version), "", self._span(meta))

    def refines(self, meta: Any, children: list[Any]) -> Any:
        namespace, name, version, *renamings = children
        return ("refines", s.Refines(str(namespace), str(name), int(version), dict(renamings), self._span(meta)))

    def renaming(self, meta: Any, children: list[Any]) -> Any:
        return (str(children[0]), str(children[1]))

    def page(self, meta: Any, children: list[Any]) -> Any:
        return ("page", _unquoted(children[0]), self._span(meta))

    def types(self, meta: Any, children: list[Any]) -> Any:
        name, *members = (str(c) for c in children)
        return ("types", name, members, self._span(meta))

    def input(self, meta: Any, children: list[Any]) -> Any:
        return ("input", _with_where(children))

    def output(self, meta: Any, children: list[Any]) -> Any:
        return ("output", children[0])

    def attribute(self, meta: Any, children: list[Any]) -> Any:
        return ("attribute", _with_where(children))

    def declared_as(self, meta: Any, children: list[Any]) -> Any:
        name, *bounds, kind = children
        low, high = bounds[0] if bounds else (None, None)
        return s.Declaration(str(name), kind, self._span(meta), low, high)

    def bounds(self, meta: Any, children: list[Any]) -> Any:
        return (children[0], children[1])

    def fact(self, meta: Any, children: list[Any]) -> Any:
        return ("fact", str(children[0]), _unquoted(children[1]))

    def general(self, meta: Any, children: list[Any]) -> Any:
        return ("general", str(children[0]), _unquoted(children[1]))

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
        tags = str(tag)[1:-1]
        return s.Clause(tags.split(",")[0], str(kind), title, origin, family, body, span, tags)

    def let(self, meta: Any, children: list[Any]) -> Any:
        return s.Let(str(children[0]), children[1], self._span(meta))

    def shape(self, meta: Any, children: list[Any]) -> Any:
        names = [str(c) for c in children if isinstance(c, Token) and c.type == "NAME"]
        return s.Rule("shape", names[0], "", *_marks(children), children[-1], self._span(meta))

    def value(self, meta: Any, children: list[Any]) -> Any:
        names = [str(c) for c in children if isinstance(c, Token) and c.type == "NAME"]
        return s.Rule("value", names[0], names[1], *_marks(children), children[-1], self._span(meta))

    def unspecified(self, meta: Any, children: list[Any]) -> Any:
        names = [str(c) for c in children if isinstance(c, Token) and c.type == "NAME"]
        output, index = (names + ["", ""])[:2]
        what = f"unspecified {children[0]}"
        return s.Rule(what, output, index, *_marks(children), children[-1], self._span(meta))

    def define(self, meta: Any, children: list[Any]) -> Any:
        name, *rest, body = children
        parameters = tuple(c for c in rest if isinstance(c, s.Declaration))
        result = next(c for c in rest if isinstance(c, s.Type))
        titles = [_unquoted(c) for c in rest if isinstance(c, Token) and c.type == "STRING"]
        _, family = _marks(rest)
        return s.Definition(str(name), parameters, result, family, titles[0] if titles else "", body, self._span(meta))

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
        for part in middle:
            match part:
                case ("declarations", found):
                    declarations = found
                case ("assuming", found):
                    assuming = found
                case ("induction", *found):
                    induction = tuple(found)
        return s.Theorem(name, title, declarations, assuming, induction, body, self._span(meta))

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
    def method(self: _Builder, meta: Any, children: list[Any]) -> s.Node:
        return self._node(kind, meta, children)

    return v_args(meta=True)(method)


for _kind in _EXPRESSIONS:
    setattr(_Builder, _kind, _expression_method(_kind))


def _unquoted(token: Any) -> str:
    text = str(token)
    return text[1:-1] if text.startswith('"') else text


def _marks(children: list[Any]) -> tuple[str, str]:
    """The origin and the family among the children."""
    origin = next((str(c) for c in children if isinstance(c, _Origin)), "")
    family = next((str(c) for c in children if isinstance(c, _Family)), "")
    return origin, family


def _with_where(children: list[Any]) -> s.Declaration:
    declaration = children[0]
    if len(children) == 1:
        return declaration  # type: ignore[no-any-return]  # the first child is a Declaration
    return s.Declaration(
        declaration.name, declaration.type, declaration.span, declaration.low, declaration.high, children[1].parts[0]
    )
