"""Steps from an input to ones that are smaller, or as small and simpler."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from sonnx_verify.conformance.calls import Presentation
from sonnx_verify.conformance.trial import Slot, Trial, beyond_floats, counted, element_rank, instead, slots
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.sorts import INT, IntegerSort
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.values import SMALL_INTEGERS, alphabet

MANY = 48
"""A tensor of more elements is simplified in parts, not element by element."""
FEW = 3
"""With so many elements in all, everything that they may be is tried."""


def moves(meaning: Meaning, trial: Trial, reorder: bool = True) -> Iterator[Trial]:
    """Trials that may be smaller, the boldest first. Unless it may `reorder`, what elements remain stay in their order:
    code that does one thing to the first of some elements may do another to the last."""
    shown = trial.presentation
    for presentation in _presentations(shown):
        yield Trial(trial.assignment, presentation)
    for assignment in _smaller(meaning, trial.assignment, reorder):
        yield Trial(counted(meaning, assignment), shown)


def _presentations(shown: Presentation) -> Iterator[Presentation]:
    if shown != Presentation():
        yield Presentation()
        yield Presentation(0, shown.form, shown.nans)
        yield Presentation(1, nans=shown.nans)
        yield Presentation(shown.offset, nans=shown.nans)
        yield Presentation(shown.offset, shown.form)
        for offset in range(1, shown.offset):
            yield Presentation(offset, shown.form, shown.nans)


def _smaller(meaning: Meaning, assignment: Assignment, reorder: bool) -> Iterator[dict[str, Concrete]]:
    yield from _left_out(meaning, assignment)
    yield from _tiny(meaning, assignment)
    yield from _fewer_members(assignment)
    yield from _fewer_axes(meaning, assignment)
    yield from _smaller_sizes(meaning, assignment)
    yield from _simpler_numbers(meaning, assignment)
    yield from _simpler_elements(meaning, assignment)
    if reorder:
        yield from _reordered(meaning, assignment)
        yield from _fillings(meaning, assignment)


def _left_out(meaning: Meaning, assignment: Assignment) -> Iterator[dict[str, Concrete]]:
    for variable in meaning.variables:
        if variable.may_be_left_out and assignment.get(variable.name, LEFT_OUT) is not LEFT_OUT:
            yield {**assignment, variable.name: LEFT_OUT}


def _tiny(meaning: Meaning, assignment: Assignment) -> Iterator[dict[str, Concrete]]:
    """All tensors of T as scalars, as empty ones, with one element."""
    shapes: tuple[tuple[int, ...], ...] = ((), (0,), (1,))
    for shape in shapes:
        made = dict(assignment)
        for slot, tensor in slots(meaning, assignment):
            if slot[0].type_variable:
                simplest = (alphabet(tensor.sort)[0],) * prod(shape)
                made = instead(made, slot, ConcreteTensor(tensor.sort, shape, simplest))
        yield made


def _fewer_members(assignment: Assignment) -> Iterator[dict[str, Concrete]]:
    for name, value in assignment.items():
        if isinstance(value, tuple) and value and isinstance(value[0], ConcreteTensor):
            if len(value) > 4:
                half = len(value) // 2
                yield {**assignment, name: value[:half]}
                yield {**assignment, name: value[half:]}
            for n in range(len(value)):
                yield {**assignment, name: (*value[:n], *value[n + 1 :])}


# ---------------------------------------------------------------------------------------------------------------- axes


def _fewer_axes(meaning: Meaning, assignment: Assignment) -> Iterator[dict[str, Concrete]]:
    """Without an axis, counted from the right, that all tensors of T lose; and each tensor without one of its own."""
    found = list(slots(meaning, assignment))
    together = [(slot, t) for slot, t in found if slot[0].type_variable]
    for axis in range(max((len(t.shape) for _, t in together), default=0)):
        for last in (False, True):
            made = dict(assignment)
            for slot, tensor in together:
                if len(tensor.shape) > axis:
                    made = instead(made, slot, _without_axis(tensor, len(tensor.shape) - 1 - axis, last))
            yield _renumbered(meaning, made, axis, assignment)
            yield made
    for slot, tensor in found:
        for place, last in product(range(len(tensor.shape)), (False, True)):
            yield instead(assignment, slot, _without_axis(tensor, place, last))


def _without_axis(tensor: ConcreteTensor, place: int, last: bool) -> ConcreteTensor:
    """The tensor at the first or last coordinate of an axis; made of the simplest elements where there is none."""
    shape = (*tensor.shape[:place], *tensor.shape[place + 1 :])
    if not tensor.shape[place]:
        return ConcreteTensor(tensor.sort, shape, (alphabet(tensor.sort)[0],) * prod(shape))
    chosen = tensor.shape[place] - 1 if last else 0
    return ConcreteTensor(tensor.sort, shape, _kept(tensor, place, [chosen]).elements)


def _renumbered(meaning: Meaning, made: dict[str, Concrete], axis: int, before: Assignment) -> dict[str, Concrete]:
    """The input where integers beside the tensors of T, if they mean axes, mean the same ones without that axis."""
    ranks = [len(t.shape) for slot, t in slots(meaning, before) if slot[0].type_variable]
    rank = max(ranks)
    gone = rank - 1 - axis

    def kept(numbers: tuple[int, ...]) -> tuple[int, ...]:
        made = []
        for number in numbers:
            place = number + rank if number < 0 else number
            if place == gone:
                continue
            # Numbers from the left change behind the axis, numbers from the right before it.
            if number < 0:
                made.append(number if place > gone else number + 1)
            else:
                made.append(number - 1 if place > gone else number)
        return tuple(made)

    for slot, tensor in slots(meaning, made):
        if not slot[0].type_variable and len(tensor.shape) == 1 and tensor.sort.name in ("int64", "int32"):
            elements = kept(tuple(e for e in tensor.elements if isinstance(e, int)))
            made = instead(made, slot, ConcreteTensor(tensor.sort, (len(elements),), elements))
    for variable in meaning.variables:
        value = made.get(variable.name, LEFT_OUT)
        if variable.role == "attribute" and variable.sort == INT and isinstance(value, tuple):
            made = {**made, variable.name: kept(value)}
    return made


# --------------------------------------------------------------------------------------------------------------- sizes


def _smaller_sizes(meaning: Meaning, assignment: Assignment) -> Iterator[dict[str, Concrete]]:
    found = list(slots(meaning, assignment))
    together = [(slot, t) for slot, t in found if slot[0].type_variable]
    for axis in range(max((len(t.shape) for _, t in together), default=0)):
        sizes = {t.shape[-1 - axis] for _, t in together if len(t.shape) > axis}
        for size in sorted(sizes, reverse=True):
            for coordinates in _coordinates(size):
                made = dict(assignment)
                for slot, tensor in together:
                    if len(tensor.shape) > axis and tensor.shape[-1 - axis] == size:
                        made = instead(made, slot, _kept(tensor, len(tensor.shape) - 1 - axis, coordinates))
                yield made
    for slot, tensor in found:
        for place, size in enumerate(tensor.shape):
            for coordinates in _coordinates(size):
                yield instead(assignment, slot, _kept(tensor, place, coordinates))


def _coordinates(size: int) -> Iterator[list[int]]:
    """Which coordinates of an axis may be kept: halves, then all but one."""
    every = list(range(size))
    if size > 3:
        yield every[: size // 2]
        yield every[size // 2 :]
    if size > 8:
        yield every[: size - size // 4]
        yield every[size // 4 :]
    for n in reversed(every[:MANY]):
        yield [*every[:n], *every[n + 1 :]]


def _kept(tensor: ConcreteTensor, place: int, coordinates: list[int]) -> ConcreteTensor:
    """The tensor at those coordinates of an axis."""
    before, size, after = prod(tensor.shape[:place]), tensor.shape[place], prod(tensor.shape[place + 1 :])
    elements: list[object] = []
    for outer in range(before):
        for n in coordinates:
            start = (outer * size + n) * after
            elements += tensor.elements[start : start + after]
    shape = (*tensor.shape[:place], len(coordinates), *tensor.shape[place + 1 :])
    return ConcreteTensor(tensor.sort, shape, tuple(elements))


# ------------------------------------------------------------------------------------------------ numbers and elements


def _simpler_numbers(meaning: Meaning, assignment: Assignment) -> Iterator[dict[str, Concrete]]:
    for variable in meaning.variables:
        value = assignment.get(variable.name, LEFT_OUT)
        if variable.role != "attribute" or value is LEFT_OUT:
            continue
        if variable.default is not None:
            yield {**assignment, variable.name: variable.default}
        simple = SMALL_INTEGERS if variable.sort == INT else alphabet(variable.sort)
        if isinstance(value, tuple):
            for n in range(len(value)):
                yield {**assignment, variable.name: (*value[:n], *value[n + 1 :])}
                for other in simple:
                    yield {**assignment, variable.name: (*value[:n], other, *value[n + 1 :])}
        else:
            for other in simple:
                yield {**assignment, variable.name: other}


def _simpler_elements(meaning: Meaning, assignment: Assignment) -> Iterator[dict[str, Concrete]]:
    found = list(slots(meaning, assignment))
    for slot, tensor in found:
        zero = alphabet(tensor.sort)[0]
        yield instead(assignment, slot, ConcreteTensor(tensor.sort, tensor.shape, (zero,) * len(tensor.elements)))
    for slot, tensor in found:
        yield from _parts(assignment, slot, tensor)
        for n, element in enumerate(tensor.elements[:MANY]):
            rank = element_rank(tensor.sort, element)
            for other in alphabet(tensor.sort):
                if element_rank(tensor.sort, other) >= rank:
                    break
                yield _with_element(assignment, slot, tensor, n, other)
            if isinstance(tensor.sort, IntegerSort) and isinstance(element, int) and rank[0]:
                for other in beyond_floats(tensor.sort):
                    yield _with_element(assignment, slot, tensor, n, other)
                yield _with_element(assignment, slot, tensor, n, element // 2)
                yield _with_element(assignment, slot, tensor, n, element - 1 if element > 0 else element + 1)


def _reordered(meaning: Meaning, assignment: Assignment) -> Iterator[dict[str, Concrete]]:
    """With two neighbours, elements or members, in each other's place."""
    for name, value in assignment.items():
        if isinstance(value, tuple) and value and isinstance(value[0], ConcreteTensor):
            for n in range(len(value) - 1):
                yield {**assignment, name: (*value[:n], value[n + 1], value[n], *value[n + 2 :])}
    for slot, tensor in slots(meaning, assignment):
        for n in range(min(len(tensor.elements), MANY) - 1):
            one, two = tensor.elements[n : n + 2]
            elements = (*tensor.elements[:n], two, one, *tensor.elements[n + 2 :])
            yield instead(assignment, slot, ConcreteTensor(tensor.sort, tensor.shape, elements))


