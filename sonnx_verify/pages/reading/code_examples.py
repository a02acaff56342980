"""Examples of reference pages: the arrays, nodes and cases of their code, as far as they are literal.

Code is parsed, and never run: pages come from anybody. A value that the code computes is UNKNOWN, and so is one that a
statement may have changed since.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sonnx_verify.pages.reading.blocks import Block
from sonnx_verify.sources import Span

UNKNOWN: Any = type("Unknown", (), {"__repr__": lambda _: "UNKNOWN"})()
"""The value of what is not literal."""
_ELEMENTS = {"float32": "float", "float64": "double", "float": "double", "int": "int64", "bool_": "bool"}
"""Element types that numpy calls otherwise than ONNX."""
_NO_ATTRIBUTES = ("inputs", "outputs", "name", "domain", "doc_string", "overload")
"""Arguments of make_node that are none of the node's attributes."""
_ROW = re.compile(r"\s*#\s*|\s*#?\s*([\[\]\d.,\s+\-\w]*\],?|\[[^#=()]*)")
"""A row of a printed array, in a comment or out of it."""
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
    """The expected results of a node: inputs, and the results that the code or a comment shows; None for what is not
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
            # Python warns of invalid escapes in code: nobody asked about those of a page.
            warnings.simplefilter("ignore")
            tree = ast.parse(_dedented(block.raw))
        _Reader(made).read(tree)
    except SyntaxError as problem:
        place = _place(block.span, problem.lineno or 1, max(0, (problem.offset or 1) - 1))
        made.problems.append((place, f"the code is not Python: {problem.msg}"))
    # NUL characters raise the first, expressions that nest too deep one of the others.
    except (ValueError, RecursionError, MemoryError) as problem:
        made.problems.append((block.span, f"the code cannot be read: {type(problem).__name__}"))
    return made


def literal(text: str) -> Any:
    """The value of a text that a comment or a page shows, as numpy prints arrays or as Python writes them; UNKNOWN for
    what is none."""
    if not re.fullmatch(r"[-+\w.,\s\[\]()'\"]*", text):
        return UNKNOWN
    # numpy prints `[1. 2.]`, without commas.
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
        # Comments are no statements, and are read before: `expect` looks results up in them.
        self._comments(self._made.code.split("\n"))
        for n, statement in enumerate(tree.body):
            match statement:
                case ast.Assign(targets=[ast.Name(name)], value=value):
                    self._assign(name, value, statement)
                case ast.Expr(ast.Call(func=ast.Name("expect")) as call):
                    self._expect(call)
                case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name(name)))):
                    # `x.sort()` may change x.
                    self._known[name] = UNKNOWN
                case ast.Expr(value) if _is_loose(value, n):
                    self._made.loose.append(self._at(statement))
                case _:
                    self._forget(statement)

    def _forget(self, statement: ast.stmt) -> None:
        """Values that any other statement may change are no longer known: of a loop, `x[0] = 1` or `x += 1`."""
        for inner in ast.walk(statement):
            match inner:
                case ast.Name(name, ast.Store() | ast.Del()) | ast.Subscript(value=ast.Name(name)):
                    self._known[name] = UNKNOWN

    def _assign(self, name: str, value: ast.expr, statement: ast.stmt) -> None:
        self._since[name] = statement.lineno
        if isinstance(value, ast.Call) and _last_name(value.func) == "make_node":
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
        operator = next(iter(words), None)
        if not isinstance(operator, str):
            operator = str(named.pop("op_type", ""))
        # Both may be given by place or by name.
        given = dict(zip(("inputs", "outputs"), words[1:], strict=False)) | named
        attributes = {key: value for key, value in given.items() if key not in _NO_ATTRIBUTES}
        inputs, outputs = (_names(given.get(key)) for key in ("inputs", "outputs"))
        made = Node(operator, inputs, outputs, attributes, self._at(call))
        self._made.nodes.append(made)
        return made

    def _expect(self, call: ast.Call) -> None:
        """Keep a case. ONNX's own examples end with `expect(node, inputs=[x], outputs=[y], name="test_abs")`."""
        named = {k.arg: k.value for k in call.keywords if k.arg}
        node = next(iter(call.args), named.get("node"))
        test = _value(named.get("name", ast.Constant("")), self._known)
        self._made.cases.append(
            Case(
                test if isinstance(test, str) else "",
                self._node_at(node),
                tuple(self._arrays(named.get("inputs"), call)),
                tuple(self._arrays(named.get("outputs"), call)),
                "opset_imports" in named,
                self._at(named.get("name", call)),
            )
        )

    def _node_at(self, expression: ast.expr | None) -> Node | None:
        """The node that a name stands for."""
        match expression:
            case ast.Name(name):
                made = self._known.get(name)
                return made if isinstance(made, Node) else None
        return None

    def _arrays(self, values: ast.expr | None, call: ast.Call) -> Iterator[Array | None]:
        if not isinstance(values, ast.List | ast.Tuple):
            return
        for item in values.elts:
            match item, _value(item, self._known):
                case _, Array() as array:
                    yield array
                case ast.Name(name), _:
                    # What the code computes is not literal, but a comment may show it.
                    yield self._printed(name, call)
                case _:
                    yield None

    def _printed(self, name: str, call: ast.Call) -> Array | None:
        """The result that a comment shows of a name since it was assigned."""
        # A name may be given several values: the comment between its last assignment and the case counts.
        first = _place(self._made.span, self._since.get(name, 1), 0).line
        last = _place(self._made.span, call.lineno, 0).line
        return next((a for n, a in self._made.shown if n == name and first <= a.span.line <= last), None)

    def _comments(self, lines: list[str]) -> None:
        """Results that comments show below `# print(name)`."""
        for n, line in enumerate(lines):
            printed = _PRINTED.match(line)
            if printed and (text := _shown_by(lines[n + 1 :])):
                self._show(printed["name"], text, n + 2)

    def _show(self, name: str, text: str, line: int) -> None:
        place = _place(self._made.span, line, 0)
        value = literal(text)
        if value is UNKNOWN or _shape(value) is None:
            self._made.problems.append((place, f"the shown result of `{name}` is not an array"))
        else:
            self._made.shown.append((name, Array(value, "", place)))

    def _at(self, node: ast.AST) -> Span:
        return _place(self._made.span, getattr(node, "lineno", 1), getattr(node, "col_offset", 0))


