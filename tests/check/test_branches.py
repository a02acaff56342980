"""An `if` that its condition alone decides: what is never reached is told, and has to fit all the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

TEXT = """operator Foo version 1 user
types float = float16 float
input X : tensor of T
attribute n : int
output Y : tensor of T
define chosen(k : int) : int = if k = 0 then 1 else 2
let one = chosen(0)
shape Y = X.shape
value Y[i] = {value}
"""


TYPED = """\
operator Foo version 1 user
types int = int16 {others} int32
input X : tensor of T
output Y : tensor of T
shape Y = X.shape
value Y[i] = if {condition} then T(0) else T(1)
"""


@pytest.mark.parametrize(
    ("others", "condition", "said"),
    [
        ("int8", "int(X[i]) > 200", "is never reached for int8"),
        ("uint8", "int(X[i]) < 0", "is never reached for uint8"),
        ("int8", "X[i] != X[i]", "is never reached\n"),
        ("", "int(X[i]) > 200", ""),
    ],
)
def test_types_of_what_is_never_reached(tmp_path: Path, others: str, condition: str, said: str) -> None:
    """Where some types reach a branch, the finding names the type that does not; of all types it names none."""
    (tmp_path / "foo.sonnx").write_text(TYPED.format(others=others, condition=condition), "utf-8")
    done = CliRunner().invoke(main, ["check", str(tmp_path / "foo.sonnx")])

    assert ("is never reached" in done.stdout) == bool(said)
    assert said in done.stdout


@pytest.mark.parametrize(
    ("value", "way"),
    [
        # NaN too equals itself here: `=` compares elements as they are, not as IEEE 754's comparison does.
        ("if X[i] = X[i] then X[i] else T(0)", "else"),
        ("if i != i then X[i] else T(0)", "then"),
        ("if 0 = 0 then X[i] else T(0)", "else"),
        # Either way is taken by some input.
        ("if X[i] = T(0) then X[i] else T(0)", ""),
    ],
)
def test_what_is_never_reached(tmp_path: Path, value: str, way: str) -> None:
    """Elements are compared as they are, so NaN is itself; what an argument decides in a definition is no finding."""
    (tmp_path / "foo.sonnx").write_text(TEXT.format(value=value), "utf-8")
    done = CliRunner().invoke(main, ["check", str(tmp_path / "foo.sonnx")])
    assert done.exit_code == bool(way)
    assert (f"the `{way}` of " in done.stdout and "is never reached" in done.stdout) == bool(way)


@pytest.mark.parametrize("value", ["if 0 = 0 then X[i] else n", "if i != i then X else X[i]"])
def test_both_ways_fit(tmp_path: Path, value: str) -> None:
    """Both branches need one kind, also the one that is never taken."""
    (tmp_path / "foo.sonnx").write_text(TEXT.format(value=value), "utf-8")
    done = CliRunner().invoke(main, ["check", str(tmp_path / "foo.sonnx")])
    assert done.exit_code == 2
    assert "foo.sonnx:9:14: error: the branches differ in type" in done.output


@pytest.mark.parametrize(
    "lists",
    [
        "list (k in 0 .. n -> { j | j in 0 .. k }) else list (k in 0 .. 1 -> { j | j in 0 .. k })",
        "list (k in 0 .. 1 -> X) else list (k in 0 .. 1 -> [Z, Z])",
    ],
)
def test_lists_that_no_condition_chooses_between(tmp_path: Path, lists: str) -> None:
    """Of sets, and of lists that are numbered from 1 and from 0: refused, whether an item is read or not."""
    text = (
        'theory lists "of lists"\ntypes int = int8\n'
        'theorem t "t" for X[1 .. L], Z : tensor of T; n : int assuming n >= 0\n'
        f"  : count((if n = 0 then {lists})) >= 1\n"
    )
    (tmp_path / "lists.sonnx").write_text(text, "utf-8")
    done = CliRunner().invoke(main, ["check", str(tmp_path / "lists.sonnx")])
    assert done.exit_code == 2
    assert "lists.sonnx:4:12: error: both branches are a list of " in done.output
    assert "no condition can choose between these" in done.output


PELL = """\
operator Foo version 1 user
types float = float16 float
input X : tensor of T
attribute a : int
attribute b : int
output Y : tensor of T
shape Y = X.shape
value Y[i] = if a * a = 61 * b * b + 1 and b > 0 then T(0) else X[i]
"""


def test_a_branch_that_no_search_reaches_is_named(tmp_path: Path) -> None:
    """The least solution is a = 1766319049: neither found, nor shown not to exist. Which branch it is, and with which
    type it was looked for, is told."""
    (tmp_path / "foo.sonnx").write_text(PELL, "utf-8")
    done = CliRunner().invoke(main, ["check", str(tmp_path / "foo.sonnx")])

    assert "unknown user.Foo-1.float/spec/satisfiable" in done.stdout
    assert "  looked for, with float16: the `then` of " in done.stdout
    assert "foo.sonnx:8:14 is reached\n" in done.stdout
