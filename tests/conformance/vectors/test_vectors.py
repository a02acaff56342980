"""`vectors` writes node tests that ONNX's own library reads, and an index that says what the specification says."""

from __future__ import annotations

import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from sonnx_verify.cli import main

HERE = Path(__file__).parent
BOTH = """operator Both version 1 user

types bool = bool
types int  = int8

input  A    : tensor of T
input  B    : tensor of T
attribute turned : int default 0
output Y    : tensor of T

[C1] constraint "the inputs have one shape" : A.shape = B.shape
[C2] constraint "turned is 0 or 1"          : turned = 0 or turned = 1
[E1] error      "the shapes differ"         : when C1 fails
[E2] error      "turned is neither"         : when C2 fails

shape Y    = A.shape
value Y[i] for bool = if turned = 1 then not (A[i] and B[i]) else A[i] and B[i]
value Y[i] for int  = if turned = 1 then A[i] - B[i] else A[i] + B[i]
"""


def ask(*arguments: str, status: int = 0) -> str:
    """What a command prints; it ends with that status."""
    done = CliRunner().invoke(main, list(arguments), catch_exceptions=False)
    assert done.exit_code == status, done.output
    return done.stdout + done.stderr


def files(folder: Path) -> dict[str, bytes]:
    """The files of a folder, by their paths in it."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def tensor(path: Path) -> np.ndarray:
    return numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))


@pytest.fixture(scope="module")
def sums(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The vectors of a float sum, and their index."""
    folder = tmp_path_factory.mktemp("vectors") / "sums"
    ask("vectors", "sonnx.ReduceSum", "--types", "float", "--out", str(folder))
    return folder, json.loads((folder / "index.json").read_text("utf-8"))


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one small operator, as the current folder."""
    (tmp_path / "both.sonnx").write_text(BOTH, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_index_of_a_small_operator(small: Path) -> None:
    """An operator of one's own, two inputs and an attribute: the whole index, as it was reviewed."""
    ask("vectors", "user.Both", "--types", "bool", "--out", "out")
    index = json.loads((small / "out" / "index.json").read_text("utf-8"))
    rows = [
        f"{row['name']} | {row['verdict']} {' '.join(row['tags'])} | {'; '.join(row['exercises'])}"
        for row in index["cases"]
    ]
    made = "\n".join(rows) + "\n"
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        (HERE / "both.txt").write_text(made, "utf-8")

    assert made == (HERE / "both.txt").read_text("utf-8")
    assert (index["operator"], index["version"], index["text"]) == ("user.Both", 1, None)


def test_the_same_bytes_twice(small: Path) -> None:
    """Written anew, in place of the first ones, nothing is otherwise; with one type, the others are gone."""
    folder = small / "out"
    ask("vectors", "user.Both", "--types", "bool", "--out", "out")
    first = files(folder)
    ask("vectors", "user.Both", "--types", "int8", "--out", "out")
    second = files(folder)
    ask("vectors", "user.Both", "--types", "bool", "--out", "out")

    assert files(folder) == first != second
    assert not [name for name in second if "_bool_" in name]


def test_files_of_a_user_stay(small: Path) -> None:
    """What is in the folder beside the vectors, or was changed in them, is not written over."""
    again = "vectors", "user.Both", "--types", "bool", "--out", "out"
    ask(*again)
    (small / "out" / "notes.txt").write_text("mine", "utf-8")

    assert "notes.txt is not part of the export" in ask(*again, status=2)
    (small / "out" / "notes.txt").unlink()
    some = next((small / "out").rglob("input_0.pb"))
    some.write_bytes(b"changed")
    assert "was modified after the export" in ask(*again, status=2)
    assert some.read_bytes() == b"changed"


def test_models_are_what_onnx_reads(sums: tuple[Path, dict[str, Any]]) -> None:
    """Each passes ONNX's checker; inputs and outputs are there as the model says; what is rejected has no output."""
    folder, index = sums
    for row in index["cases"]:
        place = folder / row["folder"] / row["name"]
        assert place.is_dir() is row["held"]
        if not row["held"]:
            assert row["verdict"] == "rejected"
            assert {"R1", "R2"} & {*row["tags"]}
            continue
        model = onnx.load(place / "model.onnx")
        onnx.checker.check_model(model)
        data = place / "test_data_set_0"
        assert len(list(data.glob("input_*.pb"))) == len(model.graph.input)
        assert len(list(data.glob("output_*.pb"))) == (1 if row["verdict"] == "result" else 0)
        assert bool(row["tags"]) is (row["verdict"] == "rejected")


def test_every_listed_file_is_there(sums: tuple[Path, dict[str, Any]]) -> None:
    folder, index = sums
    assert {row["file"] for row in index["files"]} | {"index.json"} == set(files(folder))


