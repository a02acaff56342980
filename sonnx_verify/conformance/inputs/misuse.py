"""Calls that a signature does not allow, made from one that it allows and from the declarations of a text alone.

Each is wrong in one way. An input is missing, has a type that the operator lacks, or another type than its fellows;
there are too many inputs or outputs; an attribute is unknown, or of another kind; the model around the node breaks a
rule of ONNX's IR. No clause of a text speaks of such a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from sonnx_verify.conformance.inputs.misuse_models import (
    CHANGES,
    EXTRA,
    Model,
    changed,
    element_number,
    opset,
    output_beyond,
    replace_all,
)
from sonnx_verify.conformance.targets.calls import Array, Call, Presentation
from sonnx_verify.conformance.targets.models import Models, first_version
from sonnx_verify.conformance.targets.presentation import made
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.language.families import types_of
from sonnx_verify.logic.sorts import ELEMENT_TYPES, INT, STRING
from sonnx_verify.results.concrete import Assignment, members_of
from sonnx_verify.results.dtypes import dtype_of
from sonnx_verify.results.written import said

Inputs = tuple[tuple[str, Array | None], ...]
FOREIGN = 2
"""The number of foreign types that are tried for each type variable."""
_FOREIGN = ("int32", "bool", "complex64", "float", "double", "uint8")
"""Element types that may stand for one that an operator lacks. numpy has all of them."""
_WRONG: Mapping[str, tuple[object, object]] = {
    "int": ("text", [1]),
    "ints": ("text", 1),
    "float": ("text", [0.5]),
    "floats": ("text", 0.5),
    "string": (1, ["text"]),
    "strings": (1, "text"),
    "tensor": (1, "text"),
}
"""Two values of other kinds for each kind of attribute."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The rule that a call outside of the signature breaks. `kind` says it in words that are the same for all operators
    as far as they can be."""

    kind: Annotated[str, said("The problem.")]
    subject: Annotated[
        str | None, said("The input, type or attribute that it is about; null if it is about no single one.")
    ] = None

    @property
    def name(self) -> str:
        """Its name, which is part of identities."""
        return "-".join(filter(None, (self.kind, self.subject)))


@dataclass(frozen=True, slots=True)
class Misuse:
    """A call outside of the signature. `title` says what is wrong with it in words."""

    fault: Fault
    title: str
    call: Call


def misuses(models: Models, base: Assignment) -> Iterator[Misuse]:
    """The calls, made from an input that the signature allows. Each has a fault of its own."""
    call = models.call(base, Presentation())
    call = replace(call, model=changed(call.model, lambda _: None))
    yield from _of_inputs(models, base, call)
    yield from _of_types(models, base, call)
    yield from _of_attributes(models, call)
    if call.model:
        yield from _of_models(models, call)


# ------------------------------------------------------------------------------------------------------------ inputs


def _of_inputs(models: Models, base: Assignment, call: Call) -> Iterator[Misuse]:
    """Inputs that are left out, and one too many."""
    inputs = call.inputs
    required = 0
    may_be_empty = is_fixed = True

    def misuse(kind: str, subject: str, title: str, *parts: Inputs) -> Misuse:
        return Misuse(Fault(kind, subject or None), title, _with_inputs(call, sum(parts, ())))

    for variable, own in _declared(models, base):
        before, members, after = inputs[: own.start], inputs[own.start : own.stop], inputs[own.stop :]
        name = variable.name
        is_fixed &= variable.count is None
        if variable.optional or not members:
            continue
        may_be_empty = False
        if variable.count is None:
            required = own.stop
            yield misuse("omitted", name, f"{name} omitted", before, ((name, None),), after)
            continue
        # A node has an empty name for what is left out, which a member of a family cannot be.
        yield misuse("omitted-first", name, f"first input of {name} omitted", before, _omitted(members, 0), after)
        # There are as many members as before: what a target does of another number shows without this.
        if len(members) > 1:
            last = _omitted(members, len(members) - 1)
            yield misuse("omitted-last", name, f"last input of {name} omitted", before, last, after)
        if len(members) > 2:
            second = _omitted(members, 1)
            yield misuse("omitted-second", name, f"second input of {name} omitted", before, second, after)
    if not may_be_empty:
        yield misuse("no-inputs", "", "no inputs")
    if required > 1:
        yield misuse("too-few-inputs", "", "too few inputs", inputs[: required - 1])
    if call.given and is_fixed:
        _, array = call.given[0]
        yield misuse("too-many-inputs", "", "too many inputs", inputs, ((EXTRA, array),))


def _omitted(inputs: Inputs, place: int) -> Inputs:
    """The inputs without one of them, which keeps its place."""
    name, _ = inputs[place]
    return (*inputs[:place], (name, None), *inputs[place + 1 :])


def _declared(models: Models, base: Assignment) -> Iterator[tuple[Variable, range]]:
    """Each input of the text, and its places among the inputs of a call."""
    start = 0
    for variable in models.meaning.variables:
        if variable.role is not VariableRole.INPUT:
            continue
        count = 1
        if variable.count is not None and variable.kind is VariableKind.TENSOR:
            count = len(members_of(base[variable.name]))
        yield variable, range(start, start + count)
        start += count


def _with_inputs(call: Call, inputs: Inputs) -> Call:
    """The call with other inputs, each of them declared in the model as it is."""

    def change(model: Model) -> None:
        declared = {info.name: info for info in model.graph.input}
        infos = {}
        for name, array in inputs:
            if array is None:
                continue
            # A new input is declared like the first; in declarations sizes have names.
            like = declared.get(name, model.graph.input[0])
            infos[name] = type(like).FromString(like.SerializeToString())
            infos[name].name = name
            infos[name].type.tensor_type.elem_type = element_number(array.dtype)
        model.graph.node[0].input[:] = ["" if array is None else name for name, array in inputs]
        replace_all(model.graph.input, infos.values())

    return replace(call, inputs=inputs, model=changed(call.model, change))


# ------------------------------------------------------------------------------------------------------------- types


def _of_types(models: Models, base: Assignment, call: Call) -> Iterator[Misuse]:
    """Inputs of types that the operator lacks, and inputs of one type variable with two types."""
    for word, places in _typed_alike(models, base, call).items():
        allowed = _types_of(models, word)
        for name in [name for name in _FOREIGN if name not in allowed][:FOREIGN]:
            foreign = _converted(call.inputs, places, name)
            yield Misuse(Fault("foreign", f"{word}-{name}"), f"{word} is {name}", _with_inputs(call, foreign))
        if len(places) > 1:
            own = _dtype(call.inputs, places[0])
            other = next(name for name in (*allowed, *_FOREIGN) if name != own)
            mixed = _converted(call.inputs, places[-1:], other)
            yield Misuse(Fault("mixed", word), f"{word} is both {own} and {other}", _with_inputs(call, mixed))


def _typed_alike(models: Models, base: Assignment, call: Call) -> dict[str, list[int]]:
    """The places of the inputs that are given, by the word that the text has for their element type."""
    assert models.unit.file is not None
    words = {one.name: one.type.of.name for one in models.unit.file.inputs if one.type.of is not None}
    found: dict[str, list[int]] = {}
    for variable, own in _declared(models, base):
        given = [n for n in own if call.inputs[n][1] is not None]
        if given and variable.name in words:
            found.setdefault(words[variable.name], []).extend(given)
    return found


def _types_of(models: Models, word: str) -> list[str]:
    """The types that a word stands for: those of a variable, or the one that it names. Arrays have no real numbers."""
    assert models.unit.file is not None
    if word in ELEMENT_TYPES:
        return [word]
    return [name for name in types_of(models.unit.file, word) if name != "real"]


def _dtype(inputs: Inputs, place: int) -> str:
    _, array = inputs[place]
    assert array is not None
    return array.dtype


def _converted(inputs: Inputs, places: Sequence[int], dtype: str) -> Inputs:
    """The inputs with the elements at these places converted to another type."""
    changed_inputs = list(inputs)
    for n in places:
        name, array = inputs[n]
        assert array is not None
        # Which numbers they become does not matter; NaN becomes any.
        with np.errstate(all="ignore"):
            data = made(array, Presentation()).astype(dtype_of(dtype)).tobytes()
        changed_inputs[n] = (name, Array(dtype, array.shape, data))
    return tuple(changed_inputs)


# -------------------------------------------------------------------------------------------------------- attributes


def _of_attributes(models: Models, call: Call) -> Iterator[Misuse]:
    """Attributes that nobody declares, that have a value of another kind, or that are missing."""
    yield Misuse(Fault("unknown-attribute"), "unknown attribute", _with_attribute(call, EXTRA, 1))
    for variable in models.meaning.variables:
        if variable.role is not VariableRole.ATTRIBUTE:
            continue
        name, kind = variable.name, _kind(variable)
        for value in _WRONG[kind]:
            other = _kind_of(value)
            fault = Fault("kind", f"{name}-{other}")
            yield Misuse(fault, f"attribute {name} is {other}, not {kind}", _with_attribute(call, name, value))
        if not variable.may_be_left_out:
            yield Misuse(Fault("omitted-attribute", name), f"{name} omitted", _with_attribute(call, name))


def _kind(variable: Variable) -> str:
    """ONNX's word for the kind of an attribute."""
    if variable.kind is VariableKind.TENSOR:
        return "tensor"
    word = {INT: "int", STRING: "string"}.get(variable.sort, "float")
    if variable.count is not None or variable.kind is VariableKind.SHAPE:
        word += "s"
    return word


