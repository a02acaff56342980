"""Examples of pages: what is given and what is said to come of it, from mathematics, sentences and tables."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sonnx_verify.pages.reading.blocks import Block, Cell
from sonnx_verify.pages.reading.families import type_words
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, SectionKind
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.pages.reading.signature import Signature, documented, signature_of
from sonnx_verify.pages.reading.symbols import place_in
from sonnx_verify.pages.reading.values import Written, plain, shape_in, value_at
from sonnx_verify.sources import Span

_NAME = r"[A-Za-z]\w*(?:\^\w+)?"
_ASSIGNED = re.compile(rf"(?<![\w.])({_NAME})\s*=\s*")
_SHAPED = re.compile(rf"(?<![\w.])({_NAME})\s+of shape\s*(\([\d,\s]*\))")
_SHAPE = re.compile(r"\([\d,\s]*\)")
_SETTING = re.compile(r"\b([a-z]\w+)\s+(?:is\s+|set to\s+)?(-?\d+)\b")
_ERROR = re.compile(r"\berror\s*\[*\s*([A-Z]\w*)", re.IGNORECASE)
_LEFT_OUT = re.compile(r"\s*(?:not given|omitted|left out|none|absent|-|—)?\s*", re.IGNORECASE)
_OF_SHAPE = re.compile(r"[\s$]*of shape\s*(\([\d,\s]*\))")
_SHAPE_OF = re.compile(r"^\s*shape of\s+", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?|[-+]?inf|nan", re.IGNORECASE)
_DIGITS = "0123456789"
_CONTRAST = re.compile(
    r"\b(?:not|never)\b(?!\s+(?:given|set|asked|passed|provided|specified|written|used|needed))"
    r"|\b(?:contrast|unlike|instead of|rather than)\b",
    re.IGNORECASE,
)
_OUTCOME = re.compile(r"\s*(?:outcome|result|output)s?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A tensor or attribute of an example: a value, or its shape alone; in what place and words. `free` says that the
    words name several values: `any`, `one of` or `every`, then `values` are those."""

    text: str
    span: Span
    value: Written | None = None
    shape: tuple[int, ...] | None = None
    free: str = ""
    values: tuple[Written, ...] = ()


