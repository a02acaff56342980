"""general: what a profile's restrictions allow is what the general restrictions say of every operator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language.project import Project
from sonnx_verify.results.example import example_lines
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.solving.solvers import Solvers

RULES = """library rules "What all operators share"
fact dense of tensor "every element is stored"
general restriction GR1 "no sparse tensors" : every input is dense
general restriction GR2 "this is about no fact"
general restriction GR4 "no defaults" : every attribute is given
"""
PROFILE = """use rules
operator Op version 1 profile
page "op.md"
types int = int8 int16
types float = float
input X[0 .. L] : tensor of T where L >= 0
optional input B : tensor of T
attribute a : int default 1
output Y : tensor of T
[R1] restriction from GR1 "dense" : (for all m in 0 .. L : X[m] is dense) and (given(B) => B is dense)
[R4] restriction from GR4 "given" : given(a)
shape Y = X[0].shape
value Y[i] = X[0][i]
"""
SECOND = " and (given(B) => B is dense)"


@pytest.fixture(scope="module")
def solvers() -> Iterator[Solvers]:
    with Solvers() as made:
        yield made


def project(folder: Path, profile: str, rules: str = RULES) -> Project:
    """A library of general restrictions, and a profile that uses it."""
    texts = {"spec/common/rules.sonnx": rules, "spec/sonnx/op.sonnx": profile, "spec/sonnx/op.md": "# Op"}
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return Project.open(folder)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("\n", "\n", {"GR1": ("proved", []), "GR4": ("proved", [])}),
        # Each slip forgets an input, mistakes what `given` means, or does not name the rule that it follows from.
        (SECOND, "", {"GR1": ("refuted", ["X0 = int8 () 0", "B  = int8 () 0, not dense", "a  = not given, so 1"])}),
        ("for all m in 0 .. L : X[m]", "X[0]", {"GR1": ("refuted", None)}),
        ("and (given(B) =>", "and (given(B) and", {"GR1": ("refuted", None)}),
        (": given(a)", ": given(a) and a = 0", {"GR4": ("refuted", ["X0 = int8 () 0", "a  = 1", "B  = not given"])}),
        ('[R4] restriction from GR4 "given" : given(a)\n', "", {"GR4": ("refuted", None)}),
        ('restriction from GR4 "given"', 'restriction "given"', {"GR4": ("refuted", None)}),
        (" profile", " user", {}),
    ],
)
def test_what_a_profile_owes(
    solvers: Solvers, tmp_path: Path, old: str, new: str, expected: dict[str, tuple[str, list[str] | None]]
) -> None:
    made = project(tmp_path, PROFILE.replace(old, new))
    (unit,) = (u for u in made.units if u.namespace == "sonnx")
    found = [o for o in of_unit(made, unit) if o.kind == "general"]

    # GR2 has no condition, so nothing can be owed. A text of a user owes nothing: it is no profile.
    names = []
    if expected:
        names = [f"sonnx.Op-1.int/{name}/general" for name in ("GR1", "GR4")]
    assert [o.id for o in found] == names
    for record in run(found, solvers):
        verdict, lines = expected.get(record.obligation.tag, ("proved", []))
        assert record.verdict.name == verdict, record.verdict.reason
        shown = []
        if record.counterexample is not None:
            shown = example_lines(example_of(record.counterexample))
        assert lines is None or lines == shown


@pytest.mark.parametrize(
    ("said", "known"),
    [("every input is sparse", "given, dense"), ("every attribute is dense", "given")],
)
def test_a_general_restriction_speaks_of_what_there_is(tmp_path: Path, said: str, known: str) -> None:
    made = project(tmp_path, PROFILE, RULES.replace("every input is dense", said))
    (unit,) = (u for u in made.units if u.namespace == "common")

    with pytest.raises(SpecificationError) as raised:
        of_unit(made, unit)

    assert raised.value.cure == f"one of {known}"
    assert raised.value.span is not None
    assert raised.value.span.line == 3
