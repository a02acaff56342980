"""The section of a text that speaks of given tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sonnx_verify.errors import UsageError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.constants import TYPES_BY_CODE, type_code
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances, types_of
from sonnx_verify.language.files import Unit
from sonnx_verify.language.places import signatures
from sonnx_verify.language.project import Project
from sonnx_verify.language.signatures import Table
from sonnx_verify.language.syntax import TypeWord
from sonnx_verify.logic.sorts import ELEMENT, ELEMENT_TYPES, REAL, Sort
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.replay import assignment_of, clauses_of

TYPE = "write --type {}={}"
"""The cure of a type that nothing says, in the words of the command line."""


def section_of(
    project: Project,
    unit: Unit,
    given: dict[str, Concrete],
    types: Mapping[str, Sort] | None = None,
    cure: str = TYPE,
) -> Context:
    """The section, and the element type, of the given tensors, of the attributes that say a type, and of `types`, which
    says some by name. Where these leave several, it is the one whose clauses accept what is given, or any if all
    reject it by the same clauses.

    Raises UsageError for types that the text does not have, and where nothing says which of several it is.
    """
    found = sections_of(unit, given, types or {})
    if len(found) == 1:
        return found[0]
    rejections = [_rejection(project, unit, context, given) for context in found]
    accepting = [context for context, clauses in zip(found, rejections, strict=True) if not clauses]
    if accepting and _alike(unit, accepting):
        return accepting[0]
    if not accepting and len(set(rejections)) == 1:
        return found[0]
    raise none_of_a_group(project, unit, given) or _not_said(unit, accepting or found, cure)


def _alike(unit: Unit, found: Sequence[Context]) -> bool:
    """Return whether the sections differ at most in type variables that no output has: nothing given has them either,
    such as the type of an optional input that is left out."""
    file = unit.file
    assert file is not None
    made = {d.type.of.name for d in file.outputs if d.type.of is not None}
    first = found[0]
    return all(
        other.element == first.element
        and all(other.variables[name] == sort for name, sort in first.variables.items() if name in made)
        for other in found
    )


def named_sorts(types: Mapping[str, str]) -> dict[str, Sort]:
    """The element types by their names. UsageError for a name that is none."""
    for name in types.values():
        if name not in ELEMENT_TYPES:
            raise UsageError(f"`{name}` is not an element type", cure=f"use one of {', '.join(ELEMENT_TYPES)}")
    return {variable: ELEMENT_TYPES[name] for variable, name in types.items()}


def sections_of(unit: Unit, given: Mapping[str, Concrete], types: Mapping[str, Sort]) -> list[Context]:
    """The sections, each with an element type, that the types of what is given leave, in the order of the text. A
    section of reals is among them only where something says that it is meant, or there is no other one. UsageError
    where there is none."""
    file = unit.file
    assert file is not None
    variables = _types_given(unit, file, given) | _asked_for(unit, file, types)
    for name, sort in _types_given(unit, file, given).items():
        if variables[name] != sort:
            raise UsageError(
                f"{name} is {sort.name} by the inputs, and {variables[name].name} is asked for",
                cure="leave out the type",
            )
    variables |= _types_said(unit, file, given, variables)
    others = {name: sort for name, sort in variables.items() if name != TypeWord.T}
    found = []
    for instance in instances(file):
        if any(instance.variables[name] != sort for name, sort in others.items()):
            continue
        # T is ELEMENT only where the section lists no types.
        elements = [ELEMENT_TYPES[name] for name in instance.types] or [ELEMENT]
        if TypeWord.T in variables:
            elements = [sort for sort in elements if sort in (variables[TypeWord.T], ELEMENT)]
        found += [Context(instance.family, sort, variables=instance.variables) for sort in elements]
    # No array has elements that are reals.
    if TypeWord.T not in variables:
        found = [context for context in found if context.element != REAL] or found
    if not found:
        raise UsageError(f"no section of {unit.operator} has these types", cure="see `sonnx-verify explain`")
    return found


def _asked_for(unit: Unit, file: s.File, types: Mapping[str, Sort]) -> dict[str, Sort]:
    """The types that are asked for by name. UsageError for a variable or a type that the text does not have."""
    for name, sort in types.items():
        variables = [TypeWord.T.value, *dict.fromkeys(file.type_variables.values())]
        if name not in variables:
            raise UsageError(f"{unit.operator} has no type `{name}`", cure=f"name one of {', '.join(variables)}")
        listed = types_of(file, name)
        if sort.name not in listed:
            raise UsageError(
                f"{unit.operator} does not support {sort.name} for {name}", cure=f"use one of {', '.join(listed)}"
            )
    return dict(types)


def _rejection(project: Project, unit: Unit, context: Context, given: Mapping[str, Concrete]) -> tuple[str, ...]:
    """The clauses by which a section rejects what is given, in words; none if it accepts it."""
    meaning = project.meaning(unit, context)
    try:
        assignment = assignment_of(meaning, given)
    except KeyError as problem:
        return (str(problem.args[0]),)
    outcome = clauses_of(project, unit, meaning, assignment, why=False)
    broken = [f"{judged.statement.tag} {judged.statement.clause.title}" for judged in outcome.broken]
    return (*outcome.undeclared, *broken, *(error.tag for error in outcome.errors))


def _not_said(unit: Unit, found: Sequence[Context], cure: str) -> UsageError:
    """The error of a type that nothing says, where several are left."""
    sorts: dict[str, dict[str, None]] = {}
    for context in found:
        for name, sort in (("T", context.element), *context.variables.items()):
            sorts.setdefault(name, {})[sort.name] = None
    name, names = next((name, list(names)) for name, names in sorts.items() if len(names) > 1)
    first, *others = names
    return UsageError(
        f"no input or attribute says the type {name} of {unit.operator}",
        cure=f"{cure.format(name, first)}; other types: {', '.join(others)}",
    )


def none_of_a_group(project: Project, unit: Unit, given: Mapping[str, Concrete]) -> UsageError | None:
    """The error of input that has none of some attributes and inputs of which ONNX asks for exactly one."""
    file = unit.file
    assert file is not None
    if file.kind is not s.FileKind.STANDARD or file.version is None:
        return None
    schema = Table(signatures(project.root).read_text("utf-8")).schema(file.name, file.version)
    declared = {d.name for d in (*file.inputs, *file.attributes)}
    for group in schema.exactly_one if schema is not None else ():
        if all(given.get(name, LEFT_OUT) is LEFT_OUT for name in group):
            known = ", ".join(name for name in group if name in declared)
            return UsageError(
                f"{unit.operator} takes exactly one of {', '.join(group)}, and none is given", cure=f"give one: {known}"
            )
    return None


def _types_given(unit: Unit, file: s.File, given: Mapping[str, Concrete]) -> dict[str, Sort]:
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


def _types_said(unit: Unit, file: s.File, given: Mapping[str, Concrete], known: Mapping[str, Sort]) -> dict[str, Sort]:
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
            sort = ELEMENT_TYPES.get(usual.name) or known.get(usual.name)
            # It is that of a type variable, of which nothing is said yet.
            if sort is None and usual.name in (TypeWord.T, *file.type_variables.values()):
                continue
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
