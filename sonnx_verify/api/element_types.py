"""The element types of a statement about operators: its tensors of T, those of another type, and the types of T.

Of `Where(Not(C), X, Y) = Where(C, Y, X)` C is of bool, as Not takes nothing else, and X and Y are of one type, that of
Where's results: T stands for each of these. Tensors are of one type where an operator takes them as tensors of one type
variable, or where they are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import other_types, types_of
from sonnx_verify.logic.sorts import ELEMENT_TYPES

Key = Hashable
_OF_T: Key = ("type", s.TypeWord.T)


@dataclass(frozen=True, slots=True)
class ElementTypes:
    """The types that T stands for, in the order of the first operator that has it, none where nothing says so; the type
    of each name of another type; and sentences on types of T that some operators have and others lack."""

    of_t: tuple[str, ...]
    of_names: Mapping[str, str]
    lacking: tuple[str, ...]


def element_types(
    theorem: s.Theorem, names: Iterable[str], text: Callable[[str], s.File | None]
) -> ElementTypes | None:
    """The types of a statement, in which `names` are tensors that nothing declares; `text` gives that of an operator.
    None where no operator has element types."""
    declared = {d.name: d.type for d in theorem.declarations}
    found = _Classes()
    reading = _Reading(found, declared, frozenset(names), text)
    stated = [theorem.body] if theorem.assuming is None else [theorem.body, theorem.assuming]
    for expression in stated:
        reading.read(expression)
    every = found.all()
    classes = [one for one in every if one.lists]
    if not classes:
        return None
    # What is declared to be of T says which class that is; else the first that has a choice, or the first at all.
    chosen = next((one for one in classes if _OF_T in one.keys), None)
    chosen = chosen or next((one for one in classes if len(one.types) > 1), classes[0])
    certain = [one for one in every if one is not chosen and len(one.types) == 1]
    # Names of a second type variable with a choice of its own were always those of T.
    joined = [one for one in classes if one is chosen or not (one in certain or _OF_T in one.keys or not one.names)]
    types = tuple(t for t in chosen.types if all(t in one.types for one in joined))
    # A type that is written, and that an operator does not take: its own complaint says it better.
    if not types and len(chosen.said) == 1:
        types = (chosen.said[0],)
    of_names = {name: one.types[0] for one in certain for name in one.names if name in names}
    return ElementTypes(types, of_names, tuple(_lacking(joined)))


def _lacking(classes: list[_Class]) -> Iterable[str]:
    rows = [row for one in classes for row in one.lists]
    every = list(dict.fromkeys(t for _, types in rows for t in types))
    for operator in dict.fromkeys(operator for operator, _ in rows):
        known = {t for name, types in rows if name == operator for t in types}
        if missing := [t for t in every if t not in known]:
            yield f"not asked of {', '.join(missing)}: {operator} does not take {'it' if len(missing) == 1 else 'them'}"


@dataclass(eq=False, slots=True)
class _Class:
    """Things of one element type: `lists` has the types that operators allow, each with the operator's name."""

    keys: set[Key] = field(default_factory=set)
    lists: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    @property
    def types(self) -> list[str]:
        """The types that all of them have."""
        first, *others = [types for _, types in self.lists] or [tuple(ELEMENT_TYPES)]
        return [t for t in first if all(t in types for types in others) and all(t == name for name in self.said)]

    @property
    def said(self) -> list[str]:
        """The types that are written."""
        return [str(key[1]) for key in self.keys if isinstance(key, tuple) and key[0] == "type" and key != _OF_T]

    @property
    def names(self) -> list[str]:
        return [str(key[1]) for key in self.keys if isinstance(key, tuple) and key[0] == "name"]


class _Classes:
    """The classes of things of one type, by what is in them."""

    def __init__(self) -> None:
        self._of: dict[Key, _Class] = {}

    def of(self, key: Key) -> _Class:
        """The class that a thing is in."""
        if key not in self._of:
            self._of[key] = _Class({key})
        return self._of[key]

    def join(self, one: Key, other: Key) -> None:
        """Let two things be of one type."""
        first, second = self.of(one), self.of(other)
        if first is second:
            return
        first.keys |= second.keys
        first.lists += second.lists
        for key in second.keys:
            self._of[key] = first

    def all(self) -> list[_Class]:
        """Every class, in the order in which things were met."""
        return list(dict.fromkeys(self._of.values()))


@dataclass(frozen=True, slots=True)
class _Reading:
    """Reads a statement into classes."""

    classes: _Classes
    declared: Mapping[str, s.Type]
    names: frozenset[str]
    text: Callable[[str], s.File | None]

    def read(self, expression: s.Expression) -> None:
        """Join what operators, and comparisons, take to be of one type."""
        for node in s.every(expression):
            if isinstance(node, s.Call) and (file := self.text(node.name)) is not None:
                self._called(node, file)
            elif isinstance(node, s.Relation):
                keys = [key for operand in node.operands if (key := self._key(operand)) is not None]
                for key in keys[1:]:
                    self.classes.join(keys[0], key)

    def _called(self, call: s.Call, file: s.File) -> None:
        for variable in (s.TypeWord.T, *other_types(file)):
            if types := types_of(file, variable):
                self.classes.of((id(call), str(variable))).lists.append((file.name, tuple(types)))
        arguments = list(call.arguments)
        for place, declaration in enumerate(file.inputs):
            # A family takes all that is left.
            taken = arguments[place:] if declaration.high is not None else arguments[place : place + 1]
            for argument in taken:
                self._join(self._key(argument), self._element(call, declaration.type))
        of_attributes = {d.name: d.type for d in file.attributes if d.type.is_code and d.type.of is not None}
        for setting in call.settings:
            value, kind = s.bare(setting.value), of_attributes.get(setting.name)
            if kind is not None and kind.of is not None and isinstance(value, s.Name):
                self._join(("type", value.name), (id(call), kind.of.name))

    def _join(self, one: Key | None, other: Key | None) -> None:
        if one is not None and other is not None:
            self.classes.join(one, other)

    def _key(self, expression: s.Expression) -> Key | None:
        """The thing whose element type an expression has; None of one that is no tensor of anything known."""
        node = s.bare(expression)
        if isinstance(node, s.Name):
            if node.name in self.declared:
                return self._declared(self.declared[node.name])
            return ("name", node.name) if node.name in self.names else None
        if isinstance(node, s.Call) and (file := self.text(node.name)) is not None and file.outputs:
            return self._element(node, file.outputs[0].type)
        return None

    @staticmethod
    def _declared(kind: s.Type) -> Key | None:
        while kind.of is not None:
            kind = kind.of
        return ("type", kind.name) if kind.name in (s.TypeWord.T, *ELEMENT_TYPES) else None

    @staticmethod
    def _element(call: s.Call, kind: s.Type) -> Key | None:
        """The element type of an input or output of a call: a type variable of that call, or a type."""
        if not kind.is_tensor or kind.of is None:
            return None
        return ("type", kind.of.name) if kind.of.name in ELEMENT_TYPES else (id(call), kind.of.name)
