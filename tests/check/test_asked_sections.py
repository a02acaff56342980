"""One obligation that is asked for: the sections of its text that have nothing to do with it are not stated."""

from __future__ import annotations

from pathlib import Path

import pytest

from sonnx_verify.api.select import Selection, select
from sonnx_verify.errors import UsageError
from sonnx_verify.solving.check.collect import of_unit

TEXT = """
operator Twice version 1 user

types int = int8
types float = float16

input  X : tensor of T
output Y : tensor of T

[C1] constraint "small" : rank(X) < 3
[E1] error "large" : when C1 fails

shape Y = X.shape
value Y[i] for int = X[i] + X[i]
value Y[i] for float = X[i]
"""


def selected(text: str, *names: str) -> Selection:
    """The obligations of these names, in a project with one text."""
    Path("twice.sonnx").write_text(text, "utf-8")
    return select(names or ["twice.sonnx"])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder for the text."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "user.Twice-1.float/C1/covered",
        "user.Twice-1.float",
        "user.Twice-1.f*/Y/determined",
        "user.Twice-1.*/C1/*",
        "user.Twice-1/spec/well-formed",
        "*",
    ],
)
def test_a_name_selects_what_it_does_in_the_whole(name: str) -> None:
    """The same obligations, with the same places and the same statements to rest on."""
    every = {one.id: one for one in selected(TEXT).obligations}
    found = selected(TEXT, name).obligations

    assert found
    for one in found:
        other = every[one.id]
        assert (one.span, one.title, one.types, one.uses, one.presumes) == (
            other.span,
            other.title,
            other.types,
            other.uses,
            other.presumes,
        )
        assert (len(one.stated), one.tried) == (len(other.stated), other.tried)


def test_other_sections_are_not_stated() -> None:
    """Of the operator on integers nothing is stated where an obligation on floats is asked for."""
    (unit,) = (unit for unit in selected(TEXT).project.units if unit.namespace == "user")
    every = of_unit(selected(TEXT).project, unit)
    found = of_unit(selected(TEXT).project, unit, lambda beginning: beginning == "user.Twice-1.float/")

    assert {one.section for one in every} == {"", "int", "float"}
    assert [one.id for one in found] == [one.id for one in every if one.section != "int"]


def test_a_mistake_in_another_section_is_said() -> None:
    """A word that nothing declares, in what is for integers alone."""
    found = selected(TEXT.replace("X[i] + X[i]", "X[i] + Z[i]"), "user.Twice-1.float/C1/covered")

    assert [error.message for error in found.errors] == ["undefined symbol `Z`"]


def test_what_is_mistyped_is_said() -> None:
    """With what may be meant, of any section."""
    with pytest.raises(UsageError, match=r"did you mean .*user.Twice-1.int/C1/covered"):
        selected(TEXT, "user.Twice-1.ind/C1/covered")
