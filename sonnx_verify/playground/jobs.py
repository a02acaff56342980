"""Requests of the page, worked on one at a time in processes with limits; each belongs to whoever waits for it.

A request that nobody waits for any more is dropped, and its process killed. Of two that are asked for at once the later
one goes first, as in the editor: somebody looks at it.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path

from sonnx_verify.background.checks import Checks
from sonnx_verify.background.messages import Done, Failed
from sonnx_verify.playground.child import serve
from sonnx_verify.playground.replies import Begun, Message
from sonnx_verify.playground.requests import Request

_NAP = 1.0
"""Seconds before processes are tried again where the system refused to start one."""


class Busy(Exception):
    """So many requests wait that no other one is taken."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` and bytes of `memory` of the work on one request, the latter of each process; how many requests may
    wait."""

    seconds: float = 60.0
    memory: int = 2 << 30
    waiting: int = 8


@dataclass(slots=True)
class Job:
    """A request with what was said of it."""

    request: Request
    _messages: queue.Queue[Message] = field(default_factory=queue.Queue)

    def hear(self, message: Message) -> None:
        """Take a message; any thread may."""
        self._messages.put(message)

    def messages(self, pause: float) -> Iterator[Message | None]:
        """The messages up to the last one; None whenever none came for so many seconds."""
        last = False
        while not last:
            try:
                message = self._messages.get(timeout=pause)
            except queue.Empty:
                yield None
                continue
            last = isinstance(message, Done | Failed)
            yield message


class Jobs:
    """The requests that are worked on, by a thread that starts all processes and outlives them."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._numbers = count(1)
        self._lock = threading.Lock()
        # By names as the editor has of files: what is checked there are files.
        self._jobs: dict[Path, Job] = {}
        self._loop = asyncio.new_event_loop()
        self._checks: Checks[Request, Message] = self._made()
        self._task: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)
        self._thread.start()

    def _made(self) -> Checks[Request, Message]:
        return Checks(self._request, self._heard, partial(serve, memory=self._limits.memory), self._limits.seconds)

    @contextmanager
    def job(self, request: Request) -> Iterator[Job]:
        """A job that is worked on while the block runs, and no longer. Raises Busy."""
        job = Job(request)
        with self._lock:
            if len(self._jobs) >= self._limits.waiting:
                raise Busy
            name = Path(str(next(self._numbers)))
            self._jobs[name] = job
        try:
            self._loop.call_soon_threadsafe(self._ask, name)
            yield job
        finally:
            with self._lock:
                del self._jobs[name]
            # The loop is closed when the server ends.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._drop, name)

    def close(self) -> None:
        """End all processes, and the thread."""
        self._loop.call_soon_threadsafe(self._cancel)
        self._thread.join()

    # ------------------------------------------------------------------------------------------------- in the thread

    def _run(self) -> None:
        self._task = self._loop.create_task(self._serve())
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._task)
        self._loop.close()

    async def _serve(self) -> None:
        while True:
            try:
                await self._checks.serve()
            except OSError as problem:
                for job in self._waiting():
                    job.hear(Failed(f"no process could be started: {problem.strerror}"))
                await asyncio.sleep(_NAP)
                self._checks = self._made()

    def _cancel(self) -> None:
        assert self._task is not None
        self._task.cancel()

    def _ask(self, name: Path) -> None:
        self._checks.ask(name, pause=0)

    def _drop(self, name: Path) -> None:
        self._checks.drop(name)

    def _waiting(self) -> list[Job]:
        with self._lock:
            return list(self._jobs.values())

    def _request(self, name: Path) -> Request | None:
        """The request whose turn it is."""
        with self._lock:
            job = self._jobs.get(name)
        if job is None:
            return None
        job.hear(Begun())
        return job.request

    def _heard(self, name: Path, message: Message) -> None:
        with self._lock:
            job = self._jobs.get(name)
        if job is not None:
            job.hear(message)
