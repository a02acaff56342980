"""`y in S` where S is a set of results: that y conforms."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

pytestmark = pytest.mark.usefixtures("nothing_kept")

DEFINED = """\
library damp "Results of an element"

define damped(x : T) : set of T for float
  "what may come of x"
  = if is_nan(x) then any NaN else if is_infinite(x) then any T else within 1.5 of real(x)
"""
STATED = """\
theory members "What is in a set of results"
use damp

types float = float16 float

theorem stated "so it is"
  for x, y : T; k : int
  : {stated}
"""


def check(folder: Path, stated: str) -> str:
    """What `check` prints of the theorem."""
    (folder / "damp.sonnx").write_text(DEFINED, "utf-8")
    (folder / "members.sonnx").write_text(STATED.replace("{stated}", stated), "utf-8")
    done = CliRunner().invoke(main, ["check", str(folder / "members.sonnx"), "-v"], catch_exceptions=False)
    return done.output


@pytest.mark.parametrize("stated", [
    "is_nan(x) => (y in damped(x) iff is_nan(y))",
    "is_infinite(x) => y in damped(x)",
    "not is_nan(x) and not is_infinite(x) and y in damped(x) => not is_nan(y) and not is_infinite(y)",
    "not is_nan(x) and not is_infinite(x) and y in damped(x) => real(x) - 1.5 <= real(y) and real(y) <= real(x) + 1.5",
    "not is_nan(x) and not is_infinite(x) => x in damped(x)",
    "y in (if is_infinite(x) then any NaN else x) iff (if is_infinite(x) then is_nan(y) else y = x)",
])  # fmt: skip  # a table
def test_what_conforms(tmp_path: Path, stated: str) -> None:
    """NaN alone, anything, what is near: no more, no less."""
    assert "proved      " in check(tmp_path, stated)


@pytest.mark.parametrize("stated", [
    "is_nan(x) => y in damped(x)",
    "y in damped(x) => y = x",
    "not is_nan(x) and not is_infinite(x) and y in damped(x) => real(y) <= real(x)",
    "not is_nan(x) and not is_nan(y) => y in damped(x)",
])  # fmt: skip  # a table
def test_what_does_not(tmp_path: Path, stated: str) -> None:
    """Each has a counterexample."""
    assert "refuted     " in check(tmp_path, stated)


def test_an_element_of_another_type_is_refused(tmp_path: Path) -> None:
    """An integer is no element of a set of floats."""
    said = check(tmp_path, "k in damped(x)")

    assert "an int cannot be a member of a set of results in T" in said
    assert "8 |   : k in damped(x)" in said


@pytest.mark.parametrize("stated", ["y in x", "y in (if is_nan(x) then x else y)"])
def test_an_element_by_itself_is_no_set(tmp_path: Path, stated: str) -> None:
    """It is one beside a set, in the other branch of an `if`."""
    assert "an element cannot be a member of an element" in check(tmp_path, stated)


# -------------------------------------------------------------------------------------------------------------- lists

FOLDED = """\
operator Pairs version 1 user
types int = int8 int16
input  X : tensor of T
input  Y : tensor of T
output Z : tensor of T

[C1] constraint "two vectors" : rank(X) = 1 and rank(Y) = 1 and X.shape[0] = Y.shape[0]
[E1] error      "no vectors"  : when C1 fails

define first_above(V : set of list of T) : T
  "the sum of the first of each list, where it is above the second"
  = sum {{ {body} | p in V where p[0] > p[1] }}

shape Z    = shape (k in 1 .. 0 -> 0)
value Z[i] = first_above({{ {listed} | k in 0 .. X.shape[0] - 1 }})
"""


def pairs(folder: Path, *arguments: str, body: str = "p[0]", listed: str = "[X[[k]], Y[[k]]]") -> str:
    """What a command prints of an operator that folds lists."""
    path = folder / "pairs.sonnx"
    path.write_text(FOLDED.format(body=body, listed=listed), "utf-8")
    return CliRunner().invoke(main, [*arguments[:1], str(path), *arguments[1:]], catch_exceptions=False).output


def test_a_collection_of_lists_is_folded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each name over it means a list, whose items are read; all is proved, also that these reads are inside."""
    printed = pairs(tmp_path, "check", "-v")
    assert "no surprises" in printed
    assert "Z.value/in-bounds" in printed

    monkeypatch.chdir(tmp_path)
    given = ("--input", "X=int8:[3, 1, 7]", "--input", "Y=int8:[2, 5, -1]")
    made = CliRunner().invoke(main, ["eval", "user.Pairs-1", *given], catch_exceptions=False)
    assert made.output == "Z = int8 () 10\n"


@pytest.mark.parametrize(("change", "problem"), [
    ({"body": "p[2]"}, "violated|refuted"), ({"listed": "[X[[k]]]"}, "refuted"),
    ({"listed": "[[X[[k]]], [Y[[k]]]]"}, "error: "), ({"listed": "X.shape"}, "error: "),
    ({"listed": "[[k], [k]]"}, "error: "), ({"body": "p"}, "error: "),
])  # fmt: skip
def test_what_is_wrong_of_a_list_is_told(change: dict[str, str], problem: str, tmp_path: Path) -> None:
    """An item that a list does not have is outside; lists of lists, of indices and of shapes are no members, and a list
    is no number."""
    printed = pairs(tmp_path, "check", **change)

    assert any(word in printed for word in problem.split("|")), printed


@pytest.mark.parametrize(("stated", "verdict"), [
    ("k in 2 .. 4 iff 2 <= k and k <= 4", "proved"),
    ("not k in 3 .. 2", "proved"),
    ("k in 0 .. k + 1 or k < 0", "proved"),
    ("k in 0 .. k", "refuted"),
])  # fmt: skip  # a table
def test_numbers_of_a_range(tmp_path: Path, stated: str, verdict: str) -> None:
    """`k in a .. b` is a condition too."""
    assert f"{verdict} " in check(tmp_path, stated)
