"""What a caller gives, as arrays and attributes by the names that the specification has for them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.known import DTYPES, SORTS
from sonnx_verify.errors import UsageError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.constants import GREATEST, LOWEST
from sonnx_verify.language.cures import near
from sonnx_verify.language.families import types_of
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort


class Signature:
    """The inputs and attributes of an operator, and how arguments are taken for them."""

    def __init__(self, operator: str, file: s.File) -> None:
        self.operator, self.file = operator, file
        self.inputs = {d.name: d for d in file.inputs}
        self.attributes = {d.name: d for d in file.attributes}
        self.families = {d.name: _first(d) for d in file.inputs if d.high is not None}
        self.names = cache(self._names)

    def spread(self, named: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by name, where a family that is given as a list is spread out. Raises UsageError."""
        made: dict[str, Any] = {}
        for name, value in named.items():
            first = self.families.get(name)
            if first is not None and not isinstance(value, list | tuple):
                raise UsageError(f"`{name}` is a family of inputs", cure=f"give a list of arrays, or `{name}{first}`")
            made |= {name: value} if first is None else {f"{name}{first + n}": item for n, item in enumerate(value)}
        return made

    def names_of(self, count: int, named: Mapping[str, Any]) -> tuple[str, ...]:
        """The names of so many arguments by position, and of those by name. Raises UsageError."""
        names = self.names(count)
        if twice := set(names).intersection(named):
            raise UsageError(f"`{min(twice)}` is given twice", cure="give each input and attribute once")
        return (*names, *named)

    def planned(self, name: str) -> str:
        """What an input is called in a plan: members of families are numbered from 0."""
        declaration = self.declared(name)
        if declaration is None or declaration.name == name:
            return name
        family = declaration.name
        return f"{family}#{int(name[len(family) :]) - self.families[family]}"

    def _names(self, count: int) -> tuple[str, ...]:
        """The names of so many inputs by position: a family is spread out."""
        declared = list(self.inputs)
        many = next((n for n, name in enumerate(declared) if name in self.families), None)
        if many is None:
            if count > len(declared):
                raise UsageError(
                    f"{self.operator} has {_count(len(declared), 'input')}, and {count} are given",
                    cure="give attributes by their names",
                )
            return tuple(declared[:count])
        after = declared[many + 1 :]
        length = max(count - many - len(after), 0)
        first = self.families[declared[many]]
        spread = [f"{declared[many]}{first + n}" for n in range(length)]
        return tuple([*declared[:many], *spread, *after][:count])

    def declared(self, name: str) -> s.Declaration | None:
        """The declaration of an input that is called that, or of the family that it is a member of."""
        found = self.inputs.get(name)
        if found is not None and name not in self.families:
            return found
        family = next((f for f in self.families if name.startswith(f) and name[len(f) :].isdigit()), None)
        return None if family is None else self.inputs[family]

    def array(self, name: str, value: Any) -> Any:
        """An input as numpy's own array of an element type in native byte order. Raises UsageError for what is none."""
        declaration = self.declared(name)
        if declaration is None:
            raise self._unknown(name)
        if isinstance(value, np.ma.MaskedArray):
            raise UsageError(f"{name}: a masked array has elements that are left out", cure="fill it: x.filled(0)")
        if isinstance(value, np.generic):
            value = np.asarray(value)
        elif not isinstance(value, np.ndarray):
            value = self._made(name, value, declaration)
        # What only passes as an array, to record what is done with it, stays as it is.
        if issubclass(type(value), np.ndarray):
            value = value.view(np.ndarray) if type(value) is not np.ndarray else value
            value = value if value.dtype.isnative else value.astype(value.dtype.newbyteorder("="))
        if value.dtype not in SORTS:
            raise UsageError(f"{name}: {value.dtype.name} is no element type", cure=f"use one of {_known()}")
        return value

    def _made(self, name: str, value: Any, declaration: s.Declaration) -> Any:
        """An array of integers in a list, where their type is written in the text."""
        kind = "" if declaration.type.of is None else declaration.type.of.name
        if kind == "int64" and isinstance(value, list | tuple | range | int):
            items = list(value) if not isinstance(value, int) else value
            try:
                made = np.array(items if items != [] else np.empty(0, np.int64))
            except (ValueError, OverflowError):
                made = np.empty(0)
            if made.dtype == np.int64:
                return made
            raise UsageError(f"{name}: {value!r} is no list of integers of 64 bits", cure="give integers, as in [0, 1]")
        raise UsageError(f"{name}: a {type(value).__name__} has no element type", cure="give a numpy array")

    def attribute(self, name: str, value: Any) -> Any:
        """An attribute in the form of its kind. Raises UsageError for what does not fit."""
        declaration = self.attributes[name]
        kind = {"list of int": "ints", "list of float": "floats"}.get(str(declaration.type), declaration.type.name)
        if kind in ("ints", "floats"):
            if isinstance(value, list | tuple | range):
                return tuple(self._number(name, kind[:-1], item) for item in value)
            raise UsageError(f"{name}: {value!r} is no list", cure="give a list, as in [0, 1]")
        if kind == "string":
            if isinstance(value, bytes):
                value = value.decode("utf-8", "replace")
            if isinstance(value, str):
                return value
            raise UsageError(f"{name}: {value!r} is no text", cure='give a text, as in "SAME"')
        return self._number(name, kind, value)

    def _number(self, name: str, kind: str, value: Any) -> int:
        if kind == "float" and isinstance(value, int | float | np.floating | np.integer):
            sort = ELEMENT_TYPES["float"]
            assert isinstance(sort, FloatSort)
            return floats.from_float(sort, float(value))
        if kind == "int" and isinstance(value, int | np.integer) and LOWEST <= int(value) <= GREATEST:
            return int(value)
        wanted = "an integer of 64 bits" if kind == "int" else "a number"
        raise UsageError(f"{name}: {value!r} is not {wanted}", cure=f"give {wanted}")

    def _unknown(self, name: str) -> UsageError:
        known = [*(f"{n}{self.families[n]}" if n in self.families else n for n in self.inputs), *self.attributes]
        like = near(name, known)
        found = f", but `{like}`" if like else ""
        return UsageError(
            f"{self.operator} has no input or attribute `{name}`{found}", cure=f"its own: {', '.join(known)}"
        )

    def check_types(self, arrays: Mapping[str, Any]) -> None:
        """UsageError where an array holds elements of a type that its input does not have."""
        for name, array in arrays.items():
            declaration = self.declared(name)
            assert declaration is not None
            assert declaration.type.of is not None
            kind, sort = declaration.type.of.name, SORTS[array.dtype]
            listed = types_of(self.file, kind) if kind not in ELEMENT_TYPES else [kind]
            if listed and sort.name not in listed:
                shown = [str(DTYPES[ELEMENT_TYPES[t]]) for t in listed if t != "real"]
                raise UsageError(
                    f"{name}: {self.operator} has no elements of {array.dtype.name} here",
                    cure=f"use one of {', '.join(shown)}",
                )


def _first(declaration: s.Declaration) -> int:
    """The number of the first member of a family."""
    low = declaration.low
    return int(low.digits) if isinstance(low, s.Integer) else 0


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _known() -> str:
    return ", ".join(str(dtype) for dtype in DTYPES.values())
