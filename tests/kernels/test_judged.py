"""The inputs that a specification asks for find each wrong kernel of the table, and accuse no right one."""

from __future__ import annotations

import pytest

from sonnx_verify.conformance.runs.settings import Settings
from tests.kernels.judged import judged

# The table says of 46 operators which kernels fit: those of one family have the same ones, but for clauses and types.
SOAKED = ("sonnx.Max-13", "onnx.ReduceMax-18", "user.Where-16", "user.Gather-13")
"""The operators that the soak has. Each takes a minute or two of one core: what changes inputs is to be judged on all
46."""
QUICK = "user.Transpose-13"


@pytest.mark.parametrize("name", [QUICK, *(pytest.param(name, marks=pytest.mark.soak) for name in SOAKED)])
def test_wrong_kernels_are_found(name: str) -> None:
    """Every one, and none of the right ones, however they are written."""
    settings = Settings()
    if name == QUICK:
        settings = Settings(types=("float16", "int8", "int64"))
    made = judged(name, settings)

    assert (made.missed, made.accused) == ([], [])
    assert made.found
