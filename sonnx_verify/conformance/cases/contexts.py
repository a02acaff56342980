"""The sections of an operator with each of their element types."""

from __future__ import annotations

from collections.abc import Iterable

from sonnx_verify.errors import UsageError
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.logic.sorts import ELEMENT_TYPES, REAL


def every_context(unit: Unit) -> list[Context]:
    """The sections with each of their types that ONNX has too, in the order of the text."""
    assert unit.file is not None
    return [
        Context(x.family, ELEMENT_TYPES[t], variables=x.variables)
        for x in instances(unit.file)
        for t in x.types
        if ELEMENT_TYPES[t] != REAL
    ]


def contexts(unit: Unit, types: Iterable[str] = ()) -> list[Context]:
    """The same, or those of them that are named. UsageError for a name that is no type of the operator, and for an
    operator of which there are none."""
    made = every_context(unit)
    known = list(dict.fromkeys(c.element.name for c in made))
    unknown = [t for t in types if t not in known]
    if unknown or not made:
        what = f"has no type {unknown[0]}" if unknown else "has no type that ONNX has too"
        cure = f"use one of {', '.join(known)}" if known else "name another operator"
        raise UsageError(f"{unit.operator} {what}", cure=cure)
    return [c for c in made if not types or c.element.name in types]
