"""One line for a shell that shows a difference, without this package where that is possible."""

from __future__ import annotations

import json
import math
import shlex
from typing import Any

import numpy as np

from sonnx_verify.conformance.arrays import dtype_of, made
from sonnx_verify.conformance.bench import Bench, Seen
from sonnx_verify.conformance.calls import PLAIN, Presentation
from sonnx_verify.conformance.models import (
    IR,
    array_of,
    asked_outputs,
    attributes_of,
    domain_of,
    inputs_of,
    node_inputs,
    node_outputs,
    opset_of,
    plain_attribute,
)
from sonnx_verify.conformance.target import Target
from sonnx_verify.language.files import Unit
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import FloatSort, Sort
from sonnx_verify.results.concrete import ConcreteTensor

_KINDS = {"bfloat16": 16, "float": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7}
_KINDS |= {"bool": 9, "float16": 10, "double": 11, "uint32": 12, "uint64": 13}
"""ONNX's numbers of the element types."""


def repro(bench: Bench, unit: Unit, target: Target, seen: Seen) -> str:
    """The line."""
    tensors = inputs_of(bench.meaning, seen.trial.assignment)
    lines = _arrays(tensors, seen.trial.presentation)
    names = [(name, None if t is None else _variable(name)) for name, t in tensors]
    attributes = [
        (v.name, plain_attribute(v.sort, value)) for v, value in attributes_of(bench.meaning, seen.trial.assignment)
    ]
    if target.kind in ("python", "evaluator"):
        called = ", ".join([*(n or "None" for _, n in names), *(f"{k}={_value(v)}" for k, v in attributes)])
        module, _, function = target.name.partition(":")
        if target.kind == "evaluator":
            return _line(["import sonnx_verify", *lines], f'sonnx_verify.load("{unit.operator}").evaluate({called})')
        return _line([f"import {module}", *lines], f"{module}.{function}({called})")
    lines += _model(bench, unit, seen)
    fed = "{" + ", ".join(f"{_text(name)}: {n}" for name, n in names if n is not None) + "}"
    if target.kind == "onnx.reference":
        begin = "from onnx.reference import ReferenceEvaluator"
        return _line([begin, *lines], f"ReferenceEvaluator(m).run(None, {fed})")
    if target.kind == "onnxruntime":
        return _line(["import onnxruntime as rt", *lines], _session(tensors, fed))
    files = [
        f'open("input_{n}.pb", "wb").write(numpy_helper.from_array({v}, {_text(name)}).SerializeToString())'
        for n, (name, v) in enumerate((name, v) for name, v in names if v is not None)
    ]
    save = 'open("model.onnx", "wb").write(m.SerializeToString())'
    script = "; ".join(["from onnx import numpy_helper", *_with_imports(lines), save, *files])
    return f"python -c {shlex.quote(script)} && {target.name} model.onnx ."


def _line(lines: list[str], call: str) -> str:
    return f"python -c {shlex.quote('; '.join([*_with_imports(lines), f'print({call})']))}"


def _with_imports(lines: list[str]) -> list[str]:
    text = "\n".join(lines)
    more = [name for name, sign in (("ml_dtypes", "ml_dtypes."), ("numpy as np", "np.")) if sign in text]
    return [*(["import " + ", ".join(reversed(more))] if more else []), *lines]


def _session(tensors: list[tuple[str, ConcreteTensor | None]], fed: str) -> str:
    begun = 'rt.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"])'
    if not any(t is not None and t.sort.name == "bfloat16" for _, t in tensors):
        return f"{begun}.run(None, {fed})"
    value = "rt.OrtValue.ortvalue_from_numpy_with_onnx_type(a.view(np.uint16), 16)"
    other = f"{value} if a.dtype == ml_dtypes.bfloat16 else rt.OrtValue.ortvalue_from_numpy(a)"
    return f"{begun}.run_with_ort_values(None, {{k: {other} for k, a in {fed}.items()}})"