def _fillings(meaning: Meaning, assignment: Assignment) -> Iterator[dict[str, Concrete]]:
    """Where tensors of T have few elements, all that they may be, in order."""
    own = [(slot, t) for slot, t in slots(meaning, assignment) if slot[0].type_variable]
    count = sum(len(t.elements) for _, t in own)
    if not 1 < count <= FEW:
        return
    for elements in product(alphabet(own[0][1].sort), repeat=count):
        made, rest = dict(assignment), list(elements)
        for slot, tensor in own:
            mine, rest = rest[: len(tensor.elements)], rest[len(tensor.elements) :]
            made = instead(made, slot, ConcreteTensor(tensor.sort, tensor.shape, tuple(mine)))
        yield made


def _parts(assignment: Assignment, slot: Slot, tensor: ConcreteTensor) -> Iterator[dict[str, Concrete]]:
    """With a part of the elements made the simplest, where there are many."""
    count = len(tensor.elements)
    if count <= MANY:
        return
    zero = alphabet(tensor.sort)[0]
    for start, end in ((0, count // 2), (count // 2, count), (count // 4, count), (0, count - count // 4)):
        elements = (*tensor.elements[:start], *(zero,) * (end - start), *tensor.elements[end:])
        yield instead(assignment, slot, ConcreteTensor(tensor.sort, tensor.shape, elements))


def _with_element(
    assignment: Assignment, slot: Slot, tensor: ConcreteTensor, n: int, element: object
) -> dict[str, Concrete]:
    elements = (*tensor.elements[:n], element, *tensor.elements[n + 1 :])
    return instead(assignment, slot, ConcreteTensor(tensor.sort, tensor.shape, elements))
