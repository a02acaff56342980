"""Text to syntax tree. Every mistake is a SpecificationError at its place."""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from typing import Any

from lark import Lark, Token, Tree, UnexpectedInput
from lark.exceptions import VisitError
from lark.lexer import PatternStr

from sonnx_verify.errors import Source, Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.builder import Builder
from sonnx_verify.language.builder_expressions import MAX_DEPTH, too_deep
from sonnx_verify.language.misread import explained
from sonnx_verify.language.tables import made_or_kept, parser
from sonnx_verify.language.words import KEYWORDS

_STARTS = ("start", "expression", "statement")
"""What can be parsed alone. One table for all of them: making it takes most of the time of a short command."""


def _lark() -> Lark:
    return parser(_STARTS, propagate_positions=True)


@functools.cache
def _terminals() -> dict[str, str]:
    """The text of each terminal that stands for one text."""
    return {t.name: str(t.pattern.value) for t in _lark().terminals if isinstance(t.pattern, PatternStr)}


_REMEMBERED = 256
"""How many files, by name and text: one process may ask many things of one project, and nothing changes a tree."""


@functools.lru_cache(maxsize=_REMEMBERED)
def parse(source: Source) -> s.File:
    """The syntax tree of a file."""
    if not source.text.strip():
        raise SpecificationError(
            f"{source.name} is empty", Span(source, 1, 1), "begin with a line such as `operator NAME version 1 draft`"
        )
    tree = _parse(source, "start")
    file = s.File(source.name)
    for place, item in enumerate(tree.children):
        _place(file, item, place)
    if not file.kind:
        raise SpecificationError(
            "the file does not say what it is",
            Span(source, 1, 1),
            'begin with `operator NAME version N profile`, `library NAME "..."` or `theory NAME "..."`',
        )
    _check_kind(file)
    return file


def forget() -> None:
    """Parse every text anew from here on, with tables made anew where there is no cache."""
    for remembered in (parse, made_or_kept, _terminals):
        remembered.cache_clear()


def _check_kind(file: s.File) -> None:
    """What only an operator has does not stand in a library or a theory, where nothing would ever look at it."""
    if file.version is not None:
        return
    owned: list[Any] = [*file.inputs, *file.outputs, *file.attributes, *file.clauses, *file.rules, *file.lets]
    owned += [*file.using, *file.undefined, *file.readings, *([file.refines] if file.refines else [])]
    spans = [item.span for item in owned] + ([file.page[1]] if file.page else [])
    if spans:
        raise SpecificationError(
            f"a {file.kind} has no such item", spans[0], "only an operator has: move it, or write a `define`"
        )


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


def check_syntax(source: Source) -> None:
    """Raises SpecificationError where a text is not a list of items, whether or not the items fit together."""
    _parse(source, "start")


def tree_of(source: Source, start: str = "start") -> Tree[Token]:
    """The parse tree of a text. Raises SpecificationError where it is not in the grammar, or too deep."""
    try:
        tree = _tree(source.text, start)
    except UnexpectedInput as problem:
        raise explained(source, problem, KEYWORDS, _terminals()) from None
    _check_depth(tree, source)
    return tree


@functools.lru_cache(maxsize=_REMEMBERED)
def _tree(text: str, start: str) -> Tree[Token]:
    return _lark().parse(text, start=start)


def _parse(source: Source, start: str) -> Any:
    tree = tree_of(source, start)
    try:
        return Builder(source).transform(tree)
    except VisitError as problem:
        if isinstance(problem.orig_exc, SpecificationError):
            raise problem.orig_exc from None
        raise
    except RecursionError:
        raise too_deep(Span(source, 1, 1)) from None


def _check_depth(tree: Tree[Token], source: Source) -> None:
    """Raises SpecificationError for what is so deep that recursion over it could overflow the stack of the process,
    which no exception tells of: expressions, of which the builder bears less, types of types, changes of changes."""
    level: list[Tree[Token]] = [tree]
    for _ in range(2 * MAX_DEPTH):
        level = [child for one in level for child in one.children if isinstance(child, Tree)]
        if not level:
            return
    deep = level[0].meta
    raise too_deep(Span(source, 1, 1) if deep.empty else Span(source, deep.line, deep.column))


