"""Examples of reference pages: what their code says, as far as it is literal. Code is parsed, and never run."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sonnx_verify.errors import Span
from sonnx_verify.pages.reading.blocks import Block

UNKNOWN: Any = type("Unknown", (), {"__repr__": lambda _: "UNKNOWN"})()
"""The value of what is not literal."""
_ELEMENTS = {"float32": "float", "float64": "double", "float": "double", "int": "int64", "bool_": "bool"}
"""Element types that numpy calls otherwise than ONNX."""
_PRINTED = re.compile(r"\s*#\s*print\(\s*(?P<name>\w+)\s*\)\s*$")


@dataclass(frozen=True, slots=True)
class Array:
    """A literal array: its value as nested lists, and its element type, empty where the code does not name it."""

    value: Any
    element: str
    span: Span

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Its shape, None where rows differ in length."""
        return _shape(self.value)


@dataclass(frozen=True, slots=True)
class Node:
    """A node that the code makes. What of its attributes is not literal is UNKNOWN."""

    operator: str
    inputs: tuple[str, ...] | None
    outputs: tuple[str, ...] | None
    attributes: dict[str, Any]
    span: Span


@dataclass(frozen=True, slots=True)
class Case:
    """What a node is expected to give: inputs, and the results that the code or a comment shows; None for what is not
    literal. `test` is the name of the test; `other` says that it is one of another opset than the page's newest."""

    test: str
    node: Node | None
    inputs: tuple[Array | None, ...]
    outputs: tuple[Array | None, ...]
    other: bool
    span: Span


@dataclass(slots=True)
class Example:
    """An example: `arrays` are the literal arrays of each name in their order, `shown` the results that comments show,
    `loose` literals that stand as statements, `problems` what cannot be read."""

    title: str
    code: str
    span: Span
    arrays: list[tuple[str, Array]] = field(default_factory=list)
    shown: list[tuple[str, Array]] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    loose: list[Span] = field(default_factory=list)
    problems: list[tuple[Span, str]] = field(default_factory=list)


def example_of(title: str, block: Block) -> Example:
    """The example that a block of code is."""
    made = Example(title, block.raw, block.span)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(block.raw if block.raw[:1].strip() else _dedented(block.raw))
        _Reader(made).read(tree)
    except SyntaxError as problem:
        place = _place(block.span, problem.lineno or 1, max(0, (problem.offset or 1) - 1))
        made.problems.append((place, f"the code is no Python: {problem.msg}"))
    except (ValueError, RecursionError, MemoryError) as problem:
        made.problems.append((block.span, f"the code cannot be read: {type(problem).__name__}"))
    return made


def literal(text: str) -> Any:
    """The value of a text that a comment or a page shows, as numpy prints arrays or as Python writes them; UNKNOWN for
    what is none."""
    if not re.fullmatch(r"[-+\w.,\s\[\]()'\"]*", text):
        return UNKNOWN
    commas = re.sub(r"(?<=[\w.\]'\"])\s+(?=[-+\w.\['\"])", ", ", text.strip())
    try:
        return _value(ast.parse(commas, mode="eval").body, {})
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return UNKNOWN


