"""The tutorial, step by step, in an empty folder. With the installed wheel it is followed in tests/integrations."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.language.layout import layout
from sonnx_verify.sources import Source

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
quoted = load("quoted")


def test_every_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def run(words: list[str]) -> str:
        done = CliRunner().invoke(main, words[1:], prog_name="sonnx-verify", catch_exceptions=False)
        assert words[0] == "sonnx-verify", done.output
        assert done.exit_code in (0, 1, 3), done.output
        return done.stdout

    done = tutorial.follow(tmp_path, run)
    assert len(done) == tutorial.expected_commands() > 20
    for command, expected, printed in done:
        quoted.compare(tutorial.PAGE, command, expected, printed)


def test_texts_have_the_one_layout(tmp_path: Path) -> None:
    """A reader who runs `fmt` on a text of the page sees no change."""
    texts = 0
    for language, file, line, text in tutorial.steps():
        if language == "sonnx":
            texts += 1
            tutorial.write(tmp_path / file, line, text)
            written = (tmp_path / file).read_text("utf-8")
            assert layout(Source(file, written)) == written, file
    assert texts > 5
