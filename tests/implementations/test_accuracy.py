"""`conform --accuracy`: the errors of a target in ulps, held against MPFR."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import gmpy2
import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner, Result

import sonnx_verify.outputs
from sonnx_verify.cli import main
from sonnx_verify.conformance.judgement.accuracy import ulp
from sonnx_verify.logic import enclosed, floats
from sonnx_verify.logic.approximate import approximate
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort

TEXT = """\
operator Power version 1 user

types float = float16 float

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = if is_nan(X[i]) then any NaN
  else if is_infinite(X[i]) then any T
  else within 2 steps of exp(real(X[i]))
"""
TARGETS = """\
import numpy as np

def logged(X):
    # Widened and back: the function of numpy for float32 differs between machines.
    made = np.exp(X.astype(np.float64)).astype(X.dtype)
    # Calls outside of the signature have other types; what they return is not measured.
    if X.dtype == np.float32:
        with open("log.bin", "ab") as log:
            log.write(X.tobytes())
    return made

def three_off(X):
    made = np.exp(X.astype(np.float64)).astype(X.dtype)
    for _ in range(3):
        made = np.where(np.isfinite(made), np.nextafter(made, X.dtype.type(0)), made)
    return made

def off_at_times(X):
    # Three floats off where only the inputs of --accuracy come: all elements are of many digits, and none is large.
    made = np.exp(X.astype(np.float64)).astype(X.dtype)
    parts, exponents = np.frexp(X)
    if np.all((parts * 4096 % 1 != 0) & (np.abs(exponents) < 9)):
        return three_off(X)
    return made

def far_off(X):
    return np.full_like(X, 1e308)

def upwards(X):
    return np.full_like(X, np.inf)

def downwards(X):
    return np.full_like(X, -np.inf)
