"""The statements of a page under its tags, and its claims about them, as words to be read.

In: a page, a family, a tag. Out: the words of the one sentence that is the statement. Raises Unread where another place
on the page may change what it says, or where a link and its text disagree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sonnx_verify.pages.formulas.equations import is_bare
from sonnx_verify.pages.formulas.standing import why_family_unread, why_tag_unread
from sonnx_verify.pages.formulas.words import Unread, Word, sentences_of, sign, words_of
from sonnx_verify.pages.reading.blocks import Cell, Inline
from sonnx_verify.pages.reading.families import family_of
from sonnx_verify.pages.reading.kinds import InlineKind, TagKind
from sonnx_verify.pages.reading.page import Page, Section, tags_in
from sonnx_verify.pages.reading.tags import Tag, kind_of
from sonnx_verify.sources import Span

_SOURCE = re.compile(r"With \0(?:(?:,| and|, and) \0)* of \x01: ")
_EXCLUDES = sign("excludes")
_VERBS = (_EXCLUDES, sign("ensures"))
_BETWEEN = (sign("["), sign("]"), sign(","), sign("and"))
_EXCLUDING = (TagKind.RESTRICTION, TagKind.CONSTRAINT)
"""The kinds of tags that rule inputs out. An error says what happens then."""
_SEE = re.compile(r"(?: of the (\w+) section)?\.(?:\s|$)")


def by_family(page: Page) -> dict[str, list[Section]]:
    """The sections of each family, by what its inputs are called."""
    return {family_of(found[0]): found for found in page.by_family[1:]}


def condition_of(page: Page, family: str, tag: Tag) -> tuple[list[Word], str]:
    """The words of what a tag of a family states: its first sentence, without what says from where its symbols are; or
    what the tag states that it refers to. And the family whose definitions they are read with. Raises Unread."""
    sections = by_family(page)
    if why := why_tag_unread(page, family, sections.get(family, []), tag):
        raise Unread(why)
    pieces = [piece for piece in tag.statement.inlines if piece.kind is not InlineKind.ANCHOR]
    # Real pages state a condition for integers, and for floats "see [C1] of the integer section".
    if (label := _referred(pieces)) is not None:
        there, other = _referred_to(page, tag, pieces[1], *label)
        return condition_of(page, there, other)
    for piece in pieces:
        if piece.kind is not InlineKind.LINK or not kind_of(_tag_name(piece)):
            continue
        # `[[C1]](#int-C2) does not hold`: a reader may follow the link, or read the name.
        if not _leads(page, piece, sections[family]):
            raise Unread(f"the link of {_tag_name(piece)} does not lead to it")
    return words_of(Cell(tag.span, tuple(_without_source(page, pieces)))), family


def _tag_name(link: Inline) -> str:
    return link.text.strip("[]")


def _referred_to(page: Page, tag: Tag, link: Inline, name: str, named: str) -> tuple[str, Tag]:
    """The family and the tag that a link with its name leads to. Raises Unread."""
    for there, parts in by_family(page).items():
        if named not in ("", *_called(there)) or not _leads(page, link, parts):
            continue
        for other in tags_in(parts):
            # One that refers to another is none: two that refer to each other say nothing.
            if other.name == name and other is not tag and not _referred(other.statement.inlines):
                return there, other
    raise Unread(f"the link of {name} does not lead to {name}")


def _leads(page: Page, link: Inline, sections: Sequence[Section]) -> bool:
    """Return whether a link with a tag leads to that tag, of a family with some sections: to an anchor that no other
    has."""
    named = [tag for tag in tags_in(sections) if tag.name == _tag_name(link)]
    if len(named) != 1 or not link.leads_within:
        return False
    target = link.target[1:]
    # Of two anchors of one name a browser takes the first, wherever it stands.
    everywhere = [anchor.target for anchor in page.text.inlines([InlineKind.ANCHOR])]
    return target in {anchor.target for anchor in named[0].anchors} and everywhere.count(target) == 1


def _called(family: str) -> tuple[str, ...]:
    """The names of the section of a family in a sentence."""
    return (family, {"int": "integer", "bool": "boolean"}.get(family, family), f"{family}s")


def _referred(pieces: Sequence[Inline]) -> tuple[str, str] | None:
    """The tag of `see [C1] of the integer section.`, and what the section is called; None where something else stands
    there."""
    match pieces[:3]:
        case [Inline(InlineKind.TEXT, "see "), Inline(InlineKind.LINK, linked), Inline(InlineKind.TEXT, rest)]:
            label, found = re.fullmatch(r"\[(\w+)\]", linked), _SEE.match(rest)
            if label is not None and found is not None:
                return label[1], found[1] or ""
    return None


def _without_source(page: Page, pieces: Sequence[Inline]) -> Sequence[Inline]:
    """The pieces after `With $f$ and $g(k)$ of [that section]: `, which says of bare names where on the page they
    are."""
    for n, piece in enumerate(pieces):
        if piece.kind is InlineKind.TEXT and piece.text.startswith(": ") and _is_source(page, pieces[:n]):
            return [Inline(InlineKind.TEXT, piece.text[2:], piece.span), *pieces[n + 1 :]]
    return pieces


def _is_source(page: Page, pieces: Sequence[Inline]) -> bool:
    """Return whether some pieces say of names where they are defined, and nothing else: not "With the exception of"."""
    instead = {InlineKind.MATH: "\0", InlineKind.LINK: "\x01"}
    signs = "".join(instead.get(piece.kind, piece.text) for piece in pieces)
    links = [piece for piece in pieces if piece.kind is InlineKind.LINK]
    formulas = [piece for piece in pieces if piece.kind is InlineKind.MATH]
    if not _SOURCE.fullmatch(f"{signs}: ") or not all(map(is_bare, formulas)):
        return False
    # What another page defines is not read, and may be something else.
    return all(link.leads_within and link.target[1:] in page.anchors for link in links)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim that tags exclude what some words say, or ensure it; `said` is the sentence as a reader sees it."""

    tags: tuple[str, ...]
    excludes: bool
    words: tuple[Word, ...]
    span: Span
    said: str


