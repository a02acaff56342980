"""`serve`: the playground, until Ctrl-C."""

from __future__ import annotations

import threading
import webbrowser
from contextlib import suppress

import click

from sonnx_verify.cli.options import guarded
from sonnx_verify.progress import is_silent


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), metavar="N", help="Port (default: a free one).")
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
@click.option(
    "--seconds",
    type=click.FloatRange(1, 3600),
    default=60.0,
    show_default=True,
    metavar="S",
    help="Stop work on a text after S seconds.",
)
@guarded
def serve(port: int | None, seconds: float, *, opens: bool) -> int:
    """Serve a playground for your browser.

    The page checks a specification while you edit it, and shows verdicts and counterexamples. Listens on 127.0.0.1
    only, at an address with a secret token. Reads only the installed library and the cache, writes only the cache, and
    makes no network requests. Stop it with Ctrl-C.

    \b
    Examples:
      sonnx-verify serve --open
    """
    from sonnx_verify.playground.jobs import Limits
    from sonnx_verify.playground.server import Playground

    with Playground(port or 0, Limits(seconds=seconds)) as playground:
        click.echo(f"playground: {playground.url}")
        if not is_silent():
            click.echo("press Ctrl-C to stop", err=True)
        if opens:
            # A browser of the terminal would keep this thread until it is closed.
            threading.Thread(target=webbrowser.open, args=[playground.url], daemon=True).start()
        with suppress(KeyboardInterrupt):
            playground.serve_forever()
    return 0
