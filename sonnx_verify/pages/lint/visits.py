"""The things of a page that rules look at one by one: tags, links, families, formulas, matches of a pattern.

A visit is a function from a page to such things in the order of the page. Rules name theirs (`rule_on` of finding.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from sonnx_verify.pages.reading.blocks import Block, Cell, Inline
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind
from sonnx_verify.pages.reading.latex import MOST_CHARACTERS
from sonnx_verify.pages.reading.page import Page, Section, cells_of
from sonnx_verify.pages.reading.symbols import place_in
from sonnx_verify.pages.reading.tags import Tag
from sonnx_verify.sources import Span

Visited = TypeVar("Visited")
Visit = Callable[[Page], Iterable[Visited]]


def tags(page: Page) -> list[Tag]:
    """All tags, where they are defined."""
    return page.tags


def sections(page: Page) -> list[Section]:
    """All headings, each with what stands below it."""
    return page.sections


def by_family(page: Page) -> list[list[Section]]:
    """The sections of each family, and before them those of none."""
    return page.by_family


def links(page: Page) -> list[Inline]:
    """All links."""
    return page.links


def families(page: Page) -> list[list[Section]]:
    """The sections of each family, its heading first."""
    # The first ones are the sections of no family: the Contents, the revision history.
    return page.by_family[1:]


def cells(page: Page) -> Iterator[Cell]:
    """All cells, headings too."""
    return page.text.cells


def cells_of_families(page: Page) -> Iterator[Cell]:
    """The cells below the headings of families and of their sections."""
    return cells_of(page.in_families)


def cells_below_headings(page: Page) -> Iterator[Cell]:
    """The cells that are no headings."""
    # A heading is a title, and no sentence that states something.
    for block in blocks_below_headings(page):
        yield from block.cells


def blocks_below_headings(page: Page) -> list[Block]:
    """The blocks that are no headings."""
    return [block for block in page.text.blocks if block.kind is not BlockKind.HEADING]


def formulas(page: Page) -> Iterator[Inline]:
    """All formulas."""
    return page.text.inlines([InlineKind.MATH])


def short_formulas(page: Page) -> list[Inline]:
    """The formulas that a pattern is tried on."""
    # Some patterns take time that grows with the square of the length: a hostile page must not stop an editor.
    return [formula for formula in formulas(page) if len(formula.text) <= MOST_CHARACTERS]


def in_formulas(pattern: re.Pattern[str]) -> Visit[tuple[Span, re.Match[str]]]:
    """The visit of formulas that a pattern is found in: the place where it begins, and the match."""

    def visit(page: Page) -> Iterator[tuple[Span, re.Match[str]]]:
        for formula in short_formulas(page):
            if found := pattern.search(formula.text):
                yield place_in(formula.span, formula.text, found.start()), found

    return visit


def in_cells(within: Visit[Cell], pattern: re.Pattern[str]) -> Visit[tuple[Cell, re.Match[str]]]:
    """The visit of cells in whose plain words a pattern is found: the cell, and the match."""

    def visit(page: Page) -> Iterator[tuple[Cell, re.Match[str]]]:
        for cell in within(page):
            if found := pattern.search(cell.plain):
                yield cell, found

    return visit


def first(visit: Visit[Visited]) -> Visit[Visited]:
    """The visit that stops at the first thing: a habit of the whole page is told once."""
    return lambda page: islice(visit(page), 1)


def once(make: Callable[[Page], list[Visited]]) -> Visit[Visited]:
    """The visit of things that are made once for all rules that look at them."""
    return lambda page: page.once(make)
