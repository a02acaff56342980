"""Defaults of options from a file: `sonnx-verify.toml`, or the table `[tool.sonnx-verify]` of a `pyproject.toml`.

In: the folder in which a command runs. Out: defaults by the names of its parameters. Options on the command line and
variables of the environment go before. What is wrong in the file is an error of the user, with its place.

    [tool.sonnx-verify]             for each command that has the option
    jobs = 2
    [tool.sonnx-verify.check]       for one command; [tool.sonnx-verify.page.lint] for one below another
    format = "github"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from sonnx_verify.errors import UserError
from sonnx_verify.language.places import OWN, SHARED
from sonnx_verify.source_files import read_source
from sonnx_verify.sources import Source, Span

TABLE = ("tool", "sonnx-verify")
# What a command writes, and whether it compares with a ledger, is said where it is run: a file that is forgotten must
# not decide it.
SETTABLE = (
    "accept-level",
    "bound",
    "color",
    "every",
    "format",
    "jobs",
    "link",
    "no-cache",
    "quiet",
    "random",
    "seconds",
    "seed",
    "short",
    "test-only",
    "times",
    "types",
    "verbose",
)
"""The options that a file may set."""
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


@dataclass(frozen=True, slots=True)
class Settings:
    """The table of a file, and the keys on the way to it."""

    source: Source
    prefix: tuple[str, ...]
    table: Mapping[str, Any]

    def error(self, keys: Sequence[str], message: str, cure: str) -> UserError:
        """The error about the value of these keys."""
        return UserError(message, _span(self.source, (*self.prefix, *keys)), cure)


def settings_here(folder: Path) -> Settings | None:
    """The settings that hold in a folder: of the nearest file, from there up to the top of the repository; outside of
    one, only of the folder itself. Raises UserError for a file that cannot be read."""
    above = [folder, *folder.parents]
    top = next((n for n, one in enumerate(above) if (one / ".git").exists()), 0)
    for one in above[: top + 1]:
        if (one / OWN).is_file():
            source = _read(one / OWN, folder)
            return Settings(source, (), _parsed(source))
        if (one / SHARED).is_file():
            # Most of these files say nothing of this tool, and may be wrong in ways that are no matter of ours.
            if b"sonnx-verify" not in (one / SHARED).read_bytes():
                continue
            source = _read(one / SHARED, folder)
            table = _parsed(source).get("tool", {})
            if isinstance(table, dict) and isinstance(table.get(TABLE[1]), dict):
                return Settings(source, TABLE, table[TABLE[1]])
    return None


def defaults_of(
    found: Settings, commands: Sequence[str], path: Sequence[str], command: click.Command
) -> dict[str, Any]:
    """The defaults of a command, which is reached by `path`, by the names of its parameters. `commands` are those that
    may have a table. Raises UserError for a key or a value that is wrong."""
    options = {name: option for option in command.params for name in _names(option)}
    made: dict[str, Any] = {}
    for key, value in found.table.items():
        if isinstance(value, dict):
            if key not in commands:
                raise found.error([key], f"unknown command `{key}`", f"name one of {', '.join(commands)}")
        elif key not in SETTABLE:
            raise found.error([key], f"unknown setting `{key}`", f"the settings: {', '.join(SETTABLE)}")
        elif key in options:
            made[options[key].name or key] = _checked(found, [key], options[key], value)
    table: object = found.table
    for word in path:
        if not isinstance(table, dict):
            return made
        table = table.get(word, {})
    if not isinstance(table, dict):
        raise found.error(path, f"`{path[-1]}` is a command, and has a table of settings", f"write [{'.'.join(path)}]")
    for key, value in table.items():
        keys = [*path, key]
        if isinstance(value, dict) and isinstance(command, click.Group):
            continue
        if key not in SETTABLE or key not in options:
            known = ", ".join(name for name in SETTABLE if name in options) or "none"
            raise found.error(keys, f"`{' '.join(path)}` has no setting `{key}`", f"its settings: {known}")
        made[options[key].name or key] = _checked(found, keys, options[key], value)
    return made


def _names(option: click.Parameter) -> Iterator[str]:
    if isinstance(option, click.Option):
        for name in option.opts:
            if name.startswith("--"):
                yield name.removeprefix("--")


def _checked(found: Settings, keys: Sequence[str], option: click.Parameter, value: object) -> object:
    """The value, if the option takes it."""
    assert isinstance(option, click.Option)
    if option.is_flag:
        if not isinstance(value, bool):
            raise found.error(keys, f"`{keys[-1]}` is true or false", f"write {keys[-1]} = true")
        return value
    items = [value]
    if option.multiple:
        if not isinstance(value, list):
            raise found.error(keys, f"`{keys[-1]}` is a list", f"write {keys[-1]} = [...]")
        items = value
    for item in items:
        if isinstance(item, bool) or not isinstance(item, str | int | float):
            raise found.error(keys, f"`{keys[-1]}` is a number or a text", "write it without a list or a table")
        try:
            option.type.convert(item, option, None)
        except click.BadParameter as problem:
            raise found.error(keys, f"`{keys[-1]}`: {problem.message}", "see the help of the command") from None
        except OverflowError:  # a number without end, where an integer belongs
            raise found.error(keys, f"`{keys[-1]}` cannot be {item}", "see the help of the command") from None
    return value


def _read(path: Path, folder: Path) -> Source:
    name = path.name
    if path.parent != folder:
        name = path.as_posix()
    return read_source(path, name)


def _parsed(source: Source) -> dict[str, Any]:
    try:
        return tomllib.loads(source.text)
    except RecursionError:
        raise UserError("this is nested too deeply", Span(source, 1, 1), "write one list, or one table") from None
    except tomllib.TOMLDecodeError as problem:
        place = _PLACE.search(str(problem))
        span = Span(source, 1, 1)
        if place is not None:
            span = Span(source, int(place[1]), int(place[2]))
        message = _PLACE.sub("", str(problem)).strip()
        raise UserError(f"this is not TOML: {message}", span, "see https://toml.io") from None


def _span(source: Source, keys: Sequence[str]) -> Span:
    """The place of a key, or of a table. The parser of the standard library does not tell it; of a table that is
    written within a line the beginning of the file has to do."""
    section: tuple[str, ...] = ()
    for number, line in enumerate(source.text.split("\n"), 1):
        header = re.match(r"\s*\[([^\[\]]+)\]", line)
        if header is not None:
            section = tuple(part.strip().strip("\"'") for part in header[1].split("."))
            if section == tuple(keys):
                return Span(source, number, header.start(1) + 1, len(header[1]))
            continue
        key = re.match(r"\s*([\w-]+|\"[^\"]*\"|'[^']*')\s*=", line)
        if key is not None and (*section, key[1].strip("\"'")) == tuple(keys):
            return Span(source, number, key.start(1) + 1, len(key[1]))
    return Span(source, 1, 1)
