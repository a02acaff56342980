"""Whatever rests on the rule that nothing proves says so: what is proved, and what is said to be impossible."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from sonnx_verify.logic.float_sums import SUM_IS_ROUNDED

ROOT = Path(__file__).resolve().parents[2]
TEXT = """\
use sums

operator Far version 1 user

types float = float16

input  X : tensor of T
output Y : tensor of T

let V = { X[i] | i in X }
[C1] constraint "small" : exact_size(V) < 100.0
let S = T(exact_sum(V))
[C2] constraint "a number" : not is_nan(S) and not is_infinite(S)
[C3] constraint "rounding goes far" : real(S) > 1.0 + 2.0 * exact_size(V)

shape Y    = X.shape
value Y[i] = X[i]
"""


def run(folder: Path, *arguments: str) -> str:
    """The output of `check` about two obligations of the text: that some input is valid, and that C1 makes sense."""
    (folder / "Far.sonnx").write_text(TEXT, "utf-8")
    asked = [f"user.Far-1.float/{rest}" for rest in ("spec/satisfiable", "C1/in-bounds")]
    command = [sys.executable, "-m", "sonnx_verify", "check", *asked, *arguments]
    place = dict(os.environ)
    return subprocess.run(command, cwd=folder, env=place, capture_output=True, text=True, timeout=120).stdout


def test_what_rests_on_trust_says_so(tmp_path: Path) -> None:
    """No sum is rounded so far: nothing is valid, and a constraint follows. Both are known by the rule."""
    made = {o["id"].partition("float/")[2]: o for o in json.loads(run(tmp_path, "--format", "json"))["obligations"]}
    printed = run(tmp_path)

    assert made["spec/satisfiable"]["verdict"] == "violated"
    assert made["spec/satisfiable"]["assumptions"] == [SUM_IS_ROUNDED]
    assert made["C1/in-bounds"]["assumptions"] == []
    assert f"on trust of one rule: {SUM_IS_ROUNDED}" in printed
    assert f"\n  assuming that {SUM_IS_ROUNDED}\n" in printed
