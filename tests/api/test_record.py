"""All records of an operator are made by one command: what is stale, once, and the same whoever interrupts it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The library with one operator, of which nothing is recorded."""
    folder = tmp_path / "project"
    (folder / "spec" / "sonnx").mkdir(parents=True)
    for name in ("common", "onnx/not", "sonnx/not"):
        shutil.copytree(ROOT / "spec" / name, folder / "spec" / name)
    for path in records(folder):
        path.unlink()
    return folder


def records(folder: Path) -> list[Path]:
    """The files of records of the operator."""
    below = (path for path in (folder / "spec").rglob("*") if path.is_file())
    return sorted(path for path in below if path.suffix in (".json", ".txt"))


@pytest.fixture
def begun(tmp_path: Path, tables_in: Callable[[Path], Path]) -> Callable[..., subprocess.Popen[str]]:
    """Begins the command, with a cache of its own."""
    cache = tables_in(tmp_path / "cache")

    def made(folder: Path, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "sonnx_verify", "record", "Not", "--jobs", "2", *arguments],
            cwd=folder,
            env={**os.environ, "SONNX_VERIFY_CACHE": str(cache)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    return made


@pytest.mark.integrations
def test_each_record_once(project: Path, begun: Callable[..., subprocess.Popen[str]]) -> None:
    """Then what changed, and nothing else; a comparison with a run finds no difference."""
    said, errors = begun(project).communicate(timeout=600)
    made = {path: path.read_bytes() for path in records(project)}
    assert {path.name for path in made} > {"verdicts.json", "mutants.json", "differences.json"}, said + errors
    assert {path.parent.name for path in made} == {"not", "runs", "accuracy"}
    assert said.count("written: ") == 10

    again, _ = begun(project).communicate(timeout=600)
    assert again.count("as it was: ") == 10
    assert again[again.index("\n\n") :] == said[said.index("\n\n") :]

    page = project / "spec" / "sonnx" / "not" / "not.md"
    page.write_text(page.read_text("utf-8").replace("logical", "Boolean", 1), "utf-8")
    after, _ = begun(project).communicate(timeout=600)
    assert [line.split(",")[0] for line in after.splitlines() if line.startswith("written: ")] == [
        "written: quotations of the page",
        "written: mistakes of the page",
    ]
    same, _ = begun(project, "--frozen").communicate(timeout=600)
    assert "differs: " not in same
    assert {path: path.read_bytes() for path in records(project)} == made

    verdicts = project / "spec" / "sonnx" / "not" / "verdicts.json"
    verdicts.write_text(verdicts.read_text("utf-8").replace('"holds"', '"proved"', 1), "utf-8")
    run = begun(project, "--frozen")
    other, _ = run.communicate(timeout=600)
    assert run.returncode == 1
    assert "differs: verdicts, hints and examples" in other
    assert "was proved, is holds" in other


@pytest.mark.soak
def test_killed_at_any_moment(project: Path, begun: Callable[..., subprocess.Popen[str]]) -> None:
    """Whatever was done is kept, and in the end all is as if nothing had happened."""
    other = project.parent / "other"
    shutil.copytree(project, other)
    began = time.monotonic()
    begun(other).communicate(timeout=600)
    seconds = time.monotonic() - began
    for part in range(10):
        run = begun(project)
        time.sleep(seconds * (part + 1) / 12)
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate(timeout=60)
    begun(project).communicate(timeout=600)
    expected = {path.relative_to(other): path.read_bytes() for path in records(other)}
    assert {path.relative_to(project): path.read_bytes() for path in records(project)} == expected
