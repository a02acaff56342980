"""A text is elaborated once for some elements, and its standard once on its inputs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import project as project_module
from sonnx_verify.language.clauses import meaning_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT, ELEMENT_TYPES, Sort
from sonnx_verify.obligations import refinement
from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.collect import of_unit

ROOT = Path(__file__).parents[2]


@pytest.fixture
def sorts_elaborated(monkeypatch: pytest.MonkeyPatch) -> list[Sort]:
    """The element types of every meaning that is made from here on."""
    found: list[Sort] = []
    original: Callable[..., object] = meaning_of

    def noted(file: object, library: object, context: Context, *given: object) -> object:
        found.append(context.element)
        return original(file, library, context, *given)

    for module in (project_module, refinement):
        monkeypatch.setattr(module, "meaning_of", noted)
    return found


def test_a_meaning_is_made_once(sorts_elaborated: list[Sort]) -> None:
    """For the same elements, whoever asks."""
    project = Project.open(ROOT)
    unit = project.find("sonnx", "ReduceMax")
    assert unit is not None
    int8 = ELEMENT_TYPES["int8"]
    first = project.meaning(unit, Context("int", int8))
    second = project.meaning(unit, Context("int", int8))
    assert sorts_elaborated == [int8]
    assert first.constraints == second.constraints

    project.forget_meanings()
    anew = project.meaning(unit, Context("int", int8))
    assert sorts_elaborated == [int8, int8]
    assert [c.term for c in anew.constraints] == [c.term for c in first.constraints]


def test_the_standard_of_a_profile_is_elaborated_once(sorts_elaborated: list[Sort]) -> None:
    """For the same elements, and anew on the inputs of another section."""
    project = Project.open(ROOT)
    unit = project.find("sonnx", "ReduceMax")
    assert unit is not None
    made = [o for o in of_unit(project, unit) if o.kind in (Kind.REFINES, Kind.NARROWING, Kind.INDEPENDENT)]
    before = len(sorts_elaborated)
    for one in made:
        assert one.build is not None
        one.build(Context(one.family, ELEMENT, types=one.types))
    assert len(made) > 10
    assert len(sorts_elaborated) == before


def test_a_text_that_means_nothing_is_told_each_time(tmp_path: Path) -> None:
    """What failed is not remembered as done."""
    text = "operator Odd version 1 user\ntypes int = int8\ninput X : tensor of T\noutput Y : tensor of T\n"
    (tmp_path / "odd.sonnx").write_text(f"{text}shape Y = X.shape\nvalue Y[i] = nothing\n", "utf-8")
    project = Project.open(tmp_path)
    (unit,) = project.units
    for _ in range(2):
        with pytest.raises(SpecificationError, match="nothing"):
            project.meaning(unit, Context("int", ELEMENT_TYPES["int8"]))
    with pytest.raises(SpecificationError, match="nothing"):
        project.meaning(unit, Context("int", ELEMENT))