def _check_name(name: str, span: Span) -> None:
    if name in KEYWORDS:
        found = re.search(rf"\b{name}\b", span.source.line(span.line)[span.column - 1 :])
        span = Span(span.source, span.line, span.column + (found.start() if found else 0), len(name))
        raise SpecificationError(f"`{name}` cannot be a name", span, "it is a word of the language: choose another")


def _place(file: s.File, item: Any, place: int) -> None:
    """Put an item where it belongs: in the first version, or in the difference that was opened last."""
    match item:
        case ("version", number, text, span):
            if file.version is None:
                raise SpecificationError(
                    f"`version {number}` has no operator before it",
                    span,
                    "begin the file with `operator NAME version N standard`; only operators have versions",
                )
            file.differences.append(s.Difference(number, text, (), span))
        case ("change", change):
            _check_changed(change)
            if not file.differences:
                raise SpecificationError(
                    f"`{change.what}` changes nothing: no version is open",
                    change.span,
                    f"write `version N` above it, or the item without `{change.what}`",
                )
            last = file.differences[-1]
            file.differences[-1] = replace(last, changes=(*last.changes, change))
        case _:
            _check_names(item)
            if file.differences and not _is_header(item):
                difference = file.differences[-1]
                raise SpecificationError(
                    f"this item under `version {difference.version}` does not say what it changes",
                    span_of(item),
                    "write `add` or `replace` before it, or put it above the first `version`",
                )
            put(file, item, place)


def _is_header(item: Any) -> bool:
    return isinstance(item, tuple) and item[0] == "header"


def _check_changed(change: s.Change) -> None:
    """What can be added or replaced is an item of an operator, and no other change."""
    if change.what not in ("add", "replace"):
        return
    _check_names(change.item)
    match change.item:
        case ("version" | "change" | "header", *_):
            raise SpecificationError(
                f"`{change.what}` takes an item that an operator has", change.span, "such as `add let A = 1`"
            )


def _check_names(item: Any) -> None:
    """What is declared is not named like a word of the language."""
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


def span_of(item: Any) -> Span:
    """Where an item stands."""
    match item:
        case (("input" | "output" | "attribute"), s.Declaration(span=span)):
            return span
        case ("refines", s.Refines(span=span)) | ("indices", (_, s.Reading(span=span))):
            return span
        case (*_, Span() as span):
            return span
        case _:
            found = item.span
            assert isinstance(found, Span)
            return found


def put(file: s.File, item: Any, place: int) -> None:
    """Put an item into the file, after those of its kind. `place` is its number among all items."""
    match item:
        case ("header", kind, name, version, title, span):
            if file.kind:
                raise SpecificationError(
                    f"the file is a {file.kind} already", span, "write one operator, library or theory in a file"
                )
            file.kind, file.name, file.version, file.span = kind, name, version, span
            file.title, file.text = (title, "") if version is None else ("", title)
        case ("use", name, span):
            file.uses.append((name, span))
        case ("refines", refines):
            file.refines = refines
        case ("page", name, span):
            file.page = (name, span)
        case ("types", name, members, variable, span):
            if name in file.types:
                raise SpecificationError(f"types `{name}` are listed twice", span, "merge the two lists")
            file.types[name] = members
            file.type_variables[name] = variable
            file.type_spans[name] = span
        case ("input", declaration):
            file.inputs.append(declaration)
        case ("output", declaration):
            file.outputs.append(declaration)
        case ("attribute", declaration):
            file.attributes.append(declaration)
        case ("fact", name, title, _):
            file.facts[name] = title
        case ("general", name, general, _):
            file.generals[name] = general
        case ("indices", base):
            file.index_base = base[0]
            file.readings.append(base[1])
        case ("using", used):
            file.using.extend(used)
        case s.Clause():
            file.clauses.append(replace(item, place=place))
        case s.Rule():
            file.rules.append(item)
        case s.Let():
            file.lets.append(replace(item, place=place))
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
