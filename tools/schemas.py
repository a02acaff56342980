"""Writes sonnx_verify/pages/reading/schemas.json anew: what the installed package onnx says of every operator.

    python tools/schemas.py

Only facts are taken: names, versions, types, arities, kinds and defaults of attributes. A line for each version of an
operator, so that a change is one line of a difference. A test compares the file with the installed onnx.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx.defs
from onnx import AttributeProto, helper

TABLE = Path(__file__).resolve().parents[1] / "sonnx_verify" / "pages" / "reading" / "schemas.json"
OPTIONS = {"Single": "", "Optional": "optional", "Variadic": "variadic"}


def table() -> dict[str, dict[str, Any]]:
    """Each version of each operator of the main domain, by `Name-version`, in order."""
    schemas = [s for s in onnx.defs.get_all_schemas_with_history() if not s.domain]
    schemas.sort(key=lambda s: (s.name, s.since_version))
    return {f"{s.name}-{s.since_version}": schema(s) for s in schemas}


def schema(formal: Any) -> dict[str, Any]:
    """Types of each type variable, inputs and outputs, how many there may be, and attributes by name."""
    return {
        "deprecated": bool(formal.deprecated),
        "types": {c.type_param_str: " ".join(sorted(map(short, c.allowed_type_strs))) for c in formal.type_constraints},
        "inputs": [[p.name, short(p.type_str), OPTIONS[p.option.name]] for p in formal.inputs],
        "outputs": [[p.name, short(p.type_str), OPTIONS[p.option.name]] for p in formal.outputs],
        "arity": [formal.min_input, most(formal.max_input), formal.min_output, most(formal.max_output)],
        "attributes": [attribute(formal.attributes[name]) for name in sorted(formal.attributes)],
    }


def short(type_name: str) -> str:
    """`float16` of `tensor(float16)`; what is no tensor as it is, without blanks."""
    made = type_name.replace(" ", "")
    return made[7:-1] if made.startswith("tensor(") else made


def most(count: int) -> int | None:
    """How many at most; None where there is no bound."""
    return count if count < 2**31 - 1 else None


def attribute(formal: Any) -> list[Any]:
    """Name, kind, whether it is required, and the default; null where there is none or it is no number or string."""
    kind = str(formal.type).rpartition(".")[2].lower()
    default: Any = None
    if formal.default_value.type not in (AttributeProto.UNDEFINED, AttributeProto.TENSOR, AttributeProto.GRAPH):
        default = plain(helper.get_attribute_value(formal.default_value))
    return [formal.name, kind, bool(formal.required), default]


def plain(value: Any) -> Any:
    """A default as JSON has it; a float by the shortest decimal that single precision reads back."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        return float(str(np.float32(value)))
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def written() -> str:
    """The file."""
    lines = [f" {json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}" for name, row in table().items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    TABLE.write_text(written(), "utf-8")
