"""`lsp`."""

from __future__ import annotations

from importlib.util import find_spec

import click

from sonnx_verify.cli.options import guarded
from sonnx_verify.errors import UsageError

INSTALL = "pip install 'sonnx-verify[lsp]', in a clone pip install -e '.[lsp]'"


@click.command()
@guarded
def lsp() -> int:
    """Serve an editor: the Language Server Protocol on standard input and output.

    What is wrong is told while it is written, of specifications and of pages; proofs follow. The exit status is 0 when
    the editor ends it as the protocol has it, else 1.
    """
    if find_spec("pygls") is None or find_spec("lsprotocol") is None:
        raise UsageError("the package pygls is not installed", cure=INSTALL)
    from sonnx_verify.lsp.server import serve

    return serve()
