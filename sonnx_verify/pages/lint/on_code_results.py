"""The results that examples of reference pages show, held against the standard as it is specified here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from sonnx_verify.errors import UserError
from sonnx_verify.pages.lint.finding import REFERENCE, Found, Severity, rule
from sonnx_verify.pages.lint.replays import Replays, Unevaluated
from sonnx_verify.pages.reading.code_examples import UNKNOWN, Array, Case
from sonnx_verify.pages.reading.examples import Example, Shown
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.pages.reading.values import Written


@rule("reference-example-differs", Severity.ERROR, REFERENCE, slow=True)
def differs(page: Page) -> Found:
    """An example whose arrays are all written out shows another result than its version of the operator gives."""
    for reference in page.references:
        for version in reference.versions:
            cases = [c for example in version.examples for c in example.cases if not c.other]
            # What is wrong with a specification, `check` says.
            with suppress(UserError):
                standard = Replays.of_standard(reference.operator, version.since or 0) if cases else None
                for case in cases if standard is not None else ():
                    assert standard is not None
                    if difference := _differs(standard, case, page.sections[:1]):
                        name = f" ({case.test})" if case.test else ""
                        yield case.span, f"the example{name} is wrong: {difference}", "show what the operator gives"


def _differs(standard: Replays, case: Case, sections: list[Section]) -> str:
    """Empty where the case shows what comes out, or is not written out."""
    node = case.node
    arrays = [a for a in (*case.inputs, *case.outputs) if a is not None]
    if node is None or len(arrays) < len(case.inputs) + len(case.outputs) or not case.inputs or not sections:
        return ""
    if any(value is UNKNOWN for value in node.attributes.values()) or not all(a.element for a in case.inputs if a):
        return ""
    assert standard.unit is not None and standard.unit.file is not None
    file = standard.unit.file
    example = Example(sections[0], case.test, case.inputs[0].element if case.inputs[0] else "", case.span)
    names = list(_names(standard, len(case.inputs)))
    given = [name for name in node.inputs or () if name]
    if len(names) < len(case.inputs) or (node.inputs is not None and len(given) != len(node.inputs)):
        return ""
    for name, array in zip(names, case.inputs, strict=False):
        assert array is not None
        example.given[name] = _shown(array)
    for name, value in node.attributes.items():
        listed = isinstance(value, list | tuple)
        elements = tuple(str(int(v) if isinstance(v, bool) else v) for v in (value if listed else [value]))
        example.given[name] = Shown(str(value), node.span, Written((len(elements),) if listed else (), elements))
    for declared, array in zip(file.outputs, case.outputs, strict=False):
        assert array is not None
        example.results[declared.name] = _shown(array)
    with suppress(Unevaluated):
        return standard.differs(example)
    return ""


def _names(standard: Replays, number: int) -> Iterator[str]:
    """What the inputs are called, in their order, members of a family with their numbers."""
    assert standard.unit is not None and standard.unit.file is not None
    for declared in standard.unit.file.inputs:
        if declared.high is None:
            yield declared.name
        else:
            first = int(declared.low.text[0]) if declared.low is not None and declared.low.kind == "integer" else 0
            yield from (f"{declared.name}{first + n}" for n in range(number))


def _shown(array: Array) -> Shown:
    elements = tuple(_flat(array.value))
    return Shown(str(array.value), array.span, Written(array.shape or (), elements), array.shape)


def _flat(value: Any) -> Iterator[str]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _flat(item)
    else:
        yield str(value).lower()


RULES = (differs,)
