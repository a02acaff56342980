"""A sentence of a page as tokens: those of its formulas, and its words between them.

In: the pieces of a cell. Out: words in their order, each with its kind; a phrase that stands for a sign is that sign.
What may change the meaning of a sentence and is no word of it (a link, a footnote, struck-out text) raises Unread: what
is not read is left to the reviewer, and is never taken for something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import zip_longest

from sonnx_verify.errors import UserError
from sonnx_verify.pages.reading.blocks import Cell
from sonnx_verify.pages.reading.kinds import InlineKind, TokenKind
from sonnx_verify.pages.reading.latex import formula

_END = re.compile(r"\.(?=\s)")
_FIRST_END = re.compile(r"\.(?:\\?\s+)(\S)")
"""The first period of a cell, and the character after it."""
_HARMLESS = re.compile(r"</?(?:b|i|em|strong)>|<br\s*/?>|</a>", re.IGNORECASE)
_TAG = re.compile(r"\[?[A-Z]+\d+\]?")
_THOUSANDS = re.compile(r"\d,\d{3}(?!\d)", re.ASCII)
"""A comma between digits: 1,000 is a thousand, or two numbers."""
_NUMBER = re.compile(r"0|[1-9][0-9]*(?:\.[0-9]+)?|0\.[0-9]+")
_FACE = re.compile(r"\\(?:math(?:bf|bb|cal|frak|scr|sf|tt|it)|boldsymbol|bm|text(?:bf|it|tt|sf|sc|sl))(?![A-Za-z])")
"""Letters of another face: a page may use bold X beside X for something else."""
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


class WordKind(Enum):
    """The kinds of words: SAID are upright letters of a formula, TEXT a word between formulas, OPEN and CLOSE the
    braces of a group of LaTeX."""

    NAME = "name"
    NUMBER = "number"
    SAID = "said"
    TEXT = "text"
    SIGN = "sign"
    OPEN = "open"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Word:
    """A token of a sentence."""

    kind: WordKind
    text: str

    @property
    def is_name(self) -> bool:
        """Return whether it may be the name of a value: a letter of a formula, or one word in upright letters."""
        return self.kind in (WordKind.NAME, WordKind.SAID)


def sign(text: str) -> Word:
    """The sign that is written so."""
    return Word(WordKind.SIGN, text)


END = sign("")


def _by_first_word() -> dict[str, list[tuple[tuple[str, ...], Word]]]:
    """The phrases by the word that they begin with, longer ones first: `is not in` is not `is not` and a name `in`."""
    rows: list[tuple[tuple[str, ...], Word]] = []
    for text, said in _SPOKEN.items():
        rows += [(tuple(phrase.split()), sign(text)) for phrase in said.split(", ")]
    made: dict[str, list[tuple[tuple[str, ...], Word]]] = {}
    for row in sorted(rows, key=lambda row: -len(row[0])):
        made.setdefault(row[0][0], []).append(row)
    return made


_BY_FIRST_WORD = _by_first_word()


def words_of(cell: Cell) -> list[Word]:
    """The first sentence of a cell. Raises Unread where a formula in it is no LaTeX, or where it may go on after its
    first period."""
    instead = {InlineKind.MATH: "\0", InlineKind.BREAK: " ", InlineKind.ANCHOR: ""}
    shown = "".join(instead.get(inline.kind, inline.text) for inline in cell.inlines)
    ends = _FIRST_END.search(shown)
    # "at most 2. or so": another sentence begins with a capital, or with a tag in brackets.
    if ends is not None and ends[1] != "[" and not ends[1].isupper():
        raise Unread("the end of its first sentence is ambiguous")
    return next(sentences_of(cell), [])


def sentences_of(cell: Cell) -> Iterator[list[Word]]:
    """The sentences of a cell. Raises Unread where it comes to a formula that is no LaTeX."""
    made: list[Word] = []
    seen = [piece for piece in cell.inlines if piece.kind is not InlineKind.ANCHOR]
    for piece, after in zip_longest(seen, seen[1:]):
        match piece.kind:
            case InlineKind.MATH:
                made += formula_words(piece.text)
            case InlineKind.MARK if not _HARMLESS.fullmatch(piece.text):
                raise Unread(f"{piece.text} may change the meaning")
            case InlineKind.LINK if not _TAG.fullmatch(piece.text):
                raise Unread("a link or an image may change the meaning")
            case InlineKind.CODE | InlineKind.LINK:
                # A period in code ends no sentence.
                made += _text_words(piece.text)
            case InlineKind.TEXT:
                # A period ends a sentence before a space: at the end of a line that space is not written.
                at_end = after is None or after.kind is InlineKind.BREAK
                first, *more = _END.split(piece.text + " " * at_end)
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
    # The tokens below no longer know the face of a letter, nor the blanks around a comma: both are looked for here.
    if (face := _FACE.search(latex)) is not None:
        raise Unread(f"{face[0]} tells a name from the same name in other letters")
    if _THOUSANDS.search(latex):
        raise Unread("a comma between digits may part thousands, or numbers")
    made: list[Word] = []
    # A split by a pattern with a group gives text and edge in turn: every second part is `begin` or `end`.
    for n, part in enumerate(_CASES.split(latex)):
        if n % 2:
            made.append(sign(f"{part} cases"))
            continue
        if "\\begin" in part:
            raise Unread("it has an environment other than cases")
        for token in formula(part).tokens:
            made += _of_token(token.kind, token.text)
    return _joined(made)


def _of_token(kind: TokenKind, text: str) -> list[Word]:
    """The words of a token of LaTeX."""
    match kind:
        case TokenKind.WORD:
            return _said(text)
        case TokenKind.NUMBER:
            return [_number(text)]
        case TokenKind.NAME:
            return [Word(WordKind.NAME, text)]
        case TokenKind.OPEN:
            return [Word(WordKind.OPEN, text)]
        case TokenKind.CLOSE:
            return [Word(WordKind.CLOSE, text)]
        case TokenKind.MACRO if _is_unknown_mark(text):
            raise Unread(f"`\\{text}` is not read")
        case _:
            return [sign(_MACROS.get(text, text))]


def _is_unknown_mark(macro: str) -> bool:
    """Return whether a macro is a mark other than a brace or the end of a row: `\\-` hyphenates, and is no minus."""
    return macro.isascii() and not macro.isalpha() and macro not in ("{", "}", "\\")


def _said(text: str) -> list[Word]:
    """Upright letters: one name, or words such as `if` and `otherwise`."""
    found = _TEXT.findall(text.replace("\\_", "_"))
    # `\text{axes}` is the name of an input; `\text{if } a` and `\text{for all}` are words between formulas.
    if len(found) == 1 and found[0].lower() not in CONNECTIVES:
        return [Word(WordKind.SAID, found[0])]
    return _text_words(text)


def _text_words(text: str) -> list[Word]:
    """The words of a text. Raises Unread for a sign of arithmetic: `no-op` is one word, and `a-b` a difference."""
    found = _TEXT.findall(text)
    joins = next((word for word in found if word in "+-*/"), None)
    if joins is not None:
        raise Unread(f"`{joins}` between words may join them")
    return [_text_word(word) for word in found]


def _text_word(text: str) -> Word:
    if text.isidentifier():
        return Word(WordKind.TEXT, text)
    if text[0] in _DIGITS:
        return _number(text)
    return sign(text)


def _number(text: str) -> Word:
    """A number as it is written in the language. Raises Unread for other digits, and for zeros before it."""
    # `\d` of Python knows the digits of all scripts, and a reader may not.
    if not _NUMBER.fullmatch(text):
        raise Unread(f"`{text}` is not a number as written here")
    return Word(WordKind.NUMBER, text)


_DIGITS = frozenset("0123456789")
CONNECTIVES = frozenset({"if", "then", "and", "or", "otherwise", "else", "with", "where", "either", "when"})
"""Words with a meaning of their own. Not `not`: how far it reaches is seldom said."""


def _joined(words: Sequence[Word]) -> list[Word]:
    """The words with phrases as the signs that they stand for."""
    made: list[Word] = []
    n = 0
    # From the left, and without going back: a word of one phrase is none of another.
    while n < len(words):
        word, length = _word_at(words, n)
        made.append(word)
        n += length
    return made


def _word_at(words: Sequence[Word], n: int) -> tuple[Word, int]:
    """The word that begins at a place, and the number of words that it is written with."""
    word, low = words[n], words[n].text.lower()
    for phrase, meant in _BY_FIRST_WORD.get(low, ()):
        if tuple(map(_spoken, words[n : n + len(phrase)])) == phrase:
            return meant, len(phrase)
    if word.kind is WordKind.TEXT and low in CONNECTIVES:
        return sign(low), 1
    # Three periods in a row, as in `1, ..., n` between formulas.
    if [dot.text for dot in words[n : n + 3]] == [".", ".", "."]:
        return sign("..."), 3
    return word, 1


def _spoken(word: Word) -> str:
    """A word in small letters, empty for what is no letters: the name `is` of a formula is not spoken."""
    return word.text.lower() if word.kind in (WordKind.TEXT, WordKind.SAID) else ""
