#!/usr/bin/env python3
"""The jobs of the nightly workflow, and the page of their records.

`python tools/nightly.py jobs` prints the shares of the soak as a matrix of jobs. `python tools/nightly.py page FOLDER
NEW` moves new records into the folder of records, and writes its README.md: when each share last ran and last passed.
Shares are listed in tests/soak.py, and nowhere else. This runs without an installation.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.soak import SHARES  # noqa: E402  # runs without an installation

HOUR = 3600
Record = dict[str, Any]


def jobs() -> list[dict[str, object]]:
    """Each share of each part."""
    return [{"part": part, "share": share} for part, of in SHARES.items() for share in range(of)]


def page(folder: Path, new: Path) -> str:
    """Take over new records, and make the page. A record is replaced by the next one of its share; when that share last
    passed stays until it passes again."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(new.rglob("*.json")):
        record, before = _read(path), _read(folder / path.name)
        # Another number of shares makes others of them, which have not passed yet.
        earlier = before.get("last passed", "") if before.get("of") == record["of"] else ""
        record["last passed"] = f"{record['day']} {record['commit']}".strip() if record["good"] else earlier
        (folder / path.name).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    records = {(r["part"], r["share"], r["of"]): r for r in map(_read, folder.glob("*.json"))}
    shares = [(part, share, of) for part, of in SHARES.items() for share in range(of)]
    bad = sum(not records.get(one, {}).get("good") for one in shares)
    rows = [_row(*one, records.get(one)) for one in shares]
    head = ["| part | share | last run | passed | last passed | minutes |", "|---|---|---|---|---|---|"]
    said = f"{len(shares)} shares, {bad} of which did not pass when they last ran, or have not run."
    return "\n".join(["# Nightly runs", "", said, "", *head, *rows, ""])


def _read(path: Path) -> Record:
    """A record; an empty one where there is none."""
    record: Record = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return record


def _row(part: str, share: int, of: int, record: Record | None) -> str:
    """The line of a share."""
    if record is None:
        return f"| {part} | {share} of {of} | never | no | never | |"
    minutes = f"{record['seconds'] // 60}{', over an hour' * (record['seconds'] > HOUR)}"
    good = "yes" if record["good"] else "no"
    return f"| {part} | {share} of {of} | {record['day']} | {good} | {record['last passed'] or 'never'} | {minutes} |"


def main() -> int:
    """Print the jobs, or write the page."""
    match sys.argv[1:]:
        case ["jobs"]:
            print(json.dumps(jobs()))
        case ["page", folder, new]:
            made = page(Path(folder), Path(new))
            (Path(folder) / "README.md").write_text(made, "utf-8")
        case _:
            print("usage: nightly.py jobs | page FOLDER NEW", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
