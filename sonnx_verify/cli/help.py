"""`help`: the help of a command, or the list of commands."""

from __future__ import annotations

import click

from sonnx_verify.cli import EVERYTHING


@click.command(name="help", hidden=True)
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@click.option("--all", "everything", is_flag=True, help="List hidden commands and old names too.")
@click.pass_context
def help_(context: click.Context, names: tuple[str, ...], *, everything: bool) -> None:
    """Show the help of a command.

    Without a command: the list of all commands, in groups.

    \b
    Examples:
      sonnx-verify help check
      sonnx-verify help page lint
    """
    shown = context.find_root()
    shown.meta[EVERYTHING] = everything
    words = list(names)
    while words:
        if not isinstance(shown.command, click.Group):
            raise click.UsageError(f"`{shown.command_path}` has no commands of its own.", context)
        # That of click: a help is printed whatever the file with the defaults says.
        name, found, words = click.Group.resolve_command(shown.command, shown, words)
        assert found is not None
        shown = click.Context(found, info_name=name, parent=shown)
    click.echo(shown.get_help())
