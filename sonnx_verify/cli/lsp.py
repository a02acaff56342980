"""`lsp`."""

from __future__ import annotations

from importlib.util import find_spec

from sonnx_verify.errors import UsageError

INSTALL = "pip install 'sonnx-verify[lsp]', in a clone pip install '.[lsp]'"


def lsp() -> int:
    """Serve an editor on standard input and output. Raises UsageError where pygls is missing."""
    if find_spec("pygls") is None or find_spec("lsprotocol") is None:
        raise UsageError("the package pygls is not installed", cure=INSTALL)
    from sonnx_verify.lsp.server import serve

    return serve()
