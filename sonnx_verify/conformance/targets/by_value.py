"""Functions that no other process can import, such as those of a notebook, as bytes: with all that they refer to.

The process that runs them has the same interpreter, so that code can be sent as it is. What can be imported goes by its
name. A class of the main module does not go: its instances would be of another class there.
"""

from __future__ import annotations

import builtins
import importlib
import io
import marshal
import pickle
import sys
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from sonnx_verify.errors import UsageError

_CURE = "write it into a module, and name python:MODULE:FUNCTION"


def name_of(function: Any) -> str:
    """The name of a callable: that of its definition, or of its type."""
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def importable(function: Any) -> str | None:
    """MODULE:FUNCTION under which any process finds the very same object; None where there is no such name."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    if not module or module == "__main__" or not name:
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is function else None


def dumped(function: Callable[..., Any]) -> bytes:
    """The callable as bytes. Raises UsageError where something that it refers to cannot be sent."""
    written = io.BytesIO()
    try:
        _Pickler(written).dump(function)
    except (pickle.PicklingError, TypeError, ValueError, AttributeError, RecursionError) as problem:
        raise UsageError(f"`{name_of(function)}` cannot be run in another process: {problem}", cure=_CURE) from None
    return written.getvalue()


def loaded(written: bytes) -> Callable[..., Any]:
    """The callable of these bytes."""
    found: Callable[..., Any] = pickle.loads(written)
    return found


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        """Send modules by their names, and functions that cannot be imported with their code."""
        if isinstance(obj, ModuleType):
            return importlib.import_module, (obj.__name__,)
        if isinstance(obj, type) and obj.__module__ == "__main__":
            raise pickle.PicklingError(f"it refers to the class `{obj.__qualname__}` of the main module")
        if not isinstance(obj, FunctionType) or importable(obj) is not None:
            return NotImplemented
        cells = obj.__closure__ or ()
        state = {
            "globals": {name: obj.__globals__[name] for name in _names(obj.__code__) if name in obj.__globals__},
            "defaults": obj.__defaults__,
            "named": obj.__kwdefaults__,
            "cells": [cell.cell_contents for cell in cells],
        }
        # It is made first and filled afterwards: it may refer to itself.
        return _made, (marshal.dumps(obj.__code__), obj.__name__, len(cells)), state, None, None, _fill


def _names(code: CodeType) -> Iterator[str]:
    """The names that code and the functions in it look up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _made(code: bytes, name: str, cells: int) -> FunctionType:
    names = {"__builtins__": builtins, "__name__": "__main__"}
    return FunctionType(marshal.loads(code), names, name, None, tuple(CellType() for _ in range(cells)))


def _fill(function: FunctionType, state: dict[str, Any]) -> None:
    function.__globals__.update(state["globals"])
    function.__defaults__, function.__kwdefaults__ = state["defaults"], state["named"]
    for cell, content in zip(function.__closure__ or (), state["cells"], strict=True):
        cell.cell_contents = content
