"""`check --jobs N`: the same answer for every N, whatever happens to the processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and relies on the kernel's signal to orphans")

LAWS = """
theory laws "laws of every verdict"
use broadcast

types int = int8 int64

theorem one_more "above" for k : int : k < k + 1
theorem small "no integer is large" for k : int : k <= 2
-- `far` and `hidden` turn on 12345, which no text names: a solver finds it, and nothing that is replayed is there.
theorem far "no integer is very large" for k : int : 2 * k != 2000000000000000002
theorem hidden "a witness that is not looked for" for k : int assuming 2 * k = 2000000000000000002 : k > 0
theorem nothing "of nothing" for k : int assuming k < 0 and k > 0 : k = 1
theorem lost "a name that nothing has" for k : int : k = lost
theorem rank "of one shape" for A : shape : rank(common_shape([A])) = rank(A)
theorem symmetric "of two" for A, B : shape assuming broadcastable([A, B]) : common_shape([A, B]) = common_shape([B, A])
theorem longer "of two" for A, B : shape assuming broadcastable([A, B]) : rank(A) <= rank(common_shape([A, B]))
theorem longest "of two" for A, B : shape assuming broadcastable([A, B]) : rank(common_shape([A, B])) <= rank(A)
"""
MORE = 'theory more "more laws"\n\ntheorem twice "twice" for k : int assuming k > 0 : k < k + k\n'
OPTIONAL = """
operator Clip version 1 user

types int = int8

input          X   : tensor of T
optional input min : tensor of T
attribute      k   : int default 3
output         Y   : tensor of T

[C1] constraint "the bound is a scalar" : given(min) => rank(min) = 0
[E1] error      "the bound is none"     : when C1 fails
[C2] constraint "k is written"          : given(k) or rank(X) < 5

shape Y    = X.shape
value Y[i] = X[i]
"""
BROKEN = 'theory broken "does not end"\n\ntheorem open "open" for k : int :\n'


class Runs:
    """Runs of programs, none of which knows what another one found."""

    environment: Callable[[], dict[str, str]]


@pytest.fixture(autouse=True)
def runs(anew: Callable[[], dict[str, str]]) -> None:
    """For every test here."""
    Runs.environment = staticmethod(anew)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with texts that are proved, refuted, vacuous, undecided and wrong."""
    (tmp_path / "laws.sonnx").write_text(LAWS, "utf-8")
    (tmp_path / "more.sonnx").write_text(MORE, "utf-8")
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "sonnx_verify", "check", *arguments]


def check(folder: Path, *arguments: str, cores: bool = False) -> tuple[int, bytes, bytes]:
    """Exit status and what is printed; on all `cores`, where nothing names how many."""
    environment = Runs.environment()
    # The tests set this, to share the machine; without it the number is that of the cores.
    if cores:
        del environment["SONNX_VERIFY_JOBS"]
    done = subprocess.run(
        command(*arguments), cwd=folder, env=environment, capture_output=True, timeout=300, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("arguments", "broken"),
    [(("-v",), True), pytest.param(("--format", "json"), False, marks=pytest.mark.soak)],
    ids=str,
)
def test_same_bytes(project: Path, arguments: tuple[str, ...], broken: bool) -> None:
    """One process and three print the same bytes and end with the same status."""
    if broken:
        (project / "broken.sonnx").write_text(BROKEN, "utf-8")
    else:
        # JSON of a text with a mistake has no obligations of it, and here each verdict has to be seen.
        path = project / "laws.sonnx"
        lines = [line for line in path.read_text("utf-8").splitlines() if "theorem lost" not in line]
        path.write_text("\n".join(lines), "utf-8")
    one, three = (check(project, "--jobs", n, *arguments) for n in "13")

    assert one == three
    text = b"".join(one[1:]).decode()
    for verdict in ("proved", "refuted", "vacuous", "candidate", "unknown"):
        assert verdict in text
    assert one[0] == 1 + broken
    assert ("there is no `lost`" in text or "`lost`" in text) is broken