def test_outputs_are_what_the_specification_gives(sums: tuple[Path, dict[str, Any]]) -> None:
    """Of sums without rounding: numpy's own. Of the others: the representative, and the ends, lie in the bound around
    the exact sum, and numpy's own sum lies between the ends."""
    folder, index = sums
    seen = 0
    for row in index["cases"]:
        if row["verdict"] != "result":
            continue
        data = folder / row["folder"] / row["name"] / "test_data_set_0"
        model = onnx.load(folder / row["folder"] / row["name"] / "model.onnx")
        given = {i.name: tensor(data / f"input_{n}.pb") for n, i in enumerate(model.graph.input)}
        with np.errstate(all="ignore"):
            results = ReferenceEvaluator(model).run(None, given)
        assert isinstance(results, list)
        own = results[0]
        made = tensor(data / "output_0.pb")
        assert made.shape == own.shape
        assert made.dtype == own.dtype
        several = {tuple(s["index"]): s for s in row["outputs"]["reduced"]["several"]}
        for place in np.ndindex(made.shape):
            told = several.get(place)
            if told is None:
                assert made[place] == own[place]
            elif told.get("any") == "NaN":
                assert np.isnan(own[place])
                assert np.isnan(made[place])
            elif "lowest" in told:
                seen += 1
                ends = [np.array(int(b, 16), np.uint32).view(np.float32) for b in told["bits"]]
                assert ends[0] <= own[place] <= ends[1]
                assert ends[0] <= made[place] <= ends[1]
                off = [abs(Fraction(float(e)) - Fraction(float(made[place]))) for e in ends]
                assert max(off) == Fraction(told["bound"])
                if made.size == 1:
                    assert_ends(given["data"], ends)
    assert seen > 40


def assert_ends(data: np.ndarray, ends: list[np.ndarray]) -> None:
    """The ends of what the sum of all elements may be are the last floats within (n - 1) u F of the exact sum, where F
    is the sum of sizes: those beyond them are not."""
    exact = [Fraction(float(x)) for x in data.reshape(-1)]
    bound = (len(exact) - 1) * Fraction(1, 1 << 24) * sum(map(abs, exact))
    for end, beyond in zip(ends, (-np.inf, np.inf), strict=True):
        assert abs(Fraction(float(end)) - sum(exact)) <= bound
        further = np.nextafter(end, np.float32(beyond))
        assert abs(Fraction(float(further)) - sum(exact)) > bound or float(further) == float(end)


def test_what_a_standard_leaves_open_has_no_output(tmp_path: Path) -> None:
    """The index says by which item; where it is the value alone, at which indices. A file beside the model says it,
    too."""
    ask("vectors", "onnx.ReduceSum-13", "--types", "int32", "--out", str(tmp_path / "out"))
    rows = json.loads((tmp_path / "out" / "index.json").read_text("utf-8"))["cases"]
    left = [row for row in rows if row["verdict"] == "unspecified"]

    assert {tag for row in left for tag in row["tags"]} == {"U_TWICE", "U_KEEPDIMS", "U_RANK", "U_NOOP"}
    assert not any(row["outputs"] for row in left)
    places = [row["outputs"]["reduced"]["unspecified"] for row in rows if row["verdict"] == "result"]
    assert [] in places
    assert [[0]] in places
    for row in rows:
        place = tmp_path / "out" / row["folder"] / row["name"]
        match row["folder"]:
            case "unspecified":
                told = json.loads((place / "unspecified.json").read_text("utf-8"))
                assert [item["tag"] for item in told["items"]] == row["tags"]
                assert all(item["sentence"] for item in told["items"])
                assert not list(place.rglob("output_*.pb"))
            case "open":
                assert json.loads((place / "open.json").read_text("utf-8")) == {"outputs": row["outputs"]}
                assert row["outputs"]["reduced"]["unspecified"]
                assert len(list(place.rglob("output_*.pb"))) == 1
    assert {row["folder"] for row in rows} == {"exact", "open", "unspecified", "refused"}


def test_an_output_without_a_shape_has_nothing_to_compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it is open, also where an item leaves its value open; code is not compared with it."""
    text = (
        "operator Foo version 1 standard\ntypes int = int8\ninput X : tensor of T\noutput Y : tensor of T\n"
        'value Y[i] = T(0)\n[U1] unspecified value Y[i] "open" when rank(X) = 0\n'
    )
    (tmp_path / "foo.sonnx").write_text(text, "utf-8")
    (tmp_path / "own_code.py").write_text("def same(x):\n    return x\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    made = CliRunner().invoke(main, ["vectors", "user.Foo", "--out", "made"])
    assert (made.exit_code, "that the text leaves open" in made.output) == (0, True), made.output

    compared = CliRunner().invoke(main, ["conform", "user.Foo", "--against", "python:own_code:same"])
    assert "unsupported: int8: no clauses give the shape and the value of `Y`" in compared.output
