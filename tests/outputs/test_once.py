"""One mistake is shown once: of several families in one finding, and a question that waits for another beside it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.outputs.record import FAILED, UNDECIDED, Case, mistakes_of

HEAD = """operator Relu version 14 user
  refines onnx Relu version 14 with X = X, Y = Y

types int   = int8 int16 int32 int64
types float = float16 float double

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
"""
READS_FIRST = HEAD + "value Y[i] = X[[0]]\n"
READS_FIRST_INT = HEAD + "value Y[i] for int = X[[0]]\nvalue Y[i] for float = X[i]\n"
IS_X = HEAD + "value Y[i] = X[i]\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, list(words), catch_exceptions=False)
    return done.exit_code, done.stdout


def heads(said: str) -> list[str]:
    """The first lines of the findings in full, and the lines of those that are expected."""
    return re.findall(r"^(?:refuted|violated|unknown|vacuous|expected) .*$", said, re.MULTILINE)


def verdicts(*what: str) -> dict[str, str]:
    """The verdict of each obligation, as JSON has them."""
    listed = json.loads(run("check", "--format", "json", *what)[1])["obligations"]
    return {one["id"]: one["verdict"] for one in listed}


def test_a_text_that_was_just_begun(here: Path) -> None:
    """`new Pow`, then `check` as it suggests: 48 findings are two facts, and the one waits for the other."""
    run("new", "Pow")
    status, said = run("check", "pow.sonnx")

    assert status == 1
    assert heads(said) == ["violated user.Pow-15.float-int8/Z/total"]
    assert said.count("\n  user.Pow-15.float-int8/spec/refines and 23 more (refuted) wait for this\n") == 1
    assert "\n48 surprises:\n" in said
    end = said.splitlines()[-1]
    assert end.startswith("  violated user.Pow-15.float-int8/Z/total; the same in float-int16, ")
    assert end.endswith(", int-double; user.Pow-15.float-int8/spec/refines and 23 more (refuted) wait for this")


def test_refines_waits_for_what_it_presumes(here: Path) -> None:
    """Its own verdict, and the status of the run, stay as they are."""
    (here / "relu.sonnx").write_text(READS_FIRST, "utf-8")
    status, said = run("check")

    assert status == 1
    assert heads(said) == ["refuted user.Relu-14.int/Y.value/in-bounds"]
    assert "  the same in float\n" in said
    assert "  user.Relu-14.int/spec/refines and 1 more (refuted) wait for this\n" in said
    found = verdicts()
    assert {name: found[name] for name in found if name.endswith("/refines")} == {
        "user.Relu-14.int/spec/refines": "refuted",
        "user.Relu-14.float/spec/refines": "refuted",
    }


def test_refines_alone_is_a_finding(here: Path) -> None:
    """Where nothing else is asked, and where what it presumes is as it should be."""
    (here / "relu.sonnx").write_text(READS_FIRST, "utf-8")
    status, said = run("check", "user.Relu-14.*/spec/refines")
    assert status == 1
    assert heads(said) == ["refuted user.Relu-14.int/spec/refines"]

    (here / "relu.sonnx").write_text(READS_FIRST_INT, "utf-8")
    status, said = run("check")
    assert status == 1
    assert heads(said) == ["refuted user.Relu-14.int/Y.value/in-bounds", "refuted user.Relu-14.float/spec/refines"]
    assert said.count("waits for this\n") == 2  # and in the last lines


def test_forms_fold_as_the_text_does(here: Path) -> None:
    """One annotation, one alert, one heading, which say what waits."""
    (here / "relu.sonnx").write_text(READS_FIRST, "utf-8")
    made = {form: run("check", "--format", form)[1] for form in ("github", "sarif", "markdown", "gitlab")}

    assert made["github"].count("::error") == 1
    (result,) = json.loads(made["sarif"])["runs"][0]["results"]
    assert result["kind"] == "fail"
    (_,) = json.loads(made["gitlab"])
    assert made["markdown"].count("\n### ") == 1
    waits = "user.Relu-14.int/spec/refines and 1 more (refuted) wait for this"
    assert all(waits in text for text in (made["github"], made["markdown"], result["message"]["text"]))


def test_surprises_come_last_and_are_named_once_more(here: Path) -> None:
    """An expected finding is one line, of all its families; the end of a log shows what was not expected."""
    (here / "a.sonnx").write_text(IS_X.replace("Relu version 14", "Abs version 13"), "utf-8")
    (here / "b.sonnx").write_text(
        IS_X.replace("14 user", "14 draft") + '\nexpect refuted spec/refines "it is the identity"\n', "utf-8"
    )
    status, said = run("check")
    lines = said.splitlines()

    assert status == 1
    assert lines[0] == "expected refuted user.Relu-14.int/spec/refines: it is the identity; the same in float"
    assert lines[1:3] == ["", "refuted user.Abs-13.int/spec/refines"]
    # Integers fail at -1 and floats at NaN.
    names = ["refuted user.Abs-13.int/spec/refines", "refuted user.Abs-13.float/spec/refines"]
    assert lines[-3:] == ["2 surprises:", *(f"  {name}" for name in names)]
    assert "counterexample" in said
    status, said = run("check", "--quiet")
    assert status == 1
    assert heads(said) == names


def test_a_terminal_shows_a_mistake_where_it_is_met(here: Path) -> None:
    """Its other families are named at the end."""
    (here / "relu.sonnx").write_text(READS_FIRST, "utf-8")
    _, said = run("check", "--color", "always")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", said)

    assert re.findall("^! .*$", plain, re.MULTILINE) == ["! refuted user.Relu-14.int/Y.value/in-bounds"]
    assert plain.splitlines()[-1].endswith(
        "the same in float; user.Relu-14.int/spec/refines and 1 more (refuted) wait for this"
    )


def case(rule: str, family: str, outcome: str, title: str = "wrong") -> Case:
    presumes = ("total",) if rule == "refines" else ()
    return Case("op", f"op.{family}/{rule}", outcome, rule, title, identity=rule, family=family, presumes=presumes)


def test_what_is_refuted_waits_for_nothing_that_is_undecided() -> None:
    """A total that is not decided hides no refutation."""
    made = mistakes_of([case("total", "int", UNDECIDED), case("refines", "int", FAILED)])
    (open_one,) = mistakes_of([case("total", "int", UNDECIDED), case("refines", "int", UNDECIDED)])

    assert [one.outcome for one in made] == [UNDECIDED, FAILED]
    assert open_one.outcome == UNDECIDED


def test_the_order_of_cases_changes_nothing() -> None:
    cases = [case("refines", "int", FAILED), case("total", "int", FAILED), case("total", "float", FAILED)]
    folded = [mistakes_of(order) for order in (cases, cases[::-1])]

    assert [[len(one.cases) for one in made] for made in folded] == [[2], [2]]
    assert [[one.family for one in made[0].waiting] for made in folded] == [["int"], ["int"]]
    assert folded[0][0].lines[-1] == "  op.int/refines waits for this"


def test_reasons_that_name_their_own_family_are_one() -> None:
    told = [case("total", name, UNDECIDED, f"depends on op.{name}/Y/total, which is refuted") for name in ("int", "f")]
    other = case("total", "uint", UNDECIDED, "depends on op.int/Y/total, which is refuted")

    assert [[one.family for one in made.cases] for made in mistakes_of([*told, other])] == [
        ["int", "f"],
        ["uint"],
    ]


def test_what_fails_on_other_input_is_shown_too(here: Path) -> None:
    """Integers fail at 7 and floats at infinity, for the same clause: two mistakes, of which one hid the other."""
    value = (
        "value Y[i] for int = if X[i] = 7 then 8 else maximum { x | x in [X[i], T(0)] }\n"
        "value Y[i] for float = if is_infinite(X[i]) then T(0) else maximum { x | x in [X[i], T(0)] }\n"
    )
    value = value.replace("maximum { x | x in [X[i], T(0)] }", "if T(0) < X[i] then X[i] else T(0)")
    (here / "relu.sonnx").write_text(HEAD + value, "utf-8")
    said = run("check", "user.Relu-14.*/spec/refines")[1]

    assert heads(said) == ["refuted user.Relu-14.int/spec/refines", "refuted user.Relu-14.float/spec/refines"]
    assert "the same in" not in said
    assert "X = int8 () 7" in said
    assert " inf" in said


def test_what_is_undecided_hides_no_counterexample(here: Path) -> None:
    """That a read may be outside at rank 9 is no reason to withhold an input of rank 0."""
    (here / "relu.sonnx").write_text(HEAD + "value Y[i] = if rank(X) = 9 then X[[0]] else X[i]\n", "utf-8")
    said = run("check")[1]

    assert "refuted user.Relu-14.int/spec/refines" in heads(said)
    assert "X = int8 () -1" in said
