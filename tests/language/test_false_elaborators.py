"""False elaborators: the kernel refuses each of them, or `explain --terms` shows what it made of the text."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.language.project import Project
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.work import Work
from tests.language.false_elaborator import ROOT, slipped
from tests.language.test_form_calls import of_operators, replayed
from tests.language.test_forms import slips
from tests.twins.slip import edited

pytestmark = pytest.mark.usefixtures("nothing_kept")

SLIPS: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "false_elaborators.toml").read_text("utf-8"))[
    "slip"
]
ONLY = """\
operator Only version 1 user

types int = int8

input  A : tensor of T
output B : tensor of T

[R1] restriction "small" : rank(A) < 5
[C1] constraint "a vector" : rank(A) = 1
[E1] error "no vector" : when C1 fails

shape B = A.shape
value B[i] = A[i]
"""
LAWS = """\
library laws "Laws"

order rising on int "the order of the integers"
  : x before y = x <= y

theorem law "between 0 and 2 there is 1"
  for n : int assuming 0 < n < 2
  : n = 1
"""
TEXT = """\
{use}operator Foo version 1 user

types int = int8

input          X : tensor of T
input          Z : tensor of T
optional input B : tensor of T
output         Y : tensor of T

{text}
"""


@dataclass(frozen=True)
class Answer:
    """The lines of `explain --terms`, or the words of what refuses the elaborator."""

    lines: str
    refused: str = ""


def answer(text: str, of: str, folder: Path) -> Answer:
    (folder / "only.sonnx").write_text(ONLY, "utf-8")
    (folder / "laws.sonnx").write_text(LAWS, "utf-8")
    use = "use laws\n\n" if "using law" in text or "by rising" in text else ""
    (folder / "foo.sonnx").write_text(TEXT.format(use=use, text=text), "utf-8")
    # What is said last says most: a variable that is free, a value that no form gave, a text that is refused.
    done = CliRunner().invoke(main, ["explain", "--terms", of])
    lines = "".join(f"{line.strip()}\n" for line in done.stdout.splitlines())
    if done.exit_code:
        return Answer(lines, str(done.exception) + done.output)
    try:
        project = Project.open(folder)
        for _, context, elaborate in of_operators(project):
            replayed(context, elaborate)
        (unit,) = (u for u in project.units if u.operator == "user.Foo-1")
        for obligation in of_unit(project, unit):
            if obligation.build is not None:
                Work(obligation).state()
    except AssertionError as problem:
        return Answer(lines, f"{type(problem).__name__}: {problem}")
    return Answer(lines)


def goes_around(slip: dict[str, Any]) -> str:
    """How the file with the slip goes around the forms, and the shipped one does not."""
    text = (ROOT / slip["file"]).read_text("utf-8")
    more = Counter(slips(edited(text, slip))) - Counter(slips(text))
    return f"goes around the forms by {' and '.join(more)}" if more else ""


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: str(slip["name"]))
def test_a_false_elaborator_is_refused_or_shown(
    slip: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shipped elaborator is not refused, and has other lines."""
    text = f"{slip['text']}\n\nshape Y = X.shape"
    if "value Y" not in text:
        text += "\nvalue Y[i] = T(0)"
    monkeypatch.chdir(tmp_path)
    shipped = answer(text, slip.get("of", "user.Foo-1"), tmp_path)
    assert shipped.refused == ""

    around = goes_around(slip)
    with slipped(slip):
        found = answer(text, slip.get("of", "user.Foo-1"), tmp_path)

    print(found.lines, found.refused)
    assert around == "" or "refused" in slip
    if "refused" in slip:
        assert slip["refused"] in around + found.refused
    elif "shown" in slip:
        shown = f"\n{slip['shown'].strip()}\n"
        assert shown not in shipped.lines
        assert shown in found.lines
    else:
        assert slip["lacks"] in shipped.lines
        assert slip["lacks"] not in found.lines
