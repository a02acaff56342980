"""Symbols of a page: those that its text and its formulas introduce, and the places where each is used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sonnx_verify.pages.reading.blocks import Block, Cell, Inline
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, SectionKind, TokenKind
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.pages.reading.tags import kind_of
from sonnx_verify.pages.reading.terms import (
    BIG,
    QUANTIFIERS,
    Other,
    Piece,
    Term,
    all_terms,
    binders,
    in_sets,
    signs,
    terms_of,
)
from sonnx_verify.sources import Span

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
_SCOPES = frozenset({"with", "where", "let"})
_QUANTIFIED = frozenset({
    "all", "any", "each", "every", "some",
})  # fmt: skip  # a table
_SAYS = re.compile(r"\s*(?:is|are|be|being|denotes?|represents?|stands? for|the|an?|will be|contains?|:)\b|\s*:")
_COUNTED = re.compile(r"\s*(?:bits|bytes|digits|elements|dimensions|axes|inputs|outputs|values|members|tensors)\b")
"""Words that a number may count: `a type of b bits` introduces b."""
_JOINED = re.compile(r"\s*(?:,|and|or|to|\.{2,}|…|\s)*\s*", re.IGNORECASE)
_DIGITS = "0123456789"
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
    with members by number, as X of X_0, `numbered` those among them that are written X0; `words` stand in formulas as
    text."""

    introduced: dict[str, Span] = field(default_factory=dict)
    families: set[str] = field(default_factory=set)
    numbered: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    uses: list[Use] = field(default_factory=list)

    def unknown(self, word: str) -> str | None:
        """The symbol of a word that nothing introduces; None if all is known, or it is a word and no symbol."""
        letters = word.rstrip(_DIGITS)
        if letters == word and len(word) == 2 and word[0] in self.numbered:
            # A member by a letter, of a family that is written X0: it is listed, and the letter has to be known.
            return self.unknown(word[1])
        if word in self.introduced or self._has(letters) or self._is_size(letters):
            return None
        if len(word) > 2 and word in self.words:
            # `err_{rel}` here, \text{err} there: no member of a family e.
            return None
        if len(letters) == 2 and all(self.unknown(letter) is None for letter in letters):
            # A product, or two indices that nothing parts.
            return None
        # X_0 makes X a family: of Xn the letters before the cut are one, and n has to be known.
        for cut in range(len(letters) - 1, 0, -1):
            if letters[:cut] in self.families:
                # A member of a family by a letter: that one has to be known too.
                return self.unknown(letters[cut:])
        # Longer words are words: `softmax`, `data`. What is none and is taken for one hides a finding only.
        return letters if len(letters) <= 2 and letters not in _WORDS else None

    def _has(self, letters: str) -> bool:
        return letters in self.introduced or letters in self.families

    def _is_size(self, letters: str) -> bool:
        """Return whether it is the size or rank of a tensor that is known: dX of X."""
        return letters[:1] in _OF_TENSORS and self._has(letters[1:])

    def introduce(self, term: Term, span: Span) -> None:
        """Keep a term that a place introduces. X_0 and X0 introduce X too, as a family."""
        letters = term.word.rstrip(_DIGITS)
        self.introduced.setdefault(term.word, span)
        if letters != term.word or term.inner:
            self.introduced.setdefault(letters, span)
            self.families.add(letters)
        if letters != term.word:
            self.numbered.add(letters)


_WORDS = frozenset({
    "if", "or", "in", "is", "of", "to", "at", "on", "as", "by", "an", "no", "ln", "lg", "pi", "id", "e", "eq", "ne",
    "le", "lt", "ge", "gt",
})  # fmt: skip  # a table


_OF_TENSORS = frozenset("drn")
"""The letters that the profile writes before the name of a tensor: its sizes dX, its rank rX or nX."""


_NAMED = re.compile(r"\\(?:text|mathrm|mathit|operatorname)\{|\{\s*[A-Z]")
_IN_WORDS = re.compile(r"\b(?:every|each|any|all|some)\s+[a-z]{3,}\s+\(?([B-Zb-z])\)?(?=[\s,])")
"""`every index I`, `all indices (i)`: a symbol that stands in no formula."""
_OPERATION = re.compile(
    r"\b(?:addition|subtraction|multiplication|division|sum|difference|product|quotient|operation)\s*$", re.IGNORECASE
)
"""The words before a formula that names its own operands: `the division c = a / b rounds`."""
_NAMING = re.compile(
    r"\b(?:bound(?:ed)?|denoted|defined|represented)\s+by\s*$|\b(?:called|named|noted)\s*$", re.IGNORECASE
)
_D = r"(?:d|\\partial|\\mathrm\{d\})"
_DERIVATIVE = re.compile(
    r"(?<![A-Za-z])d(?:[A-Za-z|(]|\\[a-z]+)[^/=]{0,80}/\s*d([A-Za-z])\b"
    rf"|frac\s*\{{\s*{_D}[^/=]{{0,80}}?\}}\s*\{{\s*{_D}\s*([A-Za-z])\b"
    r"|\\int(?![A-Za-z])[^=]{0,80}?(?<![A-Za-z])d([A-Za-z])\b"
)
"""A derivative `d f(x) / dx`, as a fraction too, or an integral: they bind x, and d is no symbol."""
_ANCHOR = re.compile(r"</?a\b[^>]*>")


