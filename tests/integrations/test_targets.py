"""A target of the Makefile alone in a fresh clone with a clean environment; the others run so every night."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.integrations

ROOT = Path(__file__).resolve().parents[2]
# This runs in `test` or `test-integrations`, and `test-changed` is a part of those; `help` and `clean` need nothing.
# `verify` and `report` decide the whole library, as .ci/run does: they run nightly.
WHOLE = {"docs": "build/site/*/index.html"}
ELSEWHERE = {"help", "clean", "test", "test-changed", "test-integrations"}


def first_result() -> ModuleType:
    """The module, which is a script."""
    spec = importlib.util.spec_from_file_location("first_result_of_targets", ROOT / "tools" / "first_result.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What git has of the checkout, as it is now, and nothing that a target has left there."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("the checkout is none of git")
    done = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True, capture_output=True, text=True)
    for name in filter(None, done.stdout.split("\0")):
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("target", WHOLE)
def test_target(target: str, clone: Path) -> None:
    """It installs all that it needs, and makes what it says."""
    environment = first_result().clean_environment()
    done = subprocess.run(["make", target], cwd=clone, env=environment, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert list(clone.glob(WHOLE[target]))


def test_every_target_runs_somewhere() -> None:
    """Here whole, or nightly up to its first result."""
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert phony
    nightly = first_result().RESULTS.keys()
    workflow = (ROOT / ".github" / "workflows" / "nightly.yml").read_text("utf-8")

    assert {*phony[1].split()} == {*WHOLE, *nightly, *ELSEWHERE}
    assert f"target: [{', '.join(sorted(nightly))}]" in workflow
