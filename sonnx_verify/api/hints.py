"""The file of hints of a project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from sonnx_verify.solving.check.hints import NO_HINTS, Hinting, of_lines, shorter, written
from sonnx_verify.stores.folder import write_file

PLACE = Path("proofs") / "hints.txt"
"""The path of a project's hints, from its root."""


def hints_in(root: Path) -> Hinting:
    """The hints of a project, with those of the current folder where that is another one; none where there is no such
    file, or it cannot be read: that costs time alone."""
    found = NO_HINTS
    for path in dict.fromkeys((root / PLACE, file_of(root))):
        with suppress(OSError):
            found |= of_lines(path.read_text(encoding="utf-8", errors="replace").split("\n"))
    return found


def file_of(root: Path) -> Path:
    """The file that hints are written to: the project's, and of files outside any project, whose root is the installed
    library, that of the current folder, as the ledger."""
    if Path.cwd().resolve().is_relative_to(root.resolve()):
        return root / PLACE
    return Path.cwd() / PLACE


def write_hints(root: Path, found: Iterable[Mapping[str, str]], others: Hinting) -> int:
    """Write the hints that were found for obligations, and `others` for claims of which none was found. Return how
    many there are. Raises UserError where the file cannot be written."""
    made: dict[str, str] = {}
    for lines in found:
        for key, line in lines.items():
            # One claim may be of several obligations: the same hint is chosen whoever is decided first.
            made[key] = shorter(line, made.get(key, line))
    made = {**others.lines, **made}
    write_file(file_of(root), written(made))
    return len(made)
