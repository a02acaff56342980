"""Text to syntax tree. Every mistake is a SpecificationError at its place. Trusted.

lark says whether a text is in the grammar; the limits of size are checked before anything recurses over the tree; the
builder makes nodes of it; and each item is put where it belongs in a `File`. All that a file has comes from its items.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, assert_never

from lark import Lark, Token, Tree, UnexpectedInput
from lark.lexer import PatternStr

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language import tables
from sonnx_verify.language.builder import Builder, span_of
from sonnx_verify.language.complaints import texts as complaints
from sonnx_verify.language.constants import LONGEST
from sonnx_verify.language.misread import explained
from sonnx_verify.language.tables import parser
from sonnx_verify.language.words import KEYWORDS, RESERVED, joined_word
from sonnx_verify.sources import Source, Span

MAX_DEPTH = 120
MAX_PARTS = 5000
"""Limits of an expression: the depth of its nesting, and the number of operands of one of its parts."""
EXPRESSION_RULES = frozenset(
    (
        "if_", "for_all", "exists", "within", "within_steps", "binders", "binder", "where", "range", "implies", "iff",
        "disjunction",
        "conjunction", "not_", "relation", "member_of", "is_", "is_not", "fails", "sum", "product", "negative", "power",
        "read", "slice", "call", "call_with", "call_set", "member", "setting", "arguments", "integer", "decimal",
        "text_value", "name", "group", "listed", "set", "any_", "fold", "default", "make", "replaced",
    )
)  # fmt: skip  # a table
"""The rules of the grammar that stand in expressions."""

_STARTS = ("start", "expression", "statement")
"""The rules that can be parsed alone, by one table: making it takes most of the time of a short command."""


def _lark() -> Lark:
    return parser(_STARTS, propagate_positions=True)


@functools.cache
def _terminals() -> dict[str, str]:
    """The text of each terminal that stands for one text."""
    return {t.name: str(t.pattern.value) for t in _lark().terminals if isinstance(t.pattern, PatternStr)}


_REMEMBERED = 256
"""Files, by name and text: one process may ask many things of one project, and nothing changes a tree."""


@functools.lru_cache(maxsize=_REMEMBERED)
def parse(source: Source) -> s.File:
    """The syntax tree of a file."""
    if not source.text.strip():
        raise complaints.empty(source)
    file = s.File(source.name)
    # The place of an item is its number: a `let` has its meaning from there on (clauses.py).
    for place, item in enumerate(items_of(source)):
        place_item(file, item, place)
    if file.kind is s.FileKind.UNSAID:
        raise complaints.no_header(source)
    check_kind(file)
    return file


def items_of(source: Source) -> list[s.Item]:
    """The items of a text in its order, whether or not they fit together."""
    items: list[s.Item] = _parse(source, "start")
    return items


def forget() -> None:
    """Parse every text anew from here on, with tables made anew where there is no cache."""
    for remembered in (parse, _terminals):
        remembered.cache_clear()
    tables.forget()


def check_kind(file: s.File) -> None:
    """Refuse items of an operator in a library or a theory, where nothing would ever look at them."""
    # A constraint in a theory would have no obligation: its author would take for checked what nobody asked.
    if file.version is not None:
        return
    spans = [d.span for d in (*file.inputs, *file.outputs, *file.attributes)]
    spans += [c.span for c in file.clauses] + [r.span for r in file.rules] + [x.span for x in file.lets]
    spans += [e.span for e in file.examples]
    spans += [u.span for u in file.using] + [u.span for u in file.undefined] + [r.span for r in file.readings]
    spans += [item.span for item in (file.refines, file.page) if item is not None]
    if spans:
        raise complaints.item_of_operators(file.kind, spans[0])


def parse_expression(source: Source) -> s.Expression:
    """The syntax tree of one expression."""
    node: s.Expression = _parse(source, "expression")
    return node


@functools.cache
def holes(node: s.ForAll) -> tuple[s.Expression, ...]:
    """The expressions in braces in the sentence of a `for all`."""
    # Parsed apart from the text, in which a sentence is one token; so the place of a mistake in one is that of the `for
    # all`.
    found = []
    for text in re.findall(r"\{([^{}]*)\}", node.sentence or ""):
        try:
            found.append(parse_expression(Source(node.span.source.name, text)))
        except SpecificationError as problem:
            raise complaints.in_sentence(problem.message, node.span) from None
    return tuple(found)


def parse_statement(source: Source) -> s.Theorem:
    """The syntax tree of a statement: an expression, or a theorem's text from its declarations on."""
    theorem: s.Theorem = _parse(source, "statement")
    return theorem


