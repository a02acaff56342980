"""What a check of the whole library takes, and where: times, shares of one run, sizes of hints and queries, memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from sonnx_verify.api.hints import hints_in
from sonnx_verify.language.project import Project
from sonnx_verify.logic.witness import Expansion
from sonnx_verify.solving.check import decide, refutation
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.hints import NO_HINTS, Hinting
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.work import Work
from sonnx_verify.solving.inputs import found
from sonnx_verify.solving.solvers import Solvers

ROOT = Path(__file__).parent.parent
Row = tuple[str, str, str]


def times_of_a_check() -> list[Row]:
    """Seconds of a check of everything: along hints, without, and again; and of the CPU of all its processes."""
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        for what, options, target in (
            ("along hints, nothing cached", (), "15 s"),
            ("without hints, nothing cached", ("--no-hints",), "40 s"),
            ("again", (), "0.5 s"),
        ):
            kept = ("--no-cache",) if "cached" in what else ()
            if not kept:
                _check(cache)
            began, before = time.perf_counter(), _children()
            _check(cache, *kept, *options)
            taken, cpu = time.perf_counter() - began, _children() - before
            rows.append((f"check of everything, {what}", f"{taken:.1f} s", target))
            rows.append(("  CPU of all its processes", f"{cpu:.1f} s", ""))
    return rows


def peak_memory() -> list[Row]:
    """The most memory that one process of a check had, of one that decides everything."""
    command = _command("--no-cache", "--jobs", "1")
    code = f"import resource, subprocess; subprocess.run({command!r}, cwd={str(ROOT)!r}, stdout=subprocess.DEVNULL)"
    code += "; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    kib = int(done.stdout)
    return [("most memory of a process, --jobs 1", f"{kib / 2**20:.2f} GiB", "0.7 GB")]


FORMER = "90bf511c"
"""A commit whose specifications stay as they are: what a check of them takes tells how the code does, however the
library grows."""


def of_former_specifications() -> list[Row]:
    """A check of the specifications of an earlier commit along hints of today's code, nothing cached: CPU of all
    processes, seconds up to the first verdict, and the most memory that one process had."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", FORMER, "spec", "proofs"], cwd=ROOT, capture_output=True, check=False
        )
        if archive.returncode != 0:
            return [(f"check of the specifications of {FORMER}", "no such commit here", "")]
        subprocess.run(["tar", "-x"], cwd=folder, input=archive.stdout, check=True)
        environment = {**os.environ, "SONNX_VERIFY_CACHE": "off"}
        subprocess.run(_command("--update-hints"), cwd=folder, capture_output=True, check=False, env=environment)
        # In a process of its own, of which the kernel knows what all below it took.
        done = subprocess.run(
            [sys.executable, "-c", _OF_A_CHECK, *_command("--no-cache", "--verbose")],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
    first, cpu, kib = map(float, done.stdout.split())
    return [
        (f"check of the specifications of {FORMER}, CPU", f"{cpu:.1f} s", "75 s"),
        ("  its first verdict", f"{first:.1f} s", "2 s"),
        ("  most memory of a process", f"{kib / 2**20:.2f} GiB", "0.25 GB"),
    ]


_OF_A_CHECK = """
import resource, subprocess, sys, time
began = time.perf_counter()
run = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
run.stdout.readline()
first = time.perf_counter() - began
run.stdout.read()
run.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(first, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def shares_and_sizes() -> list[Row]:
    """The shares of one process's time in a check, with and without hints, and what it sends to the solvers."""
    rows = []
    known = hints_in(ROOT)
    for what, hinting in (("along hints", known), ("without hints", NO_HINTS)):
        spent, texts, whole = _shares(hinting)
        for name, seconds in sorted(spent.items(), key=lambda one: -one[1]):
            rows.append((f"share of {name}, {what}", f"{100 * seconds / whole:.0f} %", ""))
        asserts = sum(text.count("\n(assert ") for text in texts)
        rows.append((f"queries, {what}", f"{len(texts):,}", ""))
        rows.append((f"  assertions in them, {what}", f"{asserts:,}", ""))
    size = sum(path.stat().st_size for path in ROOT.rglob("hints.txt"))
    rows.append(("hints", f"{len(known.lines):,}", ""))
    rows.append(("  size of their files", f"{size / 1000:.0f} kB", ""))
    return rows


def _shares(hinting: Hinting) -> tuple[dict[str, float], set[str], float]:
    """The seconds of CPU of each part, without those of parts within it, and of the solvers; the texts of the queries;
    and all seconds together."""
    spent: defaultdict[str, float] = defaultdict(float)
    open_: list[float] = []

    def timed(part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def run_timed(*arguments: Any, **named: Any) -> Any:
            began = time.process_time()
            open_.append(0.0)
            try:
                return function(*arguments, **named)
            finally:
                taken = time.process_time() - began
                spent[part] += taken - open_.pop()
                if open_:
                    open_[-1] += taken

        return run_timed

    places: list[tuple[Any, str, str]] = [
        (Work, "on", "elaboration"),
        (Expansion, "run", "expansion"),
        (decide, "searched", "the search for inputs"),
        (refutation, "searched", "the search for inputs"),
        (found, "model_of", "models"),
    ]
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in places]
    for owner, name, part in places:
        setattr(owner, name, timed(part, getattr(owner, name)))
    began = time.process_time()
    try:
        with Solvers(keep_texts=True) as solvers:
            for _ in run(collect(Project.open(ROOT)), solvers, hinting=hinting):
                pass
            texts = set((solvers.texts or {}).values())
            beside = sum(_cpu_of(pid) for name in solvers.names if (pid := solvers.pid(name)) is not None)
    finally:
        for owner, name, was in before:
            setattr(owner, name, was)
    whole = time.process_time() - began
    spent["all else"] = whole - sum(spent.values())
    spent["solvers"] = beside
    return spent, texts, whole + beside


def _cpu_of(pid: int) -> float:
    """The seconds of CPU of a process. Linux alone tells them of one that goes on."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _command(*options: str) -> list[str]:
    return [sys.executable, "-m", "sonnx_verify", "check", *options]


def _check(cache: str, *options: str) -> None:
    environment = {**os.environ, "SONNX_VERIFY_CACHE": cache}
    subprocess.run(_command(*options), cwd=ROOT, capture_output=True, check=True, env=environment)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print."""
    for measure in (times_of_a_check, peak_memory, of_former_specifications, shares_and_sizes):
        for what, measured, target in measure():
            # At once: a run that is stopped has said something.
            print(f"{what:<52} {measured:>9}   {target and 'target ' + target}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
