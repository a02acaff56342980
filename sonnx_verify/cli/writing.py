"""Write: pages, texts, what an editor needs."""

from __future__ import annotations

import click

from sonnx_verify.cli.options import JOBS, REPORTS, RUN_FORMAT, guarded


@click.command()
@click.argument("pages", nargs=-1, required=True, metavar="PAGE...")
@click.option("--fix", is_flag=True, help="Mend what is mechanical, in the files.")
@click.option("--no-cache", is_flag=True, help="Try every formula, whatever earlier runs found.")
@RUN_FORMAT
@REPORTS
@guarded
def lint(pages: tuple[str, ...], fix: bool, no_cache: bool, form: str, reports: tuple[str, ...]) -> int:
    """Say what is wrong with pages of the profile, or with those of folders: tags, anchors, links, sections, words."""
    from sonnx_verify.cli import lint as command
    from sonnx_verify.outputs.wanted import Wanted

    return command.lint(pages, Wanted.of(form, reports), fix, not no_cache)


@click.command()
@click.argument("pages", nargs=-1, required=True, metavar="PAGE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "csv"]),
    default="markdown",
    show_default=True,
    help="How to print.",
)
@JOBS
@guarded
def trace(pages: tuple[str, ...], form: str, jobs: int | None) -> int:
    """Print what belongs together: tags of a page, clauses of the formal text beside it, proofs and tests.

    A page is named, or a folder with pages. A tag without a clause, a clause that is not on the page, and one without a
    proof are gaps, and end with status 1.
    """
    from sonnx_verify.cli import trace as command

    return command.trace(pages, form, jobs)


@click.command()
@guarded
def lsp() -> int:
    """Serve an editor: the Language Server Protocol on standard input and output.

    What is wrong is told while it is written, of specifications and of pages; proofs follow. The exit status is 0 when
    the editor ends it as the protocol has it, else 1.
    """
    from sonnx_verify.cli import lsp as command

    return command.lsp()


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--check", is_flag=True, help="Write nothing; list the files that would change.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@guarded
def fmt(paths: tuple[str, ...], check: bool, diff: bool) -> int:
    """Lay out .sonnx files, in place: one layout for one text, with its comments and groups.

    PATH is a file, a folder to search, or `-` for standard input to standard output. With --check or --diff the exit
    status is 1 if anything would change.
    """
    from sonnx_verify.cli import fmt as command

    return command.fmt(paths, check, diff)


@click.command()
@click.argument("what", nargs=-1, required=True, metavar="SPEC|PAGE...")
@click.option("--out", type=click.Path(dir_okay=False), metavar="FILE", help="Write to a file.")
@click.option("--check", is_flag=True, help="Of pages: say which quotations are not what the formal text says.")
@click.option("--write", is_flag=True, help="Of pages: renew them.")
@guarded
def render(what: tuple[str, ...], out: str | None, check: bool, write: bool) -> int:
    """Print a formal text as a page: signature, clauses by their tags, shape and value as formulas.

    SPEC is a .sonnx file or an operator, such as `sonnx.Op-13`. A page quotes an item of it between two marks,
    `<!-- render: op.sonnx Y.value -->` and `<!-- /render -->`. With --check the exit status is 1 if any quotation
    differs.
    """
    from sonnx_verify.cli import render as command

    return command.render(what, out, check, write)


@click.command()
@click.argument("operator", metavar="OP")
@click.option("--since", type=click.IntRange(1), metavar="N", help="The version; else the newest.")
@click.option("--out", metavar="DIR", help="The folder; else spec/sonnx/op in a project, or the current one.")
@guarded
def new(operator: str, since: int | None, out: str | None) -> int:
    """Begin a specification: a page and a formal text, from what ONNX says of the operator's signature.

    The page asks what every page of the profile has to decide. Nothing that is there is overwritten.
    """
    from sonnx_verify.cli import new as command

    return command.new(operator, since, out)


COMMANDS = (lint, trace, lsp, fmt, render, new)
