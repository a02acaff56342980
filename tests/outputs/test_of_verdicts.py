"""What each verdict is in each form: what is undecided never passes, what passes says what it rests on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from sonnx_verify.conformance.judgement.conformance import Conclusion, Conformance
from sonnx_verify.logic.verdict import NAMES, VerdictName
from sonnx_verify.outputs.of_check import run_of_check
from sonnx_verify.outputs.of_conform import run_of_conform
from sonnx_verify.outputs.record import BROKEN, FAILED, PASSED, UNDECIDED, About, Case, Run
from sonnx_verify.outputs.wanted import FORMS, Form, made_of
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.place import Place
from sonnx_verify.results.result import Result

OUTCOMES = {
    "proved": PASSED, "holds": PASSED, "refuted": FAILED, "violated": FAILED, "vacuous": FAILED, "inconsistent": FAILED,
    "candidate": UNDECIDED, "unknown": UNDECIDED, "unsupported": UNDECIDED,
}  # fmt: skip  # a table
LEVELS = {FAILED: "::error ", UNDECIDED: "::warning ", BROKEN: "::error "}


def result(verdict: VerdictName, expected: str = "") -> Result:
    """The result of an obligation that came out so."""
    return Result(
        id="user.Foo-1.int/C1/covered", subject="user.Foo-1", operator="user.Foo", version=1, section="int", tag="C1",
        kind=Kind.COVERED, title="the clause", place=Place("foo.sonnx", 5, 1), types=("int8",), declared=("int8",),
        variables={}, verdict=verdict, reason="because", expected=expected, scope="every rank",
        assumptions=("the moon is round",),
    )  # fmt: skip  # a table


def run_of(one: Result, ledger: Sequence[str] = (), cache: Sequence[str] = (), solver: str | None = "1.0") -> Run:
    return run_of_check([one], [], ledger, cache, {"z3": solver}, ["the end"], Path())


def outcomes(run: Run) -> list[str]:
    """What each form makes of the one case of a run, in the words of the record."""
    made: dict[str, str] = {form: made_of(run, form) for form in FORMS}
    test = next(Xml.fromstring(made["junit"]).iter("testcase"))
    failure = test.find("failure")
    undecided = failure is not None and failure.get("type", "").endswith(": undecided")
    passed = failure is None and test.find("error") is None
    found = [PASSED if passed else UNDECIDED if undecided else FAILED]
    results = json.loads(made["sarif"])["runs"][0]["results"]
    found.append({"fail": FAILED, "open": UNDECIDED}[results[0]["kind"]] if results else PASSED)
    lines = made["github"].splitlines()
    found.append(next(o for o, level in LEVELS.items() if lines[0].startswith(level)) if lines else PASSED)
    severities = {"major": FAILED, "minor": UNDECIDED}
    issues = json.loads(made["gitlab"])
    found.append(severities[issues[0]["severity"]] if issues else PASSED)
    heads = {"### Finding": FAILED, "### Undecided": UNDECIDED}
    head = next((line for line in made["markdown"].splitlines() if line.startswith("### ")), "")
    found.append(next((o for words, o in heads.items() if head.startswith(words)), PASSED))
    assert ("check: passed" in made["markdown"]) is (found[-1] == PASSED)
    return found


@pytest.mark.parametrize("verdict", NAMES)
def test_every_verdict(verdict: VerdictName) -> None:
    """In every form; where the text expects it, it passes."""
    assert outcomes(run_of(result(verdict))) == [OUTCOMES[verdict]] * len(FORMS)
    assert outcomes(run_of(result(verdict, verdict))) == [PASSED] * len(FORMS)


def test_proved_where_something_else_is_expected() -> None:
    assert outcomes(run_of(result(VerdictName.PROVED, VerdictName.REFUTED))) == [FAILED] * len(FORMS)


def test_what_passes_says_what_it_rests_on() -> None:
    """Where a form has a place for it."""
    (test,) = Xml.fromstring(made_of(run_of(result(VerdictName.PROVED)), Form.JUNIT)).iter("testcase")
    said = test.findtext("system-out") or ""
    assert said.startswith("proved")
    assert "assuming: the moon is round" in said
    assert "scope: every rank" in said


@pytest.mark.parametrize(
    "run",
    [
        run_of(result(VerdictName.PROVED), solver=None),
        run_of(result(VerdictName.PROVED), ["a: b is otherwise"]),
        run_of(result(VerdictName.PROVED), cache=["a: the cache had another scope"]),
    ],
)
def test_a_missing_solver_the_ledger_and_the_cache(run: Run) -> None:
    """Each is a case that does not pass, in every form."""
    assert [case.outcome == PASSED for case in run.cases] == [True, False]
    root = Xml.fromstring(made_of(run, Form.JUNIT))
    assert int(root.get("failures", "0")) + int(root.get("errors", "0")) == 1
    assert len(json.loads(made_of(run, Form.SARIF))["runs"][0]["results"]) == 1
    assert made_of(run, Form.GITHUB).startswith("::error ")
    assert "not passed" in made_of(run, Form.MARKDOWN)
    assert "\n### " in made_of(run, Form.MARKDOWN)


def conformance(verdict: Conclusion, **of_types: Conclusion) -> Conformance:
    types = {name: {"verdict": one, "said": "too many paths"} for name, one in of_types.items()}
    scope = {"method": "proved", "types": [n for n, v in of_types.items() if v is Conclusion.PROVED], "of_types": types,
             "said": "rank <= 1", "short": True, "left_open": [], "bound": {}, "inputs": 0,
             "excluded": []}  # fmt: skip  # a table
    return Conformance("sonnx.Max-13", "python:a:b", "1", verdict, scope, None)


def test_a_bound_stands_with_what_is_proved_up_to_it() -> None:
    (case,) = run_of_conform(conformance(Conclusion.PROVED, int8=Conclusion.PROVED), [], None, frozen=False).cases
    assert case.outcome == PASSED
    assert "up to a bound" in case.title
    assert "larger inputs" in case.facts["scope"]


def test_a_type_that_is_not_decided() -> None:
    """Beside others that are; where the run is held against a ledger, that says whether it may be so."""
    answer = conformance(Conclusion.UNKNOWN, int8=Conclusion.PROVED, float=Conclusion.UNKNOWN)
    (case,) = run_of_conform(answer, [], None, frozen=False).cases
    assert (case.outcome, case.title) == (UNDECIDED, "unknown: float: too many paths")
    assert {c.outcome for c in run_of_conform(answer, [], None, frozen=True).cases} == {PASSED}


def test_a_place_is_the_same_in_every_form() -> None:
    """Columns count from 1, and the end column of SARIF is the first one behind the words."""
    case = Case("page.md", "x", FAILED, "rule", "wrong", ("wrong",), place=Place("page.md", 3, 5, 4))
    run = Run("lint", [case], [About("rule", "It is so.", "Mend it.")], [])
    (found,) = json.loads(made_of(run, Form.SARIF))["runs"][0]["results"]
    (test,) = Xml.fromstring(made_of(run, Form.JUNIT)).iter("testcase")

    region = found["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 3, "startColumn": 5, "endColumn": 9}
    assert made_of(run, Form.GITHUB) == "::error file=page.md,line=3,col=5,title=wrong::wrong\n"
    assert (test.get("file"), test.get("line")) == ("page.md", "3")


@pytest.mark.parametrize(("often", "counted"), [(10, False), (11, True)])
def test_more_annotations_than_github_shows(often: int, counted: bool) -> None:
    """The last line says how many there are, where GitHub drops some."""
    cases = [Case("s", f"{n}", FAILED, "r", f"wrong {n}", place=Place("page.md", n + 1)) for n in range(often)]
    lines = made_of(Run("lint", cases, [About("r", "a rule", "help")], []), Form.GITHUB).splitlines()
    assert [line.startswith("::error ") for line in lines] == [True] * often + [False] * counted
    assert (f"::notice title={often} mistakes::" in lines[-1]) is counted
