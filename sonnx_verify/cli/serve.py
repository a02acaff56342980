"""`serve`."""

from __future__ import annotations

import threading
import webbrowser
from contextlib import suppress

import click

from sonnx_verify.cli.options import guarded


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

    The page checks a specification while you edit it, and shows verdicts and counterexamples. It is served to this
    machine alone, at an address with a secret token. It reads no file but the installed library, writes none but the
    cache, and fetches nothing. Ctrl-C ends it.

    \b
    Examples:
      sonnx-verify serve --open
    """
    from sonnx_verify.playground.jobs import Limits
    from sonnx_verify.playground.server import Playground

    with Playground(port or 0, Limits(seconds=seconds)) as playground:
        click.echo(f"playground: {playground.url}")
        click.echo("Ctrl-C ends it", err=True)
        if opens:
            # A browser of the terminal would keep this thread until it is closed.
            threading.Thread(target=webbrowser.open, args=[playground.url], daemon=True).start()
        with suppress(KeyboardInterrupt):
            playground.serve_forever()
    return 0
