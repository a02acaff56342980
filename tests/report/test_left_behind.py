"""Files that are written whole, and what killed runs leave beside them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sonnx_verify.stores.folder import write_file


def test_what_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    """The next one that writes the file removes it; what a run that goes on is writing, and other files, stay."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (tmp_path / f".ledger-sonnx-verify-{ended.pid}-abc_d123").write_text("half of a ledger", "utf-8")
    others = [f".ledger-sonnx-verify-{os.getpid()}-abcd1234", f".ledger-{ended.pid}-12.txt", ".ledger-x", "ledger-1-2"]
    others += [f".ledger-sonnx-verify-{ended.pid}-my notes.txt"]
    for name in others:
        (tmp_path / name).write_text("", "utf-8")

    write_file(tmp_path / "ledger.json", "{}\n")

    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([*others, "ledger.json"])
