"""The section that an evaluation is about, where no input says the element type."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import sonnx_verify
from sonnx_verify.cli import main
from sonnx_verify.errors import UsageError

ONE = """\
operator Made version 1 user
types real = real
types int = int8 int16
types float = float
attribute number : float
output Y : tensor of T
[C1] constraint "an integer" for int : number = 0.5
shape Y = shape (k in 1 .. 0 -> 0)
value Y[i] = T(0)
"""


def run(*arguments: str) -> tuple[int, str]:
    """The status and the output of `eval`."""
    done = CliRunner().invoke(main, ["eval", *arguments], prog_name="sonnx-verify")
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, done.output


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ("onnx.Constant --attr value_float=2.0", 0, "output = float () 2"),
        ("onnx.Constant --attr value_ints=[1,2]", 0, "output = int64 (2) [1, 2]"),
        ("sonnx.Constant --attr value_int=3", 0, "output = int64 () 3"),
        ("sonnx.Constant --attr value_string=a", 1, "[C2] fails"),
        ("onnx.ConstantOfShape --input input=int64:[1]", 0, "output = float (1) [0]"),
        ("onnx.Constant", 2, "takes exactly one of sparse_value, value, value_float"),
        ("onnx.Constant --type T=int8", 2, "takes exactly one of"),
        ("onnx.Constant-11", 2, "takes exactly one of sparse_value, value, and none is given"),
        ("onnx.Split-18 --input input=int8:[1,2]", 1, "[C4] fails"),
        ("onnx.Shape --input data=int8:[1] --type T=float", 2, "T is int8 by the inputs"),
        ("onnx.Shape --input data=int8:[1] --type T=half", 2, "`half` is not an element type"),
        ("onnx.Shape --input data=int8:[1] --type U=int8", 2, "has no type `U`"),
        ("sonnx.Abs --input X=int8:[1] --type T=bool", 2, "does not support bool for T"),
        ("sonnx.Pow --shape X=N --shape Y=N", 0, "for T = int32; --type T=TYPE asks for another type"),
        ("sonnx.Pow --shape X=N --shape Y=N --type T=float", 0, "Z : [N]\n"),
    ],
)
def test_of_the_library(arguments: str, status: int, said: str) -> None:
    """Attributes say the type, or an option does; otherwise it is asked for."""
    code, output = run(*arguments.split())
    assert (code, said in output) == (status, True), output


@pytest.mark.parametrize(
    ("written", "status", "said"),
    [
        ("float (0, 2) []", 0, "Y = float (0, 2) []"),
        ("float(0,2):[]", 0, "Y = float (0, 2) []"),
        ("float () 3", 0, "Y = float (2) [4, 3]"),
        ("float (2, 1) [[1], [5]]", 0, "Y = float (2, 2) [[4, 1], [5, 5]]"),
        ("float (0, 2) [1]", 2, "the sizes are (0, 2), and the values have (1,)"),
        ("float (2) [1, 2, 3]", 2, "the sizes are (2,), and the values have (3,)"),
    ],
)
def test_a_tensor_as_answers_print_it(written: str, status: int, said: str) -> None:
    """What a counterexample shows can be given back; with its sizes, an empty tensor of any shape can be written."""
    code, output = run("sonnx.Max", "--input", f"X0={written}", "--input", "X1=float:[4, 1]")
    assert (code, said in output) == (status, True), output


def test_a_file_with_the_name_of_a_tensor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second download of `float.npy` is a file, not a tensor as answers print it."""
    monkeypatch.chdir(tmp_path)
    np.save("float (1).npy", np.array([1, 5], np.float32))
    code, output = run("sonnx.Max", "--input", "X0=float (1).npy", "--input", "X1=float:[4, 1]")
    assert (code, "Y = float (2) [4, 5]" in output) == (0, True), output


def test_a_shape_that_is_the_same_for_all_types() -> None:
    """Then no type is chosen, and none is named."""
    assert run("sonnx.Max", "--shape", "X0=N,3", "--shape", "X1=M") == run(
        "sonnx.Max", "--shape", "X0=N,3", "--shape", "X1=M", "--type", "T=double"
    )


def test_of_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first section is never chosen in silence, and reals never at all."""
    (tmp_path / "made.sonnx").write_text(ONE, "utf-8")
    monkeypatch.chdir(tmp_path)

    assert run("user.Made-1", "--attr", "number=2") == (0, "Y = float () 0\n")
    code, output = run("user.Made-1", "--attr", "number=0.5")
    assert code == 2
    assert "no input or attribute says the type T of user.Made-1" in output
    assert "write --type T=int8; other types: int16, float" in output
    assert run("user.Made-1", "--attr", "number=0.5", "--type", "T=int16") == (0, "Y = int16 () 0\n")
    assert run("user.Made-1", "--attr", "number=0.5", "--type", "T=real") == (0, "Y = real () 0\n")


def test_on_arrays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same of the functions in Python, whatever was evaluated before."""
    (tmp_path / "made.sonnx").write_text(ONE, "utf-8")
    monkeypatch.chdir(tmp_path)
    made = sonnx_verify.load("user.Made-1")

    assert made.evaluate(number=2.0).dtype == np.float32
    with pytest.raises(UsageError, match=r"no input or attribute says the type T"):
        made.evaluate(number=0.5)
    assert sonnx_verify.load("user.Made-1", types={"T": "int16"}).evaluate(number=0.5).dtype == np.int16
    assert sonnx_verify.evaluate("user.Made-1", number=0.5, types={"T": "int8"}).outputs["Y"].dtype == np.int8
    with pytest.raises(UsageError, match=r"`half` is not an element type"):
        sonnx_verify.load("user.Made-1", types={"T": "half"})
