"""The commands as the command line lists them, without importing them."""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from sonnx_verify.cli import COMMANDS, command, main
from sonnx_verify.cli.page import ENTRIES

ROOT = Path(__file__).resolve().parents[2]
IMPORTED = """
import json, os, sys
import click, lark, msgspec  # by others, and needed by most commands
from sonnx_verify.cli import main

for line in sys.stdin:
    if child := os.fork():
        os.waitpid(child, 0)
        continue
    answers = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        main(json.loads(line), prog_name="sonnx-verify")
    except SystemExit:
        pass
    found = [name for name in sys.modules if name.startswith("sonnx_verify.")]
    os.write(answers, (json.dumps(found) + "\\n").encode())
    os._exit(0)
"""
"""For each command line the modules of the package, in a process that has imported none but those of the list."""
SHOWN = [name for name, entry in COMMANDS.items() if entry.group is not None]
OLD = {name: entry.now for name, entry in COMMANDS.items() if entry.now}


Imported = Callable[..., set[str]]


@pytest.fixture(scope="module")
def imported() -> Iterator[Imported]:
    """A function from a command line to the modules of the package that it imports."""
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    command = [sys.executable, "-c", IMPORTED]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asked, answers = process.stdin, process.stdout

        def found(*words: str) -> set[str]:
            asked.write(json.dumps(words) + "\n")
            asked.flush()
            return set(json.loads(answers.readline()))

        yield found
        asked.close()


def commands(modules: set[str]) -> set[str]:
    """The modules of commands among some."""
    places = [entry.place.partition(":")[0] for entry in (*COMMANDS.values(), *ENTRIES.values())]
    return modules & set(places)