def symbols_of(page: Page) -> Symbols:
    """The symbols of a page."""
    made = Symbols()
    for section in page.sections:
        for block in (section.heading, *section.blocks):
            for cell, opens in _cells(block):
                _read(made, section, cell, opening=opens)
    return made


def _cells(block: Block) -> Iterator[tuple[Cell, bool]]:
    """The cells of a block, each with whether it introduces the symbol that it begins with: items of lists, headings,
    and first cells of rows do."""
    if block.kind is not BlockKind.TABLE:
        yield block.cell, block.kind in (BlockKind.ITEM, BlockKind.HEADING)
    for row in block.rows:
        for n, cell in enumerate(row):
            yield cell, n == 0


def _read(made: Symbols, section: Section, cell: Cell, *, opening: bool) -> None:
    """Keep what a cell introduces and uses. `before` are the last words before a symbol; `listed` says that it belongs
    to a list of symbols that is being introduced: of `for n, m and k` all three are."""
    before, listed = "", False
    for n, piece in enumerate(cell.inlines):
        if not piece.is_seen:
            continue
        latex = _latex(piece)
        if latex is None:
            before = (before + piece.text)[-_FAR_BACK:]
            for named in _IN_WORDS.finditer(piece.text):
                made.introduce(Term(named[1], named[1], 0), piece.span)
            listed = listed and not _has_words(piece)
            continue
        found = terms_of(latex)
        made.words.update(one.text for one in found if isinstance(one, Other) and one.kind is TokenKind.WORD)
        last = _LAST_WORD.search(before)
        if last is not None and signs(found[:1]) == ["in"]:
            # `L $\in [0, 9]$`: the symbol stands outside of the formula.
            made.introduce(Term(last[1], last[1], 0), piece.span)
        after = _after_list(cell.inlines, n)
        # `- n: the rank` introduces n, whatever the words behind it are.
        opens = opening and not before.strip()
        listed = listed or opens or _apposed(before, found) or _tells(after)
        bare = all(map(_is_listed, found))
        if (listed and bare) or (section.kind is SectionKind.SIGNATURE and "=" in signs(found)):
            _introduce(made, piece, [one for one in found if isinstance(one, Term)])
        if "=" in signs(found[1:2]) and _OPERATION.search(before) and all(map(_is_operand, found)):
            _introduce(made, piece, [one for one in found if isinstance(one, Term)])
        _introduce(made, piece, [*in_sets(found), *binders(found), *_in_text(found)])
        for name in _differentials(latex):
            made.introduce(Term(name, name, 0), piece.span)
        _define(made, piece, found)
        labels = [*_labels(found)]
        for term in all_terms(found):
            if not _is_prefix(term, latex) and term not in labels:
                made.uses.append(Use(term, _place(piece, term), cell, section))
        # A formula that is more than names ends the words before: after `the product x + y`, z is in no apposition.
        before += " " if bare and listed else " = "


def _place(piece: Inline, term: Term) -> Span:
    return place_in(piece.span, piece.text, term.place)


def _introduce(made: Symbols, piece: Inline, terms: Sequence[Term]) -> None:
    for term in terms:
        made.introduce(term, _place(piece, term))


def _define(made: Symbols, piece: Inline, found: Sequence[Piece]) -> None:
    """Keep what a definition introduces: `Y[i] = ...` says what Y is for every i."""
    for term in _defined(found):
        for inner in all_terms([term]):
            made.introduce(inner, _place(piece, inner))
            # Y[ij] has two indices that nothing parts.
            letters = inner.word if inner is not term and len(inner.word) == 2 else ""
            for letter in letters:
                made.introduced.setdefault(letter, piece.span)


def _is_operand(one: Piece) -> bool:
    """Return whether it stands in `c = a / b`: a bare name, or a sign."""
    return not one.inner if isinstance(one, Term) else one.kind is not TokenKind.WORD


def _in_text(found: Sequence[Piece]) -> Iterator[Term]:
    r"""The symbols that words in a formula introduce: `x \in [0, 2^n] \text{ with integer } n`."""
    for one, after in pairwise(found):
        if isinstance(one, Other) and one.kind is TokenKind.WORD and isinstance(after, Term):
            words = one.text.lower().split()
            # One word alone is a function or a case, as in `\text{rank} X`.
            if words and (len(words) > 1 or words[0] in _SCOPES) and words[-1] not in _NO_NOUN:
                yield after


