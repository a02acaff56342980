"""Inputs from one run to the next: a line of text for the input that met some conditions, tried first where the same
conditions are asked again.

Not trusted: `found.py` replays it on the conditions of this run, so a line that is wrong, forged or of another text
costs the time to evaluate it once. It is never called the smallest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

from sonnx_verify.kernel.variables import Variable, VariableKind
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.logic.terms import Term
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor, numel
from sonnx_verify.solving.inputs.found import replayed
from sonnx_verify.solving.inputs.inputs import Found

LONGEST = 300
"""The length of a line: an input that takes more is as well searched for."""
MANY = 12
"""The number of candidates from which on an input is kept: one that is found sooner is found as fast as it is read."""
_LARGEST = 255
"""The largest number in a line, but for the bits of floats: whatever is evaluated may count up to it."""
_POSITIONS = 1024
"""The most positions of a shape, where a size of 0 counts as 1: whatever is evaluated may go through them."""
_OF_ELEMENTS = (VariableKind.TENSOR, VariableKind.ELEMENT)


def key_of(variables: Sequence[Variable], conditions: Sequence[Term]) -> str:
    """A digest of 16 hexadecimal digits of a search: what is declared, and what has to be met."""
    said = [(v.name, v.kind.value, v.sort.name, v.count and v.count.digest, v.facts) for v in variables]
    met = [condition.digest for condition in conditions]
    return hashlib.blake2b(repr((said, met)).encode(), digest_size=8).hexdigest()


def line_of(found: Found, variables: Sequence[Variable]) -> str | None:
    """The line of an input; None where it was soon found, is too long, or has too large a number in it."""
    if found.tried < MANY:
        return None
    line = json.dumps({v.name: _data(found.assignment[v.name]) for v in variables}, separators=(",", ":"))
    return line if len(line) <= LONGEST and input_in(line, variables) is not None else None


def input_in(line: str, variables: Sequence[Variable]) -> Assignment | None:
    """The input in a line; None for a line that has none for these variables."""
    if len(line) > LONGEST:
        return None
    # Whoever wrote the line may have written anything there.
    with suppress(ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
        made = json.loads(line)
        return {v.name: _value(v, made[v.name]) for v in variables}
    return None


def remembered(lines: Mapping[str, str], variables: Sequence[Variable], conditions: Sequence[Term]) -> Found | None:
    """The input in the line for these conditions, replayed on them; None where there is none."""
    line = lines.get(key_of(variables, conditions))
    assignment = None if line is None else input_in(line.removeprefix("= "), variables)
    if assignment is None:
        return None
    return replayed(Found(assignment, {}, minimal=False), variables, conditions)


def _data(value: Concrete) -> Any:
    """A value as JSON has it."""
    match value:
        case ConcreteTensor():
            made = {"shape": value.shape, "elements": [_data(element) for element in value.elements]}
            return {**made, "lacks": sorted(value.lacks)} if value.lacks else made
        case tuple():
            return [_data(item) for item in value]
        case frozenset():
            return {"set": sorted(value)}
        case Fraction():
            return {"fraction": [value.numerator, value.denominator]}
        case _ if value is LEFT_OUT:
            return None
        case _:
            return value


def _value(variable: Variable, data: Any) -> Any:
    """The value in JSON. Raises ValueError for a number that is too large; that it is a value of the variable is not
    looked at."""
    match data:
        case None:
            return LEFT_OUT
        case list():
            items = tuple(_value(variable, item) for item in data)
            # Else it is a family of shapes, each of which was looked at.
            if variable.kind is VariableKind.SHAPE and all(isinstance(item, int) for item in items):
                _check_size(items)
            return items
        case {"shape": shape, "elements": elements}:
            sizes = tuple(_number(size) for size in shape)
            _check_size(sizes)
            if numel(sizes) != len(elements):
                raise ValueError("a tensor of another size")
            items = tuple(_value(variable, element) for element in elements)
            return ConcreteTensor(variable.sort, sizes, items, frozenset(data.get("lacks", ())))
        case {"set": members}:
            return frozenset(_number(member) for member in members)
        case {"fraction": [above, below]}:
            return Fraction(_number(above), _number(below))
        case int() if isinstance(variable.sort, FloatSort) and variable.kind in _OF_ELEMENTS:
            return data
        case int():
            return _number(data)
        case _:
            return data


def _check_size(sizes: tuple[int, ...]) -> None:
    if numel(max(1, size) for size in sizes) > _POSITIONS:
        raise ValueError("a shape that is too large")


def _number(data: Any) -> Any:
    if abs(data) > _LARGEST:
        raise ValueError("a number that is too large")
    return data