def said(*words: str) -> str:
    """What a command line prints that ends well."""
    done = CliRunner(env={"COLUMNS": "80"}).invoke(main, words, prog_name="sonnx-verify", catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_a_summary_is_the_first_line_of_the_help(name: str) -> None:
    """A list of commands says of each what its own help says."""
    found = command(name)
    assert found is not None
    assert found.help is not None
    assert found.name == name
    assert found.help.splitlines()[0] == COMMANDS[name].summary
    assert found.hidden or name in SHOWN


@pytest.mark.parametrize("name", ENTRIES)
def test_so_it_is_of_the_commands_about_pages(name: str) -> None:
    page = command("page")
    assert isinstance(page, click.Group)
    found = page.get_command(click.Context(page), name)
    assert found is not None
    assert found.help is not None
    assert found.help.splitlines()[0] == ENTRIES[name].summary


def test_each_command_is_listed_once_on_a_line_that_is_not_cut() -> None:
    lines = said("--help").splitlines()

    for name in SHOWN:
        (line,) = (line for line in lines if line.startswith(f"  {name} "))
        assert line.endswith(COMMANDS[name].summary)
    assert all(len(line) <= 80 for line in lines)
    assert [name for name in COMMANDS if f"  {name} " in "\n".join(lines)] == SHOWN


def test_hidden_commands_are_listed_when_all_are_asked_for() -> None:
    listed = said("help", "--all")

    assert said("--help") == said("help")
    for name, now in OLD.items():
        assert f"  {name} " in listed
        assert f"now `{now}`\n" in listed
    assert "  lsp " in listed


def test_help_of_a_command() -> None:
    assert said("help", "page", "lint") == said("page", "lint", "--help")
    assert said("help", "check") == said("check", "--help")
    done = CliRunner().invoke(main, ["help", "chekc"])
    assert done.exit_code == 2
    assert "No such command 'chekc'" in done.stderr


def test_what_lists_commands_and_what_runs_them_agree() -> None:
    context = click.Context(main)
    assert main.list_commands(context) == sorted(COMMANDS)
    assert main.get_command(context, "no-command") is None
    for name in SHOWN:
        assert main.get_command(context, name) is command(name)


def test_help_imports_no_command(imported: Imported) -> None:
    """Neither does the list of commands that a shell completes."""
    assert imported("--help") == {"sonnx_verify.cli", "sonnx_verify.interpreter", "sonnx_verify.version"}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_imports_its_own_module(name: str, imported: Imported) -> None:
    """And no other command's."""
    assert commands(imported(name, "--help")) == {COMMANDS[name].place.partition(":")[0]}


SAME = {
    "counterexample": ("counterexample drafts.max-13.int/RI/narrowing --export numpy", "explain --counterexample"),
    "gaps": ("gaps onnx.Max-13 --format json", "explain --gaps"),
    "lint": ("lint tests/pages/slips.md --format json", "page lint"),
    "list": ("list sonnx.Max-13 --format json", "explain --list"),
    "render": ("render sonnx.Max-13", "page render"),
    "show": ("show sonnx.Max-13.int/C1/covered --format json", "explain --terms"),
    "trace": ("trace spec/sonnx/max/max.md --format csv", "page trace"),
}
"""A command line of an old name, and what the name is now."""


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", SAME)
def test_an_old_name_does_the_same_and_says_the_new_one(name: str) -> None:
    """On standard error, so that a program that reads the output reads what it always did."""
    line, now = SAME[name]
    before = CliRunner().invoke(main, line.split(), catch_exceptions=False)
    after = CliRunner().invoke(main, [*now.split(), *line.split()[1:]], catch_exceptions=False)

    assert OLD[name] == now
    assert before.stdout == after.stdout != ""
    assert before.exit_code == after.exit_code
    assert before.stderr == f"note: `{name}` is now `{now}`\n{after.stderr}"


@pytest.mark.parametrize(("name", "now"), OLD.items())
def test_an_old_name_has_its_options_still(name: str, now: str) -> None:
    """Those of the new command, or less: what names the answer itself is in the old name."""
    old = command(name)
    new: click.Command = main
    for word in now.split():
        if word.startswith("--"):
            break
        assert isinstance(new, click.Group)
        found = new.get_command(click.Context(new), word)
        assert found is not None
        new = found
    assert old is not None
    assert {o for p in old.params for o in p.opts if o.startswith("-")} <= {o for p in new.params for o in p.opts}


WRITES = re.compile(r" --out | --export-smt | evidence ")


def examples() -> list[tuple[str, list[str]]]:
    """Of each command that is shown, the examples of its help."""
    found = []
    for name in SHOWN:
        shown = command(name)
        assert shown is not None
        listed = [(name, shown)]
        if isinstance(shown, click.Group):
            context = click.Context(shown)
            for below in shown.list_commands(context):
                inner = shown.get_command(context, below)
                assert inner is not None
                listed.append((f"{name} {below}", inner))
        for full, one in listed:
            lines = re.findall(r"^  (sonnx-verify .*)$", inspect.cleandoc(one.help or ""), re.MULTILINE)
            found.append((full, lines))
    return found


EXAMPLES = examples()


def test_each_command_has_an_example() -> None:
    without = {"cache clear", "cache stats"}
    assert {name for name, lines in EXAMPLES if not 1 <= len(lines) <= 3} == without
    assert all(line.startswith(f"sonnx-verify {name} ") for name, lines in EXAMPLES for line in lines)


ON_PAGES = {
    line
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    for line in re.findall(r"^\$ (sonnx-verify .*)$", page.read_text("utf-8"), re.MULTILINE)
}
"""Commands whose output is compared with a page (test_docs.py): they need not run once more."""
ALONE = [(name, [line for line in lines if line not in ON_PAGES]) for name, lines in EXAMPLES if name != "serve"]
"""`serve` goes on until Ctrl-C, and what it prints has a random token: tests/playground runs it."""
RUN = [pytest.param(name, lines, id=name) for name, lines in ALONE if lines]


@pytest.mark.parametrize(("name", "lines"), RUN)
def test_the_examples_of_a_help_run(
    name: str, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order in which they stand, in the project; those that write, in an empty folder."""
    for line in lines:
        monkeypatch.chdir(tmp_path if WRITES.search(line) else ROOT)
        done = CliRunner().invoke(main, shlex.split(line)[1:], prog_name="sonnx-verify", catch_exceptions=False)
        assert done.exit_code in (0, 1), f"{line}\n{done.output}"
        assert done.stdout or "--check" in line
