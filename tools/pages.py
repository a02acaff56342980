"""Write the pages that are made of the project's records, as Markdown: `python tools/pages.py FOLDER [KIND]...`.

The kinds are those of `KINDS`; without one all are written. The same records give the same pages. Nobody commits them:
`tools/site.py` puts them beside docs/ when it builds the site.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools import accuracy, findings, node_tests, operators  # noqa: E402  # runs without an installation

KINDS = {
    "operators": operators.pages,
    "findings": findings.pages,
    "accuracy": accuracy.pages,
    "node_tests": node_tests.pages,
}
"""For each kind a function that makes its pages, by their places in docs/."""


def pages(kinds: Iterable[str] = KINDS) -> dict[str, str]:
    """The pages of some kinds, by their places in docs/."""
    return {name: text for kind in kinds for name, text in KINDS[kind]().items()}


def write(folder: Path, made: dict[str, str]) -> None:
    """Write pages into a folder, which may hold others."""
    for name, text in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def main() -> None:
    """Write the pages that are asked for."""
    parser = argparse.ArgumentParser(description="Write the pages that are made of the project's records.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("kinds", nargs="*", metavar="kind", help=f"one of {', '.join(KINDS)} (default: all)")
    given = parser.parse_args()
    for kind in given.kinds:
        if kind not in KINDS:
            parser.error(f"there are no pages of the kind {kind}: write one of {', '.join(KINDS)}")
    made = pages(given.kinds or KINDS)
    write(given.folder, made)
    print(f"wrote {len(made)} pages to {given.folder}")


if __name__ == "__main__":
    main()
