"""Tensors and attributes as JSON has them, in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sonnx_verify.results.values import shape_text

_SPECIAL = ("nan", "inf", "-inf", "-0.0")
"""The floats that JSON has as texts."""


def attribute_words(value: Any) -> str:
    """The value of an attribute as `eval` prints it: `1`, `float -0.0`, `[0.5, inf]`, `"SAME"`."""
    match value:
        case dict():
            return tensor_words(value)
        case list():
            return f"[{', '.join(attribute_words(item).removeprefix('float ') for item in value)}]"
        case float():
            return f"float {value}"
        case str() if value in _SPECIAL:
            return f"float {value}"
        case _:
            return json.dumps(value, ensure_ascii=False)


def tensor_words(tensor: Mapping[str, Any]) -> str:
    """Type, sizes, elements."""
    shown = f"{tensor['dtype']} {shape_text(tensor['shape'])}"
    # An output that is no tensor of the language, as one of complex numbers, has no elements to show.
    if "data" not in tensor:
        return shown
    # NaN and infinities are texts in JSON, and need no quotes here.
    data = json.dumps(tensor["data"]).replace('"', "")
    return f"{shown} {data}".strip()
