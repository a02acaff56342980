"""The process that holds one solver: from outside, a query goes in and an Answer comes out; inside, `serve`.

A solver may crash, leak or hang; all of that stays there. It has so many bytes of address space, and lives no longer
than the thread that started it.

The answer to one query must never be taken for that to another: queries are answered in their order, and a worker that
failed is never asked again. Not trusted for that: an answer has the hash of its text, which whoever asked compares.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import tempfile
from typing import NamedTuple

from sonnx_verify.processes.channel import Channel
from sonnx_verify.processes.child import Program
from sonnx_verify.processes.limits import lower, seconds_worked
from sonnx_verify.results.answer import CRASHED, MEMORY, TIMEOUT, Answer
from sonnx_verify.solving.solvers.limits import GUARD_SECONDS
from sonnx_verify.solving.solvers.registry import ADAPTERS, ask
from sonnx_verify.solving.solvers.rejections import speaks_of_memory


class Question(NamedTuple):
    """A text, the work that it may cost, the constants whose values are wanted, and numbers that shall be small."""

    text: str
    budget: int
    want: tuple[str, ...] = ()
    least: tuple[str, ...] = ()


# For glibc: keep freed memory. A z3 context is several megabytes; when each is mapped anew and given back, a query of
# 2 ms takes 8, and whether that happens depends on what was freed before.
_KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(2**25), "MALLOC_TRIM_THRESHOLD_": str(2**28)}
_LAST_WORDS = 4096
_ENDING = 30.0
_FALLS = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT)


class WorkerEnded(Exception):
    """The worker cannot answer the query it is at; `reason` is CRASHED, TIMEOUT or MEMORY."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Worker:
    """One running worker for one solver, for the thread that makes it alone, but `kill`."""

    def __init__(self, solver: str, memory: int) -> None:
        """Start the process, with at most `memory` bytes. Raises WorkerEnded when the system refuses to."""
        self._memory = memory
        try:
            self._words = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the child
            program = Program(environment=_KEEP_MEMORY, errors=self._words)
            self._child = child = program.start(serve, solver, memory)
        except OSError as error:
            raise WorkerEnded(CRASHED) from error
        self._child.closing.callback(self._words.close)
        self.pid = self._child.pid
        self.alive, self.kill, self.send, self.end = child.alive, child.kill, child.post, child.end

    def receive(self, patience: float) -> Answer:
        """The next answer. Raises WorkerEnded: CRASHED when the worker is gone, MEMORY when it had none left, though it
        may still say so, TIMEOUT where it took more of the processor than a query may, or none in `patience` seconds.
        """
        worked = seconds_worked(self.pid)
        while True:
            try:
                answer = self._child.receive(patience)
                break
            except TimeoutError:
                # A machine with much to do lets it wait, which is no reason to give it up.
                before, worked = worked, seconds_worked(self.pid)
                if worked is None or worked == before:
                    raise WorkerEnded(TIMEOUT) from None
            except EOFError:
                raise WorkerEnded(self._why_gone()) from None
        if not isinstance(answer, Answer):
            raise WorkerEnded(CRASHED)
        if answer.reason == MEMORY:  # what it holds now may be anything, and would be missing from the next
            raise WorkerEnded(MEMORY)
        return answer

    def _why_gone(self) -> str:
        """The cause of a worker's death, by its last words, which are printed unless it only had no memory left. Where
        it fell without a word, by how much it had: some libraries do not look whether they were given memory."""
        self._child.channel.close()
        status = self._child.wait(_ENDING)
        if status is None:
            return CRASHED
        if -status == signal.SIGPROF:
            return TIMEOUT
        self._words.seek(max(0, self._words.seek(0, os.SEEK_END) - _LAST_WORDS))
        words = self._words.read()
        fell = not words and -status in _FALLS
        if speaks_of_memory(words.decode("utf-8", "replace")) or (fell and self._child.memory > self._memory / 2):
            return MEMORY
        os.write(2, words)
        return CRASHED


def serve(channel: Channel, name: str, memory: int) -> None:
    """Answer queries with solver `name` until the channel closes, with at most `memory` bytes."""
    # Before the limit: a library that finds no room while it is loaded ends the process without a word.
    with contextlib.suppress(ImportError):
        ADAPTERS[name].load()
    lower(resource.RLIMIT_AS, memory)
    while True:
        try:
            question = channel.receive()
        except EOFError:
            return
        # cvc5 keeps the interpreter lock while it works, so only the kernel can end it.
        signal.setitimer(signal.ITIMER_PROF, GUARD_SECONDS)
        answer = ask(name, *question)
        signal.setitimer(signal.ITIMER_PROF, 0)
        channel.send(answer)
