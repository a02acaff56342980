"""The first page of an operator: every section that pages have, what is known in it, and what is to be decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from sonnx_verify.pages.render.names import identifier
from sonnx_verify.pages.skeleton import questions
from sonnx_verify.pages.skeleton.formal import Restriction, restrictions_of, value_text, why_no_text
from sonnx_verify.pages.skeleton.signature import Gap, Setting, Signature, Tensor

_HEADING = "In the heading, the first family is that of the inputs of type $T$ and the second that of the output."
_INTERVALS = (
    "Indices, axes and places in lists start at $0$. Intervals of integers include both ends; an interval whose first "
    "end is above its last is empty."
)
Asked = Callable[[Signature, Tensor], Iterator[str]]


def page_text(signature: Signature, general: str) -> str:
    """The page. `general` is the way from it to the general restrictions, empty where they are not beside it."""
    return "\n\n".join(_parts(signature, general)) + "\n"


def _parts(signature: Signature, general: str) -> Iterator[str]:
    name, file = signature.operator, signature.operator.lower()
    yield "# Contents"
    yield "\n".join([*(_entry(signature, family) for family in signature.sections), "- [Decisions](#decisions)"])
    yield "# Based on ONNX documentation"
    link = f"https://onnx.ai/onnx/operators/onnx__{name}.html#l-onnx-op-{file}-{signature.version}"
    yield f"[{name}, opset {signature.version}]({link})"
    if not why_no_text(signature):
        yield f"The formal text that belongs to this page is [{file}.sonnx]({file}.sonnx). Both use the same tags."
        if signature.renamed:
            others = ", ".join(f"`{name}` for {shown}" for shown, name in signature.renamed)
            yield f"Words of its language cannot be names there, and no name stands for two things: it writes {others}."
    yield "# Revision"
    yield "| Revision | Change |\n|---|---|\n| 1 | First revision of this page. What it leaves open is marked. |"
    for family in signature.sections:
        yield from _family(signature, family, general)
    yield '<a id="decisions"></a>\n# Decisions'
    yield _listed(questions.of_decisions())


def _entry(signature: Signature, family: str) -> str:
    types = signature.families.get(family, [])
    if not types:
        return f"- **{signature.operator}** for [all types](#{family})"
    return f"- **{signature.operator}** for the type{'s' * (len(types) > 1)} [{', '.join(types)}](#{family})"


def _family(signature: Signature, family: str, general: str) -> Iterator[str]:
    types = signature.families.get(family, [])
    yield f'<a id="{family}"></a>\n# **{signature.operator}** ({family}, {_out(signature, family)})'
    if types:
        listed = types[0] if len(types) == 1 else f"one of {', '.join(types)}"
        here = f"Here {family} is {listed}." if types != [family] else f"{family.capitalize()} has one type."
        yield f"{_HEADING}\n{here}"
    for kind, heading in (
        ("signature", "Signature"),
        ("restrictions", "Restrictions"),
        ("function", "Function"),
        ("examples", "Examples"),
        ("errors", "Error conditions"),
        ("attributes", "Attributes"),
        ("inputs", "Inputs"),
        ("outputs", "Outputs"),
    ):
        yield f'<a id="{family}-{kind}"></a>\n## {heading}'
        yield from _SECTIONS[kind](signature, family, general)


# --------------------------------------------------------------------------------------------------------- sections


def _signature(signature: Signature, family: str, general: str) -> Iterator[str]:
    results, arguments = (", ".join(map(_shown, side)) for side in (signature.results, signature.arguments))
    yield f"${results} = {_upright(signature.operator)}({arguments})$"
    said = [_said(a, "an input") for a in signature.arguments] + [_said(r, "an output") for r in signature.results]
    said += [f"- ${_upright(v)}$ is one of {', '.join(types)}." for v, types in signature.variables.items()]
    yield "where\n\n" + "\n".join(said)
    if signature.families:
        yield "$T$ is a member of the family."


def _restrictions(signature: Signature, family: str, general: str) -> Iterator[str]:
    restrictions = restrictions_of(signature)
    if restrictions:
        rows = "\n".join(_row(r, family, general) for r in restrictions)
        yield f"| Restriction | Statement | Origin |\n|---|---|---|\n{rows}"
        yield "This page promises nothing about a model that breaks a restriction."
    if family == signature.sections[0]:
        yield _listed(questions.of_restrictions(signature))
    elif not restrictions:
        yield "There is none."


def _row(restriction: Restriction, family: str, general: str) -> str:
    origin = restriction.origin or "formal texts"
    if restriction.origin and general:
        origin = f"[{origin}]({general})"
    anchor = f'<a id="{family}-{restriction.tag}"></a>'
    return f"| `[{restriction.tag}]` {anchor} | {restriction.statement} | {origin} |"


def _function(signature: Signature, family: str, general: str) -> Iterator[str]:
    if family == signature.sections[0]:
        yield _INTERVALS
        yield _listed(questions.of_shapes(signature))
    else:
        yield f"The shapes are those of the [first section](#{signature.sections[0]}-function)."
    yield _listed(questions.of_elements(signature, family))


def _examples(signature: Signature, family: str, general: str) -> Iterator[str]:
    yield _listed(questions.of_examples(family))


def _errors(signature: Signature, family: str, general: str) -> Iterator[str]:
    yield "After an error there is no output."
    yield from _once(signature, family, "errors", [_listed(questions.of_errors())], ["The errors"])


def _attributes(signature: Signature, family: str, general: str) -> Iterator[str]:
    others = signature.others
    if signature.settings or others:
        parts = [part for setting in signature.settings for part in _attribute(setting)]
        parts += [part for gap in others for part in _gap(gap)]
        names = [s.onnx for s in signature.settings] + [g.onnx for g in others]
        yield from _once(signature, family, "attributes", parts, names)
    else:
        yield f"**{signature.operator}** has no attribute."


def _attribute(setting: Setting) -> Iterator[str]:
    yield f"### ${_upright(setting.onnx)}$: {setting.kind}"
    yield _default(setting)
    if asked := _listed(questions.of_attribute(setting)):
        yield asked


def _gap(gap: Gap) -> Iterator[str]:
    yield f"### ${_shown(gap)}$: {gap.what}"
    yield "See the restrictions: formal texts have no form for it."


def _once(signature: Signature, family: str, kind: str, parts: list[str], names: list[str]) -> Iterator[str]:
    """What is the same for all families stands in the first of them."""
    first = signature.sections[0]
    if family == first:
        yield from parts
    else:
        yield f"{', '.join(names)}: see the [first section](#{first}-{kind}). What differs here stands here."


def _default(setting: Setting) -> str:
    if setting.required:
        return "It has to be given."
    if setting.default is None:
        return "In ONNX it may be left out, and has no default."
    return f"In ONNX it may be left out, and is then `{value_text(setting.kind, setting.default)}`."


def _inputs(signature: Signature, family: str, general: str) -> Iterator[str]:
    yield from _tensors(signature, family, "input", signature.arguments, questions.of_input)


def _outputs(signature: Signature, family: str, general: str) -> Iterator[str]:
    yield from _tensors(signature, family, "output", signature.results, questions.of_output)


def _tensors(signature: Signature, family: str, role: str, side: Sequence[Tensor | Gap], asked: Asked) -> Iterator[str]:
    parts: list[str] = []
    for part in side:
        if isinstance(part, Gap):
            parts += _gap(part)
        else:
            parts += [f"### ${_shown(part)}$: {_kind(part)}", _listed(asked(signature, part))]
    if parts:
        yield from _once(signature, family, f"{role}s", parts, [f"${_shown(part)}$" for part in side])
    else:
        yield f"**{signature.operator}** has no {role}."


# ------------------------------------------------------------------------------------------------------------ words


def _listed(items: Iterable[str]) -> str:
    return "\n".join(items)


def _shown(part: Tensor | Gap) -> str:
    name = identifier(part.shown)
    return rf"{name}_0, \ldots, {name}_{part.last}" if isinstance(part, Tensor) and part.last else name


def _upright(name: str) -> str:
    return identifier(name)


def _said(tensor: Tensor | Gap, role: str) -> str:
    if isinstance(tensor, Gap):
        return f"- ${_shown(tensor)}$ is {tensor.what}{', of ' * bool(tensor.types)}{', '.join(tensor.types)}."
    if tensor.last:
        least, bound = tensor.least - 1, tensor.bound - 1
        number = f"${tensor.last}$ is the last one's number, an integer in $[{least}, {_number(bound)}]$."
        return f"- ${_shown(tensor)}$ are inputs, {_kind(tensor)}; {number}"
    return f"- ${_shown(tensor)}$ is {role}, {'an optional' if tensor.optional else 'a'} {_kind(tensor, '')}."


def _number(bound: int) -> str:
    return f"2^{{31}} - {2**31 - bound}" if 2**31 - 100 <= bound < 2**31 else str(bound)


def _kind(tensor: Tensor, optional: str = "optional ") -> str:
    of = tensor.type if tensor.type[0].islower() else f"${identifier(tensor.type)}$"
    many = "tensors" if tensor.last else "tensor"
    return f"{optional if tensor.optional else ''}{many} of {of}"


def _out(signature: Signature, family: str) -> str:
    """What the first output is of."""
    if not signature.outputs:
        return next(g.what for g in signature.gaps if g.role == "output").removeprefix("a ")
    kind = signature.outputs[0].type
    return family if kind == "T" else kind


_SECTIONS = {
    "signature": _signature,
    "restrictions": _restrictions,
    "function": _function,
    "examples": _examples,
    "errors": _errors,
    "attributes": _attributes,
    "inputs": _inputs,
    "outputs": _outputs,
}
