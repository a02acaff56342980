"""`coverage` says what a suite exercises; what is broken in it is told, not raised."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import helper, numpy_helper
from onnx.backend.test.loader import load_model_tests

from sonnx_verify.cli import main

SUITE = Path(__file__).parent / "suite"
OPERATORS = {"Max", "Min", "ReduceMax", "ReduceMin", "ReduceSum"}


def ask(*arguments: str, status: int = 0) -> Any:
    """The JSON that `coverage` prints; it ends with that status."""
    done = CliRunner().invoke(main, ["coverage", *arguments, "--format", "json"], catch_exceptions=False)
    assert done.exit_code == status, done.output
    return json.loads(done.stdout)


def missed(answer: Any) -> list[str]:
    """The points that no test meets, of the one operator of an answer."""
    (one,) = answer["operators"]
    kinds = [one["clauses"], one["branches"], one["open"], *one["special"].values()]
    return [name for kind in kinds for name in kind["missed"]]


@pytest.fixture(scope="module")
def onnx_tests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ONNX's node tests of five operators, written to a folder."""
    folder = tmp_path_factory.mktemp("onnx")
    for case in load_model_tests(kind="node"):
        assert case.model is not None
        assert case.data_sets is not None
        if not {node.op_type for node in case.model.graph.node} <= OPERATORS:
            continue
        place = folder / case.name
        for number, sets in enumerate(case.data_sets):
            data = place / f"test_data_set_{number}"
            data.mkdir(parents=True)
            for kind, arrays in zip(("input", "output"), sets, strict=True):
                for n, array in enumerate(arrays):
                    (data / f"{kind}_{n}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
        (place / "model.onnx").write_bytes(case.model.SerializeToString())
    return folder


@pytest.mark.soak  # ONNX makes all 1884 of its tests to give 61
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_onnx_s_own_node_tests(onnx_tests: Path) -> None:
    """All 61 are read. They hold no NaN and no clause that fails; the profile excludes what omits an attribute."""
    answer = ask(str(onnx_tests))
    by_name = {one["operator"]: one for one in answer["operators"]}

    assert answer["suite"] == {"tests": 61, "others": {}, "broken": []}
    assert {name: one["tests"] for name, one in by_name.items()} == {
        "sonnx.Max-13": 14,
        "sonnx.Min-13": 14,
        "sonnx.ReduceMax-20": 11,
        "sonnx.ReduceMin-20": 10,
        "sonnx.ReduceSum-13": 12,
    }
    assert not any(one["unread"] for one in by_name.values())
    assert by_name["sonnx.ReduceMax-20"]["excluded"] == {"R3": 11}
    assert {"C1 fails", "C1 fails alone"} <= {*by_name["sonnx.Max-13"]["clauses"]["missed"]}
    assert "NaN in X" in by_name["sonnx.Max-13"]["special"]["float"]["missed"]
    assert by_name["sonnx.Max-13"]["types_without"] == ["bfloat16"]


def test_the_rest_makes_it_whole(tmp_path: Path) -> None:
    """The suite misses much; with the vectors for the rest it misses nothing."""
    made = ask(str(SUITE), "onnx.Max-6", "--out", str(tmp_path / "all" / "rest"))
    shutil.copytree(SUITE, tmp_path / "all" / "suite")
    whole = ask(str(tmp_path / "all"), "onnx.Max-6")

    assert missed(made)
    assert missed(whole) == []
    assert whole["operators"][0]["types_without"] == []
    assert made["written"]["cases"] < 60


def test_vectors_cover_their_operator(tmp_path: Path) -> None:
    """What `vectors` writes exercises all of a profile that a file can say."""
    CliRunner().invoke(main, ["vectors", "sonnx.ReduceMax", "--types", "bool", "--out", str(tmp_path / "out")])
    answer = ask(str(tmp_path / "out"))

    assert missed(answer) == []
    assert answer["operators"][0]["outside"] == ["R1", "R2"]


@pytest.mark.parametrize(
    ("name", "bytes_", "why"),
    [
        ("model.onnx", b"no model", "is not a model"),
        ("model.onnx", b"", "0 nodes"),
        ("test_data_set_0/input_0.pb", b"no tensor", "is not a tensor"),
        ("test_data_set_0/input_1.pb", None, "cannot be read"),
        ("test_data_set_0", None, "test_data_set_0 is missing"),
    ],
)
def test_a_broken_test_is_told(name: str, bytes_: bytes | None, why: str, tmp_path: Path) -> None:
    """With its name and what is wrong; the others count."""
    shutil.copytree(SUITE, tmp_path / "suite")
    path = tmp_path / "suite" / "test_max_special" / name
    if bytes_ is not None:
        path.write_bytes(bytes_)
    elif path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    answer = ask(str(tmp_path / "suite"), "sonnx.Max", status=1)

    (broken,) = answer["suite"]["broken"]
    assert broken["test"] == "test_max_special"
    assert why in broken["why"]
    assert answer["operators"][0]["tests"] == 1


def test_what_is_no_input_of_the_text_is_told(tmp_path: Path) -> None:
    """A type, an attribute or an input that the specification does not have."""
    shutil.copytree(SUITE, tmp_path / "suite")
    path = tmp_path / "suite" / "test_reduce_max_keepdims" / "model.onnx"
    model = onnx.load(path)
    model.graph.node[0].attribute.append(helper.make_attribute("axis", 1))
    path.write_bytes(model.SerializeToString())
    answer = ask(str(tmp_path / "suite"), "sonnx.ReduceMax", status=1)
    other = ask(str(SUITE), "onnx.ReduceMax-1", status=1)

    assert answer["operators"][0]["unread"][0]["why"] == "sonnx.ReduceMax-20 has no attribute axis"
    assert "inputs more" in other["operators"][0]["unread"][0]["why"]


def test_large_and_odd_tests_are_told(tmp_path: Path) -> None:
    """An attribute of another kind, and a list of more axes than anyone has, are no input; a large tensor is one."""
    shutil.copytree(SUITE / "test_reduce_max_keepdims", tmp_path / "large")
    shutil.copytree(SUITE / "test_reduce_max_keepdims", tmp_path / "odd")
    shutil.copytree(SUITE / "test_reduce_max_keepdims", tmp_path / "axes")
    put(tmp_path / "large", 0, np.ones((50, 50), np.int32))
    put(tmp_path / "axes", 1, np.zeros(5000, np.int64))
    path = tmp_path / "odd" / "model.onnx"
    model = onnx.load(path)
    model.graph.node[0].attribute[0].CopyFrom(helper.make_attribute("keepdims", "yes"))
    path.write_bytes(model.SerializeToString())
    (one,) = ask(str(tmp_path), "sonnx.ReduceMax", status=1)["operators"]

    assert (one["tests"], one["large"]) == (1, 1)
    told = {row["test"]: row["why"] for row in one["unread"]}
    assert "a different kind" in told["odd"]
    assert "more than 400" in told["axes"]


def put(folder: Path, number: int, array: np.ndarray) -> None:
    """Make an array an input of a test."""
    place = folder / "test_data_set_0" / f"input_{number}.pb"
    place.write_bytes(numpy_helper.from_array(array).SerializeToString())
