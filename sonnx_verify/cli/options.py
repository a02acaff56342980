"""The options that commands share, and the end of a run: a user's errors, streams that take no more."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click
import msgspec
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.interpreter import TooLarge, allow_deep_calls, seldom_collected
from sonnx_verify.outputs.paint import Color, Paint, Tone, paint_for
from sonnx_verify.outputs.wanted import FORMS, Form
from sonnx_verify.progress import be_silent
from sonnx_verify.results.written import OfVersions, json_text, plain
from sonnx_verify.timeouts import each_within

if TYPE_CHECKING:
    from sonnx_verify.language.files import Unit
    from sonnx_verify.language.project import Project

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _form(context: click.Context, parameter: click.Parameter, chosen: str) -> Form:
    return Form(chosen)


# Choices are strings to click, whose error names them; commands get the enumeration.
def format_option(*forms: Form) -> Decorator:
    """The option `--format`, of a command that prints in these forms; without it, in the first."""
    choice = click.Choice([form.value for form in forms])
    return click.option(
        "--format",
        "form",
        type=choice,
        default=forms[0].value,
        show_default=True,
        callback=_form,
        help="Output format.",
    )


FORMAT = format_option(Form.TEXT, Form.JSON)

RUN_FORMAT = format_option(Form.TEXT, Form.JSON, *FORMS)

REPORTS = click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="FORM=FILE",
    help="Write a report to FILE too; FORM is junit, sarif, github, gitlab or markdown.",
)

LINKS = click.option(
    "--link",
    "links",
    multiple=True,
    metavar="NAME=URL",
    help="Address for reports: docs=URL/*.html of these documents, report=URL of a published report.",
)

# The bound guards against a slip: `--jobs 10000` would begin ten thousand processes before anything else fails.
JOBS = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1, 256),
    metavar="N",
    envvar="SONNX_VERIFY_JOBS",
    help="Worker processes (default: $SONNX_VERIFY_JOBS, else one per core).",
)


def _timeout(context: click.Context, _: click.Parameter, seconds: float | None) -> None:
    if seconds is not None:
        context.with_resource(each_within(seconds))


TIMEOUT = click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    expose_value=False,
    callback=_timeout,
    help="Leave an obligation undecided after SECONDS; without it, only work is limited, not time.",
)

# What is watched is a few dozen small files: they are looked at again and again.
EVERY = click.option(
    "--every",
    metavar="SECONDS",
    type=click.FloatRange(0.01, 3600),
    default=0.5,
    show_default=True,
    help="Polling interval of --watch.",
)


class Export(StrEnum):
    """The forms of a counterexample for other tools."""

    NUMPY = "numpy"
    ONNX = "onnx"


def _color(context: click.Context, _: click.Parameter, chosen: str) -> None:
    _colors[:] = [Color(chosen)]
    # By default click takes colours out of what goes into a file, which is not what `always` asks for.
    context.color = paint_for(sys.stdout, Color(chosen)).colored


def _quiet(_context: click.Context, _: click.Parameter, given: bool) -> None:  # noqa: FBT001  # click calls it
    be_silent(silent=given)


_colors = [Color.AUTO]
COLOR = click.option(
    "--color",
    type=click.Choice([color.value for color in Color]),
    default=Color.AUTO.value,
    show_default=True,
    expose_value=False,
    callback=_color,
    help="Color the output; auto does on a terminal.",
)
QUIET = click.option(
    "--quiet",
    "-q",
    is_flag=True,
    expose_value=False,
    callback=_quiet,
    is_eager=True,
    help="Print no progress, notes or summaries.",
)


def paint_of_output() -> Paint:
    """The paint for standard output, as the option has it."""
    return paint_for(sys.stdout, _colors[0])


def painted_error(error: UserError) -> str:
    """The message, its first word in colour where standard error is a terminal."""
    head, word, rest = str(error).partition("error:")
    return f"{head}{paint_for(sys.stderr, _colors[0])(word, Tone.BAD)}{rest}"


# Both load what they need when a shell asks: a decorator that names them is read for each help.
def complete_identity(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The names of operators, theories and obligations that begin so; files, where there is none."""
    from sonnx_verify.cli.completion import identities

    found = [CompletionItem(name) for name in identities(begun)]
    return found or [CompletionItem(begun, type="file")]


