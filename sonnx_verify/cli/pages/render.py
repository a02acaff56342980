"""`page render`: a formal text as a page."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import click

from sonnx_verify.cli.options import guarded, named
from sonnx_verify.errors import MissingFile, UsageError
from sonnx_verify.language.named import here
from sonnx_verify.pages.render.formal import Formal
from sonnx_verify.pages.render.markdown import page
from sonnx_verify.pages.render.opened import formal_of, formal_of_file
from sonnx_verify.pages.render.quotes import quotes_of, renewed
from sonnx_verify.results.text import counted_text
from sonnx_verify.source_files import read_source
from sonnx_verify.sources import Source
from sonnx_verify.stores.folder import refuse_unwritable, replace_file, write_file


@click.command()
@click.argument("what", nargs=-1, required=True, metavar="SPEC|PAGE...")
@click.option("--out", type=click.Path(dir_okay=False), metavar="FILE", help="Write to FILE.")
@click.option("--check", is_flag=True, help="List the quotations of pages that differ from their formal texts.")
@click.option("--write", is_flag=True, help="Renew the quotations of pages.")
@guarded
def render(what: tuple[str, ...], *, out: str | None, check: bool, write: bool) -> int:
    """Print a formal text as a page.

    SPEC is a .sonnx file or an operator, such as `sonnx.Max-13`. A page quotes an item of a text between the marks
    `<!-- render: op.sonnx Y.value -->` and `<!-- /render -->`. With --check the exit status is 1 if a quotation
    differs.

    \b
    Examples:
      sonnx-verify page render sonnx.Max-13
      sonnx-verify page render --check spec/sonnx/max/max.md
    """
    if check and write:
        raise UsageError("--check writes nothing, and --write does", cure="give one of them")
    if not (check or write):
        return _print(what, out)
    if out is not None:
        raise UsageError("--out is for a formal text, not for pages", cure="leave it out")
    # All of them, also behind one that differs: a list, since `any` would stop there.
    return max([_page(Path(name), write=write) for name in what])


def _print(what: Sequence[str], out: str | None) -> int:
    if len(what) > 1:
        raise UsageError(f"{len(what)} formal texts were named", cure="name one; pages need --check or --write")
    text = page(_formal(what[0]))
    if out is None:
        click.echo(text, nl=False)
        return 0
    path = Path(out)
    refuse_unwritable(path)
    if path.exists() and (not path.is_file() or path.read_bytes() != text.encode()):
        # It may be a page that somebody wrote on, or the formal text itself.
        raise UsageError(f"{out} already exists with different content", cure="remove it, or name another file")
    write_file(path, text)
    click.echo(f"wrote {out}")
    return 0


def _formal(what: str) -> Formal:
    path = Path(what)
    if path.suffix == ".md":
        raise UsageError(f"{what} is a page", cure="name a .sonnx file, or give --check or --write")
    # A file of any name is a file; what is none may be an operator of the project.
    if path.suffix == ".sonnx" or path.exists():
        return formal_of_file(path)
    project = here()
    return formal_of(project, named(project, what))


def _page(path: Path, *, write: bool) -> int:
    """Hold one page against its texts, or renew it. Return 1 if a quotation differs, and is not renewed."""
    name = path.as_posix()
    if path.is_dir():
        raise UsageError(f"{name} is a folder", cure="name pages, such as " + (path / "*.md").as_posix())
    ends, source = _read(path, name)
    # A page quotes one text many times, which is read once.
    quotes = quotes_of(source, path.parent, cache(formal_of_file))
    differing = [quote for quote in quotes if not quote.holds]
    counted = f"{name}: {counted_text(len(quotes), 'quotation')}"
    if not differing:
        click.echo(counted)
        return 0
    if write:
        replace_file(path, renewed(source, quotes).replace("\n", ends).encode())
        for quote in differing:
            click.echo(f"{quote.span}: renewed: {quote.what}")
        click.echo(f"{counted}, {len(differing)} renewed")
        return 0
    for quote in differing:
        click.echo(f"{quote.span}: differs: {quote.what}")
        difference = difflib.unified_diff(
            quote.is_.split("\n"), quote.should.split("\n"), "the page", "the formal text", lineterm="", n=1
        )
        click.echo("\n".join(difference))
    click.echo(f"{counted}, {len(differing)} differing")
    return 1


def _read(path: Path, name: str) -> tuple[str, Source]:
    """The page, and how its lines end. Raises UserError where it cannot be written as it was: mixed line ends would be
    made one, other bytes than UTF-8 something else."""
    source = read_source(path, name)
    data = path.read_bytes()
    ends = "\n"
    if b"\r\n" in data:
        ends = "\r\n"
    if source.text.replace("\n", ends).encode() != data:
        raise MissingFile(f"{name} has line ends of several kinds", cure="give it one, and no byte order mark")
    return ends, source
