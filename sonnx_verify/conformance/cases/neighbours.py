"""Inputs next to an input: one size, one entry, one attribute or one fact is otherwise."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from math import prod

from sonnx_verify.conformance.cases.special import plain_fill
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, INT, IntegerSort
from sonnx_verify.logic.terms import subterms
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor

Change = tuple[str, Concrete]
"""What was changed, in words, and the value after it."""


def neighbours(
    meaning: Meaning, structural: Collection[str], facts: Collection[tuple[str, str]], assignment: dict[str, Concrete]
) -> Iterator[tuple[str, dict[str, Concrete]]]:
    """Each neighbour with what was changed. `structural` are the tensors of which entries are changed, the others
    change in their sizes; `facts` are the facts of tensors that are looked at."""
    for variable in meaning.given:
        value = assignment[variable.name]
        if variable.role in ("length", "absent"):
            continue
        mine = [fact for name, fact in facts if name == variable.name]
        for what, changed in _changes(variable, value, variable.name in structural, mine):
            made = assignment | {variable.name: changed}
            if isinstance(changed, tuple) and isinstance(value, tuple) and len(changed) != len(value):
                made = _counted(meaning, variable, made)
            yield f"{variable.name} {what}", made


def _counted(meaning: Meaning, family: Variable, made: dict[str, Concrete]) -> dict[str, Concrete]:
    """The same with the last number of the family as it is now."""
    value = made[family.name]
    assert isinstance(value, tuple)
    assert family.count is not None
    for length in meaning.given:
        symbol = length.symbol("") if length.role == "length" else None
        if symbol is not None and symbol in {n.payload for n in subterms(family.count) if n.op == Op.APPLY}:
            made = made | {length.name: len(value) - int(evaluate(family.count, {symbol: 0}))}
    return made


def _changes(variable: Variable, value: Concrete, structural: bool, facts: list[str]) -> Iterator[Change]:
    if value is LEFT_OUT:
        if variable.default is not None:
            yield "given", variable.default
        elif variable.kind == "tensor":
            yield "given", ConcreteTensor(variable.sort, (0,), ())
        elif variable.count is not None:
            yield "given", ()
        return
    if variable.may_be_left_out and (variable.default is None or value == variable.default):
        yield "left out", LEFT_OUT
    if variable.kind == "tensor" and variable.count is not None:
        assert isinstance(value, tuple)
        yield from _of_family(value, structural, facts)
    elif isinstance(value, ConcreteTensor):
        yield from _of_tensor(value, structural, facts)
    elif isinstance(value, tuple):
        yield from _of_list(value, variable.sort == INT)
    elif variable.sort == BOOL:
        yield "turned", not value
    elif variable.sort == INT:
        assert isinstance(value, int)
        yield "up", value + 1
        yield "down", value - 1


def _of_family(value: tuple[Concrete, ...], structural: bool, facts: list[str]) -> Iterator[Change]:
    if len(value) > 1:
        yield "one fewer", value[:-1]
    for n, item in enumerate(value):
        assert isinstance(item, ConcreteTensor)
        for what, changed in _of_tensor(item, structural, facts):
            yield what, (*value[:n], changed, *value[n + 1 :])
    if 0 < len(value) < 3 and isinstance(value[-1], ConcreteTensor):
        yield "one more", (*value, replace(value[-1], lacks=frozenset()))


def _of_tensor(value: ConcreteTensor, structural: bool, facts: list[str]) -> Iterator[Change]:
    for fact in facts:
        lacks = value.lacks ^ {fact}
        yield f"{'not ' if fact in lacks else ''}{fact}", replace(value, lacks=lacks)
    if structural and len(value.shape) == 1:
        for what, items in _of_list(value.elements, isinstance(value.sort, IntegerSort)):
            if all(_fits(value, e) for e in items):
                yield what, replace(value, shape=(len(items),), elements=items)
        if len(value.elements) == 1:
            yield "of rank 0", replace(value, shape=())
        yield "of rank 2", replace(value, shape=(1, *value.shape))
        return
    if structural:
        if prod(value.shape) == len(value.elements):
            yield "of rank 1", replace(value, shape=(len(value.elements),))
        return
    for what, shape in _of_shape(value.shape):
        yield what, replace(value, shape=shape, elements=plain_fill(value.sort, prod(shape)))


def _fits(value: ConcreteTensor, element: Concrete) -> bool:
    sort = value.sort
    return not isinstance(sort, IntegerSort) or isinstance(element, int) and sort.lowest <= element <= sort.greatest


def _of_shape(shape: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    for n, size in enumerate(shape):
        yield "larger", (*shape[:n], size + 1, *shape[n + 1 :])
        if size:
            yield "smaller", (*shape[:n], size - 1, *shape[n + 1 :])
    if shape:
        yield "of less rank", shape[1:]
    if len(shape) < 4:
        yield "of more rank", (2, *shape)


def _of_list(value: tuple[Concrete, ...], numbers: bool) -> Iterator[tuple[str, tuple[Concrete, ...]]]:
    for n, item in enumerate(value):
        if numbers and isinstance(item, int):
            yield "entry up", (*value[:n], item + 1, *value[n + 1 :])
            yield "entry down", (*value[:n], item - 1, *value[n + 1 :])
    if value:
        yield "shorter", value[:-1]
        if len(value) < 4:
            yield "with an entry twice", (*value, value[-1])
