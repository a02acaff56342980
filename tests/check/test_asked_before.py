"""No statement of the library is another one than before this work began, and no query text is new.

tests/asked_before.txt has the first digits of their hashes. To leave one out is allowed; what asks less, or elaborates
in another way, must say the same. The file goes when that work ends.
"""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BEFORE = ROOT / "tests" / "asked_before.txt"
DIGITS = 8


def before(what: str) -> set[str]:
    """The hashes under a heading."""
    found: dict[str, set[str]] = {}
    for line in BEFORE.read_text("utf-8").splitlines():
        if " " not in line and len(line) != DIGITS:
            found[line] = heading = set()
        else:
            heading |= set(line.split())
    return found[what]


def test_every_statement_is_one_of_before() -> None:
    """The ledger, which `make verify` holds to the texts, has no statement that was not there."""
    entries = json.loads((ROOT / "proofs" / "ledger.json").read_text("utf-8"))["obligations"].values()
    now = {entry["statement"][:DIGITS] for entry in entries if "statement" in entry}

    assert len(now) > 5000
    assert now <= before("statements")
