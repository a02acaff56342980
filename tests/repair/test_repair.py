"""A clause that `explain` proposes for an obligation that fails: pasted where it says, `check` is content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

HEAD = """\
operator Pick version 1 user

types int = int8

"""
UNCOVERED = (
    HEAD
    + """\
input  X : tensor of T
output Y : tensor of T

[C1] constraint "X has an axis" : rank(X) > 0

shape Y    = X.shape
value Y[i] = X[i]
"""
)
FIRST = '[C1] constraint "X has an axis" : rank(X) > 0\n'
SECOND = '[C2] constraint "it is not empty" : X.shape[0] > 0\n[E2] error "it is empty" : when C2 fails\n'
OUTSIDE = (
    HEAD
    + """\
input          X    : tensor of T
attribute      axis : int default 0
optional input B    : tensor of T
output         Y    : tensor of T

let n = X.shape[axis]

[C1] constraint "not long" : n < 3
[E1] error      "long"     : when C1 fails

shape Y    = X.shape
value Y[i] = X[i]
"""
)
STANDARD = """\
operator Base version 1 user

types int = int8

input     D    : tensor of T
attribute mode : int default 1
output    R    : tensor of T

[C1] constraint "the first has an axis" : rank(D) > 0
let S = D.shape
[C2] constraint "the first axis is not empty" : S[0] > 0
[E1] error "no axis" : when C1 fails
[E2] error "empty"   : when C2 fails

shape R    = S
value R[i] = D[i]
"""
PROFILE = (
    HEAD.rstrip().replace("user\n", "user\n  refines user Base version 1 with X = D, mode = mode, Y = R\n")
    + """

input     X    : tensor of T
attribute mode : int default 1
output    Y    : tensor of T

"""
)
BOTH = """\
[C1] constraint "an axis"   : rank(X) > 0
[C2] constraint "not empty" : X.shape[0] > 0
[E1] error      "no axis"   : when C1 fails
[E2] error      "empty"     : when C2 fails
"""
RESULT = """
shape Y    = X.shape
value Y[i] = X[i]
"""
LACKING = PROFILE + "\n".join(line for line in BOTH.splitlines() if "2]" not in line) + "\n" + RESULT
ERRING = PROFILE + BOTH + '[E3] error "three axes" : when rank(X) = 3\n' + RESULT
OTHER = LACKING.replace("X[i]\n", "X[i] + T(1)\n")
LATER = (
    HEAD.replace("user", "standard")
    + """\
input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = X[i]

version 2
replace shape Y = shape (k in 0 .. 0 -> X.shape[0])
replace value Y[i] = T(0)
"""
)


def ask(*arguments: str) -> tuple[int, Any]:
    """The exit status and the JSON of a command."""
    done = CliRunner().invoke(main, [*arguments, "--format", "json"])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, json.loads(done.stdout)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what stands for a standard."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.sonnx").write_text(STANDARD, "utf-8")
    return tmp_path


def pasted(folder: Path, clause: Any) -> None:
    """Does by hand what the answer says."""
    path = folder / clause["file"]
    lines = path.read_text("utf-8").splitlines()
    lines[clause["below"] : clause["below"]] = clause["text"].splitlines()
    path.write_text("\n".join(lines) + "\n", "utf-8")


CASES = {
    "covered": (UNCOVERED, "C1/covered", '[E1] error "violated: X has an axis" : when C1 fails'),
    "covered, the tag that is free": (
        UNCOVERED.replace(FIRST, FIRST + SECOND),
        "C1/covered",
        '[E1] error "violated: X has an axis" : when C1 fails',
    ),
    "in-bounds": (OUTSIDE, "n/in-bounds", '[R1] restriction "X has axis axis" : 0 <= axis < rank(X)'),
    "in-bounds, under a condition": (
        OUTSIDE.replace("= X.shape[axis]", "= if rank(X) > 1 then X.shape[axis] else 0"),
        "n/in-bounds",
        '[R1] restriction "X has axis axis" : rank(X) > 1 => 0 <= axis < rank(X)',
    ),
    "refines": (
        LACKING,
        "spec/refines",
        '[C2] constraint "the first axis is not empty" : X.shape[0] > 0'
        ' [E2] error "violated: the first axis is not empty" : when C2 fails',
    ),
    "narrowing": (ERRING, "spec/narrowing", '[R1] restriction "violated: three axes" : rank(X) != 3'),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_pasted_mends_the_text(folder: Path, case: str) -> None:
    """The clause is the one that is meant; with it every obligation of the text is proved or holds."""
    text, place, wanted = CASES[case]
    (folder / "pick.sonnx").write_text(text, "utf-8")
    status, found = ask("explain", f"user.Pick-1.int/{place}")
    clause = found["repair"]["clause"]

    assert found["obligation"]["verdict"] == "refuted"
    assert (status, " ".join(clause["text"].split())) == (0, wanted)
    pasted(folder, clause)
    after, checked = ask("check", "pick.sonnx", "--jobs", "1")
    assert after == 0, [o["id"] for o in checked["obligations"] if o["verdict"] not in ("proved", "holds")]
    assert f"user.Pick-1.int/{place}" in {o["id"] for o in checked["obligations"]}


def test_nothing_simple(folder: Path) -> None:
    """Where two things are wrong, what would mend one of them is not proposed, and the answer says so."""
    (folder / "pick.sonnx").write_text(OTHER, "utf-8")
    status, found = ask("explain", "user.Pick-1.int/spec/refines")

    assert status == 0
    assert found["obligation"]["verdict"] == "refuted"
    assert found["repair"]["clause"] is None
    assert found["repair"]["decided"] is True


EVERYWHERE = """\
theory t "about Pick"
types int = int8

