"""Runs that are killed, and runs beside each other: the next one completes, and finds the same."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOAK = os.environ.get("SONNX_SOAK") == "1"
COMMAND = [sys.executable, "-m", "sonnx_verify", "check"]


def environment(cache: Path) -> dict[str, str]:
    return {**os.environ, "SONNX_VERIFY_CACHE": str(cache)}


def begun(folder: Path, cache: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """A run, in a group of processes of its own."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environment(cache),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def update(folder: Path, cache: Path) -> tuple[bytes, float]:
    """The ledger that a run writes, and how long it took."""
    start = time.monotonic()
    # A run of more than half a minute says now and then how far it is.
    run = begun(folder, cache, "--update-ledger", "--quiet")
    _, errors = run.communicate(timeout=1500)
    assert run.returncode in (0, 1), errors.decode()
    assert errors == b"", errors.decode()
    return (folder / "proofs" / "ledger.json").read_bytes(), time.monotonic() - start


def killed(folder: Path, cache: Path, expected: bytes, moments: list[float]) -> None:
    """Kill a run after so many seconds each time, and look at the ledger of the next one."""
    for moment in moments:
        # What was found. How to parse is known from the first run on.
        for path in [p for p in cache.rglob("*") if p.is_file() and p.parent.name != "tables"]:
            path.unlink()
        run = begun(folder, cache, "--update-ledger")
        time.sleep(moment)
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate(timeout=60)
        ledger = folder / "proofs" / "ledger.json"
        assert ledger.read_bytes() == expected, moment
        ledger.write_text("{}\n", "utf-8")
        ledger.unlink()
        assert update(folder, cache)[0] == expected, moment
        assert [p.name for p in folder.rglob("*") if p.name.startswith(".ledger")] == []


@pytest.mark.parametrize("pair", [0, *(pytest.param(n, marks=pytest.mark.soak) for n in range(1, 10))])
def test_killed_at_any_moment(project: Path, tmp_path: Path, pair: int) -> None:
    """Twenty moments in all, two here, the others in the soak: half of them where a run writes, at its end."""
    expected, seconds = update(project, tmp_path / "cache")
    chosen = random.Random(pair)
    parts = [chosen.uniform(0.8, 1.0), chosen.uniform(0.2, 1.0)]
    killed(project, tmp_path / "cache", expected, [part * seconds for part in parts])


@pytest.mark.soak
def test_killed_with_the_whole_library(tmp_path: Path) -> None:
    """The same with everything in spec/ and proofs/."""
    import shutil

    for part in ("spec", "proofs"):
        shutil.copytree(ROOT / part, tmp_path / "all" / part)
    expected = (ROOT / "proofs" / "ledger.json").read_bytes()
    of_operators = {path: path.read_bytes() for path in (ROOT / "spec").rglob("verdicts.json")}
    killed(tmp_path / "all", tmp_path / "cache", expected, [20, 60])
    assert of_operators == {p: (tmp_path / "all" / p.relative_to(ROOT)).read_bytes() for p in of_operators}


def test_two_at_once(project: Path, tmp_path: Path) -> None:
    """Runs that fill one cache at the same time find what each would find alone."""
    cache = tmp_path / "cache"
    alone, _ = update(project, tmp_path / "another")
    both = [begun(project, cache, "--update-ledger"), begun(project, cache, "--update-ledger")]
    for run in both:
        _, errors = run.communicate(timeout=300)
        assert run.returncode == 1, errors.decode()
        assert errors == b"", errors.decode()

    assert (project / "proofs" / "ledger.json").read_bytes() == alone
    assert update(project, cache)[0] == alone


@pytest.mark.soak
def test_any_number_of_processes_with_and_without(project: Path, tmp_path: Path) -> None:
    """One or four of them, without a cache, filling it and reading it: the same bytes, and the same ledger; in the soak
    two as well."""
    said, ledgers = set(), set()
    for jobs in ("1", "2", "4") if SOAK else ("1", "4"):
        for more in (["--no-cache"], [], []):
            done = subprocess.run(
                [*COMMAND, "--jobs", jobs, "--format", "json", "--update-ledger", *more],
                cwd=project,
                env=environment(tmp_path / f"cache{jobs}"),
                capture_output=True,
                check=False,
            )
            said.add((done.returncode, done.stdout, done.stderr))
            ledgers.add((project / "proofs" / "ledger.json").read_bytes())

    assert len(said) == len(ledgers) == 1
