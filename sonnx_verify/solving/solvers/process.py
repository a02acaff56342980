"""A worker process seen from the pool: start it, write to it, read from it with patience, end it."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from typing import IO

from sonnx_verify.results.answer import CRASHED, MEMORY, TIMEOUT, Answer, speaks_of_memory
from sonnx_verify.solving.solvers import wire

# For glibc: keep freed memory. A z3 context is several megabytes; when each is mapped anew and given back, a query of
# 2 ms takes 8, and whether that happens depends on what was freed before.
_KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(2**25), "MALLOC_TRIM_THRESHOLD_": str(2**28)}


class WorkerEnded(Exception):
    """The worker cannot answer the query it is at; `reason` is CRASHED, TIMEOUT or MEMORY."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class WorkerProcess:
    """One running worker for one solver.

    Not for concurrent use, except `kill`, which any thread may call at any time. The thread that makes it must outlive
    it: the kernel kills a worker with the thread that started it.
    """

    def __init__(self, solver: str, memory: int) -> None:
        """Start the process, with at most `memory` bytes. Raises WorkerEnded when the system refuses to."""
        self._memory = memory
        # The child finds what we find, from any folder. Without -P it would also import from the current folder.
        path = os.pathsep.join(folder or os.getcwd() for folder in sys.path)
        arguments = [solver, str(memory), str(os.getpid())]
        try:
            self._words = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`, as the pipes are
            self._popen = subprocess.Popen(
                [sys.executable, "-P", "-m", "sonnx_verify.solving.solvers.worker", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._words,
                bufsize=0,
                env={**os.environ, **_KEEP_MEMORY, "PYTHONPATH": path},
            )
        except OSError as error:
            raise WorkerEnded(CRASHED) from error
        self._input, self._output = _pipe(self._popen.stdin), _pipe(self._popen.stdout)
        os.set_blocking(self._input.fileno(), False)
        self._received = bytearray()
        # Half of what the pipe holds: so much can be written ahead and never has to wait for the worker to read.
        self.room = fcntl.fcntl(self._input.fileno(), fcntl.F_GETPIPE_SZ) // 2 if sys.platform == "linux" else 0

    @property
    def pid(self) -> int:
        return self._popen.pid

    def alive(self) -> bool:
        return self._popen.poll() is None

    def send(self, frame: bytes, patience: float) -> None:
        """Write one message. Raises WorkerEnded(TIMEOUT) when the worker does not read for `patience` seconds.

        A worker that has died is not noticed here: an answer of its may still be in the pipe, so `receive` tells.
        """
        deadline = time.monotonic() + patience
        left = memoryview(frame)
        while left:
            _wait(self._input, select.POLLOUT, deadline)
            try:
                left = left[os.write(self._input.fileno(), left) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                return

    def receive(self, patience: float) -> Answer:
        """The next answer. Raises WorkerEnded: CRASHED when the worker is gone, MEMORY when it had none left, though it
        may still say so, TIMEOUT after `patience` seconds."""
        deadline = time.monotonic() + patience
        while True:
            try:
                complete = wire.unframe(self._received)
            except Exception as error:  # bytes that are no message: nothing behind them can be trusted either
                raise WorkerEnded(CRASHED) from error
            if complete:
                answer, size = complete
                del self._received[:size]
                assert isinstance(answer, Answer)
                if answer.reason == MEMORY:  # what it holds now may be anything, and would be missing from the next
                    raise WorkerEnded(MEMORY)
                return answer
            _wait(self._output, select.POLLIN, deadline)
            data = os.read(self._output.fileno(), 65536)
            if not data:
                raise WorkerEnded(self._why_gone())
            self._received += data

    def _why_gone(self) -> str:
        """What a worker died of, by its last words: nobody's concern where it only had no memory left. Where it fell
        without a word, by how much it had, since libraries fall that do not look whether they were given memory."""
        _, status, usage = os.wait4(self._popen.pid, 0)
        self._popen.returncode = os.waitstatus_to_exitcode(status)
        self._words.seek(max(0, self._words.seek(0, os.SEEK_END) - 4096))
        words = self._words.read()
        fell = not words and -self._popen.returncode in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT)
        if speaks_of_memory(words.decode("utf-8", "replace")) or (fell and usage.ru_maxrss * 1024 > self._memory / 2):
            return MEMORY
        os.write(2, words)
        return CRASHED

    def kill(self) -> None:
        """Kill the process if it runs; whoever waits in `receive` sees it end."""
        self._popen.kill()

    def end(self) -> None:
        """Kill, reap and close everything."""
        self.kill()
        self._popen.wait()
        self._input.close()
        self._output.close()
        self._words.close()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None  # we asked Popen for a pipe
    return stream


def _wait(stream: IO[bytes], event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(stream.fileno(), event)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise WorkerEnded(TIMEOUT)
