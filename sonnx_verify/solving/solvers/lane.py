"""One solver's lane: a queue, the thread that empties it, and the worker process the thread talks to.

Only the thread touches the jobs that were sent; the queue, the worker and the flag `_closed` change under the lock.
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from sonnx_verify.results.answer import CRASHED, TIMEOUT, Answer, unknown
from sonnx_verify.solving.solvers.limits import MEMORY_BYTES
from sonnx_verify.solving.solvers.worker import Question, Worker, WorkerEnded

# Jobs sent ahead of their answers. The worker then need not wait until a busy caller lets our thread run, which Python
# grants only every 5 ms.
_AHEAD = 8


@dataclass(frozen=True, slots=True)
class Job:
    """A question, and what to do with its answer; whether it is asked `again`, since the guard of time struck."""

    question: Question
    finish: Callable[[Answer], None]
    again: bool = False


class Lane:
    """Asks one solver, first in first out. A job whose worker dies or needs more than `memory` bytes is finished as
    crashed or memory, and the jobs behind it go to a new worker. One that takes longer than the guard of time allows is
    asked once more, by itself, and finished as timeout if that happens again. Each job is finished exactly once."""

    def __init__(self, solver: str, patience: float, memory: int = MEMORY_BYTES) -> None:
        self.solver = solver
        self.patience = patience
        self.memory = memory
        self._changed = threading.Condition()
        self._waiting: deque[Job] = deque()
        self._sent: deque[Job] = deque()
        self._worker: Worker | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._resting = False

    @property
    def pid(self) -> int | None:
        """The process id of the worker, None when none runs."""
        with self._changed:
            if self._worker is None:
                return None
            return self._worker.pid

    def put(self, job: Job) -> None:
        """Queue a job; the first one starts thread and worker. Raises RuntimeError when the lane is closed."""
        with self._changed:
            if self._closed:
                raise RuntimeError("the solvers are closed")
            self._waiting.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=f"solver {self.solver}", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def idle(self) -> bool:
        """Return whether its worker runs and nothing waits for an answer. Waits for what is done with the last one."""
        with self._changed:
            while self._thread and not (self._closed or self._waiting or self._sent or self._resting):
                self._changed.wait()
            return self._resting and not self._waiting and self._worker is not None and self._worker.alive()

    def close(self) -> None:
        """End the worker and the thread; jobs without an answer are finished as crashed. Harmless when repeated."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            if self._worker:
                self._worker.kill()
            thread = self._thread
        if thread:
            thread.join()

    def _run(self) -> None:
        # Inherited by the worker: an interrupt from the keyboard is the main thread's to handle.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            while self._wait_for_work():
                try:
                    worker = self._running_worker()
                    self._send_ahead(worker)
                    answer = worker.receive(self.patience)
                    self._sent.popleft().finish(answer)
                except WorkerEnded as end:
                    self._give_up_first(end.reason)
        finally:
            self._abandon()

    def _wait_for_work(self) -> bool:
        """Block until there is a job; False when the lane is closed."""
        with self._changed:
            while not (self._closed or self._waiting or self._sent):
                self._resting = True
                self._changed.notify_all()
                self._changed.wait()
            self._resting = False
            return not self._closed

    def _running_worker(self) -> Worker:
        with self._changed:
            if self._closed:
                raise WorkerEnded(CRASHED)
            # One that died while it had nothing to do takes no job with it.
            if self._worker and not self._sent and not self._worker.alive():
                self._worker.end()
                self._worker = None
            if self._worker is None:
                self._worker = Worker(self.solver, self.memory)
            return self._worker

    def _send_ahead(self, worker: Worker) -> None:
        """Send one job, and some further ones; one that is asked again by itself."""
        with self._changed:
            while self._waiting and len(self._sent) < _AHEAD and not (self._sent and self._alone()):
                job = self._waiting.popleft()
                self._sent.append(job)
                worker.send(job.question)

    def _alone(self) -> bool:
        """Return whether the job that was sent, or the next one, is to be the only one."""
        return self._sent[0].again or self._waiting[0].again

    def _give_up_first(self, reason: str) -> None:
        """End the worker, finish the job it was at with `reason`, unless it is to be asked again, and queue the others
        again in their order."""
        with self._changed:
            worker, self._worker = self._worker, None
            # All that were sent wait again. The first of them is the one that the worker was at: it answers in order.
            self._waiting.extendleft(reversed(self._sent))
            self._sent.clear()
            first = self._waiting.popleft()
            if repeated := reason == TIMEOUT and not first.again:
                self._waiting.appendleft(replace(first, again=True))
        if worker:
            worker.end()
        if not repeated:
            first.finish(unknown(self.solver, reason))

    def _abandon(self) -> None:
        """The end of the thread, planned or not: nobody may wait for ever."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            worker, self._worker = self._worker, None
            left = [*self._sent, *self._waiting]
            self._sent.clear()
            self._waiting.clear()
        if worker:
            worker.end()
        for job in left:
            job.finish(unknown(self.solver, CRASHED))
