"""A child does its work, says how it ended, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sonnx_verify.processes.channel import Channel
from sonnx_verify.processes.child import Program
from sonnx_verify.processes.limits import Limits, how_confined_ended, how_ended, seconds_worked

ROOT = Path(__file__).parents[2]
# Forks are tried in a program of their own: pytest-xdist has threads, and a process with threads is not forked.
FORK = """
import os, signal, sys, time
from sonnx_verify.processes.child import Ended, apart, can_fork, forked
from sonnx_verify.processes.limits import Limits, confine, ended_after, how_ended

def echo(channel, first):
    channel.send(first)
    channel.send(channel.receive())

assert can_fork()
"""


def echo(channel: Channel, first: str) -> None:
    channel.send(first)
    channel.send(channel.receive())


def hang(channel: Channel) -> None:
    channel.send(os.getpgid(0))
    while True:
        time.sleep(100)


def program(code: str) -> str:
    """The output of a program without threads, which can fork."""
    command = [sys.executable, "-c", FORK + code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return done.stdout


def test_a_program() -> None:
    with Program().start(echo, "hello") as child:
        child.post("again")

        assert (child.receive(60), child.receive(60)) == ("hello", "again")
        assert child.ended() == 0


def test_a_program_has_no_streams() -> None:
    """Output of its code does not get among the messages."""
    with Program().start(_prints) as child:
        assert child.receive(60) == ""
        assert child.ended() == 0


def _prints(channel: Channel) -> None:
    os.write(1, b"printed")
    print("printed")
    channel.send(sys.stdin.read())


def test_a_fork() -> None:
    assert program(
        "child = forked(echo, 'hello')\n"
        "child.post('again')\n"
        "print(child.receive(60), child.receive(60), child.ended())\n"
    ) == "hello again 0\n"  # fmt: skip


def test_a_fork_holds_no_other_s_channel() -> None:
    """Else a child would not notice that its parent is gone: the first one ends although the second one runs."""
    assert program(
        "def ends(channel):\n"
        "    try: channel.receive()\n"
        "    except EOFError: pass\n"
        "one, two = forked(ends), forked(ends)\n"
        "one.channel.close()\n"
        "print(one.wait(60), two.alive(), two.end())\n"
    ) == "0 True -9\n"  # fmt: skip


@pytest.mark.parametrize(("status", "said"), [
    (0, ("ended with status 0", "ended with status 0")),
    # A solver of somebody else may end with 77 for reasons of its own.
    (77, ("had no memory left", "ended with status 77")),
    (-signal.SIGKILL, ("ended by SIGKILL", "ended by SIGKILL")),
    (-signal.SIGALRM, ("had not come to an end after 3 seconds", "ended by SIGALRM")),
    (-signal.SIGPROF, ("had not come to an end after 3 seconds", "ended by SIGPROF")),
    # A signal that has a number and no name.
    (1 - signal.SIGRTMAX, (f"ended by signal {signal.SIGRTMAX - 1}",) * 2),
])  # fmt: skip  # a table
def test_how_it_ended(status: int, said: tuple[str, str]) -> None:
    """A process that is held to limits, and code that is not ours, whose status may mean anything."""
    assert (how_confined_ended(status, Limits(seconds=3.0)), how_ended(status)) == said


def test_a_limit_of_work() -> None:
    """It counts the seconds of the processor: a process that waits for its turn on a busy machine may go on."""
    assert (
        program(
            "from sonnx_verify.processes import limits\n"
            "def limited(work):\n"
            "    def inside(channel):\n"
            "        confine(Limits())\n"
            "        with limits.ended_after_work(0.2): work()\n"
            "    with forked(inside) as child: return child.wait(50)\n"
            "def work():\n"
            "    while True: pass\n"
            "print(limited(work) == -signal.SIGPROF, limited(lambda: time.sleep(0.5)))\n"
            "print(limited(lambda: time.sleep(60)) == -signal.SIGALRM)\n"
        )
        == "True 0\nTrue\n"
    )


def test_seconds_worked() -> None:
    """What a process that waits has worked stays the same; there is nothing to say of one that ended."""
    with Program().start(hang) as child:
        child.receive(60)
        before = seconds_worked(child.pid)
        time.sleep(0.1)

        assert before is not None
        assert seconds_worked(child.pid) == before
    assert seconds_worked(child.pid) is None


def test_apart() -> None:
    assert program(
        "def said(work):\n"
        "    try: return apart(work, 0.5)\n"
        "    except Ended as problem: return problem\n"
        "print(said(lambda: 3), said(lambda: os._exit(0)), said(lambda: time.sleep(9)), sep='; ')\n"
    ) == "3; it ends its process; no answer in 0.5 seconds\n"  # fmt: skip


def test_it_is_killed_with_its_group() -> None:
    """In a group of its own, and by the thread that waits no more than by any other."""
    child = Program(group=True).start(hang)
    # The number of a group is that of the process that leads it.
    assert child.receive(60) == child.pid != os.getpgid(0)
    child.kill()

    with pytest.raises(EOFError):
        child.receive(60)
    assert child.end() == -signal.SIGKILL == child.end()


@pytest.mark.skipif(sys.platform != "linux", reason="relies on the kernel's signal to orphans")
def test_no_orphan() -> None:
    """A parent that is killed takes with it what hangs."""
    code = (
        "import sys, time\n"
        "from sonnx_verify.processes.child import Program, forked\n"
        "def hang(channel):\n"
        "    channel.send(1)\n"
        "    while True: time.sleep(100)\n"
        "child = forked(hang)\n"
        "child.receive()\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(100)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT, text=True) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
    until = time.monotonic() + 30
    while _runs(pid) and time.monotonic() < until:
        time.sleep(0.01)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    # A zombie runs no more; whoever adopted it has only not asked for its status yet.
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False
