"""Words that every report uses."""

from __future__ import annotations


def counted_text(number: int, what: str, several: str = "") -> str:
    """`1 surprise`, `2 surprises`."""
    if number == 1:
        return f"1 {what}"
    return f"{number} {several or what + 's'}"


def framed(before: str, text: object, after: str = "") -> str:
    """A text between two others; empty if the text is, so that ` for ` or ` [...]` does not stand alone."""
    said = str(text)
    if not said:
        return ""
    return f"{before}{said}{after}"