def check_syntax(source: Source) -> None:
    """Raises SpecificationError where a text is not a list of items, whether or not the items fit together."""
    items_of(source)


def tree_of(source: Source, start: str = "start") -> Tree[Token]:
    """The parse tree of a text. Raises SpecificationError where it is not in the grammar, or too deep."""
    _check_brackets(source)
    try:
        tree = _tree(source.text, start)
    except UnexpectedInput as problem:
        raise explained(source, problem, RESERVED, _terminals()) from None
    _check_depth(tree, source)
    _check_numbers(tree, source)
    _check_separated(source, start)
    return tree


# By the text alone: what `fmt`, the editor and `check` read of one text is one parse.
@functools.lru_cache(maxsize=_REMEMBERED)
def _tree(text: str, start: str) -> Tree[Token]:
    return _lark().parse(text, start=start)


# lark takes `a orb` for `a or b`: where only `or` can stand, it looks for no longer word.
@functools.lru_cache(maxsize=_REMEMBERED)
def _joined(text: str, start: str) -> tuple[int, int] | None:
    return joined_word(text, _tree(text, start))


def _check_separated(source: Source, start: str) -> None:
    """Raises SpecificationError for a word that the lexer took for two."""
    found = _joined(source.text, start)
    if found is None:
        return
    begin, end = found
    line = source.text.count("\n", 0, begin) + 1
    span = Span(source, line, begin - source.text.rfind("\n", 0, begin), end - begin)
    raise complaints.joined_words(source.text[begin:end], span)


def _parse(source: Source, start: str) -> Any:
    """The builder's result for a text: a list of items, an expression or a theorem, as the start says."""
    # A text that is deep overflows Python's stack here at the latest. That is an exception, while in C it would end the
    # process: so the depth is limited before (`_check_depth`), and the rest of it is caught.
    tree = tree_of(source, start)
    try:
        _check_size(tree, source)
        _check_reserved(tree, source)
        return Builder(source).transform(tree)
    except RecursionError:
        raise complaints.too_deep(MAX_DEPTH, Span(source, 1, 1)) from None


_BRACKETS = re.compile(r'"[^"\n]*"|--[^\n]*|[()\[\]{}]')


def _check_brackets(source: Source) -> None:
    """Raises SpecificationError for brackets that are too deep by themselves: to parse thousands takes minutes."""
    depth = 0
    for found in _BRACKETS.finditer(source.text):
        depth += (found[0] in "([{") - (found[0] in ")]}")
        if depth > 2 * MAX_DEPTH:
            begin = found.start()
            line, last = source.text.count("\n", 0, begin) + 1, source.text.rfind("\n", 0, begin)
            raise complaints.too_deep(MAX_DEPTH, Span(source, line, begin - last, 1))


def _check_depth(tree: Tree[Token], source: Source) -> None:
    """Raises SpecificationError for what is so deep that recursion over it could overflow the stack of the process,
    which no exception tells of: expressions, of which less is allowed, types of types, changes of changes."""
    # Level by level, so that this itself needs no recursion.
    level: list[Tree[Token]] = [tree]
    for _ in range(2 * MAX_DEPTH):
        level = [child for one in level for child in one.children if isinstance(child, Tree)]
        if not level:
            return
    raise complaints.too_deep(MAX_DEPTH, replace(span_of(source, level[0].meta), length=1))


