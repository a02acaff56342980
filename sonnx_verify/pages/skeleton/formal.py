"""The first formal text of an operator: its declarations, its restrictions from the general ones, and no meaning yet.

What is not written is left out: `check` then says of each output that no clause gives its shape and value. Nothing
stands in for it that could be taken for a meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from textwrap import wrap
from typing import Any

from sonnx_verify.language.layout import layout
from sonnx_verify.pages.render.names import identifier
from sonnx_verify.pages.skeleton.signature import FAMILY_OF, Gap, Role, Setting, Signature, Tensor
from sonnx_verify.pages.templates import rendered
from sonnx_verify.sources import Source

_WIDEST_COMMENT = 115
_NEAR = 100
"""The farthest from 2^31 that a bound is told by its distance."""


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
    """The reason why an operator can have no formal text; empty if it can."""
    if signature.outputs:
        return ""
    lacking = "; ".join(f"{g.onnx} is {g.what}" for g in signature.gaps if g.role is Role.OUTPUT)
    return f"the language has no form for its output: {lacking}"


def restrictions_of(signature: Signature) -> list[Restriction]:
    """The general restrictions for the operator, and the parts that the language has no form for."""
    made: list[Restriction] = []

    def add(origin: str, title: str, condition: str, statement: str, gap: Gap | None = None) -> None:
        # Numbers follow from the order: both texts have the same.
        made.append(Restriction(f"R{len(made) + 1}", origin, title, condition, statement, gap))

    if signature.inputs:
        # One input is named, several are not.
        every = "every input"
        if not signature.has_several_inputs:
            every = f"${identifier(signature.inputs[0].shown)}$"
        dense, typed = (_of_every_input(signature, fact) for fact in ("dense", "typed"))
        stated = f"Types are explicit: the model states the element type of {every}."
        add("GR1", "sparse tensors are not supported", dense, f"Sparse tensors are not supported: {every} is dense.")
        add("GR2", "types are explicit", typed, stated)
    if signature.defaulted:
        add("GR4", "attributes are explicit", *_explicit(signature))
    # A part without a form is restricted away, not left out: the page has to say that it is not covered.
    for gap in signature.gaps:
        title = f"the {gap.role} {gap.onnx} is {gap.what}, which formal texts have no form for"
        add("", title, "", f"The {gap.role} {gap.onnx} is {gap.what}. The formal text does not mention it.", gap)
    return made


def _explicit(signature: Signature) -> tuple[str, str]:
    """The condition that all attributes are given, and the statement. Of attributes of which a node has exactly one, it
    is that one is given: no node could give all."""
    alone = [f"given({setting.name})" for setting in signature.independent]
    groups = [" or ".join(f"given({setting.name})" for setting in group) for group in signature.alternatives]
    if len(alone) + len(groups) > 1:
        groups = [f"({group})" for group in groups]
    stated = []
    if signature.independent:
        names = ", ".join(setting.onnx for setting in signature.independent)
        stated.append(f"the model gives {names} a value, even where it is the default of the standard.")
    for group in signature.alternatives:
        stated.append(f"the model gives one of {', '.join(setting.onnx for setting in group)} a value.")
    return " and ".join([*alone, *groups]), "Attributes are explicit: " + " And ".join(stated)


def why_no_standard(signature: Signature) -> str:
    """The reason why a text of the standard cannot have the signature of ONNX; empty if it can."""
    # An attribute that a node can do without may be missing in the text, where a restriction says so.
    needed = [gap for gap in signature.gaps if gap.role is not Role.ATTRIBUTE or gap.required]
    if needed:
        listed = "; ".join(f"the {gap.role} {gap.onnx} is {gap.what}" for gap in needed)
        return f"the language has no form for all of it: {listed}"
    parts: list[Tensor | Setting] = [*signature.inputs, *signature.outputs, *signature.settings]
    twice = sorted({part.onnx for part in parts if part.name != part.onnx})
    return f"ONNX gives one name to two parts: {', '.join(twice)}" if twice else ""


def standard_text(signature: Signature) -> str:
    """The first text of the standard: the declarations as ONNX has them, restrictions outside the model for what the
    language lacks, and a constraint for each group of parts of which a node has exactly one."""
    types = dict.fromkeys(word for words in signature.left_out.values() for word in words)
    text = rendered(
        "new_standard.sonnx.jinja",
        signature=signature,
        lacking=_outside("the language lacks the type", list(types)),
        missing=_outside("the language has no form for the attribute", [gap.onnx for gap in signature.others]),
        constraints=[_exactly_one(group) for group in signature.chosen],
        by_family=_by_family,
        bound_text=bound_text,
        value_text=value_text,
    )
    return layout(Source(f"{signature.operator}.sonnx", text))


def _outside(begin: str, names: list[str]) -> str:
    """The title of a restriction that names parts of ONNX; empty if there is none."""
    if not names:
        return ""
    *others, last = names
    if not others:
        return f"{begin} {last}"
    return f"{begin}s {', '.join(others)} and {last}"


def _exactly_one(group: list[Tensor | Setting]) -> tuple[str, str]:
    """Title and condition of the constraint that exactly one of some parts is given."""
    if len(group) == 1:
        return f"{group[0].onnx} is given", f"given({group[0].name})"
    names = ", ".join(part.onnx for part in group)
    count = " + ".join(f"(if given({part.name}) then 1 else 0)" for part in group)
    return f"exactly one of {names} is given", f"{count} = 1"


def formal_text(signature: Signature, *, refines: bool) -> str:
    """The text, in the one layout that texts have. `refines` says that there is a formal text of the standard."""
    parts: list[Tensor | Setting] = [*signature.inputs, *signature.settings, *signature.outputs]
    names = ", ".join(f"{part.name} = {part.onnx}" for part in parts)
    text = rendered(
        "new_text.sonnx.jinja",
        signature=signature,
        refines=refines,
        refinement=f"refines onnx {signature.operator} version {signature.version} with {names}",
        restrictions=restrictions_of(signature),
        by_family=_by_family,
        bound_text=bound_text,
        value_text=value_text,
        wrapped=lambda text: wrap(text, _WIDEST_COMMENT),
    )
    return layout(Source(f"{signature.operator}.sonnx", text))


def _by_family(types: list[str]) -> dict[str, list[str]]:
    made: dict[str, list[str]] = {}
    for element in types:
        made.setdefault(FAMILY_OF[element], []).append(element)
    return made


def bound_text(bound: int, power: str = "2^31") -> str:
    """A bound; one just below 2^31 as its distance from that."""
    # ONNX has 2^31 - 1 where it has no bound; the inputs before a variadic one are taken off that.
    below = 2**31 - bound
    if 0 < below <= _NEAR:
        return f"{power} - {below}"
    return str(bound)


def value_text(kind: str, value: Any) -> str:
    """The value of an attribute as the language writes it."""
    match kind:
        case "string":
            return f'"{value}"'
        case "strings":
            return "[" + ", ".join(f'"{one}"' for one in value) + "]"
        case "ints" | "floats":
            return "[" + ", ".join(_number(kind[:-1], one) for one in value) + "]"
        case _:
            # In a list a sign needs no parentheses.
            text = _number(kind, value)
            return f"({text})" if text.startswith("-") else text


def _number(kind: str, value: Any) -> str:
    if kind != "float":
        return str(value)
    # The language has no exponents, and tells floats from integers by their points.
    text = format(Decimal(repr(float(value))), "f")
    return text if "." in text else f"{text}.0"


def _of_every_input(signature: Signature, fact: str) -> str:
    parts = [_of_input(tensor, fact) for tensor in signature.inputs]
    if len(parts) == 1:
        return parts[0]
    # `and` binds more tightly than `for all` and `=>`.
    loose = (tensor.last or tensor.optional for tensor in signature.inputs)
    return " and ".join(f"({part})" if is_loose else part for part, is_loose in zip(parts, loose, strict=True))


def _of_input(tensor: Tensor, fact: str) -> str:
    if tensor.last:
        return f"for all m in 0 .. {tensor.last} : {tensor.name}[m] is {fact}"
    if tensor.optional:
        return f"given({tensor.name}) => {tensor.name} is {fact}"
    return f"{tensor.name} is {fact}"
