"""What is asked of orders."""

from __future__ import annotations

from pathlib import Path

from sonnx_verify.language.project import Project
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.solvers import Solvers

TEXT = """
theory o "an order, and what rests on it"

types float = bfloat16

order downwards on float "from the greatest to the least"
  : x before y = is_nan(x) or y < x or x = y or (is_zero(x) and is_zero(y) and is_negative(y))

define first(V : set of T) : T
  "the first of a set"
  = greatest V by downwards

theorem member "the first of two is one of them"
  for a, b : T
  : first({ [a, b][m] | m in 0 .. 1 }) = a or first({ [a, b][m] | m in 0 .. 1 }) = b
"""


def test_laws_are_asked_once(tmp_path: Path) -> None:
    """The laws of an order are the same texts in its own obligation and in that of a theorem that rests on it."""
    path = tmp_path / "o.sonnx"
    path.write_text(TEXT, "utf-8")
    project = Project.of_files(tmp_path, [path])
    (unit,) = project.units
    assert unit.error is None, unit.error
    with Solvers() as solvers:
        records = {r.obligation.tag: r for r in run(of_unit(project, unit), solvers)}

    assert [records[tag].verdict.name for tag in ("member", "downwards")] == ["proved", "proved"]
    assert len(records["downwards"].queries) == 3
    assert records["downwards"].queries.keys() < records["member"].queries.keys()
