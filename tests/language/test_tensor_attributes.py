"""Attributes that are tensors, texts and lists of texts: in proofs, on arrays, and in models."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

import sonnx_verify
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.cli import main
from sonnx_verify.errors import ClauseViolated, SpecificationError, UsageError
from sonnx_verify.language.project import Project
from sonnx_verify.results.dtypes import dtype_of
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.record import Record

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CONSTANT, FILLED = HERE / "constant.sonnx", HERE / "constant_of_shape.sonnx"
Records = Callable[[Path, Callable[[str], bool]], list[Record]]


def loaded(path: Path) -> Operator:
    """The operator of a text, on arrays."""
    project = Project.of_files(ROOT, [path])
    return Operator(project, project.units[0])


@pytest.mark.parametrize("path", [CONSTANT, FILLED])
def test_texts_with_tensors_as_attributes_are_proved(path: Path, records: Records) -> None:
    """Reads of a tensor that may be left out are known to be inside where it is given."""
    found = {r.id: r.verdict.name for r in records(path, lambda i: True)}

    assert {i: v for i, v in found.items() if v not in ("proved", "holds")} == {}


def test_a_read_of_what_is_left_out_is_a_finding(edited: Callable[[str, str, str], Path], records: Records) -> None:
    """The wrong twins: the tensor is read though nothing says that it is given, and beyond its end."""
    path = edited("constant_of_shape", "if given(value) then value[[0]] else T(0)", "value[[0]]")
    found = {r.id: r.verdict.name for r in records(path, lambda i: "float/output.value/in-bounds" in i)}
    assert found == {"user.ConstantOfShape-9.float/output.value/in-bounds": "refuted"}

    path = edited("constant", "output[i] for whole = value[i]", "output[i] for whole = value[[0]]")
    found = {r.id: r.verdict.name for r in records(path, lambda i: "whole/output.value/in-bounds" in i)}
    assert found == {"user.Constant-13.whole/output.value/in-bounds": "refuted"}


def test_laws_set_a_tensor(monkeypatch: pytest.MonkeyPatch) -> None:
    """An application sets it to a tensor of the theorem; not written, it is any tensor, or none."""
    monkeypatch.chdir(HERE)
    found = {r.id: str(r.verdict) for r in sonnx_verify.check("constant_laws.sonnx", cached=False) if "theorem" in r.id}
    short = {i.removeprefix("user.constant_laws.").removesuffix("/theorem"): v for i, v in found.items()}

    assert {i: v for i, v in short.items() if i.endswith("filled")} == {
        f"{line}/filled": "proved" for line in ("float", "int")
    }
    assert {v for i, v in short.items() if not i.endswith("filled")} == {"refuted"}


def test_arrays_are_what_onnx_says() -> None:
    """Of random tensors; what is given decides the type of the result."""
    reference: Any = pytest.importorskip("onnx.reference")
    onnx: Any = pytest.importorskip("onnx")
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    constant, filled, chance = loaded(CONSTANT), loaded(FILLED), np.random.default_rng(31)

    def wanted(name: str, inputs: dict[str, Any], **attributes: Any) -> Any:
        tensors = {
            key: numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value
            for key, value in attributes.items()
        }
        node = helper.make_node(name, list(inputs), ["Y"], **tensors)
        ends = [helper.make_tensor_value_info(end, 7, None) for end in (*inputs, "Y")]
        model = helper.make_model(helper.make_graph([node], "one", ends[:-1], ends[-1:]))
        return reference.ReferenceEvaluator(model).run(None, inputs)[0]

    for name in ("int8", "int64", "float16", "float", "double", "bool"):
        one = chance.integers(-3, 4, 1).astype(dtype_of(name))
        sizes = chance.integers(0, 4, chance.integers(0, 4)).astype(np.int64)
        made = filled.evaluate(sizes, value=one)
        assert made.dtype == one.dtype
        assert np.array_equal(made, wanted("ConstantOfShape", {"input": sizes}, value=one))
        many = chance.integers(-3, 4, (2, chance.integers(0, 3))).astype(dtype_of(name))
        made = constant.evaluate(value=many)
        assert made.dtype == many.dtype
        assert np.array_equal(made, wanted("Constant", {}, value=many))
    for attributes in ({"value_int": 5}, {"value_ints": [3, -4]}):
        made = constant.evaluate(**attributes)
        assert made.dtype == np.int64
        assert np.array_equal(made, wanted("Constant", {}, **attributes))
    made = filled.evaluate(np.array([2, 3]))
    assert made.dtype == np.float32
    assert np.array_equal(made, wanted("ConstantOfShape", {"input": np.array([2, 3])}))


def test_what_is_no_such_tensor_is_refused() -> None:
    """Of a type that is not listed, of two elements, no array, or beside another one."""
    constant, filled, sizes = loaded(CONSTANT), loaded(FILLED), np.array([2])
    with pytest.raises(UsageError, match="does not support uint16"):
        filled.evaluate(sizes, value=np.zeros(1, np.uint16))
    with pytest.raises(ClauseViolated, match="E3"):
        filled.evaluate(sizes, value=np.zeros(2, np.int8))
    with pytest.raises(UsageError, match="a float has no element type"):
        filled.evaluate(sizes, value=0.5)
    with pytest.raises(ClauseViolated, match="E1"):
        constant.evaluate(value=np.zeros(1, np.int64), value_int=1)


def test_the_command_line_takes_a_tensor(monkeypatch: pytest.MonkeyPatch) -> None:
    """As an input is written."""
    monkeypatch.chdir(HERE)
    done = CliRunner().invoke(main, ["eval", "user.Constant-13", "--attr", "value=float16:[0.5, nan]"])

    assert done.output == "output = float16 (2) [0.5, nan]\n"


def test_vectors_hold_tensors_that_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A node test has the tensor in its node, and `coverage` reads it."""
    onnx: Any = pytest.importorskip("onnx")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.sonnx").write_text(FILLED.read_text("utf-8"), "utf-8")
    done = CliRunner().invoke(main, ["vectors", "user.ConstantOfShape-9", "--types", "int8", "--out", "out"])
    assert done.exit_code == 0, done.output
    nodes = [onnx.load(path).graph.node[0] for path in (tmp_path / "out").rglob("model.onnx")]
    held = [a.t for node in nodes for a in node.attribute if a.name == "value"]

    assert {tensor.data_type for tensor in held} == {onnx.TensorProto.INT8}
    done = CliRunner().invoke(main, ["coverage", "user.ConstantOfShape-9", "out", "--format", "json"])
    assert "cannot be read" not in done.output
    assert "different kind" not in done.output


