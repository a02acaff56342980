"""The slips of slips.toml, each of which has to end a check of the changed standard and its profile with status 1.

Most are found while obligations are collected: an example is evaluated, declarations are compared with ONNX's. Of the
others a short search is enough.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NotRequired, TypedDict

import pytest

from sonnx_verify.errors import UserError
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import FINDINGS
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.refutation import QUICK, refutation
from sonnx_verify.solving.check.work import Work
from sonnx_verify.solving.inputs.missed import Missed


class Slip(TypedDict):
    """The file, a part of its text, and what stands there instead; `undecided` where no input shows it."""

    file: str
    old: str
    new: str
    undecided: NotRequired[bool]


ROOT = Path(__file__).resolve().parents[2]
SLIPS: dict[str, list[Slip]] = tomllib.loads(Path(__file__).with_name("slips.toml").read_text("utf-8"))


def cases(group: str) -> list[object]:
    """The slips of a group, named by their file and new text."""
    return [pytest.param(slip, id=f"{slip['file']}-{slip['new'][-30:]}") for slip in SLIPS[group]]


def obligations(slip: Slip) -> Iterator[Obligation]:
    """The obligations of the changed standard, and then of its profile. Raises UserError for an error of the text."""
    path = ROOT / "spec" / "onnx" / f"{slip['file']}.sonnx"
    text = path.read_text("utf-8")
    assert text.count(slip["old"]) == 1
    project = Project.open(ROOT, {path: text.replace(slip["old"], slip["new"])})
    for unit in project.units:
        if unit.path.name == path.name:
            if unit.error is not None:
                raise unit.error
            yield from of_unit(project, unit)


def is_found(slip: Slip) -> bool:
    try:
        listed = list(obligations(slip))
    except UserError:
        return True
    if any(o.answer is not None and o.answer.name in FINDINGS for o in listed):
        return True
    asked = (o for o in listed if o.answer is None and o.build is not None)
    return any(not isinstance(refutation(Work(o), None, QUICK), Missed) for o in asked)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("slip", cases("slip"))
def test_a_slip_is_found(slip: Slip) -> None:
    assert is_found(slip)


@pytest.mark.soak
@pytest.mark.parametrize("slip", cases("further"))
def test_a_slip_at_a_weak_spot_is_found(slip: Slip) -> None:
    assert is_found(slip) is not slip.get("undecided", False)
