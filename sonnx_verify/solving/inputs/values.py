"""The values that are tried where an input is searched for: a few of every type, and constants that a text names.

Not trusted: values that are missing here make a search miss an input. That they are values of the type at all is seen
by whoever replays them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise

from sonnx_verify.kernel.variables import GREATEST, LOWEST, Variable, VariableKind
from sonnx_verify.logic import floats
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.polynomials import linear
from sonnx_verify.logic.sorts import BOOL, INT, REAL, STRING, FloatSort, IntegerSort, MinifloatSort, Sort
from sonnx_verify.logic.terms import Symbol, Term, is_literal, sub, subterms

SMALL_INTEGERS = (0, 1, -1, 2, -2, 3)
MOST = 12
"""The number of constants that are tried of one thing: those nearest to zero."""
_READ_AS_NUMBERS = (ops.TO_REAL, ops.ORDINAL)
_PARTS = {VariableKind.INT: "", VariableKind.ELEMENT: "", VariableKind.TENSOR: "read"}
"""The symbol of a variable that has the values which are tried of it."""


def infinities(sort: FloatSort) -> tuple[int, ...]:
    """The infinities of a format, if it has them."""
    if isinstance(sort, MinifloatSort):
        return ()
    return floats.infinity(sort), floats.infinity(sort, negative=True)


def _fine(sort: FloatSort) -> tuple[int, ...]:
    """The neighbour of 1, which has all the bits that the format has, and the least value above 0."""
    return floats.from_float(sort, 1.0) + 1, floats.smallest_subnormal(sort)


@cache
def alphabet(sort: Sort) -> tuple[object, ...]:
    """The values of a type that are tried, the smallest first."""
    match sort:
        case FloatSort():
            numbers = [floats.zero(sort), floats.zero(sort, negative=True)]
            numbers += [floats.from_float(sort, x) for x in (1.0, -1.0)]
            return (
                *numbers,
                *(infinities(sort) or _fine(sort)),
                floats.nan(sort),
                floats.greatest(sort),  # two of them overflow
            )
        case IntegerSort():
            # The ends are where machine integers wrap: the greatest and 1 make the lowest.
            small = [v for v in (0, 1, -1, 2) if sort.lowest <= v <= sort.greatest]
            return tuple(dict.fromkeys([*small, sort.greatest, sort.lowest]))
        case _ if sort == BOOL:
            return (False, True)
        case _ if sort == STRING:
            return ("",)
        case _:
            return tuple(Fraction(v) for v in (0, 1, -1, 2))


def usual_values(variable: Variable) -> tuple[object, ...]:
    """The values that are tried of an integer, or of each element, whatever a text names."""
    if variable.code is not None:
        return (variable.code,)
    if variable.kind is VariableKind.INT:
        return SMALL_INTEGERS
    return alphabet(variable.sort)


@cache
def every_value(sort: FloatSort | IntegerSort) -> tuple[int, ...]:
    """Every value of a type of few bits: integers by their distance from zero; of floats those that a short number
    writes first, such as 1, 2, 0.5 and 3, then infinities and NaN."""
    if isinstance(sort, IntegerSort):
        return tuple(sorted(range(sort.lowest, sort.greatest + 1), key=lambda value: (abs(value), value < 0)))
    sign = floats.zero(sort, negative=True)
    finite = sorted(
        (size for size in range(sign) if floats.is_finite(sort, size)), key=lambda size: _length(sort, size)
    )
    signed = (size | minus for size in finite for minus in (0, sign))
    return (*signed, *infinities(sort), floats.nan(sort))


def _length(sort: FloatSort, size: int) -> tuple[int, int]:
    """The bits that write a float of no sign with the power of two that it is a multiple of, and its place in order."""
    value = floats.to_fraction(sort, size)
    twos = (value.numerator & -value.numerator).bit_length() - value.denominator.bit_length()
    return value.numerator.bit_length() - max(0, twos) + abs(twos), size


def constants_of(variables: Sequence[Variable], conditions: Sequence[Term]) -> dict[str, tuple[object, ...]]:
    """The constants that stand beside each integer, and beside the elements of each tensor, in some operation; of
    integers their neighbours too: the values on either side of a bound. Of floats and reals the numbers at which a
    comparison turns, and those between them; and what is next to 0 where a float is read as a number,
    or a number is rounded to one.

    Of `axis < 7` these are 6, 7 and 8; of `real(x) - real(floor(real(x))) < 0.5` 0.5, 1.5 and 2.5 are among them. A
    variable beside which there is no constant has no entry.
    """
    beside: dict[Symbol, dict[Fraction, None]] = {}
    # In the order in which they are met, and each once: the search takes them in this order where they are as near.
    for symbol, number in _pairs(conditions):
        beside.setdefault(symbol, {})[number] = None
    rounded = _rounded_reals(conditions)
    floored, read = _below(conditions, (ops.FLOOR,)), _below(conditions, _READ_AS_NUMBERS)
    made: dict[str, tuple[object, ...]] = {}
    for variable in variables:
        part = _PARTS.get(variable.kind)
        if part is None:
            continue
        nearness: dict[object, Fraction] = {}
        symbol = variable.symbol(part)
        for number in _turning(beside.get(symbol, {}), variable.sort, floored=symbol in floored):
            nearness |= {value: abs(near) for value, near in _values(number, variable.sort)}
        for value in usual_values(variable):
            nearness.pop(value, None)
        values = sorted(nearness, key=nearness.__getitem__)[:MOST]
        # Next to 0 rounding, and the steps from one float to the next, have other laws; and these are no integers.
        if symbol in read and isinstance(variable.sort, FloatSort):
            values += _least(variable.sort)
        if symbol in rounded and variable.sort == REAL:
            values += rounded[symbol]
        if values:
            made[variable.name] = tuple(dict.fromkeys(values))
    return made


def _pairs(conditions: Sequence[Term]) -> Iterator[tuple[Symbol, Fraction]]:
    """Each symbol with each number that stands beside a term that it occurs in."""
    symbols: dict[Term, frozenset[Symbol]] = {}
    for node in subterms(*conditions):
        # Parts come before what they are part of.
        symbols[node] = _own(node).union(*(symbols[arg] for arg in node.args))
        numbers = [number for number in map(_number, node.args) if number is not None]
        yield from _solved(node, symbols)
        if not numbers:
            continue
        for arg in node.args:
            for symbol in symbols[arg]:
                yield from ((symbol, number) for number in numbers)


def _solved(node: Term, symbols: Mapping[Term, frozenset[Symbol]]) -> Iterator[tuple[Symbol, Fraction]]:
    """Each symbol with the real at which a comparison turns: of `4 * x < 1` it is 1/4."""
    if node.op not in (ops.EQUAL, ops.AT_MOST) or node.args[0].sort != REAL:
        return
    atoms, constant = linear(sub(node.args[1], node.args[0]))
    for atom, coefficient in atoms.items():
        if atom in symbols and abs(coefficient) != 1:
            yield from ((symbol, Fraction(-constant) / coefficient) for symbol in symbols[atom])


def _below(conditions: Sequence[Term], operators: Sequence[Op]) -> frozenset[Symbol]:
    """The symbols that an operator is applied to."""
    nodes = [node for node in subterms(*conditions) if node.op in operators]
    return frozenset(symbol for node in subterms(*nodes) for symbol in _own(node))


def _rounded_reals(conditions: Sequence[Term]) -> dict[Symbol, list[Fraction]]:
    """The symbols in what is rounded to a float, each with the reals of the floats next to 0."""
    found: dict[Symbol, list[Fraction]] = {}
    for node in subterms(*conditions):
        if node.op is ops.ROUNDED and isinstance(node.sort, FloatSort):
            numbers = [floats.to_fraction(node.sort, bits) for bits in _least(node.sort)]
            for symbol in _below((node,), (ops.ROUNDED,)):
                found.setdefault(symbol, []).extend(numbers)
    return found


def _least(sort: FloatSort) -> tuple[int, int]:
    """The floats next to 0 on both sides."""
    least = floats.smallest_subnormal(sort)
    return least, floats.negate(sort, least)


def _turning(numbers: Iterable[Fraction], sort: Sort, *, floored: bool) -> list[Fraction]:
    """The numbers themselves; for floats and reals those too that are a whole number further, where a floor makes what
    happens at one happen at each of these, and the middle between two that are neighbours."""
    if sort != REAL and not isinstance(sort, FloatSort):
        return list(numbers)
    named = sorted(numbers, key=abs)[:MOST]
    if not named:
        return []
    further: list[Fraction] = []
    if floored:
        further = [n + step for n in named if n.denominator != 1 for step in (1, -1, 2, -2)]
    # Whatever is between two numbers at which a comparison turns is alike: one number of it is enough.
    ordered = sorted({*named, *further, *map(Fraction, (-1, 0, 1))})
    between = [(low + high) / 2 for low, high in pairwise(ordered)]
    return list(dict.fromkeys([*named, *sorted(further, key=abs), *sorted(between, key=abs)]))[:MOST]


def _own(node: Term) -> frozenset[Symbol]:
    """The symbol that a term applies."""
    if node.op == ops.APPLY and isinstance(node.payload, Symbol):
        return frozenset([node.payload])
    return frozenset()


def _number(term: Term) -> Fraction | None:
    """The number that a term writes out; None where it writes out none."""
    value = term.payload
    if not is_literal(term) or isinstance(value, bool) or not isinstance(value, int | Fraction):
        return None
    if not isinstance(term.sort, FloatSort):
        return Fraction(value)
    # A literal of a float type holds its bits.
    assert isinstance(value, int)
    if not floats.is_finite(term.sort, value):
        return None
    return floats.to_fraction(term.sort, value)


def _values(number: Fraction, sort: Sort) -> Iterator[tuple[object, Fraction]]:
    """A number as a value of a type, with its neighbours where that is of integers, each with the number that it is."""
    if isinstance(sort, FloatSort):
        bits = floats.round_to_nearest(sort, number)
        if not floats.is_nan(sort, bits):
            yield bits, number
    elif sort == REAL:
        yield number, number
    elif number.denominator == 1:
        whole = int(number)
        near = (whole, whole - 1, whole + 1)
        if isinstance(sort, IntegerSort):
            yield from ((n, Fraction(n)) for n in near if sort.lowest <= n <= sort.greatest)
        # The ends of what an attribute can hold are said by its declaration, not by anybody who means them.
        elif sort == INT and whole not in (LOWEST, GREATEST):
            yield from ((n, Fraction(n)) for n in near)