def test_a_divergence_shows_the_tensor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its type and its elements, in text and in JSON."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.sonnx").write_text(FILLED.read_text("utf-8"), "utf-8")
    code = "import numpy as np\ndef zeros(sizes, value):\n    return np.zeros(tuple(sizes), value.dtype)\n"
    (tmp_path / "filling.py").write_text(code, "utf-8")
    options = ("--types", "int8", "--short", "--test-only", "--random", "0")
    command = ["conform", "user.ConstantOfShape-9", "--against", "python:filling:zeros", *options]
    text = CliRunner().invoke(main, command, catch_exceptions=False).output
    answer = json.loads(CliRunner().invoke(main, [*command, "--format", "json"], catch_exceptions=False).stdout)
    found = [one for one in answer["divergences"] if one["kind"] == "value"]

    jsonschema.validate(answer, json.loads((ROOT / "sonnx_verify/outputs/conform.schema.json").read_text("utf-8")))
    assert [one["attributes"] for one in found] == [{"value": {"dtype": "int8", "shape": [1], "data": [1]}}]
    assert re.search(r"^    value +=? *= int8 \(1\) \[1\]$", text, re.MULTILINE)


def test_what_is_left_out_says_the_type(edited: Callable[[str, str, str], Path]) -> None:
    """Without the tensor its type is the default, which has to be listed."""
    filled = loaded(edited("constant_of_shape", "float16 float double", "float16 double"))

    assert filled.evaluate(np.array([1]), value=np.zeros(1)).dtype == np.float64
    with pytest.raises(UsageError, match=r"gives no elements of type left out \(float\)"):
        filled.evaluate(np.array([1]))


TEXTS = """\
operator Named version 1 user

types int = int8

input              X     : tensor of T
attribute          mode  : string default "linear" where mode = "linear" or mode = "cubic"
attribute          names : strings default ["a", "b"]
optional attribute more  : list of string
output             Y     : tensor of T

[C1] constraint "names"     : count(names) > 0 and (given(more) => count(more) = 1)
[E1] error      "no names" : when C1 fails

shape Y    = X.shape
value Y[i] = if mode = "cubic" and names[0] = "a" then X[i] else if given(more) and more[0] = "x" then T(2) else T(0)
"""


