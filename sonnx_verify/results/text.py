"""Words that every report uses."""

from __future__ import annotations


def counted_text(number: int, what: str, several: str = "") -> str:
    """`1 surprise`, `2 surprises`."""
    return f"{number} {what if number == 1 else several or what + 's'}"


def framed(before: str, text: object, after: str = "") -> str:
    """A text between two others; empty if the text is, so that ` for ` or ` [...]` does not stand alone."""
    said = str(text)
    return f"{before}{said}{after}" if said else ""
