"""The types of values, as texts write them. Trusted."""

from __future__ import annotations

from sonnx_verify.kernel.values import (
    Declared,
    Form,
    Items,
    Members,
    Outcome,
    Position,
    Results,
    SetOf,
    Shape,
    Tensor,
    Value,
    ValueKind,
    kind_of,
)
from sonnx_verify.language import syntax as s
from sonnx_verify.language.syntax import TypeWord
from sonnx_verify.logic.sorts import ELEMENT, ELEMENT_TYPES
from sonnx_verify.logic.terms import Term


def fits(value: Value, wanted: s.Type) -> bool:
    """Return whether a value is of the type."""
    match value:
        # T fits every element, whichever type it stands for: a definition on T is elaborated anew on what it is given,
        # `f(x)` of an int8 x with the arithmetic of int8. What is stated of T alone is checked where it is used (give).
        case Term() if wanted.name == TypeWord.T:
            return value.sort == ELEMENT or value.sort.name in ELEMENT_TYPES
        case Term():
            return value.sort.name == wanted.name
        case Shape() | Position() | Members():
            return str(kind_of(value)) == str(wanted)
        case Tensor() | Items():
            return _is(kind_of(value), wanted)
        case SetOf():
            return wanted.name == TypeWord.SET and wanted.of is not None and fits(value.body, wanted.of)
        case Results() if wanted.name == TypeWord.SET and wanted.of is not None:
            return wanted.of.name in (TypeWord.T, value.sort.name)
        case Results() | Outcome() | Declared():
            return False


_FORMS: dict[str, Form] = {TypeWord.TENSOR: Form.TENSOR, TypeWord.LIST: Form.LIST, TypeWord.SET: Form.SET}


def _is(kind: ValueKind, wanted: s.Type) -> bool:
    """Return whether a kind is the one that is wanted; T stands for anything that is of nothing else."""
    if wanted.of is not None:
        return kind.form is _FORMS.get(wanted.name) and isinstance(kind.of, ValueKind) and _is(kind.of, wanted.of)
    return not isinstance(kind.of, ValueKind) and wanted.name in (TypeWord.T, str(kind))
