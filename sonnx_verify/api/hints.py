"""The files of hints of a project: one in each folder of an operator, and one for all else (stores/homes.py)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from sonnx_verify.solving.check.hints import NO_HINTS, Hinting, of_lines, shorter, written
from sonnx_verify.stores.folder import write_files
from sonnx_verify.stores.homes import home_of, homes, shared

NAME = "hints.txt"


def hints_in(root: Path) -> Hinting:
    """The hints of a project, with those of the current folder where that is another one; none where there is no such
    file, or it cannot be read: that costs time alone."""
    found = NO_HINTS
    for folder in dict.fromkeys((root, _written_to(root))):
        for path in _files(folder):
            found |= _hints_of(path)
    return found


def _files(root: Path) -> list[Path]:
    return [folder / NAME for folder in (shared(root), *homes(root))]


def _hints_of(path: Path) -> Hinting:
    with suppress(OSError):
        return of_lines(path.read_text(encoding="utf-8", errors="replace").split("\n"))
    return NO_HINTS


def _written_to(root: Path) -> Path:
    """The project that hints are written to: of files outside any, whose root is the installed library, the current
    folder, as the ledger."""
    here = Path.cwd()
    return root if here.resolve().is_relative_to(root.resolve()) else here


def write_hints(
    root: Path, found: Iterable[tuple[str, Mapping[str, str]]], *, whole: bool
) -> tuple[int, tuple[Path, ...]]:
    """Write the hints of obligations, `found` by their identities, into their files. A run of the `whole` project drops
    all other hints; any other run keeps them. Return the number of hints in these files, and the files. Raises
    UserError if a file cannot be written."""
    to = _written_to(root)
    keys: dict[Path, set[str]] = {shared(to) / NAME: set()} if whole else {}
    shortest: dict[str, str] = {}
    for identity, lines in found:
        path = (home_of(identity, to) or shared(to)) / NAME
        for key, line in lines.items():
            # One claim may be of several obligations: the same hint is chosen whoever is decided first.
            shortest[key] = shorter(line, shortest.get(key, line))
            keys.setdefault(path, set()).add(key)
    made: dict[Path, dict[str, str]] = {}
    for path, own in keys.items():
        before = {} if whole else _hints_of(path).lines
        made[path] = {**before, **{key: shortest[key] for key in own}}
    gone = [path for path in _files(to) if path not in made] if whole else []
    write_files({**{path: written(lines) for path, lines in made.items()}, **dict.fromkeys(gone)})
    return sum(map(len, made.values())), tuple(made)
