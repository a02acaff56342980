"""Tensors in files of ONNX, as a program gets them, and as models have them in attributes."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from sonnx_verify.conformance.calls import Array, Call, Presentation
from sonnx_verify.conformance.program import tensor_file
from sonnx_verify.conformance.runners import runtime
from sonnx_verify.results.dtypes import FOREIGN, dtype_of

NAMES = sorted(FOREIGN) + ["bool", "double", "float", "float16", "int8", "int16", "int32", "int64"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 1, 2)])
def test_onnx_reads_the_elements_that_were_written(name: str, shape: tuple[int, ...]) -> None:
    count = int(np.prod(shape))
    wanted = (np.arange(count) % 2).astype(dtype_of(name)).reshape(shape)
    made = TensorProto.FromString(tensor_file("x", Array(name, shape, wanted.tobytes())))
    got = numpy_helper.to_array(made)
    assert TensorProto.DataType.Name(made.data_type) == name.upper()
    assert got.shape == shape
    assert got.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("name", ["int4", "uint4"])
def test_packed_results_of_onnxruntime_are_read(name: str) -> None:
    """numpy has no such type, and onnxruntime raises an error for what it would give: that is no crash."""
    pytest.importorskip("onnxruntime")
    wanted = np.array([1, 2, 3], dtype_of(name))
    kind = TensorProto.DataType.Value(name.upper())
    node = helper.make_node("Constant", [], ["Y"], value=numpy_helper.from_array(wanted, "value"))
    graph = helper.make_graph([node], "g", [], [helper.make_tensor_value_info("Y", kind, None)])
    model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21)])
    call = Call((), (), Presentation(), model.SerializeToString())

    assert runtime("onnxruntime")[0](call).outputs == (Array(name, (3,), wanted.tobytes()),)
