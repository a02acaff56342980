"""Statements for `prove` that once came out proved, about the operators in the folder `statements`.

H takes scalars only, by a restriction; K takes exactly two inputs; they have no element type in common.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

HERE = Path(__file__).parent / "statements"


@pytest.mark.parametrize(
    ("statement", "status", "words"),
    [
        ('for A : tensor of T : (for all k in 0 .. 0 : 0 = 0 otherwise "{H(A)}") and rank(A) = 0', 1, "refuted"),
        ("K(A, B, C) = A", 2, "wrong number"),
        ("K(A) = A", 2, "wrong number"),
        ("H(A) = K(A, B)", 2, "no element type in common"),
        ("rank(H(A)) = 1", 1, "refuted"),
        ("for a : int using bad : a * 0 = 0 and a < 100000", 3, "depends on user.untrue/bad/theorem, which is refuted"),
    ],
)
def test_not_proved(statement: str, status: int, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A false statement is refuted; one that means nothing is refused."""
    monkeypatch.chdir(HERE)
    said = CliRunner().invoke(main, ["prove", statement])

    assert said.exit_code == status
    assert words in said.output
    assert "proved" not in said.output


def test_restrictions_are_named_as_assumptions(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is proved under an operator's restrictions says so; one without any in the statement assumes nothing."""
    monkeypatch.chdir(HERE)
    restricted = CliRunner().invoke(main, ["prove", "H(A) = A"])
    free = CliRunner().invoke(main, ["prove", "K(A, B) = A"])

    assert restricted.exit_code == free.exit_code == 0
    assert "assuming that the restrictions of user.H-1 hold" in restricted.output
    assert "assuming" not in free.output
