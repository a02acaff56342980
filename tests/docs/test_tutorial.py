"""The tutorial, step by step, in an empty folder. With the installed wheel it is followed in tests/integrations."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

HERE = Path(__file__).parent


def load(name: str) -> ModuleType:
    """A module beside this one: test files are no package."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


tutorial = load("tutorial")
docs = load("test_docs")


def test_every_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def run(words: list[str]) -> str:
        done = CliRunner().invoke(main, words[1:], prog_name="sonnx-verify", catch_exceptions=False)
        assert words[0] == "sonnx-verify", done.output
        assert done.exit_code in (0, 1), done.output
        return done.stdout

    done = tutorial.follow(tmp_path, run)
    assert len(done) == 7
    for command, expected, printed in done:
        if re.fullmatch(docs.pattern_of(expected), docs.masked(printed)) is None:
            assert docs.masked(printed) == docs.masked(expected), f"the tutorial shows another output of `{command}`"
