"""What no specification is about is no wrong value: signalling NaNs, and a model that declares another type."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

import sonnx_verify.outputs
from sonnx_verify.cli import main

SCHEMA = Path(sonnx_verify.outputs.__file__).with_name("conform.schema.json")
SAME = """\
operator Same version 1 user

types float = float16

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = X[i]
"""
NUMBER = """\
operator Number version 1 user

types float = float
types int   = int16

input              S : tensor of bool
optional attribute n : int
output             Y : tensor of T

[R1] restriction "a number is given"                 : given(n)
[C1] constraint  "a number gives integers" for float : n < 0
[E1] error       "not integers" for float            : when C1 fails

shape Y    = S.shape
value Y[i] = T(0)
"""
TARGETS = """\
import os

import numpy as np

def bits_of(x):
    if x.dtype != np.float16:
        raise TypeError("not float16")
    return x.view(np.uint16)

def quiets(x):
    bits = bits_of(x)
    return np.where((bits & 0x7FFF > 0x7C00) & (bits & 0x200 == 0), np.float16(7), x)

def dies(x):
    bits = bits_of(x)
    if np.any((bits & 0x7FFF > 0x7C00) & (bits & 0x200 == 0)):
        os.abort()
    return x.copy()

def payloads(x):
    bits = bits_of(x)
    return np.where(bits & 0x7FFF > 0x7E00, np.float16(7), x)

def number(s, *, n):
    return np.zeros(s.shape, np.int16)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two operators, and targets."""
    (tmp_path / "Same.sonnx").write_text(SAME)
    (tmp_path / "Number.sonnx").write_text(NUMBER)
    (tmp_path / "targets.py").write_text(TARGETS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(operator: str, target: str, *more: str) -> dict[str, Any]:
    """The answer of `conform`, which has the form of its schema."""
    words = f"conform user.{operator}-1 --against python:targets:{target} --random 0 --test-only --strength 1"
    made: dict[str, Any] = json.loads(CliRunner().invoke(main, [*words.split(), *more, "--format", "json"]).output)
    jsonschema.validate(made, json.loads(SCHEMA.read_text("utf-8")))
    return made


def test_a_signalling_nan_is_a_class_of_its_own(folder: Path) -> None:
    """Another element for it is counted, and changes neither verdict nor level; a NaN with a payload is a NaN."""
    made = answer("Same", "quiets")
    row = made["scope"]["of_types"]["float16"]
    (other,) = answer("Same", "payloads")["divergences"]

    assert (made["verdict"], made["divergences"], made["level"]) == ("agrees", [], "nan-payload")
    assert row["signalling"] == row["signalling_others"] > 5
    assert (other["kind"], other["presentation"]) == ("nan-lost", "NaN with a payload")


def test_no_code_may_die_of_a_signalling_nan(folder: Path) -> None:
    """Whatever the model leaves out."""
    kinds = {one["kind"] for one in answer("Same", "dies")["divergences"]}

    assert kinds == {"crash"}


def test_a_signalling_nan_is_told(folder: Path) -> None:
    """On a line of its own."""
    words = "conform user.Same-1 --against python:targets:quiets --random 0 --test-only --strength 1"
    lines = CliRunner().invoke(main, words.split()).output.splitlines()
    (line,) = (line for line in lines if "signalling" in line)

    assert line.startswith("  outside the model: elements of ")
    assert line.endswith(" of them unlike a quiet NaN")


def test_a_result_of_another_type_than_the_model_declares(folder: Path) -> None:
    """Where no input has the type of the output, the clause that rejects a type is about the declaration alone."""
    found = answer("Number", "number", "--short")["divergences"]

    # With a negative number the result is a float: to give an integer then is a wrong type.
    assert {(one["kind"], *one["types"]) for one in found} == {("declared-type", "float"), ("type", "float")}
    titles = {one["title"] for one in found if one["kind"] == "declared-type"}
    assert titles == {"gives another element type than the model declares"}
