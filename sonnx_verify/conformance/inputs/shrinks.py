"""Steps from an input to ones that are smaller, or as small and simpler.

Nothing here has to be right about the size of what it makes: `bench.smallest` weighs each trial and runs it before it
takes it. What is missed here is found on a larger input than it might be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import prod

from sonnx_verify.conformance.inputs.trial import (
    Slot,
    Trial,
    beyond_floats,
    counted,
    element_rank,
    family_items,
    instead,
    own_slots,
    simplest,
    slots,
)
from sonnx_verify.conformance.targets.calls import Presentation
from sonnx_verify.kernel.variables import VariableRole
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.sorts import INT, IntegerSort
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.values import SMALL_INTEGERS, alphabet

MANY = 48
"""A tensor of more elements is simplified in parts, not element by element."""
_MOST = 1 << 12
"""The most elements of a tensor that is made in place of an empty one."""
FEW = 3
"""The number of elements up to which all their values are tried."""
Made = Iterator[dict[str, Concrete]]


def moves(meaning: Meaning, trial: Trial, *, reorder: bool) -> Iterator[Trial]:
    """Trials that may be smaller, the boldest first. Unless it may `reorder`, the elements that remain stay in their
    order: code that does one thing to the first of some elements may do another to the last."""
    shown = trial.presentation
    for presentation in _presentations(shown):
        yield Trial(trial.assignment, presentation)
    for assignment in _smaller(meaning, trial.assignment, reorder=reorder):
        yield Trial(counted(meaning, assignment), shown)


def _presentations(shown: Presentation) -> Iterator[Presentation]:
    if shown == Presentation():
        return
    yield Presentation()
    # Without one of the three, then with another offset in its place: mostly one of them is why code fails.
    yield Presentation(0, shown.form, shown.nans)
    yield Presentation(1, nans=shown.nans)
    yield Presentation(shown.offset, nans=shown.nans)
    yield Presentation(shown.offset, shown.form)
    for offset in range(1, shown.offset):
        yield Presentation(offset, shown.form, shown.nans)


def _smaller(meaning: Meaning, assignment: Assignment, *, reorder: bool) -> Made:
    # In the order of the weight: a step that takes away a tensor saves all the steps on its axes and elements.
    yield from _left_out(meaning, assignment)
    yield from _tiny(meaning, assignment)
    yield from _fewer_members(assignment)
    yield from _merged_axes(meaning, assignment)
    yield from _fewer_axes(meaning, assignment)
    yield from _smaller_sizes(meaning, assignment)
    yield from _simpler_numbers(meaning, assignment)
    yield from _simpler_elements(meaning, assignment)
    if reorder:
        yield from _reordered(meaning, assignment)
        yield from _fillings(meaning, assignment)


def _left_out(meaning: Meaning, assignment: Assignment) -> Made:
    for variable in meaning.variables:
        if variable.may_be_left_out and assignment.get(variable.name, LEFT_OUT) is not LEFT_OUT:
            yield {**assignment, variable.name: LEFT_OUT}


_SHAPES: tuple[tuple[int, ...], ...] = ((), (0,), (1,))


def _tiny(meaning: Meaning, assignment: Assignment) -> Made:
    """All tensors of T as scalars, as empty ones, with one element."""
    for shape in _SHAPES:
        made = dict(assignment)
        for slot, tensor in own_slots(meaning, assignment):
            made = instead(made, slot, simplest(tensor.sort, shape))
        yield made


def _fewer_members(assignment: Assignment) -> Made:
    for name, value in assignment.items():
        items = family_items(value)
        # Of 65 members halves leave four in four or five steps; one by one it would take sixty.
        if len(items) > 4:
            half = len(items) // 2
            yield {**assignment, name: items[:half]}
            yield {**assignment, name: items[half:]}
        for n in range(len(items)):
            yield {**assignment, name: (*items[:n], *items[n + 1 :])}


# ---------------------------------------------------------------------------------------------------------------- axes


def _merged_axes(meaning: Meaning, assignment: Assignment) -> Made:
    """All axes of all tensors of T as one; then two neighbours, counted from the right, as one. The elements stay."""
    together = own_slots(meaning, assignment)
    rank = _most_axes(together)
    if rank > 2:
        made = dict(assignment)
        for slot, tensor in together:
            if len(tensor.shape) > 1:
                made = instead(made, slot, ConcreteTensor(tensor.sort, (prod(tensor.shape),), tensor.elements))
        yield made
    for axis in range(rank - 1):
        made = dict(assignment)
        for slot, tensor in together:
            place = len(tensor.shape) - 2 - axis
            if place >= 0:
                outer, inner = tensor.shape[place : place + 2]
                shape = (*tensor.shape[:place], outer * inner, *tensor.shape[place + 2 :])
                made = instead(made, slot, ConcreteTensor(tensor.sort, shape, tensor.elements))
        yield _renumbered(meaning, made, axis, rank)
        yield made


def _fewer_axes(meaning: Meaning, assignment: Assignment) -> Made:
    """Without an axis, counted from the right, that all tensors of T lose; and each tensor without one of its own."""
    together = own_slots(meaning, assignment)
    for axis, last in product(range(_most_axes(together)), (False, True)):
        made = dict(assignment)
        for slot, tensor in together:
            if len(tensor.shape) > axis:
                made = instead(made, slot, _without_axis(tensor, len(tensor.shape) - 1 - axis, last=last))
        # Nobody says which integers mean axes. Where these do, the first keeps the input valid; else the second does.
        yield _renumbered(meaning, made, axis, _most_axes(together))
        yield made
    for slot, tensor in slots(meaning, assignment):
        for place, last in product(range(len(tensor.shape)), (False, True)):
            yield instead(assignment, slot, _without_axis(tensor, place, last=last))


def _most_axes(tensors: list[tuple[Slot, ConcreteTensor]]) -> int:
    return max((len(t.shape) for _, t in tensors), default=0)


def _without_axis(tensor: ConcreteTensor, place: int, *, last: bool) -> ConcreteTensor:
    """The tensor at the first or last coordinate of an axis; made of the simplest elements where there is none."""
    shape = (*tensor.shape[:place], *tensor.shape[place + 1 :])
    if not tensor.shape[place]:
        # An empty tensor may have sizes that no memory holds the elements of.
        if prod(shape) > _MOST:
            shape = tuple(min(size, 1) for size in shape)
        return simplest(tensor.sort, shape)
    chosen = 0
    if last:
        chosen = tensor.shape[place] - 1
    return ConcreteTensor(tensor.sort, shape, _kept(tensor, place, [chosen]).elements)


def _renumbered(meaning: Meaning, made: dict[str, Concrete], axis: int, rank: int) -> dict[str, Concrete]:
    """The input where integers beside the tensors of T, if they mean axes, mean the same ones without that axis."""
    gone = rank - 1 - axis
    for slot, tensor in slots(meaning, made):
        # Only a list of machine integers can be a list of axes.
        if not slot[0].type_variable and len(tensor.shape) == 1 and tensor.sort.name in ("int64", "int32"):
            elements = _without_number(tensor.elements, gone, rank)
            made = instead(made, slot, ConcreteTensor(tensor.sort, (len(elements),), elements))
    for variable in meaning.variables:
        value = made.get(variable.name, LEFT_OUT)
        if variable.role is VariableRole.ATTRIBUTE and variable.sort == INT and isinstance(value, tuple):
            made = {**made, variable.name: _without_number(value, gone, rank)}
    return made


def _without_number(numbers: tuple[object, ...], gone: int, rank: int) -> tuple[int, ...]:
    """Numbers of axes of a shape of that rank, when the axis `gone` is no more."""
    # Of rank 3 without axis 1: [2] becomes [1], since 2 counts from the left; [-3] becomes [-2], and [-1] stays.
    made = []
    for number in numbers:
        assert isinstance(number, int)
        place = number
        if number < 0:
            place += rank
        if place == gone:
            continue
        if number < 0 and place < gone:
            made.append(number + 1)
        elif number >= 0 and place > gone:
            made.append(number - 1)
        else:
            made.append(number)
    return tuple(made)


# --------------------------------------------------------------------------------------------------------------- sizes


def _smaller_sizes(meaning: Meaning, assignment: Assignment) -> Made:
    """Inputs with fewer coordinates on an axis: of all tensors of T that have its size there, so that they still fit
    each other; then of each tensor alone."""
    together = own_slots(meaning, assignment)
    for axis in range(_most_axes(together)):
        sizes = {t.shape[-1 - axis] for _, t in together if len(t.shape) > axis}
        for size in sorted(sizes, reverse=True):
            for coordinates in _coordinates(size):
                made = dict(assignment)
                for slot, tensor in together:
                    if len(tensor.shape) > axis and tensor.shape[-1 - axis] == size:
                        made = instead(made, slot, _kept(tensor, len(tensor.shape) - 1 - axis, coordinates))
                yield made
    for slot, tensor in slots(meaning, assignment):
        for place, size in enumerate(tensor.shape):
            for coordinates in _coordinates(size):
                yield instead(assignment, slot, _kept(tensor, place, coordinates))


def _coordinates(size: int) -> Iterator[Sequence[int]]:
    """The coordinates of an axis that may be kept: all but a part, a half first, then all but one."""
    every = range(size)
    if size > 3:
        for start, end in _parts(size):
            if not start:
                yield every[end:]
            elif end == size:
                yield every[:start]
            elif size <= _MOST:
                yield [*every[:start], *every[end:]]
    if size > _MOST:
        return
    for n in reversed(every[:MANY]):
        yield [*every[:n], *every[n + 1 :]]


def _kept(tensor: ConcreteTensor, place: int, coordinates: Sequence[int]) -> ConcreteTensor:
    """The tensor at those coordinates of an axis."""
    shape = (*tensor.shape[:place], len(coordinates), *tensor.shape[place + 1 :])
    if not tensor.elements:
        return ConcreteTensor(tensor.sort, shape, ())
    before, size, after = prod(tensor.shape[:place]), tensor.shape[place], prod(tensor.shape[place + 1 :])
    elements: list[object] = []
    for outer, n in product(range(before), coordinates):
        start = (outer * size + n) * after
        elements += tensor.elements[start : start + after]
    return ConcreteTensor(tensor.sort, shape, tuple(elements))


# ------------------------------------------------------------------------------------------------ numbers and elements


def _simpler_numbers(meaning: Meaning, assignment: Assignment) -> Made:
    for variable in meaning.variables:
        value = assignment.get(variable.name, LEFT_OUT)
        if variable.role is not VariableRole.ATTRIBUTE or value is LEFT_OUT:
            continue
        if variable.default is not None:
            yield {**assignment, variable.name: variable.default}
        if isinstance(value, ConcreteTensor):
            yield from ({**assignment, variable.name: other} for other in _simpler_tensors(value))
            continue
        # The type that it says is that of the output: another number would be input of another section.
        if variable.code is not None:
            continue
        simple = list(alphabet(variable.sort))
        if variable.sort == INT:
            simple = list(SMALL_INTEGERS)
        if not isinstance(value, tuple):
            yield from ({**assignment, variable.name: other} for other in simple)
            continue
        for n in range(len(value)):
            yield {**assignment, variable.name: (*value[:n], *value[n + 1 :])}
            for other in simple:
                yield {**assignment, variable.name: (*value[:n], other, *value[n + 1 :])}


def _simpler_tensors(tensor: ConcreteTensor) -> Iterator[ConcreteTensor]:
    """Tensors in place of one that an attribute is."""
    yield from (simplest(tensor.sort, shape) for shape in (*_SHAPES, tensor.shape))
    for place, size in enumerate(tensor.shape):
        yield from (_without_axis(tensor, place, last=last) for last in (False, True))
        yield from (_kept(tensor, place, coordinates) for coordinates in _coordinates(size))
    yield from _one_simpler(tensor)


def _simpler_elements(meaning: Meaning, assignment: Assignment) -> Made:
    found = list(slots(meaning, assignment))
    # A whole tensor first: mostly one tensor alone holds what matters.
    for slot, tensor in found:
        yield instead(assignment, slot, simplest(tensor.sort, tensor.shape))
    for slot, tensor in found:
        yield from _partly_simplest(assignment, slot, tensor)
        yield from (instead(assignment, slot, other) for other in _one_simpler(tensor))


def _one_simpler(tensor: ConcreteTensor) -> Iterator[ConcreteTensor]:
    """Tensors with one element made simpler."""
    zero = alphabet(tensor.sort)[0]
    others = [(n, element) for n, element in enumerate(tensor.elements) if element != zero]
    for n, element in others[:MANY]:
        for other in _simpler(tensor, element):
            elements = (*tensor.elements[:n], other, *tensor.elements[n + 1 :])
            yield ConcreteTensor(tensor.sort, tensor.shape, elements)


def _simpler(tensor: ConcreteTensor, element: object) -> Iterator[object]:
    """Elements in place of one: all that a search tries before it; for an integer that it does not try, integers
    nearer to 0."""
    rank = element_rank(tensor.sort, element)
    for other in alphabet(tensor.sort):
        if element_rank(tensor.sort, other) >= rank:
            break
        yield other
    if isinstance(tensor.sort, IntegerSort) and isinstance(element, int) and rank[0]:
        # For code that computes in floats the least failing integer is one of these, and far from all steps below.
        yield from beyond_floats(tensor.sort)
        yield element // 2
        if element > 0:
            yield element - 1
        else:
            yield element + 1


def _reordered(meaning: Meaning, assignment: Assignment) -> Made:
    """Inputs with two neighbours, elements or members, exchanged."""
    for name, value in assignment.items():
        items = family_items(value)
        for n in range(len(items) - 1):
            yield {**assignment, name: (*items[:n], items[n + 1], items[n], *items[n + 2 :])}
    for slot, tensor in slots(meaning, assignment):
        for n in range(min(len(tensor.elements), MANY) - 1):
            one, two = tensor.elements[n : n + 2]
            elements = (*tensor.elements[:n], two, one, *tensor.elements[n + 2 :])
            yield instead(assignment, slot, ConcreteTensor(tensor.sort, tensor.shape, elements))


def _fillings(meaning: Meaning, assignment: Assignment) -> Made:
    """All that the elements of tensors of T may be, in order, where there are few."""
    own = own_slots(meaning, assignment)
    count = sum(len(t.elements) for _, t in own)
    # Single steps are stuck where two elements have to change at once: (1, 2) fails, (0, 2) and (1, 0) do not.
    if not 1 < count <= FEW:
        return
    for elements in product(alphabet(own[0][1].sort), repeat=count):
        made, rest = dict(assignment), list(elements)
        for slot, tensor in own:
            mine, rest = rest[: len(tensor.elements)], rest[len(tensor.elements) :]
            made = instead(made, slot, ConcreteTensor(tensor.sort, tensor.shape, tuple(mine)))
        yield made


def _partly_simplest(assignment: Assignment, slot: Slot, tensor: ConcreteTensor) -> Made:
    """Inputs with a part of their many elements made the simplest."""
    count = len(tensor.elements)
    if count <= MANY:
        return
    zero = alphabet(tensor.sort)[0]
    for start, end in _parts(count):
        part = tensor.elements[start:end]
        if any(element != zero for element in part):
            elements = (*tensor.elements[:start], *(zero,) * (end - start), *tensor.elements[end:])
            yield instead(assignment, slot, ConcreteTensor(tensor.sort, tensor.shape, elements))


def _parts(count: int) -> Iterator[tuple[int, int]]:
    """The parts of a row of so many, each from its start to its end: halves, then quarters, and so on down to one of
    `MANY` or a single one. Those that matter may be far from each other, so that only small parts have none."""
    number = 2
    while number <= min(count, MANY):
        ends = [count * n // number for n in range(number + 1)]
        yield from reversed([*pairwise(ends)])
        number *= 2
