"""`diff REF`: edits that no input of both texts can show, and those of input that neither accepts, are told too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.outputs.test_since import Git, committed, run

WORDS = """library words "What words mean"
fact dense of tensor "all of it is there"
general restriction G1 "nothing is odd"
general restriction G2 "everything is even"
"""
TEXT = """use words
operator Foo version 1 user
types int = int8 int16
types of_indices of I = int32 int64
input X : tensor of T
input K : tensor of I
input V[0 .. L] : tensor of T
optional input W : tensor of T
output Y : tensor of T
optional output Z : tensor of T
attribute axis : int default 0
attribute low : int
[R1] restriction from G1 "sound" : outside the model
[C1] constraint "few axes" : rank(X) < 3
[C2] constraint "rows of indices" : rank(K) = 1
[E1] error "many axes" : when rank(X) >= 3
[E2] error "indices are no row" : when rank(K) != 1
shape Y = X.shape
value Y[i] = if axis = 0 then X[i] else T(0)
shape Z = X.shape
value Z[i] = T(0)
[U1] unspecified outcome "low" when low < 0
"""

SAME = "since HEAD:\nuser.Foo-1: its text, or one that it uses, changed; it means the same, proved\n"


@pytest.fixture
def foo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: Git) -> Path:
    """An operator with all that can be declared, and its library, committed."""
    return committed(tmp_path, monkeypatch, git, {"words.sonnx": WORDS, "foo.sonnx": TEXT})


E1 = '[E1] error "many axes" : when rank(X) >= 3\n'
E2 = '[E2] error "indices are no row" : when rank(K) != 1\n'
U1 = '[U1] unspecified outcome "low" when low < 0\n'
WIDE, COLUMN = "X = int8 (0, 0, 0) [], K = {0} (0) [], low = 0", "X = int8 () 0, K = {0} () 0, low = 0"
BOTH = "X = int8 (0, 0, 0) [], K = {0} () 0, low = 0"
LOW = "X = int8 () 0, K = {0} (0) [], low = -1"


@pytest.mark.thinned(6)
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("I = int32 int64", "I = int64", ["no longer covers I = int32"]),
        ("I = int32 int64", "I = int32 int64 uint8", ["now covers I = uint8"]),
        (E1, "", ["no longer raises E1 for " + BOTH]),
        (
            E1 + E2,
            E2.replace("E2", "E1") + E1.replace("E1", "E2"),
            [
                "newly raises E1 for " + COLUMN,
                "no longer raises E1 for " + WIDE,
                "newly raises E2 for " + WIDE,
                "no longer raises E2 for " + COLUMN,
            ],
        ),
        (E1, E1 + E1.replace("E1", "E3"), ["newly raises E3 for " + BOTH]),
        ("when low < 0", "when low < -1", ["no longer leaves the outcome open for " + LOW]),
        (U1, "", ["no longer leaves the outcome open for " + LOW]),
        ("int default 0", "int", ["`axis` is now int, and was int default 0"]),
        ("int default 0", "int default (0)", []),
        ("attribute low", "attribute more : int default 3\nattribute low", ["`more` is a new attribute"]),
        ("optional input W", "input W", ["`W` is now tensor of T, and was optional tensor of T"]),
        ("optional output Z", "output Z", ["`Z` is now tensor of T, and was optional tensor of T"]),
        ("V[0 .. L]", "V[1 .. L]", ["`V` is now [1 .. L] of tensor of T, and was [0 .. L] of tensor of T"]),
        (
            "input X : tensor of T\ninput K : tensor of I",
            "input K : tensor of I\ninput X : tensor of T",
            ["its inputs are now K, X, V, W, and were X, K, V, W"],
        ),
        (
            "output Y : tensor of T\noptional output Z : tensor of T",
            "optional output Z : tensor of T\noutput Y : tensor of T",
            ["its outputs are now Z, Y, and were Y, Z"],
        ),
        (
            "from G1",
            "from G2",
            [
                'now says outside the model: restriction "sound", "everything is even"',
                'no longer says outside the model: restriction "sound", "nothing is odd"',
            ],
        ),
    ],
)
def test_what_no_accepted_input_shows(foo: Path, old: str, new: str, expected: list[str]) -> None:
    """Each edit is told, and nothing else; what has no section is told once."""
    foo.write_text(TEXT.replace(old, new), "utf-8")
    assert foo.read_text("utf-8") != TEXT
    done = run("diff", "HEAD")
    told = [line for line in done.stdout.splitlines()[2:] if "gives a different result for" not in line]
    of_text = [line for line in expected if "{0}" not in line]
    of_input = [line for line in expected if "{0}" in line]
    lines = [f"int-{one}: {line.format(one)}" for one in ("int32", "int64") for line in of_input]
    assert told == [f"  {line}" for line in of_text + lines], done.stdout
    assert done.exit_code == 0
    (operator,) = json.loads(run("diff", "HEAD", "--format", "json").stdout)["operators"]
    assert operator["same"] is (not expected)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("all of it", "some of it", ['`dense` is now "some of it is there", and was "all of it is there"']),
        ("nothing is odd", "all is odd", ["now says outside the model: ", "no longer says outside the model: "]),
    ],
)
def test_a_sentence_of_a_library(foo: Path, old: str, new: str, expected: list[str]) -> None:
    """Words that alone say what a name means are part of the meaning."""
    foo.with_name("words.sonnx").write_text(WORDS.replace(old, new), "utf-8")
    _, name, *told = run("diff", "HEAD").stdout.splitlines()
    assert name == "user.Foo-1"
    assert len(told) == len(expected)
    assert all(line.startswith(f"  {start}") for line, start in zip(told, expected, strict=True))


STANDARD = """operator Bar version 1 user
types int = int8
input X : tensor of T
input Z : tensor of T
output Y : tensor of T
attribute pads : list of int default [0, 1]
attribute scale : float default 0.5
shape Y = X.shape
value Y[i] = X[i]
"""
NAMES = ", pads = pads, scale = scale"
PROFILE = STANDARD.replace("1 user\n", f"2 profile\nrefines user Bar version 1 with X = X, Y = Y, Z = Z{NAMES}\n")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "X = X, Y = Y, Z = Z",
            "X = Z, Y = Y, Z = X",
            "it is now a refinement of user.Bar-1 by X = Z, Y = Y, Z = X{0}, "
            "and was a refinement of user.Bar-1 by X = X, Y = Y, Z = Z{0}",
        ),
        ("[0, 1]", "[0, 2]", "`pads` is now list of int default [0, 2], and was list of int default [0, 1]"),
        ("[0, 1]", "[0, (1)]", None),
        ("pads : list of int", "pads : ints", None),
        ("float default 0.5", "float default 0.50", None),
        ("float default 0.5", "float default 0.25", "`scale` is now float default 1/4, and was float default 1/2"),
    ],
)
def test_of_a_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: Git, old: str, new: str, expected: str | None
) -> None:
    """Things of the same name are compared with each other, whatever the `refines` line calls them."""
    bar = committed(tmp_path, monkeypatch, git, {"standard.sonnx": STANDARD, "bar.sonnx": PROFILE})
    bar.write_text(PROFILE.replace(old, new), "utf-8")
    done = run("diff", "HEAD")
    told = done.stdout.splitlines()[2:]
    assert told == ([] if expected is None else ["  " + expected.format(NAMES)]), done.stdout
    assert ("means the same, proved" in done.stdout) is (expected is None)
