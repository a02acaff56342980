"""The type of an output that an attribute says: `attribute to : type U`, and its default."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import sonnx_verify
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.cli import main
from sonnx_verify.errors import SpecificationError, UsageError
from sonnx_verify.language.constants import TYPES_BY_CODE
from sonnx_verify.language.project import Project
from sonnx_verify.results.dtypes import dtype_of
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.record import Record

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CAST, EYE = HERE / "casting.sonnx", HERE / "eyelike.sonnx"
Records = Callable[[Path, Callable[[str], bool]], list[Record]]


def loaded(path: Path) -> Operator:
    """The operator of a text, on arrays."""
    project = Project.of_files(ROOT, [path])
    return Operator(project, project.units[0])


def test_the_numbers_of_types_are_those_of_onnx() -> None:
    """A wrong one would send another type, and read another."""
    onnx: Any = pytest.importorskip("onnx")

    for code, sort in TYPES_BY_CODE.items():
        assert onnx.TensorProto.DataType.Name(code).lower() == sort.name


@pytest.mark.parametrize("path", [CAST, EYE])
def test_each_pair_of_types_is_a_section_that_is_proved(path: Path, records: Records) -> None:
    """Every read is inside, and the result is the only one."""
    found = {r.id: r.verdict.name for r in records(path, lambda i: "int64" in i or "float16" in i)}

    assert found
    assert {i: v for i, v in found.items() if v not in ("proved", "holds")} == {}


def test_laws_are_proved_and_false_ones_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """An application says its type by a name or a number, in every theorem."""
    monkeypatch.chdir(HERE)
    found = {r.id: str(r.verdict) for r in sonnx_verify.check("casting_laws.sonnx", cached=False) if "theorem" in r.id}

    refuted = {
        i.removeprefix("user.casting_laws.").removesuffix("/theorem") for i, v in found.items() if v == "refuted"
    }
    assert refuted == {"float/negative_zero", "int/upper", "float/upper"}
    assert [v for v in found.values() if v not in ("refuted", "proved")] == []


def test_cast_is_what_numpy_says() -> None:
    """Of random elements, for each type that `to` says."""
    cast, chance = loaded(CAST), np.random.default_rng(29)
    for name in ("int8", "int64", "float", "double", "bool"):
        numbers = chance.integers(-100, 100, (3, 4))
        array = numbers.astype(dtype_of(name))
        for code, sort in TYPES_BY_CODE.items():
            if sort.name in ("int8", "uint8", "int32", "int64", "float16", "float", "double", "bool"):
                made = cast.evaluate(array, to=code)
                # Of a negative float to uint8 numpy says what the machine does: by way of int64 it wraps.
                way = array.astype(np.int64) if sort.name == "uint8" else array
                wanted = way.astype(dtype_of(sort.name))
                assert made.dtype == wanted.dtype
                assert np.array_equal(made, wanted)


def test_eye_like_is_what_onnx_says() -> None:
    """With `dtype` and without it, which is the type of the input then."""
    reference: Any = pytest.importorskip("onnx.reference")
    helper: Any = pytest.importorskip("onnx.helper")
    eye, chance = loaded(EYE), np.random.default_rng(30)
    for name in ("int8", "int64", "float", "bool"):
        for said in ({}, {"dtype": 7}, {"dtype": 10}, {"dtype": 9}):
            array = chance.integers(0, 2, chance.integers(0, 5, 2)).astype(dtype_of(name))
            attributes = {**said, "k": int(chance.integers(-3, 4))}
            ends = [helper.make_tensor_value_info(end, 1, [None, None]) for end in "XY"]
            node = helper.make_node("EyeLike", ["X"], ["Y"], **attributes)
            model = helper.make_model(helper.make_graph([node], "eye", ends[:1], ends[1:]))
            (wanted,) = reference.ReferenceEvaluator(model).run(None, {"X": array})
            made = eye.evaluate(array, **attributes)
            assert made.dtype == wanted.dtype
            assert np.array_equal(made, wanted)


@pytest.mark.parametrize(
    ("path", "attributes", "message"),
    [
        (CAST, {"to": 16}, "to: user.Cast-13 gives no elements of type 16 (bfloat16)"),
        (CAST, {"to": 8}, "to: user.Cast-13 gives no elements of type 8"),
        (CAST, {}, "user.Cast-13: missing attribute `to`"),
        (EYE, {}, "dtype: user.EyeLike-9 gives no elements of type left out (double)"),
    ],
)
def test_a_type_that_is_not_listed_is_refused(path: Path, attributes: dict[str, int], message: str) -> None:
    """By its number, or as the default."""
    with pytest.raises(UsageError) as caught:
        loaded(path).evaluate(np.zeros((1, 1)), **attributes)

    assert caught.value.message == message


def test_the_command_line_takes_the_name_of_a_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or its number: the section is that of the type."""
    monkeypatch.chdir(HERE)
    for said in ("uint8", "2"):
        done = CliRunner().invoke(
            main, ["eval", "user.Cast-13", "--input", "input=int8:[1, -2]", "--attr", f"to={said}"]
        )
        assert done.output == "output = uint8 (2) [1, 254]\n"


