"""Questions that users of ONNX asked in public, with the answer that ONNX's text gives.

A case is a question about an operator as a command line, its exit status, and what its answer says. The numbers are
those of the table in ../shared, where the threads are named. F46 and F47 are laws that take solvers long.
"""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

ROOT = Path(__file__).parents[2]
EVAL = {
    # Reshape: 0 copies the size at its own place, whatever -1 stands for.
    "F01": ("onnx.Reshape --shape data=2,2,3,2 --input shape=int64:[-1,0,0]", 0, "reshaped : [4, 2, 3]\n"),
    "F01-profile": (
        "sonnx.Reshape --shape data=2,2,3,2 --input shape=int64:[-1,0,0] --attr allowzero=0",
        0,
        "reshaped : [4, 2, 3]\n",
    ),
    "F02": ("onnx.Reshape --shape data=0,8,2 --input shape=int64:[4,2,-1] --attr allowzero=1", 0, "[4, 2, 0]\n"),
    "F02-next": ("onnx.Reshape --shape data=4,2,0 --input shape=int64:[0,0,4] --attr allowzero=1", 0, "[0, 0, 4]\n"),
    "F09": ("onnx.Flatten --shape input=D --attr axis=1", 0, "output : [D, 1]\n"),
    "F09-0": ("onnx.Flatten --shape input=D --attr axis=0", 0, "output : [1, D]\n"),
    "F10": ("onnx.Flatten --shape input=2,3,4 --attr axis=5", 1, "[C1] fails for all sizes"),
    "F11": ("onnx.Flatten --shape input=2,3 --attr axis=2", 0, "output : [6, 1]\n"),
    "F12": ("onnx.Transpose --input data=int8:5", 0, "transposed = int8 () 5\n"),
    "F12-empty": ("onnx.Transpose --input data=int8:5 --attr perm=[]", 0, "transposed = int8 () 5\n"),
    "F13": ("onnx.Transpose --shape data=2,3,4 --attr perm=[2,0,0]", 1, "[C2] fails for all sizes"),
    "F17": ("onnx.ConstantOfShape --input input=int64:[]", 0, "output = float () 0\n"),
    "F18": ("onnx.ConstantOfShape --input input=int64:[2] --attr value=int32:2", 0, "output = int32 (2) [2, 2]\n"),
    "F19": ("onnx.Squeeze --shape data=2,3 --input axes=int64:[0]", 1, "[C2] fails"),
    "F21": ("onnx.Unsqueeze --input data=int8:1 --input axes=int64:0", 1, "[C3] fails: axes is a list"),
    "F22": ("onnx.Unsqueeze --shape data=3,4,5 --input axes=int64:[4,0]", 0, "[1, 3, 4, 5, 1]\n"),
    "F22-negative": ("onnx.Unsqueeze --shape data=3,4,5 --input axes=int64:[-1,1]", 0, "[3, 1, 4, 5, 1]\n"),
    "F22-twice": ("onnx.Unsqueeze --shape data=3,4,5 --input axes=int64:[0,-5]", 1, "[C2] fails"),
    "F23": ("onnx.Unsqueeze-1 --shape data=P,Q,R --attr axes=[-1]", 1, "counted from the front"),
    "F23-11": ("onnx.Unsqueeze --opset 12 --shape data=P,Q,R --attr axes=[-1]", 0, "[P, Q, R, 1]\n"),
    "F25": ("onnx.ReduceMean --input data=int32:[2147483647,2147483647] --attr keepdims=0", 0, "int32 () 2147483647\n"),
    "F29": ("onnx.Gather-1 --input data=int8:[1,2,3] --input indices=int64:[-1]", 3, "[U_NEGATIVE] leaves the outcome"),
    "F29-13": ("onnx.Gather-13 --input data=int8:[1,2,3] --input indices=int64:[-1]", 0, "output = int8 (1) [3]\n"),
    "F30": ("sonnx.Gelu --input X=float:-1 --attr approximate=none", 0, "Y = float () -0.15865526\n"),
    "F30-tanh": ("sonnx.Gelu --input X=float:-1 --attr approximate=tanh", 0, "Y = float () -0.15880801\n"),
    "F31": ("onnx.Gelu --input X=float:-1 --attr approximate=", 1, "`approximate` does not match its declaration"),
    "F32": ("onnx.Abs --input X=int8:-128", 0, "[U_LOWEST] leaves the element open"),
    "F32-profile": ("sonnx.Abs --input X=int8:-128", 0, "Y = int8 () -128\n"),
    "F32-neg": ("sonnx.Neg --input X=int64:-9223372036854775808", 0, "Y = int64 () -9223372036854775808\n"),
    "F40": (
        "onnx.Concat-4 --input inputs0=int8:[[1,2]] --input inputs1=int8:[[3]] --attr axis=-1",
        3,
        "[U_RANGE] leaves the outcome open",
    ),
    "F40-11": (
        "onnx.Concat-11 --input inputs0=int8:[[1,2]] --input inputs1=int8:[[3]] --attr axis=-1",
        0,
        "concat_result = int8 (1, 3) [[1, 2, 3]]\n",
    ),
    "F43": ("onnx.Equal-19 --input A=string:[a] --input B=string:[a]", 2, "unknown element type `string`"),
    "F48": (
        "onnx.Split-18 --input input=int8:[1,2,3,4,5,6,7] --attr num_outputs=3",
        3,
        "[U_SMALLER] leaves the outcome",
    ),
    "F49": ("onnx.Sum --input data_00=float:[1,2]", 0, "sum = float (2) [1, 2]\n"),
    "F49-three": ("onnx.Sum --shape data_00=3,4,5 --shape data_01=1,5 --shape data_02=5", 0, "sum : [3, 4, 5]\n"),
    "F49-empty": ("onnx.Sum --shape data_00=0,3,4 --shape data_01=1", 0, "sum : [0, 3, 4]\n"),
    "F49-int": ("onnx.Sum --input data_00=int32:1", 2, "does not support int32"),
    "F50": ("onnx.Pow --input X=float16:3 --input Y=int64:2", 0, "Z = float16 () 9\n"),
    "F50-profile": ("sonnx.Pow --input X=float16:3 --input Y=int64:2", 2, "both hold elements of T"),
    "F54": ("onnx.Reshape --shape data= --input shape=int64:[-1]", 0, "reshaped : [1]\n"),
    "F54-vector": ("onnx.Reshape --shape data=N --input shape=int64:[-1,1]", 0, "reshaped : [N, 1]\n"),
    "F55": ("onnx.Relu --input X=float:[-1,-0.0]", 0, "[U_ZEROS] leaves element [1] open"),
    "F55-profile": ("sonnx.Relu --input X=float:-1", 0, "Y = float () 0\n"),
    "F55-exp": ("sonnx.Exp --input input=float:1", 0, "within 3 steps of 2.7182817"),
}
XOR = """\
operator Xor version 7 user
use broadcast

types bool = bool

input  A : tensor of T
input  B : tensor of T
output C : tensor of T

let S = [A.shape, B.shape]
[C1] constraint "the shapes broadcast together"      : broadcastable(S)
[E1] error      "the shapes do not broadcast"        : when C1 fails

let P = expanded(A, common_shape(S))
let Q = expanded(B, common_shape(S))

shape C    = common_shape(S)
value C[i] = P[i] != Q[i]
"""
ONE_HOT = """\
operator OneHot version 11 user

types int   = int64
types float = float

input     indices : tensor of int64
input     depth   : tensor of int64
input     values  : tensor of T
attribute axis    : int default (-1)
output    output  : tensor of T

[C1] constraint "depth is one number, and positive" : rank(depth) = 0 and depth[index (k in axes(depth) -> 0)] > 0
let n = int(depth[index (k in axes(depth) -> 0)])
let r = rank(indices) + 1
[C2] constraint "values are two"                    : rank(values) = 1 and values.shape[0] = 2
[C3] constraint "axis is one of the output"         : -r <= axis < r
let a = if axis < 0 then axis + r else axis

define at(i : index) : int
  "the index that stands beside this place"
  = int(indices[index (k in axes(indices) -> i[if k < a then k else k + 1])])

shape output    = shape (k in 0 .. r - 1 -> if k = a then n else indices.shape[if k < a then k else k - 1])
value output[i] = if i[a] = (if at(i) < 0 then at(i) + n else at(i)) then values[[1]] else values[[0]]
"""
TEXTS = {"xor": XOR, "onehot": ONE_HOT}
COPIED = ("slice", "pad", "casting", "recurrent/cumsum")
OWN = {
    # Operators that the library lacks, from texts of one's own.
    "N01": (
        "user.Slice-13 --input X=int8:[0,1,2,3,4,5,6,7,8,9] --input starts=int64:[9] --input ends=int64:[0] "
        "--input axes=int64:[0] --input steps=int64:[-1]",
        0,
        "Y = int8 (9) [9, 8, 7, 6, 5, 4, 3, 2, 1]\n",
    ),
    "N01-empty": (
        "user.Slice-13 --input X=int8:[0,1,2,3,4,5,6,7,8,9] --input starts=int64:[0] --input ends=int64:[5] "
        "--input axes=int64:[0] --input steps=int64:[-1]",
        0,
        "Y = int8 (0) []\n",
    ),
    "N04": ("user.Cast-13 --input input=double:0.98858 --attr to=6", 0, "output = int32 () 0\n"),
    "N05": (
        "user.Pad-25 --input X=int8:[[1,2],[3,4]] --input pads=int64:[2,0,-2,0]",
        0,
        "Y = int8 (2, 2) [[0, 0], [0, 0]]\n",
    ),
    "N06": ("user.Xor-7 --input A=bool:[true] --input B=bool:[false]", 0, "C = bool (1) [true]\n"),
    "N10": (
        "user.CumSum-14 --input x=int32:[[1,2]] --input axis=int32:-2 --attr exclusive=1 --attr reverse=1",
        0,
        "y = int32 (1, 2) [[0, 0]]\n",
    ),
    "N11": (
        "user.OneHot-11 --input indices=int64:[0,2,4,-1] --input depth=int64:5 --input values=int64:[0,1]",
        0,
        "[1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 1]",
    ),
}
PROVED = {
    "F34": (
        "for X : tensor of T; B : tensor of T assuming for all i in indices(B) : B[i] = T(1) : Mul(X, B) = X",
        1,
        "refuted for real, int8",
    ),
}


def asked(command: str, line: str) -> tuple[int, str]:
    """The status of a command, and what it prints."""
    done = CliRunner().invoke(main, [command, *shlex.split(line)], prog_name="sonnx-verify")
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, done.output


@pytest.mark.parametrize("case", EVAL)
def test_the_library(case: str) -> None:
    """The answer is right, or it is left open with the item that says so."""
    line, status, said = EVAL[case]
    code, output = asked("eval", line)
    assert (code, said in output) == (status, True), output


@pytest.mark.parametrize("case", OWN)
def test_texts_of_ones_own(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same of operators that the library lacks."""
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.sonnx").write_text(text, "utf-8")
    for name in COPIED:
        shutil.copy(ROOT / f"tests/language/{name}.sonnx", tmp_path)
    monkeypatch.chdir(tmp_path)
    line, status, said = OWN[case]
    code, output = asked("eval", line)
    assert (code, said in output) == (status, True), output


@pytest.mark.parametrize("case", PROVED)
def test_laws(case: str) -> None:
    """A product with ones is no identity: the ones may have the greater shape."""
    statement, status, said = PROVED[case]
    code, output = asked("prove", shlex.quote(statement))
    assert (code, said in output) == (status, True), output
