"""The child process in which a target runs, seen from outside: it may crash, hang or want memory; it begins anew."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from sonnx_verify.conform import wire
from sonnx_verify.conform.calls import Call, Got
from sonnx_verify.errors import INSTALL, UsageError

STARTING = 120.0
"""Seconds that a target may take to be imported."""


class ChildProcess:
    """Runs calls of one target, one after the other; each has so many seconds."""

    def __init__(self, kind: str, name: str, seconds: float) -> None:
        self.kind, self.name, self.seconds = kind, name, seconds
        self.version = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._begin()

    def run(self, call: Call) -> Got:
        """What came of the call, whatever that is."""
        if self._process is None:
            self._begin()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        try:
            process.stdin.write(wire.pack(*wire.of_call(call)))
            process.stdin.flush()
            answer = self._answer(self.seconds)
        except TimeoutError:
            self.close()
            return Got("hung", said=f"no answer in {self.seconds:g} seconds")
        except (BrokenPipeError, EOFError, ValueError):
            return Got("crashed", said=end_of(self._ended()))
        return wire.got_of(*answer)

    def close(self) -> None:
        """End the process, with all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            process.kill()
        _closed(process)

    def _begin(self) -> None:
        # The package may lie elsewhere than where the target does; what the user put on the path stays on it.
        folder = str(Path(__file__).parents[2])
        path = os.pathsep.join([p for p in (os.environ.get("PYTHONPATH", ""), folder) if p])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sonnx_verify.conform.child", self.kind, self.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )
        try:
            ready, _ = self._answer(STARTING)
        except (TimeoutError, EOFError):
            self.close()
            raise UsageError(f"{self.name} ends, or hangs, when it is imported", cure="import it alone first") from None
        if not ready["ready"]:
            self.close()
            raise UsageError(f"{self.name} cannot be used: {ready['why']}", cure=_cure(self.kind))
        self.version = ready["version"]

    def _answer(self, seconds: float) -> tuple[dict[str, Any], list[bytes]]:
        """The next message. TimeoutError where none comes in time, EOFError where the process ends before."""
        until = time.monotonic() + seconds
        head, body = wire.lengths(self._bytes(wire.PREFIX, until))
        return wire.unpack(self._bytes(head, until), self._bytes(body, until))

    def _bytes(self, count: int, until: float) -> bytes:
        assert self._process is not None
        assert self._process.stdout is not None
        place = self._process.stdout.fileno()
        parts = []
        while count:
            if not select.select([place], [], [], max(0.0, until - time.monotonic()))[0]:
                raise TimeoutError
            part = os.read(place, min(count, 1 << 20))
            if not part:
                raise EOFError
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _ended(self) -> int:
        """How the process ended, which is about to."""
        process, self._process = self._process, None
        assert process is not None
        try:
            status = process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        _closed(process)
        return status


def _closed(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):  # what it did not read is lost
                stream.close()
    process.wait()


def end_of(status: int) -> str:
    """How a process ended, in words."""
    if status >= 0:
        return f"the process ended with status {status}"
    try:
        return f"the process ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"the process ended by signal {-status}"


def _cure(kind: str) -> str:
    if kind == "python":
        return "write python:MODULE:FUNCTION, of a module in this folder or on the path"
    return INSTALL if kind.startswith("onnx") else "see docs/conform.md"