def test_node_tests_send_the_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each vector of a section has the number of its type, or nothing where the default is that type."""
    onnx: Any = pytest.importorskip("onnx")
    text = EYE.read_text("utf-8").replace("int8 uint8 int16 uint16 int32 uint32 int64 uint64", "int8 int64")
    (tmp_path / "eyelike.sonnx").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["vectors", "user.EyeLike-9", "--types", "int8", "--out", "out"])
    assert done.exit_code == 0, done.output
    seen: set[tuple[int, int]] = set()
    for path in (tmp_path / "out").rglob("model.onnx"):
        graph = onnx.load(path).graph
        sent = [a.i for a in graph.node[0].attribute if a.name == "dtype"]
        seen.add((graph.output[0].type.tensor_type.elem_type, *sent[:1]))

    assert seen == {(3,), *((code, code) for code in (1, 3, 7, 9, 10))}


HEAD = """\
operator Some version 1 user

types int      = int8
types int of U = int8 int16

input     X  : tensor of T
attribute to : type U
output    Y  : tensor of U

shape Y    = X.shape
value Y[i] = U(X[i])
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("to : type U", "to : type T", "`to` must say the type of a variable other than T, not of `T`"),
        ("to : type U", "to : type int8", "`to` must say the type of a variable other than T, not of `int8`"),
        ("attribute to", "optional attribute to", "`to` says a type, so it cannot be optional"),
        ("to : type U", "to : type U default 7", "the default of `to` is not a type"),
        ("to : type U", "to : type U default V", "the default of `to` is not a type"),
        ("to : type U", "to : list of type U", "an attribute cannot be a list of type U"),
        ("X  : tensor of T", "X  : type U", "an input is a tensor, not a type U"),
        ("int8 int16", "int8 int16\ntypes real of U = real", "ONNX has no number for the type real of `U`"),
    ],
)
def test_what_says_no_type_is_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    """An attribute says the type of a variable beside T, which has types of ONNX."""
    (tmp_path / "text.sonnx").write_text(HEAD.replace(old, new, 1), "utf-8")
    with pytest.raises(SpecificationError) as caught:
        collect(Project.of_files(ROOT, [tmp_path / "text.sonnx"]))

    assert caught.value.message == message


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("Cast(A) = Cast(A)", "`Cast` needs its `to`, which says a type"),
        ("Cast(A with to = 8) = A", "the attribute `to` of `Cast` says a type"),
        ("Cast(A with to = bfloat16) = A", "`to` of `Cast` cannot have elements of type bfloat16"),
        ("EyeLike(A with dtype = int8, k = float) = A", "the attribute `k` of `EyeLike` says no type"),
        ("Cast(A with to = T) = A", "`T` stands for several types here, or for none of ONNX"),
    ],
)
def test_an_application_that_says_no_type_is_refused(
    statement: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it would give has no type."""
    monkeypatch.chdir(HERE)
    with pytest.raises(SpecificationError) as caught:
        sonnx_verify.prove(statement)

    assert caught.value.message == message


PAIR = """\
operator Small version 1 {status}
{refines}
types int        = int8
types int of U   = int8
types float of U = float

input     X  : tensor of T
attribute to : {kind}
output    Y  : tensor of U

shape Y    = X.shape
value Y[i] = U(X[i])
"""


@pytest.mark.parametrize("usual", ["T", "float", "int8"])
def test_a_profile_has_the_default_type_of_its_standard(
    usual: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With another one it would refuse a node without the attribute, and no restriction would say so."""
    refines = "refines onnx Small version 1 with X = X, to = to, Y = Y\n"
    for status, line, kind in (("standard", "", "type U default T"), ("profile", refines, f"type U default {usual}")):
        path = tmp_path / "spec" / {"standard": "onnx", "profile": "sonnx"}[status] / "small.sonnx"
        path.parent.mkdir(parents=True)
        path.write_text(PAIR.format(status=status, refines=line, kind=kind), "utf-8")
    monkeypatch.chdir(tmp_path)
    checked = sonnx_verify.check("spec/sonnx", cached=False)

    if usual == "T":
        assert not checked.errors
        assert {r.verdict for r in checked if "spec/narrowing" in r.id} == {"proved"}
    else:
        (error,) = checked.errors
        assert error.message == "without `to` the standard has the type T, and this text another one"


@pytest.mark.parametrize(("kind", "verdict"), [("type U", "proved"), ("int", "refuted")])
def test_a_profile_says_the_types_of_its_standard(
    kind: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an attribute that may be any number the standard accepts one alone in each section."""
    standard, profile = tmp_path / "spec" / "onnx" / "small.sonnx", tmp_path / "spec" / "sonnx" / "small.sonnx"
    for path in (standard, profile):
        path.parent.mkdir(parents=True)
    refines = "refines onnx Small version 1 with X = X, to = to, Y = Y\n"
    standard.write_text(PAIR.format(status="standard", refines="", kind="type U"), "utf-8")
    profile.write_text(PAIR.format(status="profile", refines=refines, kind=kind), "utf-8")
    monkeypatch.chdir(tmp_path)
    found = {r.id: str(r.verdict) for r in sonnx_verify.check("spec/sonnx", cached=False)}

    assert {i: v for i, v in found.items() if i.endswith("/refines")} == {
        f"sonnx.Small-1.int-{section}/spec/refines": verdict for section in ("int8", "float")
    }
