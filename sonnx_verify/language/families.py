"""The `types` lines of a file: families of T, and types of every other variable. Trusted.

Each choice of a line of T and of a type for each other variable is a section of the file, with obligations of its own.
A type that no section had would be one of which nothing is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import FAMILIES, UNTYPED
from sonnx_verify.language.syntax import TypeWord
from sonnx_verify.logic.sorts import ELEMENT_TYPES, Sort

_MEMBERS = {sort.name: family for family, sorts in FAMILIES.items() for sort in sorts}
_TAKEN = frozenset((*ELEMENT_TYPES, *TypeWord)) - {TypeWord.T}


@dataclass(frozen=True, slots=True)
class Instance:
    """A section of a file: a family of T, listed as `types`, with one type for each other variable.

    The name is that of the `types` line of T, then the type of each variable that has several, joined by hyphens.
    `line` is the name of that line alone, empty where there is none.
    """

    # The name is part of the identities of obligations, as in `sonnx.Max-13.float/Y/determined`, and of every answer
    # that is kept: a section of another name is asked anew.
    name: str
    family: str
    types: list[str]
    variables: Mapping[str, Sort] = field(default_factory=dict)
    line: str = ""


def families(file: s.File) -> list[tuple[str, str, list[str]]]:
    """The lines of T: name, family, element types. A file without any has one, of no elements."""
    found = [
        (name, _family(file, name, types), types)
        for name, types in file.types.items()
        if file.type_variables.get(name, TypeWord.T) == TypeWord.T
    ]
    return found or [("", UNTYPED[0], [])]


def types_of(file: s.File, variable: str) -> list[str]:
    """All types that the file lists for a variable, in the order of the text."""
    if variable == TypeWord.T:
        found: list[str] = []
        for _, _, types in families(file):
            found += types
        return found
    return _others(file).get(variable, [])


def instances(file: s.File) -> list[Instance]:
    """The sections of a file, in the order of the text. SpecificationError where a `types` line makes no sense."""
    others = _others(file)
    made = []
    # T keeps its whole line, as its types are proved at once, on abstract elements; every other variable is one type in
    # a section, since two abstract types would have conversions between them of which nothing is known.
    for name, family, types in families(file):
        for chosen in product(*others.values()):
            varying = [t for t, listed in zip(chosen, others.values(), strict=True) if len(listed) > 1]
            variables = {v: ELEMENT_TYPES[t] for v, t in zip(others, chosen, strict=True)}
            parts = [part for part in (name, *varying) if part]
            made.append(Instance("-".join(parts), family, types, variables, name))
    return made


def _others(file: s.File) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, types in file.types.items():
        variable = file.type_variables.get(name, TypeWord.T)
        if variable == TypeWord.T:
            continue
        _family(file, name, types)
        if variable in _TAKEN:
            raise SpecificationError(
                f"`{variable}` is a type, not a variable", file.type_spans.get(name), "choose another name for it"
            )
        listed = found.setdefault(variable, [])
        twice = [t for n, t in enumerate(types) if t in listed or t in types[:n]]
        if twice:
            raise SpecificationError(
                f"{twice[0]} is listed twice for `{variable}`", file.type_spans.get(name), "list each type once"
            )
        listed.extend(types)
    return found


def _family(file: s.File, name: str, types: list[str]) -> str:
    """The one family that the types of a line belong to."""
    span = file.type_spans.get(name)
    unknown = [t for t in types if t not in _MEMBERS]
    if unknown:
        raise SpecificationError(
            f"unknown element types in `types {name}`: {', '.join(unknown)}", span, "use " + ", ".join(_MEMBERS)
        )
    kinds = {_MEMBERS[t] for t in types}
    # `types any = int8 float` would need clauses that mean one thing of both: `x + y` wraps in one and rounds in the
    # other.
    if len(kinds) != 1:
        raise SpecificationError(
            f"`types {name}` mixes the families {', '.join(sorted(kinds))}", span, "write one line for each family"
        )
    return kinds.pop()
