"""What the evaluator says to those who give it what it cannot take: errors.txt has each case with its words.

`SONNX_REWRITE_GOLDEN=1 pytest tests/evaluator` writes the file anew.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_verify import load
from sonnx_verify.errors import NoResult, UserError

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).with_name("errors.txt")
NAMES = {"load": load, "np": np, "x": np.array([[1, 2, 3]], np.float32)}
EXPLICIT = "keepdims=0, noop_with_empty_axes=0"
FAR = "np.lib.stride_tricks.as_strided(x, {}, (0, 0))"
CASES = [
    'load("sonnx.Nothing-1")',
    'load("ReduceMax-20")',
    "load(5)",
    'load("sonnx.Max-13").evaluate()',
    'load("sonnx.Max-13").evaluate([1, 2])',
    'load("sonnx.Max-13").evaluate(1.5)',
    'load("sonnx.Max-13").evaluate(x.astype(complex))',
    'load("sonnx.Max-13").evaluate(x.astype(object))',
    'load("sonnx.Max-13").evaluate(x != 1)',
    'load("sonnx.Max-13").evaluate(x, x.astype(np.float64))',
    'load("sonnx.Max-13").evaluate(np.ma.masked_array(x, x > 1))',
    'load("sonnx.Max-13").results(x).conforms(np.ma.masked_array(x, x > 1))',
    f'load("sonnx.Max-13").evaluate({FAR.format("(1 << 40, 1)")}, {FAR.format("(1, 1 << 40)")})',
    f'load("sonnx.Max-13").evaluate({FAR.format("(1 << 60,)").replace("(0, 0)", "(0,)")})',
    'load("sonnx.Max-13").evaluate(X0=x, X2=x)',
    'load("sonnx.Max-13").evaluate(x, X=x)',
    'load("sonnx.Max-13").evaluate(x, X0=x)',
    'load("sonnx.Max-13").evaluate(x, None, x)',
    'load("sonnx.Max-13").evaluate(x, x[:, :2])',
    f'load("sonnx.ReduceMax-20").evaluate(x, [0], 1, {EXPLICIT})',
    f'load("sonnx.ReduceMax-20").evaluate(x, [0.5], {EXPLICIT})',
    f'load("sonnx.ReduceMax-20").evaluate(x, [1 << 70], {EXPLICIT})',
    f'load("sonnx.ReduceMax-20").evaluate(x, np.array([0], np.int32), {EXPLICIT})',
    f'load("sonnx.ReduceMax-20").evaluate(axes=[0], {EXPLICIT})',
    f'load("sonnx.ReduceMax-20").evaluate(x, axis=[0], {EXPLICIT})',
    f'load("sonnx.ReduceMax-20").evaluate(x, [[0]], {EXPLICIT})',
    f'load("sonnx.ReduceMax-20").evaluate(x, [2], {EXPLICIT})',
    f'load("sonnx.ReduceMax-20").evaluate(x, [0, -2], {EXPLICIT})',
    'load("sonnx.ReduceMax-20").evaluate(x, [0], keepdims=1)',
    'load("sonnx.ReduceMax-20").evaluate(x, [0], keepdims=2, noop_with_empty_axes=0)',
    'load("sonnx.ReduceMax-20").evaluate(x, [0], keepdims=True + 0.5, noop_with_empty_axes=0)',
    'load("onnx.ReduceMax-1").evaluate(x, axes=1)',
    'load("onnx.ReduceMax-1").evaluate(x, axes=[-1])',
    'load("onnx.ReduceMax-18").evaluate(x, [0, 0])',
    'load("drafts.Max-13").evaluate(x)',
    'load("drafts.max-13").evaluate(x.astype(np.int8))',
]


def said(case: str) -> str:
    """What a case raises, as it stands in the file."""
    try:
        made: Any = eval(case, dict(NAMES))
    except UserError as error:
        more = f"\n  tag: {error.tag}, sentence: {error.sentence}" if isinstance(error, NoResult) else ""
        return f"{type(error).__name__}: {error}{more}"
    return f"gives {made!r}"


def test_errors_are_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every mistake is told with its place, cause and cure; a clause with its tag."""
    monkeypatch.chdir(ROOT)
    made = "\n\n".join(f">>> {case}\n{said(case)}" for case in CASES) + "\n"

    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        GOLDEN.write_text(made, "utf-8")
    assert made == GOLDEN.read_text("utf-8")
    assert "\ngives " not in made
