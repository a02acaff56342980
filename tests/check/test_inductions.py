"""An induction over no number says nothing, and is not called proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from sonnx_verify.language.project import Project
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.solvers import Solvers

TEXT = """
theory counted "laws by induction"

theorem law "a law of numbers, whatever it says"
  for a, b : int
  ASSUMING
  by induction on n from LOW to HIGH
  : BODY
"""


@pytest.mark.parametrize(
    ("low", "high", "assuming", "body", "verdict"),
    [
        # Without a number in the range nothing is said, however wrong it is.
        ("0", "a", "", "0 <= n", "proved"),
        ("5", "5", "", "n = 5", "proved"),
        ("a", "b", "assuming a = b", "n = a", "proved"),
        ("5", "2", "", "n = 7", "vacuous"),
        ("a", "b", "assuming b < a", "n = 7", "vacuous"),
        ("a + 1", "a", "", "n = 7", "vacuous"),
        ("a", "b", "assuming b < a and a < b", "n = 7", "vacuous"),
        ("0", "a", "", "n < a", "refuted"),
    ],
)
def test_an_empty_range_is_vacuous(tmp_path: Path, low: str, high: str, assuming: str, body: str, verdict: str) -> None:
    """Proved where some input has a number in the range, vacuous where none has."""
    text = TEXT.replace("ASSUMING", assuming)
    path = tmp_path / "counted.sonnx"
    path.write_text(text.replace("LOW", low).replace("HIGH", high).replace("BODY", body), "utf-8")
    project = Project.of_files(tmp_path, [path])
    (unit,) = project.units
    assert unit.error is None, unit.error
    with Solvers() as solvers:
        (record,) = (r for r in run(of_unit(project, unit), solvers) if r.obligation.tag == "law")

    assert record.verdict.name == verdict, record.verdict