@pytest.mark.soak
def test_same_bytes_of_the_library() -> None:
    """Also where many obligations rest on the same laws of orders."""
    one, two = (check(ROOT, "--jobs", n, "--format", "json", "spec/common/orders.sonnx") for n in "12")

    assert one == two
    assert one[0] == 0


@pytest.mark.soak
def test_same_bytes_of_what_is_left_out(tmp_path: Path) -> None:
    """That something is not given is a value like others, also where it comes from another process, and where nobody
    says how many there are."""
    (tmp_path / "clip.sonnx").write_text(OPTIONAL, "utf-8")
    one, two = (check(tmp_path, "--jobs", n, "--format", "json") for n in "12")

    assert one == two == check(tmp_path, "--format", "json", cores=True)
    assert b"user.Clip-1.int/C1/satisfiable" in one[1]
    assert one[2] == b""


@pytest.mark.thinned(3)
@pytest.mark.parametrize("jobs", ["0", "-1", "many"])
def test_bad_number_in_the_environment(project: Path, jobs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number on the command line takes precedence, so the other one is not read."""
    monkeypatch.setenv("SONNX_VERIFY_JOBS", jobs)

    status, _, said = check(project)
    assert status == 2
    assert b"--jobs" in said
    assert jobs.encode() in said
    assert b"--jobs" not in check(project, "--jobs", "1", "more.sonnx")[2]


@pytest.mark.parametrize("jobs", ["0", "-1", "many"])
def test_bad_number(project: Path, jobs: str) -> None:
    """A number of processes is at least one."""
    assert check(project, "--jobs", jobs)[0] == 2


# --------------------------------------------------------------------------------------------- processes that are ended

# Obligations made by hand, whose building does whatever a test wants to happen in a process.
DIRECT = """
import os, signal, sys
from sonnx_verify.processes.limits import Limits
from sonnx_verify.solving.check.run import run
from sonnx_verify.sources import Source, Span
from sonnx_verify.kernel.variables import Variable, VariableKind
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Symbol, le, add, integer
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.solving.solvers import Solvers

x = Symbol("x", (), INT)()

def obligation(n, effect):
    def build(context):
        effect()
        claim = Claim((), le(x, add(x, integer(n))), "")
        return Statement((Variable("x", VariableKind.INT, INT, None, 0),), (), (claim,))
    span = Span(Source("s", ""), 1, 1)
    return Obligation(None, None, "", f"t{n}", "theorem", span, "user.s", family="int", build=build)

parent = os.getpid()
def nothing(): pass
def only_in_a_process(effect):
    return lambda: effect() if os.getpid() != parent else sys.exit("decided in the parent")
"""


def direct(code: str) -> subprocess.CompletedProcess[str]:
    """A program that decides obligations of its own."""
    return subprocess.run(
        [sys.executable, "-c", DIRECT + code],
        env=Runs.environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


PRINT = """
with Solvers() as solvers:
    for record in run(made, solvers, jobs=2):
        print(record.obligation.tag, record.verdict.name, record.verdict.reason)
"""


def test_what_kills_its_process_is_unknown() -> None:
    """No other obligation is lost, and the parent does not try that one itself."""
    done = direct(
        "bad = only_in_a_process(lambda: os.kill(os.getpid(), signal.SIGKILL))\n"
        "made = [obligation(n, bad if n in (2, 3) else nothing) for n in range(1, 7)]" + PRINT
    )

    killed = "unknown the process that worked on it ended by SIGKILL"
    expected = [f"t{n} {killed if n in (2, 3) else 'proved '}" for n in range(1, 7)]
    assert done.stdout.splitlines() == expected
    assert done.stderr == ""


def test_a_process_that_is_killed_once_is_replaced(tmp_path: Path) -> None:
    """Its obligation is begun again, and the answer is the same."""
    mark = tmp_path / "mark"
    done = direct(
        f"mark = {str(mark)!r}\n"
        "def once():\n"
        "    if not os.path.exists(mark):\n"
        "        open(mark, 'w').close()\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "made = [obligation(n, only_in_a_process(once) if n == 2 else nothing) for n in range(1, 7)]" + PRINT
    )

    assert done.stdout.splitlines() == [f"t{n} proved " for n in range(1, 7)]
    assert mark.exists()
    assert done.stderr == ""


def test_no_memory_is_unknown() -> None:
    """A process without memory says so of its obligation, in the words of a run in one process."""
    done = direct(
        "def full(): raise MemoryError\n"
        "made = [obligation(n, full if n == 2 else nothing) for n in range(1, 4)]" + PRINT
    )

    expected = ["t1 proved ", "t2 unknown too large to process (MemoryError)", "t3 proved "]
    assert done.stdout.splitlines() == expected


SHORT = PRINT.replace("jobs=2", "jobs=2, limits=Limits(seconds=3)")
SMALL = PRINT.replace("jobs=2", "jobs=2, limits=Limits(memory=1 << 30)")


def test_what_hangs_is_unknown() -> None:
    """Whatever it does: it is the kernel that ends its process. The rest goes on, once in another process."""
    # It swallows every exception, so that no handler of Python could end it.
    done = direct(
        "import time\n"
        "def hang():\n"
        "    while True:\n"
        "        try: time.sleep(1000)\n"
        "        except BaseException: pass\n"
        "made = [obligation(n, only_in_a_process(hang) if n == 2 else nothing) for n in range(1, 6)]" + SHORT
    )

    hung = "unknown the process that worked on it had not come to an end after 3 seconds"
    assert done.stdout.splitlines() == [f"t{n} {hung if n == 2 else 'proved '}" for n in range(1, 6)]
    assert done.stderr == ""


GREEDY = """
kept = []
def keep(pieces):
    for _ in range(pieces):
        kept.append(bytes(1 << 26))
"""


def test_where_no_process_can_be_started() -> None:
    """A system that has no more processes is no reason to wait: all is told, and the program ends."""
    refuse = "def refused():\n    raise OSError(11, 'no more')\nos.fork = refused\n"
    done = direct(refuse + "made = [obligation(n, nothing) for n in range(1, 4)]" + PRINT)

    assert done.stdout.splitlines() == [f"t{n} unknown no process could be started for it: no more" for n in (1, 2, 3)]
    assert done.stderr == ""


def test_what_eats_the_memory_is_unknown() -> None:
    """It alone: what was under way beside it is begun again."""
    done = direct(
        GREEDY + "eat = only_in_a_process(lambda: keep(40))\n"
        "made = [obligation(n, eat if n == 2 else nothing) for n in range(1, 6)]" + SMALL
    )

    full = "unknown too large to process (MemoryError)"
    assert done.stdout.splitlines() == [f"t{n} {full if n == 2 else 'proved '}" for n in range(1, 6)]
    assert done.stderr == ""


def test_what_others_left_over_is_nobody_s_fault() -> None:
    """A process that has filled up is replaced: seven obligations of 384 MiB fit into 1 GiB one by one."""
    done = direct(GREEDY + "made = [obligation(n, only_in_a_process(lambda: keep(6))) for n in range(1, 8)]" + SMALL)

    assert done.stdout.splitlines() == [f"t{n} proved " for n in range(1, 8)]
    assert done.stderr == ""


def test_a_defect_is_not_swallowed() -> None:
    """A defect, which is no mistake of the user, ends the program with the traceback of the process."""
    done = direct("made = [obligation(n, lambda: 1 // 0) for n in range(1, 4)]" + PRINT)

    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr


def test_no_fork_beside_threads() -> None:
    """A program that has threads gets its records from one process."""
    done = direct(
        "import threading\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "seen = []\n"
        "made = [obligation(n, lambda: seen.append(os.getpid())) for n in range(1, 4)]"
        + PRINT
        + "print(set(seen) == {parent})"
    )

    assert done.stdout.splitlines() == ["t1 proved ", "t2 proved ", "t3 proved ", "True"]


# --------------------------------------------------------------------------------------------------- ends from outside


def alive(pid: int) -> bool:
    """Return whether a process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def started(folder: Path, children_of: Callable[[int], list[int]]) -> tuple[subprocess.Popen[bytes], list[int]]:
    """A check in a session of its own, once two processes with two solvers each are at work: it is far from its end,
    since no solver knows of cubes."""
    # Work is taken from both ends. Two solvers are started for a law that both find true: for cubes the second one
    # would come when the first one has given up, after many seconds.
    easy = 'theorem e{0} "a sum" for a, b : int assuming a > {0} and b > a : a + b > 2 * {0} + 2'
    law = 'theorem t{0} "no sum" for a, b, c : int assuming a > {0} and b > {0} : a * a * a + b * b * b != c * c * c'
    laws = [easy.format(0), *(law.format(n) for n in range(20)), easy.format(1)]
    text = "\n".join(['theory cubes "cubes"', *laws, ""])
    (folder / "cubes.sonnx").write_text(text, "utf-8")
    process = subprocess.Popen(
        command("--jobs", "2"),
        cwd=folder,
        env=Runs.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        workers = children_of(process.pid)
        solvers: list[int] = []
        for worker in workers:
            solvers += children_of(worker)
        if len(workers) == 2 and len(solvers) == 4:
            return process, [*workers, *solvers]
        time.sleep(0.02)
    process.kill()
    raise AssertionError(f"no two processes came to work: {process.communicate()}")


def all_end(pids: list[int]) -> bool:
    """Return whether all of them end within a minute."""
    end = time.monotonic() + 60
    while any(alive(p) for p in pids) and time.monotonic() < end:
        time.sleep(0.02)
    return not any(alive(p) for p in pids)


@linux
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGUSR1])
def test_no_orphans_of_a_killed_command(
    tmp_path: Path, number: signal.Signals, children_of: Callable[[int], list[int]]
) -> None:
    """Neither processes nor solvers outlive it."""
    process, below = started(tmp_path, children_of)
    process.send_signal(number)
    process.communicate(timeout=60)

    assert process.returncode == -number
    assert all_end(below)


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("to_all", [True, False])
def test_interrupt(
    tmp_path: Path, to_all: bool, number: signal.Signals, children_of: Callable[[int], list[int]]
) -> None:
    """Ctrl-C, or a job that is cancelled, reaches the whole group or the command alone: it says so, ends with 130, and
    all are gone."""
    process, below = started(tmp_path, children_of)
    # A terminal signals the group; a program that runs the command, the command alone.
    send = os.killpg if to_all else os.kill
    send(process.pid, number)
    _, said = process.communicate(timeout=60)

    assert process.returncode == 130
    assert said.decode().startswith("error: the run was interrupted after ")
    assert all_end(below)


@linux
def test_killed_solvers_and_processes_lose_nothing(project: Path, children_of: Callable[[int], list[int]]) -> None:
    """A process that is killed from outside, with its solvers, changes no byte."""
    arguments = ("--jobs", "2", "--format", "json")
    whole = check(project, *arguments)
    process = subprocess.Popen(
        command(*arguments), cwd=project, env=Runs.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    killed: list[int] = []
    # One with solvers of its own is at work, and not just about to begin.
    while process.poll() is None and not killed:
        killed = [w for w in children_of(process.pid) if children_of(w)][:1]
        time.sleep(0.005)
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    out, err = process.communicate(timeout=300)

    assert killed
    assert (process.returncode, out, err) == whole
