"""The files of hints of a project: one in each folder of an operator, and one for all else (stores/homes.py)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from sonnx_verify.solving.check.hints import NO_HINTS, Hinting, of_lines, shorter, written
from sonnx_verify.stores.folder import write_files
from sonnx_verify.stores.homes import RecordPlace, written_to

HINTS = RecordPlace("hints.txt", "hints.txt")


def hints_in(root: Path) -> Hinting:
    """The hints of a project, with those of the current folder where that is another one; none where there is no such
    file, or it cannot be read: that costs time alone."""
    found = NO_HINTS
    for folder in dict.fromkeys((root, written_to(root))):
        for path in HINTS.every(folder):
            found |= _hints_of(path)
    return found


def _hints_of(path: Path) -> Hinting:
    # To read a pipe would take for ever.
    with suppress(OSError):
        if path.is_file():
            return of_lines(path.read_text(encoding="utf-8", errors="replace").split("\n"))
    return NO_HINTS


def write_hints(
    root: Path, found: Iterable[tuple[str, Mapping[str, str]]], *, whole: bool
) -> tuple[int, tuple[Path, ...]]:
    """Write the hints of obligations, `found` by their identities, into their files. A run of the `whole` project drops
    all other hints; any other run keeps them. Return the number of hints in these files, and the files. Raises
    UserError if a file cannot be written."""
    to = written_to(root)
    keys: dict[Path, set[str]] = {HINTS.shared(to): set()} if whole else {}
    shortest: dict[str, str] = {}
    for identity, lines in found:
        path = HINTS.of(identity, to)
        for key, line in lines.items():
            # One claim may be of several obligations: the same hint is chosen whoever is decided first.
            shortest[key] = shorter(line, shortest.get(key, line))
            keys.setdefault(path, set()).add(key)
    made: dict[Path, dict[str, str]] = {}
    for path, own in keys.items():
        before = {} if whole else _hints_of(path).lines
        made[path] = {**before, **{key: shortest[key] for key in own}}
    gone = [path for path in HINTS.every(to) if path not in made] if whole else []
    write_files({**{path: written(lines) for path, lines in made.items()}, **dict.fromkeys(gone)})
    return sum(map(len, made.values())), tuple(made)
