"""The sections of an operator with each of their element types."""

from __future__ import annotations

from collections.abc import Sequence

from sonnx_verify.errors import UsageError
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances, types_of
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


def contexts_of(unit: Unit, types: Sequence[str]) -> list[Context]:
    """Each choice of types, of these types of T where some are named; none is an answer too."""
    # Whether a type is one of the operator was asked where the user named it.
    return [c for c in every_context(unit) if not types or c.element.name in types]


def name_of(unit: Unit, context: Context) -> str:
    """The name of a choice of types, another one for each: the type of T, then those of the other variables that
    have several, as in the name of a section: `int8-int64`."""
    assert unit.file is not None
    file = unit.file
    # A variable with one type says nothing, and would make all names longer.
    varying = [sort.name for name, sort in context.variables.items() if len(types_of(file, name)) > 1]
    return "-".join([context.element.name, *varying])


def unknown_type(unit: Unit, name: str, known: Sequence[str]) -> UsageError:
    """The error of a type that the operator does not have."""
    meant = {"float32": "`float32` is `float` in ONNX: ", "float64": "`float64` is `double` in ONNX: "}
    cure = f"{meant.get(name, '')}use some of {', '.join(known)}"
    return UsageError(f"{unit.operator} has no type `{name}`", cure=cure)


def contexts(unit: Unit, types: Sequence[str] = ()) -> list[Context]:
    """Those of `contexts_of`. UsageError for a name that is no type of the operator, and for an operator of which there
    are none."""
    made = every_context(unit)
    # Several sections may have one type, told apart by the types of other variables.
    known = list(dict.fromkeys(c.element.name for c in made))
    unknown = [t for t in types if t not in known]
    if not made:
        raise UsageError(f"{unit.operator} has no type that ONNX has too", cure="name another operator")
    if unknown:
        raise unknown_type(unit, unknown[0], known)
    return contexts_of(unit, types)
