"""Versions and texts: each is an operator of its own, equal to the same operator written out in full."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.errors import SpecificationError
from sonnx_verify.language.parser import parse
from sonnx_verify.language.project import Project
from sonnx_verify.language.versions import editions
from sonnx_verify.obligations.transcription import differences
from sonnx_verify.sources import Source

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.fixture
def pick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the operator of pick.sonnx alone."""
    shutil.copy(HERE / "pick.sonnx", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(*arguments: str) -> tuple[int, str]:
    """The exit status of a command and what it printed."""
    done = CliRunner().invoke(main, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done.exit_code, done.output


MISMATCH = ["--input", "A=int8:[1]", "--input", "B=int8:[1, 2]"]


@pytest.mark.parametrize(
    ("identity", "error", "value"),
    [
        ("user.Pick-1", "E1", "int8 (1) [9]"),
        ("user.Pick-2", "E1", "int8 (1) [4]"),
        ("user.Pick-2@ranks", None, "int8 (1) [4]"),
        ("user.Pick", "E1", "int8 (1) [4]"),
    ],
)
def test_evaluated_is_what_is_named(pick: Path, identity: str, error: str | None, value: str) -> None:
    """Each version and text has its own value and errors; without a version it is the newest, in its first text."""
    _, broken = said("eval", identity, *MISMATCH, "--why")
    status, printed = said("eval", identity, "--input", "A=int8:[9]", "--input", "B=int8:[4]")

    assert ("[E1] applies" in broken) == (error is not None)
    assert (0, f"Y = {value}\n") == (status, printed)


def test_theorem_is_about_the_newest_version(pick: Path) -> None:
    """An operator's name in a statement is its newest version: the second is commutative, the first is not."""
    assert said("prove", "Pick(A, B) = Pick(B, A)")[0] == 0
    text = Path("pick.sonnx").read_text("utf-8")
    Path("pick.sonnx").write_text(text[: text.index("version 2")], "utf-8")
    assert said("prove", "Pick(A, B) = Pick(B, A)")[0] == 1


@pytest.mark.parametrize(
    ("pattern", "subjects"),
    [
        ("user.Pick-2", ["user.Pick-2"]),
        ("user.Pick-2@ranks", ["user.Pick-2@ranks"]),
        ("user.Pick-2*", ["user.Pick-2", "user.Pick-2@ranks"]),
        ("*@*", ["user.Pick-2@ranks"]),
        ("pick.sonnx", ["user.Pick-1", "user.Pick-2", "user.Pick-2@ranks"]),
        ("user.Pick-?.int/C1/covered", ["user.Pick-1", "user.Pick-2"]),
    ],
)
def test_selected_is_what_is_named(pick: Path, pattern: str, subjects: list[str]) -> None:
    """A path selects every version and text, a pattern those that it matches."""
    status, printed = said("explain", "--list", pattern)
    found = [re.split(r"\.int/|/", line)[0] for line in printed.splitlines()]

    assert (0, subjects) == (status, list(dict.fromkeys(found)))


def test_counterexample_of_a_text(pick: Path) -> None:
    """One text's obligation is refuted and the other's is proved; both are shown by their identities."""
    refuted = said("explain", "--counterexample", "user.Pick-2@ranks.int/C1/covered")[1]
    proved = said("explain", "--counterexample", "user.Pick-2.int/C1/covered")[1]

    assert "refuted user.Pick-2@ranks.int/C1/covered" in refuted
    assert "B = int8 (1) [0]" in refuted
    assert proved.startswith("proved")
    assert said("explain", "--terms", "user.Pick-2@ranks")[1].startswith("user.Pick-2@ranks (user), pick.sonnx\n")


def test_json_of_texts_fits_the_schema(pick: Path) -> None:
    """The records of versions and texts are those that the schema describes."""
    made = json.loads(said("check", "user.Pick-2*", "--format", "json")[1])
    jsonschema.validate(made, json.loads((ROOT / "sonnx_verify" / "outputs" / "check.schema.json").read_text("utf-8")))

    assert {"user.Pick-2/spec/well-formed", "user.Pick-2@ranks/spec/well-formed"} <= {
        o["id"] for o in made["obligations"]
    }


# ------------------------------------------------------------------------------------ the same, written out in full

FIRST = """operator F version 1 user
types int = int8 int16
types real = real
input X : tensor of T
input W : tensor of T
output Y : tensor of T
attribute axis : int
attribute old : int where old >= 0
let n = rank(X)
[R1] restriction "narrow" : axis < n
[C1] constraint "axis is one" : 0 <= axis
[C2] constraint "W is like X" : W.shape = X.shape
[E1] error "none" : when C1 fails
[E2] error "none" : when C2 fails
define half(k : int) : int = div(k, 2)
let m = half(n)
shape Y = X.shape
value Y[i] for int = X[i]
value Y[i] for real = X[i]
unspecified value Y[i] for int when old = 1
"""

SECOND = """version 3
add types int = int32
add types float = float
remove types real = real
replace let n = rank(W)
replace [C1] constraint "axis is one, from 1" : 1 <= axis
remove clause E2
remove attribute old
replace define half(k : int) : int = div(k, 2) + 1
remove value Y
add value Y[i] = W[i]
replace unspecified value Y[i] for int when m = 1
add attribute new : int
add [C3] constraint "new is small" : new < m
replace types int = int32 int8 int16
add input V : tensor of T
"""

WHOLE = """operator F version 3 user
types int = int32 int8 int16
types float = float
input X : tensor of T
input W : tensor of T
input V : tensor of T
output Y : tensor of T
attribute axis : int
attribute new : int
let n = rank(W)
[R1] restriction "narrow" : axis < n
[C1] constraint "axis is one, from 1" : 1 <= axis
[C2] constraint "W is like X" : W.shape = X.shape
[E1] error "none" : when C1 fails
define half(k : int) : int = div(k, 2) + 1
let m = half(n)
shape Y = X.shape
value Y[i] = W[i]
unspecified value Y[i] for int when m = 1
[C3] constraint "new is small" : new < m
"""


def test_a_difference_is_the_whole_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second version by differences has the obligations, the terms and the claims of the same text in full."""
    rows = []
    for name, text in (("differences", FIRST + SECOND), ("whole", WHOLE)):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        Path("f.sonnx").write_text(text, "utf-8")
        listed = [line.split()[0] for line in said("explain", "--list", "user.F-3*")[1].splitlines()]
        shown = [re.sub(r" \(f\.sonnx:.*?\)", "", said("explain", "--terms", i)[1].partition("\n")[2]) for i in listed]
        operator = [
            line
            for line in said("explain", "--terms", "user.F-3")[1].splitlines()
            if not line.startswith(("add", "input"))
        ]
        rows.append((listed, shown, [x for x in operator if " attribute " not in f" {x}"]))

    assert len(rows[0][0]) > 30
    assert rows[0][0] == rows[1][0]
    assert rows[0][1] == rows[1][1]
    assert rows[0][2] == rows[1][2]


def test_the_first_version_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes after it changes nothing in a version."""
    printed = []
    for text in (FIRST, FIRST + SECOND):
        monkeypatch.chdir(tmp_path)
        Path("f.sonnx").write_text(text, "utf-8")
        printed.append((said("explain", "--list", "user.F-1*"), said("explain", "--terms", "user.F-1")))

    assert printed[0] == printed[1]


TEXTS = """operator F version 1 user
types float = float16 float
input X : tensor of T
output Y : tensor of T
shape Y = X.shape
value Y[i] = X[i]
[U_NAN] unspecified value Y[i] "no word on NaN" for float when is_nan(X[i])
[U_SCALAR] unspecified outcome "no word on scalars" when rank(X) = 0

version 1 text a
remove unspecified U_NAN

version 1 text b
replace [U_NAN] unspecified value Y[i] "no word on zero" for float when is_zero(X[i])

version 2
remove unspecified U_SCALAR
"""


def test_what_a_difference_is_one_to() -> None:
    """Texts are differences to the first text of their version, a version to that of the version before. What is
    unspecified is named by its tag."""
    made = editions(parse(Source("f.sonnx", TEXTS)))
    titles = {(f.version, f.text): [r.title for r in f.rules if r.what.startswith("unspecified")] for f in made}

    assert titles == {
        (1, ""): ["no word on NaN", "no word on scalars"],
        (1, "a"): ["no word on scalars"],
        (1, "b"): ["no word on zero", "no word on scalars"],
        (2, ""): ["no word on NaN"],
    }


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            "add [U_NAN] unspecified value Y[i] for float when is_zero(X[i])",
            "unspecified `U_NAN` for float already exists",
        ),
        ("remove unspecified U_NONE", "there is no unspecified `U_NONE` to remove"),
        ("[U_NAN] unspecified shape when rank(X) = 1", ""),
    ],
)
def test_tags_of_what_is_unspecified_are_names(pick: Path, changed: str, message: str) -> None:
    """A tag stands once in a version."""
    text = TEXTS.replace("remove unspecified U_SCALAR", changed)
    if not message:
        text, message = TEXTS[: TEXTS.index("version 1 text a")] + changed + "\n", "the tag [U_NAN] is used twice"
    Path("f.sonnx").write_text(text, "utf-8")
    status, printed = said("check", "f.sonnx")

    assert status == 2
    assert message in printed


