"""The forms of a claim are made once at each effort, and what was too large is remembered by its own ladder alone."""

from __future__ import annotations

import pytest

from sonnx_verify.logic.effort import Effort
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Symbol, Term, le
from sonnx_verify.logic.witness import Expansion
from sonnx_verify.solving.check import forms
from sonnx_verify.solving.check.forms import Ladder

N, M = Symbol("n", (), INT)(), Symbol("m", (), INT)()
TWO = (le(N, M), le(M, N))


@pytest.fixture
def efforts(monkeypatch: pytest.MonkeyPatch) -> list[Effort]:
    """The efforts with which formulas were expanded."""
    tried: list[Effort] = []

    # Expansion is the dear part: what is counted is how often it is done, not what comes of it.
    class Counted(Expansion):
        def run(self, formulas: list[Term]) -> list[Term]:
            tried.append(self.effort)
            return super().run(formulas)

    monkeypatch.setattr(forms, "Expansion", Counted)
    return tried


def test_the_forms_of_an_effort_are_made_once(efforts: list[Effort]) -> None:
    ladder = Ladder(TWO, ())

    first = ladder.forms(Effort(0, 0)).at(0)

    assert first is not None
    assert ladder.forms(Effort(0, 0)).at(0) is first
    assert efforts == [Effort(0, 0, limit=600)]


def test_what_goes_further_than_what_was_too_large_is_not_tried(efforts: list[Effort]) -> None:
    ladder = Ladder(TWO, ())
    assert ladder.forms(Effort(0, 0, limit=1)).at(0) is None

    # Deeper with the same room: the formulas would only be larger.
    assert ladder.forms(Effort(1, 3, limit=1)).at(0) is None
    assert efforts == [Effort(0, 0, limit=1)]


def test_what_goes_less_far_or_has_more_room_is_tried(efforts: list[Effort]) -> None:
    ladder = Ladder(TWO, ())
    assert ladder.forms(Effort(1, 1, limit=1)).at(0) is None

    assert ladder.forms(Effort(1, 0, limit=1)).at(0) is None
    assert ladder.forms(Effort(1, 1, limit=2)).at(0) is not None
    assert efforts == [Effort(1, 1, limit=1), Effort(1, 0, limit=1), Effort(1, 1, limit=2)]


def test_another_ladder_of_the_same_formulas_remembers_nothing(efforts: list[Effort]) -> None:
    for _ in range(2):
        assert Ladder(TWO, ()).forms(Effort(0, 0, limit=1)).at(0) is None

    assert efforts == [Effort(0, 0, limit=1)] * 2
