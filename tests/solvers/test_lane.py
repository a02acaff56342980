"""A lane keeps its order and finishes each job exactly once."""

import os
import signal
import threading
import time

from sonnx_verify.results.answer import Answer
from sonnx_verify.solving.solvers.lane import Job, Lane
from sonnx_verify.solving.solvers.worker import Question

HARD = (
    "(set-logic QF_NIA)(declare-const x Int)(declare-const y Int)(declare-const z Int)"
    "(assert (and (> x 1) (> y 1) (> z 1) (= (+ (* x x x) (* y y y)) (* z z z))))"
)


class Log:
    """What was finished, in the order it happened."""

    def __init__(self, expected: int) -> None:
        self.entries: list[tuple[int, str]] = []
        self.complete = threading.Event()
        self._expected = expected

    def job(self, number: int, text: str, budget: int = 10**9) -> Job:
        def finish(answer: Answer) -> None:
            self.entries.append((number, answer.reason))
            if len(self.entries) == self._expected:
                self.complete.set()

        return Job(Question(text, budget, ()), finish)


def test_order_survives_a_crash() -> None:
    """First in, first out, also for the jobs that were already written to a worker that died."""
    log = Log(expected=22)
    lane = Lane("z3", patience=20)
    try:
        lane.put(log.job(0, HARD, budget=1_000_000))  # long enough for the others to queue up and be sent together
        lane.put(log.job(1, HARD))
        for number in range(2, 22):
            lane.put(log.job(number, f"(set-logic QF_LIA); {number}"))
        while not log.entries:
            time.sleep(0.01)
        time.sleep(0.1)
        pid = lane.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)

        assert log.complete.wait(20)
    finally:
        lane.close()
    assert log.entries == [(0, "budget"), (1, "crashed")] + [(number, "") for number in range(2, 22)]


def test_closing_finishes_each_job_once() -> None:
    """Jobs that a closing lane still holds, sent or waiting, are each finished once, in order."""
    log = Log(expected=21)
    lane = Lane("cvc5", patience=20)
    for number in range(21):
        lane.put(log.job(number, HARD))
    lane.close()

    assert log.entries == [(number, "crashed") for number in range(21)]
