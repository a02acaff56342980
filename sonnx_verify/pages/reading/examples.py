"""Examples of pages: what is given and what is said to come of it, from mathematics, sentences and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sonnx_verify.errors import Span
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.pages.reading.blocks import Block, Cell
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, SectionKind
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.pages.reading.signature import documented, signature_of
from sonnx_verify.pages.reading.symbols import place_in
from sonnx_verify.pages.reading.values import Written, plain, shape_in, value_at

_NAME = r"[A-Za-z]\w*(?:\^\w+)?"
_ASSIGNED = re.compile(rf"(?<![\w.])({_NAME})\s*=\s*")
_SHAPED = re.compile(rf"(?<![\w.])({_NAME})\s+of shape\s*(\([\d,\s]*\))")
_SHAPE = re.compile(r"\([\d,\s]*\)")
_SETTING = re.compile(r"\b([a-z]\w+)\s+(?:is\s+|set to\s+)?(-?\d+)\b")
_TYPE = re.compile(rf"\b({'|'.join(sorted(ELEMENT_TYPES, key=len, reverse=True))})\b")
_ERROR = re.compile(r"\berror\s*\[*\s*([A-Z]\w*)", re.IGNORECASE)
_LEFT_OUT = re.compile(r"\s*(?:not given|omitted|left out|none|absent|-|—)?\s*", re.IGNORECASE)
_OUTCOME = re.compile(r"\s*(?:outcome|result|output)s?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Shown:
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
    """What is given by name, and what comes of it: outputs by name, or the tag of an error. `type` is the element type
    that the page names, empty where it names none."""

    family: Section
    title: str
    type: str
    span: Span
    given: dict[str, Shown] = field(default_factory=dict)
    results: dict[str, Shown] = field(default_factory=dict)
    error: str = ""


@dataclass(slots=True)
class _Names:
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    variadic: frozenset[str]
    attributes: frozenset[str]

    def known(self, name: str) -> bool:
        return name in self.inputs or name in self.attributes or name.rstrip("0123456789") in self.variadic


def examples_of(page: Page) -> Iterator[Example]:
    """All examples of a page that can be read, in their order."""
    for sections in page.by_family[1:]:
        signature = signature_of(sections)
        if signature is None:
            continue
        inputs = tuple(map(_plain_name, signature.inputs))
        letters = frozenset(n.rstrip("0123456789") if n[-1:].isdigit() else n[:1] for n in inputs)
        names = _Names(
            inputs,
            tuple(map(_plain_name, signature.outputs)),
            letters if signature.variadic else frozenset(),
            frozenset(a.name for a in documented(sections, SectionKind.ATTRIBUTES)),
        )
        yield from _Reader(sections[0], names).examples(_within(sections))


def _within(sections: Sequence[Section]) -> Iterator[Section]:
    """The sections with examples: those so called, and what stands below them."""
    level: int | None = None
    for section in sections:
        depth = section.heading.level
        if level is not None and depth <= level:
            level = None
        titled = section.kind is SectionKind.EXAMPLES or re.match(r"\W*examples?\b", section.title, re.IGNORECASE)
        if level is None and titled:
            level = depth
        if level is not None:
            yield section


class _Reader:
    """Reads the examples of a family: `current` is what the text has given so far of the one that is being read."""

    def __init__(self, family: Section, names: _Names) -> None:
        self._family = family
        self._names = names
        self._current = Example(family, "", "", family.heading.span)
        self._shapes: list[tuple[int, ...]] = []
        self._result_shape: tuple[int, ...] | None = None

    def examples(self, sections: Iterator[Section]) -> Iterator[Example]:
        """One after the other."""
        for section in sections:
            self._begin(section.title, section.heading.cell)
            for block in section.blocks:
                if block.kind is BlockKind.TABLE:
                    yield from self._table(block)
                elif block.kind is BlockKind.MATH:
                    yield from self._mathematics(block)
                elif block.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM):
                    yield from self._paragraph(block)

    def _begin(self, title: str, cell: Cell, text: str = "") -> None:
        kind = _TYPE.search(text)
        self._current = Example(self._family, title.strip(" *,:."), kind[1] if kind else "", cell.span)
        before, _, after = text.partition("result")
        self._shapes = [s for found in _SHAPE.findall(before) if (s := shape_in(found)) is not None]
        found = _SHAPE.search(after)
        self._result_shape = shape_in(found[0]) if found else None
        for name, number in _SETTING.findall(text):
            if name in self._names.attributes:
                self._current.given[name] = Shown(number, cell.span, Written((), (number,)))

    def _paragraph(self, block: Block) -> Iterator[Example]:
        cell = block.cell
        text = plain(cell.text)
        line = cell.span.source.line(cell.span.line)
        if line[cell.span.column - 1 :].startswith("**") or line.lstrip("-* ").startswith("**"):
            title, _, rest = text.partition(":")
            self._begin(title.split(",")[0], cell, title)
            text = rest if rest.strip() else ""
        for sentence in re.split(r"(?<=[.;])\s+(?=[A-Z]|$)", text):
            read = list(self._read(sentence, cell))
            if any(name in self._names.outputs for name, _ in read):
                # A sentence that says what comes of something says all of it, but for settings.
                given = {n: g for n, g in self._current.given.items() if n in self._names.attributes}
                yield from self._complete(replace(self._current, given=given, results={}, span=cell.span), read)
            elif read and all(self._names.known(name) for name, _ in read):
                self._current.given |= dict(read)

    def _mathematics(self, block: Block) -> Iterator[Example]:
        for inline in block.cell.of(InlineKind.MATH):
            text = plain(inline.text)
            read = list(self._read(text, block.cell))
            inputs = [name for name, _ in read if name not in self._names.outputs]
            if self._shapes and len(self._shapes) == len(inputs):
                shapes = dict(zip(inputs, self._shapes, strict=True))
                read = [(n, replace(g, shape=shapes.get(n, g.shape))) for n, g in read]
            if self._result_shape is not None:
                read = [(n, replace(g, shape=self._result_shape) if n not in inputs else g) for n, g in read]
            if any(n in self._names.outputs for n, _ in read):
                yield from self._complete(self._current, read)
                self._current = replace(self._current, given={}, results={})
            else:
                self._current.given |= dict(read)

    def _complete(self, example: Example, read: Sequence[tuple[str, Shown]]) -> Iterator[Example]:
        given = {**example.given, **{n: g for n, g in read if n not in self._names.outputs}}
        results = {n: g for n, g in read if n in self._names.outputs}
        if given and results:
            span = next(iter(results.values())).span
            yield replace(example, given=given, results=results, span=span)

    def _read(self, text: str, cell: Cell) -> Iterator[tuple[str, Shown]]:
        """The values or shapes that a text gives to names."""
        for found in _ASSIGNED.finditer(text):
            read = value_at(text, found.end())
            if read is not None:
                after = re.match(r"[\s$]*of shape\s*(\([\d,\s]*\))", text[read[1] :])
                shape = shape_in(after[1]) if after else None
                place = place_in(cell.span, text, found.start()) if "\n" in text else cell.span
                yield _plain_name(found[1]), Shown(text[found.end() : read[1]], place, read[0], shape)
        for found in _SHAPED.finditer(text):
            yield _plain_name(found[1]), Shown(found[2], cell.span, None, shape_in(found[2]))

    # -------------------------------------------------------------------------------------------------------- tables

    def _table(self, block: Block) -> Iterator[Example]:
        if not block.rows:
            return
        header = [_plain_name(re.sub(r"(?i)^\s*shape of\s+", "", plain(c.text)).strip()) for c in block.rows[0]]
        if not header[0] and len(block.rows) > 2:
            yield from self._elements(block)
            return
        outcome = [n for n, h in enumerate(header) if h in self._names.outputs or _OUTCOME.fullmatch(h)]
        if len(outcome) != 1 or not any(self._names.known(h) for h in header):
            return
        for row in block.rows[1:]:
            example = replace(self._current, given=dict(self._current.given), results={}, span=row[0].span)
            for name, cell in zip(header, row, strict=False):
                if self._names.known(name) and not _LEFT_OUT.fullmatch(plain(cell.text)):
                    example.given[name] = _shown(cell)
            if outcome[0] < len(row):
                last = row[outcome[0]]
                error = _ERROR.search(last.plain)
                name = header[outcome[0]] if header[outcome[0]] in self._names.outputs else self._names.outputs[0]
                if error:
                    example.error = error[1].upper()
                else:
                    example.results[name] = _shown(last)
                yield replace(example, span=last.span)

    def _elements(self, block: Block) -> Iterator[Example]:
        """A table with a line for each tensor, and its elements beside its name."""
        read = []
        for name, *cells in block.rows[1:]:
            elements = [value_at(plain(c.text)) for c in cells]
            if not name.plain.strip() or any(e is None or e[0].shape for e in elements):
                return
            written = tuple(e[0].elements[0] for e in elements if e is not None)
            shown = Shown(f"[{', '.join(written)}]", name.span, Written((len(written),), written))
            read.append((_plain_name(plain(name.text)), shown))
        yield from self._complete(self._current, read)


def _shown(cell: Cell) -> Shown:
    """The content of a cell about a tensor: a value, a shape, or several values."""
    text = plain(cell.text).strip()
    made = Shown(cell.text, cell.span)
    lowered = text.lower()
    for free, opening in (("any", "any value"), ("one of", "one of"), ("every", "every value in")):
        if lowered.startswith(opening):
            listed = text[len(opening) :]
            ends = re.findall(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?|[-+]?inf|nan", listed, re.IGNORECASE)
            return replace(made, free=free, values=tuple(Written((), (e.lstrip("+").lower(),)) for e in ends))
    shape = _SHAPE.search(text)
    if shape is not None and re.search(r"\bshape\b|^\s*\([\d,\s]*\)\s*$", text):
        return replace(made, shape=shape_in(shape[0]))
    read = value_at(text)
    return made if read is None else replace(made, value=read[0])


def _plain_name(name: str) -> str:
    """`X_0` as X0; other names as they are."""
    made = re.sub(r"[{}\s]", "", name)
    found = re.fullmatch(r"([A-Za-z]+)[_^](\w)", made)
    return found[1] + found[2] if found else made
