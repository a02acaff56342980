"""Texts that a file does not see, and that would give a meaning to a name in it: for messages. Not trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Files
from sonnx_verify.language.places import use_folders
from sonnx_verify.language.text_names import names_in


def hiding(files: Files, path: Path, name: str, unread: Iterable[UserError]) -> UserError | None:
    """The error of a text that declares an operator of that name, among those that are `unread`, or of a library that a
    file can use and that seems to define it; None where nothing is hidden so."""
    for error in unread:
        if error.span is not None and name in names_in(error.span.source.text).operators:
            return error
    defines = re.compile(rf"\b(?:define|order)\s+{re.escape(name)}\b")
    for candidate in _libraries(files, path):
        try:
            files.read(candidate)
        except UserError as error:
            if error.span is not None and defines.search(error.span.source.text):
                return error
    return None


def library_of(files: Files, path: Path, name: str) -> str:
    """The library, among those that a file can use, that defines a name; empty where none does."""
    for candidate in _libraries(files, path):
        try:
            file = files.read(candidate)
        except UserError:
            continue
        named = {d.name for d in file.definitions} | {o.name for o in file.orders}
        if file.kind is s.FileKind.LIBRARY and name in named:
            return candidate.stem
    return ""


def _libraries(files: Files, path: Path) -> Iterator[Path]:
    """The files that another file can use."""
    for folder in use_folders(path, files.root):
        yield from sorted(folder.glob("*.sonnx"))
