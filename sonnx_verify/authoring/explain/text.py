"""The text of an operator, item by item, and the definitions and general restrictions that it uses.

In: an operator of a project. Out: plain data, in the words of the text. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from sonnx_verify.arrays.pinned import Pinned, pinned_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.extents import item_text
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.results.text import framed
from sonnx_verify.results.written import OfVersions
from sonnx_verify.sources import Span


class Section(Struct, frozen=True):
    """A section: its types, and that of each other type variable."""

    name: str
    types: Sequence[str]
    variables: dict[str, str]


class Item(Struct, frozen=True):
    """An item of a text: the name that obligations have for it (None for a declaration), its first line, and its
    text."""

    name: str | None
    line: int
    text: str


class UsedName(Struct, frozen=True):
    """A definition, an order or a general restriction: its title, its place, and the items that use it."""

    name: str
    title: str
    file: str
    line: int
    users: Sequence[str] = field(name="in")


class OperatorText(OfVersions, frozen=True):
    """An operator as it is written."""

    operator: str
    kind: s.FileKind
    file: str
    sections: list[Section]
    items: list[Item]
    uses: list[UsedName]
    pins: Pinned | None
    """The pinned arguments of the text, or of the standard that it refines."""


def operator_text(project: Project, unit: Unit) -> OperatorText:
    """The items of an operator, in the order of the text, and what they use."""
    file = unit.file
    assert file is not None
    sections = [
        Section(x.name, x.types, {variable: sort.name for variable, sort in x.variables.items()})
        for x in instances(file)
    ]
    # By place: of an operator with several versions an item may stand in the text of an earlier one.
    items = [
        Item(name or None, span.line, text) for span, name, text in sorted(_items(file), key=lambda item: item[0].start)
    ]
    return OperatorText(
        unit.operator, file.kind, unit.shown, sections, items, list(_used(project, unit)), pinned_of(project, unit)
    )


def _items(file: s.File) -> Iterator[tuple[Span, str, str]]:
    parts = [(declaration.span, "") for declaration in (*file.inputs, *file.attributes, *file.outputs)]
    parts += [(span, name) for span, name, _ in _bodies(file)]
    parts += [(clause.span, clause.tag) for clause in file.clauses if clause.body is None]
    parts += [(order.span, order.name) for order in file.orders]
    parts += [(used.span, "") for used in file.using]
    parts += [(undefined.span, undefined.name) for undefined in file.undefined]
    parts += [(reading.span, "") for reading in file.readings]
    if file.refines is not None:
        parts.append((file.refines.span, ""))
    # One `using` may name several theorems: each item once.
    seen: dict[tuple[str, str], tuple[Span, str, str]] = {}
    for span, name in sorted(parts, key=lambda part: part[0].start):
        text = item_text(span)
        seen.setdefault((span.source.name, text), (span, name, text))
    yield from seen.values()
    # Of an example its title is enough: the rest is input.
    for example in file.examples:
        yield example.span, example.name, item_text(example.span).partition("\n")[0]


def _bodies(file: s.File) -> Iterator[tuple[Span, str, s.Part]]:
    """The items that have an expression: the place, the name and the expression."""
    for clause in file.clauses:
        if clause.body is not None:
            yield clause.span, clause.tag, clause.body
    for let in file.lets:
        yield let.span, let.name, let.body
    for definition in file.definitions:
        yield definition.span, definition.name, definition.body
    for rule in file.rules:
        name = rule.tag or ".".join(filter(None, (rule.output, rule.what.reach)))
        yield rule.span, name, rule.body


def _used(project: Project, unit: Unit) -> Iterator[UsedName]:
    """The names of other texts, in the order in which the items use them."""
    file = unit.file
    assert file is not None
    library = project.library(unit)
    users: dict[str, dict[str, None]] = {}
    for _, name, body in _bodies(file):
        for called in map(_called, s.every(body)):
            if called in library.definitions or called in library.orders:
                users.setdefault(called, {})[name] = None
    own = {definition.name for definition in file.definitions}
    for called, by in users.items():
        if called in own:
            continue
        for family, title, span in _places(called, library.definitions, library.orders):
            yield _named(f"{called}{framed(' for ', family)}", title, span, *by)
    for used in file.using:
        lemma = library.lemmas.get(used.name)
        if lemma is not None:
            yield _named(used.name, lemma.theorem.title, lemma.theorem.span, "using")
    for clause in file.clauses:
        general = library.generals.get(clause.origin)
        if general is not None:
            yield _named(clause.origin, general.title, general.span, clause.tag)


def _named(name: str, title: str, span: Span, *users: str) -> UsedName:
    return UsedName(name, title, span.source.name, span.line, users)


def _called(node: s.Part) -> str:
    return s.called(node) if isinstance(node, s.Node) else ""


def _places(
    name: str, definitions: Mapping[str, list[s.Definition]], orders: Mapping[str, s.OrderDefinition]
) -> Iterator[tuple[str, str, Span]]:
    """The families, titles and places of a name: it may be defined for each family by itself."""
    for definition in definitions.get(name, ()):
        yield definition.family, definition.title, definition.span
    if name in orders:
        yield orders[name].family, orders[name].title, orders[name].span
