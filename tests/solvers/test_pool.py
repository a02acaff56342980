"""Solvers asks every solver everything once, whatever happens to the workers."""

import hashlib
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping

import pytest

from sonnx_verify.logic.status import Status
from sonnx_verify.solving.solvers import Answer, Query, Solvers

# Occupies either solver far longer than any test lasts, unless the budget ends it.
HARD = (
    "(set-logic QF_NIA)(declare-const x Int)(declare-const y Int)(declare-const z Int)"
    "(assert (and (> x 1) (> y 1) (> z 1) (= (+ (* x x x) (* y y y)) (* z z z))))"
)
ENDLESS = 10**9
BOTH = ("z3", "cvc5")


def agree(answers: Mapping[str, Answer]) -> str:
    """What the solvers say together: their one answer, or unknown."""
    said = {answer.status for answer in answers.values()}
    if {"sat", "unsat"} <= said:
        return "inconsistent"
    return said.pop() if len(said) == 1 else "unknown"


def easy(k: int, sat: bool = True) -> str:
    """A text of its own for each k."""
    return f"(set-logic QF_LIA)(declare-const x Int)(assert (= x {k}))" + ("" if sat else "(assert (> x (+ x 1)))")


def worker(solvers: Solvers, name: str) -> int:
    """The process id of a worker, once it runs."""
    end = time.monotonic() + 10
    while (pid := solvers.pid(name)) is None:
        assert time.monotonic() < end, "no worker was started"
        time.sleep(0.01)
    return pid


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def statuses(query: Query) -> dict[str, str]:
    return {name: answer.status for name, answer in query.result().items()}


def test_both_answer() -> None:
    """Each solver answers each text, in the pool's order of names, and they agree."""
    with Solvers() as solvers:
        queries = [solvers.submit(easy(k, sat=k % 2 == 0)) for k in range(40)]

        assert [agree(query.result()) for query in queries] == ["sat", "unsat"] * 20
        assert list(queries[0].result()) == ["z3", "cvc5"]


def test_model() -> None:
    """Wanted values come from both solvers."""
    with Solvers() as solvers:
        result = solvers.submit(easy(7), ("x",)).result()

    assert result == {name: Answer(name, Status.SAT, "", "((x 7))") for name in BOTH}


def test_what_was_learned_is_not_asked() -> None:
    """A text whose answers are known starts no worker; with wanted values it is asked, since no values are known."""
    sha256 = hashlib.sha256(easy(1).encode()).hexdigest()
    with Solvers() as solvers:
        solvers.learn({sha256: {"z3": "sat", "cvc5": "sat"}})
        query = solvers.submit(easy(1))

        assert (query.sha256, statuses(query)) == (sha256, {"z3": "sat", "cvc5": "sat"})
        assert [solvers.pid(name) for name in BOTH] == [None, None]
        assert solvers.submit(easy(1), ("x",)).result()["z3"].model == "((x 1))"


def test_one_solver_is_asked_first() -> None:
    """A text that was asked of one solver is asked of the others only when they are wanted, and of nobody twice."""
    with Solvers() as solvers:
        first = solvers.submit(easy(1), names=("z3",))

        assert statuses(first) == {"z3": "sat"}
        assert solvers.pid("cvc5") is None
        both = solvers.submit(easy(1))
        assert statuses(both) == {"z3": "sat", "cvc5": "sat"}
        assert both.result()["z3"] is first.result()["z3"]


def test_part_of_what_was_learned_is_not_asked() -> None:
    """Where only the first solver's answer is known, the other is asked."""
    with Solvers() as solvers:
        solvers.learn({hashlib.sha256(easy(1).encode()).hexdigest(): {"z3": "sat"}})

        assert statuses(solvers.submit(easy(1))) == {"z3": "sat", "cvc5": "sat"}
        assert solvers.pid("z3") is None


@pytest.mark.parametrize(
    "given",
    [{}, {"cvc5": "sat"}, {"cvc5": "sat", "z3": "sat"}, {"z3": "unknown", "cvc5": "sat"}, {"z3": "yes", "cvc5": "sat"}],
)
def test_only_definite_answers_are_learned(given: dict[str, str]) -> None:
    """None, others than the first of ours, or an answer without its reason is a defect of the caller."""
    with Solvers() as solvers, pytest.raises(ValueError, match="answers of|does not go with|not a valid Status"):
        solvers.learn({hashlib.sha256(b"").hexdigest(): given})


