"""Workers end with whoever needs them."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from sonnx_verify.logic.status import Status
from sonnx_verify.processes.child import Program
from sonnx_verify.solving.solvers import Answer
from sonnx_verify.solving.solvers.limits import MEMORY_BYTES
from sonnx_verify.solving.solvers.worker import serve

ROOT = Path(__file__).parents[2]
# Prints its workers' process ids, then waits for answers that do not come, or for nothing.
PARENT = """
import sys, time
from sonnx_verify.solving.solvers import Solvers
hard = ("(set-logic QF_NIA)(declare-const x Int)(declare-const y Int)(declare-const z Int)"
    "(assert (and (> x 1) (> y 1) (> z 1) (= (+ (* x x x) (* y y y)) (* z z z))))")
try:
    with Solvers(budget=10**9) as solvers:
        query = solvers.submit(hard)
        while None in (pids := [solvers.pid(name) for name in solvers.names]):
            time.sleep(0.01)
        time.sleep(0.5)
        print(*pids, flush=True)
        query.result()
        time.sleep(20)
except KeyboardInterrupt:
    sys.exit(7)
"""


def ended(pid: int, seconds: float = 30) -> bool:
    """Whether a process is gone or waits only to be reaped, now or within so many seconds."""
    end = time.monotonic() + seconds
    while True:
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat")
            if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        if time.monotonic() >= end:
            return False
        time.sleep(0.01)


@pytest.mark.parametrize("name", ["z3", "cvc5"])
def test_ends_with_its_input(name: str) -> None:
    """A worker answers what it is asked and exits with status 0 when its input closes."""
    with tempfile.TemporaryFile() as errors, Program(errors=errors).start(serve, name, MEMORY_BYTES) as worker:
        worker.post(("(set-logic QF_LIA)(declare-const x Int)(assert (= x 3))", 10**6, ("x",)))

        assert worker.receive(20) == Answer(name, Status.SAT, "", "((x 3))")
        worker.channel.close()
        assert worker.wait(20) == 0
        errors.seek(0)
        assert errors.read() == b""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a worker ends only after its query")
def test_ends_when_the_parent_is_killed() -> None:
    """No worker outlives a killed parent, although both are amid a query."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, cwd=ROOT, text=True) as parent:
        assert parent.stdout
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        parent.kill()
        parent.wait()

    assert len(pids) == 2
    assert all(ended(pid) for pid in pids)


@pytest.mark.parametrize("busy", [True, False], ids=["amid a query", "idle"])
def test_interrupt_from_the_keyboard(busy: bool) -> None:
    """Ctrl-C, which reaches every process of the terminal, is the parent's to handle: workers ignore it, and end with
    the parent, without a traceback."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT if busy else PARENT.replace("(> x 1)", "(= x y z 0)")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        text=True,
        start_new_session=True,
    ) as parent:
        assert parent.stdout
        assert parent.stderr
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        for pid in pids:
            os.kill(pid, signal.SIGINT)
        time.sleep(0.2)
        alive = [not ended(pid, seconds=0) for pid in pids]
        os.killpg(parent.pid, signal.SIGINT)
        status = parent.wait(timeout=20)
        printed = parent.stderr.read()

    assert (alive, status, printed) == ([True, True], 7, "")
    assert all(ended(pid) for pid in pids)
