"""The server ends as the protocol says, and when nobody is there; nothing else ends it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sonnx_verify.lsp.lenses import SHOW

Start = Callable[..., Any]
Message = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]


def test_shutdown_and_exit(start: Start) -> None:
    """Both in their order end it with 0, and nothing is on its standard error."""
    client = start(None)
    assert client.ask("shutdown") is None

    client.tell("exit")

    assert client.wait_end() == 0
    assert client.errors == b""


@pytest.mark.soak
def test_exit_alone(start: Start) -> None:
    """Without a request to shut down the status is 1."""
    client = start(None)

    client.tell("exit")

    assert client.wait_end() == 1


def test_a_client_that_is_gone(start: Start, desk: Any, children_of: Any, wait_gone: Any) -> None:
    """The server ends if the pipe closes in the middle of proofs, and so do the processes that work for it."""
    client = start(desk.folder, prove=True)
    client.open(desk.row_uri, desk.row_text)
    client.diagnostics(desk.row_uri)
    children = children_of(client.process.pid)
    assert children or not Path("/proc").is_dir()

    client.process.stdin.close()

    assert client.wait_end() == 1
    for child in children:
        wait_gone(child)


@pytest.mark.parametrize(
    "body",
    [
        b"no json",
        b"[]",
        b'{"jsonrpc": "2.0"}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 3}}',
        b'{"jsonrpc": "2.0", "id": 99, "method": "textDocument/hover", "params": {"position": "here"}}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///no/such",'
        b' "version": 2}, "contentChanges": [{"text": "x"}]}}',
        b'{"jsonrpc": "2.0", "id": 98, "method": "no/such/method", "params": {}}',
    ],
)
def test_what_makes_no_sense(quiet: Any, body: bytes) -> None:
    """The next question is answered all the same."""
    client, desk = quiet
    uri = desk.uri("sense.sonnx")
    client.open(uri, desk.row_text)

    client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    assert "constraint C1" in client.hover(uri, "C1", 1)
    assert b"Traceback" not in client.errors
    # Whoever asks for all uses of a name would be told of this text too.
    client.tell("textDocument/didClose", textDocument={"uri": uri})


def test_a_failure_is_in_the_log(quiet: Any) -> None:
    """A failure in an answer is one line of the log, and the answer is null."""
    client, _ = quiet
    client.heard.clear()

    assert client.ask("workspace/executeCommand", command=SHOW, arguments=[3]) is None

    said = client.wait(lambda m: m.get("method") == "window/logMessage")["params"]
    assert said["type"] == 1
    assert SHOW in said["message"]
    assert "\n" not in said["message"]


def test_without_pygls() -> None:
    """It is an extra: where it is missing, what to install is said."""
    # None in `sys.modules` makes an import fail, as if the package were not there.
    code = "import sys; sys.modules['pygls'] = None; from sonnx_verify.cli import main; main(['lsp'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr == (
        "error: the package pygls is not installed\n"
        "  to fix: pip install 'sonnx-verify[lsp]', in a clone pip install -e '.[lsp]'\n"
    )


@pytest.mark.soak
def test_a_check_that_dies(start: Start, desk: Any, children_of: Any) -> None:
    """A text whose checking process is killed is marked as not checked; the next text is checked."""
    if not Path("/proc").is_dir():
        pytest.skip("this system does not tell which processes there are")
    client = start(desk.folder, prove=True)
    client.open(desk.row_uri, desk.row_text)
    client.checked("row.sonnx")
    assert children_of(client.process.pid)
    over = threading.Event()

    # Again and again: a check whose process dies before it said anything is begun by the next process, which has to die
    # too before anything is told.
    def kill_all() -> None:
        while not over.wait(0.01):
            for child in children_of(client.process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)

    killer = threading.Thread(target=kill_all)
    killer.start()
    try:
        client.change(desk.row_uri, desk.row_text + "\n")
        client.diagnostics(desk.row_uri, lambda found: any(_is_unchecked(one) for one in found))
    finally:
        over.set()
        killer.join()

    client.change(desk.row_uri, desk.row_text + "\n\n")

    client.checked("row.sonnx")
    client.diagnostics(desk.row_uri, lambda found: not any(_is_unchecked(one) for one in found))


def _is_unchecked(diagnostic: Message) -> bool:
    return "not checked: the process that checks it ended" in str(diagnostic["message"])