_LONG = re.compile(rf"[0-9]{{{LONGEST + 1}}}")


def _check_numbers(tree: Tree[Token], source: Source) -> None:
    """Raises SpecificationError for a version or the like that is too long to be read as an integer. The elaborator
    looks at the numbers of expressions."""
    if not _LONG.search(source.text):
        return
    for rule in tree.iter_subtrees():
        if rule.data not in EXPRESSION_RULES:
            for token in rule.children:
                if isinstance(token, Token) and token.type == "INT" and len(token) > LONGEST:
                    span = Span(source, token.line or 1, token.column or 1, len(token))
                    raise complaints.too_many_digits(LONGEST, span)


def _check_size(tree: Tree[Token], source: Source) -> int:
    """The depth of the expressions in a tree. Raises SpecificationError for the first, from the inside out, that is too
    deep or has too many operands: all recursion over expressions may rely on that."""
    below = [child for child in tree.children if isinstance(child, Tree)]
    depth = 1 + max((_check_size(child, source) for child in below), default=0)
    if tree.data not in EXPRESSION_RULES:
        return 0
    if depth > MAX_DEPTH:
        raise complaints.too_deep(MAX_DEPTH, span_of(source, tree.meta))
    if len(below) > MAX_PARTS:
        raise complaints.too_many_parts(MAX_PARTS, span_of(source, tree.meta))
    return depth


_NAMED_IN = {
    "declared_as": 0, "declared": 0, "parameter": 0, "binder": 0, "let": 0, "take": 0, "define": 0,
    "count": 1, "shape": 1, "value": 1, "unspecified": 1, "order": 2, "order_by_classes": 2,
}  # fmt: skip  # a table
"""The rules that give names, with the number of the first of their names that is one: all behind it are."""


def _check_reserved(tree: Tree[Token], source: Source) -> None:
    # The grammar takes `let then = 1`, since a word is one only where it is expected; nobody could read the name.
    for node in _parts(tree):
        if node.data not in _NAMED_IN:
            continue
        # A variable is never followed by a parenthesis, so it may be called `shape`. A definition may not: `shape (k in
        # S -> n)` makes a shape.
        taken = KEYWORDS | RESERVED if node.data == "define" else RESERVED
        names = [c for c in node.children if isinstance(c, Token) and c.type == "NAME"]
        for name in names[_NAMED_IN[node.data] :]:
            if name in taken:
                assert name.line is not None
                assert name.column is not None
                raise complaints.reserved(name, Span(source, name.line, name.column, len(name)))


