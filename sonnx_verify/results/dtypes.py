"""The names that numpy has for element types, and its types by ONNX's names.

numpy itself has no integers of less than 8 bits and no floats but those of IEEE 754 with 16, 32 and 64 bits. The others
are those of ml_dtypes, from which onnx has them too. They take a byte each, or two. Their arithmetic is exact
except where `arrays/evaluator/operations.py` says otherwise.
"""

from __future__ import annotations

from typing import Any

_NAMED = {"float": "float32", "double": "float64", "float8e5m2": "float8_e5m2", "float8e4m3fn": "float8_e4m3fn"}
_ONNX = {numpy: onnx for onnx, numpy in _NAMED.items()}
FOREIGN = frozenset(("int4", "uint4", "int2", "uint2", "bfloat16", "float8e5m2", "float8e4m3fn"))
"""The element types that numpy has from ml_dtypes."""


def numpy_name(name: str) -> str:
    """The name that numpy has for ONNX's name of a type."""
    return _NAMED.get(name, name)


def onnx_name(name: str) -> str:
    """ONNX's name of a type of numpy; of what ONNX has no type for, numpy's own name."""
    return _ONNX.get(name, name)


def dtype_of(name: str) -> Any:
    """The numpy type for ONNX's name of a type."""
    import numpy as np

    if name in FOREIGN:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, numpy_name(name)))
    return np.dtype(numpy_name(name))


def dtype_text(name: str) -> str:
    """The numpy type in Python: `np.float32`, `ml_dtypes.int4`."""
    module = "np"
    if name in FOREIGN:
        module = "ml_dtypes"
    return f"{module}.{numpy_name(name)}"
