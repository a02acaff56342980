"""The names in a text, which say what it can reach: rather too many than too few, and without a parser.

In: a text, which need not be in the grammar. Out: every word of it outside quotes and comments, and those of them that
stand where a name is used or declared.

Trusted: a name that is missing would hide a text that a verdict rests on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# As the grammar has them: a quoted text ends on its line, and `--` inside of it begins no comment.
_QUOTED_OR_COMMENT = re.compile(r'"[^"\n]*"|--[^\n]*')
# From any letter on: of `2Max` the lexer makes two words, and the second one may be a name.
_WORD = re.compile(r"[^\W\d]\w*")
_USED = re.compile(r"\buse\s+(\w+)")
_DECLARED = re.compile(r"\b(operator|library|theory)\s+(\w+)")


@dataclass(frozen=True, slots=True)
class Names:
    """The names in a text: of the files that it uses, of what it declares, of the operators among that, and all."""

    used: frozenset[str]
    declared: frozenset[str]
    operators: frozenset[str]
    words: frozenset[str]


def names_in(text: str) -> Names:
    """The names in a text."""
    # A comment may stand between any two words, as in `use -- which` and the name on the next line.
    plain = _QUOTED_OR_COMMENT.sub(" ", text)
    declared = _DECLARED.findall(plain)
    return Names(
        frozenset(_USED.findall(plain)),
        frozenset(name for _, name in declared),
        frozenset(name for kind, name in declared if kind == "operator"),
        frozenset(_WORD.findall(plain)),
    )
