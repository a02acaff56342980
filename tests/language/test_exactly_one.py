"""`exactly_one`: what it means for every choice of truth values, in attributes, and where it is refused."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import sonnx_verify
from sonnx_verify.errors import SpecificationError
from tests.language.stated import statements

PATH = Path(__file__).with_name("scalar_constant.sonnx")
TRUTHS = """\
theory truths "One of several conditions"

types int = int8

theorem {name} "the case"
  : {statement}
"""


def test_one_of_several_attributes() -> None:
    """A text that asks for one of three attributes is proved, with its examples; the branches rest on it."""
    found = sonnx_verify.check(str(PATH), cached=False)

    assert [f"{one.id} {one.verdict}" for one in found if str(one.verdict) not in ("proved", "holds")] == []
    assert len(found) == 13


def test_every_choice(tmp_path: Path) -> None:
    """Of two, three and four conditions: true where the sum of their truth values is 1."""
    cases = [case for n in (2, 3, 4) for case in product((False, True), repeat=n)]
    listed = [", ".join("true" if one else "false" for one in case) for case in cases]
    stated = " and ".join(
        f"{'not ' * (sum(case) != 1)}exactly_one({said})" for case, said in zip(cases, listed, strict=True)
    )
    path = tmp_path / "truths.sonnx"
    path.write_text(TRUTHS.format(name="all_cases", statement=stated), "utf-8")

    found = {one.id: str(one.verdict) for one in sonnx_verify.check(str(path), cached=False)}

    assert found["user.truths.int/all_cases/theorem"] == "proved"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("exactly_one(true)", "takes several conditions"),
        ("exactly_one()", ""),
        ("exactly_one(1, true)", "condition"),
    ],
)
def test_what_is_refused(statement: str, message: str, tmp_path: Path) -> None:
    """It takes two conditions at least."""
    path = tmp_path / "truths.sonnx"
    path.write_text(TRUTHS.format(name="wrong", statement=statement), "utf-8")

    with pytest.raises(SpecificationError) as caught:
        statements(path)

    assert message in str(caught.value)