# ------------------------------------------------------------------------------------------------------ transcription

SUM = """operator ReduceSum version 1 standard
types float = float16 float double
types int   = int32 int64 uint32 uint64
input data : tensor of T
output reduced : tensor of T
attribute keepdims : int default 1
optional attribute axes : ints

version 11

version 13
add types float = bfloat16
move attribute axes to optional input : tensor of int64
add attribute noop_with_empty_axes : int default 0
"""


def compared(text: str) -> list[list[str]]:
    """What differs from ONNX, version by version."""
    from sonnx_verify.language.versions import editions

    project = Project.open(ROOT)
    return [differences(project, file) for file in editions(parse(Source("sum.sonnx", text)))]


def test_every_version_is_that_of_onnx() -> None:
    """Three versions with an attribute that becomes an optional input, and a default."""
    assert compared(SUM) == [[], [], []]


def test_names_of_type_variables_do_not_count() -> None:
    """ONNX's T may be called otherwise here, if the same inputs and outputs share it."""
    renamed = SUM.replace("types float =", "types float of E =").replace("types int   =", "types int of E =")
    renamed = renamed.replace("tensor of T", "tensor of E").replace("add types float =", "add types float of E =")
    assert compared(renamed) == [[], [], []]


@pytest.mark.parametrize(
    ("old", "new", "version", "words"),
    [
        ("add types float = bfloat16\n", "", 2, "types of data: here nothing else, in ONNX also bfloat16"),
        ("uint64\n", "uint64 uint8\n", 0, "types of data: here also uint8"),
        ("keepdims : int default 1", "keepdims : int default 0", 0, "keepdims: here int, may be left out, default 0"),
        ("keepdims : int default 1", "keepdims : int", 1, "attribute keepdims: here int, required"),
        ("keepdims : int default 1", 'keepdims : string default "1"', 1, "here string"),
        ("optional attribute axes", "attribute axes", 0, "attribute axes: here ints, required"),
        ("axes : ints", "axes : int", 0, "attribute axes: here int,"),
        ("to optional input", "to input", 2, "inputs: here data, axes, in ONNX data, optional axes"),
        ("tensor of int64", "tensor of int32", 2, "types of axes: here also int32, in ONNX also int64"),
        ("add attribute noop_with_empty_axes : int default 0\n", "", 2, "noop_with_empty_axes: here no such attribute"),
        ("output reduced", "output result", 0, "outputs: here result, in ONNX reduced"),
        ("input data :", "input data[0 .. n] :", 0, "inputs: here data (any number)"),
        ("version 11\n", "version 12\n", 1, "ONNX has no ReduceSum version 12"),
        (
            "types int   =",
            "types int of I =",
            0,
            "types of data: here nothing else, in ONNX also int32 int64 uint32 uint64; "
            "types of reduced: here nothing else, in ONNX also int32 int64 uint32 uint64; "
            "types used by no input or output",
        ),
        (
            "output reduced : tensor of T",
            "output reduced : tensor of R\ntypes f of R = float16 float double\n"
            "types i of R = int32 int64 uint32 uint64",
            0,
            "reduced does not share its type with the same tensors as in ONNX",
        ),
    ],
)  # fmt: skip  # a table
def test_a_slip_is_told(old: str, new: str, version: int, words: str) -> None:
    """Whatever differs from the table violates the transcription of that version, and is named."""
    assert SUM.count(old) == 1

    assert words in "; ".join(compared(SUM.replace(old, new))[version])


