"""Nothing is left of a target where the tool is killed, or the target dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.errors import UsageError
from tests.processes.test_guard import comes, runs

ROOT = Path(__file__).parents[2]
HANGS = """\
import os, subprocess, sys
from pathlib import Path

def f(*arrays):
    # Beside the file, whatever folder the program runs in.
    started = subprocess.Popen(["sleep", "1000"])
    part = Path(__file__).with_name("part")
    part.write_text(str(started.pid))
    part.rename(part.with_name("started"))
    if Path(__file__).with_name("dies").exists():
        os._exit(9)
    started.wait()

if __name__ == "__main__":
    Path(__file__).with_name("folder").write_text(sys.argv[2])
    f()
"""
WAYS = {"exec": f"exec:{sys.executable} targets.py", "python": "python:targets:f"}


def begun(tmp_path: Path, target: str) -> subprocess.Popen[bytes]:
    """The tool at work on a target that has started a process of its own."""
    (tmp_path / "targets.py").write_text(HANGS, "utf-8")
    command = [sys.executable, "-P", "-m", "sonnx_verify", "conform", "onnx.Max-13", "--against", target]
    more = ["--test-only", "--short", "--random", "0", "--types", "int8", "--seconds", "1000"]
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    return subprocess.Popen([*command, *more], cwd=tmp_path, env=environment, start_new_session=True)


WRITES = """\
import gc
from sonnx_verify.processes.channel import Channel

for channel in [one for one in gc.get_objects() if isinstance(one, Channel)]:
    channel.send(ANSWER)

def f(*arrays):
    return arrays[0]
"""


def children() -> set[str]:
    """The processes that this one has started."""
    return {number for path in Path("/proc/self/task").glob("*/children") for number in path.read_text().split()}


@pytest.mark.parametrize("answer", ["7", "(True, 7)", "(1, 2, 3)"])
def test_an_answer_while_it_is_imported(answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A target that writes to the channel is told as one that cannot be used, and leaves no process."""
    (tmp_path / "writes.py").write_text(WRITES.replace("ANSWER", answer), "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    before = children()

    with pytest.raises(UsageError, match="gave an unexpected answer when it was imported"):
        Target.of("python:writes:f").begin("onnx.Max-13", 5.0)
    assert children() == before


def test_a_missing_package_is_told_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program needs the package onnx: without it neither a process nor a folder is left."""
    monkeypatch.setattr("sonnx_verify.conformance.targets.target.find_spec", lambda _: None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    before = children()

    with pytest.raises(UsageError, match="the package onnx is not installed"):
        Target.of(f"exec:{sys.executable}").begin("onnx.Max-13", 5.0)
    with pytest.raises(UsageError, match="there is no program"):
        Target.of("exec:./missing").begin("onnx.Max-13", 5.0)
    assert children() == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("way", WAYS)
def test_the_tool_is_killed(way: str, tmp_path: Path) -> None:
    """The process that the target started ends, and its folder is removed."""
    tool = begun(tmp_path, WAYS[way])
    assert comes((tmp_path / "started").exists)
    started = int((tmp_path / "started").read_text("utf-8"))
    assert runs(started)
    tool.send_signal(signal.SIGKILL)
    tool.wait()

    assert comes(lambda: not runs(started))
    if way == "exec":
        assert comes(lambda: not Path((tmp_path / "folder").read_text("utf-8")).exists())
        assert comes(lambda: not [*tmp_path.glob("sonnx-verify-*")])


def test_the_target_dies(tmp_path: Path) -> None:
    """What it started ends with it."""
    (tmp_path / "dies").touch()
    tool = begun(tmp_path, WAYS["python"])
    assert comes((tmp_path / "started").exists)
    started = int((tmp_path / "started").read_text("utf-8"))

    assert comes(lambda: not runs(started))
    tool.kill()
    tool.wait()
