"""The colours of formal texts: where a word is a keyword, a type, a tag. For pages alone; nothing is decided by it."""

from __future__ import annotations

import re
from functools import cache

from markupsafe import Markup
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text

from sonnx_verify.language.words import CONTEXTUAL, KEYWORDS, TYPES


class SonnxLexer(RegexLexer):  # type: ignore[misc]  # the library says no types
    """The language of specifications, with the words of its grammar."""

    name = "sonnx"
    flags = re.MULTILINE
    tokens = {
        "root": [
            (r"--[^\n]*", Comment),
            (r'"[^"\n]*"', String),
            # A tag stands at the beginning of an item: `X[m]` in an expression is none.
            (r"^\[[A-Za-z_][\w.]*\]", Name.Label),
            (r"^(replace|remove)( +)(\[[A-Za-z_][\w.]*\])", bygroups(Keyword, Text, Name.Label)),
            (words(sorted(TYPES), prefix=r"\b", suffix=r"\b"), Keyword.Type),
            (words(sorted(KEYWORDS | CONTEXTUAL), prefix=r"\b", suffix=r"\b"), Keyword),
            (r"\d+(\.\d+)?", Number),
            (r"[A-Za-z_]\w*", Name),
            (r"[-+*^=<>!]+", Operator),
            (r"\s+|.", Text),
        ]
    }


@cache
def coloured(text: str) -> Markup:
    """A formal text as HTML: each word in an element whose class names what it is."""
    # The prefix keeps the classes of words apart from those of the pages.
    made: str = highlight(text, SonnxLexer(stripnl=False), HtmlFormatter(nowrap=True, classprefix="w-"))
    return Markup(made.rstrip("\n"))
