"""The wheel in an environment of its own: the tutorial as its readers follow it."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integrations

ROOT = Path(__file__).resolve().parents[2]


def load(name: str) -> object:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tests" / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel, nothing of the checkout, and what its tests need."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--no-input", "-qq", "install"]
    subprocess.run([*pip, str(wheel)], check=True)
    return python


def test_the_tutorial(python: Path, tmp_path: Path) -> None:
    """Every step, from an empty folder, prints what the page shows."""
    tutorial, docs = load("tutorial"), load("test_docs")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "SONNX_VERIFY_CACHE": str(tmp_path / "cache")}
    folder = tmp_path / "clamp"
    folder.mkdir()

    def run(words: list[str]) -> str:
        command = [str(python.with_name(words[0])), *words[1:]]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    done = tutorial.follow(folder, run)
    assert len(done) == 7
    for command, expected, printed in done:
        if re.fullmatch(docs.pattern_of(expected), docs.masked(printed)) is None:
            assert docs.masked(printed) == docs.masked(expected), f"the tutorial shows another output of `{command}`"
    # The package that ran is the installed one.
    where = [python, "-c", "import sonnx_verify; print(sonnx_verify.__file__)"]
    place = subprocess.run(where, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout
    assert str(python.parents[1]) in place