theorem everywhere "Pick takes whatever has an axis" for A : tensor of T assuming rank(A) > 0
  : Pick(A with mode = 1) is valid
"""


def test_what_breaks_another_text(folder: Path) -> None:
    """What mends the text and makes a theorem elsewhere false is not proposed."""
    (folder / "pick.sonnx").write_text(LACKING, "utf-8")
    (folder / "t.sonnx").write_text(EVERYWHERE, "utf-8")
    assert ask("check", "user.t.int/everywhere/theorem", "--jobs", "1")[0] == 0
    status, found = ask("explain", "user.Pick-1.int/spec/refines")

    assert status == 0
    assert found["repair"]["clause"] is None
    assert found["repair"]["decided"] is True


@pytest.mark.parametrize(
    "text", [EVERYWHERE.replace("Pick(A", "Peck(A"), EVERYWHERE.replace("rank(A) > 0", "rank(A) > 7 - 7 - 1")]
)
def test_another_text_that_is_wrong_before(folder: Path, text: str) -> None:
    """A text that fails to fit, or a theorem that is refuted already, cannot become worse."""
    (folder / "pick.sonnx").write_text(LACKING, "utf-8")
    (folder / "t.sonnx").write_text(text, "utf-8")
    _, found = ask("explain", "user.Pick-1.int/spec/refines")

    assert " ".join(found["repair"]["clause"]["text"].split()) == CASES["refines"][2]


def test_the_weakest_in_all_sections(folder: Path) -> None:
    """Of two clauses that say the same of integers, the one is shown that accepts more floats: a NaN is not below 0."""
    declared = "\ntypes int = int8\ntypes float = float16\n\ninput X : tensor of T\noutput Y : tensor of T\n\n"
    demands = '[C1] constraint "above" : for all j in X : X[j] >= T(0)\n'
    demands += '[C2] constraint "not below" : for all j in X : not (X[j] < T(0))\n'
    result = "shape Y = X.shape\nvalue Y[i] = X[i]\n"
    head = "operator Pick version 1 user\n  refines user Base version 1 with X = X, Y = Y\n"
    (folder / "base.sonnx").write_text("operator Base version 1 user\n" + declared + demands + result, "utf-8")
    (folder / "pick.sonnx").write_text(head + declared + result, "utf-8")
    _, found = ask("explain", "user.Pick-1.int/spec/refines")
    clause = found["repair"]["clause"]

    assert ": for all j in X : not (X[j] < T(0))\n" in clause["text"]
    assert clause["weakest"] is True


def test_texts_that_change_meanwhile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repair is one of what the files said at first."""
    from sonnx_verify.authoring.repair import repair
    from sonnx_verify.authoring.repair.proposals import proposals as unchanged

    (folder / "pick.sonnx").write_text(LACKING, "utf-8")
    first = ask("explain", "user.Pick-1.int/spec/refines")

    def proposals(*arguments: Any) -> Any:
        (folder / "base.sonnx").write_text(STANDARD.replace("= D[i]", "= D[i] + T(1)"), "utf-8")
        return unchanged(*arguments)

    monkeypatch.setattr(repair, "proposals", proposals)

    assert first[1]["repair"]["clause"] is not None
    assert ask("explain", "user.Pick-1.int/spec/refines") == first


def test_a_later_version(folder: Path) -> None:
    """A clause for a later version is added where that version is written."""
    (folder / "pick.sonnx").write_text(LATER, "utf-8")
    _, found = ask("explain", "user.Pick-2.int/Y.shape/in-bounds")
    clause = found["repair"]["clause"]

    assert clause["text"] == 'add [R1] restriction "X has axis 0" : rank(X) > 0'
    assert clause["below"] == 13
    pasted(folder, clause)
    assert ask("check", "user.Pick-2.int/Y.shape/in-bounds", "--jobs", "1")[0] == 0


def test_only_what_clauses_can_mend(folder: Path) -> None:
    """Of other kinds it is said that no clause is looked for."""
    (folder / "pick.sonnx").write_text(UNCOVERED.replace("rank(X) > 0", "rank(X) >= 0"), "utf-8")
    done = CliRunner().invoke(main, ["explain", "user.Pick-1.int/C1/independent"])

    assert done.exit_code == 0
    assert done.stdout.startswith("violated user.Pick-1.int/C1/independent")
    assert "no repair is looked for" in done.stdout


NUMBERED = """\
input  X         : tensor of T
output Y[0 .. L] : tensor of T

count Y = 2
shape Y[k] = X.shape
value Y[k][i] = X[[k]]
"""


SIZED = """\
input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = if X.shape[0] > 2 then X[i] else X[i]
"""


@pytest.mark.parametrize(("text", "is_shown"), [(NUMBERED, False), (SIZED, True)])
def test_the_pointer_to_a_repair(folder: Path, text: str, is_shown: bool) -> None:
    """It is printed only if there is a clause to try: no clause can speak of the number of a member."""
    (folder / "numbered.sonnx").write_text(HEAD + text, "utf-8")
    made = CliRunner().invoke(main, ["check", "numbered.sonnx"])

    assert "/Y.value/in-bounds" in made.output
    assert ("to look for a repair: sonnx-verify explain" in made.output) is is_shown