def _model(bench: Bench, unit: Unit, seen: Seen) -> list[str]:
    """Statements that make the model `m`."""
    assert unit.file is not None
    assignment = seen.trial.assignment
    tensors = inputs_of(bench.meaning, assignment)
    given: list[tuple[Variable, Any]] = []
    empty: list[tuple[Variable, Any]] = []
    for variable, value in attributes_of(bench.meaning, assignment):
        plain = plain_attribute(variable.sort, value)
        (empty if plain == [] else given).append((variable, plain))
    domain = domain_of(unit)
    parts = [_text(unit.file.name), _text(node_inputs(tensors)), _text(node_outputs(bench.meaning, assignment))]
    parts += [f"domain={_text(domain)}"] if domain else []
    parts += [f"{v.name}={_value(plain)}" for v, plain in given]
    lines = ["from onnx import helper as h", f"n = h.make_node({', '.join(parts)})"]
    for variable, _ in empty:
        kind = _list_kind(variable.sort)
        lines.append(f'n.attribute.append(h.make_attribute("{variable.name}", [], attr_type={kind}))')
    infos = [
        f"h.make_tensor_value_info({_text(name)}, {_KINDS[t.sort.name]}, {list(t.shape)})"
        for name, t in tensors
        if t is not None
    ]
    outputs = [
        f"h.make_tensor_value_info({_text(v.name)}, {_KINDS[v.sort.name]}, None)"
        for v in asked_outputs(bench.meaning, assignment)
    ]
    graph = f'h.make_graph([n], "g", [{", ".join(infos)}], [{", ".join(outputs)}])'
    opset = f'[h.make_opsetid("{domain}", {opset_of(bench.models.project, unit)})]'
    return [*lines, f"m = h.make_model({graph}, ir_version={IR}, opset_imports={opset})"]


# --------------------------------------------------------------------------------------------------------------- values


def _variable(name: str) -> str:
    return f"{name}_" if name in ("m", "n", "h", "rt", "np") else name


def _arrays(tensors: list[tuple[str, ConcreteTensor | None]], shown: Presentation) -> list[str]:
    lines = []
    for name, tensor in tensors:
        if tensor is not None:
            lines += _placed(_variable(name), tensor, shown)
    return lines


def _placed(name: str, tensor: ConcreteTensor, shown: Presentation) -> list[str]:
    """Statements that make the array, lying in memory as it did."""
    text, dtype = _array(tensor, shown), _dtype(tensor.sort)
    if shown.form == "columns":
        return [f"{name} = np.asfortranarray({text})"]
    if shown.form == "backwards" and tensor.shape:
        turned = ", ".join(["::-1"] * len(tensor.shape))
        return [f"{name} = {text}[{turned}].copy()[{turned}]"]
    if shown.form == "every other" and tensor.shape:
        wide = (*tensor.shape[:-1], 2 * tensor.shape[-1])
        return [f"{name} = np.zeros({wide}, {dtype})[..., ::2]", f"{name}[...] = {text}"]
    if shown.form == PLAIN and shown.offset:
        count, size = len(tensor.elements), dtype_of(tensor.sort.name).itemsize
        start = f"-b.ctypes.data % 64 + {shown.offset * size}"
        lines = [f"b = np.zeros({count * size + shown.offset * size + 64}, np.uint8)", f"s = {start}"]
        lines.append(f"{name} = b[s:s + {count * size}].view({dtype}).reshape({tensor.shape})")
        return [*lines, f"{name}[...] = {text}"]
    return [f"{name} = {text}"]


def _array(tensor: ConcreteTensor, shown: Presentation) -> str:
    """An expression for the elements: as numbers where these give the same bits."""
    sort, dtype = tensor.sort, _dtype(tensor.sort)
    array = made(array_of(tensor), Presentation(nans=shown.nans))
    shape = "" if len(tensor.shape) == 1 else f".reshape({tensor.shape})"
    if not isinstance(sort, FloatSort):
        return f"np.array({list(tensor.elements)}, {dtype}){shape}"
    bits = array.reshape(-1).view(f"u{sort.width // 8}")
    plain = [floats.to_float(sort, int(b)) for b in bits]
    if np.array(plain, array.dtype).tobytes() == bits.tobytes():
        return f"np.array([{', '.join(map(_number, plain))}], {dtype}){shape}"
    written = ", ".join(f"0x{int(b):0{sort.width // 4}x}" for b in bits)
    return f"np.array([{written}], np.uint{sort.width}).view({dtype}){shape}"


def _number(number: float) -> str:
    if math.isnan(number):
        return "np.nan"
    if math.isinf(number):
        return "np.inf" if number > 0 else "-np.inf"
    return repr(number)


def _dtype(sort: Sort) -> str:
    return "ml_dtypes.bfloat16" if sort.name == "bfloat16" else f"np.{dtype_of(sort.name).name}"


def _list_kind(sort: Sort) -> int:
    """The number that ONNX has for an attribute that is a list: of floats, of strings, of integers."""
    if isinstance(sort, FloatSort):
        return 6
    return 8 if sort.name == "string" else 7


def _value(value: Any) -> str:
    """An attribute as Python writes it, without single quotes."""
    if isinstance(value, list):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, float):
        return f'float("{value!r}")'
    return _text(value) if isinstance(value, str) else repr(value)


def _text(value: Any) -> str:
    return json.dumps(value)
