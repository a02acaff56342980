"""That a text has a meaning for some elements is seen by scratch work, once; the meaning itself is made elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import project as project_module
from sonnx_verify.language.clauses import meaning_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.project import Project
from sonnx_verify.language.values import Position
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import ELEMENT, ELEMENT_TYPES, Sort
from sonnx_verify.logic.terms import ONE, ZERO, index, subterms

ROOT = Path(__file__).parents[2]


@pytest.fixture
def sorts_elaborated(monkeypatch: pytest.MonkeyPatch) -> list[Sort]:
    """The element types of every meaning that is made from here on."""
    found: list[Sort] = []
    original: Callable[..., object] = meaning_of

    def noted(file: object, library: object, context: Context) -> object:
        found.append(context.element)
        return original(file, library, context)

    monkeypatch.setattr(project_module, "meaning_of", noted)
    return found


def test_nothing_of_an_elaboration_is_kept(sorts_elaborated: list[Sort]) -> None:
    """It is done once, and the meaning for the same elements is made anew; of that no variable is of scratch work."""
    project = Project.open(ROOT)
    unit = project.find("sonnx", "ReduceMax")
    assert unit is not None
    int8, context = ELEMENT_TYPES["int8"], Context("int", ELEMENT_TYPES["int8"])
    project.elaborate(unit, Context("int", int8))
    project.elaborate(unit, Context("int", int8))
    assert sorts_elaborated == [int8]

    meaning = project.meaning(unit, context)
    project.elaborate(unit, Context("int", int8))
    assert sorts_elaborated == [int8, int8]
    shape, (value,) = meaning.shapes["reduced"], meaning.values.values()
    stated = [s.term for s in (*meaning.restrictions, *meaning.constraints) if s.term is not None]
    element = value(Position(index(shape.rank, lambda k: ZERO), shape.rank))
    every = [*subterms(*stated, *(side.formula for side in context.sides), shape.dim(ONE), element)]
    assert len(every) > 200
    assert not [v for v in every if v.op == "variable" and number_of(v) < 0]


def test_a_text_that_means_nothing_is_told_each_time(tmp_path: Path) -> None:
    """What failed is not remembered as done."""
    text = "operator Odd version 1 user\ntypes int = int8\ninput X : tensor of T\noutput Y : tensor of T\n"
    (tmp_path / "odd.sonnx").write_text(f"{text}shape Y = X.shape\nvalue Y[i] = nothing\n", "utf-8")
    project = Project.open(tmp_path)
    (unit,) = project.units
    for _ in range(2):
        with pytest.raises(SpecificationError, match="nothing"):
            project.elaborate(unit, Context("int", ELEMENT_TYPES["int8"]))
    with pytest.raises(SpecificationError, match="nothing"):
        project.elaborate(unit, Context("int", ELEMENT))
