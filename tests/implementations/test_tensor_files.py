"""Tensors in files of ONNX, as a program gets them, and as models have them in attributes."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from sonnx_verify.conformance.targets.calls import Array, Call, Presentation
from sonnx_verify.conformance.targets.program import read_tensor, tensor_file
from sonnx_verify.conformance.targets.runners import runtime
from sonnx_verify.conformance.targets.runtimes import onnxruntime
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


@pytest.mark.parametrize(("name", "number"), [("int8", 128), ("uint8", 256), ("bool", 2), ("float16", 1 << 16)])
def test_a_number_beyond_the_type_is_no_element(name: str, number: int) -> None:
    """onnx reads its lowest bits, so that 257 passed for the int8 1."""
    made = TensorProto(dims=[1], data_type=TensorProto.DataType.Value(name.upper()), int32_data=[number])
    with pytest.raises(ValueError, match=f"no {name}"):
        read_tensor(made.SerializeToString())
    made.int32_data[0] = number - 1
    assert read_tensor(made.SerializeToString()).shape == (1,)


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

    assert runtime(onnxruntime())(call).outputs == (Array(name, (3,), wanted.tobytes()),)
