"""`explain` of an operator: its own lines, and the places of what it uses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.cli import main

LIBRARY = """\
library halves "Halves"

define half(n : int) : int
  "half of n, rounded down"
  = div(n, 2)

define least(x : T) : T for int "the least element" = T.lowest
define least(x : T) : T for float "minus infinity" = -T.infinity
"""
OPERATOR = """\
use halves
use general_restrictions

operator Cut version 1 user

types int   = int8
types float = float16

input  X : tensor of T
output Y : tensor of T

define own(n : int) : int "named here" = half(n)

[R1] restriction from GR1 "X is dense" : X is dense
[R2] restriction "the model is clean" : outside the model
[C1] constraint "X is a vector"
  : rank(X) = 1
    and half(X.shape[0]) >= 0
[E1] error "no vector" : when C1 fails

-- A comment is no item.
shape Y              = shape (k in 0 .. 0 -> own(X.shape[0]))
value Y[i] for int   = least(X[i])
value Y[i] for float = least(X[i])

example one for int "one element"
  X = int8 (1) [1]
  Y = int8 (0) []
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an operator and a library that it uses."""
    (tmp_path / "halves.sonnx").write_text(LIBRARY, "utf-8")
    (tmp_path / "cut.sonnx").write_text(OPERATOR, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def explain(*words: str) -> Result:
    """Run the command."""
    made = CliRunner().invoke(main, ["explain", *words])
    assert made.exit_code == 0
    return made


def test_the_text_and_what_it_uses(folder: Path) -> None:
    """Each item is as it is written, at its line; a name that a library defines for each family is told twice."""
    assert (
        explain("user.Cut-1").output
        == """\
user.Cut-1 (user), cut.sonnx
section int: int8
section float: float16
   9  input  X : tensor of T
  10  output Y : tensor of T
  12  define own(n : int) : int "named here" = half(n)
  14  [R1] restriction from GR1 "X is dense" : X is dense
  15  [R2] restriction "the model is clean" : outside the model
  16  [C1] constraint "X is a vector"
        : rank(X) = 1
          and half(X.shape[0]) >= 0
  19  [E1] error "no vector" : when C1 fails
  22  shape Y              = shape (k in 0 .. 0 -> own(X.shape[0]))
  23  value Y[i] for int   = least(X[i])
  24  value Y[i] for float = least(X[i])
  26  example one for int "one element"
uses
  half "half of n, rounded down", halves.sonnx:3; in C1, own
  least for int "the least element", halves.sonnx:7; in Y.value
  least for float "minus infinity", halves.sonnx:8; in Y.value
  GR1 "no sparse tensors", spec/common/general_restrictions.sonnx:8; in R1
"""
    )


def test_json_and_terms(folder: Path) -> None:
    """JSON has the same; the terms are printed if they are asked for."""
    made = json.loads(explain("user.Cut-1", "--format", "json").output)
    terms = explain("user.Cut-1", "--terms").output

    assert made["sections"][0] == {"name": "int", "types": ["int8"], "variables": {}}
    assert made["items"][5] == {
        "name": "C1",
        "line": 16,
        "text": '[C1] constraint "X is a vector"\n  : rank(X) = 1\n    and half(X.shape[0]) >= 0',
    }
    assert made["uses"][0] == {
        "name": "half",
        "title": "half of n, rounded down",
        "file": "halves.sonnx",
        "line": 3,
        "in": ["C1", "own"],
    }
    assert "    term:  1\nsize of Y" in terms


ASKING = """\
operator Ask version 1 user

types int = int8

input  X : tensor of T where rank(X) > 0
output Y : tensor of T

shape Y    = X.shape
value Y[i] = T(X.shape[1])
"""


def test_terms_have_what_is_assumed_and_asked(folder: Path) -> None:
    """The condition of a declaration and what a read asks are shown beside their text; of an obligation, what it may
    assume."""
    (folder / "ask.sonnx").write_text(ASKING, "utf-8")
    terms = explain("user.Ask-1", "--terms").output
    of_read = explain("user.Ask-1.int/Y.value/in-bounds", "--terms").output

    assert "where of X\n    text:  rank(X) > 0\n    means: 1 <= rank(X)\n" in terms
    assert (
        "[Y.value] asks that the shape has axis 1: X.shape[1]\n"
        "    text:  X.shape[1]\n"
        "    means: for all i in X : 2 <= rank(X)\n"
    ) in terms
    assert "given\n    (<= 1 X.rank)\n" in of_read
