"""`cache`: the location and size of the cache, and an empty one."""

from __future__ import annotations

from pathlib import Path

import click

from sonnx_verify.cli.options import FORMAT, guarded, print_json
from sonnx_verify.errors import UsageError
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.text import counted_text
from sonnx_verify.stores.store import FOLDER, KINDS, OFF, Store, allowed_bytes, default_folder


@click.group()
def cache() -> None:
    """Show or clear the cache of earlier results.

    Keeps verdicts, solver answers and syntax trees in your cache folder, or in $SONNX_VERIFY_CACHE (`off`: no cache).

    \b
    Examples:
      sonnx-verify cache stats
    """


@cache.command()
@guarded
def clear() -> int:
    """Remove all cached results."""
    folder = _folder()
    removed = Store(folder).clear()
    # A cache that is only believed to be gone would go on giving the answers that somebody doubts.
    if left := len(list(Store(folder).files())):
        raise UsageError(f"{counted_text(left, 'file')} in {folder} cannot be removed", cure="check its permissions")
    click.echo(f"{counted_text(removed, 'file')} removed from {folder}")
    return 0


@cache.command()
@FORMAT
@guarded
def stats(form: Form) -> int:
    """Show the location and size of the cache."""
    folder = _folder()
    # Kinds without a file are listed too: that nothing is kept is an answer.
    sizes: dict[str, list[int]] = {kind: [] for kind in KINDS}
    for path, stat in Store(folder).files():
        sizes[path.parent.name].append(stat.st_size)
    if form is Form.JSON:
        kinds = {kind: {"files": len(found), "bytes": sum(found)} for kind, found in sizes.items()}
        print_json({"folder": str(folder), "allowed": allowed_bytes(), **kinds})
        return 0
    click.echo(f"{folder}, at most {allowed_bytes() >> 20} MiB")
    for kind, found in sizes.items():
        # Rounded up, so that a file with one byte is not nothing.
        click.echo(f"  {_WHAT[kind]}: {counted_text(len(found), 'file')}, {-(-sum(found) // 1024)} KiB")
    return 0


# By the folders of the cache: a kind that is added there has to be named here, or `stats` fails.
_WHAT = {
    "answers": "solver answers",
    "comparisons": "comparisons",
    "killers": "statements that killed mutants",
    "mutants": "outcomes of mutants",
    "records": "verdicts",
    "searches": "lint searches without a counterexample",
    "steps": "steps of records",
    "tables": "parse tables of the language",
    "trees": "syntax trees",
}


def _folder() -> Path:
    folder = default_folder()
    if folder is None:
        raise UsageError("the cache is switched off", cure=f"set {FOLDER} to a folder instead of `{OFF}`")
    return folder