def test_texts_and_lists_of_them(tmp_path: Path, records: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are compared, have defaults, and are given to arrays, on the command line and in models."""
    path = tmp_path / "named.sonnx"
    path.write_text(TEXTS, "utf-8")
    found = {r.id: r.verdict.name for r in records(path, lambda _: True)}
    assert {i: v for i, v in found.items() if v not in ("proved", "holds")} == {}

    named = loaded(path)
    x = np.array([5], np.int8)
    assert named.evaluate(x).tolist() == [0]
    assert named.evaluate(x, mode="cubic").tolist() == [5]
    assert named.evaluate(x, mode="cubic", names=["b"]).tolist() == [0]
    assert named.evaluate(x, names=[b"b"], more=["x"]).tolist() == [2]
    with pytest.raises(UsageError, match="1 is not a text"):
        named.evaluate(x, names=[1])
    monkeypatch.chdir(tmp_path)
    ask = ["eval", "user.Named-1", "--input", "X=int8:[5]", "--attr"]
    assert CliRunner().invoke(main, [*ask, 'more=["x"]']).output == "Y = int8 (1) [2]\n"
    assert "is not a list of texts" in CliRunner().invoke(main, [*ask, "more=[1]"]).output


def test_a_model_holds_lists_of_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the kind STRINGS, also where they are empty."""
    onnx: Any = pytest.importorskip("onnx")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "named.sonnx").write_text(TEXTS, "utf-8")
    done = CliRunner().invoke(main, ["vectors", "user.Named-1", "--out", "out"])
    assert done.exit_code == 0, done.output
    nodes = [onnx.load(path).graph.node[0] for path in (tmp_path / "out").rglob("model.onnx")]
    kinds = {(a.name, a.type) for node in nodes for a in node.attribute}

    assert kinds == {
        ("mode", onnx.AttributeProto.STRING),
        *((n, onnx.AttributeProto.STRINGS) for n in ("names", "more")),
    }


@pytest.mark.parametrize(
    ("declaration", "message", "cure"),
    [
        ("attribute v : tensor of T default 1", "`v` is a tensor, whose default is a type", "default float"),
        ("attribute v : tensor of T default W", "the default of `v` is not a type", "default T"),
        ("attribute v[0 .. 1] : tensor of T", "`v` is a family, which no attribute is", "declare one tensor"),
        ("attribute v : sparse_tensor", "an attribute cannot be a sparse_tensor", "strings, type U, tensor of T"),
        ("attribute v : graph", "an attribute cannot be a graph", "use one of int, ints"),
        ("attribute v : type_proto", "an attribute cannot be a type_proto", "use one of int, ints"),
        ("attribute v : list of tensor of T", "an attribute cannot be a list of tensor of T", "use one of int"),
        ("attribute v : tensor of W", "unknown element type `W`", "use one of T"),
        ("attribute v : strings default [1]", "the default of `v` is not a literal of type string", "quotes"),
    ],
)
def test_other_kinds_are_refused(declaration: str, message: str, cure: str, tmp_path: Path) -> None:
    """The message says which kinds there are."""
    text = TEXTS.replace(
        "optional attribute more  : list of string", f"optional attribute more : list of string\n{declaration}"
    )
    (tmp_path / "text.sonnx").write_text(text, "utf-8")
    with pytest.raises(SpecificationError) as caught:
        collect(Project.of_files(ROOT, [tmp_path / "text.sonnx"]))

    assert caught.value.message == message
    assert cure in caught.value.cure


def test_a_shape_without_elements_is_written_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """With more rows than anybody could write, each of them empty."""
    monkeypatch.chdir(HERE)
    for sizes, said in ((f"{2**63 - 1},0", f"({2**63 - 1}, 0) []"), ("2,0", "(2, 0) [[], []]")):
        made = CliRunner().invoke(main, ["eval", "user.ConstantOfShape-9", "--input", f"input=int64:[{sizes}]"])
        assert made.stdout == f"output = float {said}\n"


CODE = """\
import jsonschema
import numpy as np


def filled(input, value=None):
    if value is not None and (value.shape != (1,) or value[0] == 1):
        raise ValueError
    return np.full(tuple(input), 0.0 if value is None else value[0], np.float32 if value is None else value.dtype)
"""


def test_a_tensor_of_an_attribute_is_made_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the tensor was that code refuses, it is shown with one that is as simple, and once for all types."""
    (tmp_path / "filled.py").write_text(CODE, "utf-8")
    (tmp_path / FILLED.name).write_text(FILLED.read_text("utf-8"), "utf-8")
    monkeypatch.chdir(tmp_path)
    only = ["--types", "int8,int64", "--short", "--random", "40", "--test-only", "--format", "json"]
    done = CliRunner().invoke(main, ["conform", "user.ConstantOfShape-9", "--against", "python:filled:filled", *only])

    (found,) = json.loads(done.stdout)["divergences"]
    assert (found["kind"], found["types"]) == ("refuses", ["int8", "int64"]), done.output
    assert found["attributes"]["value"]["data"] == [1]
    assert found["inputs"]["input"]["shape"] == [0]
