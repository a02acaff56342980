"""The commands as the command line lists them, without importing them."""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest

from sonnx_verify.cli import SUMMARIES, command, main

IMPORTED = """
import json, sys
from sonnx_verify.cli import main
try:
    main(sys.argv[1:], prog_name="sonnx-verify")
except SystemExit:
    pass
print(json.dumps([name for name in sys.modules if name.startswith("sonnx_verify.")]), file=sys.stderr)
"""


def imported(*words: str) -> set[str]:
    """The modules of the package that a command line imports."""
    done = subprocess.run([sys.executable, "-c", IMPORTED, *words], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


def commands(modules: set[str]) -> set[str]:
    """The modules of commands among some."""
    files = {f"sonnx_verify.cli.{name.replace('-', '_')}" for name in SUMMARIES}
    return modules & files


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_summary_is_the_first_line_of_the_help(name: str) -> None:
    """A list of commands says of each what its own help says."""
    found = command(name)
    assert found is not None
    assert found.help is not None
    assert found.name == name
    assert found.help.splitlines()[0] == SUMMARIES[name]
    listed = main.commands[name]
    for limit in (20, 45, 80, 200):
        assert listed.get_short_help_str(limit) == found.get_short_help_str(limit)


def test_what_lists_commands_and_what_runs_them_agree() -> None:
    context = click.Context(main)
    assert main.list_commands(context) == sorted(SUMMARIES)
    assert all(main.get_command(context, name) is command(name) for name in SUMMARIES)
    assert main.get_command(context, "no-command") is None


def test_help_imports_no_command() -> None:
    """Neither does the list of commands that a shell completes."""
    assert imported("--help") == {"sonnx_verify.cli", "sonnx_verify.version"}


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_command_imports_its_own_module(name: str) -> None:
    """And no other command's."""
    others = {"diff"} if name == "report" else set()  # the differences of a report are those of `diff`
    allowed = {f"sonnx_verify.cli.{one.replace('-', '_')}" for one in (name, *others)}
    assert commands(imported(name, "--help")) <= allowed
