"""The steps of docs/tutorial.md: what is written to which file, and what each command prints then."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"
_FENCE = re.compile(r"^```(\w+) ?([\w.]*)(?::(\d+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INSTALLS = ("python3 ", ". ", "pip ")
"""How commands begin that make an environment: who runs the steps has one."""


def expected_commands() -> int:
    """The number of commands that a reader types, counted line by line: a block that is not read would be missed."""
    return sum(line.startswith("$ sonnx-verify ") for line in PAGE.read_text("utf-8").splitlines())


def steps() -> Iterator[tuple[str, str, int | None, str]]:
    """The language of each block, its file, the line of it that is replaced, and its text."""
    for language, file, line, text in _FENCE.findall(PAGE.read_text("utf-8")):
        yield language, file, int(line) if line else None, text


def follow(folder: Path, run: Callable[[list[str]], str]) -> list[tuple[str, str, str]]:
    """Do what the page says in an empty folder. Returns each command with what the page shows and what was printed."""
    done = []
    for language, file, line, text in steps():
        if language != "console":
            write(folder / file, line, text)
            continue
        parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
        assert parts[0] == ""
        for command, expected in zip(parts[1::2], parts[2::2], strict=True):
            if not command.startswith(INSTALLS):
                done.append((command, expected, run(shlex.split(command))))
    return done


def write(path: Path, line: int | None, text: str) -> None:
    """Write a file, or replace one of its lines."""
    if line is not None:
        lines = path.read_text("utf-8").splitlines(keepends=True)
        lines[line - 1] = text
        text = "".join(lines)
    path.write_text(text, "utf-8")
