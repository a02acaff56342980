"""Another line in any file that can change a verdict is another tool: what was kept is not taken for what it finds."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import sonnx_verify
from sonnx_verify.stores import tool

PACKAGE = Path(sonnx_verify.__file__).parent
TRUSTED = ("language", "logic", "obligations", "processes", "results", "solving", "stores")
"""The folders of docs/trust.md that verdicts of `check` rest on, with the files beside them."""


def digest(*parts: str) -> str:
    """Not the one that is remembered."""
    return tool.digest_of.__wrapped__(*parts)


@contextmanager
def another_line(path: Path) -> Iterator[None]:
    before = path.read_bytes()
    path.write_bytes(before + b"\n")
    try:
        yield
    finally:
        path.write_bytes(before)


def test_a_line_in_a_trusted_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "sonnx_verify"
    # Without the other folders, which would be read again for each line.
    for folder in TRUSTED:
        shutil.copytree(PACKAGE / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in PACKAGE.glob("*.py"):
        shutil.copy(path, copy)
    monkeypatch.setattr(tool, "_PACKAGE", copy)
    files = [path for folder in TRUSTED for path in (copy / folder).rglob("*") if path.suffix in (".py", ".lark")]
    whole, answering = digest(), digest(*tool.ANSWERING)
    for path in [*files, *copy.glob("*.py")]:
        with another_line(path):
            assert digest() != whole, path
            asked = path.relative_to(copy).as_posix().startswith(tool.ANSWERING)
            assert (digest(*tool.ANSWERING) != answering) is asked, path
    assert (digest(), digest(*tool.ANSWERING)) == (whole, answering)


def test_all_that_a_worker_runs_is_in_the_key_of_answers() -> None:
    """What the process that holds a solver imports, and what speaks to it."""
    code = (
        "import sys\n"
        "from sonnx_verify.processes import program\n"
        "from sonnx_verify.solving.solvers import lane, pool, stock, worker\n"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('sonnx_verify')), sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    files = {Path(line).relative_to(PACKAGE).as_posix() for line in done.stdout.splitlines()}

    # Docstrings, how an operator is loaded, and what the version is called.
    other = {"__init__.py", "logic/__init__.py", "results/__init__.py", "solving/__init__.py", "version.py"}
    assert "processes/channel.py" in files
    assert {file for file in files - other if not file.startswith(tool.ANSWERING)} == set()


@pytest.mark.parametrize("part", ["solving/nowhere", "solving/nowhere.py"])
def test_a_part_that_is_not_there(part: str) -> None:
    """Else what moved would be in no key, and nobody would notice."""
    with pytest.raises(FileNotFoundError, match=part):
        digest("processes", part)
