"""A pattern of identities beside texts that cannot be read: what it may name is not passed over."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

TEXT = """\
operator {name} version 1 user
types int = int8
input  X : tensor of T
output Y : tensor of T
shape Y = X.shape
value Y[i] = {value}
"""


@pytest.mark.parametrize(
    ("pattern", "status"),
    [
        ("user.E*/spec/*", 2),
        ("user.Ex*", 2),
        ("user.Ex-1.int/Y.value/total", 2),
        ("*", 2),
        ("user.E-1*", 0),
        ("user.Exit-1*", 0),
        ("user.Exit-1.int/Y/determined", 0),
    ],
)
def test_a_pattern_tells_the_mistakes_of_what_it_may_name(
    pattern: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the name that the text declares, and no other: a mistake elsewhere is not in the way."""
    for name, value in (("E", "X[i]"), ("Ex", "= X[i]"), ("Exit", "X[i]")):
        (tmp_path / f"{name}.sonnx").write_text(TEXT.format(name=name, value=value))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["check", "--no-cache", "--jobs", "1", pattern])

    assert done.exit_code == status, done.output
    assert ("Ex.sonnx:6:14: error: unexpected `=`" in done.output) is (status == 2)
