"""Inputs next to an input: one size, one entry, one attribute or one fact is different."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from math import prod

from sonnx_verify.conformance.inputs.special_values import plain_fill
from sonnx_verify.conformance.inputs.trial import counted, family_items
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.sorts import BOOL, INT, IntegerSort
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor

Change = tuple[str, Concrete]
"""The change in words, and the value after it."""


def neighbours(
    meaning: Meaning, structural: Collection[str], facts: Collection[tuple[str, str]], assignment: dict[str, Concrete]
) -> Iterator[tuple[str, dict[str, Concrete]]]:
    """Each neighbour with what was changed. `structural` are the tensors of which entries are changed, the others
    change in their sizes; `facts` are the facts of tensors that are looked at."""
    for variable in meaning.given:
        value = assignment[variable.name]
        if variable.role in (VariableRole.LENGTH, VariableRole.ABSENT):
            continue
        mine = [fact for name, fact in facts if name == variable.name]
        for what, changed in _changes(variable, value, mine, structural=variable.name in structural):
            made = assignment | {variable.name: changed}
            if isinstance(changed, tuple) and isinstance(value, tuple) and len(changed) != len(value):
                made = counted(meaning, made)
            yield f"{variable.name} {what}", made


def _changes(variable: Variable, value: Concrete, facts: list[str], *, structural: bool) -> Iterator[Change]:
    if value is LEFT_OUT:
        yield from _given(variable)
        return
    # One with a default is left out from its default alone: from another value that would be two changes.
    if variable.may_be_left_out and variable.default in (None, value):
        yield "left out", LEFT_OUT
    match value:
        case ConcreteTensor():
            yield from _of_tensor(value, facts, structural=structural)
        case tuple() if variable.kind is VariableKind.TENSOR:
            yield from _of_family(family_items(value), facts, structural=structural)
        case tuple():
            yield from _of_list(value, numbers=variable.sort == INT)
        case _ if variable.sort == BOOL:
            yield "turned", not value
        case int() if variable.sort == INT:
            yield "up", value + 1
            yield "down", value - 1


def _given(variable: Variable) -> Iterator[Change]:
    """A variable that was left out, with its default or the plainest value."""
    if variable.default is not None:
        yield "given", variable.default
    elif variable.kind is VariableKind.TENSOR:
        yield "given", ConcreteTensor(variable.sort, (0,), ())
    elif variable.count is not None:
        yield "given", ()


def _of_family(members: tuple[ConcreteTensor, ...], facts: list[str], *, structural: bool) -> Iterator[Change]:
    if len(members) > 1:
        yield "one fewer", members[:-1]
    for n, member in enumerate(members):
        for what, changed in _of_tensor(member, facts, structural=structural):
            yield what, (*members[:n], changed, *members[n + 1 :])
    # The number of members has its own boundary; facts that fail would bring another one in.
    if 0 < len(members) < 3:
        yield "one more", (*members, replace(members[-1], lacks=frozenset()))


def _of_tensor(value: ConcreteTensor, facts: list[str], *, structural: bool) -> Iterator[tuple[str, ConcreteTensor]]:
    for fact in facts:
        lacks = value.lacks ^ {fact}
        negation = "not " * (fact in lacks)
        yield f"{negation}{fact}", replace(value, lacks=lacks)
    if not structural:
        for what, shape in _of_shape(value.shape):
            yield what, replace(value, shape=shape, elements=plain_fill(value.sort, prod(shape)))
    elif len(value.shape) == 1:
        for what, items in _of_list(value.elements, numbers=isinstance(value.sort, IntegerSort)):
            if all(_fits(value, e) for e in items):
                yield what, replace(value, shape=(len(items),), elements=items)
        if len(value.elements) == 1:
            yield "of rank 0", replace(value, shape=())
        yield "of rank 2", replace(value, shape=(1, *value.shape))
    # Back from a rank that a clause forbids: both sides of the boundary are reached from either.
    elif prod(value.shape) == len(value.elements):
        yield "of rank 1", replace(value, shape=(len(value.elements),))


def _fits(value: ConcreteTensor, element: Concrete) -> bool:
    """Return whether an element is one of the tensor's type: the neighbour of the greatest integer is none."""
    sort = value.sort
    if not isinstance(sort, IntegerSort):
        return True
    return isinstance(element, int) and sort.lowest <= element <= sort.greatest


def _of_shape(shape: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    for n, size in enumerate(shape):
        yield "larger", (*shape[:n], size + 1, *shape[n + 1 :])
        if size:
            yield "smaller", (*shape[:n], size - 1, *shape[n + 1 :])
    if shape:
        yield "of less rank", shape[1:]
    # In front, so that all axes that are counted from the right stay as they are.
    if len(shape) < 4:
        yield "of more rank", (2, *shape)


def _of_list(value: tuple[Concrete, ...], *, numbers: bool) -> Iterator[tuple[str, tuple[Concrete, ...]]]:
    for n, item in enumerate(value):
        if numbers and isinstance(item, int):
            yield "entry up", (*value[:n], item + 1, *value[n + 1 :])
            yield "entry down", (*value[:n], item - 1, *value[n + 1 :])
    if not value:
        return
    yield "shorter", value[:-1]
    # Clauses on lists of axes mostly say that no axis is there twice.
    if len(value) < 4:
        yield "with an entry twice", (*value, value[-1])
