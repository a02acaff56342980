"""Vectors in ONNX's own runner: its loader, its comparison and its tolerances, with this package as a backend, with
ONNX's reference evaluator and with onnxruntime."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.backend.test.runner as stock
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

import sonnx_verify.backend
from sonnx_verify.cli import main
from sonnx_verify.conformance.vectors.tolerance import lowest_line

Ran = Callable[[Any, Path, str], tuple[int, list[str]]]
COMPARED = ("exact", "tolerance", "open")


class Reference:
    """ONNX's reference evaluator as a backend, as far as the runner asks for one."""

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device == "CPU"

    @classmethod
    def prepare(cls, model: Any, device: str, **kwargs: Any) -> Any:
        return _Prepared(model, ReferenceEvaluator(model).run)


class Runtime(Reference):
    """onnxruntime likewise."""

    @classmethod
    def prepare(cls, model: Any, device: str, **kwargs: Any) -> Any:
        rt: Any = pytest.importorskip("onnxruntime")
        rt.set_default_logger_severity(4)
        return _Prepared(model, rt.InferenceSession(model.SerializeToString()).run)


class _Prepared:
    def __init__(self, model: Any, run: Callable[..., Any]) -> None:
        self.names, self.answer = [i.name for i in model.graph.input], run

    def run(self, inputs: list[Any]) -> Any:
        with np.errstate(all="ignore"):
            return self.answer(None, dict(zip(self.names, inputs, strict=True)))


