"""The arguments of a call, as arrays and attributes by the names that the specification has for them.

In go numpy arrays and Python values as a caller wrote them, out come arrays of element types in native byte order and
attributes in the form of the logic. Nothing is converted to another type: that would answer another question than the
one that was asked. What does not fit is a UsageError that names the argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.known import DTYPES, SORTS
from sonnx_verify.arrays.evaluator.loops import Argument
from sonnx_verify.errors import UsageError
from sonnx_verify.kernel.variables import GREATEST, LOWEST
from sonnx_verify.language import syntax as s
from sonnx_verify.language.cures import near
from sonnx_verify.language.families import types_of
from sonnx_verify.language.kinds import INT, STRING, Kind, of_type
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort
from sonnx_verify.results.text import counted_text

_FLOAT = Kind("float")
_MOST_CALLS = 256
"""The ways to name the arguments of a call that are remembered."""


class Signature:
    """The inputs and attributes of an operator, and how arguments are taken for them."""

    def __init__(self, operator: str, file: s.File) -> None:
        self.operator, self.file = operator, file
        self.inputs = {d.name: d for d in file.inputs}
        self.attributes = {d.name: d for d in file.attributes if d.type.name != s.TypeWord.TENSOR}
        self.tensors = {d.name: d for d in file.attributes if d.type.name == s.TypeWord.TENSOR}
        """The attributes that are tensors: they are given by name, and taken as inputs are."""
        self.families = {d.name: _first(d) for d in file.inputs if d.high is not None}
        # On the way of every call: worked out once for each number of inputs and each set of names.
        self.names_of = lru_cache(_MOST_CALLS)(self._names_of)

    def spread(self, named: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments by name, a family that is given as a list spread out. Raises UsageError."""
        made: dict[str, Any] = {}
        for name, value in named.items():
            first = self.families.get(name)
            if first is None:
                made[name] = value
                continue
            if not isinstance(value, list | tuple):
                raise UsageError(f"`{name}` is a family of inputs", cure=f"give a list of arrays, or `{name}{first}`")
            for number, item in enumerate(value, first):
                made[f"{name}{number}"] = item
        return made

    def _names_of(self, count: int, named: tuple[str, ...]) -> tuple[tuple[str, bool], ...]:
        """Return the names of `count` arguments by position, then of those by name, and whether each is an attribute.
        Raises UsageError."""
        names = self._names(count)
        if twice := set(names).intersection(named):
            raise UsageError(f"`{min(twice)}` is given twice", cure="give each input and attribute once")
        return tuple((name, name in self.attributes) for name in (*names, *named))

    def planned(self, name: str) -> Argument:
        """Return the array of a plan that an input is: `X3` of a family `X[1..n]` is its member 2, counted from 0."""
        declaration = self.declared(name)
        if declaration is None or declaration.name == name:
            return Argument(name)
        family = declaration.name
        return Argument(family, int(name[len(family) :]) - self.families[family])

    def _names(self, count: int) -> tuple[str, ...]:
        """Return the names of `count` inputs by position, a family spread out."""
        declared = list(self.inputs)
        many = next((n for n, name in enumerate(declared) if name in self.families), None)
        if many is None:
            if count > len(declared):
                raise UsageError(
                    f"{self.operator} has {counted_text(len(declared), 'input')}, and {count} are given",
                    cure="give attributes by their names",
                )
            return tuple(declared[:count])
        # ONNX allows one variadic input, the last. A text may have inputs behind its family: they take their arguments
        # from the end, so that f(a, b, c) of inputs X[0..n], Y is X0, X1, Y.
        after = declared[many + 1 :]
        length = max(count - many - len(after), 0)
        first = self.families[declared[many]]
        spread = [f"{declared[many]}{first + n}" for n in range(length)]
        return tuple([*declared[:many], *spread, *after][:count])

    def declared(self, name: str) -> s.Declaration | None:
        """The declaration of an input of that name, or of the family that it is a member of."""
        found = self.inputs.get(name, self.tensors.get(name))
        if found is not None and name not in self.families:
            return found
        for family in self.families:
            if name.startswith(family) and name[len(family) :].isdigit():
                return self.inputs[family]
        return None

    def array(self, name: str, value: Any) -> Any:
        """Return an input as numpy's own array of an element type in native byte order. Raises UsageError."""
        declaration = self.declared(name)
        if declaration is None:
            raise self._unknown(name)
        if isinstance(value, np.ma.MaskedArray):
            raise UsageError(f"{name}: a masked array has missing elements", cure="fill it: x.filled(0)")
        if isinstance(value, np.generic):
            value = np.asarray(value)
        elif not isinstance(value, np.ndarray):
            value = self._made(name, value, declaration)
        # `type` is not fooled by `__class__`: what only passes as an array, to record what is done with it, stays as it
        # is. A subclass such as np.matrix would compute by rules of its own (its `*` is the matrix product).
        own = type(value)
        if own is not np.ndarray and issubclass(own, np.ndarray):
            value = value.view(np.ndarray)
        if issubclass(own, np.ndarray) and not value.dtype.isnative:
            value = value.astype(value.dtype.newbyteorder("="))
        if value.dtype not in SORTS:
            raise UsageError(f"{name}: {value.dtype.name} is not an element type", cure=f"use one of {_known()}")
        return value

    def _made(self, name: str, value: Any, declaration: s.Declaration) -> Any:
        """Return a list of integers as an array, where the text says that its elements are int64."""
        of = declaration.type.of
        is_int64 = of is not None and of.name == "int64"
        if not is_int64 or not isinstance(value, list | tuple | range | int):
            raise UsageError(f"{name}: a {type(value).__name__} has no element type", cure="give a numpy array")
        made = _int64(value)
        if made is None:
            raise UsageError(f"{name}: {value!r} is not a list of 64-bit integers", cure="give integers, as in [0, 1]")
        return made

    def attribute(self, name: str, value: Any) -> Any:
        """Return an attribute in the form of its kind. Raises UsageError if it does not fit."""
        kind = of_type(self.attributes[name].type)
        if kind.of is not None:
            if not isinstance(value, list | tuple | range):
                raise UsageError(f"{name}: {value!r} is not a list", cure="give a list, as in [0, 1]")
            if kind.of == STRING:
                return tuple(_text(name, item) for item in value)
            return tuple(self._number(name, kind.of, item) for item in value)
        if kind != STRING:
            return self._number(name, kind, value)
        return _text(name, value)

    def _number(self, name: str, kind: Kind, value: Any) -> int:
        """Return an integer, or the bits of a float of 32 bits: ONNX has attributes of no other width."""
        wanted = "a number"
        if kind == _FLOAT and isinstance(value, int | float | np.floating | np.integer):
            sort = ELEMENT_TYPES["float"]
            assert isinstance(sort, FloatSort)
            return floats.from_float(sort, float(value))
        if kind == INT:
            wanted = "a 64-bit integer"
            if isinstance(value, int | np.integer) and LOWEST <= int(value) <= GREATEST:
                return int(value)
        raise UsageError(f"{name}: {value!r} is not {wanted}", cure=f"give {wanted}")

    def _unknown(self, name: str) -> UsageError:
        # A family X[1..n] is shown by its first member, X1: that is a name that can be given.
        known = [f"{n}{self.families.get(n, '')}" for n in self.inputs]
        known += [*self.attributes, *self.tensors]
        problem = f"{self.operator} has no input or attribute `{name}`"
        if like := near(name, known):
            problem += f"; did you mean `{like}`?"
        return UsageError(problem, cure=f"it has: {', '.join(known)}")

    def check_types(self, arrays: Mapping[str, Any]) -> None:
        """Raise UsageError if an array holds elements of a type that its input does not have."""
        for name, array in arrays.items():
            declaration = self.declared(name)
            assert declaration is not None
            assert declaration.type.of is not None
            kind, sort = declaration.type.of.name, SORTS[array.dtype]
            listed = [kind]
            if kind not in ELEMENT_TYPES:
                listed = types_of(self.file, kind)
            if listed and sort.name not in listed:
                # A text may list `real`, which no array has.
                sorts = [ELEMENT_TYPES[name] for name in listed]
                shown = [str(DTYPES[sort]) for sort in sorts if sort in DTYPES]
                raise UsageError(
                    f"{name}: {self.operator} does not support {array.dtype.name} here",
                    cure=f"use one of {', '.join(shown)}",
                )


def _text(name: str, value: Any) -> str:
    """A text. Raises UsageError."""
    # onnx.helper.get_attribute_value gives strings as bytes, which ONNX says are UTF-8.
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        raise UsageError(f"{name}: {value!r} is not a text", cure='give a text, as in "SAME"')
    return value


def _int64(value: list[Any] | tuple[Any, ...] | range | int) -> Any:
    """An array of int64; None where numpy makes something else of the values, as of 0.5, True or 1 << 63."""
    items: Any = value
    if not isinstance(value, int):
        # Of an empty list numpy makes floats.
        items = list(value) or np.empty(0, np.int64)
    try:
        made = np.array(items)
    except (ValueError, OverflowError):
        return None
    if made.dtype != np.int64:
        return None
    return made


def _first(declaration: s.Declaration) -> int:
    """The number of the first member of a family."""
    if isinstance(declaration.low, s.Integer):
        return int(declaration.low.digits)
    return 0


def _known() -> str:
    return ", ".join(str(dtype) for dtype in DTYPES.values())
