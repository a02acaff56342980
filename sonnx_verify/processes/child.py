"""A child process: started by a fork or as a program of its own, spoken to by a channel, killed, and waited for.

A fork has what its parent has, such as obligations, which hold functions and cannot be sent; only a process without
threads is forked. A program starts anew: `work` is a function of a module, sent by its name, and its arguments are
sent too.

Every child leaves an interrupt from the keyboard to its parent, and ends with it.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from types import TracebackType
from typing import IO, Any, Concatenate, ParamSpec, TypeVar

from sonnx_verify.processes.channel import Channel
from sonnx_verify.processes.limits import die_with_parent

P = ParamSpec("P")
T = TypeVar("T")
_INTERRUPTS = {signal.SIGINT, signal.SIGTERM}
"""The signals that ask a run to end: its first process hears them, and takes the others with it."""
_ENDING = 30.0
"""Seconds that a process may take to end, once nobody can speak to it."""
# Naps double up to this: a child that ends at once is noticed at once, and watching one for seconds costs little.
_LONGEST_NAP = 0.05

before_fork: list[Callable[[], None]] = []
"""Called before a fork: whoever keeps threads ends them here."""


class Child:
    """A running process. For one thread at a time, but `kill`, which any thread may call at any time.

    The thread that starts it has to outlive it: the kernel kills a child with that thread.
    """

    def __init__(self, pid: int, channel: Channel, *, group: bool = False) -> None:
        self.pid, self.channel = pid, channel
        self.memory = 0
        """The bytes of memory that it had at most, once it has ended."""
        self.closing = ExitStack()
        """Closed when it has ended."""
        self.closing.callback(channel.close)
        self._group = group
        self._status: int | None = None
        self._lock = threading.Lock()

    def post(self, message: object) -> None:
        """Send it a message; see `Channel.post`."""
        self.channel.post(message)

    def receive(self, seconds: float | None = None) -> Any:
        """Its next message; see `Channel.receive`."""
        return self.channel.receive(seconds)

    def alive(self) -> bool:
        """True if it runs."""
        return self.wait(0) is None

    def kill(self) -> None:
        """Kill it, if it runs, with the processes of its group where it has one of its own. Whoever waits for a message
        sees that it ended."""
        with self._lock:
            if self._status is not None:
                return
            self._kill_group()
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def _kill_group(self) -> None:
        if self._group:
            # A system may refuse a whole group for one process in it, as macOS does for a zombie; the child itself has
            # to end even so.
            with suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)

    def wait(self, seconds: float) -> int | None:
        """Its exit status, negative for a signal; None if it still runs after so many seconds."""
        # The wait of the system has no time limit, and a handler of SIGCHLD would belong to the main thread alone.
        until, nap = time.monotonic() + seconds, 0.0005
        while (status := self._reaped()) is None:
            left = until - time.monotonic()
            if left <= 0:
                return None
            time.sleep(min(nap, left))
            nap = min(2 * nap, _LONGEST_NAP)
        return status

    def ended(self, seconds: float = _ENDING) -> int:
        """Wait until it has ended, which it is about to, and close the channel; kill it after so many seconds. Its exit
        status."""
        # A child that waits for a message sees the end of its channel, and ends.
        self.channel.close()
        self.wait(seconds)
        return self.end()

    def end(self) -> int:
        """Kill it, wait until it has ended, and close what belongs to it. Its exit status. Harmless when repeated."""
        self.kill()
        while (status := self.wait(_ENDING)) is None:
            continue
        self.closing.close()
        return status

    def _reaped(self) -> int | None:
        # Under the lock, so that `kill` never meets another process with the same number.
        with self._lock:
            if self._status is not None:
                return self._status
            try:
                pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            except ChildProcessError:  # somebody else has waited for it
                self._status = 0
                return 0
            if pid:
                # What it started may still run, and has its number as that of the group.
                self._kill_group()
                self._status = os.waitstatus_to_exitcode(status)
                self.memory = usage.ru_maxrss * 1024  # Linux counts in KiB
            return self._status

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()


# ------------------------------------------------------------------------------------------------------------ by a fork


def can_fork() -> bool:
    """True if processes can be forked: a fork copies no thread, but may copy a lock that a thread holds."""
    for prepare in before_fork:
        prepare()
    return hasattr(os, "fork") and threading.active_count() == 1


def forked(work: Callable[Concatenate[Channel, P], None], /, *arguments: P.args, **named: P.kwargs) -> Child:
    """A fork of this process that does `work(channel, ...)` and ends: with status 1, and the traceback on standard
    error, where that raises. Raises OSError where the system has no more processes."""
    channel, theirs = Channel.pair()
    parent = os.getpid()
    _flush()  # what is in a buffer would be written twice
    with _uninterrupted(), theirs:
        try:
            pid = os.fork()
        except OSError:
            channel.close()
            raise
        if not pid:
            # `_do` never returns: the stack of the parent, with all that it would clean up, ends here in the child.
            _do(parent, lambda: work(Channel(theirs), *arguments, **named))
    return Child(pid, channel)


def _do(parent: int, work: Callable[[], None]) -> None:
    """Do the work of a fork, and end."""
    status = 1
    try:
        # Code under test may read standard input, which is the parent's: it would take its lines, or wait for ever.
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        # What was made before the fork stays: looking through it would copy its pages.
        gc.freeze()
        if _settled(parent):
            work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        _flush()
        # Not `sys.exit`: what the parent registered to do at its end is not the child's to do.
        os._exit(status)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        # A stream may be None (pythonw), broken (`| head`) or closed.
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()


# ---------------------------------------------------------------------------------------------- as a program of its own


class Program:
    """The surroundings of a child that is a program of its own.

    It finds what this process finds, from any folder, or what is on `path`; it has no standard input or output, and
    `errors` for standard error. In a `group` of its own it is killed with all that it started, and a signal to the
    group of this process does not reach it.
    """

    def __init__(
        self,
        *,
        path: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
        errors: IO[bytes] | int | None = None,
        group: bool = False,
    ) -> None:
        if path is None:
            # The empty entry means this folder, and the child may run in another one.
            path = [os.path.abspath(folder) for folder in sys.path]
        self._path = path
        self._environment = environment or {}
        self._errors = errors
        self._group = group

    def start(self, work: Callable[Concatenate[Channel, P], None], /, *arguments: P.args, **named: P.kwargs) -> Child:
        """Start it. Raises OSError where the system refuses to."""
        channel, theirs = Channel.pair()
        number = str(theirs.fileno())
        # Without -P it would also import from the folder of the module.
        command = [sys.executable, "-P", "-m", "sonnx_verify.processes.program", number, str(os.getpid())]
        with _uninterrupted(), theirs:
            try:
                popen = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._errors,
                    env={**os.environ, **self._environment, "PYTHONPATH": os.pathsep.join(self._path)},
                    pass_fds=[theirs.fileno()],
                    start_new_session=self._group,
                )
            except OSError:
                channel.close()
                raise
        # From here on the child is waited for by us: without a status, `Popen` would wait for it when it is collected.
        popen.returncode = 0
        child = Child(popen.pid, channel, group=self._group)
        child.post((work, arguments, named))
        return child


def main(number: int, parent: int) -> None:
    """Do what the parent says, as the program that it started."""
    channel = Channel(socket.socket(fileno=number))
    if not _settled(parent):
        return
    try:
        work, arguments, named = channel.receive()
    except EOFError as problem:
        if problem.__cause__ is not None:  # it was told what cannot be found here
            raise
        return
    work(channel, *arguments, **named)


# ------------------------------------------------------------------------------------------------------------- one task


class Ended(Exception):
    """The process ended, or was ended, without an answer. The message says how."""


def apart(work: Callable[[], T], seconds: float) -> T:
    """The result of `work` in a process of its own, which it may take with it. Raises Ended. Where no process can be
    forked it is done in this one."""
    if not can_fork():
        return work()
    with forked(_answer, work) as child:
        try:
            answer: T = child.receive(seconds)
            return answer
        except TimeoutError:
            raise Ended(f"no answer in {seconds:g} seconds") from None
        except EOFError:
            raise Ended("it ends its process") from None


def _answer(channel: Channel, work: Callable[[], object]) -> None:
    channel.send(work())


# ---------------------------------------------------------------------------------------------------------------- parts


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """An interrupt waits until the child leaves it to its parent."""
    # A mask outlives fork and exec, so there is no moment in which Ctrl-C ends the child with a traceback.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _settled(parent: int) -> bool:
    """Leave interrupts to the parent, and end with it. Whether it is still there."""
    for number in _INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTS)
    die_with_parent()
    # From that line on the end of the parent ends this process; had it ended before, this process has another parent.
    return os.getppid() == parent
