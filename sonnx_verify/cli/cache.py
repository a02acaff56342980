"""`cache`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sonnx_verify.cli.options import FORMAT, guarded
from sonnx_verify.errors import UsageError
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.text import counted_text
from sonnx_verify.stores.store import FOLDER, KINDS, OFF, Store, allowed_bytes, default_folder


@click.group()
def cache() -> None:
    """Show or clear the cache of earlier results.

    Verdicts, answers of solvers and syntax trees are kept in a folder of the user; $SONNX_VERIFY_CACHE names another
    one.

    \b
    Examples:
      sonnx-verify cache stats
    """


@cache.command()
@guarded
def clear() -> int:
    """Remove all that is kept."""
    folder = _folder()
    removed = Store(folder).clear()
    # A cache that is only believed to be gone would go on giving the answers that somebody doubts.
    if left := len(list(Store(folder).files())):
        raise UsageError(f"{counted_text(left, 'file')} in {folder} cannot be removed", cure="see to its rights")
    click.echo(f"{counted_text(removed, 'file')} removed from {folder}")
    return 0


@cache.command()
@FORMAT
@guarded
def stats(form: Form) -> int:
    """Show where it is, and how much is kept."""
    folder = _folder()
    # Kinds without a file are listed too: that nothing is kept is an answer.
    sizes: dict[str, list[int]] = {kind: [] for kind in KINDS}
    for path, stat in Store(folder).files():
        sizes[path.parent.name].append(stat.st_size)
    if form is Form.JSON:
        kinds = {kind: {"files": len(found), "bytes": sum(found)} for kind, found in sizes.items()}
        click.echo(json.dumps({"folder": str(folder), "allowed": allowed_bytes(), **kinds}, indent=1))
        return 0
    click.echo(f"{folder}, at most {allowed_bytes() >> 20} MiB")
    for kind, found in sizes.items():
        # Rounded up, so that a file with one byte is not nothing.
        click.echo(f"  {_WHAT[kind]}: {counted_text(len(found), 'file')}, {-(-sum(found) // 1024)} KiB")
    return 0


# By the folders of the cache: a kind that is added there has to be named here, or `stats` fails.
_WHAT = {
    "answers": "what solvers answered",
    "comparisons": "what was concluded of two texts of an operator",
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