class _Reader:
    """Follows the statements of an example in their order."""

    def __init__(self, made: Example) -> None:
        self._made = made
        self._known: dict[str, Any] = {}
        self._since: dict[str, int] = {}

    def read(self, tree: ast.Module) -> None:
        """All statements."""
        lines = self._made.code.split("\n")
        self._comments(lines)
        for n, statement in enumerate(tree.body):
            match statement:
                case ast.Assign(targets=[ast.Name(name)], value=value):
                    self._assign(name, value, statement)
                case ast.Expr(ast.Call(func=ast.Name("expect")) as call):
                    self._expect(call)
                case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name(name)))):
                    self._known[name] = UNKNOWN
                case ast.Expr(value) if _loose(value, n):
                    self._made.loose.append(self._at(statement))
                case _:
                    for inner in ast.walk(statement):
                        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store | ast.Del):
                            self._known[inner.id] = UNKNOWN
                        elif isinstance(inner, ast.Subscript) and isinstance(inner.value, ast.Name):
                            self._known[inner.value.id] = UNKNOWN

    def _assign(self, name: str, value: ast.expr, statement: ast.stmt) -> None:
        self._since[name] = statement.lineno
        if isinstance(value, ast.Call) and _called(value) == "make_node":
            self._known[name] = self._node(value)
            return
        made = _value(value, self._known)
        if isinstance(made, _Made):
            made = Array(made.value, made.element, self._at(value))
            self._made.arrays.append((name, made))
            if made.shape is None:
                self._made.problems.append((made.span, f"rows of `{name}` differ in length"))
        self._known[name] = made

    def _node(self, call: ast.Call) -> Node:
        named = {k.arg: _value(k.value, self._known) for k in call.keywords if k.arg}
        words = [_value(a, self._known) for a in call.args]
        inputs, outputs = (
            named.pop(key, words[n] if n < len(words) else UNKNOWN) for n, key in ((1, "inputs"), (2, "outputs"))
        )
        operator = words[0] if words and isinstance(words[0], str) else named.pop("op_type", "")
        attributes = {k: v for k, v in named.items() if k not in ("name", "domain", "doc_string", "overload")}
        made = Node(str(operator), _names(inputs), _names(outputs), attributes, self._at(call))
        self._made.nodes.append(made)
        return made

    def _expect(self, call: ast.Call) -> None:
        named = {k.arg: k.value for k in call.keywords if k.arg}
        node = call.args[0] if call.args else named.get("node")
        made = self._known.get(node.id) if isinstance(node, ast.Name) else None
        test = _value(named["name"], self._known) if "name" in named else ""
        self._made.cases.append(
            Case(
                test if isinstance(test, str) else "",
                made if isinstance(made, Node) else None,
                tuple(self._arrays(named.get("inputs"), call)),
                tuple(self._arrays(named.get("outputs"), call)),
                "opset_imports" in named,
                self._at(named.get("name", call)),
            )
        )

    def _arrays(self, values: ast.expr | None, call: ast.Call) -> Iterator[Array | None]:
        for item in values.elts if isinstance(values, ast.List | ast.Tuple) else ():
            made = _value(item, self._known)
            if isinstance(made, Array):
                yield made
            else:
                yield self._printed(item.id, call) if isinstance(item, ast.Name) else None

    def _printed(self, name: str, call: ast.Call) -> Array | None:
        """The result that a comment shows of a name since it was assigned."""
        first = _place(self._made.span, self._since.get(name, 1), 0).line
        last = _place(self._made.span, call.lineno, 0).line
        return next((a for n, a in self._made.shown if n == name and first <= a.span.line <= last), None)

    def _comments(self, lines: list[str]) -> None:
        """Results that comments show below `# print(name)`, one row a line."""
        for n, line in enumerate(lines):
            if printed := _PRINTED.match(line):
                text = ""
                for after in lines[n + 1 :]:
                    if not (row := re.fullmatch(r"\s*#\s*|\s*#?\s*([\[\]\d.,\s+\-\w]*\],?|\[[^#=()]*)", after)):
                        break
                    text += (row[1] or "") + "\n"
                    if text.count("[") == text.count("]"):
                        break
                if text:
                    self._show(printed["name"], text, n + 1, 0)

    def _show(self, name: str, text: str, line: int, column: int) -> None:
        place = _place(self._made.span, line + 1, column)
        value = literal(text)
        if value is UNKNOWN or _shape(value) is None:
            self._made.problems.append((place, f"the result that is shown of `{name}` is no array"))
        else:
            self._made.shown.append((name, Array(value, "", place)))

    def _at(self, node: ast.AST) -> Span:
        return _place(self._made.span, getattr(node, "lineno", 1), getattr(node, "col_offset", 0))


