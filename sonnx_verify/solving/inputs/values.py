"""The values that are tried where an input is searched for: a few of every type, and constants that a text names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

from sonnx_verify.language.constants import GREATEST, LOWEST
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic import floats
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.sorts import BOOL, INT, REAL, STRING, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import Symbol, Term, is_literal, subterms

SMALL_INTEGERS = (0, 1, -1, 2, -2, 3)
MOST = 12
"""How many constants are tried of one thing: those nearest to zero."""


@cache
def alphabet(sort: Sort) -> tuple[object, ...]:
    """The values of a type that are tried, the smallest first."""
    match sort:
        case FloatSort():
            numbers = [floats.zero(sort), floats.zero(sort, negative=True)]
            numbers += [floats.from_float(sort, x) for x in (1.0, -1.0)]
            return (
                *numbers,
                floats.infinity(sort),
                floats.infinity(sort, negative=True),
                floats.nan(sort),
                floats.greatest(sort),  # two of them overflow
            )
        case IntegerSort():
            return tuple(dict.fromkeys([v for v in (0, 1, -1, 2) if v >= sort.lowest] + [sort.greatest, sort.lowest]))
        case _ if sort == BOOL:
            return (False, True)
        case _ if sort == STRING:
            return ("",)
        case _:
            return tuple(Fraction(v) for v in (0, 1, -1, 2))


def usual_values(variable: Variable) -> tuple[object, ...]:
    """What is tried of an integer, or of each element, whatever a text names."""
    return SMALL_INTEGERS if variable.kind == "int" else alphabet(variable.sort)


def constants_of(variables: Sequence[Variable], conditions: Sequence[Term]) -> dict[str, tuple[object, ...]]:
    """Of each integer, and of the elements of each tensor, the constants that stand beside it in some operation, and
    of integers their neighbours: what a bound is on either side of. None of what has none."""
    beside: dict[Symbol, dict[Fraction, None]] = {}
    for symbol, number in _pairs(conditions):
        beside.setdefault(symbol, {})[number] = None
    made: dict[str, tuple[object, ...]] = {}
    for variable in variables:
        part = {"int": "", "element": "", "tensor": "read"}.get(variable.kind)
        numbers = () if part is None else beside.get(variable.symbol(part), {})
        values = {value: abs(near) for number in numbers for value, near in _values(number, variable.sort)}
        for value in usual_values(variable):
            values.pop(value, None)
        if values:
            made[variable.name] = tuple(sorted(values, key=values.__getitem__)[:MOST])
    return made


def _pairs(conditions: Sequence[Term]) -> Iterator[tuple[Symbol, Fraction]]:
    """Each symbol with each number that stands beside something that it is in."""
    symbols: dict[Term, frozenset[Symbol]] = {}
    for node in subterms(*conditions):
        own = frozenset([node.payload]) if node.op == ops.APPLY and isinstance(node.payload, Symbol) else frozenset()
        symbols[node] = own.union(*(symbols[arg] for arg in node.args))
        numbers = [number for arg in node.args if (number := _number(arg)) is not None]
        for symbol in (symbol for arg in node.args if numbers for symbol in symbols[arg]):
            yield from ((symbol, number) for number in numbers)


def _number(term: Term) -> Fraction | None:
    """The number that a term writes out; None where it writes out none."""
    value = term.payload
    if not is_literal(term) or isinstance(value, bool) or not isinstance(value, int | Fraction):
        return None
    if not isinstance(term.sort, FloatSort):
        return Fraction(value)
    assert isinstance(value, int)
    is_finite = not floats.is_nan(term.sort, value) and not floats.is_infinite(term.sort, value)
    return floats.to_fraction(term.sort, value) if is_finite else None


def _values(number: Fraction, sort: Sort) -> Iterator[tuple[object, Fraction]]:
    """A number as a value of a type, with its neighbours where that is of integers, each with the number that it is."""
    if isinstance(sort, FloatSort):
        yield floats.round_to_nearest(sort, number), number
    elif sort == REAL:
        yield number, number
    elif number.denominator == 1 and isinstance(sort, IntegerSort):
        near = (int(number), int(number) - 1, int(number) + 1)
        yield from ((n, Fraction(n)) for n in near if sort.lowest <= n <= sort.greatest)
    # The ends of what an attribute can hold are said by its declaration.
    elif number.denominator == 1 and sort == INT and number not in (LOWEST, GREATEST):
        yield from ((n, Fraction(n)) for n in (int(number), int(number) - 1, int(number) + 1))
