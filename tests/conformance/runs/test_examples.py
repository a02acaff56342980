"""The examples of a specification and of its page are run, whatever else is tried."""

from __future__ import annotations

from pathlib import Path

import pytest

import sonnx_verify as sv
from sonnx_verify.conformance.inputs.examples import examples_of_text
from sonnx_verify.language.named import find_operator, here

TEXT = """\
operator Twice version 1 user

types int   = int8
types float = float

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = X[i] + X[i]

example odd "numbers that nothing but an example would have"
  X = int8 (5) [37, 41, 43, 47, 53]
  Y = int8 (5) [74, 82, 86, 94, 106]

example halves "floats"
  X = float (2) [0.5, 1.5]
  Y = float (2) [1, 3]
"""
KERNELS = """\
import numpy as np

def right(X):
    return X + X

def wrong(X):
    if X.shape == (5,) and (X > 36).all():
        return X
    return X + X

def greatest(*X):
    greatest = X[0]
    for x in X[1:]:
        greatest = np.maximum(greatest, x)
    if {200, 250} <= {*X[0].ravel().tolist(), *X[-1].ravel().tolist()}:
        return np.minimum(greatest, 249)
    return greatest
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one operator, and two targets."""
    folder = tmp_path / "spec" / "user"
    folder.mkdir(parents=True)
    (folder / "Twice.sonnx").write_text(TEXT, "utf-8")
    (tmp_path / "kernels.py").write_text(KERNELS, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def conformance(function: str) -> sv.Conformance:
    return sv.conform("user.Twice-1", f"python:kernels:{function}", short=True, random=0, test_only=True)


def test_an_example_is_an_input_of_its_types(project: Path) -> None:
    """Each example is an input of the types that its tensors say."""
    examples = examples_of_text(here(), find_operator(here(), "user.Twice-1"))

    assert [(one.name, one.types) for one in examples] == [("odd", "int8"), ("halves", "float")]
    assert [list(one.assignment) for one in examples] == [["X"], ["X"]]


def test_a_wrong_example_is_a_finding_with_its_name(project: Path) -> None:
    """A kernel that is wrong on nothing but an example is found, and the finding names the example."""
    (found,) = conformance("wrong").divergences

    assert (found.kind, found.types, found.examples) == ("value", ("int8",), ("odd",))


def test_examples_are_counted(project: Path) -> None:
    """A right kernel agrees, on the examples too."""
    answer = conformance("right")

    assert (answer.verdict, answer.scope["examples"]) == ("agrees", 2)


def test_an_example_of_the_page_is_run(project: Path) -> None:
    """The page of sonnx.Max-13 has the elements 200 and 250, which no other small input has."""
    answer = sv.conform(
        "sonnx.Max-13", "python:kernels:greatest", types=["uint8"], short=True, random=0, test_only=True
    )

    (found,) = (one for one in answer.divergences if one.kind == "value")
    assert found.examples == ("Both inputs grow",)
