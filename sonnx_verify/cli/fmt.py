"""`fmt`."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from sonnx_verify.errors import (
    MAX_SPEC_BYTES,
    SpecificationError,
    UsageError,
    UserError,
    in_line,
    read_source,
    source_of,
)
from sonnx_verify.language.layout import layout
from sonnx_verify.paths import resolved
from sonnx_verify.stores.folder import replace_file


def fmt(paths: Sequence[str], check: bool, diff: bool) -> int:
    """Lay out files in place; with `check` or `diff` only say what would change. Files with errors stay as they are."""
    status = 0
    for path in list(_files(paths)):
        try:
            changed = _one(path, check, diff)
        except UserError as error:
            click.echo(str(error), err=True)
            status = 2
            continue
        if changed and (check or diff):
            status = max(status, 1)
    return status


def _files(paths: Sequence[str]) -> Iterator[Path | None]:
    """The files that are named, or are below a folder that is; each once. None is standard input."""
    seen: set[Path] = set()
    for name in paths:
        if name == "-":
            yield None
            continue
        path = Path(name)
        if not _exists(path):
            raise UsageError(f"there is no file or folder {path}", cure="name a .sonnx file or a folder")
        found = _below(path) if path.is_dir() else [path]
        if not found:
            raise UsageError(f"there is no .sonnx file below {path}", cure="name another folder")
        for file in found:
            if resolved(file) not in seen:
                seen.add(resolved(file))
                yield file


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _below(folder: Path) -> list[Path]:
    """The .sonnx files below a folder, without hidden ones."""
    found = (p for p in folder.rglob("*.sonnx") if p.is_file())
    return sorted(p for p in found if not any(part.startswith(".") for part in p.relative_to(folder).parts))


def _one(path: Path | None, check: bool, diff: bool) -> bool:
    """Lay out one file, or standard input. Whether that changes it."""
    if path is None:
        name, data = "stdin", sys.stdin.buffer.read(MAX_SPEC_BYTES + 1)
        if len(data) > MAX_SPEC_BYTES:
            raise SpecificationError(f"{name} has more than {MAX_SPEC_BYTES} bytes", cure="split it into several files")
        source = source_of(name, data)
    else:
        name, source = path.as_posix(), read_source(path)
        data = path.read_bytes()
    text = layout(source)
    changed = text.encode() != data
    if path is None and not (check or diff):
        click.echo(text.encode(), nl=False)
    elif changed and diff:
        click.echo(_difference(name, data, text).encode(), nl=False)
    elif changed:
        if path is not None and not check:
            replace_file(path, text.encode())
        click.echo(f"{'would change' if check else 'changed'} {in_line(name)}")
    return changed


def _difference(name: str, data: bytes, text: str) -> str:
    """The unified difference; line ends and a byte order mark count."""
    before, after = (_lines(t) for t in (data.decode("utf-8"), text))
    return "".join(difflib.unified_diff(before, after, name, name))


def _lines(text: str) -> list[str]:
    *lines, last = text.split("\n")
    end = [f"{last}\n\\ No newline at end of file\n"] if last else []
    return [f"{line}\n" for line in lines] + end