def _kind_of(value: object) -> str:
    """ONNX's word for the kind of a value in Python."""
    if isinstance(value, list):
        return f"{_kind_of(value[0])}s"
    return {str: "string", int: "int", float: "float"}[type(value)]


def _with_attribute(call: Call, name: str, *values: object) -> Call:
    """The call with another value of an attribute, or without one."""

    def change(model: Model) -> None:
        from onnx import helper

        node = model.graph.node[0]
        others = [one for one in node.attribute if one.name != name]
        replace_all(node.attribute, [*others, *(helper.make_attribute(name, value) for value in values)])

    others = [(one, value) for one, value in call.attributes if one != name]
    attributes = (*others, *((name, value) for value in values))
    return replace(call, attributes=attributes, model=changed(call.model, change))


# ------------------------------------------------------------------------------------------------------------ models


def _of_models(models: Models, call: Call) -> Iterator[Misuse]:
    """Outputs beyond the last, and models that break a rule of the IR; the arguments stay as they are."""
    changes = list(CHANGES)
    outputs = models.meaning.outputs
    if all(variable.count is None for variable in outputs):
        changes.insert(0, ("too-many-outputs", "too many outputs", output_beyond(len(outputs))))
    before = first_version(models.unit) - 1
    if before > 0:
        changes.append(("opset-too-old", f"opset version {before}, which lacks this operator", opset(before)))
    for name, title, change in changes:
        model = changed(call.model, change)
        if model != call.model:
            yield Misuse(Fault(name), title, replace(call, model=model))
