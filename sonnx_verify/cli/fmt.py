"""`fmt`: files in the one layout that texts have."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

import click

from sonnx_verify.api.files import texts_of
from sonnx_verify.cli.options import guarded, print_errors
from sonnx_verify.errors import SpecificationError, UserError
from sonnx_verify.language.layout import layout
from sonnx_verify.source_files import MAX_SPEC_BYTES, read_source, source_of
from sonnx_verify.sources import in_line
from sonnx_verify.stores.folder import replace_file


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--check", is_flag=True, help="Write nothing; list the files that would change.")
@click.option("--diff", is_flag=True, help="Write nothing; print the differences.")
@guarded
def fmt(paths: tuple[str, ...], *, check: bool, diff: bool) -> int:
    """Format .sonnx files.

    PATH is a file, a folder to search, or `-` for standard input to standard output. Keeps comments and blank lines
    between groups. With --check or --diff the exit status is 1 if a file would change.

    \b
    Examples:
      sonnx-verify fmt --check spec proofs
    """
    status = 0
    # All names first: with one that is mistyped nothing is written.
    for path in list(texts_of(paths)):
        try:
            changed = _one(path, check=check, diff=diff)
        except UserError as error:
            # The others are laid out all the same: an editor that saves one file that is not ready is not all of it.
            print_errors([error])
            status = 2
            continue
        if changed and (check or diff):
            status = max(status, 1)
    return status


def _one(path: Path | None, *, check: bool, diff: bool) -> bool:
    """Lay out one file, or standard input. Return whether that changes it."""
    if path is None:
        # One byte more than allowed, to tell a text that is too long from one that just fits.
        name, data = "stdin", sys.stdin.buffer.read(MAX_SPEC_BYTES + 1)
        if len(data) > MAX_SPEC_BYTES:
            raise SpecificationError(f"{name} has more than {MAX_SPEC_BYTES} bytes", cure="split it into several files")
        source = source_of(name, data)
    else:
        name, source = path.as_posix(), read_source(path)
        data = path.read_bytes()
    text = layout(source)
    # Bytes, not texts: `source` has lost a byte order mark and CRLF, which are laid out too.
    changed = text.encode() != data
    if path is None and not (check or diff):
        click.echo(text.encode(), nl=False)
    elif changed and diff:
        click.echo(_difference(name, data, text).encode(), nl=False)
    elif changed and check:
        click.echo(f"would change {in_line(name)}")
    elif changed and path is not None:
        replace_file(path, text.encode())
        click.echo(f"changed {in_line(name)}")
    return changed


def _difference(name: str, data: bytes, text: str) -> str:
    """The unified difference; line ends and a byte order mark count."""
    before, after = (_lines(t) for t in (data.decode("utf-8"), text))
    return "".join(difflib.unified_diff(before, after, name, name))


def _lines(text: str) -> list[str]:
    *lines, last = text.split("\n")
    found = [f"{line}\n" for line in lines]
    if last:  # as `diff` writes it, so that `patch` takes it
        found.append(f"{last}\n\\ No newline at end of file\n")
    return found
