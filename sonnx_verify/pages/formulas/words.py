"""A sentence of a page as tokens: those of its formulas, and its words between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sonnx_verify.errors import UserError
from sonnx_verify.pages.reading.blocks import Cell
from sonnx_verify.pages.reading.kinds import InlineKind
from sonnx_verify.pages.reading.latex import formula

_END = re.compile(r"\.(?=\s)")
_HARMLESS = re.compile(r"</?(?:b|i|em|strong)>|<br\s*/?>|</a>", re.IGNORECASE)
_TAG = re.compile(r"\[?[A-Z]+\d+\]?")
_THOUSANDS = re.compile(r"\d,\d{3}(?!\d)", re.ASCII)
_NUMBER = re.compile(r"0|[1-9][0-9]*(?:\.[0-9]+)?|0\.[0-9]+")
_FACE = re.compile(r"\\(?:math(?:bf|bb|cal|frak|scr|sf|tt|it)|boldsymbol|bm|text(?:bf|it|tt|sf|sc|sl))(?![A-Za-z])")
_CASES = re.compile(r"\\(?P<edge>begin|end)\s*\{cases\}")
_TEXT = re.compile(r"[A-Za-z_]\w*|[0-9]+|[^\sA-Za-z_0-9]", re.ASCII)
_SPOKEN = {
    "forall": "for all, for every, for each",
    "and_all": "and all, and every",
    "exists": "there is, there is some, there exists, for some",
    "such_that": "such that",
    "=": "is equal to, equals",
    "neq": "is not",
    "leq": "is at most",
    "geq": "is at least",
    "<": "is less than",
    ">": "is greater than",
    "in": "is in",
    "notin": "is not in",
    "iff": "if and only if",
    "fails": "does not hold",
    "fails first": "is the first constraint that does not hold",
    "excludes": "rules out that, rules out, rule out that, rule out, excludes that, excludes, exclude, prevents that, "
    "prevents, forbids",
    "ensures": "ensures that, ensures, ensure that, ensure, guarantees that, guarantees, guarantee",
}
"""Words that stand for a sign. Not `for any`, which below `if` and `not` means some."""
_PHRASES = sorted(
    ((tuple(phrase.split()), sign) for sign, said in _SPOKEN.items() for phrase in said.split(", ")),
    key=lambda row: -len(row[0]),
)
_BY_FIRST = {first: [row for row in _PHRASES if row[0][0] == first] for first in {row[0][0] for row in _PHRASES}}
_MACROS = {
    "le": "leq", "leqslant": "leq", "≤": "leq", "ge": "geq", "geqslant": "geq", "≥": "geq", "lt": "<", "gt": ">",
    "ne": "neq", "≠": "neq", "∈": "in", "∉": "notin", "land": "and", "wedge": "and", "lor": "or", "vee": "or",
    "neg": "not", "lnot": "not", "implies": "implies", "Rightarrow": "implies", "Longrightarrow": "implies",
    "iff": "iff", "Leftrightarrow": "iff", "Longleftrightarrow": "iff", "∀": "forall", "∃": "exists",
    "cdot": "*", "times": "*", "lbrace": "{", "rbrace": "}", "lvert": "|", "rvert": "|", "vert": "|", "mid": "|",
    "lbrack": "[", "rbrack": "]", "ldots": "...", "dots": "...", "cdots": "...", "dotsc": "...", "…": "...",
    "varnothing": "emptyset", "∅": "emptyset", "coloneqq": "=", "triangleq": "=",
}  # fmt: skip  # a table


class Unread(UserError):
    """A formula that is not in the part of LaTeX that is read, and why."""


@dataclass(frozen=True, slots=True)
class Word:
    """A token of a sentence. `kind` is name, number, said (upright letters), text (a word between formulas), sign,
    open or close (of a group of LaTeX)."""

    kind: str
    text: str


END = Word("sign", "")


def words_of(cell: Cell) -> list[Word]:
    """The first sentence of a cell. Raises Unread where a formula in it is no LaTeX, or where it may go on after its
    first period."""
    instead = {InlineKind.MATH: "\0", InlineKind.BREAK: " ", InlineKind.ANCHOR: ""}
    shown = "".join(instead.get(inline.kind, inline.text) for inline in cell.inlines)
    ends = re.search(r"\.(?:\\?\s+)(\S)", shown)
    if ends is not None and not (ends[1].isupper() or ends[1] == "["):
        raise Unread("where its first sentence ends is not said")
    return next(sentences_of(cell), [])


def sentences_of(cell: Cell) -> Iterator[list[Word]]:
    """The sentences of a cell. Raises Unread where it comes to a formula that is no LaTeX."""
    made: list[Word] = []
    seen = [piece for piece in cell.inlines if piece.kind is not InlineKind.ANCHOR]
    for n, piece in enumerate(seen):
        if piece.kind is InlineKind.MATH:
            made += formula_words(piece.text)
        elif piece.kind is InlineKind.MARK and not _HARMLESS.fullmatch(piece.text):
            raise Unread(f"{piece.text} may change what is said")
        elif piece.kind is InlineKind.LINK and not _TAG.fullmatch(piece.text):
            raise Unread("a link or an image may change what is said")
        elif piece.kind in (InlineKind.TEXT, InlineKind.CODE, InlineKind.LINK):
            last = n + 1 == len(seen) or seen[n + 1].kind is InlineKind.BREAK
            text = f"{piece.text} " if last else piece.text
            first, *more = _END.split(text) if piece.kind is InlineKind.TEXT else [piece.text]
            made += _text_words(first)
            for sentence in more:
                yield _joined(made)
                made = _text_words(sentence)
    if made:
        yield _joined(made)


def formula_words(latex: str) -> list[Word]:
    """The tokens of a formula. Raises Unread where it is no LaTeX."""
    if problem := formula(latex).problem:
        raise Unread(problem)
    if (face := _FACE.search(latex)) is not None:
        raise Unread(f"{face[0]} tells a name from the same name in other letters")
    if _THOUSANDS.search(latex):
        raise Unread("a comma between digits may part thousands, or numbers")
    made: list[Word] = []
    for n, part in enumerate(_CASES.split(latex)):
        if n % 2:
            made.append(Word("sign", f"{part} cases"))
        elif "\\begin" in part:
            raise Unread("it has an environment other than cases")
        else:
            made += [word for token in formula(part).tokens for word in _of_token(token.kind, token.text)]
    return _joined(made)


def _of_token(kind: str, text: str) -> Iterator[Word]:
    if kind == "word":
        yield from _said(text)
    elif kind == "number":
        yield _number(text)
    elif kind in ("name", "open", "close"):
        yield Word(kind, text)
    elif kind == "macro" and text in ("{", "}"):
        yield Word("sign", text)
    elif kind == "macro" and text.isascii() and not text.isalpha() and text != "\\":
        raise Unread(f"`\\{text}` is not read")
    else:
        yield Word("sign", _MACROS.get(text, text))


def _said(text: str) -> Iterator[Word]:
    """Upright letters: one name, or words such as `if` and `otherwise`."""
    found = _TEXT.findall(text.replace("\\_", "_"))
    if len(found) == 1 and found[0].lower() not in CONNECTIVES:
        yield Word("said", found[0])
    else:
        yield from _text_words(text)


def _text_words(text: str) -> list[Word]:
    found = _TEXT.findall(text)
    if (sign := next((w for w in found if w in "+-*/"), None)) is not None:
        raise Unread(f"`{sign}` between words may join them")
    return [_text_word(word) for word in found]


def _text_word(text: str) -> Word:
    if text.isidentifier():
        return Word("text", text)
    return _number(text) if text[0] in _DIGITS else Word("sign", text)


def _number(text: str) -> Word:
    """A number as it is written in the language. Raises Unread for other digits, and for zeros before it."""
    if not _NUMBER.fullmatch(text):
        raise Unread(f"`{text}` is no number as it is written here")
    return Word("number", text)


_DIGITS = frozenset("0123456789")
CONNECTIVES = frozenset({"if", "then", "and", "or", "otherwise", "else", "with", "where", "either", "when"})
"""Words with a meaning of their own. Not `not`: how far it reaches is seldom said."""


def _joined(words: Sequence[Word]) -> list[Word]:
    """The words with phrases as the signs that they stand for."""
    made: list[Word] = []
    n = 0
    while n < len(words):
        for phrase, sign in _BY_FIRST.get(words[n].text.lower(), ()):
            here = words[n : n + len(phrase)]
            if len(here) == len(phrase) and all(
                w.kind in ("text", "said") and w.text.lower() == p for w, p in zip(here, phrase, strict=True)
            ):
                made.append(Word("sign", sign))
                n += len(phrase)
                break
        else:
            word = words[n]
            if word.kind == "text" and word.text.lower() in CONNECTIVES:
                word = Word("sign", word.text.lower())
            made.append(_dots(words, n) or word)
            n += 3 if made[-1].text == "..." and word.text == "." else 1
    return made


def _dots(words: Sequence[Word], n: int) -> Word | None:
    """Three points in a row are one sign."""
    return Word("sign", "...") if [w.text for w in words[n : n + 3]] == ["."] * 3 else None
