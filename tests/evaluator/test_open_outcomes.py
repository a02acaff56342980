"""Where a standard leaves the outcome or the shape open, an evaluation says by which item, and gives no value.

The inputs are the standards' own examples: for each such item one that is `open by` it, and some that are `pinned`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.examples import Shown, shown_in
from sonnx_verify.obligations.gaps import gap_tag
from sonnx_verify.obligations.section import Section, sorts
from sonnx_verify.solving.inputs.outcome_lines import open_line, outcome_lines
from sonnx_verify.solving.inputs.replay import Outcome, replay

ROOT = Path(__file__).parents[2]
STANDARDS = sorted(path.stem for path in (ROOT / "spec/onnx").glob("*/*.sonnx"))


@cache
def project() -> Project:
    """The library."""
    return Project.open(ROOT)


def texts_of(name: str) -> list[Unit]:
    """Each version of a standard that has a text of its own."""
    return [unit for unit in project().units if unit.path == ROOT / f"spec/onnx/{name}/{name}.sonnx"]


def evaluations(unit: Unit) -> Iterator[tuple[s.Example, Outcome]]:
    """The outcome of each example of a text that no clause refuses."""
    file = unit.file
    assert file is not None
    lines = instances(file)
    sections = [Section(project(), unit, x.name, x.family, sorts(x.types), x.variables) for x in lines]
    for example, shown in zip(file.examples, shown_in(sections, lines), strict=True):
        if not example.refused:
            yield example, _outcome(unit, shown)


def _outcome(unit: Unit, shown: Shown) -> Outcome:
    obligation = shown.obligation
    context = Context(obligation.family, obligation.types[0], variables=obligation.variables)
    meaning = project().meaning(unit, context)
    values = dict(shown.values)
    return replay(project(), unit, meaning, {v.name: values[v.name] for v in meaning.given}, why=False)


def open_items(unit: Unit) -> set[str]:
    """The tags of the items that leave the outcome or the shape open."""
    file = unit.file
    assert file is not None
    wide = (s.Reach.OUTCOME, s.Reach.SHAPE)
    return {gap_tag(file, rule) for rule in file.rules if rule.what.leaves_open and rule.what.reach in wide}


@pytest.mark.parametrize("name", STANDARDS)
def test_each_item_is_met_and_told(name: str) -> None:
    """An input that meets an item has no output, and the answer names the item with its title; one just outside has
    outputs."""
    for unit in texts_of(name):
        file = unit.file
        assert file is not None
        wanted, met, pinned = open_items(unit), set(), 0
        for example, outcome in evaluations(unit):
            tags = {gap_tag(file, rule) for rule in outcome.left_open}
            met |= tags
            if tags:
                assert not outcome.outputs
                told = outcome_lines(outcome, {}, why=False)
                assert told == [open_line(rule) for rule in outcome.left_open]
                assert all(rule.title in line for rule, line in zip(outcome.left_open, told, strict=True))
            if example.open_by in wanted:
                assert example.open_by in tags, (unit.operator, example.name)
            if example.openness is s.Openness.PINNED:
                pinned += 1
                assert not tags, (unit.operator, example.name)
                assert outcome.outputs, (unit.operator, example.name)
        assert met == wanted, unit.operator
        assert pinned or not wanted, unit.operator


def test_the_library_has_such_items() -> None:
    """The test above goes through all of them, in every version."""
    items = [(unit.operator, tag) for name in STANDARDS for unit in texts_of(name) for tag in open_items(unit)]
    assert len(items) > 67
