"""The colours of Neovim before the server has started are those of the words of the language.

`SONNX_REWRITE_GOLDEN=1 pytest tests/lsp/test_neovim.py` writes the file anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from sonnx_verify.language.functions import FUNCTIONS
from sonnx_verify.language.words import CONTEXTUAL, KEYWORDS, TYPES

SYNTAX = Path(__file__).resolve().parents[2] / "editors" / "nvim" / "syntax" / "sonnx.vim"
LINES = """\
" Colours before the server has started, and without it. The words are those of the grammar of the language.
if exists("b:current_syntax")
  finish
endif
syntax keyword sonnxKeyword {keywords}
syntax keyword sonnxType {types}
syntax keyword sonnxFunction {functions}
syntax match sonnxNumber "\\<\\d\\+\\(\\.\\d\\+\\)\\?\\>"
syntax match sonnxTag "^\\s*\\[[A-Za-z_][A-Za-z0-9_., ]*\\]"
syntax match sonnxOperator "=>\\|<=\\|>=\\|!=\\|\\.\\.\\|->\\|[-+*^=<>|]"
syntax region sonnxString start=+"+ end=+"+ oneline
syntax match sonnxComment "--.*$"
highlight default link sonnxKeyword Keyword
highlight default link sonnxType Type
highlight default link sonnxFunction Function
highlight default link sonnxNumber Number
highlight default link sonnxTag Label
highlight default link sonnxOperator Operator
highlight default link sonnxString String
highlight default link sonnxComment Comment
let b:current_syntax = "sonnx"
"""


def listed(words: Iterable[str]) -> str:
    return " ".join(sorted(words))


def made() -> str:
    """The file, from the words of the language."""
    functions = FUNCTIONS - KEYWORDS - CONTEXTUAL - TYPES
    keywords = (KEYWORDS | CONTEXTUAL) - TYPES
    return LINES.format(keywords=listed(keywords), types=listed(TYPES | {"T"}), functions=listed(functions))


def test_syntax_is_that_of_the_language() -> None:
    """The file that is shipped is made of the words that the language has today."""
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        SYNTAX.write_text(made(), "utf-8")

    assert SYNTAX.read_text("utf-8") == made()
