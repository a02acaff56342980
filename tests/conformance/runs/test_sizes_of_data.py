"""An operator whose elements decide the size of its result is run on small inputs: no row of a covering array says how
large a result would be."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

TYPES = ["int16", "float16"]


@pytest.mark.parametrize(("operator", "verdict"), [("sonnx.Range-27", "diverges"), ("onnx.Range-27", "agrees")])
def test_a_shape_that_depends_on_data(operator: str, verdict: str) -> None:
    """It ends with a verdict, and without a row of a covering array."""
    words = ["conform", operator, "--against", "onnx.reference", "--types", ",".join(TYPES), "--format", "json"]
    done = CliRunner().invoke(main, words)

    assert done.exit_code == int(verdict == "diverges"), done.output
    answer = json.loads(done.stdout)
    assert answer["verdict"] == verdict
    assert answer["scope"]["covering"] == []


def test_the_answer_says_so() -> None:
    """What agrees on small inputs alone does not look as if rows of a covering array had agreed."""
    words = ["conform", "onnx.Range-27", "--against", "onnx.reference", "--types", "int16"]

    assert "not tested: larger inputs" in CliRunner().invoke(main, words).output
    assert "larger inputs" not in CliRunner().invoke(main, [*words, "--short"]).output
