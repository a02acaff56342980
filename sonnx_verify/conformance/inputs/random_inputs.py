"""Random inputs of an operator: valid ones and, every few, invalid ones, some of them long."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.small_inputs import with_elements
from sonnx_verify.conformance.inputs.special_values import eighths, plain_fill, special_values
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import ConcreteTensor, numel

LENGTHS = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100)
"""Lengths around those at which code takes several elements at once."""
_SIZES = (0, 1, 1, 2, 2, 3, 4, 5)
_MOST_ELEMENTS = 256
_TRIES = 100
"""The number of inputs that are drawn for one that is wanted."""
_INVALID = 5
"""One of this number is invalid."""


def random_inputs(points: Points, seed: int, count: int) -> Iterator[Input]:
    """`count` inputs, the same ones for the same seed; one in five is invalid where an invalid one is found."""
    draws = random.Random(seed)
    pools: dict[bool, list[Input]] = {True: [], False: []}
    for assignment in points.choices.inputs(400):
        pools[points.judge(assignment).valid].append(assignment)
    for n in range(count):
        # What is drawn is in ledgers: the number and the order of draws must not change.
        wanted = n % _INVALID != _INVALID - 1 or not pools[False]
        drawn = _one(points, draws, pools[wanted], wanted=wanted, elements=_elements)
        if drawn is not None:
            yield drawn


def spread_inputs(points: Points, seed: int, count: int) -> Iterator[Input]:
    """`count` valid inputs, the same ones for the same seed, whose floats have all digits and magnitudes from 2^-10 to
    2^7: there functions are rounded, and seldom overflow."""
    draws = random.Random(seed)
    pool = [assignment for assignment in points.choices.inputs(400) if points.judge(assignment).valid]
    for _ in range(count):
        drawn = _one(points, draws, pool, wanted=True, elements=_spread)
        if drawn is not None:
            yield drawn


def _one(
    points: Points,
    draws: random.Random,
    pool: Sequence[Input],
    *,
    wanted: bool,
    elements: Callable[[Points, random.Random, Input], Input],
) -> Input | None:
    """An input that is valid, or not, as is wanted: one that is known, with other sizes and elements."""
    optional = [v.name for v in points.meaning.given if v.optional and v.role is not VariableRole.ABSENT]
    absent = frozenset(name for name in optional if draws.random() < 0.4)
    if not pool:
        return None
    for attempt in range(_TRIES):
        base = draws.choice(pool) if draws.random() < 0.2 else points.choices.drawn(draws, absent)
        # The last attempt keeps its sizes: other ones may be why all attempts before it failed.
        if attempt < _TRIES - 1:
            base = _resized(points, draws, base)
        made = elements(points, draws, base)
        judged = points.judge(made)
        if judged.declared and judged.valid is wanted:
            return made
    return None


def _resized(points: Points, draws: random.Random, base: Input) -> Input:
    """The same with other shapes: all of one shape, with sizes 1 and axes missing on the left in some of them."""
    shape = _shape(draws)
    made = dict(base)
    for variable in points.meaning.given:
        if variable.kind is not VariableKind.TENSOR or variable.name in points.choices.structural:
            continue
        match base[variable.name]:
            case tuple() as members:
                made[variable.name] = tuple(_of_shape(variable, m, broadcast(draws, shape)) for m in members)
            case ConcreteTensor() as tensor:
                own = shape
                # Mostly all of one shape: shapes that all broadcast on their own seldom fit each other.
                if draws.random() >= 0.7:
                    own = broadcast(draws, shape)
                made[variable.name] = _of_shape(variable, tensor, own)
    return made


def _of_shape(variable: Variable, tensor: Any, shape: tuple[int, ...]) -> ConcreteTensor:
    assert isinstance(tensor, ConcreteTensor)
    return replace(tensor, shape=shape, elements=plain_fill(variable.sort, numel(shape)))


def _shape(draws: random.Random) -> tuple[int, ...]:
    kind = draws.randrange(4)
    if kind == 0:
        return (draws.choice(LENGTHS),)
    if kind == 1:
        short = draws.choice((1, 2, 3))
        return draws.choice(((short, draws.choice(LENGTHS)), (draws.choice(LENGTHS), short)))
    # Large shapes are drawn anew: the reference evaluator takes each element by itself.
    while True:
        shape = tuple(draws.choice(_SIZES) for _ in range(draws.randrange(5)))
        if numel(shape) <= _MOST_ELEMENTS:
            return shape


def broadcast(draws: random.Random, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts to it."""
    sizes = tuple(1 if draws.random() < 0.25 else size for size in shape)
    if draws.random() < 0.3:
        return sizes[draws.randrange(len(sizes) + 1) :]
    return sizes


def _elements(points: Points, draws: random.Random, base: Input) -> Input:
    """The same with random elements, special values among them, in one tensor many of them and in another none."""
    special = draws.choice((0.0, 0.1, 0.5))
    elements: list[object] = []
    for _, _, tensor in points.elements(base):
        known = list(special_values(tensor.sort).values())
        for _ in tensor.elements:
            if draws.random() < special:
                elements.append(draws.choice(known))
            else:
                elements.append(element(draws, tensor.sort))
    return with_elements(points, base, elements)


def _spread(points: Points, draws: random.Random, base: Input) -> Input:
    """The same with random elements, none of them special."""
    elements: list[object] = []
    for _, _, tensor in points.elements(base):
        for _ in tensor.elements:
            if isinstance(tensor.sort, FloatSort):
                size = Fraction(draws.getrandbits(64) + (1 << 64), 1 << 64) * Fraction(2) ** draws.randrange(-10, 7)
                elements.append(floats.round_to_nearest(tensor.sort, size * draws.choice((1, -1))))
            else:
                elements.append(element(draws, tensor.sort))
    return with_elements(points, base, elements)


def element(draws: random.Random, sort: Sort) -> object:
    """A value of the type: every bit pattern, or a small number."""
    match sort:
        case FloatSort():
            if draws.random() < 0.5:
                return eighths(sort, draws.randrange(-64, 65))
            return floats.canonical(sort, draws.getrandbits(sort.width))
        case IntegerSort():
            if draws.random() < 0.5:
                return draws.randrange(max(sort.lowest, -64), min(sort.greatest, 64) + 1)
            return draws.randrange(sort.lowest, sort.greatest + 1)
        case _ if sort == BOOL:
            return draws.random() < 0.5
        case _:
            return plain_fill(sort, 8)[draws.randrange(8)]
