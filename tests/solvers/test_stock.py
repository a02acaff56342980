"""A worker with nothing to do serves the next pool of the process; no other does."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator

import pytest

from sonnx_verify.processes.child import can_fork
from sonnx_verify.solving.solvers import Solvers, stock

EASY = "(set-logic QF_LIA)(declare-const x Int)(assert (= x {}))"
HARD = (
    "(set-logic QF_NIA)(declare-const x Int)(declare-const y Int)(declare-const z Int)"
    "(assert (and (> x 1) (> y 1) (> z 1) (= (+ (* x x x) (* y y y)) (* z z z))))"
)


@pytest.fixture(autouse=True)
def empty() -> Iterator[None]:
    """What other tests left is no part of these."""
    stock.emptied()
    yield
    stock.emptied()


def asked(solvers: Solvers, number: int) -> int | None:
    """Ask z3 alone, and the process that answered."""
    assert solvers.submit(EASY.format(number)).result()["z3"].status == "sat"
    return solvers.pid("z3")


def test_it_serves_the_next_pool() -> None:
    """The same process answers, and what the first pool was told is not known to the second."""
    with Solvers(("z3",)) as first:
        before = asked(first, 1)
    with Solvers(("z3",)) as second:
        assert second.pid("z3") is None
        assert asked(second, 1) == before
    assert first.pid("z3") is None


@pytest.mark.parametrize("other", [{"memory": 2**30}, {"patience": 7.0}], ids=str)
def test_one_with_other_limits_does_not(other: dict[str, float]) -> None:
    with Solvers(("z3",)) as first:
        before = asked(first, 1)
    with Solvers(("z3",), **other) as second:  # type: ignore[arg-type]  # each of its own type
        assert asked(second, 1) != before


def test_one_at_work_is_ended() -> None:
    """With a query that nobody waits for."""
    with Solvers(("z3",), budget=10**9) as first:
        before = asked(first, 1)
        lost = first.submit(HARD)
    assert lost.result()["z3"].reason == "crashed"
    with Solvers(("z3",), budget=10**9) as second:
        assert asked(second, 1) != before


def test_one_that_died_meanwhile_does_not() -> None:
    with Solvers(("z3",)) as first:
        before = asked(first, 1)
    assert before is not None
    os.kill(before, signal.SIGKILL)
    os.waitid(os.P_PID, before, os.WEXITED | os.WNOWAIT)
    with Solvers(("z3",)) as second:
        assert asked(second, 1) != before


def test_one_is_kept() -> None:
    """Of two pools beside each other, one's."""
    with Solvers(("z3",)) as one, Solvers(("z3",)) as two:
        pids = {asked(one, 1), asked(two, 1)}
    assert len(pids) == 2
    with Solvers(("z3",)) as three, Solvers(("z3",)) as four:
        assert len(pids | {asked(three, 1), asked(four, 1)}) == 3


def test_none_has_a_thread_where_processes_are_forked() -> None:
    """Before a fork all are ended: a process that has threads is not forked."""
    with Solvers(("z3",)) as first:
        before = asked(first, 1)
    can_fork()
    with Solvers(("z3",)) as second:
        assert asked(second, 1) != before


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system has no fork")
def test_a_process_that_is_forked_has_none() -> None:
    """Whoever forks without asking: the pipes are those of the other process."""
    with Solvers(("z3",)) as first:
        before = asked(first, 1)
    read, write = os.pipe()
    if not (child := os.fork()):
        try:
            with Solvers(("z3",)) as second:
                os.write(write, str(asked(second, 2)).encode())
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    assert int(os.read(read, 100)) != before
    with Solvers(("z3",)) as third:
        assert asked(third, 3) == before
