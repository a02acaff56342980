"""The obligations about orders."""

from __future__ import annotations

from pathlib import Path

import pytest

import sonnx_verify
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
    # Total, antisymmetric, transitive.
    assert len(records["downwards"].queries) == 3
    assert records["downwards"].queries.keys() < records["member"].queries.keys()


NOT_TOTAL = """
operator Least version 1 user

types int = int8

order below on int "less than, which no element is to itself"
  : x before y = x < y

input  X : tensor of T
input  Y : tensor of T
output Z : tensor of T

[C1] constraint "of one rank" : rank(X) = rank(Y)
[C2] constraint "some rank" : 0 < rank(X)

shape Z    = X.shape
value Z[i] = greatest { X[i] | m in 0 .. 0 } by below
"""


def verdicts_of(path: Path, text: str) -> dict[str, str]:
    """The verdicts of a text, by tag and kind."""
    path.write_text(text, "utf-8")
    project = Project.of_files(path.parent, [path])
    (unit,) = project.units
    assert unit.error is None, unit.error
    with Solvers() as solvers:
        return {r.id.partition("/")[2]: r.verdict.name for r in run(of_unit(project, unit), solvers)}


def test_an_order_that_is_not_total_is_not_blamed_where_it_plays_no_part(tmp_path: Path) -> None:
    """A statement about ranks alone is proved as without the order; one about its results is not."""
    made = verdicts_of(tmp_path / "least.sonnx", NOT_TOTAL)

    assert made["below/theorem"] == "refuted"
    assert made["Z/determined"] != "proved"
    assert made["Z.value/in-bounds"] == "proved"


LAWS = """
theory laws "an order that is not total beside laws that do not use it"

types int = int8

order below on int "less than, which no element is to itself"
  : x before y = x < y

define first(V : set of T) : T
  "the first of a set"
  = greatest V by below

theorem of_numbers "a product with 0 beside a set with a greatest element"
  for x : T; n : int
  assuming first({ x | m in 0 .. 0 }) = first({ x | m in 0 .. 0 }) or n = n
  : n * 0 = 0
"""


def test_a_law_of_numbers_does_not_need_the_order(tmp_path: Path) -> None:
    """The greatest is named where it says nothing: the law is one of integers."""
    made = verdicts_of(tmp_path / "laws.sonnx", LAWS)

    assert made["below/theorem"] == "refuted"
    assert made["of_numbers/theorem"] == "proved"


CLASSES = """\
order upwards on int "classes"
  classes of x
    class odd  : (the { k | k in 0 .. 1 }) = 0 and x > T(0) or (the { k | k in 0 .. 1 }) = 1 and x <= T(0)
    class rest : not ((the { k | k in 0 .. 1 }) = 0 and x > T(0) or (the { k | k in 0 .. 1 }) = 1 and x <= T(0))
  within : x before y = x <= y
"""
BODIES = {
    "no meaning": "(the { k | k in 0 .. 1 }) = 0 and x <= y or x <= y",
    "a division by 0": "div(1, 0) = 0 and x <= y or x <= y",
    "a read outside": "[1, 2][5] = 0 and x <= y or x <= y",
    "a recursion below its start": "down(0) = 0 and x <= y or x <= y",
    "a division by what may be 0": "div(1, int(x)) = 0 and x <= y or x <= y",
    "no meaning of classes": "",
    "nothing amiss": "[1, 2][1] = 0 and x <= y or x <= y",
}


@pytest.mark.parametrize("body", BODIES)
def test_the_text_of_an_order_means_something(body: str, tmp_path: Path) -> None:
    """What compares by a division by 0 compares nothing: the order is not proved, nor what rests on it."""
    path = tmp_path / "o.sonnx"
    define = 'define down(n : int) : int "it goes down" by recursion on n from 1 = if n = 1 then 1 else down(n - 1)\n'
    order = f'order upwards on int "from the least on"\n  : x before y = {BODIES[body]}\n'
    if not BODIES[body]:
        order = CLASSES
    theorem = (
        'theorem member "of one element the first is that element"\n'
        "  for a : T\n  : greatest { [a][m] | m in 0 .. 0 } by upwards = a\n"
    )
    path.write_text(f'theory o "an order"\ntypes int = int8\n{define}{order}{theorem}', "utf-8")

    found = {one.tag: str(one.verdict) for one in sonnx_verify.check(str(path), cached=False)}

    assert found["upwards"] == ("proved" if body == "nothing amiss" else "refuted")
    assert (found["member"] == "proved") is (body == "nothing amiss")
