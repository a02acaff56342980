"""Adapters of the runtimes of ONNX models: how each is set up and run, and how its arrays are read.

docs/runtimes.md says how to add one. Each runtime uses one thread: several might add the elements of a sum in another
order each time, and the same input could give other bits.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from sonnx_verify.conformance.targets.calls import Array, TargetKind
from sonnx_verify.conformance.targets.presentation import read
from sonnx_verify.results.dtypes import onnx_name

Named = Sequence[tuple[str, Any]]
"""The arrays of a call, in the order of the model's inputs, with their names."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """A runtime: `begin` loads a model, and `run` runs what `begin` returned. Both raise an error of any kind if the
    runtime refuses the model or the input."""

    version: str
    begin: Callable[[bytes], Any]
    run: Callable[[Any, Named], Sequence[Array | None]]


# ---------------------------------------------------------------------------------------------------------- onnxruntime

FOREIGN = {"bfloat16": 16, "float8e4m3fn": 17, "float8e5m2": 19}
"""ONNX's numbers of the types of whole bytes that onnxruntime does not take from numpy by their names."""
PACKED = {"uint4": 21, "int4": 22, "uint2": 25, "int2": 26}
"""ONNX's numbers of the types with several elements in a byte; numpy has none of them."""


def onnxruntime() -> Adapter:
    """onnxruntime on the CPU, without its messages."""
    import onnxruntime as rt

    rt.set_default_logger_severity(4)
    options = rt.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # From an arena, a kernel that reads fresh memory gets bytes of an earlier call, whatever memory is filled with.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4

    def begin(model: bytes) -> Any:
        return rt.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def run(session: Any, arrays: Named) -> list[Array | None]:
        fed = {name: _value(rt, array) for name, array in arrays}
        return [array_of_value(result) for result in session.run_with_ort_values(None, fed)]

    return Adapter(str(rt.__version__), begin, run)


def _value(rt: Any, array: Any) -> Any:
    """The array as a value of onnxruntime, in row-major order; copied only if it has another one."""
    # onnxruntime takes foreign types by their address: it would read an array with strides as one without.
    array = np.asarray(array, order="C")
    kind = FOREIGN.get(onnx_name(array.dtype.name))
    if kind is not None:
        return rt.OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(f"u{array.dtype.itemsize}"), kind)
    return rt.OrtValue.ortvalue_from_numpy(array)


def array_of_value(value: Any) -> Array | None:
    """A value of onnxruntime as plain data. The bytes of types that numpy lacks are read in place."""
    if not value.is_tensor():
        return None
    foreign = {kind: name for name, kind in FOREIGN.items()}
    kind = value.element_type()
    if kind in foreign:
        return Array(foreign[kind], tuple(value.shape()), _bytes(value))
    if kind in PACKED.values():
        from onnx import TensorProto, numpy_helper

        packed = TensorProto(data_type=kind, dims=value.shape(), raw_data=_bytes(value))
        return read(numpy_helper.to_array(packed))
    return read(value.numpy())


def _bytes(value: Any) -> bytes:
    """The bytes of a value of onnxruntime, read in place."""
    size = value.tensor_size_in_bytes()
    # Without elements the address may be null, from which nothing can be read.
    if not size:
        return b""
    return ctypes.string_at(value.data_ptr(), size)


# ------------------------------------------------------------------------------------------------------------- openvino

OPENVINO = {
    "bool": "boolean",
    **{f"{sign}int{width}": f"{sign or 'i'}{width}" for sign in ("", "u") for width in (8, 16, 32, 64)},
    "bfloat16": "bf16",
    "float16": "f16",
    "float": "f32",
    "double": "f64",
    "float8e4m3fn": "f8e4m3",
    "float8e5m2": "f8e5m2",
}
"""The names that openvino has for types of whole bytes."""
OPENVINO_SETTINGS = {
    "INFERENCE_NUM_THREADS": 1,
    "INFERENCE_PRECISION_HINT": "f32",
    "EXECUTION_MODE_HINT": "ACCURACY",
}
"""Without the last two, openvino may compute floats of 32 bits in 16."""


def openvino() -> Adapter:
    """openvino on the CPU, with floats in their own type."""
    import openvino as ov

    core = ov.Core()
    names = {text: name for name, text in OPENVINO.items()}

    def begin(model: bytes) -> Any:
        return core.compile_model(core.read_model(model, b""), "CPU", OPENVINO_SETTINGS).create_infer_request()

    def tensor(array: Any) -> Any:
        name = OPENVINO[onnx_name(array.dtype.name)]
        made = ov.Tensor(getattr(ov.Type, name), ov.Shape(array.shape))
        if array.size:
            # As bytes, in place: openvino takes no arrays of types that numpy lacks.
            np.asarray(made.data).reshape(-1).view(np.uint8)[:] = np.frombuffer(array.tobytes(), np.uint8)
        return made

    def result(made: Any) -> Array | None:
        name = names.get(made.element_type.get_type_name())
        if name is None:
            raise ValueError(f"a result of the type {made.element_type.get_type_name()} cannot be read")
        return Array(name, tuple(made.shape), np.asarray(made.data).tobytes())

    def run(request: Any, arrays: Named) -> list[Array | None]:
        request.infer({name: tensor(array) for name, array in arrays})
        return [result(made) for made in request.output_tensors]

    return Adapter(str(ov.__version__).partition("-")[0], begin, run)


# ---------------------------------------------------------------------------------------------------------------- tract


TRACT = {
    "BOOL": "bool",
    **{f"{kind}{width}": f"{name}{width}" for kind, name in (("U", "uint"), ("I", "int")) for width in (8, 16, 32, 64)},
    **{f"F{width}": f"float{width}" for width in (16, 32, 64)},
}
"""The names of numpy for the types of tract."""


def tract() -> Adapter:
    """tract, through its Python package."""
    import tract as package

    def begin(model: bytes) -> Any:
        # It reads models from files only.
        number, path = tempfile.mkstemp(suffix=".onnx")
        try:
            with os.fdopen(number, "wb") as file:
                file.write(model)
            return _quietly(lambda: package.onnx().load(path).into_model().into_runnable())
        finally:
            os.unlink(path)

    def run(runnable: Any, arrays: Named) -> list[Array | None]:
        for _, array in arrays:
            # Its package knows a type by its kind and size, and would take bfloat16 for another type.
            if array.dtype.kind not in "biuf":
                raise TypeError(f"tract has no elements of the type {onnx_name(array.dtype.name)}")
        fed = [package.Tensor.from_numpy(np.asarray(array, order="C")) for _, array in arrays]
        return [read(_of_tract(made)) for made in _quietly(lambda: runnable.run(fed))]

    return Adapter(str(package.version()), begin, run)


def _quietly(call: Callable[[], Any]) -> Any:
    """The result of a call. An error loses its backtrace, which has paths of the machine that tract was built on."""
    try:
        return call()
    except Exception as problem:
        raise type(problem)(str(problem).partition("Stack backtrace")[0].strip()) from None


def _of_tract(made: Any) -> Any:
    """A tensor of tract as an array. Its package cannot read one without elements, whose address is null."""
    kind, shape, _ = made._parts()  # noqa: SLF001  # the only way to its shape
    if prod(shape):
        return made.to_numpy()
    return np.empty(shape, TRACT[kind.name])


RUNTIMES: dict[TargetKind, Callable[[], Adapter]] = {
    TargetKind.ONNXRUNTIME: onnxruntime,
    TargetKind.OPENVINO: openvino,
    TargetKind.TRACT: tract,
}
"""The function that makes the adapter of each runtime, in the process that runs it."""