@dataclass(slots=True)
class Example:
    """Inputs and attributes by name, and the result: outputs by name, or the tag of an error. `types` are the words for
    element types in its title, `absent` the names that it says are not given."""

    family: Section
    title: str
    types: tuple[str, ...]
    span: Span
    given: dict[str, ShownValue] = field(default_factory=dict)
    results: dict[str, ShownValue] = field(default_factory=dict)
    error: str = ""
    absent: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Names:
    """The names of a signature. `variadic` are the letters of inputs that have members by number: X of X0, X1."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    variadic: frozenset[str]
    attributes: frozenset[str]

    def known(self, name: str) -> bool:
        return name in self.inputs or name in self.attributes or name.rstrip(_DIGITS) in self.variadic


def examples_of(page: Page) -> Iterator[Example]:
    """All examples of a page that can be read, in their order."""
    for sections in page.by_family[1:]:
        signature = signature_of(sections)
        if signature is None:
            continue
        attributes = frozenset(a.name for a in documented(sections, SectionKind.ATTRIBUTES))
        yield from _Reader(sections[0], _names(signature, attributes)).examples(_within(sections))


def _names(signature: Signature, attributes: frozenset[str]) -> _Names:
    inputs = tuple(map(plain_name, signature.inputs))
    outputs = tuple(map(plain_name, signature.outputs))
    letters = frozenset(map(_letters, inputs)) if signature.variadic else frozenset()
    return _Names(inputs, outputs, letters, attributes)


def _letters(name: str) -> str:
    """The letters that all members of a variadic input share: X of X0, and of Xn, the last of them."""
    letters = name.rstrip(_DIGITS)
    return name[:1] if letters == name else letters


def _within(sections: Sequence[Section]) -> Iterator[Section]:
    """The sections with examples: those so called, and what stands below them."""
    level = _OUTSIDE
    for section in sections:
        depth = section.heading.level
        if depth <= level:
            titled = section.kind is SectionKind.EXAMPLES or _TITLED.match(section.title)
            level = depth if titled else _OUTSIDE
        if level < _OUTSIDE:
            yield section


_TITLED = re.compile(r"\W*examples?\b", re.IGNORECASE)
_OUTSIDE = sys.maxsize
"""A level that no heading has."""


class _Reader:
    """Reads the examples of a family: `current` is what the text has given so far of the one that is being read."""

    def __init__(self, family: Section, names: _Names) -> None:
        self._family = family
        self._names = names
        self._current = Example(family, "", (), family.heading.span)
        self._shapes: list[tuple[int, ...]] = []
        self._result_shape: tuple[int, ...] | None = None

    def examples(self, sections: Iterator[Section]) -> Iterator[Example]:
        """One after the other."""
        for section in sections:
            # Shapes in the heading of a section are of any of its examples: "broadcast of (2, 3)".
            self._begin(section.title, section.heading.cell, section.title)
            self._shapes, self._result_shape = [], None
            for block in section.blocks:
                match block.kind:
                    case BlockKind.TABLE:
                        yield from self._table(block)
                    case BlockKind.MATH:
                        yield from self._mathematics(block)
                    case BlockKind.PARAGRAPH | BlockKind.ITEM:
                        yield from self._paragraph(block)

    def _begin(self, title: str, cell: Cell, text: str = "") -> None:
        """Begin an example. Its title may say its element type, shapes and settings: `Two inputs of shape (2, 3) with
        axis 1, float, result of shape (3)`."""
        self._current = Example(self._family, title.strip(" *,:."), type_words(text), cell.span)
        before, _, after = text.partition("result")
        self._shapes = [shape for shape in map(shape_in, _SHAPE.findall(before)) if shape is not None]
        self._result_shape = next(map(shape_in, _SHAPE.findall(after)), None)
        for name, number in _SETTING.findall(text):
            if name in self._names.attributes:
                self._current.given[name] = ShownValue(number, cell.span, Written((), (number,)))
        for name, shown in self._read(plain(text), cell):
            if name in self._names.attributes:
                self._current.given[name] = shown

    def _paragraph(self, block: Block) -> Iterator[Example]:
        cell = block.cell
        text = plain(cell.text)
        line = cell.span.source.line(cell.span.line)
        if line[cell.span.column - 1 :].startswith("**"):
            title, _, text = text.partition(":")
            self._begin(title.split(",")[0], cell, title)
        for sentence in re.split(r"(?<=[.;])\s+(?=[A-Z]|$)", text):
            read = list(self._read(sentence, cell))
            shown = [found.start() for one in (_ASSIGNED, _SHAPED) for found in one.finditer(sentence)]
            if _CONTRAST.search(sentence, 0, max(shown, default=0)):
                # "... does not give Y = [1, -2]", "unlike Neg, ...": what is shown is not claimed.
                continue
            if self._has_result(read):
                # A sentence that says what comes of something says all of it, but for settings.
                settings = {n: g for n, g in self._current.given.items() if n in self._names.attributes}
                yield from self._complete(replace(self._current, given=settings), read)
            elif all(self._names.known(name) for name, _ in read):
                # An unknown name makes it a sentence about something else: `for n = 2`.
                self._current.given |= dict(read)

    def _mathematics(self, block: Block) -> Iterator[Example]:
        for inline in block.cell.of(InlineKind.MATH):
            read = self._shaped(list(self._read(plain(inline.text), block.cell)))
            if self._has_result(read):
                yield from self._complete(self._current, read)
                self._current = replace(self._current, given={})
            else:
                self._current.given |= dict(read)

    def _has_result(self, read: Sequence[tuple[str, ShownValue]]) -> bool:
        return any(name in self._names.outputs for name, _ in read)

    def _shaped(self, read: Sequence[tuple[str, ShownValue]]) -> list[tuple[str, ShownValue]]:
        """The same with the shapes that the title has said: an empty tensor is `[]` whatever its shape is."""
        shapes: dict[str, tuple[int, ...]] = {}
        if self._result_shape is not None:
            shapes = dict.fromkeys(self._names.outputs, self._result_shape)
        inputs = [name for name, _ in read if name not in self._names.outputs]
        # A title with fewer shapes than the formula has inputs does not say which of them they are of.
        if len(self._shapes) == len(inputs):
            shapes |= zip(inputs, self._shapes, strict=True)
        return [(name, replace(shown, shape=shapes.get(name, shown.shape))) for name, shown in read]

    def _complete(self, example: Example, read: Sequence[tuple[str, ShownValue]]) -> Iterator[Example]:
        """The example with what was read, if it then has inputs and results. It stands where its result does."""
        given, results = dict(example.given), {}
        for name, shown in read:
            if name in self._names.outputs:
                results[name] = shown
            else:
                given[name] = shown
        if given and results:
            span = next(iter(results.values())).span
            yield replace(example, given=given, results=results, span=span)

    def _read(self, text: str, cell: Cell) -> Iterator[tuple[str, ShownValue]]:
        """The values or shapes that a text gives to names."""
        for found in _ASSIGNED.finditer(text):
            read = value_at(text, found.end())
            if read is None:
                continue
            value, end = read
            shaped = _OF_SHAPE.match(text, end)
            shape = None if shaped is None else shape_in(shaped[1])
            place = cell.span
            # Formulas of several lines have a result on each.
            if "\n" in text:
                place = place_in(cell.span, text, found.start())
            yield plain_name(found[1]), ShownValue(text[found.end() : end], place, value, shape)
        for found in _SHAPED.finditer(text):
            yield plain_name(found[1]), ShownValue(found[2], cell.span, None, shape_in(found[2]))

    # -------------------------------------------------------------------------------------------------------- tables

    def _table(self, block: Block) -> Iterator[Example]:
        """A table with a row for each example, and a column for each name, or one with the elements of tensors."""
        header = [plain_name(_SHAPE_OF.sub("", plain(cell.text)).strip()) for cell in block.header]
        if header[:1] == [""] and len(block.rows) > 2:
            yield from self._elements(block)
            return
        outcomes = [name for name in header if name in self._names.outputs or _OUTCOME.fullmatch(name)]
        # A table without a known name is about something else, as one of abbreviations.
        if len(outcomes) != 1 or not any(map(self._names.known, header)):
            return
        (outcome,) = outcomes
        # A column that is called `result` is that of the first output.
        result = outcome if outcome in self._names.outputs else next(iter(self._names.outputs), outcome)
        for row in block.rows[1:]:
            cells = dict(zip(header, row, strict=False))
            last = cells.get(outcome)
            if last is None:
                continue
            example = replace(self._current, given=dict(self._current.given), results={}, span=last.span)
            for name, cell in cells.items():
                if _LEFT_OUT.fullmatch(plain(cell.text)):
                    example.absent |= {name}
                elif self._names.known(name):
                    example.given[name] = _shown(cell)
            error = _ERROR.search(last.plain)
            if error is None:
                example.results[result] = _shown(last)
            else:
                example.error = error[1].upper()
            yield example

    def _elements(self, block: Block) -> Iterator[Example]:
        """A table with a line for each tensor, and its elements beside its name."""
        read = []
        for name, *cells in block.rows[1:]:
            written = _numbers(cells)
            if written is None or not name.plain:
                return
            shown = ShownValue(f"[{', '.join(written)}]", name.span, Written((len(written),), written))
            read.append((plain_name(plain(name.text)), shown))
        yield from self._complete(self._current, read)


def _numbers(cells: Sequence[Cell]) -> tuple[str, ...] | None:
    """The numbers of some cells; None if one has something else."""
    made: list[str] = []
    for cell in cells:
        found = value_at(plain(cell.text))
        if found is None or found[0].shape:
            return None
        made += found[0].elements
    return tuple(made)


_FREE = {"any value": "any", "one of": "one of", "every value in": "every"}
"""The words before several values, and the kinds of choice that they leave."""


def _shown(cell: Cell) -> ShownValue:
    """The content of a cell about a tensor: a value, a shape, or several values."""
    text = plain(cell.text).strip()
    made = ShownValue(cell.text, cell.span)
    for opening, free in _FREE.items():
        if text.lower().startswith(opening):
            ends = _NUMBER.findall(text[len(opening) :])
            values = tuple(Written((), (end.lstrip("+").lower(),)) for end in ends)
            return replace(made, free=free, values=values)
    shape = _SHAPE.search(text)
    # `(2, 3)` alone is a shape, `[(2, 3)]` a value.
    if shape is not None and re.search(r"\bshape\b|^\s*\([\d,\s]*\)\s*$", text):
        return replace(made, shape=shape_in(shape[0]))
    read = value_at(text)
    return made if read is None else replace(made, value=read[0])


def plain_name(name: str) -> str:
    """`X_0` as X0; other names as they are."""
    return re.sub(r"^([A-Za-z]+)[_^](\w)\Z", r"\1\2", re.sub(r"[{}\s]", "", name))
