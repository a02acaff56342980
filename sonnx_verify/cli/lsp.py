"""`lsp`: the language server, for editors."""

from __future__ import annotations

from importlib.util import find_spec

import click

from sonnx_verify.cli.options import guarded
from sonnx_verify.errors import UsageError, install


@click.command(hidden=True)
@guarded
def lsp() -> int:
    """Serve an editor over the Language Server Protocol.

    Reads standard input and writes standard output. Reports syntax errors as you type, verdicts in the background. The
    exit status is 0 if the editor ends the session by the protocol, else 1.
    """
    if find_spec("pygls") is None or find_spec("lsprotocol") is None:
        raise UsageError("the package pygls is not installed", cure=install("lsp"))
    from sonnx_verify.lsp.server import serve

    return serve()
