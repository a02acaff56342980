"""The first page of an operator: every section that pages have, what is known in it, and what is to be decided.

The words are those of the templates `new_page.md.jinja`, `quoting_page.md.jinja` and `questions.md.jinja`; this module
says how names and types are written in them.
"""

from __future__ import annotations

from sonnx_verify.pages.render.names import identifier
from sonnx_verify.pages.skeleton.formal import bound_text, restrictions_of, value_text, why_no_text
from sonnx_verify.pages.skeleton.signature import Gap, Role, Setting, Signature, Tensor
from sonnx_verify.pages.templates import rendered


def page_text(signature: Signature, general: str) -> str:
    """The page. `general` is the way from it to the general restrictions, empty where they are not beside it."""
    return rendered(
        "new_page.md.jinja",
        signature=signature,
        general=general,
        restrictions=restrictions_of(signature),
        why_no_text=why_no_text(signature),
        output_of=lambda family: _output_of(signature, family),
        shown=_shown,
        listed=lambda side, mark="": ", ".join(f"{mark}{_shown(part)}{mark}" for part in side),
        kind=_kind,
        plain_kind=_plain_kind,
        default_text=_default_text,
        upright=identifier,
        number=lambda bound: bound_text(bound, "2^{31}"),
    )


def quoting_page_text(signature: Signature) -> str:
    """The page that quotes the formal text, with nothing yet between the marks."""
    return rendered("quoting_page.md.jinja", signature=signature)


def _shown(part: Tensor | Gap) -> str:
    """An input or output in a formula; of a variadic input its first and last member."""
    name = identifier(part.shown)
    if isinstance(part, Tensor) and part.last:
        return rf"{name}_0, \ldots, {name}_{part.last}"
    return name


def _kind(tensor: Tensor) -> str:
    kind = _plain_kind(tensor)
    if tensor.optional:
        return f"optional {kind}"
    return kind


def _plain_kind(tensor: Tensor) -> str:
    """The kind without the word that says that it is optional."""
    of = tensor.type
    # Variables are formulas, types such as int64 are words.
    if not of[0].islower():
        of = f"${identifier(of)}$"
    if tensor.last:
        return f"tensors of {of}"
    return f"tensor of {of}"


def _default_text(setting: Setting) -> str:
    return value_text(setting.kind, setting.default)


def _output_of(signature: Signature, family: str) -> str:
    """The element type, or the family, of the first output."""
    if not signature.outputs:
        return next(gap.what for gap in signature.gaps if gap.role is Role.OUTPUT).removeprefix("a ")
    kind = signature.outputs[0].type
    return {"T": family}.get(kind, kind)
