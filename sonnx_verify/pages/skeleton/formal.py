"""The first formal text of an operator: its declarations, its restrictions from the general ones, and no meaning yet.

What is not written is left out: `check` then says of each output that no clause gives its shape and value. Nothing
stands in for it that could be taken for a meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from textwrap import wrap
from typing import Any

from sonnx_verify.errors import Source
from sonnx_verify.language.layout import layout
from sonnx_verify.pages.render.names import identifier
from sonnx_verify.pages.skeleton.signature import FAMILY_OF, Gap, Setting, Signature, Tensor


@dataclass(frozen=True, slots=True)
class Restriction:
    """A restriction that stands in both texts: its tag, where it comes from, what it says in each of them; without a
    condition it is outside the model."""

    tag: str
    origin: str
    title: str
    condition: str
    statement: str
    gap: Gap | None = None


def why_no_text(signature: Signature) -> str:
    """Why an operator can have no formal text; empty where it can."""
    if signature.outputs:
        return ""
    lacking = "; ".join(f"{g.onnx} is {g.what}" for g in signature.gaps if g.role == "output")
    return f"the language has no form for its output: {lacking}"


def restrictions_of(signature: Signature) -> list[Restriction]:
    """What the general restrictions say of the operator, and what of it the language has no form for."""
    made: list[Restriction] = []

    def add(origin: str, title: str, condition: str, statement: str, gap: Gap | None = None) -> None:
        made.append(Restriction(f"R{len(made) + 1}", origin, title, condition, statement, gap))

    if signature.inputs:
        several = len(signature.inputs) > 1 or bool(signature.inputs[0].last)
        every = "every input" if several else f"${identifier(signature.inputs[0].shown)}$"
        dense, typed = (_of_every_input(signature, fact) for fact in ("dense", "typed"))
        stated = f"Types are explicit: the model states the element type of {every}."
        add("GR1", "sparse tensors are not supported", dense, f"Sparse tensors are not supported: {every} is dense.")
        add("GR2", "types are explicit", typed, stated)
    if signature.defaulted:
        given = " and ".join(f"given({s.name})" for s in signature.defaulted)
        names = ", ".join(s.onnx for s in signature.defaulted)
        stated = f"the model gives {names} a value, even where it is the default of the standard."
        add("GR4", "attributes are explicit", given, f"Attributes are explicit: {stated}")
    for gap in signature.gaps:
        title = f"the {gap.role} {gap.onnx} is {gap.what}, which formal texts have no form for"
        add("", title, "", f"The {gap.role} {gap.onnx} is {gap.what}. The formal text says nothing of it.", gap)
    return made


def formal_text(signature: Signature, refines: bool) -> str:
    """The text, in the one layout that texts have. `refines` says whether there is a formal text of the standard."""
    return layout(Source(f"{signature.operator}.sonnx", "\n".join(_lines(signature, refines)) + "\n"))


def _lines(signature: Signature, refines: bool) -> Iterator[str]:
    name = signature.operator
    yield f"-- {name} of the profile, begun from its signature in ONNX. What it gives is still to be written."
    yield "use general_restrictions"
    yield ""
    yield f"operator {name} version {signature.version} profile"
    if refines:
        yield _refines(signature)
    yield f'  page "{name.lower()}.md"'
    yield ""
    if not refines:
        yield "-- No formal text of the standard is known here. Once there is one, write above `page`:"
        yield from (f"-- {line}" for line in wrap(_refines(signature).strip(), 115))
        yield ""
    for family, types in signature.families.items():
        yield f"types {family} = {' '.join(types)}"
    yield from _other_types(signature)
    yield ""
    yield from map(_input, signature.inputs)
    yield from map(_setting, signature.settings)
    yield from (f"{_optional(t)}output {t.name} : tensor of {t.type}" for t in signature.outputs)
    yield ""
    for restriction in restrictions_of(signature):
        origin = f"from {restriction.origin} " if restriction.origin else ""
        condition = restriction.condition or "outside the model"
        yield f'[{restriction.tag}] restriction {origin}"{restriction.title}" : {condition}'
    yield ""
    yield "-- To be written, under the tags of the page: what inputs and attributes satisfy, and the error where not,"
    yield '-- [C1] constraint "..." : ...'
    yield '-- [E1] error "..." : when C1 fails'
    yield "-- and what comes out: while these are missing, `check` says `no clause gives the shape and value`."
    for output in signature.outputs:
        yield f"-- shape {output.name} = ..."
        yield f"-- value {output.name}[i] = ..."


def _refines(signature: Signature) -> str:
    parts: list[Tensor | Setting] = [*signature.inputs, *signature.settings, *signature.outputs]
    names = ", ".join(f"{part.name} = {part.onnx}" for part in parts)
    return f"  refines onnx {signature.operator} version {signature.version} with {names}"


def _other_types(signature: Signature) -> Iterator[str]:
    for variable, types in signature.variables.items():
        of: dict[str, list[str]] = {}
        for element in types:
            of.setdefault(FAMILY_OF[element], []).append(element)
        yield from (f"types {family} of {variable} = {' '.join(listed)}" for family, listed in of.items())
        if variable in signature.narrowed:
            others = " ".join(signature.narrowed[variable])
            yield from (f"-- {line}" for line in wrap(f"To be decided: for {variable} ONNX has also {others}.", 115))


def _input(tensor: Tensor) -> str:
    if tensor.last:
        where = f"where {tensor.least - 1} <= {tensor.last} < {_number(tensor.bound)}"
        return f"input {tensor.name}[0 .. {tensor.last}] : tensor of {tensor.type} {where}"
    return f"{_optional(tensor)}input {tensor.name} : tensor of {tensor.type}"


def _number(bound: int) -> str:
    """A bound as pages write it."""
    return f"2^31 - {2**31 - bound}" if 2**31 - 100 <= bound < 2**31 else str(bound)


def _optional(tensor: Tensor) -> str:
    return "optional " if tensor.optional else ""


def _setting(setting: Setting) -> str:
    optional = "optional " if not setting.required and setting.default is None else ""
    default = "" if setting.default is None else f" default {value_text(setting.kind, setting.default)}"
    return f"{optional}attribute {setting.name} : {setting.kind}{default}"


def value_text(kind: str, value: Any) -> str:
    """The value of an attribute as the language writes it."""
    match kind:
        case "string":
            return f'"{value}"'
        case "ints" | "floats":
            return "[" + ", ".join(_signed(kind[:-1], v, False) for v in value) + "]"
        case _:
            return _signed(kind, value, True)


def _signed(kind: str, value: Any, alone: bool) -> str:
    text = str(value)
    if kind == "float":
        text = format(Decimal(repr(float(value))), "f")
        text = text if "." in text else f"{text}.0"
    return f"({text})" if alone and text.startswith("-") else text


def _of_every_input(signature: Signature, fact: str) -> str:
    parts = []
    for tensor in signature.inputs:
        if tensor.last:
            said = f"for all m in 0 .. {tensor.last} : {tensor.name}[m] is {fact}"
        elif tensor.optional:
            said = f"given({tensor.name}) => {tensor.name} is {fact}"
        else:
            said = f"{tensor.name} is {fact}"
        loose = tensor.last or tensor.optional
        parts.append(f"({said})" if loose and len(signature.inputs) > 1 else said)
    return " and ".join(parts)