def _parts(tree: Tree[Token]) -> Iterator[Tree[Token]]:
    """The tree and those in it, in the order of the text."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack += [child for child in reversed(node.children) if isinstance(child, Tree)]


def place_item(file: s.File, item: s.Item, place: int) -> None:
    """Put an item where it belongs: in the first version, or in the difference that was opened last."""
    match item:
        # The lines below a `version` are changes until the next one; an item that stood there by itself would be read
        # as one of the first version, which ends above.
        case s.Difference():
            if file.version is None:
                raise complaints.version_of_nothing(item)
            file.differences.append(item)
        case s.AddItem() | s.ReplaceItem() | s.RemoveItem() | s.RemoveTypes() | s.MoveAttribute():
            _check_changed(item)
            if not file.differences:
                raise complaints.change_of_nothing(_word(item), item.span)
            last = file.differences[-1]
            file.differences[-1] = replace(last, changes=(*last.changes, item))
        case _:
            _check_parameters(item)
            if file.differences and not isinstance(item, s.Header):
                difference = file.differences[-1]
                raise complaints.not_a_change(difference, place_of(item))
            put(file, item, place)


def _word(change: s.Change) -> str:
    """The word that a change begins with."""
    match change:
        case s.AddItem():
            return "add"
        case s.ReplaceItem():
            return "replace"
        case s.RemoveItem() | s.RemoveTypes():
            return "remove"
        case s.MoveAttribute():
            return "move"
        case _:
            assert_never(change)


def _check_changed(change: s.Change) -> None:
    """Refuse to add or replace anything but an item of an operator, such as another change."""
    if not isinstance(change, s.AddItem | s.ReplaceItem):
        return
    _check_parameters(change.item)
    if isinstance(change.item, s.Difference | s.Header | s.Change):
        raise complaints.not_changeable(_word(change), change.span)


def _check_parameters(item: s.Item) -> None:
    """Refuse two parameters of one name."""
    if not isinstance(item, s.Definition):
        return
    for n, parameter in enumerate(item.parameters):
        if parameter.name in {p.name for p in item.parameters[:n]}:
            raise complaints.two_parameters(parameter)


def place_of(item: s.Item) -> Span:
    """The place of an item."""
    match item:
        case s.Declares(declaration=declaration):
            return declaration.span
        case s.Indices(reading=reading):
            return reading.span
        case s.Using(used=used):
            return used[0].span
        case _:
            return item.span


def put(file: s.File, item: s.Item, place: int) -> None:
    """Put an item into the file, after those of its kind. `place` is its number among all items."""
    match item:
        case s.Header():
            _begin(file, item)
        case s.Types() if item.name in file.types:
            raise complaints.two_lines(item)
        case s.Refines() | s.Page() | s.Types() | s.Fact() | s.General():
            put_named(file, item)
        case s.Indices():
            file.index_base = item.base
            file.readings.append(item.reading)
        case s.Using():
            file.using.extend(item.used)
        case s.Difference() | s.AddItem() | s.ReplaceItem() | s.RemoveItem() | s.RemoveTypes() | s.MoveAttribute():
            raise AssertionError(f"a change is applied, not put: {item}")
        case _:
            _append(file, item, place)


def _begin(file: s.File, header: s.Header) -> None:
    if file.kind is not s.FileKind.UNSAID:
        raise complaints.two_headers(header, file.kind)
    file.kind, file.name, file.version, file.span = header.kind, header.name, header.version, header.span
    file.title, file.text = header.title, header.text


def put_named(file: s.File, item: s.Refines | s.Page | s.Types | s.Fact | s.General) -> None:
    """Put in an item of which there is one of its kind or name, instead of the one that is there."""
    match item:
        case s.Refines():
            file.refines = item
        case s.Page():
            file.page = item
        case s.Types():
            file.types[item.name] = item.members
            file.type_variables[item.name] = item.variable
            file.type_spans[item.name] = item.span
        case s.Fact():
            file.facts[item.name] = item.title
        case s.General():
            file.generals[item.name] = item
        case _:
            assert_never(item)


_Several = (
    s.Use | s.Declares | s.Clause | s.Rule | s.Let | s.Definition | s.OrderDefinition | s.Theorem | s.Example
    | s.Undefined | s.Reading | s.Expectation
)  # fmt: skip  # a table


def _append(file: s.File, item: _Several, place: int) -> None:
    match item:
        case s.Use():
            file.uses.append(item)
        case s.Declares():
            declared_in(file, item.role).append(item.declaration)
        case s.Clause():
            file.clauses.append(replace(item, place=place))
        case s.Rule():
            file.rules.append(item)
        case s.Let():
            file.lets.append(replace(item, place=place))
        case s.Definition():
            file.definitions.append(replace(item, place=place))
        case s.OrderDefinition():
            file.orders.append(item)
        case s.Theorem():
            file.theorems.append(item)
        case s.Example():
            file.examples.append(item)
        case s.Undefined():
            file.undefined.append(item)
        case s.Reading():
            file.readings.append(item)
        case s.Expectation():
            file.expectations.append(item)
        case _:
            assert_never(item)


def declared_in(file: s.File, role: s.ItemKind) -> list[s.Declaration]:
    """The declarations of a role."""
    match role:
        case s.ItemKind.INPUT:
            return file.inputs
        case s.ItemKind.OUTPUT:
            return file.outputs
        case s.ItemKind.ATTRIBUTE:
            return file.attributes
        case _:
            raise AssertionError(f"nothing is declared as {role}")
