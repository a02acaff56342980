"""`ndarray.flat` of a symbolic array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic.arguments import zeros_for
from sonnx_verify.conformance.symbolic.memory import held
from sonnx_verify.conformance.symbolic.trace import noted, refuse


class Flat:
    """The elements of an array one after the other. Several that are read are a copy, as numpy has it."""

    def __init__(self, view: Any) -> None:
        self._view = view

    def __len__(self) -> int:
        return len(self._view)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._view)

    def __getitem__(self, key: Any) -> Any:
        found = self._view[key]
        if held(found).scalar:
            return found
        return found.copy()

    @noted
    def __setitem__(self, key: Any, value: Any) -> None:
        if np.size(zeros_for(value)) != 1:
            refuse("ndarray.flat with values that are repeated")
        self._view[key] = value

    def __getattr__(self, name: str) -> Any:
        refuse(f"ndarray.flat.{name}")


def _refused_of_flat(name: str) -> Callable[..., Any]:
    return lambda self, *args: refuse(f"ndarray.flat.{name}")


for _name in ("next", "array", "eq", "ne", "lt", "le", "gt", "ge", "hash", "contains", "repr"):
    setattr(Flat, f"__{_name}__", _refused_of_flat(f"__{_name}__"))
