"""The section of a text that speaks of given tensors."""

from __future__ import annotations

from sonnx_verify.errors import UsageError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.constants import TYPES_BY_CODE, type_code
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances, types_of
from sonnx_verify.language.files import Unit
from sonnx_verify.logic.sorts import ELEMENT, ELEMENT_TYPES, Sort
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor


def section_of(unit: Unit, given: dict[str, Concrete]) -> Context:
    """The section, and the element type, of the given tensors, and of the attributes that say a type. T is the first
    type of the text where none that is given says which."""
    file = unit.file
    assert file is not None
    variables = _types_given(unit, file, given)
    variables |= _types_said(unit, file, given, variables)
    for instance in instances(file):
        first = ELEMENT_TYPES[instance.types[0]] if instance.types else ELEMENT
        element = variables.get("T", first)
        others = {name: sort for name, sort in variables.items() if name != "T"}
        fits = all(instance.variables[name] == sort for name, sort in others.items())
        # T is ELEMENT only where the section lists no types, and no tensor of T is given.
        if fits and (element == ELEMENT or element.name in instance.types):
            return Context(instance.family, element, variables=instance.variables)
    raise UsageError(f"no section of {unit.operator} has these types", cure="see `sonnx-verify explain`")


def _types_given(unit: Unit, file: s.File, given: dict[str, Concrete]) -> dict[str, Sort]:
    """The type that each type variable has in the given tensors. UsageError where it has two, or one that is not
    listed."""
    families = {d.name for d in file.inputs if d.high is not None}
    variable_of = {d.name: d.type.of.name for d in (*file.inputs, *file.attributes) if d.type.of is not None}
    chosen: dict[str, tuple[str, Sort]] = {}
    for name, value in given.items():
        variable = variable_of.get(_declared(name, families))
        # A tensor of int64 by its declaration says nothing of T.
        if not isinstance(value, ConcreteTensor) or variable not in ("T", *file.type_variables.values()):
            continue
        listed = types_of(file, variable)
        if value.sort.name not in listed:
            raise UsageError(
                f"{name}: {unit.operator} does not support {value.sort.name}", cure=f"use one of {', '.join(listed)}"
            )
        # ONNX gives all inputs of a type variable one type; without this the first one given would count.
        first, sort = chosen.setdefault(variable, (name, value.sort))
        if sort != value.sort:
            raise UsageError(
                f"{name} is {value.sort.name}, and {first} is {sort.name}: both hold elements of {variable}",
                cure="give all inputs of one type variable the same type",
            )
    return {variable: sort for variable, (_, sort) in chosen.items()}


def _types_said(unit: Unit, file: s.File, given: dict[str, Concrete], known: dict[str, Sort]) -> dict[str, Sort]:
    """The type that each type variable has by the attributes that say it, or by their defaults. UsageError where it is
    none that is listed, or another one than that of the tensors."""
    found: dict[str, Sort] = {}
    for declaration in file.attributes:
        usual = None if declaration.default is None else s.bare(declaration.default)
        left_out = given.get(declaration.name, LEFT_OUT) is LEFT_OUT
        if not declaration.type.is_code and not (declaration.type.is_tensor and left_out):
            continue
        assert declaration.type.of is not None
        variable, value = declaration.type.of.name, given.get(declaration.name)
        sort: Sort | None = None
        if isinstance(value, int):
            sort = TYPES_BY_CODE.get(value)
        elif isinstance(usual, s.Name):
            # Where no tensor of T is given, T is the first type of the text.
            first = [ELEMENT_TYPES[one] for one in types_of(file, "T")]
            sort = ELEMENT_TYPES.get(usual.name) or known.get(usual.name) or next(iter(first), None)
        else:
            # It has to be given: whoever takes the values says so.
            continue
        listed = types_of(file, variable)
        if sort is None or sort.name not in listed:
            shown = "left out" if value is None or value is LEFT_OUT else value
            name = "" if sort is None else f" ({sort.name})"
            codes = [f"{one} ({type_code(ELEMENT_TYPES[one])})" for one in listed]
            raise UsageError(
                f"{declaration.name}: {unit.operator} gives no elements of type {shown}{name}",
                cure=f"use one of {', '.join(codes)}",
            )
        other = found.get(variable, known.get(variable, sort))
        if other != sort:
            raise UsageError(
                f"{declaration.name} says {sort.name}, and {variable} is {other.name} by what else is given",
                cure="give one type variable one type",
            )
        found[variable] = sort
    return found


def _declared(name: str, families: set[str]) -> str:
    """The declared name that a member of a family, or an input, belongs to."""
    for family in families:
        if name.startswith(family) and name[len(family) :].isdigit():
            return family
    return name


def check_type(name: str, wanted: str, value: Concrete) -> None:
    """Raise UsageError where an input holds elements of another type than it is declared with."""
    members = {name: value}
    if isinstance(value, tuple):
        members = {f"{name}{n}": item for n, item in enumerate(value)}
    for member, item in members.items():
        if isinstance(item, ConcreteTensor) and item.sort.name != wanted:
            raise UsageError(
                f"{member}: expected {wanted}, found {item.sort.name}",
                cure=f"write {member}={wanted}:..., or give all inputs of one type variable another type",
            )
