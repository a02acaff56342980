"""The inputs that a specification asks for find each wrong kernel of the table, and accuse no right one."""

from __future__ import annotations

import pytest

from sonnx_verify.conformance.settings import Settings
from tests.kernels.judged import judged

# The table says of 46 operators which kernels fit: those of one family have the same ones, but for clauses and types.
SOAKED = (
    "sonnx.Max-13",
    "onnx.Min-8",
    "sonnx.ReduceMin-20",
    "onnx.ReduceMax-18",
    "sonnx.ReduceSum-13",
    "user.Concat-13",
    "user.Where-16",
    "user.Slice-13",
    "user.Gather-13",
    "user.Split-18",
    "user.CumSum-14",
    "user.MatMul-13",
)
"""The operators that the soak has, of most families one."""
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
