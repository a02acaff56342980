"""What every page of the profile has to decide, as questions: from the kinds of inputs, outputs, attributes and types
alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sonnx_verify.pages.skeleton.formal import why_no_text
from sonnx_verify.pages.skeleton.signature import Setting, Signature, Tensor

_AXES = re.compile(r"ax[ie]s", re.IGNORECASE)
_PLACES = re.compile(r"ind(ex|ices)|starts|ends|steps", re.IGNORECASE)


def question(what: str, text: str) -> str:
    """An item of a page that is open, and says so until it is answered."""
    return f"- **Open question** ({what}): {text}"


def of_restrictions(signature: Signature) -> Iterator[str]:
    """What the profile leaves out of ONNX."""
    elements = sorted({t.type for t in (*signature.inputs, *signature.outputs)})
    together = "that all inputs and outputs have one type" if len(elements) == 1 else "which types go together"
    yield question(
        "implicit conversion, GR3", f"no type is converted by itself. Say {together}; anything else is not valid."
    )
    for onnx, types in signature.left_out.items():
        yield question("types", f"of {onnx} the language lacks {', '.join(types)}. Does the profile leave them out?")
    for name, types in signature.narrowed.items():
        yield question("types", f"for {name} ONNX has also {', '.join(types)}. Which has the profile?")
    if signature.defaulted:
        listed = ", ".join(s.onnx for s in signature.defaulted)
        lacking = [s.onnx for s in signature.defaulted if s.default is None]
        without = (
            f" ONNX has no default for {', '.join(lacking)}: left out, it has a meaning of its own." if lacking else ""
        )
        yield question(
            "default values, GR4",
            f"the restriction from GR4 asks that {listed} are given.{without} Is a case lost that the profile needs?",
        )
    for gap in signature.gaps:
        yield question(
            f"{gap.role} {gap.onnx}",
            f"formal texts have no form for {gap.what}. Does the profile have it, and who verifies what it does?",
        )
    if missing := why_no_text(signature):
        yield question("formal text", f"there is none yet: {missing}. Say how the operator is verified.")


def of_shapes(signature: Signature) -> Iterator[str]:
    """What comes out, whatever the types are."""
    for output in signature.outputs:
        yield question(f"shape of {output.shown}", "give the rank and the size on every axis by a formula.")
    yield question(
        "size 0", "what comes out where an input has a size of 0, so no element? Such tensors are part of the profile."
    )
    yield question("rank 0", "what comes out where an input has rank 0, a scalar?")
    if len(signature.inputs) > 1 or any(t.last for t in signature.inputs):
        yield question(
            "broadcasting", "do the shapes of the inputs have to be the same, or broadcast, and to the shape of which?"
        )


def of_elements(signature: Signature, family: str) -> Iterator[str]:
    """What comes out, for a family of types."""
    for output in signature.outputs:
        yield question(f"elements of {output.shown}", "give the element at every index by a formula.")
    yield question(
        "one result", "do the inputs determine the result, or is there a set of results that conform? Which?"
    )
    results = [f for output in signature.outputs for f in signature.families_of(output.type)]
    for concerned in dict.fromkeys([family, *results]):
        yield from _of_elements(concerned)


def _of_elements(family: str) -> Iterator[str]:
    match family:
        case "int":
            yield question("overflow", "where the result does not fit: does it wrap, saturate, or is it an error?")
            yield question("undefined results", "for which elements has the function no value, as in a division by 0?")
        case "float":
            yield question("NaN", "what comes out where some element is NaN? Is its payload specified?")
            yield question("infinities", r"what comes out where some element is $+\infty$ or $-\infty$?")
            yield question("signed zeros", "which sign has a zero result, and are +0 and -0 told apart in inputs?")
            yield question("subnormal numbers", "are they kept, in inputs and results?")
            yield question(
                "rounding and overflow",
                "is the result exact, correctly rounded, or within a bound of the exact one? When is it infinite?",
            )
        case "bool":
            yield question("truth values", "what comes out for true and for false?")
        case _:
            yield question("elements", "which values can elements have, and what comes out for each kind of them?")


def of_examples(family: str) -> Iterator[str]:
    """Which examples a page has."""
    special = {
        "float": ", one with NaN, infinities and both zeros",
        "int": ", one at the ends of the type's range",
    }.get(family, "")
    yield question("examples", f"give one of the common case{special}, one with a size of 0, one of rank 0.")


def of_errors() -> Iterator[str]:
    """When there is no result."""
    once = "State each condition once, as a constraint `Cn`, and let the error say that it fails."
    yield question("errors", f"which inputs are errors? {once}")


def of_attribute(setting: Setting) -> Iterator[str]:
    """What has to be decided of an attribute, by its kind."""
    name = setting.onnx
    match setting.kind:
        case "string":
            yield question(name, "which texts are allowed, and what does each mean?")
        case "float" | "floats":
            yield question(name, "which values are allowed: negative ones, 0, infinities, NaN?")
        case _ if not _AXES.search(name):
            yield question(name, "which values are allowed: from where to where, are negative ones, is 0?")
    if setting.kind in ("ints", "floats"):
        yield question(f"length of {name}", "how many entries does it have, and may it have none?")
    if _AXES.search(name):
        yield from _of_axes(name, setting.kind == "ints")


def _of_axes(name: str, listed: bool) -> Iterator[str]:
    yield question(f"negative entries of {name}", "do they count from the end? From where to where may entries be?")
    if listed:
        yield question(f"duplicates in {name}", "may one axis be named twice, as by 0 and by minus the rank?")
        yield question(f"{name} empty", "does no axis mean none or all?")


def of_input(signature: Signature, tensor: Tensor) -> Iterator[str]:
    """What has to be decided of an input."""
    name = tensor.shown
    yield question(f"shape of {name}", "which ranks and sizes may it have? State it as a constraint `Cn`, if not all.")
    if tensor.optional:
        yield question(f"{name} left out", "what comes out then? Is it the same as some value of it?")
    if tensor.last:
        yield question(f"number of {name}", "how many may there be at least and at most?")
    families = signature.families_of(tensor.type)
    whole = "int" in families
    if "float" in families:
        yield question(f"special values in {name}", "may elements be NaN, infinite, negative, zero?")
    if whole and _AXES.search(name):
        yield from _of_axes(name, True)
    elif whole or _PLACES.search(name):
        yield question(f"range of {name}", "from where to where may its elements be? Are negative ones allowed?")


def of_output(signature: Signature, tensor: Tensor) -> Iterator[str]:
    """What has to be decided of an output."""
    yield question(f"constraints on {tensor.shown}", "what follows from its shape and elements, and is worth stating?")
    if tensor.optional:
        yield question(f"{tensor.shown} not asked for", "does anything else depend on whether it is?")


def of_decisions() -> Iterator[str]:
    """What the page as a whole has to say."""
    yield question("the standard", "what does ONNX leave open or contradict, and how does this page decide each?")
