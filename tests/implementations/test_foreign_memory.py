"""Results that hold memory which the call does not own: found over two fillings of memory, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.conformance.targets.calls import Presentation
from sonnx_verify.conformance.targets.presentation import made, read

SAME = """\
operator Same version 1 user

types int = int16

input  X : tensor of T
output Y : tensor of T

[C1] constraint "no scalar" : rank(X) > 0
[E1] error      "a scalar"  : when C1 fails

shape Y    = X.shape
value Y[i] = X[i]
"""
TARGETS = """\
import itertools
import os
import random

import numpy as np
from numpy.lib.stride_tricks import as_strided

calls = itertools.count()

def on_scalars(answer):
    def target(x):
        if x.dtype != np.int16:
            raise TypeError("not int16")
        return answer(x) if x.ndim == 0 else x.copy()
    return target

def crashing(x):
    if as_strided(x, (2,), (2,))[1] == 0x5555:
        os.abort()
    return x.copy()

fresh = on_scalars(lambda x: np.append(x, np.empty(2, np.int16)))
beyond = on_scalars(lambda x: as_strided(x, (2,), (2,)).copy())
before = on_scalars(lambda x: as_strided(x, (2,), (-2,)).copy())
crashes = on_scalars(crashing)
accepts = on_scalars(lambda x: x.copy())
chance = on_scalars(lambda x: np.array(random.randrange(9999), np.int16))
counts = on_scalars(lambda x: np.array(next(calls), np.int16))
clocked = on_scalars(lambda x: np.array(hash("text") % 999, np.int16))

def valid(x):
    if x.ndim == 0 or x.dtype != np.int16:
        raise ValueError
    return np.empty(x.shape, np.int16) if x.size == 3 else x.copy()

def beside(x, **attributes):
    if not attributes:
        return fresh(x) if x.ndim else valid(x)
    return np.empty(2, np.int16)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an operator that rejects scalars, and targets that accept them."""
    (tmp_path / "Same.sonnx").write_text(SAME)
    (tmp_path / "targets.py").write_text(TARGETS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def divergences(target: str) -> list[dict[str, Any]]:
    """The divergences of a function."""
    words = f"conform user.Same-1 --against python:targets:{target} --short --random 0 --test-only --format json"
    done = CliRunner().invoke(main, words.split())
    assert done.exit_code == 1, done.output
    found: list[dict[str, Any]] = json.loads(done.output)["divergences"]
    return found


@pytest.mark.parametrize(
    ("target", "outputs", "varies"),
    [("fresh", [0, 0, 0], [[1], [2]]), ("beyond", [0, 0], [[1]]), ("before", [0, 0], [[1]]), ("crashes", 0, [[]])],
)
def test_foreign_memory_is_found(folder: Path, target: str, outputs: object, varies: object) -> None:
    """On the smallest input: which elements vary is recorded, and 0 in their place, whatever memory held."""
    (one,) = divergences(target)

    assert (one["kind"], one["reproduced"]) == ("foreign-memory", True)
    assert one["title"] == "returns memory that the call does not own, for input that C1 rejects"
    assert one["inputs"] == {"X": {"dtype": "int16", "shape": [], "data": 0}}
    assert one["got"]["outputs"]["Y"]["data"] == outputs
    assert one["got"]["varies"] == {"Y": varies}


@pytest.mark.parametrize("target", ["accepts", "chance", "counts", "clocked"])
def test_results_that_differ_for_another_reason_are_not(folder: Path, target: str) -> None:
    """A random number, a counter and the order of hashes differ with whatever filling."""
    (one,) = divergences(target)

    assert (one["kind"], "varies" in one["got"]) == ("accepts", False)


def test_a_wrong_result_of_a_valid_input_may_be_foreign(folder: Path) -> None:
    """It keeps its kind, and says that it varies."""
    (one,) = divergences("valid")

    assert (one["kind"], one["title"]) == ("value", "wrong value (returns memory that the call does not own)")
    assert one["got"]["varies"] == {"Y": [[0], [1], [2]]}


def test_an_invalid_call_may_return_foreign_memory(folder: Path) -> None:
    """A call outside of the signature whose result varies is a divergence, not only accepted."""
    one, *others = divergences("beside")

    assert (one["kind"], one["misuse"]) == ("foreign-memory", {"kind": "unknown-attribute", "subject": None})
    assert one["got"]["varies"] == {"Y": [[0], [1]]}
    assert others == []


def test_the_memory_around_an_array_is_filled() -> None:
    """In every form that has memory around it, on both sides."""
    array = read(np.arange(6, dtype=np.int16).reshape(2, 3))
    assert array is not None
    for offset in (0, 1):
        shown = made(array, Presentation(offset, filling=0x55))
        whole = shown.base.base if shown.base.base is not None else shown.base
        around = np.frombuffer(whole.tobytes(), np.uint8)
        assert np.count_nonzero(around == 0x55) == around.size - 12
        start = shown.ctypes.data - whole.ctypes.data
        assert start >= 64
        assert around.size - start - 12 >= 64
