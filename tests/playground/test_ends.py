"""The end of the server: by Ctrl-C, also in the middle of work, and with all that it started."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_end_in_the_middle_of_work(
    number: signal.Signals, start_playground: Any, client_of: Any, children_of: Any, wait_gone: Any, many: str
) -> None:
    """Ctrl-C ends it with status 0, without a traceback; and however it ends, no process is left."""
    process, url = start_playground(ROOT)
    client = client_of(url)
    tab = client.begin(many)
    assert tab.getresponse().readline() == b'{"kind": "begin"}\n'
    children = children_of(process.pid)
    assert children or not Path("/proc").is_dir()

    process.send_signal(number)
    _, errors = process.communicate(timeout=120)

    assert errors == "press Ctrl-C to stop\n"
    assert process.returncode == (0 if number is signal.SIGINT else -number)
    for child in children:
        wait_gone(child)
    tab.close()
