"""The words of the language, read off its grammar: for whoever completes, colours or explains them. Trusted, since a
name that is a reserved word is refused.

A word is one only where the grammar expects it: lark lexes by the state of its parser. Words of items, such as `input`
and `shape`, are never expected where a name is, so ONNX's names are names as they are. Words of expressions are, and
are reserved. tests/language/test_words.py reads both off the parse tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lark import Token, Tree

from sonnx_verify.language.syntax import TRUTHS, TypeWord
from sonnx_verify.logic.sorts import ELEMENT_TYPES

_GRAMMAR = Path(__file__).with_name("grammar.lark").read_text("utf-8")
# Read off, so that a word that is added to the grammar cannot be forgotten here and be a name in half of the texts.
_RULES = "".join(line for line in _GRAMMAR.splitlines(keepends=True) if not line.lstrip().startswith("//"))

KEYWORDS = frozenset(re.findall(r'"([a-z]+)"', _RULES)) | {"restriction", "constraint", "error", "outcome", "value"}
"""Words that mean something wherever they are expected. No definition has the name of one."""

_EXPRESSIONS = _GRAMMAR.partition("// -- expressions")[2]

RESERVED = frozenset(re.findall(r'"([a-z]+)"', _EXPRESSIONS)) | {"where", "when", "outside", "from", *TRUTHS}
"""The words of expressions, the constants of bool, and words of items that stand inside or before expressions: these
are no names anywhere."""

_GROUPS = re.findall(r"^[A-Z]+\.\d+: /\(?([a-z]+(?:\|[a-z]+)*)\)?\\b", _RULES, re.MULTILINE)

CONTEXTUAL = frozenset(word for group in _GROUPS for word in group.split("|")) - KEYWORDS
"""Words that mean something in their places, and may be names elsewhere."""

TYPES = frozenset((*ELEMENT_TYPES, *TypeWord)) - {
    TypeWord.T,
    TypeWord.TENSOR,
    TypeWord.LIST,
    TypeWord.SET,
    TypeWord.TYPE,
}
"""The names of types, beside what is made of `tensor of`, `list of`, `set of` and `type`."""


_RUN = re.compile(r'"[^"\n]*"|--[^\n]*|\w+')


def tokens_of(tree: Tree[Token]) -> list[Token]:
    """The tokens of a tree, in the order of the text."""
    found: list[Token] = []
    stack: list[Token | Tree[Token]] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Token):
            found.append(node)
        else:
            stack.extend(reversed(node.children))
    return found


def joined_word(text: str, tree: Tree[Token]) -> tuple[int, int] | None:
    """The beginning and the end of the first run of letters and digits in a text that its tree has as two words."""
    tokens = iter(tokens_of(tree))
    start, end = _next(tokens, len(text))
    for run in _RUN.finditer(text):
        if run[0][0] in '"-':
            continue
        while end <= run.start():
            start, end = _next(tokens, len(text))
        # The tree has names and numbers; of most words it has none, so a run without a token is one of these.
        if start > run.start() and run[0] not in KEYWORDS:
            return run.span()
        if start <= run.start() and end < run.end():
            return run.span()
    return None


def _next(tokens: Iterator[Token], length: int) -> tuple[int, int]:
    token = next(tokens, None)
    if token is None:
        return length, length + 1
    assert token.start_pos is not None
    assert token.end_pos is not None
    return token.start_pos, token.end_pos
