"""Two different results that a text allows on an input which it leaves open, both replayed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sonnx_verify.errors import UsageError
from sonnx_verify.kernel.values import Tensor
from sonnx_verify.kernel.variables import value_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import LeftOpen, Meaning
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import indices_of
from sonnx_verify.logic.sorts import INDEX
from sonnx_verify.logic.terms import Symbol
from sonnx_verify.obligations.gaps import gap_tag
from sonnx_verify.results.concrete import Assignment, Concrete, ConcreteTensor, members_of
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import Outcome, compute, on_input
from sonnx_verify.solving.inputs.values import alphabet

Result = Mapping[str, ConcreteTensor] | None
"""The outputs by name; None is an error."""


def open_results(unit: Unit, meaning: Meaning, item: LeftOpen, assignment: Assignment) -> tuple[Result, Result]:
    """The result that shape and value give, and another one that conforms too; where anything may happen, an error.

    UsageError where shape and value give nothing, but have to. AssertionError where a result does not conform: nothing
    that is not replayed is shown.
    """
    given = {v.name: assignment[v.name] for v in meaning.given}
    spread = on_input(meaning, given)
    outcome = Outcome()
    compute(meaning, given, outcome)
    usual = dict(outcome.outputs)
    if item.reach is not s.Reach.OUTCOME and not usual:
        raise UsageError(
            f"{unit.operator}: shape and value give no result on the input of {gap_tag(meaning.file, item.rule)}",
            cure="run `check` on it: a read is out of bounds, or a clause is not total",
        )
    one: Result = usual
    other: Result
    match item.reach:
        case s.Reach.OUTCOME:
            one, other = usual or _of_zeros(spread), None
        case s.Reach.SHAPE:
            other = {name: _of_rank(tensor, len(tensor.shape) + 1) for name, tensor in usual.items()}
        case s.Reach.VALUE:
            name = item.rule.output
            other = usual | {name: _changed(meaning, item, usual[name], given)}
    # Both are replayed: of an open shape or element anything conforms, but a constraint about outputs may forbid it.
    for result in (one, other):
        if result is not None and not _conforms(spread, result, given):
            raise AssertionError(f"{gap_tag(meaning.file, item.rule)}: a result that is shown does not conform")
    if one == other:
        raise AssertionError(f"{gap_tag(meaning.file, item.rule)}: the two results are one")
    return one, other


def _conforms(meaning: Meaning, outputs: Mapping[str, ConcreteTensor], given: Assignment) -> bool:
    """Return whether these outputs are a result that the text allows on the input."""
    variables = meaning.free_outputs()
    values = {name: value_of(variable) for name, variable in variables.items()}
    tensors = {name: value for name, value in values.items() if isinstance(value, Tensor)}
    # An output that is not asked for is not among them: its symbols need some value all the same.
    facts = interpretation((*meaning.given, *variables.values()), {**given, **_of_zeros(meaning), **outputs})
    return evaluate(meaning.conforms(tensors), facts) is True


def _changed(meaning: Meaning, item: LeftOpen, result: ConcreteTensor, given: Assignment) -> ConcreteTensor:
    """The output with another element at the first index that the item leaves open: one of the input, if there is."""
    facts = interpretation(meaning.given, given)
    place = Symbol("place", (), INDEX)
    when = item.when(place())
    places = indices_of(list(result.shape[::-1]))
    offset = next(n for n, position in enumerate(places) if evaluate(when, {**facts, place: position}))
    present = result.elements[offset]
    other = next(e for e in _elements(meaning, result, given) if e != present)
    return replace(result, elements=(*result.elements[:offset], other, *result.elements[offset + 1 :]))


def _elements(meaning: Meaning, result: ConcreteTensor, given: Assignment) -> Iterator[object]:
    """The elements of the inputs that have the type of the output, then others of it."""
    # An element of the input is the likelier mistake of an implementation, and is the easier to see in an example.
    for variable in meaning.given:
        yield from _elements_of(given[variable.name], result)
    yield from alphabet(result.sort)


def _elements_of(value: Concrete, result: ConcreteTensor) -> Iterator[object]:
    for tensor in members_of(value):
        if isinstance(tensor, ConcreteTensor) and tensor.sort == result.sort:
            yield from tensor.elements


def _of_zeros(meaning: Meaning) -> dict[str, ConcreteTensor]:
    """Some result, where shape and value give none: anything conforms."""
    return {v.name: ConcreteTensor(v.sort, (), alphabet(v.sort)[:1]) for v in meaning.outputs}


def _of_rank(tensor: ConcreteTensor, rank: int) -> ConcreteTensor:
    return ConcreteTensor(tensor.sort, (1,) * rank, alphabet(tensor.sort)[:1])
