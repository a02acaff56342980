"""The command line. It holds no logic: each command gathers its arguments, calls one function and prints."""

from __future__ import annotations

import click

from sonnx_verify.cli import asking, deciding, holding, writing
from sonnx_verify.version import __version__


def _version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print the versions of the tool and of the solvers, and end."""
    if asked:
        from sonnx_verify.solving.solvers import Solvers

        found = (f"{name} {version or 'is not installed'}" for name, version in Solvers().versions().items())
        click.echo(f"sonnx-verify {__version__} ({', '.join(found)})")
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show versions.")
def main() -> None:
    """Specify and verify the operators of SONNX, the safety-related profile of ONNX.

    Exit status: 0 everything holds or the question was answered; 1 a finding; 2 bad usage or bad input; 3 undecided.
    """


for command in (*deciding.COMMANDS, *asking.COMMANDS, *holding.COMMANDS, *writing.COMMANDS):
    main.add_command(command)
