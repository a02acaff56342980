"""Operators of tests/language, written in numpy and proved equal to their texts; with a slip, they are refuted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

TEXTS = Path(__file__).parents[1] / "language"
CODE = """
import numpy as np


def product(a, b):
    return np.matmul(a, b)


def product_by_names(a, b):
    left = [0, 1, 2][-a.ndim:] if a.ndim > 1 else [2]
    right = [0, 2, 3][-b.ndim:] if b.ndim > 1 else [2]
    kept = sorted({*left, *right} - {2})
    return np.asarray(np.einsum(a, left, b, right, kept))


def product_by_dot(a, b):
    return np.dot(a, b)


def gathered(x, places, *, axis=0):
    return np.take(x, places, axis=axis)


def gathered_from_the_left(x, places, *, axis=0):
    return np.take(x, np.maximum(places, places.dtype.type(0)), axis=axis)


def padded(x, pads, constant=None, axes=None):
    widths = np.zeros((x.ndim, 2), np.int64)
    for m, axis in enumerate(range(x.ndim) if axes is None else axes):
        widths[int(axis)] = pads[m], pads[m + len(pads) // 2]
    made = x
    if x.ndim:
        made = np.pad(x, np.maximum(widths, 0), constant_values=0 if constant is None else constant)
    cut = [slice(max(0, -int(a)), n - max(0, -int(b))) for (a, b), n in zip(widths, made.shape)]
    return made[tuple(cut)].copy()


def padded_by_edges(x, pads, constant=None, axes=None):
    made = padded(x, pads, constant, axes)
    return np.pad(x, ((0, 1),), "edge") if x.shape == (1,) and made.shape == (2,) else made
"""
CASES = [
    ("matmul", "user.MatMul-13", "product", "rank=2", "proved"),
    ("matmul", "user.MatMul-13", "product_by_names", "rank=2", "proved"),
    ("matmul", "user.MatMul-13", "product_by_dot", "rank=3", "refuted"),
    ("gather", "user.Gather-13", "gathered", "rank=1", "proved"),
    ("gather", "user.Gather-13", "gathered_from_the_left", "rank=1", "refuted"),
    ("pad", "user.Pad-25", "padded", "rank=2", "proved"),
    ("pad", "user.Pad-25", "padded_by_edges", "rank=2", "refuted"),
]
FEW = ("product", "gathered_from_the_left")


@pytest.mark.parametrize(
    ("text", "operator", "function", "bound", "verdict"),
    [pytest.param(*case, marks=[pytest.mark.soak] * (case[2] not in FEW)) for case in CASES],
    ids=[case[2] for case in CASES],
)
def test_texts(
    text: str, operator: str, function: str, bound: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"{text}.sonnx").write_text((TEXTS / f"{text}.sonnx").read_text("utf-8"), "utf-8")
    (tmp_path / "in_numpy.py").write_text(CODE, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("in_numpy", None)
    type_ = "int32" if text == "matmul" else "int8"
    more = ("--types", type_, "--short", "--random", "0", "--format", "json")
    done = CliRunner().invoke(
        main, ["conform", operator, "--against", f"python:in_numpy:{function}", "--bound", f"{bound},dim=2", *more]
    )

    assert json.loads(done.stdout)["verdict"] == verdict, done.output
