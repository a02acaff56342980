"""That the maximum of negated elements is the negated minimum is a law of floats and truth values, not of integers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sonnx_verify.language.project import Project
from sonnx_verify.results.values import value_text
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.solving.solvers import Solvers

ROOT = Path(__file__).parents[2]
THEORY = """\
use reducing
use reductions

theory wrong "A law that integers do not obey"

types int = {type}

define negated(X : tensor of T) : tensor of T
  "each element negated"
  = tensor (i in X -> -X[i])

theorem opposite "the maximum of negated elements is the negated minimum"
  for X : tensor of T; A : set of int
  : max_along(negated(X), A, 1) = negated(min_along(X, A, 1))
"""


OTHERS = ("int16", "int32", "int64", "uint8", "uint16", "uint32")


@pytest.mark.parametrize("name", ["int8", "uint64", *(pytest.param(n, marks=pytest.mark.soak) for n in OTHERS)])
def test_no_integer_type_has_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least integer has no opposite, and is the maximum of nothing."""
    for part in ("spec", "proofs"):
        shutil.copytree(ROOT / part, tmp_path / part)
    (tmp_path / "proofs" / "wrong.sonnx").write_text(THEORY.format(type=name), "utf-8")
    monkeypatch.chdir(tmp_path)
    project = Project.open(tmp_path)
    (unit,) = (u for u in project.units if u.operator == "proofs.wrong")
    (law,) = (o for o in of_unit(project, unit) if o.tag == "opposite")
    with Solvers() as solvers:
        (record,) = run([law], solvers)

    assert record.verdict.name == "refuted"
    example = example_of(record.counterexample)
    assert example is not None
    shown = {one.name: value_text(one.value) for one in example.given}
    assert shown == {"X": f"{name} (0) []", "A": "{0}"}
