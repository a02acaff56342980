"""One line for a shell that shows a difference, without this package where that is possible."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Collection, Sequence
from itertools import count
from typing import Any

import numpy as np

from sonnx_verify.conformance.oracles.comparison import tensor_of
from sonnx_verify.conformance.runs.bench import Bench, Observation
from sonnx_verify.conformance.targets.calls import Array, Call, Form, Presentation, TargetKind
from sonnx_verify.conformance.targets.filled_memory import FILLINGS
from sonnx_verify.conformance.targets.models import (
    IR,
    array_of,
    asked_outputs,
    attributes_of,
    domain_of,
    given_inputs,
    inputs_of,
    node_inputs,
    node_outputs,
    opset_of,
    plain_attribute,
)
from sonnx_verify.conformance.targets.presentation import made, read
from sonnx_verify.conformance.targets.runtimes import FOREIGN, OPENVINO, OPENVINO_SETTINGS, PACKED
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.language.constants import type_code
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import STRING, FloatSort, Sort
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.results.dtypes import dtype_of, dtype_text


def repro(bench: Bench, unit: Unit, target: Target, seen: Observation) -> str:
    """The line."""
    meaning, assignment = bench.meaning, seen.trial.assignment
    given = given_inputs(meaning, assignment)
    lines: list[str] = []
    is_filled = bool(seen.got.varies)
    for name, tensor in given:
        lines += _placed(_variable(name), tensor, seen.trial.presentation, is_filled=is_filled)
    if target.is_python:
        line = _of_python(bench, unit, target, seen, lines)
    else:
        lines += _model(bench, unit, seen)
        types = {t.sort.name for _, t in given} | {v.sort.name for v in asked_outputs(meaning, assignment)}
        line = _of_model(target, [name for name, _ in given], types, lines)
    return _over_fillings(target, line) if is_filled else line


def _over_fillings(target: Target, line: str) -> str:
    """The line with memory filled in two ways: what it prints differs."""
    # glibc fills no memory that it takes from the cache of a thread.
    cache = "GLIBC_TUNABLES=glibc.malloc.tcache_count=0"
    fillings = " ".join(map(str, FILLINGS))
    # A program gives its results in files.
    shown = "; cksum output_*.pb" if target.kind is TargetKind.PROGRAM else ""
    return f"export {cache}; for f in {fillings}; do export MALLOC_PERTURB_=$f; {line}{shown}; done"


def repro_of_call(meaning: Meaning, unit: Unit, target: Target, call: Call, *, is_filled: bool = False) -> str:
    """The line for a call that no input of the specification is. Its model is written as it is. It is run over two
    fillings of memory if it `is_filled`."""
    line = _of_call(meaning, unit, target, call)
    return _over_fillings(target, line) if is_filled else line


def _of_call(meaning: Meaning, unit: Unit, target: Target, call: Call) -> str:
    given = dict(call.given)
    lines = [f"{_variable(name)} = {_any_array(array)}" for name, array in given.items()]
    if target.is_python:
        arguments = ["None" if array is None else _variable(name) for name, array in call.inputs]
        arguments += [f"{name}={_any_value(value)}" for name, value in call.attributes]
        return _of_arguments(unit, target, arguments, lines)
    from google.protobuf import text_format
    from onnx import ModelProto

    text = text_format.MessageToString(ModelProto.FromString(call.model), as_one_line=True)
    # The texts in it are in double quotes; single ones are those of the shell.
    lines += ["import onnx", "from google.protobuf import text_format"]
    lines.append(f'm = text_format.Parse(r"""{text} """, onnx.ModelProto())')
    types = {array.dtype for array in given.values()} | {v.sort.name for v in meaning.outputs}
    return _of_model(target, list(given), types, lines)


def _of_model(target: Target, given: Sequence[str], types: Collection[str], lines: list[str]) -> str:
    """The line that runs the model `m`, with the arrays that are given; `types` are those of arrays and results."""
    fed = "{" + ", ".join(f"{_text(name)}: {_variable(name)}" for name in given) + "}"
    match target.kind:
        case TargetKind.REFERENCE:
            begin = "from onnx.reference import ReferenceEvaluator"
            return _line([begin, *lines], f"ReferenceEvaluator(m).run(None, {fed})")
        case TargetKind.ONNXRUNTIME:
            return _line(["import onnxruntime as rt", *lines], _session(types, fed))
        case TargetKind.OPENVINO:
            return _line(["import openvino as ov", *lines], _openvino(types, fed))
        case TargetKind.TRACT:
            run = 'tract.onnx().load("model.onnx").into_model().into_runnable().run'
            save = 'open("model.onnx", "wb").write(m.SerializeToString())'
            fed = f"[{', '.join(map(_variable, given))}]"
            return _line(["import tract", *lines, save], f"[t.to_numpy() for t in {run}({fed})]")
    files = []
    for n, name in enumerate(given):
        data = f"numpy_helper.from_array({_variable(name)}, {_text(name)}).SerializeToString()"
        files.append(f'open("input_{n}.pb", "wb").write({data})')
    save = 'open("model.onnx", "wb").write(m.SerializeToString())'
    script = "; ".join(["from onnx import numpy_helper", *_with_imports(lines), save, *files])
    return f"python -c {shlex.quote(script)} && {target.name} model.onnx ."


def _of_python(bench: Bench, unit: Unit, target: Target, seen: Observation, lines: list[str]) -> str:
    """The line that calls a function of Python."""
    meaning, assignment = bench.meaning, seen.trial.assignment
    # By position as the specification has them; what is left out keeps its place.
    arguments = ["None" if t is None else _variable(name) for name, t in inputs_of(meaning, assignment)]
    for variable, value in attributes_of(meaning, assignment):
        if isinstance(value, ConcreteTensor):
            arguments.append(f"{variable.name}={_array(value, Presentation())}")
            continue
        arguments.append(f"{variable.name}={_value(plain_attribute(variable.sort, value))}")
    return _of_arguments(unit, target, arguments, lines)


def _of_arguments(unit: Unit, target: Target, arguments: Sequence[str], lines: list[str]) -> str:
    """The line that calls a function of Python, with its arguments as they are written."""
    called = ", ".join(arguments)
    if target.kind is TargetKind.EVALUATOR:
        return _line(["import sonnx_verify", *lines], f'sonnx_verify.load("{unit.operator}").evaluate({called})')
    module, _, function = target.name.partition(":")
    if target.function is not None:
        # Where it is defined, and nowhere else.
        call = f"{function}({called})"
        return "; ".join([*_with_imports(lines, call), f"print({call})"])
    return _line([f"import {module}", *lines], f"{module}.{function}({called})")


def _line(lines: list[str], call: str) -> str:
    return f"python -c {shlex.quote('; '.join([*_with_imports(lines, call), f'print({call})']))}"


_SIGNS = (
    ("numpy as np", "np."),
    ("ml_dtypes", "ml_dtypes."),
    ("ctypes", "ctypes."),
    ("os", "os."),
    ("onnx.numpy_helper", "onnx.numpy_helper."),
)
"""The imports that a text with a sign needs."""


def _with_imports(lines: list[str], call: str = "") -> list[str]:
    text = "\n".join([*lines, call])
    more = [name for name, sign in _SIGNS if sign in text]
    if not more:
        return lines
    return [f"import {', '.join(more)}", *lines]


def _session(types: Collection[str], fed: str) -> str:
    begun = 'rt.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"])'
    foreign, packed = sorted({*types} & FOREIGN.keys()), sorted({*types} & PACKED.keys())
    if not foreign and not packed:
        return f"{begun}.run(None, {fed})"
    # numpy has none of these types: onnxruntime takes no such array by itself, and gives none.
    given, got = "rt.OrtValue.ortvalue_from_numpy(a)", "v.numpy()"
    for name in foreign:
        kind, dtype, width = FOREIGN[name], dtype_text(name), 8 * dtype_of(name).itemsize
        value = f"rt.OrtValue.ortvalue_from_numpy_with_onnx_type(np.asarray(a, order='C').view(np.uint{width}), {kind})"
        given = f"{value} if a.dtype == {dtype} else {given}"
        data = f"np.frombuffer(ctypes.string_at(v.data_ptr(), v.tensor_size_in_bytes()), {dtype}).reshape(v.shape())"
        got = f"{data} if v.element_type() == {kind} else {got}"
    for name in packed:
        data = "raw_data=ctypes.string_at(v.data_ptr(), v.tensor_size_in_bytes())"
        tensor = f"onnx.TensorProto(data_type={PACKED[name]}, dims=v.shape(), {data})"
        got = f"onnx.numpy_helper.to_array({tensor}) if v.element_type() == {PACKED[name]} else {got}"
    run = f"{begun}.run_with_ort_values(None, {{k: {given} for k, a in {fed}.items()}})"
    return f"[{got} for v in {run}]"


def _openvino(types: Collection[str], fed: str) -> str:
    begun = f'ov.Core().compile_model(ov.Core().read_model(m.SerializeToString(), b""), "CPU", {OPENVINO_SETTINGS})'
    given, got = "a", "v"
    # Of types that numpy lacks it is given the bits, and gives them.
    for name in sorted({*types} & FOREIGN.keys()):
        dtype, width = dtype_text(name), 8 * dtype_of(name).itemsize
        tensor = f"ov.Tensor(a.view(np.uint{width}), ov.Shape(a.shape), ov.Type.{OPENVINO[name]})"
        given, got = f"{tensor} if a.dtype == {dtype} else {given}", f"v.view({dtype})"
    if given == "a":
        return f"[*{begun}({fed}).values()]"
    return f"[{got} for v in {begun}({{k: {given} for k, a in {fed}.items()}}).values()]"


def _model(bench: Bench, unit: Unit, seen: Observation) -> list[str]:
    """Statements that make the model `m`."""
    assert unit.file is not None
    assignment = seen.trial.assignment
    domain = domain_of(unit)
    names = node_inputs(inputs_of(bench.meaning, assignment)), node_outputs(bench.meaning, assignment)
    parts = [_text(unit.file.name), *map(_text, names)]
    if domain:
        parts.append(f"domain={_text(domain)}")
    added: list[str] = []
    for variable, value in attributes_of(bench.meaning, assignment):
        more = ""
        if isinstance(value, ConcreteTensor):
            shown = f"numpy_helper.from_array({_array(value, Presentation())}, {_text(variable.name)})"
        else:
            plain = plain_attribute(variable.sort, value)
            shown = _value(plain)
            if plain == []:
                # `make_node` cannot tell the kind of an empty list: it is added by hand below.
                more = f", attr_type={_list_kind(variable.sort)}"
        # So is what comes behind one: of two attributes that exclude each other, the first may count.
        if more or added:
            added.append(f'n.attribute.append(h.make_attribute("{variable.name}", {shown}{more}))')
        else:
            parts.append(f"{variable.name}={shown}")
    modules = "helper as h"
    if any("numpy_helper." in part for part in (*parts, *added)):
        modules += ", numpy_helper"
    lines = [f"from onnx import {modules}", f"n = h.make_node({', '.join(parts)})", *added]
    # Sizes are left open, as in the model that was run: what is told them may refuse before anything runs.
    numbers = count()
    infos = [
        _info(name, t.sort, [f"n{next(numbers)}" for _ in t.shape])
        for name, t in given_inputs(bench.meaning, assignment)
    ]
    outputs = [_info(v.name, v.sort, None) for v in asked_outputs(bench.meaning, assignment)]
    graph = f'h.make_graph([n], "g", [{", ".join(infos)}], [{", ".join(outputs)}])'
    opset = f'[h.make_opsetid("{domain}", {opset_of(bench.models.project, unit)})]'
    return [*lines, f"m = h.make_model({graph}, ir_version={IR}, opset_imports={opset})"]


def _info(name: str, sort: Sort, sizes: list[str] | None) -> str:
    shown = "None" if sizes is None else f"[{', '.join(map(_text, sizes))}]"
    return f"h.make_tensor_value_info({_text(name)}, {type_code(sort)}, {shown})"


# --------------------------------------------------------------------------------------------------------------- values


def _variable(name: str) -> str:
    """A name for the array of an input: not one that the line uses for a module or the model."""
    if name in ("m", "n", "h", "rt", "np", "onnx", "text_format"):
        return f"{name}_"
    return name


def _placed(name: str, tensor: ConcreteTensor, shown: Presentation, *, is_filled: bool) -> list[str]:
    """Statements that make the array, lying in memory as it did; what lies around it `is_filled` as fresh memory is."""
    text, dtype = _array(tensor, shown), _dtype(tensor.sort)
    match shown.form:
        case Form.COLUMNS:
            return [f"{name} = np.asfortranarray({text})"]
        case Form.BACKWARDS if tensor.shape:
            turned = ", ".join(["::-1"] * len(tensor.shape))
            return [f"{name} = {text}[{turned}].copy()[{turned}]"]
        case Form.EVERY_OTHER if tensor.shape:
            # The gaps hold what they held in the test: code that reads them gives the same value.
            wide = (*tensor.shape[:-1], 2 * tensor.shape[-1] * dtype_of(tensor.sort.name).itemsize)
            return [f"{name} = (np.zeros({wide}, np.uint8) + 1).view({dtype})[..., ::2]", f"{name}[...] = {text}"]
        case Form.PLAIN if shown.offset or (is_filled and tensor.elements):
            count, size = len(tensor.elements), dtype_of(tensor.sort.name).itemsize
            if is_filled:
                end = 64 + count * size
                around = f'np.full({end + 64}, int(os.environ["MALLOC_PERTURB_"]), np.uint8)'
                return [f"{name} = {around}[64:{end}].view({dtype}).reshape({tensor.shape})", f"{name}[...] = {text}"]
            start = f"-b.ctypes.data % 64 + {shown.offset * size}"
            lines = [f"b = np.zeros({count * size + shown.offset * size + 64}, np.uint8)", f"s = {start}"]
            lines.append(f"{name} = b[s:s + {count * size}].view({dtype}).reshape({tensor.shape})")
            return [*lines, f"{name}[...] = {text}"]
        case _:
            return [f"{name} = {text}"]


def _array(tensor: ConcreteTensor, shown: Presentation) -> str:
    """An expression for the elements: as numbers where these give the same bits."""
    sort, dtype = tensor.sort, _dtype(tensor.sort)
    array = made(array_of(tensor), Presentation(nans=shown.nans))
    shape = f".reshape({tensor.shape})" * (len(tensor.shape) != 1)
    if not isinstance(sort, FloatSort):
        return f"np.array({list(tensor.elements)}, {dtype}){shape}"
    bits = array.reshape(-1).view(f"u{sort.width // 8}")
    plain = [floats.to_float(sort, int(b)) for b in bits]
    # A NaN that is not numpy's own has no number to be written as.
    if np.array(plain, array.dtype).tobytes() == bits.tobytes():
        return f"np.array([{', '.join(map(_number, plain))}], {dtype}){shape}"
    written = ", ".join(f"0x{int(b):0{sort.width // 4}x}" for b in bits)
    return f"np.array([{written}], np.uint{sort.width}).view({dtype}){shape}"


def _any_array(array: Array) -> str:
    """An expression for an array of whatever type."""
    tensor = tensor_of(array)
    if tensor is not None:
        return _array(tensor, Presentation())
    elements = made(array, Presentation()).reshape(-1).tolist()
    return f"np.array({elements}, {dtype_text(array.dtype)}).reshape({array.shape})"


def _any_value(value: Any) -> str:
    """An attribute of whatever kind as Python writes it."""
    if isinstance(value, np.ndarray):
        array = read(value)
        assert array is not None
        return _any_array(array)
    return _value(value)


def _number(number: float) -> str:
    if math.isfinite(number):
        return repr(number)
    names = {math.inf: "np.inf", -math.inf: "-np.inf"}
    return names.get(number, "np.nan")


def _dtype(sort: Sort) -> str:
    return dtype_text(sort.name)


def _list_kind(sort: Sort) -> int:
    """The number that ONNX has for an attribute that is a list: of floats, of strings, of integers."""
    match sort:
        case FloatSort():
            return 6
        case _ if sort == STRING:
            return 8
        case _:
            return 7


def _value(value: Any) -> str:
    """An attribute as Python writes it, without single quotes: the shell has these around the whole line."""
    match value:
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case float():
            return f'float("{value!r}")'
        case str():
            return _text(value)
        case _:
            return repr(value)


def _text(value: Any) -> str:
    return json.dumps(value)
