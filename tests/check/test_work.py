"""A statement is made with the placeholders of others, and is the one that placeholders of its own give."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sonnx_verify.language.context import Context
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT, FLOATS, INTEGERS, Sort
from sonnx_verify.logic.terms import Term
from sonnx_verify.obligations.obligation import Obligation, Statement
from sonnx_verify.obligations.orders import NotAbstract
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.work import Work

ROOT = Path(__file__).parents[2]
SUBJECTS = ("proofs.matmul", "proofs.reduce_bool", "sonnx.Min-13")


@pytest.fixture(scope="module")
def stated() -> list[Obligation]:
    project = Project.open(ROOT)
    units = [u for u in project.units if u.operator in SUBJECTS]
    assert len(units) == len(SUBJECTS)
    return [o for o in collect(project, units) if o.build is not None]


def terms_of(statement: Statement) -> Iterator[Term]:
    yield from statement.hypotheses
    for claim in statement.claims:
        yield from (*claim.hypotheses, claim.goal, *claim.lemmas)
    for wanted in statement.wanted:
        yield from wanted.conditions


def test_any_placeholders_give_the_same_statement(stated: list[Obligation]) -> None:
    """On abstract elements, and on the first two types, one after the other."""
    seen = 0
    for obligation in stated:
        sorts: list[Sort] = [ELEMENT, *obligation.types[:2]]
        work = Work(obligation)
        for sort in sorts:
            assert obligation.build is not None
            try:
                made, _ = work.on(sort)
            except NotAbstract:
                continue
            alone = obligation.build(Context(obligation.family, sort))
            assert list(terms_of(made)) == list(terms_of(alone)), obligation.id
            seen += 1
    assert seen > 100


def test_meanings_that_one_statement_speaks_of_share_no_placeholders() -> None:
    """Those of two texts, of one text in two projects, or for two families."""
    runs: list[int] = []
    for _ in range(2):
        project = Project.open(ROOT)
        units = [u for u in project.units if u.operator in ("sonnx.Min-13", "onnx.Min-13")]
        assert len(units) == 2
        for unit in units:
            for family, types in (("int", INTEGERS), ("float", FLOATS)):
                for sort in (ELEMENT, *types):
                    project.meaning(unit, Context(family, sort))
        runs += project._runs.values()  # noqa: SLF001  # what nobody else may know
    assert len(runs) == len(set(runs)) == 8
