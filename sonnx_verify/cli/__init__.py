"""The command line. It holds no logic: each command gathers its arguments, calls one function and prints."""

from __future__ import annotations

import click

from sonnx_verify import __version__
from sonnx_verify.cli import asking, deciding, holding, writing


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sonnx-verify")
def main() -> None:
    """Specify and verify the operators of SONNX, the safety-related profile of ONNX.

    Exit status: 0 everything holds or the question was answered; 1 a finding; 2 bad usage or bad input; 3 undecided.
    """


for command in (*deciding.COMMANDS, *asking.COMMANDS, *holding.COMMANDS, *writing.COMMANDS):
    main.add_command(command)
