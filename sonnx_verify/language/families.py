"""The `types` lines of a file: families of T, and types of every other variable. Trusted.

Each choice of a line of T and of a type for each other variable is a section of the file, with obligations of its own.
A type that no section had would be one of which nothing is asked.

    types small = int8 uint8      two lines of one family, each a section: what is marked `for small` belongs to the
    types wide  = int32 int64     first, `for int` to both
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product

from sonnx_verify.kernel.core import FAMILIES
from sonnx_verify.language import syntax as s
from sonnx_verify.language.complaints import texts as complaints
from sonnx_verify.language.context import UNTYPED
from sonnx_verify.language.syntax import TypeWord
from sonnx_verify.logic.sorts import ELEMENT_TYPES, Sort
from sonnx_verify.sources import Span

FAMILY_OF_TYPE = {sort.name: family for family, sorts in FAMILIES.items() for sort in sorts}
"""The family of each element type, by their names."""
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


def lines_named(file: s.File) -> dict[str, tuple[str, ...]]:
    """The lines of T that an item can be marked for by their names, with their types: those with a name that is no
    family."""
    # `for int` is about the family, also where a line is called so: so it was before lines had names of their own.
    return {name: tuple(types) for name, _, types in families(file) if name and name not in FAMILIES}


def is_for(
    lines: Mapping[str, tuple[str, ...]], word: str, family: str, types: Collection[str], span: Span | None = None
) -> bool:
    """Return whether an item marked `for WORD` belongs to elements of these types, all of one family; without a word it
    belongs to all. SpecificationError where it belongs to some of the types only, or none are known."""
    if word in ("", family):
        return True
    listed = lines.get(word, ())
    if word in FAMILIES or not listed or FAMILY_OF_TYPE[listed[0]] != family:
        return False
    # Abstract elements stand for all these types at once: an item that is one of some of them would be assumed of, or
    # missed by, the others.
    inside = [t for t in types if t in listed]
    if types and len(inside) in (0, len(types)):
        return bool(inside)
    raise complaints.of_some_types(word, listed, types, span)


def lets_for(file: s.File, family: str, types: Collection[str]) -> list[s.Let]:
    """The names that a section of these types sees, in the order of the text."""
    lines = lines_named(file)
    return [let for let in file.lets if is_for(lines, let.family, family, types, let.span)]


def marked_for(file: s.File, family: str, types: Collection[str]) -> tuple[str, ...]:
    """The names of lines that items of the file are marked for, and that are about these types."""
    lines = lines_named(file)
    marked: list[s.Clause | s.Rule | s.Let | s.Definition | s.Used]
    marked = [*file.clauses, *file.rules, *file.lets, *file.definitions, *file.using]
    words = {item.family: item.span for item in marked if item.family in lines}
    return tuple(word for word, span in words.items() if is_for(lines, word, family, types, span))


def clash(lines: Mapping[str, tuple[str, ...]], word: str, words: Iterable[str]) -> str | None:
    """The first of the words such that an item marked for it, and one marked for `word`, belong to one section."""
    for other in words:
        if word == other or "" in (word, other) or other in _above(lines, word) or word in _above(lines, other):
            return other
    return None


def _above(lines: Mapping[str, tuple[str, ...]], word: str) -> tuple[str, ...]:
    """The family of the line of a name; nothing of a family."""
    if word in lines and lines[word]:
        return (FAMILY_OF_TYPE[lines[word][0]],)
    return ()


def types_of(file: s.File, variable: str) -> list[str]:
    """All types that the file lists for a variable, in the order of the text."""
    if variable == TypeWord.T:
        found: list[str] = []
        for _, _, types in families(file):
            found += types
        return found
    return other_types(file).get(variable, [])


def instances(file: s.File) -> list[Instance]:
    """The sections of a file, in the order of the text. SpecificationError where a `types` line makes no sense."""
    others = other_types(file)
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


def other_types(file: s.File) -> dict[str, list[str]]:
    """The types of every variable other than T, of all its lines together. SpecificationError where a line makes no
    sense."""
    found: dict[str, list[str]] = {}
    for name, types in file.types.items():
        variable = file.type_variables.get(name, TypeWord.T)
        if variable == TypeWord.T:
            continue
        _family(file, name, types)
        if variable in _TAKEN:
            raise complaints.type_as_variable(variable, file.type_spans.get(name))
        listed = found.setdefault(variable, [])
        twice = [t for n, t in enumerate(types) if t in listed or t in types[:n]]
        if twice:
            raise complaints.type_twice(twice[0], variable, file.type_spans.get(name))
        listed.extend(types)
    return found


def _family(file: s.File, name: str, types: list[str]) -> str:
    """The one family that the types of a line belong to."""
    span = file.type_spans.get(name)
    unknown = [t for t in types if t not in FAMILY_OF_TYPE]
    if unknown:
        raise complaints.unknown_types(name, unknown, FAMILY_OF_TYPE, span)
    kinds = {FAMILY_OF_TYPE[t] for t in types}
    # `types any = int8 float` would need clauses that mean one thing of both: `x + y` wraps in one and rounds in the
    # other.
    if len(kinds) != 1:
        raise complaints.mixed_families(name, kinds, span)
    return kinds.pop()
