"""The families of a page beside the sections of a formal text. `trace`, `lint` and formulas match them here alone.

A heading such as `Where (bool, real, real)` gives types to the inputs in their order, and `Equal (int, bool)` to the
inputs and the output. Its words are held against the declared type of each, whatever type variable that is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from sonnx_verify.kernel.core import FAMILIES
from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import FAMILY_OF_TYPE, Instance, families, instances, types_of
from sonnx_verify.language.syntax import TypeWord
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.pages.reading.page import Page, Section

ANY = "any"
"""The name in the heading of a section that is of all types at once."""
_ANY = frozenset({ANY, "all", "type", "types", "t", "numeric", "tensor", ""})
_SPELLED = {
    "float16": "float16", "fp16": "float16", "half": "float16", "bfloat16": "bfloat16", "bf16": "bfloat16",
    "float32": "float", "fp32": "float", "float": "float", "single": "float",
    "float64": "double", "fp64": "double", "double": "double",
    "bool": "bool", "boolean": "bool", "real": "real",
    **{name: name for name in ELEMENT_TYPES},
}  # fmt: skip  # a table
"""The spellings of element types, in small letters."""
_GROUPS = {
    "int": "int", "ints": "int", "integer": "int", "integers": "int", "float": "float", "floats": "float",
    "floating-point": "float", "floating": "float", "boolean": "bool", "booleans": "bool", "reals": "real",
}  # fmt: skip  # a table
"""Other words for families."""
_NAMES = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(_SPELLED, key=len, reverse=True))})(?![\w-])", re.IGNORECASE)
_WORDS = frozenset({"single", "half", "double", "real"})
"""The spellings that are also words of English."""
_DEFINED = re.compile(
    r"\b(?:where|with|and)\s+(\w+)\s*(?:is|are|denotes|stands for|in|∈)\b([^.;\n]*?)(?=[.;\n]|$|,?\s+and\s+\w+\s+is\b)",
    re.IGNORECASE,
)
"""A sentence that says which types a word of the heading stands for: `where int is in {int8, int16}`."""
_BUT = re.compile(r"\b(?:not|except|but|other|excluding|without)\b", re.IGNORECASE)

Choices = Mapping[str, Collection[str]]
"""The types that each type variable may have."""


@dataclass(frozen=True, slots=True)
class Match:
    """A section of a formal text that a family of a page is about, with the types of T that are in both. `guessed` says
    what nothing on the page confirms, empty where all is confirmed."""

    instance: Instance
    types: tuple[str, ...]
    guessed: str = ""


def family_of(heading: Section) -> str:
    """The family of T that a heading names: the one that its formal text has told, else what its words say alone."""
    if heading.called:
        return heading.called
    words = _words(heading)
    # `Where (bool, real, real)` is of reals: the first of several inputs is often a condition.
    if len(words) > 2:
        return next((word for word in words if word != "bool"), words[0])
    return words[0]


def call_families(page: Page, file: s.File) -> None:
    """Name the families of a page as the formal text names those that they are about."""
    for heading in page.families:
        heading.called = _called(page, file, heading)


def sections_by_line(page: Page, file: s.File) -> dict[str, list[Section]]:
    """The sections of the page for each `types` line of T: those of the family of that name, else those of a family
    that has some of its types, else those of any type."""
    call_families(page, file)
    made: dict[str, list[Section]] = {}
    for line, _, _ in families(file):
        ranked = []
        for sections in page.by_family[1:]:
            name = family_of(sections[0])
            if name == line:
                ranked.append((0, sections))
            elif any(match.instance.line == line for match in matches(page, file, sections[0])):
                ranked.append((2 if name == ANY else 1, sections))
        if ranked:
            made[line] = min(ranked, key=lambda one: one[0])[1]
    return made


def matches(page: Page, file: s.File, heading: Section, named: Collection[str] = ()) -> list[Match]:
    """The sections of a formal text that a family may be about, in the order of the text; of those types alone that an
    example names, where it names some."""
    words, defined = _words(heading), _defined(page, heading)
    lines = {name: tuple(types) for name, _, types in families(file)}
    said = [_types(word, defined, lines) for word in words]
    guessed = _guess(file, words, said, defined)
    made = []
    for instance in instances(file):
        choices = {TypeWord.T.value: instance.types, **{v: [sort.name] for v, sort in instance.variables.items()}}
        own = [_narrowed(choices, pairs) for pairs in _alignments(file, said)]
        found = {type_name for one in own for type_name in one[TypeWord.T]}
        types = tuple(name for name in instance.types if name in found)
        if named:
            types = _restricted(types, types_of(file, TypeWord.T), named)
            kept = [_restricted((sort.name,), types_of(file, v), named) for v, sort in instance.variables.items()]
            if not all(kept) or not any(name in named for name in chain(types, *kept)):
                continue
        if types:
            # An example that names its type is of that, whatever others the page has.
            made.append(Match(instance, types, "" if named else guessed))
    return made


def type_words(title: str) -> tuple[str, ...]:
    """The words for element types in the title of an example, in small letters."""
    # "a single row", "half of it", "real data": these words are types where nothing else stands beside them.
    bare = {word.strip(" `").lower() for part in re.findall(r"\(([^()]*)\)|`([^`]*)`", title) for word in part}
    found = dict.fromkeys(word.lower() for word in _NAMES.findall(title))
    return tuple(word for word in found if word in bare or word not in _WORDS)


def types_named(words: Collection[str], file: s.File, *, own: bool) -> tuple[str, ...]:
    """The element types that words name, but for those that an input or an output has in any case. `own` says that the
    page is that of the formal text: on others `float` may be the family."""
    fixed = {_element(declared) for declared in (*file.inputs, *file.outputs)}
    found: dict[str, None] = {}
    for word in words:
        if word == "float" and not own:
            found |= dict.fromkeys(sort.name for sort in FAMILIES[word])
        elif _SPELLED[word] not in fixed:
            found[_SPELLED[word]] = None
    return tuple(found)


def _restricted(types: Sequence[str], listed: Collection[str], named: Collection[str]) -> tuple[str, ...]:
    """The types of a variable that are named; all, where what is named is about other variables."""
    if not any(name in named for name in listed):
        return tuple(types)
    return tuple(name for name in types if name in named)


def _words(heading: Section) -> tuple[str, ...]:
    """The words between the parentheses of a heading, one for each input."""
    said = heading.title.rpartition("(")[2].partition(")")[0]
    return tuple(re.sub(r"[\s`*$\\{}]", "", word) for word in said.split(",")) if "(" in heading.title else (ANY,)


def _defined(page: Page, heading: Section) -> dict[str, tuple[str, ...]]:
    """The types that sentences below a heading give its words."""
    made: dict[str, tuple[str, ...]] = {}
    sections = next((found for found in page.by_family[1:] if found[0] is heading), [])
    for cell in chain.from_iterable(section.cells for section in sections):
        for word, said in _DEFINED.findall(cell.plain):
            types = tuple(dict.fromkeys(_SPELLED[name.lower()] for name in _NAMES.findall(said)))
            if types and word in _words(heading):
                # "all integers but int8": which ones these are is not read.
                made.setdefault(word, () if _BUT.search(said) else types)
    return made


def _types(
    word: str, defined: Mapping[str, tuple[str, ...]], lines: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...] | None:
    """The types that a word of a heading stands for; None where it may be any, and where nobody knows."""
    if word in defined:
        return defined[word] or None
    lowered = word.lower()
    if lowered in FAMILIES or lowered in _GROUPS:
        return tuple(sort.name for sort in FAMILIES[_GROUPS.get(lowered, lowered)])
    if word in lines:
        return lines[word]
    if lowered in ("uint", "unsigned", "sint", "signed"):
        is_signed = lowered[0] == "s"
        return tuple(sort.name for sort in FAMILIES["int"] if sort.name.startswith("u") is not is_signed)
    return (_SPELLED[lowered],) if lowered in _SPELLED else None


def _guess(
    file: s.File,
    words: Sequence[str],
    said: Sequence[tuple[str, ...] | None],
    defined: Mapping[str, tuple[str, ...]],
) -> str:
    """The guess about a heading, in words."""
    for word, types in zip(words, said, strict=True):
        if types is None and (word.lower() not in _ANY or word in defined):
            return f"`{word}` may be any type"
    known = {*chain.from_iterable(file.types.values()), *map(_element, (*file.inputs, *file.outputs))}
    for types in defined.values():
        if missing := [name for name in types if name not in known]:
            return f"it may be of type {missing[0]}, which the formal text lacks"
    return ""


Pairs = list[tuple[str, tuple[str, ...] | None]]


def _alignments(file: s.File, said: Sequence[tuple[str, ...] | None]) -> Iterator[Pairs]:
    """The ways to read the words of a heading: each pairs declared types with what is said of them."""
    inputs, outputs = [*map(_element, file.inputs)], [*map(_element, file.outputs)]
    variadic = bool(file.inputs) and file.inputs[-1].low is not None
    needed = [_element(declared) for declared in file.inputs if not declared.optional]
    padded = inputs + inputs[-1:] * (len(said) - len(inputs)) if variadic else inputs
    if len(said) <= len(padded):
        yield [*zip(padded, said, strict=False)]
    if len(said) == len(needed):
        yield [*zip(needed, said, strict=True)]
    if len(said) == len(inputs) + len(outputs):
        yield [*zip([*inputs, *outputs], said, strict=True)]
    if len(said) == 1:
        yield [(TypeWord.T, said[0])]
    if len(said) == 2:
        yield [(TypeWord.T, said[0]), (outputs[0] if outputs else TypeWord.T, said[1])]
    # `Max (float16, float)` may list the types of one section.
    alone = [*chain.from_iterable(types for types in said if types is not None and len(types) == 1)]
    if len({*alone}) == len(said) > 1 and len({FAMILY_OF_TYPE[name] for name in alone}) == 1:
        yield [(TypeWord.T, tuple(alone))]


def _element(declared: s.Declaration) -> str:
    """The element type of a declared tensor: the name of a type, or of a type variable."""
    return (declared.type.of or declared.type).name


def _narrowed(choices: Choices, pairs: Pairs) -> Choices:
    """The types that are left of each variable; none of T where the words do not fit."""
    left = {name: [*types] for name, types in choices.items()}
    for declared, types in pairs:
        if types is None:
            continue
        if declared in left:
            left[declared] = [name for name in left[declared] if name in types]
        elif declared not in types:
            return {TypeWord.T: ()}
    return left if all(left.values()) else {TypeWord.T: ()}


def _called(page: Page, file: s.File, heading: Section) -> str:
    """The name that the formal text has for what a heading is about; that of its words, where it has none."""
    word = _words(heading)[0]
    found = matches(page, file, heading)
    kinds = {match.instance.family for match in found}
    if word == ANY or any(match.instance.line == word for match in found):
        return word
    if len(kinds) == 1:
        return kinds.pop()
    return ANY if kinds else family_of(heading)
