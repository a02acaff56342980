"""Forms of orders that texts define: by classes, and within them. Trusted."""

from __future__ import annotations

from collections.abc import Sequence

from sonnx_verify.logic.terms import Term, and_, eq, integer, ite, lt, or_


def class_number(in_class: Sequence[Term]) -> Term:
    """The place of an element's class, 0 for the greatest; one more than the last for an element in no class."""
    # From the last on, so that the first class whose condition holds decides, as in a chain of `else if`.
    number = integer(len(in_class))
    for place in range(len(in_class) - 1, -1, -1):
        number = ite(in_class[place], integer(place), number)
    return number


def before(within: Term, x_class: Term, y_class: Term) -> Term:
    """`x before y`: of two elements that of the later class is before the other; within one class the text decides."""
    # Classes are listed from the greatest on. `classes nan : is_nan(x), number : ...` puts each NaN above all.
    return or_(lt(y_class, x_class), and_(eq(x_class, y_class), within))
