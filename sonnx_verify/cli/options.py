"""What the commands share: options, and how a user's errors end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from sonnx_verify.garbage import seldom_collected

FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to print."
)

RUN_FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "junit", "sarif", "github", "markdown"]),
    default="text",
    show_default=True,
    help="How to print.",
)

REPORTS = click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="FORM=FILE",
    help="Write it to FILE too, as junit, sarif, github or markdown.",
)

JOBS = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1, 256),
    metavar="N",
    envvar="SONNX_VERIFY_JOBS",
    help="How many processes decide; else what SONNX_VERIFY_JOBS says, or one a core.",
)

DEEPEST = 10_000
"""How many calls may be open. A stack of 8 MiB, the usual one, holds them: beyond it there is no exception: the process
ends. The library needs less than 1,500."""


def guarded(command: Callable[..., int]) -> Callable[..., None]:
    """Run a command; a user's error is printed and ends with 2, an interrupt with 130."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        from sonnx_verify.errors import UsageError, UserError

        sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST))
        try:
            try:
                Path.cwd()
            except OSError as error:
                cure = "go to a folder that is there"
                raise UsageError(f"the current folder cannot be used: {error.strerror}", cure=cure) from error
            with seldom_collected():
                status = command(*args, **kwargs)
        except UserError as error:
            click.echo(str(error), err=True)
            status = 2
        except OSError as problem:
            # A name in a text or on the command line that no file system takes; a pipe that is closed has no name.
            if problem.filename is None:
                raise
            name = str(problem.filename)
            shown = name if len(name) <= 80 else f"{name[:77]}..."
            cure = "check the name and its rights"
            click.echo(str(UserError(f"{shown} cannot be used: {problem.strerror}", cure=cure)), err=True)
            status = 2
        except RecursionError:
            click.echo(
                str(UserError("too deep to work on", cure="take it apart: fewer levels of definitions")), err=True
            )
            status = 2
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            status = 130
        sys.exit(status)

    return run