CHOICE = """operator Constant version 13 standard
types int   = int8 int16 int32 int64 uint8 uint16 uint32 uint64
types float = bfloat16 float16 float double
types bool  = bool
optional attribute value         : tensor of T
optional attribute value_float   : float
optional attribute value_floats  : floats
optional attribute value_int     : int
optional attribute value_ints    : ints
optional attribute value_string  : string
optional attribute value_strings : strings
output output : tensor of T
[R1] restriction "the language lacks the types complex128, complex64 and string" : outside the model
[R2] restriction "sparse_value is not given" : outside the model
"""
CURE = "name all of it in the title of a restriction `outside the model`"


def test_what_the_language_lacks_is_named() -> None:
    """A text has no form for complex elements, nor for sparse tensors as attributes: it says so in restrictions."""
    assert compared(CHOICE) == [[]]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            " and string",
            "",
            f"types of output: here nothing else, in ONNX also string; the language lacks string: {CURE}",
        ),
        ("and string", "and strings", f"the language lacks string: {CURE}"),
        ("sparse_value is", "it is", "attribute sparse_value: here no such attribute, in ONNX sparse_tensor, may"),
        # A word of another clause names nothing.
        ('string" : outside the model', 'string" : rank(output) = 0', "the language lacks complex128 complex64 string"),
        # The language has these: no restriction excuses a text that lacks them.
        ("types bool  = bool\n", "", "types of output: here nothing else, in ONNX also bool"),
        ("optional attribute value_int     : int\n", "", "attribute value_int: here no such attribute"),
        ("optional attribute value         : tensor of T\n", "", "attribute value: here no such attribute"),
        ("value_strings : strings", "value_strings : string", "attribute value_strings: here string"),
    ],
)
def test_what_is_not_named_is_missing(old: str, new: str, words: str) -> None:
    assert CHOICE.count(old) == 1
    text = CHOICE.replace(old, new) + '[R3] restriction "no bool, no value_int" : outside the model\n'

    assert words in "; ".join(compared(text)[0])