def complete_operator(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The names of operators that begin so."""
    from sonnx_verify.cli.completion import operators

    return [CompletionItem(name) for name in operators(begun)]


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


def print_errors(errors: Iterable[UserError]) -> None:
    """Print errors where they go, each with its first word in colour on a terminal."""
    for error in errors:
        tell(painted_error(error))


def tell_cache_problem(problem: str) -> None:
    """Print what went wrong with the cache; the answers do not depend on it."""
    tell(f"{problem}; continuing without the cache")


OPSET = click.option(
    "--opset", type=int, metavar="N", help="The version in force in ONNX's opset N (default: the newest)."
)
_USES = "sonnx_verify.uses"


def named(project: Project, name: str, opset: int | None = None) -> Unit:
    """The operator of a name, by default in its newest version. What an answer says of a version without a text of its
    own begins with the text that it uses, and what differs; JSON has it as `in_force`."""
    from sonnx_verify.language.named import find_operator

    unit = find_operator(project, name, opset)
    if unit.note:
        tell_note(unit.note)
    return unit


def tell_note(note: str) -> None:
    """Say which text a version without one of its own uses: once, before the answer, or in it where that is JSON."""
    context = click.get_current_context()
    told = context.meta.setdefault(_USES, [])
    if note in told:
        return
    told.append(note)
    match context.params.get("form"):
        case Form.TEXT:
            click.echo(note)
        case Form.JSON:
            pass
        case _:
            tell(note)


def print_json(made: object) -> None:
    """Print a record as JSON, by its types. Names of the user's texts are shown as they are written there, in any
    script."""
    uses = click.get_current_context().meta.get(_USES)
    if uses and isinstance(made, OfVersions):
        made = msgspec.structs.replace(made, in_force=uses)
    elif uses:
        made = {**plain(made), "in_force": uses}
    click.echo(json_text(made), nl=False)


def split(listed: str) -> list[str]:
    """The items of a list with commas."""
    return [item.strip() for item in listed.split(",") if item.strip()]


def _given() -> Iterator[click.Option]:
    """The options that stand on the command line."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name is None or not isinstance(parameter, click.Option):
            continue
        # COLOR and QUIET belong to every command, and go with everything.
        if not parameter.expose_value:
            continue
        if context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE:
            yield parameter


def exclusive(one: str, other: str) -> UsageError:
    """The error of two options that were given together."""
    return UsageError(f"{one} and {other} exclude each other", cure="give one of them")


def refuse_without(needed: str, *names: str) -> None:
    """Raise UsageError for an option of these names: without the one that is `needed` it means nothing."""
    for option in _given():
        if option.name in names:
            raise UsageError(f"{option.opts[0]} needs {needed}", cure="add it")


def refuse_beside(option: str, *allowed: str) -> None:
    """Raise UsageError for an option that has no meaning beside another one."""
    for other in _given():
        if option not in other.opts and other.name not in allowed:
            raise UsageError(f"{other.opts[0]} does not go with {option}", cure="give one of them")


def _refuse_empty_names() -> None:
    """Raise UsageError for an empty argument: it is a variable of a script that is not set, and as a path it would be
    all of the folder."""
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.params.get(parameter.name or "")
        if isinstance(parameter, click.Argument) and (given == "" or isinstance(given, tuple) and "" in given):
            raise UsageError("an empty name", cure="write a name, or leave it out")


def guarded(command: Callable[..., int]) -> Callable[..., None]:
    """Run a command; a user's error is printed and ends with 2."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        from sonnx_verify.language.kept import keep_in
        from sonnx_verify.stores.store import store_of_trees

        _open_streams()
        allow_deep_calls()
        try:
            _refuse_lost_folder()
            _refuse_empty_names()
            keep_in(store_of_trees)
            with seldom_collected():
                status = command(*args, **kwargs)
            # Commands that keep nothing do not load it.
            if (store := sys.modules.get("sonnx_verify.stores.store")) is not None:
                store.trim_what_grew()
        except UserError as error:
            print_errors([error])
            status = 2
        except OSError as problem:
            # A name in a text or on the command line that no file system takes; a pipe that is closed has no name.
            if problem.filename is None and problem.errno in _FULL:
                _write_nowhere(sys.stdout, sys.__stdout__, 1)
                tell(f"error: cannot write to standard output: {problem.strerror}")
                sys.exit(2)
            if problem.filename is None:
                raise
            named = _shortened(str(problem.filename))
            cure = "check the path and its permissions"
            print_errors([UserError(f"{named} cannot be used: {problem.strerror}", cure=cure)])
            status = 2
        except RecursionError:
            # The limit is raised for the depth that specifications have; a text beyond it is no defect of the tool.
            print_errors([UserError("too deep to work on", cure="take it apart: fewer levels of definitions")])
            status = 2
        except TooLarge as problem:
            print_errors([UserError(f"too large to work on: {problem}", cure="write shorter numbers")])
            status = 2
        sys.exit(status)

    # These stand last in each help.
    with_options: Callable[..., None] = COLOR(QUIET(run))
    return with_options


def _refuse_lost_folder() -> None:
    """Raise UsageError if the current folder is gone: every path that is resolved would fail, with no word about it."""
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
