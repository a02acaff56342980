"""Words that every report uses."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import isfinite


def counted_text(number: int, what: str, several: str = "") -> str:
    """`1 surprise`, `2 surprises`."""
    if number == 1:
        return f"1 {what}"
    return f"{number} {several or what + 's'}"


def digits_text(exact: Fraction, digits: int) -> str:
    """A number to so many significant digits: as a float is written, or beyond all doubles by powers of ten."""
    try:
        near = float(exact)
    except OverflowError:
        near = float("inf")
    if isfinite(near) and (near or not exact):
        return f"{near:.{digits}g}"
    context = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return str(context.divide(Decimal(exact.numerator), Decimal(exact.denominator))).lower()


def framed(before: str, text: object, after: str = "") -> str:
    """A text between two others; empty if the text is, so that ` for ` or ` [...]` does not stand alone."""
    said = str(text)
    if not said:
        return ""
    return f"{before}{said}{after}"


def in_words(things: list[str]) -> str:
    """`a, b and c`, of one or more."""
    *others, last = things
    if not others:
        return last
    return f"{', '.join(others)} and {last}"
