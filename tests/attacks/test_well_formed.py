"""A text with a mistake in a theorem is not well-formed, also where that alone is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

RIGHT = 'theory few "Few"\n\ntheorem one "one" for n : int : n = n\n'


@pytest.mark.parametrize(
    ("theorem", "message"),
    [
        ("for n : int : n <= zz", "undefined symbol `zz`"),
        ("for n : int assuming n >= 0 by induction on n from 0 to n : n >= 0", "`n` is already defined"),
        ("for n : int : n", "expected a condition"),
    ],
)
def test_a_mistake_in_a_theorem(theorem: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its names and types are known only when its statement is made, and `holds` has to wait for that."""
    (tmp_path / "few.sonnx").write_text(f'{RIGHT}theorem two "two" {theorem}\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    for jobs in "12":
        done = CliRunner().invoke(main, ["check", "user.few/spec/well-formed", "--no-cache", "--jobs", jobs])

        assert done.exit_code == 2, done.output
        assert "holds" not in done.stdout
        assert message in done.stderr
    (tmp_path / "few.sonnx").write_text(RIGHT, "utf-8")
    assert CliRunner().invoke(main, ["check", "user.few/spec/well-formed"]).exit_code == 0