def test_what_has_to_be_given_cannot_be_left_out() -> None:
    """The tensor of Constant-1 is all that it has: a text without it is not its transcription."""
    text = "operator Constant version 1 standard\ntypes float = float16 float double\noutput output : tensor of T\n"
    found = compared(text + '[R1] restriction "value" : outside the model\n')

    assert found == [["attribute value: here no such attribute, in ONNX tensor, required, no default"]]


def test_a_table_of_another_form(tmp_path: Path) -> None:
    """A project may have a copy that an older version made: its standards are not judged by it."""
    table = tmp_path / "spec" / "onnx" / "signatures.json"
    table.parent.mkdir(parents=True)
    table.write_text('{\n "Max-13": {\n  "attributes": []\n }\n}\n', "utf-8")
    (text,) = editions(parse(Source("choice.sonnx", CHOICE)))

    assert "has a form that this version does not read" in "; ".join(differences(Project.open(tmp_path), text))


def test_a_default_that_is_not_written_out() -> None:
    """What cannot be compared is refused."""
    with pytest.raises(SpecificationError, match="not a literal"):
        compared(SUM.replace("default 1", "default (rank(data))"))


def test_a_default_of_single_precision() -> None:
    """A float's default is the one that single precision has: 0.01 is 0.01, and nothing near it."""
    from sonnx_verify.obligations.transcription import compared as held
    from sonnx_verify.obligations.transcription import signature_of

    text = "operator F version 1 standard\ntypes float = float\ninput X : tensor of T\noutput Y : tensor of T\n"
    mine = signature_of(parse(Source("f", text + "attribute alpha : float default 0.01")))
    near = signature_of(parse(Source("f", text + "attribute alpha : float default 0.0100000001")))
    far = signature_of(parse(Source("f", text + "attribute alpha : float default 0.011")))

    assert held(mine, near) == []
    assert held(mine, far) != []
