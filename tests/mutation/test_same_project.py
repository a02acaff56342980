"""The project of a mutant: that of the baseline with another text in one file."""

from __future__ import annotations

from pathlib import Path

import pytest

from sonnx_verify.errors import UserError
from sonnx_verify.language.project import Project
from sonnx_verify.solving.check.collect import collect

ROOT = Path(__file__).resolve().parents[2]
OLD, NEW = "operator Not version 1", "operator Not version 9"


@pytest.fixture(scope="module")
def project() -> Project:
    """The shipped project, all of it read."""
    made = Project.open(ROOT)
    assert made.units
    return made


def test_other_files_are_not_read_again(project: Project) -> None:
    """Units of other files are those of the project; of the changed file there is the new text."""
    path = ROOT / "spec" / "sonnx" / "not" / "not.sonnx"
    changed = {path: path.read_text("utf-8").replace(OLD, NEW)}
    made, anew = project.with_texts(changed), Project.open(ROOT, changed)

    assert [(u.place, u.key, u.file) for u in made.units] == [(u.place, u.key, u.file) for u in anew.units]
    before = {id(unit) for unit in project.units}
    assert {unit.operator for unit in made.units if id(unit) not in before} == {"sonnx.Not-9"}


def test_nothing_is_kept_of_what_was_elaborated(project: Project) -> None:
    """A library that is changed changes what others mean, though their units are kept."""
    path = ROOT / "spec" / "common" / "broadcast.sonnx"
    text = path.read_text("utf-8")
    (unit,) = (unit for unit in project.units if unit.operator == "sonnx.And-7")
    assert collect(project, [unit])
    broken = project.with_texts({path: text.replace("define broadcastable", "define broadcastible")})
    (same,) = (one for one in broken.units if one.key == unit.key)

    assert same is unit
    with pytest.raises(UserError, match="broadcastable"):
        collect(broken, [same])
