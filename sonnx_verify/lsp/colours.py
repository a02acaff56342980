"""The semantic tokens of a formal text: a word by what it stands for, all else by its form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum, IntFlag, unique

from lsprotocol.types import SemanticTokens, SemanticTokensLegend

from sonnx_verify.language.functions import CONVERSIONS, FUNCTIONS
from sonnx_verify.language.words import CONTEXTUAL, KEYWORDS, TYPES
from sonnx_verify.lsp.documents import Desk, Document
from sonnx_verify.lsp.names import Formal
from sonnx_verify.lsp.occurrences import Occurrence, Space, occurrences
from sonnx_verify.lsp.positions import Place, units

_PIECE = re.compile(r'--.*|"[^"\n]*"|\d+(?:\.\d+)?|[A-Za-z_]\w*|=>|<=|>=|!=|\.\.|->|[-+*^=<>|]')


@unique
class Colour(IntEnum):
    """The types of tokens, by their places in the legend. Their names are those of the protocol."""

    COMMENT = 0
    STRING = 1
    NUMBER = 2
    OPERATOR = 3
    KEYWORD = 4
    TYPE = 5
    FUNCTION = 6
    VARIABLE = 7
    PARAMETER = 8
    PROPERTY = 9
    DECORATOR = 10
    CLASS = 11
    NAMESPACE = 12


@unique
class Modifier(IntFlag):
    """The modifiers of tokens, as bits in the order of the legend."""

    DECLARATION = 1
    DEFAULT_LIBRARY = 2


LEGEND = SemanticTokensLegend([colour.name.lower() for colour in Colour], ["declaration", "defaultLibrary"])
_SPACES = {
    Space.VALUE: Colour.VARIABLE,
    Space.FUNCTION: Colour.FUNCTION,
    Space.THEOREM: Colour.FUNCTION,
    Space.EXAMPLE: Colour.FUNCTION,
    Space.TAG: Colour.DECORATOR,
    Space.FACT: Colour.PROPERTY,
    Space.GENERAL: Colour.PROPERTY,
    Space.FAMILY: Colour.TYPE,
    Space.OPERATOR: Colour.CLASS,
    Space.LIBRARY: Colour.NAMESPACE,
    Space.LOCAL: Colour.PARAMETER,
}


def colours(desk: Desk, document: Document) -> SemanticTokens:
    """The tokens of a document, as the protocol packs them: each by its distance from the one before."""
    lines = document.lines
    data: list[int] = []
    line_before, start_before = 0, 0
    for (line, column), word, colour, modifier in _tokens(desk, document):
        start = lines.position(line, column)
        distance = start.character
        if start.line == line_before:
            distance -= start_before
        data += [start.line - line_before, distance, units(word, lines.encoding), colour.value, modifier]
        line_before, start_before = start.line, start.character
    return SemanticTokens(data)


def _tokens(desk: Desk, document: Document) -> Iterator[tuple[Place, str, Colour, int]]:
    known = _known(desk, document)
    for number in range(1, len(document.lines.lines) + 1):
        for found in _PIECE.finditer(document.lines.line(number)):
            place = number, found.start() + 1
            one = known.get(place)
            modifier = 0
            if one is None or one.name != found[0]:
                colour = _by_form(found[0])
                if found[0] in FUNCTIONS | CONVERSIONS:
                    modifier = Modifier.DEFAULT_LIBRARY.value
            else:
                colour = _SPACES[one.meaning.space]
                if one.declares:
                    modifier = Modifier.DECLARATION.value
            yield place, found[0], colour, modifier


def _known(desk: Desk, document: Document) -> dict[Place, Occurrence]:
    """The names that stand for something, by their places in the text that is open."""
    formal = Formal.of(desk, document)
    if formal is None:
        return {}
    found = {}
    for one in occurrences(formal):
        line, column = formal.place(one.start)
        now = formal.moved.line(line)
        if now is not None:
            found[now, column] = one
    return found


def _by_form(word: str) -> Colour:
    if word.startswith("--"):
        return Colour.COMMENT
    if word.startswith('"'):
        return Colour.STRING
    if word[0].isdigit():
        return Colour.NUMBER
    if not (word[0].isalpha() or word[0] == "_"):
        return Colour.OPERATOR
    if word in TYPES or word == "T":
        return Colour.TYPE
    if word in FUNCTIONS:
        return Colour.FUNCTION
    if word in KEYWORDS | CONTEXTUAL:
        return Colour.KEYWORD
    return Colour.VARIABLE
