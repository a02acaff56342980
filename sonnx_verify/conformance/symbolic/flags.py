"""numpy's flags of a symbolic array."""

from __future__ import annotations

from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic.trace import refuse


class Flags:
    """numpy's flags of a layout. Those that depend on who made an array are refused."""

    _KNOWN = {
        "C_CONTIGUOUS": "c_contiguous", "C": "c_contiguous", "CONTIGUOUS": "c_contiguous",
        "F_CONTIGUOUS": "f_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous",
        "WRITEABLE": "writeable", "W": "writeable", "ALIGNED": "aligned", "A": "aligned", "FNC": "fnc", "FORC": "forc",
    }  # fmt: skip  # a table

    def __init__(self, places: np.ndarray[Any, Any], *, scalar: bool) -> None:
        # Attributes are numpy's flags: this one is set behind the refusal of all others.
        object.__setattr__(self, "_held", (places, scalar))

    def __getattr__(self, name: str) -> Any:
        key = name.upper()
        if name != key.lower() or key not in self._KNOWN:
            refuse(f"flags.{name}")
        return self[key]

    def __setattr__(self, name: str, value: Any) -> None:
        places, scalar = self._held
        # That an array may be written to again depends on the array that it is a view of.
        if name != "writeable" or scalar or value:
            refuse(f"assignment to flags.{name}")
        places.flags.writeable = False

    def __getitem__(self, key: Any) -> bool:
        places, scalar = self._held
        if key not in self._KNOWN:
            refuse(f"flags[{key!r}]")
        name = self._KNOWN[key]
        # The places of a scalar are an array like any other; to numpy's own scalars nothing can be written.
        if scalar and name == "writeable":
            return False
        return bool(getattr(places.flags, name))

    def __repr__(self) -> str:
        refuse("flags as text")
