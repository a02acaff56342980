"""At a release, towncrier puts the entries in changes/ into CHANGELOG.md, and removes them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integrations

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what towncrier reads, without entries."""
    pytest.importorskip("towncrier", reason="an extra: make test-integrations installs it")
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "changes").mkdir()
    shutil.copy(ROOT / "changes" / "README.md", tmp_path / "changes")
    return tmp_path


def build(project: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "towncrier", "build", "--version", "9.8.7", "--date", "2027-01-31", "--yes"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True)


def test_a_release(project: Path) -> None:
    """Its section is the first, with the entries by their kinds, without the names of the files."""
    (project / "changes" / "pow.operators.md").write_text("Pow is there.\n", "utf-8")
    (project / "changes" / "eval-opset.commands.md").write_text(
        "`eval` takes an opset;\nbefore, it took none.\n", "utf-8"
    )
    before = (project / "CHANGELOG.md").read_text("utf-8")
    done = build(project)
    head, mark, below = before.partition("<!-- releases -->\n")
    section = """
## 9.8.7, 2027-01-31

### Operators

- Pow is there.

### Commands

- `eval` takes an opset;
  before, it took none.
"""

    assert done.returncode == 0, done.stderr
    text = (project / "CHANGELOG.md").read_text("utf-8")
    assert text.startswith(f"{head}{mark}{section}")
    assert text.endswith(below)
    assert [path.name for path in (project / "changes").iterdir()] == ["README.md"]


@pytest.mark.parametrize("name", ["pow.md", "pow.operator.md", "Pow.operators.md"])
def test_a_file_that_is_no_entry(project: Path, name: str) -> None:
    """It is not lost: the release stops, and names it."""
    (project / "changes" / name).write_text("Pow is there.\n", "utf-8")
    before = (project / "CHANGELOG.md").read_text("utf-8")
    done = build(project)

    assert done.returncode != 0
    assert name.split(".")[0] in done.stderr
    assert (project / "CHANGELOG.md").read_text("utf-8") == before
