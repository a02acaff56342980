"""The slips of slips.toml: a check of the changed standard and its profile ends with status 1.

Most are found while obligations are collected: an example is evaluated, declarations are compared with ONNX's. Of the
others a short search is enough.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NotRequired, TypedDict

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.errors import UserError
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import FINDINGS
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.refutation import QUICK, refutation
from sonnx_verify.solving.check.work import Work
from sonnx_verify.solving.inputs.missed import Missed


class Slip(TypedDict):
    """A row of the table."""

    file: str
    old: str
    new: str
    status: NotRequired[int]


ROOT = Path(__file__).resolve().parents[2]
SLIPS: dict[str, list[Slip]] = tomllib.loads(Path(__file__).with_name("slips.toml").read_text("utf-8"))


def cases(group: str) -> list[object]:
    """The slips of a group, named by their file and new text."""
    return [pytest.param(slip, id=f"{slip['file']}-{slip['new'][-30:]}") for slip in SLIPS[group]]


def changed(slip: Slip) -> tuple[Path, str]:
    """The standard's file, and its text with the slip."""
    path = ROOT / "spec" / "onnx" / slip["file"] / f"{slip['file']}.sonnx"
    text = path.read_text("utf-8")
    assert text.count(slip["old"]) == 1
    return path, text.replace(slip["old"], slip["new"])


def obligations(slip: Slip) -> Iterator[Obligation]:
    """The obligations of the changed standard and of its profile. Raises UserError for an error of the text."""
    path, text = changed(slip)
    project = Project.open(ROOT, {path: text})
    for unit in project.units:
        if unit.path.name == path.name:
            if unit.error is not None:
                raise unit.error
            yield from of_unit(project, unit)


def status_of(slip: Slip) -> int:
    """The status that a check ends with, 3 where a short search finds nothing: then proofs would have to decide."""
    try:
        listed = list(obligations(slip))
    except UserError:
        return 2
    if any(o.answer is not None and o.answer.name in FINDINGS for o in listed):
        return 1
    asked = (o for o in listed if o.answer is None and o.build is not None)
    return 1 if any(not isinstance(refutation(Work(o), None, QUICK), Missed) for o in asked) else 3


def test_the_table_is_as_large_as_it_says() -> None:
    """Sixty of nearly all operators; an undefined name is found by any reader of the text, and is no measure."""
    slips = SLIPS["slip"]
    assert len(slips) == 60
    assert len({slip["file"] for slip in slips}) >= 35
    assert sum(slip.get("status", 1) == 1 for slip in slips) >= 55


@pytest.mark.thinned(3)
@pytest.mark.parametrize("slip", cases("slip"))
def test_a_slip_is_found(slip: Slip) -> None:
    assert status_of(slip) == slip.get("status", 1)


@pytest.mark.soak
@pytest.mark.parametrize("slip", cases("further"))
def test_a_slip_at_a_weak_spot_is_found(slip: Slip) -> None:
    assert status_of(slip) == slip.get("status", 1)


def test_the_command_ends_with_that_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (slip,) = [slip for slip in SLIPS["slip"] if slip["file"] == "neg"]
    path, text = changed(slip)
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    (tmp_path / path.relative_to(ROOT)).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["check", "spec/onnx/neg/neg.sonnx", "spec/sonnx/neg/neg.sonnx"])

    assert done.exit_code == 1
    assert "refuted onnx.Neg-13.int/integers/example" in done.output