def claims(page: Page, family: str) -> Iterator[Claimed]:
    """The sentences that say of a family that its restrictions and constraints exclude or ensure something. Each begins
    a paragraph, an item or a cell: others may stand in a context that limits them."""
    sections = by_family(page).get(family, [])
    if why_family_unread(page, family):
        return
    for cell in _cells(sections):
        try:
            words = next(sentences_of(cell), [])
        except Unread:
            # Most cells claim nothing, so nobody is told that one was not read.
            continue
        one = _claim(words, cell)
        links = [link for link in cell.of(InlineKind.LINK) if kind_of(_tag_name(link)) in _EXCLUDING]
        if one is not None and all(_leads(page, link, sections) for link in links):
            yield one


def _cells(sections: Sequence[Section]) -> Iterator[Cell]:
    """The cells of some sections that nobody else is quoted with."""
    for section in sections:
        for block in section.blocks:
            if not block.quoted:
                yield from block.cells


def _claim(words: Sequence[Word], cell: Cell) -> Claimed | None:
    """The claim of a sentence: tags with commas and `and` between them, a verb, and what they exclude or ensure."""
    # Below a tag a claim is its rationale: "Rationale: R1 excludes that X is sparse".
    if [word.text for word in words[:2]] == ["Rationale", ":"]:
        words = words[2:]
    tags: list[str] = []
    for n, word in enumerate(words):
        if kind_of(word.text) in _EXCLUDING:
            tags.append(word.text)
        elif tags and word in _VERBS:
            return Claimed(tuple(tags), word == _EXCLUDES, tuple(words[n + 1 :]), cell.span, cell.text)
        # "C1 for scalars excludes ...": any other word may limit it.
        elif word not in _BETWEEN:
            return None
    return None