def write(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, ["vectors", *arguments], catch_exceptions=False)
    assert done.exit_code == status, done.output
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def sums(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The vectors of a float16 sum: of all types the one whose arithmetic the runner's comparison uses, too."""
    folder = tmp_path_factory.mktemp("stock") / "sums"
    write("sonnx.ReduceSum", "--types", "float16", "--out", str(folder))
    return folder


def rows(folder: Path, kind: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The rows of a kind in the index, with the folders of their files."""
    for row in json.loads((folder / "index.json").read_text("utf-8"))["cases"]:
        if row["folder"] == kind and row["held"]:
            yield folder / kind / row["name"], row


def tensor(path: Path) -> Any:
    return numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))


def ends_of(place: Path, row: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The output of a test, and the arrays of the lowest and of the greatest elements of its sets."""
    made = tensor(place / "test_data_set_0" / "output_0.pb")
    ends = [made.copy(), made.copy()]
    for one in row["outputs"]["reduced"]["several"]:
        for end, bits in zip(ends, one.get("bits", ()), strict=False):
            end[tuple(one["index"])] = np.array(int(bits, 16), np.uint16).view(np.float16)
    return made, ends


def accepts(expected: Any, found: Any, numbers: dict[str, float]) -> bool:
    try:
        with np.errstate(all="ignore"):
            stock.Runner.assert_similar_outputs([expected], [found], numbers["rtol"], numbers["atol"])
    except AssertionError:
        return False
    return True


def numbers_of(place: Path) -> dict[str, float]:
    made: dict[str, float] = json.loads((place / "data.json").read_text("utf-8"))
    return made


@pytest.mark.parametrize(
    "backend", [sonnx_verify.backend, sonnx_verify.backend.ProfileBackend, Reference, Runtime], ids=lambda b: b.__name__
)
def test_every_correct_runtime_passes(sums: Path, backend: Any, in_onnx: Ran) -> None:
    """Sums of floats by four implementations: 28 of these failed all of them while 0 stood for any result."""
    if backend is Runtime:
        pytest.importorskip("onnxruntime")
    for kind in COMPARED:
        count, failed = in_onnx(backend, sums, kind)
        assert not failed
        assert count == len(os.listdir(sums / kind)) > 20


@pytest.mark.parametrize("kinds", [COMPARED[:2], COMPARED[:1]], ids="-".join)
def test_the_page_shows_how(
    kinds: Sequence[str],
    sums: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The code of docs/vectors.md, in a folder that has the vectors; not each folder has each kind."""
    (tmp_path / "vectors").mkdir()
    for kind in (*kinds, "index.json"):
        (tmp_path / "vectors" / kind).symlink_to(sums / kind)
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).resolve().parents[3] / "docs" / "vectors.md").read_text("utf-8")
    (code,) = re.findall(r"^```python stock\.py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    made: dict[str, Any] = {}
    exec(code, made)

    count = sum(len(os.listdir(sums / kind)) for kind in kinds)
    assert made["passed"] == count > 0
    assert capsys.readouterr().out == f"{count} tests passed\n"


def test_the_runner_sees_a_wrong_element(sums: Path, in_onnx: Ran) -> None:
    """A result that is off by a step fails each exact test, which the runner's own tolerances would let pass."""

    class Step(Reference):
        @classmethod
        def prepare(cls, model: Any, device: str, **kwargs: Any) -> Any:
            right = sonnx_verify.backend.prepare(model)
            # From 0 the step is beyond the finest of the type only where the tolerance is 0.
            return _Prepared(model, lambda _, fed: [np.nextafter(made, np.float16(9)) for made in right.run(fed)])

    numbered = [place for place, _ in rows(sums, "exact") if np.isfinite(ends_of(place, _)[0]).any()]
    count, failed = in_onnx(Step, sums, "exact")

    assert count > len(failed) >= len(numbered) > 100
    assert all(numbers_of(place) == {"rtol": 0.0, "atol": 0.0} for place, _ in rows(sums, "exact"))


def test_tolerances_admit_each_set_and_no_more(sums: Path) -> None:
    """The runner takes both ends of every set; with tolerances that are smaller by a hundredth it takes some end no
    more."""
    seen = 0
    for place, row in rows(sums, "tolerance"):
        made, ends = ends_of(place, row)
        numbers = numbers_of(place)
        smaller = {name: number * 0.99 for name, number in numbers.items()}
        assert numbers == row["tolerance"]
        assert all(accepts(made, end, numbers) for end in ends)
        assert not all(accepts(made, end, smaller) for end in ends)
        seen += 1
    assert seen > 30


def test_what_is_written_is_the_exact_sum_rounded(sums: Path) -> None:
    """Wherever all elements are finite: also where any element conforms, since some order of additions overflows."""
    seen = 0
    for kind in COMPARED:
        for place, _ in rows(sums, kind):
            data = tensor(place / "test_data_set_0" / "input_0.pb")
            made = tensor(place / "test_data_set_0" / "output_0.pb")
            if made.size != 1 or not data.size or not np.isfinite(data).all():
                continue
            exact = sum((Fraction(float(x)) for x in data.reshape(-1)), Fraction(0))
            seen += 1
            # 65520 is where rounding to float16 gives an infinity.
            if abs(exact) >= 65520:
                assert np.isinf(made).all()
                assert float(made.reshape(())) * exact > 0
                continue
            (found,) = made.reshape(-1)
            off = abs(Fraction(float(found)) - exact)
            with np.errstate(over="ignore"):
                beside = [np.nextafter(found, np.float16(end)) for end in (np.inf, -np.inf)]
            assert all(off <= abs(Fraction(float(b)) - exact) for b in beside if np.isfinite(b))
    assert seen > 100


def test_refused_inputs_say_why(sums: Path) -> None:
    """Each has a model and inputs, no output, and the clauses with their sentences; the runtime that obeys refuses."""
    count = 0
    for place, row in rows(sums, "refused"):
        told = json.loads((place / "refused.json").read_text("utf-8"))
        assert told["declared"]
        assert [clause["tag"] for clause in told["clauses"]] == row["tags"] != []
        assert all(clause["sentence"] for clause in told["clauses"])
        assert not list(place.rglob("output_*.pb"))
        assert not (place / "data.json").exists()
        model = onnx.load(place / "model.onnx")
        inputs = [tensor(path) for path in sorted(place.rglob("input_*.pb"))]
        kinds = {clause["kind"] for clause in told["clauses"]}
        # What a restriction excludes is not of the profile, which then says nothing else of it.
        refusal: Any = sonnx_verify.errors.ClauseViolated
        if "restriction" in kinds:
            refusal = stock.BackendIsNotSupposedToImplementIt
        with pytest.raises(refusal):
            sonnx_verify.backend.ProfileBackend.run_model(model, inputs)
        count += 1
    assert count == len(os.listdir(sums / "refused")) > 40


def test_our_runner_says_the_same(sums: Path) -> None:
    """`conform` on vectors with a tolerance: agreement, as a member of the set. What is refused alone is none."""
    command = ["conform", "sonnx.ReduceSum", "--against", "onnx.reference", "--vectors", str(sums / "tolerance")]
    done = CliRunner().invoke(main, [*command, "--accept-level", "member", "--format", "json"])
    told = json.loads(done.stdout)
    assert (told["verdict"], done.exit_code) == ("agrees", 0)
    assert told["scope"]["inputs"] == len(os.listdir(sums / "tolerance"))
    assert (len(told["scope"]["untested"]), told["scope"]["restricted"]) == (7, 0)
    refused = str(sums / "refused")
    done = CliRunner().invoke(main, ["conform", "sonnx.ReduceSum", "--against", "evaluator", "--vectors", refused])
    # That all of these are refused is no agreement: code that refuses everything would have it.
    assert (done.exit_code, ": unknown\n" in done.stdout) == (3, True)
    # No test is left out in silence.
    excluded = sum("restriction" in path.read_text("utf-8") for path in (sums / "refused").rglob("refused.json"))
    assert f"; {excluded} excluded by a restriction; 7 of 8 types without a test" in done.stdout


def test_tests_of_other_operators_are_left_out(sums: Path, tmp_path: Path) -> None:
    """Whether they are in another domain, or models of several nodes."""
    first = min((sums / "tolerance").iterdir())
    nodes = {
        "own": [],
        "foreign": [onnx.helper.make_node("ReduceSum", ["A"], ["Y"], domain="foreign")],
        "several": [onnx.helper.make_node("Abs", ["A"], ["C"]), onnx.helper.make_node("Neg", ["C"], ["Y"])],
    }
    for name, own in nodes.items():
        (tmp_path / "held" / name).mkdir(parents=True)
        (tmp_path / "held" / name / "test_data_set_0").symlink_to(first / "test_data_set_0")
        model = onnx.load(str(first / "model.onnx"))
        if own:
            del model.graph.node[:]
            model.graph.node.extend(own)
            del model.graph.input[1:]
        onnx.save(model, str(tmp_path / "held" / name / "model.onnx"))
    command = ["conform", "sonnx.ReduceSum", "--against", "evaluator", "--vectors", str(tmp_path / "held")]
    done = CliRunner().invoke(main, [*command, "--format", "json"])

    assert json.loads(done.stdout)["scope"]["inputs"] == 1


@pytest.mark.soak
def test_divergences_of_the_reference(tmp_path: Path, in_onnx: Ran) -> None:
    """Of a greatest element: the ledger knows onnx.reference for signs of zeros alone, which ONNX's runner cannot see.
    So it passes there, and `conform` tells what the runner does not."""
    out = str(tmp_path / "out")
    write("sonnx.ReduceMax", "--types", "float16", "--out", out)

    assert in_onnx(Reference, tmp_path / "out", "exact")[1] == []
    assert in_onnx(sonnx_verify.backend, tmp_path / "out", "exact")[1] == []
    exact = str(tmp_path / "out" / "exact")
    done = CliRunner().invoke(
        main, ["conform", "sonnx.ReduceMax", "--against", "onnx.reference", "--vectors", exact, "--format", "json"]
    )
    assert {one["kind"] for one in json.loads(done.stdout)["divergences"]} == {"zero-sign"}


STEPS = """operator Half version 1 user

types float = float16

input  A : tensor of T
output Y : tensor of T

shape Y    = A.shape
value Y[i] for float = if is_nan(A[i]) then any NaN
  else if is_infinite(A[i]) then A[i]
  else within 2 steps of real(A[i]) + 0.5
"""


def test_a_set_that_reaches_infinity_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_onnx: Ran) -> None:
    """Two steps above the greatest float is no number: no tolerance admits it, and the index says so."""
    (tmp_path / "half.sonnx").write_text(STEPS, "utf-8")
    monkeypatch.chdir(tmp_path)
    write("user.Half", "--out", "out")
    several = [one for _, row in rows(tmp_path / "out", "open") for one in row["outputs"]["Y"]["several"]]

    ends = {one["greatest"] for one in several} | {one["lowest"] for one in several}
    assert {"inf", "-inf"} <= ends
    assert all(row["tolerance"] is None for _, row in rows(tmp_path / "out", "open"))
    assert "infinity" in {one["bound"] for one in several}
    for kind in COMPARED:
        assert in_onnx(sonnx_verify.backend, tmp_path / "out", kind)[1] == []


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), min_size=1, max_size=6))
def test_the_lowest_line(pairs: list[tuple[int, int]]) -> None:
    """It lies above all points, has no slope and no height below 0, and no other such line through two of them, or
    flat, or through the origin, is lower at their mean."""
    points = [(Fraction(x), Fraction(y)) for x, y in pairs]
    slope, height = lowest_line(points)
    mean = sum(x for x, _ in points) / len(points)

    def admits(a: Fraction, b: Fraction) -> bool:
        return a >= 0 and b >= 0 and all(y <= a * x + b for x, y in points)

    others = [(Fraction(0), max(y for _, y in points))]
    others += [(y / x, Fraction(0)) for x, y in points if x]
    for x0, y0 in points:
        others += [(a := (y1 - y0) / (x1 - x0), y0 - a * x0) for x1, y1 in points if x1 != x0]
    assert admits(slope, height)
    assert all(slope * mean + height <= a * mean + b for a, b in others if admits(a, b))