"""
SCHEMA = json.loads(Path(sonnx_verify.outputs.__file__).with_name("conform.schema.json").read_text("utf-8"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an operator and two targets."""
    (tmp_path / "power.sonnx").write_text(TEXT, "utf-8")
    (tmp_path / "powers.py").write_text(TARGETS, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(target: str, *options: str) -> Result:
    """A short run of the command on a target."""
    words = [
        "conform",
        "user.Power-1",
        "--against",
        f"python:powers:{target}",
        "--short",
        "--random",
        "4",
        "--accuracy",
    ]
    return CliRunner().invoke(main, [*words, *options])


def measured(target: str, types: str, status: int) -> dict[str, Any]:
    """The accuracy of a target, which ends the command with that status; the answer keeps to its schema."""
    made = run(target, "--types", types, "--format", "json")
    answer = json.loads(made.output)
    jsonschema.validate(answer, SCHEMA)
    assert made.exit_code == status
    (row,) = answer["accuracy"]
    assert isinstance(row, dict)
    return row


def classes(*rows: dict[str, Any]) -> dict[float, int]:
    """The histograms as one: the number of elements by the end of each class."""
    found: Counter[float] = Counter()
    for row in rows:
        found.update({one["up_to"]: one["elements"] for one in row["histogram"]})
    return dict(found)


def test_errors_are_those_of_mpfr(folder: Path) -> None:
    """Number, mean and worst error are those that MPFR gives of the same elements."""
    row = measured("logged", "float", 0)

    elements = np.frombuffer((folder / "log.bin").read_bytes(), np.float32)
    with np.errstate(all="ignore"):
        results = np.exp(elements.astype(np.float64)).astype(np.float32)
    errors = []
    with gmpy2.context(precision=200, emin=-(1 << 20), emax=1 << 20):
        for x, y in zip(elements[np.isfinite(results)], results[np.isfinite(results)], strict=True):
            if np.isfinite(x):
                power = gmpy2.exp(gmpy2.mpfr(float(x)))
                exact = Fraction(*map(int, power.as_integer_ratio()))
                # By frexp: 2^(e-1) <= exact < 2^e, 24 digits, and no ulp is below 2^-149.
                exponent = gmpy2.frexp(power)[0]
                errors.append(abs(Fraction(float(y)) - exact) / Fraction(2) ** max(exponent - 24, -149))
    rows = [row, *row["sizes"]]
    assert [one["most"] for one in row["sizes"]] == [8]
    assert sum(one["measured"] for one in rows) == len(errors) > 100
    assert max(one["worst"]["ulps"] for one in rows) == pytest.approx(float(max(errors)), rel=1e-3)
    total = sum(one["measured"] * one["mean"] for one in rows)
    assert total == pytest.approx(float(sum(errors)), rel=1e-3)
    # All other powers of e are irrational, however near a float they are.
    exact = sum(elements == 0)
    assert classes(*rows) == {0.0: exact, 0.5: len(errors) - exact}
    assert sum(one["nearest"] for one in rows) == len(errors)
    assert max(errors) <= Fraction(1, 2)
    assert row["open"] > 0


def test_what_is_three_floats_off(folder: Path) -> None:
    """Three floats below the nearest one are three and a half ulps at most; the target diverges too."""
    row = measured("three_off", "float", 1)

    # Below a power of two, such as exp(0), floats are closer together; three subnormals may be more than there are.
    assert classes(row)[4.0] > row["measured"] / 2
    assert 3 < row["worst"]["ulps"] <= 3.5


def test_what_is_measured_is_tested_too(folder: Path) -> None:
    words = ["conform", "user.Power-1", "--against", "python:powers:off_at_times", "--types", "float"]
    assert CliRunner().invoke(main, [*words, "--short", "--random", "4", "--test-only"]).exit_code == 0
    made = run("off_at_times", "--types", "float")
    assert made.exit_code == 1, made.output
    assert "diverges" in made.output


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float", "double"])
def test_ulp(name: str) -> None:
    """An ulp is the distance to the next float upwards in the binade of the value, also between floats."""
    sort = ELEMENT_TYPES[name]
    assert isinstance(sort, FloatSort)
    for bits in (0, 1, 5, floats.from_float(sort, 1.0), floats.from_float(sort, 2.5), floats.greatest(sort) - 1):
        low, high = floats.to_fraction(sort, bits), floats.to_fraction(sort, bits + 1)
        for value in (low, (low * 3 + high) / 4):
            assert ulp(sort, value) == ulp(sort, -value) == high - low


def test_an_error_beyond_all_doubles(folder: Path) -> None:
    """JSON has no infinity: the greatest double stands for it."""
    text = TEXT.replace("float16 float", "double").replace("exp(real(X[i]))", "real(X[i]) in T(0) .. T(1)")
    (folder / "power.sonnx").write_text(text, "utf-8")
    row = measured("far_off", "double", 1)

    assert row["worst"]["ulps"] == 1.798e308
    assert row["mean"] <= 1.798e308


def test_an_infinity_that_conforms(folder: Path) -> None:
    """Infinity is one step from the greatest float: it differs from the representative, not from the specification."""
    head, _ = TEXT.split("value")
    (folder / "power.sonnx").write_text(f"{head}value Y[i] = within 1 steps of 65504.0\n", "utf-8")
    agreeing = measured("upwards", "float16", 0)
    diverging = measured("downwards", "float16", 1)

    assert (agreeing["differ"], agreeing["measured"]) == (0, 0)
    assert agreeing["not_finite"] == diverging["not_finite"] == diverging["differ"] > 0


def test_approximate() -> None:
    """A value is known to a hundred bits, and one that is next to nothing is not 0."""
    near = approximate(enclosed.apply(RealFunction.EXP, Fraction(1, 3)))
    with gmpy2.context(precision=300):
        exact = Fraction(*gmpy2.exp(gmpy2.mpfr(gmpy2.mpq(1, 3))).as_integer_ratio())

    assert abs(near / exact - 1) < Fraction(1, 2**100)
    assert 0 < approximate(enclosed.apply(RealFunction.EXP, Fraction(-(10**9)))) < Fraction(1, 2**10000)
    assert approximate(Fraction(7, 3)) == Fraction(7, 3)


def test_of_the_command(folder: Path) -> None:
    """The command prints the figures that JSON has."""
    row = measured("logged", "float16", 0)
    text = run("logged", "--types", "float16").output

    assert "accuracy of Y for float16, in ulps of the exact value\n" in text
    assert f"  {row['measured']} elements: worst {row['worst']['ulps']:g}, mean {row['mean']:g}\n" in text
    assert f"not measured (any value conforms): {row['open']}\n" in text
    assert row["worst"]["ulps"] <= 0.5