def _shown_by(lines: Sequence[str]) -> str:
    """The result at the beginning of some comments, one row a line, up to the bracket that closes the first."""
    text = ""
    for line in lines:
        row = _ROW.fullmatch(line)
        if row is None:
            break
        text += (row[1] or "") + "\n"
        if text.count("[") == text.count("]"):
            break
    return text


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
            return _signed(sign, _value(operand, known))
        case ast.List(items) | ast.Tuple(items):
            made = [_value(item, known) for item in items]
            # A list of arrays is none that numpy prints.
            return made if all(map(_is_plain, made)) else UNKNOWN
        case ast.Attribute(value=ast.Name("np" | "numpy" | "math"), attr="nan" | "NaN" | "NAN" | "inf" | "Inf" as name):
            return float(name.lower())
        case ast.Call(func=ast.Name("float"), args=[ast.Constant("nan" | "inf" | "-inf" as text)]):
            return float(text)
        case ast.Call(
            func=ast.Attribute(value=ast.Name("np" | "numpy"), attr="array" | "asarray"), args=[first, *rest]
        ):
            given = [*rest, *(k.value for k in node.keywords if k.arg == "dtype")]
            return _array(_value(first, known), next(map(_element, given), ""))
        case ast.Call(func=ast.Attribute(value=ast.Name("np" | "numpy"), attr=name), args=[first]) if _is_type(name):
            return _array(_value(first, known), _ELEMENTS.get(name, name))
        case ast.Call(func=ast.Attribute(value=inner, attr="astype"), args=[kind]):
            return _array(_value(inner, known), _element(kind))
    return UNKNOWN


def _signed(sign: ast.unaryop, value: Any) -> Any:
    if not isinstance(value, int | float):
        return UNKNOWN
    return -value if isinstance(sign, ast.USub) else value


def _is_plain(value: Any) -> bool:
    """Return whether it is a number, a text, or a list of such."""
    return value is not UNKNOWN and not isinstance(value, Array | _Made | Node)


def _array(value: Any, element: str) -> Any:
    # `np.array(x, dtype=...)` and `x.astype(...)` make an array of one that is known.
    if isinstance(value, Array | _Made):
        value = value.value
    if value is UNKNOWN or isinstance(value, Node | None):
        return UNKNOWN
    return _Made(value, element)


def _element(node: ast.expr) -> str:
    """An element type as ONNX calls it: `np.float32`, `float` or `"float32"`; empty if it is none of these."""
    name = _last_name(node)
    return _ELEMENTS.get(name, name)


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Attribute(attr=name) | ast.Name(name) | ast.Constant(str(name)):
            return name
    return ""


def _is_type(name: str) -> bool:
    return re.fullmatch(r"b?float\d*|bfloat16|u?int\d+|bool_", name) is not None


def _names(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return None
    return tuple(value)


def _is_loose(value: ast.expr, n: int) -> bool:
    """Return whether a statement is a literal that does nothing: a list or a number, where a result was to be shown."""
    match value:
        case ast.List() | ast.Tuple():
            return True
        case ast.Constant(str()):
            # A text at the beginning says what the code is about.
            return n > 0
        case ast.Constant(literal):
            return literal is not ...
    return False


def _shape(value: Any) -> tuple[int, ...] | None:
    if not isinstance(value, list):
        return ()
    inner = {_shape(item) for item in value}
    # Rows that differ in length are no array.
    if None in inner or len(inner) > 1:
        return None
    return (len(value), *(next(iter(inner), None) or ()))


def _dedented(code: str) -> str:
    """The code without the indent of its first line, which code in a list has."""
    lines = code.split("\n")
    first = next((line for line in lines if line.strip()), "")
    indent = len(first) - len(first.lstrip())
    for n, line in enumerate(lines):
        if not line[:indent].strip():
            lines[n] = line[indent:]
    return "\n".join(lines)


def _place(start: Span, line: int, column: int) -> Span:
    """The place on the page of a line and a column of code."""
    number = start.line + line - 1
    shown = start.source.line(number)
    # The reader of the page has taken the indent of the block off its lines, as far as they have it.
    indent = start.column - 1
    if shown[:indent].strip():
        indent = 0
    return Span(start.source, number, min(indent + column, len(shown)) + 1)
