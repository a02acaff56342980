"""Inputs and attributes of an operator as a command line writes them: NAME=VALUE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sonnx_verify.errors import UsageError
from sonnx_verify.kernel.variables import VariableRole
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.sorts import Sort
from sonnx_verify.results.concrete import Concrete
from sonnx_verify.solving.inputs.replay import NotGiven, assignment_of
from sonnx_verify.solving.inputs.section import named_sorts
from sonnx_verify.solving.inputs.settings import attribute_argument, attribute_sample


def pair_of(text: str) -> tuple[str, str]:
    """The name and the value of `NAME=VALUE`. UsageError for anything else."""
    # At the first sign: a value may hold another one, a name cannot.
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"`{text}` is not NAME=VALUE", cure="write NAME=VALUE")
    return name, value


def given_twice(name: str, cure: str = "give each input and attribute once") -> UsageError:
    """The error of an input or attribute that is given more than once."""
    return UsageError(f"`{name}` is given twice", cure=cure)


def types_of(texts: Sequence[str]) -> dict[str, Sort]:
    """The element types by type variable, of VARIABLE=TYPE. UsageError for what is no type, and for one said twice."""
    found: dict[str, str] = {}
    for text in texts:
        name, value = pair_of(text)
        if name in found:
            raise given_twice(name, cure="give each type once")
        found[name] = value
    return named_sorts(found)


def attributes_of(unit: Unit, texts: Sequence[str]) -> dict[str, Concrete]:
    """The attributes by name, each of the kind that is declared."""
    file = unit.file
    assert file is not None
    declared = {d.name: d for d in file.attributes}
    given: dict[str, Concrete] = {}
    for text in texts:
        name, value = pair_of(text)
        if name in given:
            raise given_twice(name)
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise UsageError(f"{unit.operator} has no attribute `{name}`", cure=f"its attributes: {known}")
        given[name] = attribute_argument(declared[name], value)
    return given


def values_of(
    unit: Unit, meaning: Meaning, given: Mapping[str, Concrete], *, tensor: str = "--input {}=TYPE:VALUES"
) -> dict[str, Concrete]:
    """The value of each variable of an operator. UsageError for a name that is missing or unknown; `tensor` is the form
    in which an input is given."""
    try:
        return assignment_of(meaning, given)
    except NotGiven as problem:
        option = tensor.format(problem.name)
        if problem.variable.role is VariableRole.ATTRIBUTE:
            option = f"--attr {problem.name}={_sample(unit, problem.name)}"
        raise UsageError(str(problem.args[0]), cure=f"give it as {option}") from None
    except KeyError as problem:
        raise UsageError(str(problem.args[0]), cure=f"see `sonnx-verify explain {unit.operator}`") from None


def _sample(unit: Unit, name: str) -> str:
    assert unit.file is not None
    return next(attribute_sample(declared) for declared in unit.file.attributes if declared.name == name)
