"""Inputs in the file of hints: one that still meets its conditions is not searched for; other lines cost time alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from sonnx_verify.api.select import select
from sonnx_verify.kernel.variables import Variable, VariableKind
from sonnx_verify.logic.sorts import ELEMENT_TYPES, INT, REAL
from sonnx_verify.logic.terms import Term
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.concrete import LEFT_OUT, ConcreteTensor
from sonnx_verify.solving.check import decide
from sonnx_verify.solving.check.hints import Hinting, of_lines
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.inputs import remembered
from sonnx_verify.solving.inputs.found import searched
from sonnx_verify.solving.inputs.inputs import Found
from sonnx_verify.solving.inputs.missed import Missed
from sonnx_verify.solving.solvers import Solvers

TEXT = """
theory far "laws under hypotheses that few inputs meet"

theorem far "of shapes" for A, B : shape; n : int assuming rank(A) = 2 and A[0] = 3 and rank(B) = 1 and n = 3 :
  A[0] = n
theorem none "of nothing" for k : int assuming k < 0 and k > 0 : k = 1
theorem wrong "of few" for n, k : int assuming n > 1 and k > n : k < 2 * n
"""
UINT8, FLOAT16 = ELEMENT_TYPES["uint8"], ELEMENT_TYPES["float16"]


@pytest.fixture
def obligations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Obligation]:
    """What there is to be shown of the text."""
    (tmp_path / "far.sonnx").write_text(TEXT, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(remembered, "MANY", 0)
    return select([]).obligations


def decided(obligations: list[Obligation], hinting: Hinting) -> list[Record]:
    with Solvers() as solvers:
        return list(run(obligations, solvers, hinting=hinting))


def lines_of(obligations: list[Obligation]) -> dict[str, str]:
    """The lines of inputs that a run writes."""
    records = decided(obligations, Hinting(wanted=True))
    return {key: line for record in records for key, line in record.hints.items() if line.startswith("= ")}


def concluded(records: list[Record]) -> list[tuple[object, ...]]:
    """The verdicts, and the counterexamples."""
    shown = (None if r.counterexample is None else r.counterexample.found.assignment for r in records)
    return [(r.id, r.verdict, r.scope, r.note, given) for r, given in zip(records, shown, strict=True)]


def with_lines(lines: Mapping[str, str]) -> Hinting:
    """Hints of a file with these lines."""
    return of_lines(f"{key} {line}" for key, line in lines.items())


def test_what_is_kept_is_not_searched(obligations: list[Obligation], monkeypatch: pytest.MonkeyPatch) -> None:
    """The witness of a proof comes from its line, replayed, and is not called the smallest."""
    plain, lines = decided(obligations, Hinting()), lines_of(obligations)
    asked: list[object] = []

    def never(variables: object, conditions: object, *_: object, **__: object) -> Found:
        asked.append(conditions)
        return Missed(0)  # type: ignore[return-value]

    monkeypatch.setattr(decide, "searched", never)
    (far,) = (o for o in obligations if o.tag == "far")
    (record,) = decided([far], with_lines(lines))

    assert lines
    assert not asked
    assert record.verdict.name == "proved"
    assert record.witness is not None
    assert not record.witness.found.minimal
    (before,) = (r for r in plain if r.id == record.id)
    assert before.witness is not None
    assert record.witness.found.assignment == before.witness.found.assignment


@pytest.mark.parametrize(
    "forged",
    [
        '= {"A":[3,3],"B":[1],"n":4}',  # meets nothing
        '= {"A":[3,3],"B":[1]}',  # lacks a value
        '= {"A":[3,3],"B":[1],"n":true}',
        '= {"A":[3,-1],"B":[1],"n":3}',
        '= {"A":{"shape":[3,3],"elements":[]},"B":[1],"n":3}',
        '= {"A":[3,1000000000000],"B":[1],"n":3}',
        '= {"A":[3,200],"B":[255,255,255,255,255,255,255,255],"n":3}',
        '= {"A":[3,3],"B":[1],"n":1e999}',
        '= {"A":[3,3],"B":[1],"n":{"fraction":[1,0]}}',
        "= {",
        "= {" + '"A":[' * 2000,
        '= {"n":2,"k":2}',
        '= {"k":0}',
    ],
)
def test_a_forged_line_changes_no_verdict(obligations: list[Obligation], forged: str) -> None:
    """Of each line, whatever is in it, the verdicts and counterexamples are those without it."""
    plain = concluded(decided(obligations, Hinting()))
    lines = dict.fromkeys(lines_of(obligations), forged)
    # Also of conditions that nothing meets, and of those of a counterexample.
    for obligation in obligations:
        for variables, conditions in searches(obligation):
            lines[remembered.key_of(variables, conditions)] = forged

    assert concluded(decided(obligations, with_lines(lines))) == plain


def searches(obligation: Obligation) -> list[tuple[tuple[Variable, ...], tuple[Term, ...]]]:
    """All that is searched for while an obligation is decided."""
    found: list[tuple[tuple[Variable, ...], tuple[Term, ...]]] = []

    def noted(variables: tuple[Variable, ...], conditions: tuple[Term, ...], *rest: object, **named: object) -> object:
        found.append((variables, conditions))
        return searched(variables, conditions, *rest, **named)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decide, "searched", noted)
        decided([obligation], Hinting())
    return found


@pytest.mark.parametrize(
    ("kind", "sort", "value"),
    [
        (VariableKind.TENSOR, UINT8, ConcreteTensor(UINT8, (1, 2), (0, 255))),
        (VariableKind.TENSOR, UINT8, ConcreteTensor(UINT8, (), (7,), frozenset({"dense"}))),
        (VariableKind.TENSOR, FLOAT16, ConcreteTensor(FLOAT16, (1,), (0x7C00,))),
        (VariableKind.TENSOR, REAL, ConcreteTensor(REAL, (1,), (Fraction(1, 3),))),
        (VariableKind.SHAPE, INT, (2, 0)),
        (VariableKind.INT, INT, -3),
        (VariableKind.SET, INT, frozenset({0, 2})),
        (VariableKind.INT, INT, LEFT_OUT),
    ],
)
def test_a_value_is_read_as_it_was_written(kind: VariableKind, sort: object, value: object) -> None:
    """A line gives the input that it was made of."""
    variable = Variable("X", kind, sort, None, 0)  # type: ignore[arg-type]
    line = remembered.line_of(Found({"X": value}, {}, minimal=True, tried=remembered.MANY), (variable,))

    assert line is not None
    assert remembered.input_in(line, (variable,)) == {"X": value}


@pytest.mark.parametrize("tried", [0, remembered.MANY])
def test_what_is_soon_found_or_large_has_no_line(tried: int) -> None:
    """A line is kept only where it saves something, and holds no number that an evaluation could count up to for
    ever."""
    variable = Variable("n", VariableKind.INT, INT, None, 0)
    found = Found({"n": 3}, {}, minimal=True, tried=tried)

    assert (remembered.line_of(found, (variable,)) is None) is (tried < remembered.MANY)
    assert remembered.line_of(replace(found, assignment={"n": 256}), (variable,)) is None


@pytest.mark.parametrize("line", ['{"X":[255,255,0]}', '{"X":{"shape":[0,255,255],"elements":[]}}'])
def test_a_large_shape_is_not_read(line: str) -> None:
    """Also one without positions: what is evaluated may go through some of its axes."""
    kind = VariableKind.TENSOR if "elements" in line else VariableKind.SHAPE

    assert remembered.input_in(line, (Variable("X", kind, UINT8, None, 0),)) is None
