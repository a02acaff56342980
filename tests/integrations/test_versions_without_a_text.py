"""Versions without a text of their own: all that is asked of a text is shown of each, and ONNX's evaluator agrees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sonnx_verify as sv
from sonnx_verify.language import places
from sonnx_verify.language.in_force import Versions
from sonnx_verify.language.project import Project

pytestmark = pytest.mark.integrations

ROOT = Path(__file__).resolve().parents[2]


EXPECTED = ("onnx.Split-1",)
"""Its declarations cannot be those of ONNX: tests/spec/test_versions.py says why."""


def rows() -> dict[str, list[str]]:
    """The names of these versions, by the operators that have a text."""
    texts = (path.read_text("utf-8") for path in (ROOT / "spec" / "onnx").glob("*/*.sonnx"))
    known = {found[1] for text in texts if (found := re.search(r"^operator (\w+)", text, re.MULTILINE))}
    listed: dict[str, list[str]] = {}
    for name, version in Versions(places.versions(ROOT)).rows:
        if name in known and (row := f"onnx.{name}-{version}") not in EXPECTED:
            listed.setdefault(name, []).append(row)
    return listed


ROWS = rows()


def test_the_rows_are_those_of_every_operator() -> None:
    """Names are read from texts, without parsing them, when tests are collected."""
    assert ROWS.keys() <= {unit.file.name for unit in Project.open(ROOT).operators() if unit.file is not None}
    assert len(ROWS) > 30
    assert sum(map(len, ROWS.values())) > 100


@pytest.mark.parametrize("name", ROWS)
def test_each_is_decided(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its obligations come out as those of a text: nothing is refuted, nothing is open."""
    monkeypatch.chdir(ROOT)
    checked = sv.check(*ROWS[name])

    assert checked.errors == ()
    found = {result.id.partition("/")[0] for result in checked}
    assert {row for row in ROWS[name] if not any(one.startswith(row) for one in found)} == set()
    assert [result.id for result in checked if result.verdict not in GOOD] == []


GOOD = ("proved", "holds", "unsupported")
REFERENCE = ("onnx.Add-7", "onnx.Expand-8", "onnx.Gather-11", "onnx.Sum-8")


@pytest.mark.parametrize("name", REFERENCE)
def test_the_reference_evaluator_sees_no_difference(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX's own evaluator, at an opset of the version, differs from it only where it differs from the text that the
    version uses: the same kinds of results, on the same kinds of inputs."""
    monkeypatch.chdir(ROOT)

    def divergences(operator: str) -> set[tuple[str, str]]:
        made = sv.conform(operator, "onnx.reference", types=["float"], random=0, short=True, test_only=True)
        return {(divergence.kind, divergence.title) for divergence in made.divergences}

    assert divergences(name) == divergences(sv.in_force(name).text)