def test_another_pool_is_like_the_first() -> None:
    """The same solvers, budget and patience, and nothing asked."""
    with Solvers(("z3",), budget=5, patience=1.5) as solvers, solvers.again() as other:
        assert (other.names, other.budget, other.patience) == (("z3",), 5, 1.5)
        assert other is not solvers


def test_same_text_is_asked_once() -> None:
    """Same text and same wanted values are one query; sha256 is that of the text alone."""
    with Solvers() as solvers:
        query = solvers.submit(easy(1), ("x",))

        assert solvers.submit(easy(1), ("x",)) is query
        assert solvers.submit(easy(1)) is not query
        assert solvers.submit(easy(2), ("x",)) is not query
        assert query.sha256 == solvers.submit(easy(1)).sha256 == hashlib.sha256(easy(1).encode()).hexdigest()


def test_submit_does_not_wait() -> None:
    """submit returns while an earlier query still runs, also when more is queued than a pipe holds."""
    with Solvers(budget=ENDLESS) as solvers:
        hard = solvers.submit(HARD)
        for k in range(200):
            solvers.submit(easy(k) + f"; {k}" * 1000)

        assert not hard.done()


def test_large_messages() -> None:
    """Texts and models larger than a pipe go through, several at once."""
    names = tuple(f"a_long_name_for_a_constant_{k}" for k in range(1500))
    declared = "(set-logic QF_LIA)" + "".join(f"(declare-const {name} Int)(assert (= {name} 0))" for name in names)
    with Solvers() as solvers:
        queries = [solvers.submit(declared + f"; {k} " + "x" * 100_000, names * 2) for k in range(3)]

        assert all(len(answer.model) > 70_000 for query in queries for answer in query.result().values())


def test_budget() -> None:
    """A query over budget is unknown with that reason from both, and the next one is answered."""
    with Solvers(budget=100_000) as solvers:
        assert solvers.submit(HARD).result() == {name: Answer(name, Status.UNKNOWN, "budget") for name in BOTH}
        assert agree(solvers.submit(easy(0, sat=False)).result()) == "unsat"


@pytest.mark.parametrize("name", BOTH)
def test_killed_worker(name: str) -> None:
    """A worker killed amid a query crashes that query alone; a new worker answers those behind it, in order."""
    with Solvers((name,), budget=ENDLESS) as solvers:
        before, hard = solvers.submit(easy(0)), solvers.submit(HARD)
        behind = [solvers.submit(easy(k, sat=k % 2 == 0), ("x",)) for k in range(1, 21)]
        assert statuses(before) == {name: "sat"}
        first = worker(solvers, name)
        os.kill(first, signal.SIGKILL)

        assert hard.result() == {name: Answer(name, Status.UNKNOWN, "crashed")}
        assert [statuses(query)[name] for query in behind] == ["unsat", "sat"] * 10
        assert worker(solvers, name) != first


def test_killed_while_idle() -> None:
    """A worker that dies between queries costs no query."""
    with Solvers(("z3",)) as solvers:
        solvers.submit(easy(0)).result()
        os.kill(worker(solvers, "z3"), signal.SIGKILL)
        time.sleep(0.1)

        assert statuses(solvers.submit(easy(1))) == {"z3": "sat"}


def test_silent_worker() -> None:
    """A worker that neither answers nor works is killed, and its query is asked again by itself, also when the text is
    too large to be written to it. If that happens again the query timed out, which is noted, and the next one is
    answered."""
    with Solvers(("cvc5",), patience=1.5) as solvers:
        solvers.submit(easy(0)).result()
        stopped = worker(solvers, "cvc5")
        os.kill(stopped, signal.SIGSTOP)
        asked_again = solvers.submit(easy(1) + ";" + "x" * 300_000)

        assert statuses(asked_again) == {"cvc5": "sat"}
        assert not exists(stopped)
        assert (solvers.struck, solvers.repeatable) == ({}, True)

        second = worker(solvers, "cvc5")
        os.kill(second, signal.SIGSTOP)
        lost, kept = solvers.submit(easy(3)), solvers.submit(easy(2))
        while exists(second) or worker(solvers, "cvc5") in (None, second):
            time.sleep(0.01)
        os.kill(worker(solvers, "cvc5"), signal.SIGSTOP)

        assert lost.result() == {"cvc5": Answer("cvc5", Status.UNKNOWN, "timeout")}
        assert statuses(kept) == {"cvc5": "sat"}
        assert (list(solvers.struck), solvers.repeatable) == ([f"cvc5 on {lost.sha256}"], False)


