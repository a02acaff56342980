"""A query that needs more memory than a worker may have is unknown for that reason, and the next one goes on."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from sonnx_verify.logic.status import Status
from sonnx_verify.solving.solvers import Answer, Query, Solvers, stock
from sonnx_verify.solving.solvers.limits import MEMORY_BYTES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a limit on memory may not be kept")

LITTLE = 128 * 2**20  # a worker that has read its solver has 70 to 90 MiB
ENDLESS = 10**9
# Taken apart into bits, each product is a million gates.
LARGE = (
    "(set-logic QF_BV)(declare-const x (_ BitVec 512))(declare-const y (_ BitVec 512))"
    "(assert (= (bvmul x y) (_ bv1234567 512)))(assert (not (= x (bvmul x x))))"
)
# x^3 + y^3 = z^3 over the integers: nobody decides it.
HARD = (
    "(set-logic QF_NIA)(declare-const x Int)(declare-const y Int)(declare-const z Int)"
    "(assert (and (> x 1) (> y 1) (> z 1) (= (+ (* x x x) (* y y y)) (* z z z))))"
)


def easy(k: int) -> str:
    """A text of its own for each k, unsat for odd ones."""
    return f"(set-logic QF_LIA)(declare-const x Int)(assert (= x {k}))" + "(assert (> x (+ x 1)))" * (k % 2)


def said(query: Query) -> list[str]:
    return [answer.status for answer in query.result().values()]


@pytest.mark.parametrize("name", ["z3", "cvc5"])
def test_memory_runs_out(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """That query alone is unknown; those behind it, some already written to that worker, are answered by a new one."""
    with Solvers((name,), budget=ENDLESS, memory=LITTLE) as solvers:
        assert said(solvers.submit(easy(0))) == ["sat"]
        before = solvers.pid(name)
        large = solvers.submit(LARGE)
        behind = [solvers.submit(easy(k)) for k in range(1, 12)]

        assert large.result() == {name: Answer(name, Status.UNKNOWN, "memory")}
        assert [said(query) for query in behind] == [["unsat"], ["sat"]] * 5 + [["unsat"]]
        assert solvers.pid(name) not in (None, before)
    assert capfd.readouterr().err == ""


def test_worker_dies_of_it(capfd: pytest.CaptureFixture[str]) -> None:
    """A worker that dies because it has no memory left, here while it reads, is no crash, and its last words are not
    the user's concern."""
    with Solvers(("cvc5",), memory=LITTLE) as solvers:
        lost, kept = solvers.submit(easy(0) + ";" + "x" * (LITTLE // 2)), solvers.submit(easy(1))

        assert lost.result() == {"cvc5": Answer("cvc5", Status.UNKNOWN, "memory")}
        assert said(kept) == ["unsat"]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("memory", "reason"), [(80 * 2**20, "memory"), (2**36, "crashed")])
def test_worker_falls_without_a_word(memory: int, reason: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Near the limit it is taken for want of memory, far from it for a crash."""
    with Solvers(("cvc5",), budget=ENDLESS, memory=memory) as solvers:
        assert said(solvers.submit(easy(0))) == ["sat"]
        lost, kept = solvers.submit(HARD), solvers.submit(easy(1))
        lane = solvers._lanes["cvc5"]
        while len(lane._sent) < 2:  # one that falls with nothing to do takes no query with it
            time.sleep(0.01)
        assert lane.pid is not None
        os.kill(lane.pid, signal.SIGSEGV)

        assert lost.result() == {"cvc5": Answer("cvc5", Status.UNKNOWN, reason)}
        assert said(kept) == ["unsat"]
    assert capfd.readouterr().err == ""


def test_other_last_words_are_shown(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A worker that cannot even begin has crashed, and what it said is passed on."""
    stock.emptied()  # one that has begun knows its modules
    (tmp_path / "sonnx_verify").mkdir()
    (tmp_path / "sonnx_verify" / "__init__.py").write_text("", "utf-8")
    with Solvers(("z3",)) as solvers:
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        assert solvers.submit(easy(0)).result() == {"z3": Answer("z3", Status.UNKNOWN, "crashed")}
    assert "No module named" in capfd.readouterr().err


def limit_of(pid: int | None) -> str:
    lines = Path(f"/proc/{pid}/limits").read_text("utf-8").splitlines()
    return next(line.split()[3] for line in lines if line.startswith("Max address space"))


def test_every_worker_has_its_limit() -> None:
    """Also without a wish, and in a pool that is made like another one; this process keeps its own."""
    mine = limit_of(os.getpid())
    with Solvers(("z3",)) as solvers, Solvers(("z3",), memory=LITTLE) as first, first.again() as other:
        for pool in (solvers, other):
            assert said(pool.submit(easy(0))) == ["sat"]
        assert limit_of(solvers.pid("z3")) == str(MEMORY_BYTES)
        assert limit_of(other.pid("z3")) == str(LITTLE)
        assert limit_of(os.getpid()) == mine != str(MEMORY_BYTES)
