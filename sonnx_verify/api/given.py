"""Inputs and attributes of an operator as a command line writes them: NAME=VALUE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sonnx_verify.errors import UsageError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.results.concrete import Concrete
from sonnx_verify.solving.inputs.replay import assignment_of
from sonnx_verify.solving.inputs.settings import attribute_argument


def pair_of(text: str) -> tuple[str, str]:
    """The name and the value of `NAME=VALUE`. UsageError for anything else."""
    # At the first sign: a value may hold another one, a name cannot.
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"`{text}` is not NAME=VALUE", cure="write NAME=VALUE")
    return name, value


def attributes_of(unit: Unit, texts: Sequence[str]) -> dict[str, Concrete]:
    """The attributes by name, each of the kind that is declared."""
    file = unit.file
    assert file is not None
    declared = {d.name: d for d in file.attributes}
    given: dict[str, Concrete] = {}
    for text in texts:
        name, value = pair_of(text)
        if name in given:
            raise UsageError(f"`{name}` is given twice", cure="give each input and attribute once")
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise UsageError(f"{unit.operator} has no attribute `{name}`", cure=f"its attributes: {known}")
        given[name] = attribute_argument(declared[name], value)
    return given


def values_of(unit: Unit, meaning: Meaning, given: Mapping[str, Concrete]) -> dict[str, Concrete]:
    """The value of each variable of an operator. UsageError for a name that is missing or unknown."""
    try:
        return assignment_of(meaning, given)
    except KeyError as problem:
        raise UsageError(str(problem.args[0]), cure=f"see `sonnx-verify show {unit.operator}`") from None
