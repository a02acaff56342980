"""What a page states under its tags, and what it claims of them, as words to be read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sonnx_verify.errors import Span
from sonnx_verify.formulas.words import Unread, Word, sentences_of, words_of
from sonnx_verify.pages.blocks import Cell, Inline
from sonnx_verify.pages.page import Page, Section
from sonnx_verify.pages.sentences import family_of
from sonnx_verify.pages.tags import Tag, kind_of

_SOURCE = re.compile(r"With \0(?:(?:,| and|, and) \0)* of \x01: ")
_SEE = re.compile(r"( of the \w+ section)?\.(?:\s|$)")


def by_family(page: Page) -> dict[str, list[Section]]:
    """The sections of each family, by what its inputs are called."""
    return {family_of(found[0]): found for found in page.by_family[1:] if found}


def condition_of(page: Page, tag: Tag) -> list[Word]:
    """The words of what a tag states: its first sentence, without what says from where its symbols are; or what the tag
    states that it refers to. Raises Unread."""
    if tag.further:
        raise Unread("what it states goes on below")
    pieces = [i for i in tag.statement.inlines if i.kind != "anchor"]
    if (label := _referred(pieces)) is not None:
        link = pieces[1]
        other = [t for t in page.tags if any(f"#{a.target}" == link.target for a in t.anchors)]
        if len(other) != 1 or other[0] is tag or other[0].name != label or _referred(other[0].statement.inlines):
            raise Unread(f"the link of {label} does not lead to {label}")
        return condition_of(page, other[0])
    return words_of(Cell(tag.span, tuple(_without_source(pieces))))


def _referred(pieces: Sequence[Inline]) -> str | None:
    """The tag of `see [C1] of the integer section.`; None where something else stands there."""
    if [p.kind for p in pieces[:2]] != ["text", "link"] or pieces[0].text != "see ":
        return None
    label = re.fullmatch(r"\[(\w+)\]", pieces[1].text)
    rest = pieces[2].text if len(pieces) > 2 and pieces[2].kind == "text" else ""
    return label[1] if label is not None and _SEE.match(rest) else None


def _without_source(pieces: Sequence[Inline]) -> Sequence[Inline]:
    """The pieces after `With $f$ and $g$ of [that section]: `."""
    for n, piece in enumerate(pieces):
        if piece.kind == "text" and piece.text.startswith(": ") and n:
            signs = "".join({"math": "\0", "link": "\x01"}.get(p.kind, p.text) for p in pieces[:n])
            if _SOURCE.fullmatch(f"{signs}: "):
                return [Inline("text", piece.text[2:], piece.span), *pieces[n + 1 :]]
    return pieces


@dataclass(frozen=True, slots=True)
class Claimed:
    """That tags exclude what some words say, or ensure it; `said` is how a reader reads it."""

    tags: tuple[str, ...]
    excludes: bool
    words: tuple[Word, ...]
    span: Span
    said: str


def claims(page: Page, family: str) -> Iterator[Claimed]:
    """What the page says of a family that its restrictions and constraints exclude, or ensure: sentences that a
    paragraph, an item or a cell begins with. Others may stand in a context that limits them."""
    for section in by_family(page).get(family, []):
        for cell in (cell for block in section.blocks for cell in block.cells):
            try:
                words = next(sentences_of(cell), [])
            except Unread:
                continue
            if (one := _claim(words, cell)) is not None:
                yield one


def _claim(words: Sequence[Word], cell: Cell) -> Claimed | None:
    if [w.text for w in words[:2]] == ["Rationale", ":"]:
        words = words[2:]
    tags: list[str] = []
    for n, word in enumerate(words):
        if kind_of(word.text) in ("restriction", "constraint"):
            tags.append(word.text)
        elif tags and word.kind == "sign" and word.text in ("excludes", "ensures"):
            return Claimed(tuple(tags), word.text == "excludes", tuple(words[n + 1 :]), cell.span, cell.text)
        elif word.kind != "sign" or word.text not in ("[", "]", ",", "and"):
            return None
    return None
