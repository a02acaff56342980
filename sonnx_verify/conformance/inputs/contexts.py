"""The sections of an operator with each of their element types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sonnx_verify.errors import UsageError
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.logic.sorts import ELEMENT_TYPES, REAL


def every_context(unit: Unit) -> list[Context]:
    """The sections with each of their types that ONNX has too, in the order of the text."""
    assert unit.file is not None
    made: list[Context] = []
    for instance in instances(unit.file):
        sorts = [ELEMENT_TYPES[name] for name in instance.types]
        # The reals are a type of specifications: no file and no array holds them.
        made += [Context(instance.family, sort, variables=instance.variables) for sort in sorts if sort != REAL]
    return made


def unknown_type(unit: Unit, name: str, known: Sequence[str]) -> UsageError:
    """The error of a type that the operator does not have."""
    meant = {"float32": "`float32` is `float` in ONNX: ", "float64": "`float64` is `double` in ONNX: "}
    cure = f"{meant.get(name, '')}use some of {', '.join(known)}"
    return UsageError(f"{unit.operator} has no type `{name}`", cure=cure)


def contexts(unit: Unit, types: Iterable[str] = ()) -> list[Context]:
    """The same, or those of them that are named. UsageError for a name that is no type of the operator, and for an
    operator of which there are none."""
    made = every_context(unit)
    # Several sections may have one type, told apart by the types of other variables.
    known = list(dict.fromkeys(c.element.name for c in made))
    wanted = list(types)
    unknown = [t for t in wanted if t not in known]
    if not made:
        raise UsageError(f"{unit.operator} has no type that ONNX has too", cure="name another operator")
    if unknown:
        raise unknown_type(unit, unknown[0], known)
    return [c for c in made if not wanted or c.element.name in wanted]
