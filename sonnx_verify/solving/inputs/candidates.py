"""Input that an author gives, as candidates for the variables of a statement.

In: the examples of a text, and variables of a statement about it. Out: assignments of all of these variables. An
example of another element type is tried with the same numbers, where the type has them, or with what is 0 of them; one
that lacks a variable is left out.

Not trusted: `found.py` replays whatever comes out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from sonnx_verify.kernel.variables import Variable, VariableRole
from sonnx_verify.logic import decimals, floats
from sonnx_verify.logic.sorts import BOOL, INT, REAL, FloatSort, IntegerSort, Sort
from sonnx_verify.obligations.obligation import Input
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor, tensors_in
from sonnx_verify.solving.inputs.values import infinities

MOST = 256
"""The elements of an example that is tried: each search evaluates its conditions on it."""


def candidates(examples: Iterable[Input], variables: Sequence[Variable]) -> Iterator[Assignment]:
    """The assignments that the examples give, in their order, each once."""
    seen: list[Assignment] = []
    for example in examples:
        if sum(len(tensor.elements) for tensor in tensors_in(dict(example))) > MOST:
            continue
        made = _assignment(dict(example), variables)
        if made is not None and made not in seen:
            seen.append(made)
            yield made


def _assignment(values: Assignment, variables: Sequence[Variable]) -> Assignment | None:
    made: dict[str, Concrete] = {}
    for variable in variables:
        name = variable.name
        if variable.role is VariableRole.OUTPUT:
            # Y' is a second reading of the output Y.
            name = name.rstrip("'")
        if variable.role is VariableRole.ABSENT:
            made[variable.name] = LEFT_OUT
            continue
        if name not in values:
            return None
        value = _of_sort(values[name], variable.sort)
        if value is None:
            return None
        made[variable.name] = value
    return made


def _of_sort(value: Concrete, sort: Sort) -> Concrete | None:
    """The value with the elements of its tensors as those of a sort; None where one of them is none."""
    if isinstance(value, tuple):
        items = tuple(_of_sort(item, sort) for item in value)
        return None if None in items else items
    if not isinstance(value, ConcreteTensor) or value.sort == sort:
        return value
    elements = tuple(of_another_type(element, value.sort, sort) for element in value.elements)
    return None if None in elements else replace(value, sort=sort, elements=elements)


def of_another_type(element: object, before: Sort, after: Sort) -> object | None:
    """The element of another type that is the same number, infinity or NaN; None where there is none. A truth value is
    the number 0 or 1, and a number other than 0 is true."""
    if isinstance(before, FloatSort):
        assert isinstance(element, int)
        if isinstance(after, FloatSort):
            if floats.is_infinite(before, element) and not infinities(after):
                return None
            same = floats.convert(before, element, after)
            return same if decimals.show(after, same) == decimals.show(before, element) else None
        if not floats.is_finite(before, element):
            return None
        return _of_number(floats.to_fraction(before, element), after)
    assert isinstance(element, int | Fraction)
    return _of_number(Fraction(element), after)


def _of_number(number: Fraction, sort: Sort) -> object | None:
    match sort:
        case FloatSort():
            rounded = floats.round_to_nearest(sort, number)
            if floats.is_finite(sort, rounded) and floats.to_fraction(sort, rounded) == number:
                return rounded
            return None
        case IntegerSort():
            return int(number) if number.denominator == 1 and sort.lowest <= number <= sort.greatest else None
        case _ if sort == INT:
            return int(number) if number.denominator == 1 else None
        case _ if sort == REAL:
            return number
        case _ if sort == BOOL:
            return number != 0
        case _:
            return None
