"""Large vectors by their seeds: anybody can make the bytes again, and the command that writes them out checks them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import numpy_helper

import sonnx_verify.backend
from sonnx_verify.cli import main
from sonnx_verify.conformance.vectors import large_inputs, node_tests

Ran = Callable[[Any, Path, str], tuple[int, list[str]]]

WORD = (1 << 64) - 1


def words(seed: int, count: int) -> list[int]:
    """SplitMix64 as the documents have it."""
    made = []
    for n in range(count):
        z = (seed + (n + 1) * 0x9E3779B97F4A7C15) & WORD
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
        made.append(z ^ (z >> 31))
    return made


def bytes_of(told: dict[str, Any]) -> bytes:
    """The bytes of an input, from its description alone."""
    if "values" in told:
        return bytes(np.array(told["values"], told["type"]).tobytes())
    found = words(told["seed"], int(np.prod(told["shape"], dtype=int)))
    if told["elements"] == "fractions":
        # 24 bits below the highest one, which is the sign.
        sizes = np.array([(w << 1 & WORD) >> 40 for w in found], np.float32) / np.float32(1 << 24)
        return bytes(np.copysign(sizes, [-1 if w >> 63 else 1 for w in found]).astype(np.float32).tobytes())
    bits = np.array([w >> 32 for w in found], np.uint32)
    if told["type"] == "float":
        bits[np.isnan(bits.view(np.float32))] = 0x7FC00000
    return bytes(bits.tobytes())


def run(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, ["vectors", *arguments], catch_exceptions=False)
    assert done.exit_code == status, done.output
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The large vectors of sums, not as large as they are."""
    folder = tmp_path_factory.mktemp("large") / "out"
    with pytest.MonkeyPatch.context() as patch:
        # The small ones are written elsewhere.
        patch.setattr(node_tests, "cases_at", lambda points: [])
        patch.setattr(large_inputs, "PRIMES", {1: (997, 997), 2: (31, 31), 3: (11, 11), 4: (5, 5)})
        said = run("sonnx.ReduceSum", "--types", "float,int32", "--large", "--out", str(folder))
    assert f" in {folder / 'large.json'}\n" in said
    return folder


@pytest.fixture
def told(described: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads((described / "large.json").read_text("utf-8"))
    return made


def test_the_generator() -> None:
    """The published values of SplitMix64 for the seed 0, by the two implementations."""
    from sonnx_verify.conformance.inputs import seeds

    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert words(0, 3) == published == seeds.words(0, 3).tolist()
    assert words(WORD >> 1, 5) == seeds.words(WORD >> 1, 5).tolist()


def test_inputs_follow_from_the_description(told: dict[str, Any]) -> None:
    """Every input has the bytes that its seed and way, or its values, give."""
    ways = set()
    for case in told["cases"]:
        for one in case["inputs"]:
            ways.add((one["type"], one.get("elements")))
            assert hashlib.sha256(bytes_of(one)).hexdigest() == one["bytes_sha256"]
    assert {("float", "bits"), ("float", "fractions"), ("int32", "bits"), ("int64", None)} == ways


def test_written_out_they_pass(described: Path, told: dict[str, Any], tmp_path: Path, in_onnx: Ran) -> None:
    """The files have the hashes of the description, and pass in ONNX's runner, on this package as a backend."""
    out = tmp_path / "out"
    said = run(str(described / "large.json"), "--out", str(out))
    assert said.startswith(f"{len(told['cases'])} tests written to {out}")
    for case in told["cases"]:
        place = out / case["folder"] / case["name"]
        assert json.loads((place / "data.json").read_text("utf-8")) == case["tolerance"]
        for kind in ("input", "output"):
            for n, one in enumerate(case[f"{kind}s"]):
                proto = onnx.TensorProto.FromString((place / f"test_data_set_0/{kind}_{n}.pb").read_bytes())
                data = numpy_helper.to_array(proto).tobytes()
                assert hashlib.sha256(data).hexdigest() == one["bytes_sha256"]
    found = [in_onnx(sonnx_verify.backend, out, kind) for kind in ("exact", "tolerance")]
    assert [failed for _, failed in found] == [[], []]
    assert sum(count for count, _ in found) == len(told["cases"]) > 10
    # The same bytes, index included, whenever they are written.
    again = {p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    run(str(described / "large.json"), "--out", str(out))
    assert again == {p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()}


@pytest.mark.soak
def test_large_means_large(tmp_path: Path) -> None:
    """Without a smaller bound one axis of a single input has 65,521 elements."""
    out = tmp_path / "out"
    run("onnx.Max-6", "--types", "float16", "--large", "--out", str(out))
    cases = json.loads((out / "large.json").read_text("utf-8"))["cases"]

    assert max(int(np.prod(one["shape"])) for case in cases for one in case["inputs"]) > 60_000
    assert {case["folder"] for case in cases} == {"exact"}


def changed(key: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(made: dict[str, Any]) -> None:
        made[key] = value

    return change


def in_case(key: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda made: changed(key, value)(made["cases"][0])


def in_input(key: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda made: changed(key, value)(made["cases"][0]["inputs"][0])


def in_output(key: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda made: changed(key, value)(made["cases"][0]["outputs"][0])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changed("generator", "PCG64"), "unknown generator `PCG64`"),
        (changed("cases", 3), "is not a file of large vectors: Expected `array`, got `int` - at `$.cases`"),
        (changed("operator", "sonnx.ReduceSun"), "unknown operator sonnx.ReduceSun-13"),
        (in_case("types", {"T": "double", "U": "int8"}), "sonnx.ReduceSum-13 has no such case"),
        (in_case("name", "../escaped"), "sonnx.ReduceSum-13 has no such case"),
        (in_case("folder", ".."), "sonnx.ReduceSum-13 has no such case"),
        (in_case("attributes", {"keepdim": 1}), "sonnx.ReduceSum-13 has no attribute `keepdim`"),
        (in_case("attributes", {"keepdims": 1, "noop_with_empty_axes": 7}), "gives no such result"),
        (in_case("tolerance", {"rtol": 1.0, "atol": 1.0}), "the tolerances are not"),
        (in_input("seed", 99), "`data` is another tensor than the file was made with"),
        (in_input("shape", [1 << 26, 1 << 26]), "at most"),
        (in_input("type", "text"), "unknown element type `text`"),
        (in_input("name", "dato"), "unknown input `dato`"),
        (in_input("elements", "normal"), "Invalid enum value 'normal'"),
        (in_output("bytes_sha256", "00"), "`reduced` is another tensor than the file was made with"),
        (in_output("name", "sum"), "gives no such result"),
    ],
)
def test_a_file_that_says_something_else(
    told: dict[str, Any], tmp_path: Path, change: Callable[[dict[str, Any]], None], said: str
) -> None:
    """Whatever is not as the texts and the generator give it, is told, and nothing is written."""
    change(told)
    file = tmp_path / "large.json"
    file.write_text(json.dumps(told), "utf-8")
    out = tmp_path / "out"

    assert said in run(str(file), "--out", str(out), status=2)
    assert not out.exists()


def test_other_mistakes(tmp_path: Path) -> None:
    """No file, no JSON, options of the other form."""
    file = str(tmp_path / "large.json")
    assert "cannot be read: No such file or directory" in run(file, "--out", str(tmp_path / "out"), status=2)
    Path(file).write_text("{", "utf-8")
    assert "is not a file of large vectors" in run(file, "--out", str(tmp_path / "out"), status=2)
    assert "has its types" in run(file, "--types", "int8", "--out", str(tmp_path / "out"), status=2)
