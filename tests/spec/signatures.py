"""Writes spec/onnx/signatures.json anew: what the installed package onnx says of the operators specified here.

    python tests/spec/signatures.py

It holds every version of the operators named in OPERATORS. A test compares the file with the installed onnx.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx.defs
from onnx import AttributeProto, helper

TABLE = Path(__file__).resolve().parents[2] / "spec" / "onnx" / "signatures.json"
OPERATORS = ("Max", "Min", "ReduceMax", "ReduceMin", "ReduceSum")
KINDS = {"INT": "int", "INTS": "ints", "FLOAT": "float", "FLOATS": "floats", "STRING": "string"}


def table() -> dict[str, Any]:
    """The signature of each version of the operators, by `Name-version`."""
    schemas = [s for s in onnx.defs.get_all_schemas_with_history() if not s.domain and s.name in OPERATORS]
    return {f"{s.name}-{s.since_version}": signature(s) for s in schemas}


def signature(schema: Any) -> dict[str, Any]:
    """Types of each type variable, inputs and outputs in order, attributes by name."""
    return {
        "types": {c.type_param_str: sorted(map(element, c.allowed_type_strs)) for c in schema.type_constraints},
        "inputs": [parameter(p, {c.type_param_str for c in schema.type_constraints}) for p in schema.inputs],
        "outputs": [parameter(p, {c.type_param_str for c in schema.type_constraints}) for p in schema.outputs],
        "attributes": [attribute(schema.attributes[name]) for name in sorted(schema.attributes)],
    }


def element(type_name: str) -> str:
    """`float16` of `tensor(float16)`. ValueError for what is no tensor."""
    if not (type_name.startswith("tensor(") and type_name.endswith(")")):
        raise ValueError(f"{type_name} is no type of tensors")
    return type_name[7:-1]


def parameter(formal: Any, variables: set[str]) -> dict[str, Any]:
    """An input or output; `type` is a type variable or the one element type."""
    options = onnx.defs.OpSchema.FormalParameterOption
    return {
        "name": formal.name,
        "type": formal.type_str if formal.type_str in variables else element(formal.type_str),
        "optional": formal.option == options.Optional,
        "variadic": formal.option == options.Variadic,
    }


def attribute(formal: Any) -> dict[str, Any]:
    """An attribute; `default` is null where ONNX gives none."""
    default: Any = None
    if formal.default_value.type != AttributeProto.UNDEFINED:
        default = plain(helper.get_attribute_value(formal.default_value))
    return {
        "name": formal.name,
        "kind": KINDS[str(formal.type).rpartition(".")[2]],
        "required": bool(formal.required),
        "default": default,
    }


def plain(value: Any) -> Any:
    """A default as JSON has it; a float by the shortest decimal that single precision reads back."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        return float(str(np.float32(value)))
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


if __name__ == "__main__":
    TABLE.write_text(json.dumps(table(), indent=1, sort_keys=True) + "\n", "utf-8")
