"""`pytest --sonnx`: each obligation is a test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = """operator Foo version 1 user
types int = int8
input X : tensor of T
output Y : tensor of T
[C1] constraint "X has an axis" : rank(X) > 0
[E1] error "X has none" : when {error}
shape Y = X.shape
value Y[i] = X[i]
"""


def pytest_in(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a process of its own, with the plugin and no other."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "sonnx_verify.pytest_plugin", *args]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "foo.sonnx").write_text(TEXT.format(error="C1 fails"), "utf-8")
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n", "utf-8")
    return tmp_path


def test_each_obligation_is_a_test(folder: Path) -> None:
    """Beside the tests that are there."""
    done = pytest_in(folder, "--sonnx", "foo.sonnx", "-v")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "int/C1/covered PASSED" in done.stdout
    assert "test_own.py::test_own PASSED" in done.stdout
    listed = pytest_in(folder, "--sonnx", "foo.sonnx", "--collect-only", "-q").stdout
    assert "::user.Foo-1.int/C1/covered\n" in listed


def test_a_finding_fails_with_its_counterexample(folder: Path) -> None:
    """At its place, and nothing of how it was run."""
    (folder / "foo.sonnx").write_text(TEXT.format(error="rank(X) > 3"), "utf-8")
    done = pytest_in(folder, "--sonnx", "foo.sonnx", "-k", "covered")
    assert done.returncode == 1
    assert "1 failed" in done.stdout
    assert "foo.sonnx:5" in done.stdout
    assert "X = int8 () 0" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_text_that_cannot_be_read_fails(folder: Path) -> None:
    """With what is wrong with it."""
    (folder / "bar.sonnx").write_text("operator Bar version\n", "utf-8")
    done = pytest_in(folder, "--sonnx", ".")
    assert done.returncode == 1
    assert "bar.sonnx:" in done.stdout
    assert "1 failed" in done.stdout


def test_what_names_nothing(folder: Path) -> None:
    """It is a mistake in the command line, also beside what names something."""
    for words in (("nowhere.sonnx",), ("nowhere",), ("foo.sonnx", "--sonnx", "nowhere")):
        done = pytest_in(folder, "--sonnx", *words)
        assert done.returncode == 4
        assert "nowhere" in done.stderr


def test_without_the_option_nothing_is_added(folder: Path) -> None:
    """And nothing of the toolkit is loaded."""
    (folder / "test_own.py").write_text(
        "import sys\n\ndef test_own():\n    assert 'sonnx_verify.logic.terms' not in sys.modules\n", "utf-8"
    )
    done = pytest_in(folder)
    assert done.returncode == 0
    assert "1 passed" in done.stdout


@pytest.mark.soak
def test_two_files_of_one_identity(folder: Path) -> None:
    """What came of one is no answer for the other."""
    (folder / "bar.sonnx").write_text(TEXT.format(error="rank(X) > 3"), "utf-8")
    done = pytest_in(folder, "--sonnx", ".", "-k", "covered")
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout
    assert "bar.sonnx:5" in done.stdout


@pytest.mark.soak
def test_tests_that_go_elsewhere(folder: Path) -> None:
    """What is decided is what was collected."""
    (folder / "good").mkdir()
    (folder / "foo.sonnx").rename(folder / "good" / "foo.sonnx")
    (folder / "foo.sonnx").write_text(TEXT.format(error="rank(X) > 3"), "utf-8")
    (folder / "test_own.py").write_text("import os\n\ndef test_own():\n    os.chdir('good')\n", "utf-8")
    done = pytest_in(folder, "--sonnx", "foo.sonnx", "-k", "covered or own")
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout


def test_what_can_be_read_and_not_built(folder: Path) -> None:
    """The mistake is told, at its place."""
    (folder / "foo.sonnx").write_text(TEXT.format(error="C1 fails") + "-- more\n", "utf-8")
    (folder / "test_own.py").write_text(
        "from pathlib import Path\n\ndef test_own():\n"
        "    path = Path('foo.sonnx')\n    path.write_text(path.read_text().replace('rank(X) > 0', 'rank(Z) > 0'))\n",
        "utf-8",
    )
    done = pytest_in(folder, "--sonnx", "foo.sonnx")
    assert done.returncode == 1
    assert "foo.sonnx:5" in done.stdout
    assert "could not be decided" in done.stdout
