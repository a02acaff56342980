"""bitwuzla, asked in this process and through a pool."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest

from sonnx_verify.logic.status import Status
from sonnx_verify.results.answer import Answer
from sonnx_verify.solving.solvers import Solvers, bitwuzla_solver
from sonnx_verify.solving.solvers.bitwuzla_solver import ask, takes

BUDGET = 1_000_000
FALSE = "(set-logic ALL)(declare-const x {0})(assert (not (fp.leq (fp.roundToIntegral RTN x) x)))(assert (fp.leq x x))"
# x + z is monotone: far more than any test waits for.
ENDLESS = (
    "(set-logic ALL)(declare-const x Float32)(declare-const y Float32)(declare-const z Float32)(assert (fp.leq x y))"
    "(assert (fp.lt (fp.add RNE y z) (fp.add RNE x z)))"
)


@pytest.mark.parametrize("sizes", ["5 11", "8 24", "11 53"])
def test_unsat_and_sat(sizes: str) -> None:
    """A law is unsat when it is denied; a float that is wanted is in the model."""
    sort = f"(_ FloatingPoint {sizes})"
    one = f"((_ to_fp {sizes}) RNE 1.0)"
    sat = ask(f"(set-logic ALL)(declare-const x {sort})(assert (= x {one}))", BUDGET, ("x",))

    assert ask(FALSE.format(sort), BUDGET) == Answer("bitwuzla", Status.UNSAT)
    assert sat.status is Status.SAT
    assert re.fullmatch(r"\(\(x \(fp #b0 #b01+ #b0+\)\)\)", sat.model)


@pytest.mark.parametrize("text", [
    "(set-logic ALL)(declare-const x Int)(assert (> x x))",
    "(set-logic ALL)(declare-const x (_ FloatingPoint 8 8))(assert (fp.lt x x))",
    "(set-logic ALL)(assert y)(assert false)",
    "(set-logic ALL)(assert false)\0(assert true)",
    "(set-logic ALL)(assert false",
])  # fmt: skip
def test_what_it_does_not_take_is_unknown(text: str) -> None:
    """A text that it cannot read is rejected, whatever assert stands beside what it cannot read."""
    answer = ask(text, BUDGET)

    assert answer.status is Status.UNKNOWN
    assert answer.reason.startswith("rejected: ")


def test_takes() -> None:
    """Texts with floats of the sizes that it knows, and nothing that it does not know."""
    float16, bfloat16 = "(declare-const x (_ FloatingPoint 5 11))", "(declare-const y (_ FloatingPoint 8 8))"

    assert takes(float16)
    assert not takes("(declare-const x (_ BitVec 8))")
    assert not takes(bfloat16)
    assert not takes(float16 + bfloat16)
    assert not takes(float16 + "(declare-fun f (Int) Bool)")
    assert not takes(float16 + "(declare-const r Real)")
    assert not takes(float16 + "(assert (> (fp.to_real x) 0.0))")


def test_work_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work that it is allowed ends it after the same number of calls each time, and the reason is the budget."""
    left = []

    class Noted(bitwuzla_solver._Limit):
        def __init__(self, calls: int) -> None:
            super().__init__(calls)
            left.append(self)

    monkeypatch.setattr(bitwuzla_solver, "_Limit", Noted)
    half, two = "(fp #b0 #b01110 #b0000000000)", "(fp #b0 #b10000 #b0000000000)"
    same = f"(= (fp.div RNE x {two}) (fp.mul RNE x {half}))"
    law = f"(set-logic ALL)(declare-const x Float16)(assert (not {same}))"
    for _ in range(2):
        assert ask(law, BUDGET).status is Status.UNSAT
    ended = ask(ENDLESS, 100_000)

    assert left[0]._calls == left[1]._calls < BUDGET // 20 - 100
    assert (ended.status, ended.reason) == (Status.UNKNOWN, "budget")


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the package is missing the answer says so."""
    monkeypatch.setitem(sys.modules, "bitwuzla", None)

    assert ask("(set-logic ALL)", BUDGET).reason == "not installed"


def test_asked_by_name_alone() -> None:
    """A pool asks it what it is named for, and no more; its version is in the keys all the same."""
    with Solvers() as solvers:
        text = FALSE.format("(_ FloatingPoint 5 11)")
        both = solvers.submit(text).result()
        three = solvers.submit(text, names=("z3", "cvc5", "bitwuzla")).result()

        assert (list(both), list(three)) == (["z3", "cvc5"], ["z3", "cvc5", "bitwuzla"])
        assert {answer.status for answer in three.values()} == {Status.UNSAT}
        assert three["z3"] is both["z3"]
        assert list(solvers.versions()) == ["z3", "cvc5", "bitwuzla"]
        with solvers.again() as other:
            assert other.further == ("bitwuzla",)


@pytest.mark.parametrize("made", [lambda: Solvers(("z3",)), lambda: Solvers(("z3", "nosolver"))])
def test_it_stands_in_for_no_other(made: Callable[[], Solvers]) -> None:
    """A pool of other solvers has no solver that nobody named."""
    with made() as solvers:
        assert solvers.further == ()