def test_unknown_solver() -> None:
    """A solver that does not exist answers "not installed" and the others answer; two are still needed for unsat."""
    with Solvers(("z3", "nosuch")) as solvers:
        result = solvers.submit(easy(0, sat=False)).result()

        assert result == {"z3": Answer("z3", Status.UNSAT), "nosuch": Answer("nosuch", Status.UNKNOWN, "not installed")}
        assert agree(result) == "unknown"
        assert solvers.versions()["nosuch"] is None


def test_not_installed_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A known solver that cannot be found has no lane, so no process. None in sys.modules makes it not be found."""
    monkeypatch.setitem(sys.modules, "cvc5", None)
    with Solvers(("cvc5",)) as solvers:
        assert solvers.submit(easy(0)).result() == {"cvc5": Answer("cvc5", Status.UNKNOWN, "not installed")}
        assert solvers._lanes == {}
        assert solvers.versions() == {"cvc5": None}


def test_versions_start_nothing() -> None:
    """Versions are known without a worker."""
    with Solvers() as solvers:
        assert all(solvers.versions()[name] for name in BOTH)
        assert [solvers.pid(name) for name in BOTH] == [None, None]


def test_close_leaves_nothing() -> None:
    """close ends the workers at once, amid a query too; what waits is answered, and nothing more can be asked."""
    solvers = Solvers(budget=ENDLESS)
    running, waiting = solvers.submit(HARD), solvers.submit(easy(0))
    pids = [worker(solvers, name) for name in BOTH]
    solvers.close()
    solvers.close()

    assert not any(exists(pid) for pid in pids)
    assert {answer.reason for query in (running, waiting) for answer in query.result().values()} == {"crashed"}
    with pytest.raises(RuntimeError, match="closed"):
        solvers.submit(easy(1))


def test_many_threads() -> None:
    """Several threads may submit the same texts at once: each text is one query, and all are answered."""
    with Solvers() as solvers:
        got: list[list[Query]] = [[] for _ in range(8)]
        threads = [
            threading.Thread(target=lambda mine=mine: mine.extend(solvers.submit(easy(k)) for k in range(50)))
            for mine in got
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert all(mine == got[0] for mine in got)
        assert all(agree(query.result()) == "sat" for query in got[0])


def test_name_given_twice() -> None:
    """One solver cannot stand for two."""
    with pytest.raises(ValueError, match="twice"):
        Solvers(("z3", "z3"))


@pytest.mark.parametrize("name", BOTH)
def test_least_numbers(name: str) -> None:
    """Each number in turn is the least possible, and is shown to be; that of the next depends on those before it."""
    constants = "".join(f"(declare-fun {c} () Int)(assert (and (<= 0 {c}) (<= {c} 60)))" for c in "abc")
    text = f"(set-logic QF_UFNIA)\n{constants}(assert (>= (* a b) 7))(assert (= (+ a b c) 60))(assert (distinct a 1))\n"
    possible = [(a, b, 60 - a - b) for a in range(61) for b in range(61 - a) if a * b >= 7 and a != 1]
    with Solvers([name]) as solvers:
        for order in ("abc", "ca", "bca", "c"):
            chosen = min(possible, key=lambda values: [values["abc".index(c)] for c in order])  # noqa: B023
            (answer,) = solvers.submit(text, tuple(order), least=tuple(order)).result().values()

            values = " ".join(f"({c} {chosen['abc'.index(c)]})" for c in order)
            assert answer.model.replace("\n", "") == f"({values})"
            assert answer.least == len(order)


def test_no_least_number_without_one() -> None:
    """Where nothing meets the asserts no number is the least."""
    with Solvers() as solvers:
        answers = solvers.submit(easy(1, sat=False), ("x",), least=("x",)).result()

    assert {name: (answer.status, answer.least) for name, answer in answers.items()} == dict.fromkeys(
        BOTH, ("unsat", 0)
    )


def test_a_model_is_not_taken_for_the_least() -> None:
    """The same text with a wish for a small number is another question."""
    text = "(set-logic QF_LIA)(declare-fun x () Int)(assert (>= x 5))(assert (or (= x 9) (= x 6)))"
    with Solvers() as solvers:
        solvers.submit(text, ("x",)).result()
        answers = solvers.submit(text, ("x",), least=("x",)).result()

    assert {name: (answer.model, answer.least) for name, answer in answers.items()} == dict.fromkeys(
        BOTH, ("((x 6))", 1)
    )
