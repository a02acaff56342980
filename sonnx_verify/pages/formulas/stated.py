"""The statements of a page under its tags, and its claims about them, as words to be read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sonnx_verify.errors import Span
from sonnx_verify.pages.formulas.equations import is_bare
from sonnx_verify.pages.formulas.standing import why_family_unread, why_tag_unread
from sonnx_verify.pages.formulas.words import Unread, Word, sentences_of, words_of
from sonnx_verify.pages.reading.blocks import Cell, Inline
from sonnx_verify.pages.reading.kinds import InlineKind
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.pages.reading.sentences import family_of
from sonnx_verify.pages.reading.tags import Tag, kind_of

_SOURCE = re.compile(r"With \0(?:(?:,| and|, and) \0)* of \x01: ")
_SEE = re.compile(r"(?: of the (\w+) section)?\.(?:\s|$)")


def by_family(page: Page) -> dict[str, list[Section]]:
    """The sections of each family, by what its inputs are called."""
    return {family_of(found[0]): found for found in page.by_family[1:] if found}


def condition_of(page: Page, family: str, tag: Tag) -> tuple[list[Word], str]:
    """The words of what a tag of a family states: its first sentence, without what says from where its symbols are; or
    what the tag states that it refers to. And the family whose definitions they are read with. Raises Unread."""
    sections = by_family(page)
    if why := why_tag_unread(page, family, sections.get(family, []), tag):
        raise Unread(why)
    pieces = [i for i in tag.statement.inlines if i.kind is not InlineKind.ANCHOR]
    if (label := _referred(pieces)) is not None:
        there, other = _referred_to(page, tag, pieces[1], *label)
        return condition_of(page, there, other)
    for piece in pieces:
        of_tag = piece.kind is InlineKind.LINK and kind_of(piece.text.strip("[]"))
        if of_tag and not _leads(page, piece, sections[family]):
            raise Unread(f"the link of {piece.text.strip('[]')} does not lead to it")
    return words_of(Cell(tag.span, tuple(_without_source(page, pieces)))), family


def _referred_to(page: Page, tag: Tag, link: Inline, name: str, named: str) -> tuple[str, Tag]:
    """The family and the tag that a link with its name leads to; one that refers to another is none. Raises Unread."""
    for there, parts in by_family(page).items():
        if named not in ("", *_called(there)) or not _leads(page, link, parts):
            continue
        for other in (tag_there for part in parts for tag_there in part.tags):
            if other.name == name and other is not tag and not _referred(other.statement.inlines):
                return there, other
    raise Unread(f"the link of {name} does not lead to {name}")


def _leads(page: Page, link: Inline, sections: Sequence[Section]) -> bool:
    """Whether a link with a tag leads to that tag, of a family with some sections: to an anchor that no other has."""
    tags = [tag for section in sections for tag in section.tags if tag.name == link.text.strip("[]")]
    anchors = [a.target for tag in tags for a in tag.anchors]
    alone = [i.target for i in page.text.inlines([InlineKind.ANCHOR])].count(link.target[1:]) == 1
    return len(tags) == 1 and alone and link.target[:1] == "#" and link.target[1:] in anchors


def _called(family: str) -> Iterator[str]:
    """The name of the section of a family in a sentence."""
    yield from (family, {"int": "integer", "bool": "boolean"}.get(family, family), f"{family}s")


def _referred(pieces: Sequence[Inline]) -> tuple[str, str] | None:
    """The tag of `see [C1] of the integer section.`, and what the section is called; None where something else stands
    there."""
    if [p.kind for p in pieces[:2]] != [InlineKind.TEXT, InlineKind.LINK] or pieces[0].text != "see ":
        return None
    label = re.fullmatch(r"\[(\w+)\]", pieces[1].text)
    rest = pieces[2].text if len(pieces) > 2 and pieces[2].kind is InlineKind.TEXT else ""
    found = _SEE.match(rest)
    return (label[1], found[1] or "") if label is not None and found is not None else None


def _without_source(page: Page, pieces: Sequence[Inline]) -> Sequence[Inline]:
    """The pieces after `With $f$ and $g(k)$ of [that section]: `, which says of bare names where on the page they
    are."""
    for n, piece in enumerate(pieces):
        if piece.kind is InlineKind.TEXT and piece.text.startswith(": ") and n:
            before = pieces[:n]
            instead = {InlineKind.MATH: "\0", InlineKind.LINK: "\x01"}
            signs = "".join(instead.get(one.kind, one.text) for one in before)
            links = [one for one in before if one.kind is InlineKind.LINK]
            here = all(link.leads_within and link.target[1:] in page.anchors for link in links)
            bare = all(is_bare(one) for one in before if one.kind is InlineKind.MATH)
            if _SOURCE.fullmatch(f"{signs}: ") and here and bare:
                return [Inline(InlineKind.TEXT, piece.text[2:], piece.span), *pieces[n + 1 :]]
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
    sections = by_family(page).get(family, [])
    for section in sections if not why_family_unread(page, family) else ():
        for cell in (cell for block in section.blocks if not block.quoted for cell in block.cells):
            kinds = [(link, kind_of(link.text.strip("[]"))) for link in cell.of(InlineKind.LINK)]
            links = [link for link, kind in kinds if kind in ("restriction", "constraint")]
            try:
                words = next(sentences_of(cell), [])
            except Unread:
                continue
            if (one := _claim(words, cell)) is not None and all(_leads(page, link, sections) for link in links):
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
