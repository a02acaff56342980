"""Symbols of a page: which its text and its formulas introduce, and where each is used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sonnx_verify.errors import Span
from sonnx_verify.pages.reading.blocks import Block, Cell, Inline
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, SectionKind
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.pages.reading.tags import kind_of
from sonnx_verify.pages.reading.terms import Other, Term, binders, in_sets, terms_of

_CODE = re.compile(r"[A-Za-z]{1,2}\d*(?:[_^]\{?(?:[A-Za-z]|\d{1,3})\}?)?")
"""Code that is a symbol: short names, with an index. Longer ones are names of attributes and functions."""
_NO_NOUN = frozenset({
    "of", "on", "to", "in", "for", "from", "as", "and", "or", "than", "is", "are", "at", "if", "then", "between",
    "applicable", "that", "both", "over", "along", "equal", "equals", "when", "has", "have", "not", "no", "but",
    "only", "like", "into", "onto", "among", "by", "via", "per", "within", "unless", "whether", "shape", "applied",
    "gives", "give",
})  # fmt: skip  # a table
"""Words after which a symbol is used, not introduced. After others, most often nouns, it is in apposition: `the rank
n`. What is taken for an introduction and is none hides a finding; the other way round would make a false one."""
_QUANTIFIED = frozenset({
    "all", "any", "each", "every", "some",
})  # fmt: skip  # a table
_SAYS = re.compile(r"\s*(?:is|are|be|being|denotes?|represents?|stands? for|the|an?|will be|contains?|:)\b|\s*:")
_COUNTED = re.compile(r"\s*(?:bits|bytes|digits|elements|dimensions|axes|inputs|outputs|values|members|tensors)\b")
"""Words that a number may count: `a type of b bits` introduces b."""
_JOINED = re.compile(r"\s*(?:,|and|or|to|\.{2,}|…|\s)*\s*", re.IGNORECASE)
_BETWEEN = frozenset({",", "ldots", "dots", ".", "cdots", "(", ")", "[", "]"})
_FAR_BACK = 80
"""The characters before a symbol that are looked at."""
_FAR = 100
"""The pieces after a symbol among which the list that it is in may end."""
_LAST_WORD = re.compile(r"([A-Za-z]+)\W*$")


@dataclass(frozen=True, slots=True)
class Use:
    """A symbol that stands somewhere: the whole term, and the cell that it stands in."""

    term: Term
    span: Span
    cell: Cell
    section: Section


@dataclass(slots=True)
class Symbols:
    """The symbols of a page: where each name was introduced first, and every term with its place. `families` are names
    with members by number, as X of X_0, `numbered` those among them that are written X0."""

    introduced: dict[str, Span] = field(default_factory=dict)
    families: set[str] = field(default_factory=set)
    numbered: set[str] = field(default_factory=set)
    uses: list[Use] = field(default_factory=list)

    def unknown(self, word: str) -> str | None:
        """Of a word, the symbol that nothing introduces; None where all is known, or it is a word and no symbol."""
        letters = word.rstrip("0123456789")
        if letters == word and len(word) == 2 and word[0] in self.numbered:
            # A member by a letter, of a family that is written X0: it is listed, and the letter has to be known.
            return self.unknown(word[1])
        if word in self.introduced or letters in self.introduced or letters in self.families:
            return None
        if letters[:1] in _OF_TENSORS and letters[1:] in self.introduced.keys() | self.families:
            return None
        if len(letters) == 2 and all(self.unknown(letter) is None for letter in letters):
            # A product, or two indices that nothing parts.
            return None
        for cut in range(len(letters) - 1, 0, -1):
            if letters[:cut] in self.families:
                # A member of a family by a letter: that one has to be known too.
                return self.unknown(letters[cut:])
        return letters if len(letters) <= 2 and letters not in _WORDS else None


_WORDS = frozenset({
    "if", "or", "in", "is", "of", "to", "at", "on", "as", "by", "an", "no", "ln", "lg", "pi", "id", "e", "eq", "ne",
    "le", "lt", "ge", "gt",
})  # fmt: skip  # a table


_OF_TENSORS = frozenset("drn")
"""The letters that the profile writes before the name of a tensor: its sizes dX, its rank rX or nX."""


_NAMED = re.compile(r"\\(?:text|mathrm|mathit|operatorname)\{")


def _is_prefix(term: Term, latex: str) -> bool:
    r"""Whether it stands before the name of a tensor of several letters, as in `d\text{data}`."""
    return term.word in _OF_TENSORS and _NAMED.match(latex, term.place + 1) is not None


def symbols_of(page: Page) -> Symbols:
    """The symbols of a page."""
    made = Symbols()
    for section in page.sections:
        for block in (section.heading, *section.blocks):
            for cell, opens in _cells(block):
                _read(made, section, cell, opens)
    return made


def _cells(block: Block) -> Iterator[tuple[Cell, bool]]:
    """The cells of a block, each with whether it introduces the symbol that it begins with: items of lists, headings,
    and first cells of rows do."""
    if block.kind is BlockKind.TABLE:
        yield from ((cell, n == 0) for row in block.rows for n, cell in enumerate(row))
    else:
        yield block.cell, block.kind in (BlockKind.ITEM, BlockKind.HEADING)


def _read(made: Symbols, section: Section, cell: Cell, opening: bool) -> None:
    before, listed = "", False
    pieces = cell.inlines
    for n, piece in enumerate(pieces):
        if piece.kind in (InlineKind.MARK, InlineKind.ANCHOR):
            continue
        latex = _latex(piece)
        if latex is None:
            said = piece.text if piece.is_words or piece.kind is InlineKind.LINK else " "
            before = (before + said)[-_FAR_BACK:]
            if piece.kind is InlineKind.TEXT and not _JOINED.fullmatch(piece.text):
                listed = False
            continue
        found = terms_of(latex)
        if found and isinstance(found[0], Other) and found[0].text == "in" and (last := _LAST_WORD.search(before)):
            # `L $\in [0, 9]$`: the symbol stands outside of the formula.
            _introduce(made, Term(last[1], last[1], 0), piece.span)
        after = _after_list(pieces, n)
        opens = opening and not before.strip()
        listed = listed or opens or _apposed(before, found) or bool(_SAYS.match(after) or _COUNTED.match(after))
        signature = section.kind is SectionKind.SIGNATURE and any(isinstance(t, Other) and t.text == "=" for t in found)
        bare = all(isinstance(t, Term) or t.kind == "word" or t.text in _BETWEEN for t in found)
        for term in found if signature or (listed and bare) else ():
            if isinstance(term, Term):
                _introduce(made, term, place_in(piece.span, piece.text, term.place))
        for term in (*in_sets(found), *binders(found)):
            _introduce(made, term, place_in(piece.span, piece.text, term.place))
        for term in _defined(found):
            # Y[i] = ... says what Y is for every i.
            for inner in (term, *(t for t in _all([term]) if t is not term)):
                _introduce(made, inner, place_in(piece.span, piece.text, inner.place))
                for letter in inner.word if inner is not term and len(inner.word) == 2 else "":
                    made.introduced.setdefault(letter, piece.span)
        made.uses += [
            Use(t, place_in(piece.span, piece.text, t.place), cell, section)
            for t in _all(found)
            if not _is_prefix(t, latex)
        ]
        before = before + " " if bare and listed else before + " = "


def _all(found: Sequence[Term | Other]) -> Iterator[Term]:
    for one in found:
        if isinstance(one, Term):
            yield one
            for inner in one.inner:
                yield from _all(inner)


def _latex(piece: Inline) -> str | None:
    """The text of a piece that is a formula or a symbol in code."""
    if piece.kind is InlineKind.MATH:
        return piece.text
    if piece.kind is InlineKind.CODE and _CODE.fullmatch(piece.text.strip()) and not kind_of(piece.text.strip()):
        return piece.text.strip()
    return None


def _apposed(before: str, found: Sequence[Term | Other]) -> bool:
    """Whether the words before a symbol introduce it."""
    last = _LAST_WORD.search(before)
    if last is None or before.rstrip().endswith((".", ";", "=")):
        return False
    word = last[1].lower()
    if word in _QUANTIFIED:
        return len(found) == 1 and isinstance(found[0], Term) and len(found[0].word) == 1
    return word not in _NO_NOUN


def _after_list(pieces: Sequence[Inline], n: int) -> str:
    """The words after the list of symbols that a piece is in."""
    for piece in pieces[n + 1 : n + _FAR]:
        if piece.kind is InlineKind.TEXT and not _JOINED.fullmatch(piece.text):
            return re.sub(r"^[\s,.…]*(?=\s|$)", "", piece.text)
        between = piece.kind in (InlineKind.TEXT, InlineKind.BREAK) or not piece.is_seen
        if not between and _latex(piece) is None:
            return ""
    return ""


def _defined(found: Sequence[Term | Other]) -> Iterator[Term]:
    """The terms left of an equals sign that has more than a number on its right."""
    for n, one in enumerate(found):
        previous = found[n - 1] if n else None
        start = previous is None or (
            isinstance(previous, Other) and (previous.kind == "word" or previous.text in (",", "&", "\\", ";"))
        )
        if start and isinstance(one, Term) and n + 1 < len(found):
            sign, right = found[n + 1], found[n + 2 : n + 4]
            number = len(right) == 1 and isinstance(right[0], Other) and right[0].kind == "number"
            if isinstance(sign, Other) and sign.text in ("=", "triangleq", "coloneqq", "equiv") and not number:
                yield one


def _introduce(made: Symbols, term: Term, span: Span) -> None:
    made.introduced.setdefault(term.word, span)
    letters = term.word.rstrip("0123456789")
    if letters != term.word or term.inner:
        made.introduced.setdefault(letters, span)
        made.families.add(letters)
    if letters != term.word:
        made.numbered.add(letters)


def place_in(span: Span, text: str, offset: int) -> Span:
    """The place on the page of a character of a formula."""
    before = text[:offset]
    if lines := before.count("\n"):
        return Span(span.source, span.line + lines, offset - before.rfind("\n"), 1)
    return Span(span.source, span.line, span.column + offset, 1)
