"""From how many elements on a bound says nothing: told where a sum is said to conform."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main


def run(operator: str, dtype: str, *more: str) -> str:
    """What `conform` says of the evaluator."""
    words = f"conform {operator} --against evaluator --short --random 0 --test-only --types {dtype}"
    return CliRunner().invoke(main, [*words.split(), *more]).output


@pytest.mark.parametrize(
    ("operator", "dtype", "number"),
    [
        ("sonnx.ReduceSum-13", "float16", (1 << 11) + 1),
        ("sonnx.ReduceSum-13", "float", (1 << 24) + 1),
        ("sonnx.Sum-13", "bfloat16", (1 << 8) + 1),
        ("sonnx.ReduceMean-18", "bfloat16", 240),
        ("sonnx.Add-14", "bfloat16", None),
        ("sonnx.ReduceSum-13", "int32", None),
    ],
)
def test_the_number_of_elements(operator: str, dtype: str, number: int | None) -> None:
    """One more than 2^p for a sum, whatever the operator; none where the bound does not grow."""
    made: dict[str, Any] = json.loads(run(operator, dtype, "--format", "json"))

    assert made["scope"]["of_types"][dtype].get("says_nothing_from") == number


def test_it_is_told() -> None:
    """Below the level of agreement."""
    words = "  the bound of the result says nothing from about 257 elements (bfloat16) of one sign on"
    assert words in run("sonnx.ReduceSum-13", "bfloat16").splitlines()
