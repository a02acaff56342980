"""The options that commands share, and the end of a run: a user's errors, streams that take no more."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from sonnx_verify.interpreter import allow_deep_calls, seldom_collected
from sonnx_verify.outputs.wanted import FORMS, Form

if TYPE_CHECKING:
    from sonnx_verify.language.context import Context

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _form(context: click.Context, parameter: click.Parameter, chosen: str) -> Form:
    return Form(chosen)


# Choices are strings to click, whose error names them; commands get the enumeration.
def format_option(*forms: Form) -> Decorator:
    """The option `--format`, of a command that prints in these forms; without it, in the first."""
    choice = click.Choice([form.value for form in forms])
    return click.option(
        "--format", "form", type=choice, default=forms[0].value, show_default=True, callback=_form, help="How to print."
    )


FORMAT = format_option(Form.TEXT, Form.JSON)

RUN_FORMAT = format_option(Form.TEXT, Form.JSON, *FORMS)

REPORTS = click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="FORM=FILE",
    help="Write it to FILE too, as junit, sarif, github or markdown.",
)

# The bound guards against a slip: `--jobs 10000` would begin ten thousand processes before anything else fails.
JOBS = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1, 256),
    metavar="N",
    envvar="SONNX_VERIFY_JOBS",
    help="How many processes decide; else what SONNX_VERIFY_JOBS says, or one a core.",
)

_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EBADF)
"""The errors of a stream that takes no more."""


def _open_streams() -> None:
    """Open standard streams that are closed, to nowhere: the next file would have their numbers, and what is printed
    would go into it."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            # In this order: a stream that is opened for 1 must not be given the number 0.
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115  # to the end of the process
            setattr(sys, name, stream)


def _write_nowhere(stream: TextIO | None, first: TextIO | None, number: int) -> None:
    """From here on what is printed there, and what waits to be, is dropped: it would fail again at the end.

    Only where the stream is still the `first` one of the process: a test puts another one in its place, and the
    descriptor belongs to whoever runs the test.
    """
    if stream is first:
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)


def tell(what: str) -> None:
    """Print it where errors go; where those cannot be written either, the status has to do."""
    try:
        click.echo(what, err=True)
    except OSError:
        _write_nowhere(sys.stderr, sys.__stderr__, 2)


def print_json(made: object) -> None:
    """Print a value as JSON. Names of the user's texts are shown as they are written there, in any script."""
    click.echo(json.dumps(made, indent=1, ensure_ascii=False))


def types_json(context: Context) -> dict[str, str]:
    """The types of a section by their variables, in JSON; T is left out where the text has no such type."""
    from sonnx_verify.logic.sorts import ELEMENT

    types = {variable: sort.name for variable, sort in context.variables.items()}
    if context.element == ELEMENT:
        return types
    return {"T": context.element.name, **types}


def split(listed: str) -> list[str]:
    """The items of a list with commas."""
    return [item.strip() for item in listed.split(",") if item.strip()]


def guarded(command: Callable[..., int]) -> Callable[..., None]:
    """Run a command; a user's error is printed and ends with 2."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        from sonnx_verify.errors import UserError
        from sonnx_verify.language.kept import keep_in
        from sonnx_verify.stores.store import store_of_trees

        _open_streams()
        allow_deep_calls()
        try:
            _refuse_lost_folder()
            keep_in(store_of_trees)
            with seldom_collected():
                status = command(*args, **kwargs)
            # Commands that keep nothing do not load it.
            if (store := sys.modules.get("sonnx_verify.stores.store")) is not None:
                store.trim_what_grew()
        except UserError as error:
            tell(str(error))
            status = 2
        except OSError as problem:
            # A name in a text or on the command line that no file system takes; a pipe that is closed has no name.
            if problem.filename is None and problem.errno in _FULL:
                _write_nowhere(sys.stdout, sys.__stdout__, 1)
                tell(f"error: what is printed cannot be written: {problem.strerror}")
                sys.exit(2)
            if problem.filename is None:
                raise
            cure = "check the name and its rights"
            tell(str(UserError(f"{_shortened(str(problem.filename))} cannot be used: {problem.strerror}", cure=cure)))
            status = 2
        except RecursionError:
            # The limit is raised for the depth that specifications have; a text beyond it is no defect of the tool.
            tell(str(UserError("too deep to work on", cure="take it apart: fewer levels of definitions")))
            status = 2
        sys.exit(status)

    return run


def _refuse_lost_folder() -> None:
    """Raise UsageError if the current folder is gone: every path that is resolved would fail, with no word about it."""
    from sonnx_verify.errors import UsageError

    try:
        Path.cwd()
    except OSError as error:
        cure = "go to a folder that is there"
        raise UsageError(f"the current folder cannot be used: {error.strerror}", cure=cure) from error


def _shortened(name: str) -> str:
    """A name of a file in one line: that it is too long may be what is wrong with it."""
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[: _LONGEST_NAME - 3]}..."


_LONGEST_NAME = 80
