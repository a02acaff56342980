"""The file of hints of a project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from sonnx_verify.solving.check.hints import Hints, of_lines, shorter, written
from sonnx_verify.stores.folder import write_file

PLACE = Path("proofs") / "hints.txt"
"""The path of a project's hints, from its root."""


def hints_in(root: Path) -> Hints:
    """The hints of a project; none where there is no such file, or it cannot be read: that costs time alone."""
    try:
        return of_lines((root / PLACE).read_text(encoding="utf-8", errors="replace").split("\n"))
    except OSError:
        return {}


def write_hints(root: Path, found: Iterable[Mapping[str, str]], others: Hints) -> int:
    """Write the hints that were found for obligations, and `others` for claims of which none was found. Return how
    many there are. Raises UserError where the file cannot be written."""
    made: dict[str, str] = {}
    for lines in found:
        for key, line in lines.items():
            # One claim may be of several obligations: the same hint is chosen whoever is decided first.
            made[key] = shorter(line, made.get(key, line))
    made = {**{key: str(hint) for key, hint in others.items()}, **made}
    write_file(root / PLACE, written(made))
    return len(made)
