"""What a verdict says of inputs that were looked for: those that only long lists or many axes make are found, and an
undecided verdict says what was looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

THEORY = """\
use orders

theory sizes "Sizes"

types float = float

theorem {name} "a false law"
  for {given}
"""
LONG_LIST = "x[0 .. L] : T assuming L >= 9 : x[0] <= x[1] or is_nan(x[1]) or x[1] = x[9]"
MANY_AXES = "X : tensor of T assuming rank(X) >= 7 : X.shape[0] = X.shape[6]"
SET = "A : set of int : not (3 in A and 5 in A and not 4 in A)"
TEXTS = "a, b, c : string : a = b or b = c or a = c"
RANGE = "n : int assuming n > 20 : sum { 3 * k | k in n .. n + 1 } != 147"
SQUARES = "n : int assuming n > 20 : sum { k * k | k in n .. n + 1 } != 1201"
DERIVED = "S, U : shape assuming rank(S) = 4 and rank(U) = 4 : rank(shape (k in 0 .. rank(S) + rank(U) - 1 -> 1)) != 8"
LONG_SUM = "X : tensor of T assuming rank(X) = 1 and X.shape[0] >= 20 : sum { k | k in 0 .. X.shape[0] - 1 } != 300"


def said(path: Path, given: str) -> str:
    """The finding of a law."""
    (path / "law.sonnx").write_text(THEORY.format(name="law", given=given))
    done = CliRunner().invoke(main, ["check", "--no-cache", str(path / "law.sonnx")])
    return done.output


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (LONG_LIST, "    x9 = float "),
        (MANY_AXES, "    X = float (0, 0, 0, 0, 0, 0, 1) []"),
        (SET, "    A = {3, 5}"),
        (TEXTS, '    a = ""\n    b = "a"\n    c = "t0"'),
        (RANGE, "    n = 24"),
        # Solvers take ten seconds for squares.
        pytest.param(SQUARES, "    n = 24", marks=pytest.mark.soak),
        (DERIVED, "    S = shape (0, 0, 0, 0)"),
    ],
)
def test_a_law_that_larger_input_breaks_is_refuted(given: str, shown: str, tmp_path: Path) -> None:
    output = said(tmp_path, given)

    assert output.startswith("refuted user.sizes.float/law/theorem\n")
    assert shown in output


def test_a_candidate_says_what_was_looked_at(tmp_path: Path) -> None:
    """Only one of 25 elements breaks the law, and no range of more than 16 numbers is unrolled."""
    output = said(tmp_path, LONG_SUM)

    assert output.startswith("candidate user.sizes.float/law/theorem\n")
    assert "\n  none of " in output
    assert "a solver says that there is none with ranks to 4, sizes to 80, ranges to 8 numbers\n" in output
    assert "a solver's model of what is not shown, not evaluated: rank(X) = 1, X.shape = (20)\n" in output
