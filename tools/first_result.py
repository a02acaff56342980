#!/usr/bin/env python3
"""Run a target of the Makefile that takes long up to its first result, alone and with a clean environment.

Usage: first_result.py TARGET

The environment has PATH, HOME and what pip is told. The target is stopped once a line is its first result, and the
status is 0; it is 1 where that line is a failure, or the target ends without one. It runs in the folder where this is
called, so that of a fresh clone nothing is there that the target does not make itself.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

RESULTS = {
    "bench": r"check of everything, .* s\b.*",
    "differences": r"[1-9]\d* pairs decided anew; 0 differences from the record",
    "operator": r"written: verdicts, hints and examples, \d+ s",
    "soak": r"check: \{'exit': 0\b.*",
    "verdicts": r"[1-9]\d* obligations",
    "release": r"[0-9a-f]{64}  sbom\.json",
    "report": r".*: open build/report/index\.html in a browser",
    "verify": r"matches the ledger",
}
"""The line of each target that is its first result, where it is as it should be."""
ARGUMENTS = {"operator": ("NAME=Not",)}


def clean_environment() -> dict[str, str]:
    """The environment of somebody who has just logged in, without that of the virtual environment this may run in."""
    kept = ("HOME", *(name for name in os.environ if name.startswith("PIP_")))
    own = os.path.dirname(sys.executable) if sys.prefix != sys.base_prefix else ""
    path = os.pathsep.join(folder for folder in os.environ["PATH"].split(os.pathsep) if folder != own)
    return {"PATH": path, **{name: os.environ[name] for name in kept if name in os.environ}}


def main() -> int:
    """Run the target, and print what it says."""
    if len(sys.argv) != 2 or sys.argv[1] not in RESULTS:
        print(f"usage: first_result.py {'|'.join(RESULTS)}", file=sys.stderr)
        return 2
    target = sys.argv[1]
    result = re.compile(RESULTS[target])
    done = subprocess.Popen(
        ["make", target, *ARGUMENTS.get(target, ())],
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # A session of its own: the processes of the target end with it.
        start_new_session=True,
    )
    assert done.stdout is not None
    for line in done.stdout:
        print(line, end="", flush=True)
        if result.fullmatch(line.strip()):
            print(f"-- {target}: a first result")
            if done.poll() is None:
                os.killpg(done.pid, signal.SIGTERM)
            return 0
    print(f"-- {target}: exit status {done.wait()} without a result", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
