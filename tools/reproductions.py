"""Runs the one-line reproductions of divergences: `python tools/reproductions.py [ID]...`.

A divergence goes in as its ledger has it. Its line runs in a shell, in a new folder that is empty, without the
variables of this process, and with nothing of this package on the path. What it prints has to be what the ledger says
that the target gave; of a result that varies with the contents of memory it prints two, which have to differ. Exit
status 0 if every line shows its divergence, else 1.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sonnx_verify.conformance.records.ledger import LEDGERS  # noqa: E402  # as above
from sonnx_verify.conformance.targets.calls import Ending  # noqa: E402  # runs without an installation
from sonnx_verify.solving.inputs.arguments import to_array  # noqa: E402  # as above
from tools.positions import tensor_from  # noqa: E402  # as above

SECONDS = 60.0
"""A line that takes longer hangs: the imports take a second or two."""
MEMORY = 8 << 30
"""The address space of a line, as that of a target."""
PACKAGES = {"onnx.reference": "onnx"}
"""The package of a target that is called otherwise."""
WIDEST = "X86_V4"
"""The feature of numpy's that stands for them. A processor without it is told nothing."""
One = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """The end of a line: the exit status, None if it took too long, and what it printed."""

    status: int | None
    out: str
    err: str


def run(line: str, without: str = "") -> Done:
    """Run a line in a shell, in a new folder; numpy does `without` some features of the processor."""
    # The folder of this interpreter comes first: `python` is the one that has the packages.
    path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"])
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": path, "HOME": folder, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
        if without:
            environment["NPY_DISABLE_CPU_FEATURES"] = without
        limited = f"ulimit -c 0 -v {MEMORY >> 10}; {line}"
        command = ["/bin/sh", "-c", limited]
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return Done(None, "", "")
    return Done(done.returncode, done.stdout, done.stderr)


def difference(one: One, done: Done) -> str:
    """The result of a line where the ledger has another; empty if it showed that."""
    got = one["got"]
    match Ending(got["outcome"]):
        case Ending.RESULT if "varies" in got:
            if _differs_in_itself(done):
                return ""
            return f"printed {_shown(done)} with both fillings of memory"
        case Ending.RESULT:
            wanted = _printed(got)
            if done.status == 0 and (not wanted or _plain(done.out) in wanted):
                return ""
            return f"printed {_shown(done)}, not {wanted[0] if wanted else 'a result'}"
        case Ending.REFUSED:
            said = " ".join(got.get("said", "").split())
            if done.status == 1 and said in " ".join(done.err.split()):
                return ""
            return f"printed {_shown(done)}, not {said}"
        case Ending.HUNG if done.status is None:
            return ""
        # A shell says 128 and the number of the signal.
        case Ending.CRASHED if done.status is not None and (done.status < 0 or done.status > 128):
            return ""
        case Ending.MEMORY if done.status not in (0, None):
            return ""
        case Ending.MALFORMED if done.status == 0:
            return ""
    return f"ended with {done.status}, not {got['outcome']}: {_shown(done)}"


def _differs_in_itself(done: Done) -> bool:
    """Return whether a line that runs twice printed two results, or ended the process."""
    lines = done.out.splitlines()
    half = len(lines) // 2
    if done.status == 0:
        return lines[:half] != lines[half:]
    return done.status is not None and (done.status < 0 or done.status > 128)


def not_shown(one: One) -> str:
    """The result of the line of a divergence where the ledger has another; empty if it shows the divergence, with or
    without the widest instructions of the processor."""
    # numpy computes powers of NaN, among others, in another way where a processor has them, and the ledger comes from
    # one machine.
    return difference(one, run(one["repro"])) and difference(one, run(one["repro"], without=WIDEST))


def _printed(got: Mapping[str, Any]) -> list[str]:
    """The texts that a line may print for a result; none where the ledger has not all of it."""
    outputs = list(got.get("outputs", {}).values())
    if not outputs or any("data" not in made for made in outputs):
        return []
    arrays = [to_array(tensor_from(made)) for made in outputs]
    # An evaluator may give a scalar of numpy where another gives an array of rank 0; a function gives no list.
    return [_plain(repr(arrays)), _plain(repr([array[()] for array in arrays]))]


def _plain(text: str) -> str:
    """A printed list of arrays in one line. There are two types of numpy that are int64, and one of them is named."""
    return " ".join(text.split()).replace(", dtype=int64", "")


def _shown(done: Done) -> str:
    last = (done.out.strip() or done.err.strip()).splitlines()[-1:]
    return f"{last[0][:300]!r}" if last else f"nothing, with exit status {done.status}"


def installed(target: str) -> str:
    """The version of the package of a target; empty where there is none."""
    try:
        return version(PACKAGES.get(target, target))
    except PackageNotFoundError:
        return ""


def of_ledgers() -> Iterator[tuple[str, One]]:
    """The divergences of the ledgers of the versions that are installed, by identity."""
    for ledger in LEDGERS.all([ROOT]):
        if ledger.version == installed(ledger.target):
            for entry in ledger.operators.values():
                yield from entry["divergences"].items()


def main() -> int:
    """Run the lines of all divergences, or of those that are named."""
    wanted = sys.argv[1:]
    failed = 0
    for identity, one in of_ledgers():
        if wanted and identity not in wanted:
            continue
        found = not_shown(one)
        failed += bool(found)
        print(f"{identity}: {found or 'as recorded'}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
