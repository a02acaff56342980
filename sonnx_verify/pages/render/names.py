"""Names and texts in formulas."""

from __future__ import annotations

import re

_ESCAPED = {
    "\\": r"\backslash ", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "^": r"\^{}", "_": r"\_",
    "%": r"\%", "~": r"\~{}",
}  # fmt: skip  # a table


def escaped(text: str) -> str:
    """A text as it may stand in `\\text`."""
    return "".join(_ESCAPED.get(c, c) for c in text)


def words(text: str) -> str:
    """Upright words in a formula."""
    return rf"\text{{{escaped(text)}}}"


def identifier(name: str) -> str:
    """A name of the formal text: a letter stands for itself, longer names are upright."""
    # In italics `data` would be the product of four letters.
    if len(name) == 1 and name.isascii() and name.isalpha():
        return name
    return words(name)


def lowered(latex: str) -> str:
    """A formula as an index."""
    if len(latex) == 1:
        return f"_{latex}"
    return f"_{{{latex}}}"


def enclosed(latex: str) -> str:
    """A formula in parentheses, as high as it is."""
    # Parentheses around a sum or cases grow with them.
    if re.search(r"\\(begin|sum|prod|underset|bigvee|bigwedge)", latex):
        return rf"\left( {latex} \right)"
    return f"({latex})"
