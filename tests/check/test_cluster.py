"""`check --dask`: on a real scheduler and workers, the same answer as that of one process, whatever happens to them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import sonnx_verify
from sonnx_verify.api.select import select
from sonnx_verify.errors import UserError
from sonnx_verify.solving.check.cluster import Cluster, Patience
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.store import Store

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

LAWS = """
theory {name} "laws of every verdict"
use broadcast

types int = int8 int64

theorem one_more "above" for k : int : k < k + 1
theorem small "no integer is large" for k : int : k <= 2
theorem nothing "of nothing" for k : int assuming k < 0 and k > 0 : k = 1
theorem rank "of one shape" for A : shape : rank(common_shape([A])) = rank(A)
theorem longer "of two" for A, B : shape assuming broadcastable([A, B]) : rank(A) <= rank(common_shape([A, B]))
theorem used "by the next" for k : int : k + 1 > k
theorem user "of it" for k : int using used(k) : k + 2 > k + 1
"""
LOST = 'theory lost "of nothing"\n\ntheorem lost "a name that nothing has" for k : int : k = lost\n'


class Runs:
    """Runs of programs, none of which knows what another one found: else there would be nothing to decide."""

    environment: Callable[[], dict[str, str]]


@pytest.fixture(scope="module", autouse=True)
def runs(anew: Callable[[], dict[str, str]]) -> None:
    """For every test here."""
    Runs.environment = staticmethod(anew)


def environment(**more: str) -> dict[str, str]:
    """Without a configuration of dask that this machine may have."""
    return {**Runs.environment(), "DASK_CONFIG": os.devnull, **more}


def free_port() -> int:
    # The scheduler would choose one and only print it; between here and there somebody else may take it, rarely.
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@dataclass
class Processes:
    """A scheduler and workers on loopback."""

    folder: Path
    address: str = field(default_factory=lambda: f"tcp://127.0.0.1:{free_port()}")
    settings: dict[str, str] = field(default_factory=dict)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    scheduler: subprocess.Popen[bytes] | None = None

    def start(self, workers: int, *options: str) -> None:
        """Start a scheduler where there is none, and so many workers; they find it by themselves."""
        if self.scheduler is None:
            port = self.address.rpartition(":")[2]
            self.scheduler = self._dask("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
            while not listens(int(port)):
                assert self.scheduler.poll() is None, "no scheduler came up"
                time.sleep(0.05)
        at = (self.address, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard")
        place = ("--local-directory", str(self.folder), "--death-timeout", "60")
        self.workers += [self._dask("worker", *at, *place, *options) for _ in range(workers)]

    def _dask(self, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{arguments[0]}.log").open("ab") as log:
            run = [sys.executable, "-m", "dask", *arguments]
            return subprocess.Popen(run, cwd=self.folder, env=environment(**self.settings), stdout=log, stderr=log)

    def end(self) -> None:
        """Kill all of them."""
        for process in [*self.workers, *([self.scheduler] if self.scheduler else [])]:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A scheduler and two workers, which the tests of this module use up in their order."""
    made = Processes(tmp_path_factory.mktemp("dask"))
    made.start(2)
    yield made
    made.end()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two folders with texts of one name, which use the installed library, and a text beside them that is named by its
    path, with a mistake that shows late."""
    folder = tmp_path_factory.mktemp("project")
    for part in ("here", "here/below"):
        (folder / part).mkdir()
        (folder / part / "laws.sonnx").write_text(LAWS.format(name="laws"), "utf-8")
    (folder / "lost.sonnx").write_text(LOST, "utf-8")
    return folder / "here"


def started(folder: Path, *arguments: str, path: Path = ROOT) -> subprocess.Popen[bytes]:
    """The command, on its way."""
    what = (".", str(folder.parent / "lost.sonnx"), "--format", "json", *arguments)
    return subprocess.Popen(
        [sys.executable, "-m", "sonnx_verify", "check", *what],
        cwd=folder,
        env=environment(PYTHONPATH=str(path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    """Exit status and what is printed."""
    out, err = process.communicate(timeout=300)
    # How often a long run says where it is depends on the clock.
    said = [line for line in err.decode().splitlines(keepends=True) if not line.startswith("after ")]
    return process.returncode, out.decode(), "".join(said)


def at_work(
    cluster: Processes, process: subprocess.Popen[bytes], workers: int, children_of: Callable[[int], list[int]]
) -> list[subprocess.Popen[bytes]]:
    """The workers, once so many decide: they have processes that have solvers."""
    while process.poll() is None:
        busy = [w for w in cluster.workers if any(children_of(below) for below in children_of(w.pid))]
        if len(busy) >= workers:
            return busy
        time.sleep(0.005)
    raise AssertionError(f"no {workers} workers came to work: {ended(process)}")


@pytest.mark.soak
def test_a_worker_that_is_killed_changes_no_byte(
    cluster: Processes, project: Path, children_of: Callable[[int], list[int]]
) -> None:
    """Two workers, one of which is killed at work, find what one process finds."""
    process = started(project, "--dask", cluster.address)
    killed = at_work(cluster, process, 2, children_of)[0]
    killed.send_signal(signal.SIGKILL)
    found = ended(process)

    assert killed.wait() == -signal.SIGKILL
    assert found == ended(started(project, "--jobs", "1"))
    assert found[0] == 2
    for said in ("proved", "refuted", "vacuous", "user.laws.int/user/theorem"):
        assert said in found[1]
    assert found[2].startswith(f"{project.parent}/lost.sonnx:3:")


@pytest.mark.soak
def test_another_version_is_refused(cluster: Processes, project: Path, tmp_path: Path) -> None:
    """Also where only the code of a checkout differs: both are named, and nothing is decided."""
    # With what Python compiled: of the text that is edited it is found to be old.
    shutil.copytree(Path(sonnx_verify.__file__).parent, tmp_path / "sonnx_verify")
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    with (tmp_path / "sonnx_verify" / "solving" / "check" / "decide.py").open("a", encoding="utf-8") as file:
        file.write("# another\n")
    status, out, err = ended(started(project, "--dask", cluster.address, path=tmp_path))

    assert (status, out) == (2, "")
    first, second = err.splitlines()
    assert first.startswith("error: the dask worker tcp://127.0.0.1:")
    assert first.count("0.1.0 (code ") == 2
    assert "here" in first
    assert second == "  to fix: install the same versions in both places"


@pytest.mark.soak
def test_a_scheduler_that_is_lost(cluster: Processes, project: Path, children_of: Callable[[int], list[int]]) -> None:
    """It is said what happened, without a traceback, and nothing waits for ever."""
    assert cluster.scheduler is not None
    process = started(project, "--dask", cluster.address)
    at_work(cluster, process, 1, children_of)
    cluster.scheduler.send_signal(signal.SIGKILL)
    status, _, err = ended(process)

    assert status == 2
    first, second = err.splitlines()
    assert first.startswith(f"error: the dask scheduler at {cluster.address} was lost: ")
    assert second.startswith("  to fix: see why it ended")


@pytest.mark.soak
def test_a_tree_of_a_worker_is_not_read(tmp_path: Path) -> None:
    """The cache of a worker is not trusted: a tree that was forged there changes nothing here, where each text was
    parsed."""
    text = tmp_path / "laws.sonnx"
    text.write_text(LAWS.format(name="laws") + "-- a text that is long enough\n" * 80, "utf-8")
    forged = {"SONNX_VERIFY_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "sonnx_verify", "check", "laws.sonnx", "--format", "json"]
    subprocess.run([*command, "--jobs", "1"], cwd=tmp_path, env=environment(**forged), capture_output=True, check=False)
    store = Store(tmp_path / "cache")
    (key,) = (key for key in store.keys("trees") if b'"small"' in (store.read("trees", key) or b""))
    # `k <= 2` becomes `k <= k` in the tree, under the key of the text: a law that holds, for one that fails.
    before = store.read("trees", key) or b""
    name = re.search(rb'\[(\d+),\[-4,\d+,\d+,1\],"k"\]', before)
    assert name is not None
    after = re.sub(rb'\[\d+,(\[-4,\d+,\d+,1\]),"2"\]', rb"[" + name[1] + rb',\1,"k"]', before)
    assert before != after
    store.write("trees", key, after)
    # Without the records the next run decides, and reads the tree for it.
    for known in store.keys("records"):
        store.remove("records", known)

    def verdict(*options: str, **settings: str) -> str:
        done = subprocess.run([*command, *options], cwd=tmp_path, env=environment(**settings), capture_output=True)
        (found,) = (o for o in json.loads(done.stdout)["obligations"] if o["id"] == "user.laws.int/small/theorem")
        return str(found["verdict"])

    assert verdict("--jobs", "1", **forged) == "proved"
    made = Processes(tmp_path, settings=forged)
    try:
        made.start(1)
        assert verdict("--dask", made.address) == "refuted"
    finally:
        made.end()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:{port}", "nonsense", "tcp://127.0.0.1"])
def test_no_scheduler(project: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """An address at which nothing answers is refused, and so is a text that is no address."""
    monkeypatch.chdir(project)
    selection = select(["laws.sonnx"])
    # A port on which nothing listens: it was free a moment ago.
    there = Cluster(address.format(port=free_port()), selection.project, patience=Patience(connect=0.5))
    with Solvers() as solvers, pytest.raises(UserError, match="no dask scheduler answers at") as raised:
        list(run(selection.obligations, solvers, executor=there))

    assert "dask scheduler" in raised.value.cure


def test_without_the_extra(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the package to install."""
    monkeypatch.chdir(project)
    monkeypatch.setitem(sys.modules, "distributed", None)
    selection = select(["laws.sonnx"])
    there = Cluster("tcp://127.0.0.1:8786", selection.project)
    with Solvers() as solvers, pytest.raises(UserError, match="--dask needs the package distributed") as raised:
        list(run(selection.obligations, solvers, executor=there))

    assert "sonnx-verify[cluster]" in raised.value.cure


