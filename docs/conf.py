"""Settings of the documentation site: `make docs`."""

from pygments.lexer import RegexLexer, words
from pygments.lexers.special import TextLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text
from sphinx.application import Sphinx

from sonnx_verify import __version__ as release
from sonnx_verify.language.words import CONTEXTUAL, KEYWORDS, TYPES

project = "sonnx-verify"
author = "the authors of sonnx-verify"
copyright = author
version = release
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"sonnx-verify {release}"
# Nothing is fetched: formulas are shown as they are written where a browser has no MathML, and no source is copied.
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
exclude_patterns = ["_build"]


class SonnxLexer(RegexLexer):
    """The language of specifications, with the words of its grammar."""

    name = "sonnx"
    tokens = {
        "root": [
            (r"--[^\n]*", Comment),
            (r'"[^"\n]*"', String),
            (r"\[[A-Za-z_][\w.]*\]", Name.Label),
            (words(sorted(TYPES), prefix=r"\b", suffix=r"\b"), Keyword.Type),
            (words(sorted(KEYWORDS | CONTEXTUAL), prefix=r"\b", suffix=r"\b"), Keyword),
            (r"\d+(\.\d+)?", Number),
            (r"[A-Za-z_]\w*", Name),
            (r"[-+*^=<>!]+", Operator),
            (r"\s+|.", Text),
        ]
    }


def setup(app: Sphinx) -> None:
    """The colours of formal texts; the grammar and formulas that are shown as they are written are plain."""
    app.add_lexer("sonnx", SonnxLexer)
    app.add_lexer("ebnf", TextLexer)
    app.add_lexer("math", TextLexer)
