"""`conform` of Python code: proved, refuted with an input that runs, unsupported, unknown."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ["conform", "sonnx.Max-13", "--bound", "rank=1", "--format", "json"]
CODE = """
import os
import sys

import numpy as np


def right(*inputs):
    print("this is not the answer")
    made = np.array(np.broadcast_to(inputs[0], np.broadcast_shapes(*(x.shape for x in inputs))))
    for x in inputs[1:]:
        made = np.where(made < x, x, made)
    return made


def wrong(*inputs):
    made = right(*inputs)
    return np.where(made == 77, 78, made).astype(made.dtype)


def rank_3(*inputs):
    made = right(*inputs)
    return np.minimum(made, inputs[0]) if made.ndim == 3 else made


def only_symbols(*inputs):
    if "pytest" not in sys.modules:
        raise ValueError("not in a process of its own")
    return right(*inputs)


def three(*inputs):
    made = right(*inputs)
    return made[::-1] if made.shape == (3,) else made


def parts(*inputs):
    return np.partition(np.stack(np.broadcast_arrays(*inputs)), -1, axis=0)[-1]


def leaves(*inputs):
    if [x.shape for x in inputs] == [(2,)]:
        sys.exit(0)
    return right(*inputs)


def dies(*inputs):
    if [x.shape for x in inputs] == [(2,)]:
        os.abort()
    return right(*inputs)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mycode.py").write_text(CODE, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("mycode", None)
    return tmp_path


def conform(target: str, *more: str) -> tuple[int, Any]:
    """Exit status and JSON."""
    done = CliRunner().invoke(main, [*COMMAND, "--against", target, *more])
    return done.exit_code, json.loads(done.stdout) if done.stdout.startswith("{") else done.output


def test_proved(folder: Path) -> None:
    """What the code prints is no part of the answer."""
    status, answer = conform("python:mycode:right", "--types", "int8,uint64", "--short")

    assert (status, answer["verdict"], answer["divergences"]) == (0, "proved", [])
    assert answer["scope"]["types"] == ["int8", "uint64"]
    assert "row-major order; rank <= 1, dims 0..2, 1 to 2 inputs" in answer["scope"]["said"]
    assert answer["level"] == "nan-payload"


def test_what_is_proved_is_tested_beyond_the_bound(folder: Path) -> None:
    """Code that is wrong of three axes alone is proved for vectors, and refuted by a test."""
    of_vectors = ("python:mycode:rank_3", "--types", "int8", "--random", "0")
    short, proof = conform(*of_vectors, "--short")
    status, answer = conform(*of_vectors, "--strength", "1")
    ranks = [max(len(tensor["shape"]) for tensor in one["inputs"].values()) for one in answer["divergences"]]

    assert (short, proof["verdict"]) == (0, "proved")
    assert (status, answer["verdict"], {*ranks}) == (1, "refuted", {3})


def test_code_that_refuses_all_real_arrays_is_not_proved(folder: Path) -> None:
    """A proof of symbols is none of the code, where no real input has a result."""
    status, answer = conform("python:mycode:only_symbols", "--types", "int8", "--random", "0", "--strength", "1")

    assert (status, answer["verdict"], answer["divergences"]) == (3, "unknown", [])
    said = answer["scope"]["of_types"]["int8"]["said"]
    assert re.fullmatch(
        r"proved symbolically, but it refuses all \d+ valid .*: ValueError: not in a process of its own", said
    )


