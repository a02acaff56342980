"""`cache`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sonnx_verify.errors import UsageError
from sonnx_verify.results.text import counted_text
from sonnx_verify.stores.store import FOLDER, KINDS, OFF, Store, allowed_bytes, default_folder


def clear() -> int:
    """Remove every entry."""
    folder = _folder()
    removed = Store(folder).clear()
    if left := len(list(Store(folder).files())):
        raise UsageError(f"{counted_text(left, 'file')} in {folder} cannot be removed", cure="see to its rights")
    click.echo(f"{counted_text(removed, 'file')} removed from {folder}")
    return 0


def stats(form: str) -> int:
    """Print what is there."""
    folder = _folder()
    sizes: dict[str, list[int]] = {kind: [] for kind in KINDS}
    for path, stat in Store(folder).files():
        sizes[path.parent.name].append(stat.st_size)
    if form == "json":
        kinds = {kind: {"files": len(found), "bytes": sum(found)} for kind, found in sizes.items()}
        click.echo(json.dumps({"folder": str(folder), "allowed": allowed_bytes(), **kinds}, indent=1))
        return 0
    click.echo(f"{folder}, at most {allowed_bytes() >> 20} MiB")
    for kind, found in sizes.items():
        click.echo(f"  {_WHAT[kind]}: {counted_text(len(found), 'file')}, {-(-sum(found) // 1024)} KiB")
    return 0


_WHAT = {
    "answers": "what solvers answered",
    "records": "what was concluded of files",
    "searches": "searches of lint that found nothing",
    "tables": "parse tables of the language",
    "trees": "syntax trees of files",
}


def _folder() -> Path:
    folder = default_folder()
    if folder is None:
        raise UsageError("the cache is switched off", cure=f"set {FOLDER} to a folder instead of `{OFF}`")
    return folder