def _labels(found: Sequence[Piece]) -> Iterator[Term]:
    r"""The letters that tell functions apart: F of \text{Max}_F is no index."""
    for n, one in enumerate(found):
        match found[n + 1 : n + 4]:
            case [Other(text="_"), Term(word=word, inner=()) as label, *rest] if word.isupper():
                is_function = isinstance(one, Other) and (one.kind is TokenKind.WORD or one.text in BIG)
                if is_function and signs(rest) not in (["in"], ["="]):
                    yield label


def _differentials(latex: str) -> Iterator[str]:
    """The names of derivatives and integrals in a formula: d, dx and x."""
    for found in _DERIVATIVE.finditer(latex):
        name = found[1] or found[2] or found[3]
        yield from ("d", f"d{name}", name)


def _is_prefix(term: Term, latex: str) -> bool:
    r"""Return whether it stands before the name of a tensor of several letters, as in `d\text{data}`."""
    return term.word in _OF_TENSORS and _NAMED.match(latex, term.place + 1) is not None


def _is_listed(one: Piece) -> bool:
    """Return whether it may stand in a list of symbols: a name, or what parts names."""
    return isinstance(one, Term) or one.kind is TokenKind.WORD or one.text in _BETWEEN


def _latex(piece: Inline) -> str | None:
    """The text of a piece that is a formula or a symbol in code."""
    if piece.kind is InlineKind.MATH:
        # Some pages put an anchor into a formula. What is after it stays where it is.
        return _ANCHOR.sub(lambda found: " " * len(found[0]), piece.text)
    text = piece.text.strip()
    # `R1` in code is a tag.
    if piece.kind is InlineKind.CODE and _CODE.fullmatch(text) and not kind_of(text):
        return text
    return None


def _has_words(piece: Inline) -> bool:
    """Return whether it is text with more than what joins the members of a list."""
    return piece.kind is InlineKind.TEXT and not _JOINED.fullmatch(piece.text)


def _tells(after: str) -> bool:
    """Return whether the words after a list of symbols introduce them: `n is the rank`, `b bits`."""
    return bool(_SAYS.match(after) or _COUNTED.match(after))


def _apposed(before: str, found: Sequence[Piece]) -> bool:
    """Return whether the words before a symbol introduce it."""
    if _NAMING.search(before):
        return True
    last = _LAST_WORD.search(before)
    if last is None or before.rstrip().endswith((".", ";", "=")):
        return False
    word = last[1].lower()
    if word not in _QUANTIFIED:
        return word not in _NO_NOUN
    match found:
        case [Term(word=symbol)]:
            # `for all x`: a name of several letters is one of a tensor, and has to be known.
            return len(symbol) == 1
    return False


def _after_list(pieces: Sequence[Inline], n: int) -> str:
    """The words after the list of symbols that a piece is in."""
    # The list may go on over many pieces: `$n$, $m$ and $k$ are sizes`.
    for piece in pieces[n + 1 : n + _FAR]:
        if _has_words(piece):
            return re.sub(r"^[\s,.…]*(?=\s|$)", "", piece.text)
        joins = piece.kind in (InlineKind.TEXT, InlineKind.BREAK) or not piece.is_seen
        if not joins and _latex(piece) is None:
            return ""
    return ""


_EQUALS = frozenset({"=", "triangleq", "coloneqq", "equiv"})
_ENDS = frozenset({",", "&", "\\", ";"})
"""Marks that end a formula, after which another may begin."""
_BEGIN = Other(TokenKind.MARK, ",", 0)


def _defined(found: Sequence[Piece]) -> Iterator[Term]:
    """The terms left of an equals sign that has more than a number on its right."""
    for n, (previous, one) in enumerate(pairwise([_BEGIN, *found])):
        if isinstance(previous, Term) or not isinstance(one, Term):
            continue
        # In `a + b = c` undefined symbol b.
        # In `\\forall i \\in [0, n] \\quad Y[i] = c` the set ends before Y.
        closes = previous.text == "]" and any(sign in QUANTIFIERS for sign in signs(found[:n]))
        if previous.kind is not TokenKind.WORD and previous.text not in _ENDS and not closes:
            continue
        match found[n + 1 : n + 4]:
            case [Other(), Other(kind=TokenKind.NUMBER)]:
                # `n = 3` says something of an n that has to be known.
                continue
            case [Other(text=sign), *_] if sign in _EQUALS:
                yield one


def place_in(span: Span, text: str, offset: int) -> Span:
    """The place on the page of a character of a formula."""
    before = text[:offset]
    if lines := before.count("\n"):
        return Span(span.source, span.line + lines, offset - before.rfind("\n"), 1)
    return Span(span.source, span.line, span.column + offset, 1)
