"""Runtimes with an extra of their own: each agrees where it is right, and what it gets wrong is found and shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.integrations
ROOT = Path(__file__).resolve().parents[2]


def ran(target: str, operator: str, types: str) -> dict[str, Any]:
    """The answer of a short run, without invalid calls: these say nothing of the specification."""
    words = ["conform", operator, "--against", target, "--types", types, "--short", "--format", "json"]
    done = subprocess.run([sys.executable, "-m", "sonnx_verify", *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode in (0, 1, 3), done.stderr
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def valid(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The divergences where there is a result."""
    return [one for one in answer["divergences"] if one["expected"]["outcome"] == "result"]


@pytest.mark.parametrize("target", ["openvino", "tract"])
def test_a_right_operator(target: str) -> None:
    """Of bool and of floats, with the version that is installed."""
    answer = ran(target, "sonnx.Transpose-13", "float,bool")
    assert answer["target_version"].startswith(version(target).partition("-")[0])
    assert answer["scope"]["inputs"] > 100
    assert valid(answer) == []


def test_what_openvino_gets_wrong(tmp_path: Path) -> None:
    """Integers of 64 bits are computed in 32; the line that is shown says so without this package."""
    found = [one for one in valid(ran("openvino", "sonnx.Abs-13", "int64")) if one["kind"] == "value"]
    assert found
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    line, environment = found[0]["repro"], {**os.environ, "PATH": path}
    done = subprocess.run(line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert str(found[0]["got"]["outputs"]["Y"]["data"]) in done.stdout


def test_a_type_that_tract_lacks() -> None:
    """It is unsupported: neither an agreement nor a divergence."""
    answer = ran("tract", "sonnx.Abs-13", "bfloat16")
    assert [one["type"] for one in answer["unsupported"]] == ["bfloat16"]
    assert valid(answer) == []
    # Its messages have a trace, with paths of the machine that it was built on.
    assert "backtrace" not in json.dumps(answer)