DEADLY = """
import os
from sonnx_verify.solving.check import remote

# It is loaded twice.
remote.real = getattr(remote, "real", remote.decide)

def deadly(packed, run, task, expected, numbers):
    if {number} in numbers:
        os._exit(1)
    return remote.real(packed, run, task, expected, numbers)

remote.decide = deadly
"""


@pytest.mark.soak
def test_what_ends_every_worker_is_unknown(project: Path, tmp_path: Path) -> None:
    """It alone; what had to be done with it is begun again without it."""
    number = 3
    (tmp_path / "deadly.py").write_text(DEADLY.format(number=number), "utf-8")
    # What ends one worker is not given to another by dask: after the second attempt, by us, it has ended two.
    made = Processes(tmp_path, settings={"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"})
    try:
        made.start(3, "--preload", str(tmp_path / "deadly.py"))
        status, out, err = ended(started(project, "--dask", made.address))
    finally:
        made.end()

    one = json.loads(ended(started(project, "--jobs", "1"))[1])["obligations"]
    found = json.loads(out)["obligations"]
    reason = "the dask workers that worked on it ended, one after the other"
    changed = [a for a, b in zip(found, one, strict=True) if a != b]
    assert [(o["verdict"], o["reason"]) for o in changed] == [("unknown", reason)], err
    assert status == 2
