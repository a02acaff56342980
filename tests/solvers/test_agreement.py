"""agree() is a complete table."""

import itertools

import pytest

from sonnx_verify.solvers import Answer, agree

TABLE = {
    ("unsat", "unsat"): "unsat",
    ("unsat", "sat"): "inconsistent",
    ("unsat", "unknown"): "unknown",
    ("sat", "unsat"): "inconsistent",
    ("sat", "sat"): "sat",
    ("sat", "unknown"): "sat",
    ("unknown", "unsat"): "unknown",
    ("unknown", "sat"): "sat",
    ("unknown", "unknown"): "unknown",
}


def answers(*statuses: str) -> dict[str, Answer]:
    return {
        f"s{k}": Answer(f"s{k}", status, "budget" if status == "unknown" else "") for k, status in enumerate(statuses)
    }


@pytest.mark.parametrize("pair", list(itertools.product(("unsat", "sat", "unknown"), repeat=2)), ids="-".join)
def test_two_solvers(pair: tuple[str, str]) -> None:
    """Every combination of two answers has its one verdict."""
    assert agree(answers(*pair)) == TABLE[pair]


@pytest.mark.parametrize(("status", "word"), [("unsat", "unknown"), ("sat", "sat"), ("unknown", "unknown")])
def test_one_solver(status: str, word: str) -> None:
    """One solver alone never makes an unsat."""
    assert agree(answers(status)) == word


def test_nobody_asked() -> None:
    """Without an answer nothing is known."""
    assert agree({}) == "unknown"


@pytest.mark.parametrize("triple", list(itertools.product(("unsat", "sat", "unknown"), repeat=3)), ids="-".join)
def test_three_solvers(triple: tuple[str, str, str]) -> None:
    """With three solvers, unsat needs all three, and sat beside unsat is always inconsistent."""
    said = set(triple)
    word = "inconsistent" if {"sat", "unsat"} <= said else "sat" if "sat" in said else "unknown"

    assert agree(answers(*triple)) == ("unsat" if said == {"unsat"} else word)