@dataclass(frozen=True, slots=True)
class _Made:
    """An array before its place is known."""

    value: Any
    element: str


def _value(node: ast.expr, known: dict[str, Any]) -> Any:
    """The value of an expression, as far as it is literal."""
    match node:
        case ast.Constant(value):
            return value
        case ast.Name("nan" | "inf" as name) if name not in known:
            return float(name)
        case ast.Name(name):
            return known.get(name, UNKNOWN)
        case ast.UnaryOp(ast.USub() | ast.UAdd() as sign, operand):
            value = _value(operand, known)
            if isinstance(value, int | float):
                return -value if isinstance(sign, ast.USub) else value
        case ast.List(items) | ast.Tuple(items):
            made = [_value(item, known) for item in items]
            return UNKNOWN if any(m is UNKNOWN or isinstance(m, Array | _Made | Node) for m in made) else made
        case ast.Attribute(value=ast.Name("np" | "numpy" | "math"), attr="nan" | "NaN" | "NAN" | "inf" | "Inf" as name):
            return float(name.lower())
        case ast.Call(func=ast.Name("float"), args=[ast.Constant("nan" | "inf" | "-inf" as text)]):
            return float(text)
        case ast.Call(
            func=ast.Attribute(value=ast.Name("np" | "numpy"), attr="array" | "asarray"), args=[first, *rest]
        ):
            given = [*rest, *(k.value for k in node.keywords if k.arg == "dtype")]
            return _array(_value(first, known), _element(given[0]) if given else "")
        case ast.Call(func=ast.Attribute(value=ast.Name("np" | "numpy"), attr=name), args=[first]) if _is_type(name):
            return _array(_value(first, known), _ELEMENTS.get(name, name))
        case ast.Call(func=ast.Attribute(value=inner, attr="astype"), args=[kind]):
            return _array(_value(inner, known), _element(kind))
    return UNKNOWN


def _array(value: Any, element: str) -> Any:
    if isinstance(value, Array | _Made):
        value = value.value
    return UNKNOWN if value is UNKNOWN or isinstance(value, Node | None) else _Made(value, element)


def _element(node: ast.expr) -> str:
    match node:
        case ast.Attribute(attr=name) | ast.Name(name) | ast.Constant(str(name)):
            return _ELEMENTS.get(name, name)
    return ""


def _is_type(name: str) -> bool:
    return re.fullmatch(r"b?float\d*|bfloat16|u?int\d+|bool_", name) is not None


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _names(value: Any) -> tuple[str, ...] | None:
    return tuple(value) if isinstance(value, list) and all(isinstance(v, str) for v in value) else None


def _loose(value: ast.expr, n: int) -> bool:
    """Whether a statement is a literal that does nothing: a list or a number; a text at the beginning says what the
    code is about."""
    return isinstance(value, ast.List | ast.Tuple) or (
        isinstance(value, ast.Constant) and value.value is not ... and not (n == 0 and isinstance(value.value, str))
    )


def _shape(value: Any) -> tuple[int, ...] | None:
    if not isinstance(value, list):
        return ()
    inner = {_shape(item) for item in value}
    if None in inner or len(inner) > 1:
        return None
    return (len(value), *(inner.pop() or ())) if inner else (0,)


def _dedented(code: str) -> str:
    first = next((line for line in code.split("\n") if line.strip()), "")
    indent = len(first) - len(first.lstrip())
    return "\n".join(line[indent:] if not line[:indent].strip() else line for line in code.split("\n"))


def _place(start: Span, line: int, column: int) -> Span:
    """The place on the page of a line and a column of code."""
    number = start.line + line - 1
    shown = start.source.line(number)
    indent = start.column - 1 if not shown[: start.column - 1].strip() else 0
    return Span(start.source, number, min(indent + column, len(shown)) + 1)