def test_refuted_by_an_input_that_runs(folder: Path) -> None:
    status, answer = conform("python:mycode:wrong", "--types", "int8", "--short", "--random", "0")
    (one,) = answer["divergences"]
    # A user's shell does not keep Python from the current folder, and has the Python that the tool is installed in.
    user = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    user["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), user["PATH"]))
    shown = subprocess.run(one["repro"], shell=True, capture_output=True, text=True, cwd=folder, env=user, check=True)

    assert (status, answer["verdict"]) == (1, "refuted")
    assert [t["data"] for t in one["inputs"].values()] == [77]
    assert one["expected"]["outputs"]["Y"]["data"] == 77
    assert one["got"]["outputs"]["Y"]["data"] == 78
    assert shown.stdout.strip().endswith("78")


def test_no_guess(folder: Path) -> None:
    """A function outside of the table is named; the code is tested instead, and that is no proof."""
    status, answer = conform("python:mycode:parts", "--types", "int8", "--short", "--random", "0")

    assert (status, answer["verdict"]) == (3, "unsupported")
    assert answer["unsupported"][0]["said"].startswith("numpy.partition, mycode.py:")
    assert answer["scope"]["of_types"]["int8"]["tests"] > 50


ONE = """\
operator One version 1 user

types float = double

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = T(1.0)
"""
ONE_CODE = """
import numpy as np


def listed(x):
    return [1.0] * len(x) if x.ndim == 1 else np.ones(x.shape)


def number(x):
    return np.ones(x.shape) if x.ndim else 1.0
"""


@pytest.mark.parametrize("name", ["listed", "number"])
def test_no_array_is_no_result(name: str, folder: Path) -> None:
    """A list or a number of Python is no array, to a proof as to a test."""
    (folder / "One.sonnx").write_text(ONE, "utf-8")
    (folder / "ones.py").write_text(ONE_CODE, "utf-8")
    sys.modules.pop("ones", None)
    command = ["conform", "user.One-1", "--against", f"python:ones:{name}", "--short", "--format", "json"]
    done = CliRunner().invoke(main, command)
    answer = json.loads(done.stdout)

    assert (done.exit_code, answer["verdict"]) == (1, "refuted")
    assert {d["kind"] for d in answer["divergences"]} == {"no-result"}


FINITE = """\
operator Negative version 1 user

types float = float16

input  X : tensor of T
output Y : tensor of T

[C1] constraint "X is finite" : for all i in X : not is_nan(X[i]) and not is_infinite(X[i])
[E1] error "X is not finite" : when C1 fails

shape Y    = X.shape
value Y[i] = -X[i]
"""
ACCEPTING = """\
import numpy as np

def accepts(X):
    return np.negative(X)

def refuses(X):
    raise ValueError("no")
"""


def test_constraints_on_elements(folder: Path) -> None:
    """Such a text is never proved: code is tested on valid input, and the answer says what was not looked at."""
    (folder / "negative.sonnx").write_text(FINITE, "utf-8")
    (folder / "negatives.py").write_text(ACCEPTING, "utf-8")
    command = ["conform", "user.Negative-1", "--short", "--random=0", "--against"]
    accepts = CliRunner().invoke(main, [*command, "python:negatives:accepts"])
    tested = CliRunner().invoke(main, [*command, "python:negatives:accepts", "--test-only"])
    refuses = CliRunner().invoke(main, [*command, "python:negatives:refuses"])

    assert (accepts.exit_code, tested.exit_code, refuses.exit_code) == (3, 1, 3)
    assert re.search(
        r"unsupported: float16: validity depends on elements; tested on \d+ valid inputs: no", accepts.output
    )
    assert "not checked: rejection of invalid inputs (use --test-only)" in accepts.output
    assert "/accepts-C1/" in tested.output
    # Of code without a result nothing was compared.
    assert re.search(r"elements; it refuses all \d+ valid inputs tested: ValueError: no$", refuses.output, re.M)
    assert "no difference" not in refuses.output


TIMES = """\
operator Times version 1 user

types int      = int8
types int of U = int8

input     X  : tensor of T
attribute k  : int default 1 where k >= 1
attribute to : type U default T
output    Y  : tensor of U

shape Y    = X.shape
value Y[i] = if k = 3 then U(0) else U(X[i])
"""
TIMES_CODE = """
import numpy as np


def right(x, k=1, to=None):
    return np.zeros_like(x) if k == 3 else np.array(x)


def never_three(x, k=1, to=None):
    return np.array(x)


def other_where_said(x, k=1, to=None):
    return right(x, k=k) if to is None else -right(x, k=k)
"""


@pytest.mark.parametrize(
    ("target", "verdict"), [("right", "proved"), ("never_three", "refuted"), ("other_where_said", "refuted")]
)
def test_attributes_have_values_that_matter(target: str, verdict: str, folder: Path) -> None:
    """One that is an integer goes beyond ranks and sizes; one that says a type says that of each section, and may be
    left out. The answer says which values were looked at."""
    (folder / "Times.sonnx").write_text(TIMES, "utf-8")
    (folder / "times.py").write_text(TIMES_CODE, "utf-8")
    sys.modules.pop("times", None)
    more = ("--bound", "rank=1", "--short", "--random", "0", "--format", "json")
    done = CliRunner().invoke(main, ["conform", "user.Times-1", "--against", f"python:times:{target}", *more])
    answer = json.loads(done.stdout)

    assert answer["verdict"] == verdict
    assert answer["scope"]["said"].endswith("; rank <= 1, dims 0..2, attributes -1..3")


@pytest.mark.parametrize("name", ["dies", pytest.param("leaves", marks=pytest.mark.soak)])
def test_code_that_leaves_or_dies(folder: Path, name: str) -> None:
    """It takes neither this process with it nor the answer."""
    # A process of its own, as its users have: where this one has threads, nothing can be forked.
    command = [*COMMAND, "--against", f"python:mycode:{name}", "--types", "int8", "--short", "--random", "0"]
    done = subprocess.run([sys.executable, "-m", "sonnx_verify", *command], cwd=folder, capture_output=True, text=True)

    answer = json.loads(done.stdout)
    assert (done.returncode, answer["verdict"]) == (1, "refuted")
    assert answer["divergences"]


def test_mistakes_of_a_user(folder: Path) -> None:
    for target, words in {
        "python:mycode:nothing": "mycode:nothing cannot be used",
        "python:nowhere:f": "No module named 'nowhere'",
        "python:mycode": "is not a target",
    }.items():
        status, said = conform(target)
        assert status == 2, said
        assert words in said, said
    for bound in ("sets=1", "rank=9", "rank", "dims=1", "rank=1,rank=2"):
        command = ["conform", "sonnx.Max-13", "--against", "evaluator", "--bound", bound]
        done = CliRunner().invoke(main, command)
        assert done.exit_code == 2, bound
        assert "bound" in done.output, bound
        assert "to fix:" in done.output, bound
    tested = CliRunner().invoke(main, ["conform", "sonnx.Max-13", "--against", "onnx.reference", "--bound", "rank=1"])
    assert tested.exit_code == 2
    assert "tested, not proved" in tested.output
    tested = CliRunner().invoke(main, ["conform", "sonnx.Max-13", "--against", "onnx.reference", "--deepen", "1"])
    assert "tested, not proved" in tested.output
    assert "to fix: drop --deepen" in tested.output


def test_a_bound_is_raised_while_there_is_time(folder: Path) -> None:
    """Code that is wrong of three elements is proved up to two, and refuted beyond; a proof that is not done when the
    time is over leaves what was proved before."""
    options = ("--types", "int8", "--short", "--random", "0")
    status, answer = conform("python:mycode:three", *options)
    assert (status, answer["verdict"]) == (0, "proved")
    assert "dims 0..2" in answer["scope"]["said"]

    status, answer = conform("python:mycode:three", *options, "--deepen", "600")
    assert (status, answer["verdict"]) == (1, "refuted")

    status, answer = conform("python:mycode:right", *options, "--deepen", "0.001")
    assert (status, answer["verdict"]) == (0, "proved")
    assert "dims 0..2" in answer["scope"]["said"]


VECTOR = """\
operator Keep version 1 user
types int = int8

input  X : tensor of T
output Y : tensor of T

[C1] constraint "X is a vector"   : rank(X) = 1
[E1] error      "X is no vector" : when C1 fails

shape Y    = X.shape
value Y[i] = X[i]
"""


def test_nothing_is_proved_of_no_element(folder: Path) -> None:
    """Where no input within the bound has an element, an answer about all elements is about none."""
    (folder / "keep.sonnx").write_text(VECTOR, "utf-8")
    command = ["conform", "user.Keep-1", "--against", "evaluator", "--short", "--bound"]
    empty = CliRunner().invoke(main, [*command, "rank=1,dim=0"])

    assert empty.exit_code == 3, empty.output
    assert "no input within the bound has an element" in empty.stdout
    assert CliRunner().invoke(main, [*command, "rank=1,dim=1"]).exit_code == 0


REST = ("Min-13", "ReduceMax-20", "ReduceMin-20", "ReduceSum-13")


@pytest.mark.parametrize("operator", ["Max-13", *(pytest.param(name, marks=pytest.mark.soak) for name in REST)])
def test_the_evaluator(operator: str) -> None:
    """The numpy evaluator is equal to each profile specification: here for an integer type and float16."""
    types = "int32,float16" if operator == "ReduceSum-13" else "int8,float16"
    command = ["conform", f"sonnx.{operator}", "--against", "evaluator", "--types", types, "--short"]
    done = CliRunner().invoke(main, [*command, "--format", "json"])
    answer = json.loads(done.stdout)

    assert (done.exit_code, answer["verdict"]) == (0, "proved"), done.output
    assert answer["scope"]["types"] == types.split(",")
    assert "rank <= 2, dims 0..2" in answer["scope"]["said"]


@pytest.mark.soak
@pytest.mark.parametrize("operator", ["Max-13", "Min-13", "ReduceMax-20", "ReduceMin-20", "ReduceSum-13"])
def test_the_evaluator_up_to_rank_3(operator: str) -> None:
    """Up to 27 elements in a fibre; axes as sets; for an integer type and float16."""
    types = "int32,float16" if operator == "ReduceSum-13" else "int8,float16"
    command = ["conform", f"sonnx.{operator}", "--against", "evaluator", "--bound", "rank=3,dim=3,inputs=2,sets"]
    done = CliRunner().invoke(main, [*command, "--short", "--types", types, "--seconds", "120", "--format", "json"])
    answer = json.loads(done.stdout)

    assert (answer["verdict"], done.exit_code) == ("proved", 0), done.output
    further = "lists of axes as sets" if operator.startswith("Reduce") else "1 to 2 inputs"
    assert f"rank <= 3, dims 0..3, {further}" in answer["scope"]["said"]


@pytest.mark.soak
@pytest.mark.parametrize("operator", ["Max-13", "Min-13", "ReduceMax-20", "ReduceMin-20", "ReduceSum-13"])
def test_the_evaluator_for_every_type(operator: str) -> None:
    """The same for every type."""
    done = CliRunner().invoke(main, ["conform", f"sonnx.{operator}", "--against", "evaluator", "--format", "json"])

    assert json.loads(done.stdout)["verdict"] == "proved", done.output


PICK = """operator Pick version 1 user
types int = int8
types picked of I = int32 int64
types fixed of F = float
input X : tensor of T
input K : tensor of I
input W : tensor of F
output Y : tensor of T
shape Y = X.shape
value Y[i] = X[i]
"""


@pytest.mark.parametrize("more", [("--bound", "rank=1"), ("--test-only",)])
@pytest.mark.parametrize(("wrong", "right"), [("int32", "int64"), ("int64", "int32")])
def test_each_choice_of_types_has_a_verdict(folder: Path, more: tuple[str, ...], wrong: str, right: str) -> None:
    """Also where it is another variable's type that makes the difference: one that is right hides none that is not,
    and is no proof of it."""
    (folder / "pick.sonnx").write_text(PICK, "utf-8")
    module = f"pick_{wrong}"
    (folder / f"{module}.py").write_text(f"def pick(x, k, w):\n    return -x if k.dtype == '{wrong}' else x\n", "utf-8")
    options = ["--against", f"python:{module}:pick", "--short", "--random", "0", "--format", "json"]
    done = CliRunner().invoke(main, ["conform", "user.Pick-1", *options, *more])
    answer = json.loads(done.stdout)
    of_types = answer["scope"]["of_types"]
    assert (done.exit_code, list(of_types)) == (1, ["int8-int32", "int8-int64"])
    assert {tuple(one["types"]) for one in answer["divergences"]} == {(f"int8-{wrong}",)}
    if "--bound" in more:
        assert {name: one["verdict"] for name, one in of_types.items()} == {
            f"int8-{wrong}": "refuted",
            f"int8-{right}": "proved",
        }
        assert answer["scope"]["types"] == [f"int8-{right}"]
