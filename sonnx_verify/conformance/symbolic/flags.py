"""What numpy says of the layout of an array, of a symbolic one."""

from __future__ import annotations

from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic.trace import refuse


class Flags:
    """What numpy says of a layout. What depends on who made an array is refused."""

    _KNOWN = {
        "C_CONTIGUOUS": "c_contiguous", "C": "c_contiguous", "CONTIGUOUS": "c_contiguous",
        "F_CONTIGUOUS": "f_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous",
        "WRITEABLE": "writeable", "W": "writeable", "ALIGNED": "aligned", "A": "aligned", "FNC": "fnc", "FORC": "forc",
    }  # fmt: skip  # a table

    def __init__(self, places: np.ndarray[Any, Any], scalar: bool) -> None:
        object.__setattr__(self, "_held", (places, scalar))

    def __getattr__(self, name: str) -> Any:
        key = name.upper()
        if name != key.lower() or key not in self._KNOWN:
            refuse(f"flags.{name}")
        return self[key]

    def __setattr__(self, name: str, value: Any) -> None:
        places, scalar = self._held
        if name != "writeable" or scalar or value:
            refuse(f"flags.{name} that is set")
        places.flags.writeable = False

    def __getitem__(self, key: Any) -> bool:
        places, scalar = self._held
        if key not in self._KNOWN:
            refuse(f"flags[{key!r}]")
        name = self._KNOWN[key]
        return bool(getattr(places.flags, name)) and not (scalar and name == "writeable")

    def __repr__(self) -> str:
        refuse("flags as text")
