"""With noop and no axes the standard says that a reduction is the identity: it leaves nothing open there."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

OPEN = "leaves element [0] open"


@pytest.mark.parametrize("operator", ["ReduceMax-18", "ReduceMax-20", "ReduceMin-18", "ReduceMin-20", "ReduceSum-13"])
@pytest.mark.parametrize("axes", [[], ["--input", "axes=int64:[]"]])
def test_noop_leaves_nothing_open(operator: str, axes: list[str]) -> None:
    """Neither NaN nor a rounding is left open where nothing is reduced, and they are where something is."""
    asked = ["eval", f"onnx.{operator}", "--input", "data=float:[nan]", *axes, "--attr"]
    noop, reduced = (CliRunner().invoke(main, [*asked, f"noop_with_empty_axes={n}"]) for n in (1, 0))

    assert (noop.exit_code, noop.output) == (0, "reduced = float (1) [nan]\n")
    assert OPEN in reduced.output
