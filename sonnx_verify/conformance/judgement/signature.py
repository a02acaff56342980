"""The common part of two differences that are one: sizes, values and attributes, roughly."""

from __future__ import annotations

from itertools import groupby

from sonnx_verify.conformance.inputs.trial import Trial, slots
from sonnx_verify.conformance.oracles.comparison import Finding
from sonnx_verify.conformance.runs.bench import Observation
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.variables import VariableRole
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.values import alphabet

SMALL = 2
"""Sizes above are all the same."""
FEW_RUNS = 3


def bucket(meaning: Meaning, seen: Observation) -> object:
    """The same for inputs that are much alike: roughly their sizes, the order of their elements where it is simple,
    attributes, presentation."""
    tensors: list[tuple[object, object]] = []
    for (variable, _), tensor in slots(meaning, seen.trial.assignment):
        # The number of bits of the size less one: 1, 2, 3 to 4, 5 to 8, ...; -1 for an empty axis.
        sizes = tuple((max(size, 1) - 1).bit_length() - (size == 0) for size in tensor.shape)
        if variable.type_variable:
            tensors.append((sizes, _runs(tensor)))
        else:
            tensors.append((sizes, tensor.elements))
    return tuple(tensors), _attributes(meaning, seen), seen.trial.presentation


def kind_of_input(meaning: Meaning, trial: Trial) -> object:
    """The same for inputs that a target dies of for one reason, most likely: ranks, what is empty, what is given."""
    return (
        tuple((slot[0].name, len(t.shape), 0 in t.shape) for slot, t in slots(meaning, trial.assignment)),
        tuple(v.name for v in meaning.variables if trial.assignment.get(v.name, LEFT_OUT) is not LEFT_OUT),
    )


def unordered(meaning: Meaning, seen: Observation, finding: Finding) -> object:
    """The same for smallest inputs of one type that show the same, in whatever order their elements are."""
    tensors = list(slots(meaning, seen.trial.assignment))
    names: list[str] = []
    for _, tensor in tensors:
        names += _elements(tensor)
    sizes = tuple((slot[0].name, _sizes(t)) for slot, t in tensors)
    return finding, sizes, tuple(sorted(names)), _attributes(meaning, seen), _presented(seen)


def signature(meaning: Meaning, seen: Observation, finding: Finding) -> object:
    """The same for smallest inputs of different types that show the same.

    Its `repr` is hashed into the identities of ledgers: plain strings, numbers and tuples only.
    """
    return (
        finding.kind.value,
        finding.cause,
        tuple((slot[0].name, _sizes(t), _elements(t)) for slot, t in slots(meaning, seen.trial.assignment)),
        _attributes(meaning, seen),
        _presented(seen),
    )


def shape_words(meaning: Meaning, seen: Observation) -> str:
    """The sizes of the inputs in an identity: `2x1+scalar`."""
    # The same divergence may be found at size 9 of one type and at size 17 of another.
    names = {size: str(size) for size in range(SMALL + 1)}
    tensors = [tensor for _, tensor in slots(meaning, seen.trial.assignment)]
    made = ["x".join(names.get(size, "n") for size in tensor.shape) or "scalar" for tensor in tensors]
    return "+".join(made) or "nothing"


def _presented(seen: Observation) -> tuple[bool, str, str]:
    """The presentation, of which the offset matters where there is one."""
    shown = seen.trial.presentation
    return bool(shown.offset), shown.form.value, shown.nans.value


def _runs(tensor: ConcreteTensor) -> tuple[object, ...]:
    """The elements without repetitions, where that makes few."""
    # [0, 0, 0, NaN] and [0, NaN] are alike, [NaN, 0] is not: code may lose the first element, or the last.
    runs = [element for element, _ in groupby(tensor.elements)]
    if len(runs) <= FEW_RUNS:
        return tuple(runs)
    return ()


def _sizes(tensor: ConcreteTensor) -> tuple[int, ...]:
    return tuple(min(size, SMALL + 1) for size in tensor.shape)


def _attributes(meaning: Meaning, seen: Observation) -> tuple[tuple[str, str], ...]:
    named = [v.name for v in meaning.variables if v.role in (VariableRole.ATTRIBUTE, VariableRole.ASKED)]
    rows = [(name, seen.trial.assignment[name]) for name in named]
    return tuple((name, _attribute(value)) for name, value in rows if value is not LEFT_OUT)


def _attribute(value: Concrete) -> str:
    # A tensor of T is alike in all types, as one that is an input is.
    if isinstance(value, ConcreteTensor):
        return repr((_sizes(value), _elements(value)))
    return repr(value)


def _elements(tensor: ConcreteTensor) -> tuple[str, ...]:
    """The names of the elements, in their order where there are few."""
    # Of long tensors the places of elements differ from type to type: registers hold more int8 than int64.
    names = [element_name(tensor.sort, e) for e in tensor.elements]
    if any(size > SMALL for size in tensor.shape):
        return tuple(sorted(set(names)))
    return tuple(names)


def element_name(sort: Sort, value: object) -> str:
    """A name of an element that is the same in every type that has one like it."""
    match sort:
        case IntegerSort():
            # Small numbers first: of uint8 the lowest is 0, as it is in every type.
            names = {sort.lowest: "lowest", sort.greatest: "greatest", 0: "0", 1: "1", -1: "-1", 2: "2"}
            assert isinstance(value, int)
            return names.get(value, "other")
        case FloatSort():
            assert isinstance(value, int)
            if value == floats.greatest(sort):
                return "greatest"
            if value in alphabet(sort):
                return floats.show(sort, value)
            return "other"
        case _:
            # A truth value is the integer that it is converted to.
            return str(int(value)) if isinstance(value, bool) else str(value)
