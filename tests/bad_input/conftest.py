"""Texts with one thing wrong in them, and what the front door says of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

PLAIN = """use broadcast
use orders

operator Plain version 1 user

types int = int8 int16

input  X[0 .. L] : tensor of T where 0 <= L < 2^31 - 1
output Y : tensor of T

[C1] constraint "the inputs broadcast together" : broadcastable(shapes(X))
[E1] error "they do not" : when C1 fails

let Z = broadcast(X)

shape Y    = common_shape(shapes(X))
value Y[i] = maximum { Z[m][i] | m in 0 .. L }
"""


class Said:
    """The answer of a command: its exit status, and its output on both streams together."""

    def __init__(self, *arguments: str) -> None:
        done = CliRunner().invoke(main, list(arguments))
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        self.status, self.text, self.errors = done.exit_code, done.output, done.stderr


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str | bytes], Said]:
    """Writes a text to `bad.sonnx` in a folder of its own and lists its obligations: all of the way but the solvers."""
    monkeypatch.chdir(tmp_path)

    def ask(text: str | bytes) -> Said:
        path = Path("bad.sonnx")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Said("explain", "--list", "bad.sonnx")

    return ask


@pytest.fixture
def plain() -> str:
    """A text without a mistake."""
    return PLAIN
