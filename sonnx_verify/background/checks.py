"""Checks in the background: one process at a time decides, a second one waits with all it needs.

A process is killed when what it checks is out of date. None is used twice: what terms took of memory is given back.
"""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from sonnx_verify.background.messages import Done, Failed, Lost
from sonnx_verify.processes.channel import Channel
from sonnx_verify.processes.child import Program
from sonnx_verify.processes.limits import how_ended
from sonnx_verify.solving.check.run import usable_cores

PAUSE = 0.25
"""The seconds without a keystroke after which a check begins: the text between two letters is worth no process."""

Serve = Callable[[Channel, str], None]
"""The work of the process: `child.served` with some work, as a function of a module. Its text is the root of a project
that it gets ready for, or empty."""


class HasRoot(Protocol):
    """A request, which names the root of its project."""

    @property
    def root(self) -> str: ...


R = TypeVar("R", bound=HasRoot)
M = TypeVar("M")


class Checker(Generic[R, M]):
    """A process that waits for a check, makes it, and ends."""

    def __init__(self, serve: Serve, root: str = "") -> None:
        """One that gets ready for the project in a folder. Raises OSError where the system has none."""
        self._child = Program(errors=subprocess.DEVNULL).start(serve, root)
        self.killed = False

    @property
    def usable(self) -> bool:
        """True if it still waits for work."""
        return not self.killed and self._child.alive()

    def send(self, request: R) -> None:
        """Give it its work."""
        self._child.post(request)

    async def messages(self) -> AsyncIterator[M | Failed]:
        """Its messages, until it has ended; none once it is killed. The last is `Lost` if it ends before it is
        done."""
        done = False
        while not done:
            while not self._child.channel.ready:
                await self._moved()
            # What it still said is about a text that is out of date.
            if self.killed:
                return
            try:
                message: M | Failed = self._child.receive()
            except EOFError:
                message = Lost(f"the process that checks it {how_ended(self._child.ended())}")
            done = isinstance(message, Done | Failed)
            yield message

    async def _moved(self) -> None:
        """Wait until something can be read, or written of what did not fit yet; then do that."""
        # Not a thread that waits: one for each process would be left over when that is killed.
        loop, channel = asyncio.get_running_loop(), self._child.channel
        moved = asyncio.Event()
        loop.add_reader(channel, moved.set)
        if channel.waits_to_write:
            loop.add_writer(channel, moved.set)
        try:
            await moved.wait()
        finally:
            loop.remove_reader(channel)
            loop.remove_writer(channel)
        channel.pump()

    def kill(self) -> None:
        """End it at once."""
        # Before the kill: whoever reads messages meanwhile must not take its end for a failure.
        self.killed = True
        self._child.kill()

    def end(self) -> None:
        """End it, and wait until it has: nothing of it may be left when the loop is closed."""
        self.killed = True
        self._child.end()


class Checks(Generic[R, M]):
    """Checks files, the one that was asked for last first, in processes that `serve`.

    `make` makes the request for a file when its turn comes, None where there is nothing to check any more; `heard` is
    told what comes of it. A check that takes more than so many `seconds` is ended, and failed.
    One file at a time: somebody types in one file, and two checks that share the cores would both be late.
    """

    def __init__(
        self,
        make: Callable[[Path], R | None],
        heard: Callable[[Path, M | Failed], None],
        serve: Serve,
        seconds: float | None = None,
    ) -> None:
        self._make, self._heard, self._serve, self._seconds = make, heard, serve, seconds
        self._due: dict[Path, float] = {}
        self._now: tuple[Path, Checker[R, M]] | None = None
        self._wake = asyncio.Event()
        self._ready: Checker[R, M] | None = None

    def ask(self, path: Path, pause: float = PAUSE) -> None:
        """Check a file after a pause; a check of it that is under way is out of date. Another one that is waits."""
        now = asyncio.get_running_loop().time()
        # It is begun anew later: half of a check has shown its verdicts, and the cache has what solvers answered.
        if self._now is not None and self._now[0] != path:
            # Of two that are due the later one goes first.
            self._due[self._now[0]] = now + pause
            self._now[1].kill()
        self.drop(path)
        self._due[path] = now + pause
        self._wake.set()

    def drop(self, path: Path) -> None:
        """A check of a file is not wanted any more."""
        self._due.pop(path, None)
        if self._now is not None and self._now[0] == path:
            self._now[1].kill()

    async def serve(self) -> None:
        """Check what is asked for until this is cancelled. All processes end with it."""
        try:
            self._ready = Checker(self._serve)
            while True:
                path = await self._next()
                request = self._make(path)
                if request is not None:
                    await self._check(path, request)
        finally:
            if self._ready is not None:
                self._ready.end()
            if self._now is not None:
                self._now[1].end()

    async def _next(self) -> Path:
        """The file whose pause is over; of several the last one, in which somebody types."""
        while True:
            self._wake.clear()
            now = asyncio.get_running_loop().time()
            over = [path for path, due in self._due.items() if due <= now]
            if over:
                del self._due[over[-1]]
                return over[-1]
            # Nothing is due: only `ask` ends the wait.
            wait = None
            if self._due:
                wait = min(self._due.values()) - now
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), wait)

    async def _check(self, path: Path, request: R, *, again: bool = False) -> None:
        """Have a file checked; again by another process where the one that waited turns out to have ended meanwhile."""
        child, self._ready = self._ready, None
        if child is not None and not child.usable:
            child = None
        # Once only: the next one that ends without a word was not killed while it waited, but by the work itself.
        waited, silent = child is not None and not again, True
        child = child or Checker(self._serve)
        self._now = (path, child)
        try:
            child.send(request)
            # What was asked for while this one started kills it at once.
            self._ready = Checker(self._serve, request.root)
            async with asyncio.timeout(self._seconds):
                async for message in child.messages():
                    # A process may be killed while it waits, by whoever is short of memory: that is no answer.
                    if waited and silent and isinstance(message, Lost):
                        continue
                    silent = False
                    self._heard(path, message)
            lost = waited and silent and not child.killed
        except TimeoutError:
            lost = False
            self._heard(path, Failed(f"no result after {self._seconds:g} seconds"))
        finally:
            child.end()
            self._now = None
        if lost:
            await self._check(path, request, again=True)


def jobs() -> int:
    """The number of processes that decide: one core is left to whoever is typing."""
    return max(1, usable_cores() - 1)
