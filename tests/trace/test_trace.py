"""The matrix of a page: tags and clauses in pairs, with proofs and tests; what lacks one is a gap."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.api import tracing
from sonnx_verify.cli import main
from sonnx_verify.pages.trace import Row

ROOT = Path(__file__).parents[2]
FORMAL = """operator Keep version 1 profile
page "keep.md"
types int = int8
input X : tensor of T
attribute low : int default 0
output Y : tensor of T
[C1] constraint "low is 0 or 1" : 0 <= low and low <= 1
[E1] error "low is neither" : when C1 fails
shape Y = X.shape
value Y[i] = X[i]
"""
PAGE = """# **Keep** (int, int)

## Signature

$Y = \\text{Keep}(X)$

## Function

$Y[i] = X[i]$.

## Examples

With low $0$, $X = [1, 2]$ gives $Y = [1, 2]$.

## Error conditions

- `[E1]` [[C1]](#C1) does not | hold.

## Attributes

### low: int

- `[C1]` low is $0$ or $1$
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "spec" / "sonnx" / "keep"
    made.mkdir(parents=True)
    (made / "keep.sonnx").write_text(FORMAL, "utf-8")
    (made / "keep.md").write_text(PAGE, "utf-8")
    monkeypatch.chdir(tmp_path)
    return made


def run(*words: str) -> Result:
    done = CliRunner().invoke(main, ["page", "trace", *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def rows(*words: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(run("--format", "csv", *words).stdout)))


def test_a_pair_that_agrees(folder: Path) -> None:
    done = run("spec")
    found = {row["tag"]: row for row in rows("spec/sonnx/keep/keep.md")}

    assert done.exit_code == 0
    assert "0 quoted there; 0 with a gap, 0 with a finding" in done.stdout
    assert list(found)[:4] == ["C1", "E1", "Y.shape", "Y.value"]
    assert found["spec"]["kind"] == "text"
    assert found["C1"]["page"] == "spec/sonnx/keep/keep.md:23"
    assert found["C1"]["sentence"] == "low is $0$ or $1$"
    assert found["C1"]["formal"] == "spec/sonnx/keep/keep.sonnx:7"
    assert "\\le" in found["C1"]["formula"]
    assert "covered" in found["C1"]["proofs"]
    assert "determined" in found["Y.value"]["proofs"]
    assert found["Y.value"]["page"] == "spec/sonnx/keep/keep.md:7"
    assert found["Y.value"]["examples"] == "13"
    assert "[C1] does not \\| hold." in done.stdout
    assert {row["gap"] for row in found.values()} == {""}


def test_what_was_read(folder: Path) -> None:
    """What is proved is said of the reading, which stands beside it with the names that it was read with."""
    text = PAGE.replace("$Y[i] = X[i]$.", "Let $q$ be the value of low.").replace(
        "low is $0$ or $1$", "$q \\in [0, 1]$"
    )
    (folder / "keep.md").write_text(text, "utf-8")
    done = run("spec")
    found = {row["tag"]: row for row in rows("spec")}

    assert found["C1"]["agrees"] == "proved"
    assert found["C1"]["reading"] == "(0 <= low and low <= 1)"
    assert "(as it is read, proved equivalent)" in done.stdout
    assert "same" not in done.stdout
    read = "C1 (spec/sonnx/keep/keep.md:23) is read as: `(0 <= low and low <= 1)`"
    assert f"- Keep-1, int: {read}; defined on the page: q (line 9); as in the formal text: low\n" in done.stdout


def test_a_condition_first(folder: Path) -> None:
    """The heading gives types to the inputs in their order: that of a condition is not T's."""
    formal = FORMAL.replace("input X", "input B : tensor of bool\ninput X").replace(
        "int = int8", "int = int8\ntypes bool = bool"
    )
    (folder / "keep.sonnx").write_text(formal, "utf-8")
    (folder / "keep.md").write_text(PAGE.replace("(int, int)", "(bool, integer)"), "utf-8")
    found = {(row["family"], row["tag"]): row for row in rows("spec")}

    assert found["int", "C1"]["page"] == "spec/sonnx/keep/keep.md:23"
    assert found["bool", "C1"]["gap"] == "not on the page"


@pytest.mark.parametrize("begin", "=+-@")
def test_no_cell_is_a_formula(begin: str, folder: Path) -> None:
    """What a spreadsheet would evaluate is told as text."""
    (folder / "keep.md").write_text(PAGE.replace("low is $0$ or $1$", f"{begin}1 it is"), "utf-8")
    assert {row["tag"]: row for row in rows("spec")}["C1"]["sentence"] == f"'{begin}1 it is"


@pytest.mark.parametrize(
    ("page", "formal", "gap"),
    [
        (("`[C1]`", "`[C2]`"), ("", ""), {("C1", "not on the page"), ("C2", "no clause")}),
        (("", ""), ("[E1] error", "[E2] error"), {("E2", "not on the page"), ("E1", "no clause")}),
    ],
)
def test_gaps(page: tuple[str, str], formal: tuple[str, str], gap: set[tuple[str, str]], folder: Path) -> None:
    """A tag without a clause, and a clause that is not on the page."""
    (folder / "keep.md").write_text(PAGE.replace(*page), "utf-8")
    (folder / "keep.sonnx").write_text(FORMAL.replace(*formal), "utf-8")

    assert {(row["tag"], row["gap"]) for row in rows("spec") if row["gap"]} == gap
    assert run("spec").exit_code == 1


def test_a_clause_that_is_refuted(folder: Path) -> None:
    (folder / "keep.sonnx").write_text(FORMAL.replace("when C1 fails", "when low < 0"), "utf-8")
    done = run("spec")

    assert done.exit_code == 1
    assert "refuted: covered" in done.stdout
    assert "1 with a finding" in done.stdout


@pytest.mark.soak
def test_what_is_refuted_of_the_text_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A minimum for the maximum: every clause is as it was, and the text does not refine the standard."""
    for folder in ("spec", "proofs"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    formal = tmp_path / "spec" / "sonnx" / "max" / "max.sonnx"
    formal.write_text(formal.read_text("utf-8").replace("= maximum { Z", "= minimum { Z"), "utf-8")
    monkeypatch.chdir(tmp_path)
    done = run("spec/sonnx/max/max.md")

    assert done.exit_code == 1
    assert "refuted: refines" in done.stdout


def test_sections_of_a_second_variable(folder: Path) -> None:
    """Each row has the proofs of all types of the other variable, and no finding of one of them is lost."""
    formal = FORMAL.replace("input X", "types int of I = int32 int64\ninput N : tensor of I\ninput X")
    (folder / "keep.sonnx").write_text(formal, "utf-8")
    found = {row["tag"]: row for row in rows("spec")}
    assert {tag: row["gap"] for tag, row in found.items() if row["kind"] != "text"} == dict.fromkeys(
        ("C1", "E1", "Y.shape", "Y.value"), ""
    )
    assert "covered" in found["C1"]["proofs"]
    assert "determined" in found["Y.value"]["proofs"]

    (folder / "keep.sonnx").write_text(formal.replace("when C1 fails", "when low < 0"), "utf-8")
    assert "refuted: covered" in {row["tag"]: row for row in rows("spec")}["C1"]["proofs"]


def test_what_is_read_of_some_types_alone(folder: Path) -> None:
    """A formula that makes no sense for one of the types of another variable is not proved, whatever the others say."""
    types = "types ints of I = int32\ntypes either of J = {}\ninput M : tensor of I\ninput N : tensor of J\ninput X"
    formal = FORMAL.replace("= X[i]", "= if int(M[i]) = int(N[i]) then X[i] else X[i] + X[i]").replace(
        "[E1]", '[C2] constraint "one shape" : M.shape = X.shape and N.shape = X.shape\n[E1]'
    )
    cases = "X[i] & \\text{if } M[i] = N[i] \\\\ X[i] + X[i] & \\text{otherwise}"
    cases = f"For every index $i$ of $Y$,\n\n$$\nY[i] = \\begin{{cases}} {cases} \\end{{cases}}\n$$"
    (folder / "keep.md").write_text(PAGE.replace("$Y[i] = X[i]$.", cases), "utf-8")

    for listed, agrees in (("int32", "proved"), ("int32 int64", "not read: an int32 never equals an int64")):
        (folder / "keep.sonnx").write_text(formal.replace("input X", types.format(listed)), "utf-8")
        assert {row["tag"]: row for row in rows("spec")}["Y.value"]["agrees"] == agrees


@pytest.mark.parametrize("command", ["trace", "report"])
def test_a_text_that_changes_meanwhile(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is proved of one text does not stand beside the formulas of another."""
    rows_of = tracing.rows_of

    def slowly(*given: Any) -> list[Row]:
        (folder / "keep.sonnx").write_text(FORMAL.replace("low <= 1", "low <= 2"), "utf-8")
        return rows_of(*given)

    for module in ("api.tracing", "api.report"):
        monkeypatch.setattr(f"sonnx_verify.{module}.rows_of", slowly)
    words = ["page", "trace", "spec"] if command == "trace" else ["report", "--out", str(folder.parents[2] / "out")]
    done = CliRunner().invoke(main, words)

    assert done.exit_code == 2
    assert "keep.sonnx changed during the run" in done.output


def test_a_quotation_says_the_same(folder: Path) -> None:
    quoted = PAGE.replace("$Y[i] = X[i]$.", "<!-- render: keep.sonnx Y.value -->\n<!-- /render -->")
    (folder / "keep.md").write_text(quoted, "utf-8")
    assert CliRunner().invoke(main, ["page", "render", "--write", str(folder / "keep.md")]).exit_code == 0

    assert {row["tag"] for row in rows("spec") if row["quoted"] == "yes"} == {"Y.value"}
    (folder / "keep.md").write_text(quoted, "utf-8")
    assert {row["tag"] for row in rows("spec") if row["quoted"] == "yes"} == set(), "a quotation that is not renewed"


def test_a_quotation_of_another_text_is_none_of_this(folder: Path) -> None:
    """Though it says what that text says."""
    (folder / "other.sonnx").write_text(FORMAL.replace('page "keep.md"\n', "").replace("= X[i]", "= -X[i]"), "utf-8")
    (folder / "keep.md").write_text(f"{PAGE}\n<!-- render: other.sonnx Y.value -->\n<!-- /render -->\n", "utf-8")
    assert CliRunner().invoke(main, ["page", "render", "--write", str(folder / "keep.md")]).exit_code == 0

    assert {row["tag"] for row in rows("spec/sonnx/keep/keep.md") if row["quoted"] == "yes"} == set()


def test_mistakes_of_a_user(folder: Path) -> None:
    (folder / "alone.md").write_text(PAGE, "utf-8")
    (folder / "other.md").write_text(PAGE, "utf-8")
    (folder / "other.sonnx").write_text(FORMAL, "utf-8")
    for name, words in {
        "none.md": "none.md is not a file",
        "spec/sonnx/keep/alone.md": "no formal text next to it",
        "spec/sonnx/keep/other.md": "does not name other.md",
        "spec/..": "",
    }.items():
        done = run(name)
        assert words in done.output, name
        assert done.exit_code == 2 or not words, name


def test_slips_that_change_nothing_do_not_count(folder: Path) -> None:
    """What is proved equivalent is no slip that could be noticed, and what is no text neither."""
    settled = {"[C1]": {"killed": 1, "rejected": 1, "sha256": 16 * "0"}}
    verdicts = ("equivalent", "surviving", "not shown")
    left = {f"[C1]: {number} -> low": {"verdict": verdict} for number, verdict in enumerate(verdicts)}
    # Of another clause.
    left["[C11]: 1 -> 2"] = {"verdict": "surviving"}
    record = {"spec/sonnx/keep/keep.sonnx": {"settled": settled, "mutants": left}}
    (folder / "mutants.json").write_text(json.dumps(record), "utf-8")

    found = {row["tag"]: row for row in rows("spec")}["C1"]
    assert (found["mutants_killed"], found["mutants"]) == ("1", "3")


def test_our_own_pages_have_no_gap() -> None:
    """Max: every tag has its clause, proofs and, but for the restrictions, what tests it."""
    found = rows(str(ROOT / "spec" / "sonnx" / "max" / "max.md"))

    assert {row["gap"] for row in found} == {""}
    assert {row["family"] for row in found} == {"int", "float"}
    assert {row["tag"] for row in found if row["quoted"] == "yes"} == {"Y.shape", "Y.value"}
    assert all(row["kind"] == "text" or row["mutants_killed"] == row["mutants"] != "0" for row in found)
