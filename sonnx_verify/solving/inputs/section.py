"""Which section of a text speaks of given tensors."""

from __future__ import annotations

from sonnx_verify.errors import UsageError
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances, types_of
from sonnx_verify.language.files import Unit
from sonnx_verify.logic.sorts import ELEMENT, ELEMENT_TYPES, Sort
from sonnx_verify.results.concrete import Concrete, ConcreteTensor


def section_of(unit: Unit, given: dict[str, Concrete]) -> Context:
    """The section, and the element type, of the given tensors. What nothing that is given says is the first type of
    the text."""
    file = unit.file
    assert file is not None
    families_of_inputs = {d.name for d in file.inputs if d.high is not None}
    kinds = {d.name: d.type.of.name for d in file.inputs if d.type.of is not None}
    chosen: dict[str, tuple[str, Sort]] = {}
    for name, value in given.items():
        variable = kinds.get(_declared(name, families_of_inputs))
        if not isinstance(value, ConcreteTensor) or variable not in ("T", *file.type_variables.values()):
            continue
        listed = types_of(file, variable)
        if value.sort.name not in listed:
            raise UsageError(
                f"{name}: {unit.operator} has no type {value.sort.name}", cure=f"use one of {', '.join(listed)}"
            )
        first, sort = chosen.setdefault(variable, (name, value.sort))
        if sort != value.sort:
            raise UsageError(
                f"{name} is {value.sort.name}, and {first} is {sort.name}: both hold elements of {variable}",
                cure="give all inputs of one type variable one type",
            )
    variables = {v: sort for v, (_, sort) in chosen.items()}
    for instance in instances(file):
        element = variables.get("T", ELEMENT_TYPES[instance.types[0]] if instance.types else ELEMENT)
        fits = all(instance.variables[v] == sort for v, sort in variables.items() if v != "T")
        if fits and (element == ELEMENT or element.name in instance.types):
            return Context(instance.family, element, variables=instance.variables)
    raise UsageError(f"{unit.operator} has no section of these types", cure="see `sonnx-verify show`")


def _declared(name: str, families: set[str]) -> str:
    """The declared name that a member of a family, or an input, belongs to."""
    return next((f for f in families if name.startswith(f) and name[len(f) :].isdigit()), name)


def check_type(name: str, wanted: str, value: Concrete) -> None:
    """UsageError where an input holds elements of another type than it is declared with."""
    for n, item in enumerate(value if isinstance(value, tuple) else (value,)):
        if isinstance(item, ConcreteTensor) and item.sort.name != wanted:
            where = f"{name}{n}" if isinstance(value, tuple) else name
            cure = f"write {where}={wanted}:..., or give all inputs of one type variable another type"
            raise UsageError(f"{where} is {item.sort.name}, and {wanted} is needed", cure=cure)
