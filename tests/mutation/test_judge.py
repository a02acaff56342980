"""The fates of a mutation: killed by a finding, equivalent, rejected by the language, surviving, or not shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sonnx_verify.authoring.mutation import judge as judge_module
from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.judge import Judge, Outcome
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.example import example_lines
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.refutation import QUICK, Refutation, refutation
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.solving.check.work import Work
from sonnx_verify.solving.inputs.missed import Missed
from sonnx_verify.solving.solvers import Solvers
from tests.mutation.mutations import mutation_of

LIBRARY = """library some "Definitions"

order up on int "upwards" : x before y = x <= y

define most(V : set of T) : T for int
  "the greatest"
  = greatest V by up

define cut(x : int, high : int) : int
  "x, or the bound that x lies beyond"
  = if x > high then high else x

define there(x : int) : bool
  "true of every x"
  = x < x + 1
"""
LAWS = """use some
theory laws "Laws"
types int = int8 int16

theorem bounded "nothing is above it"
  for X : tensor of T; i : index assuming i in indices(X)
  : X[i] <= most({ X[j] | j in indices(X) })

theorem stays "what is not beyond the bound stays"
  for x, high : int assuming x <= high
  : cut(x, high) = x

theorem untrue "this is not so whatever cut is"
  for x : int : cut(x, x) = x + 1

theorem every "it is true of every x"
  for x : int : there(x)
"""
OPERATOR = """operator Keep version 1 profile
types int = int8 int16
input X : tensor of T
output Y : tensor of T
shape Y = X.shape
value Y[i] = X[i]
"""
USES = """theory uses "Of Keep"
types int = int8 int16
theorem same "it keeps" for X : tensor of T : Keep(X) = X
"""
TEXTS = {"spec/common/some": LIBRARY, "spec/sonnx/keep": OPERATOR, "proofs/laws": LAWS, "proofs/uses": USES}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Outcome]]:
    """What comes of a text with `new` for `old`, in a project of the texts above."""
    folder = tmp_path_factory.mktemp("project")
    for name, text in TEXTS.items():
        path = folder / f"{name}.sonnx"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    with Solvers() as solvers:
        baseline = Baseline(Project.open(folder), solvers)

        def judge(name: str, old: str, new: str, short: bool = False, hint: str = "") -> Outcome:
            (unit,) = (u for u in baseline.project.units if u.shown == f"{name}.sonnx")
            assert unit.file is not None
            assert unit.file.span is not None
            return Judge(baseline, short).judge(mutation_of(unit.file.span.source, old, new), hint)

        yield judge


@pytest.mark.parametrize(
    ("name", "old", "new", "verdict", "killer", "finding"),
    [
        ("spec/common/some", "high else x", "x else high", "killed", "proofs.laws.int/stays/theorem", "refuted"),
        ("spec/common/some", "then high", "then x", "surviving", "", ""),
        ("spec/common/some", "if x > high", "if x >= high", "equivalent", "", ""),
        ("spec/common/some", "cut(x : int, high : int) : int", "cut(x : int, high : int) : bool", "rejected", "", ""),
        ("spec/common/some", "= x < x + 1", "= x < x + 2", "equivalent", "", ""),
        ("spec/sonnx/keep", "= X[i]", "= X[i] + X[i]", "killed", "proofs.uses.int/same/theorem", "refuted"),
        ("spec/sonnx/keep", "int8 int16", "int8", "killed", "proofs/uses.sonnx", "error"),
    ],
)
def test_what_comes_of_a_mutation(
    judged: Callable[..., Outcome], name: str, old: str, new: str, verdict: str, killer: str, finding: str
) -> None:
    outcome = judged(name, old, new, short=True)

    assert (outcome.verdict, outcome.finding) == (verdict, finding)
    assert verdict == "rejected" or outcome.killer == killer


def test_a_killer_shows_the_smallest_input(judged: Callable[..., Outcome]) -> None:
    outcome = judged("spec/common/some", "then high else x", "then x else high", short=True)

    assert outcome.shown is not None
    assert example_lines(example_of(outcome.shown)) == ["x    = 0", "high = 1"]


def test_an_order_is_noticed_where_elements_are_abstract(judged: Callable[..., Outcome]) -> None:
    """The statement about abstract elements is the same, since it holds of every order; those of a type are not."""
    outcome = judged("spec/common/some", "x before y = x <= y", "x before y = x >= y", short=True)

    assert (outcome.verdict, outcome.killer) == ("killed", "proofs.laws.int/bounded/theorem")


def test_what_fails_without_the_mutation_kills_nothing(judged: Callable[..., Outcome]) -> None:
    """`untrue` is refuted of every mutant, as it is without one."""
    assert judged("spec/common/some", "then high", "then x", short=True).verdict == "surviving"
    assert judged("spec/common/some", "then high", "then x", hint="proofs.laws.int/untrue/theorem").verdict != "killed"


def test_what_only_fails_to_be_proved_is_not_shown(judged: Callable[..., Outcome]) -> None:
    """Only a large number breaks the law, so that no counterexample is found."""
    outcome = judged("spec/common/some", "= x < x + 1", "= 2 * x != 2000000000000000002")

    assert (outcome.verdict, outcome.killer) == ("not shown", "proofs.laws.int/every/theorem")


def test_the_killer_that_is_named_is_tried_first(judged: Callable[..., Outcome]) -> None:
    """A hint is no more than that: where it fails nothing, the search goes on."""
    mutation = ("spec/sonnx/keep", "= X[i]", "= X[i] + X[i]")

    assert judged(*mutation, hint="proofs.uses.int/same/theorem").killer == "proofs.uses.int/same/theorem"
    assert judged(*mutation, short=True, hint="proofs.laws.int/stays/theorem").killer == "proofs.uses.int/same/theorem"


LISTS = """operator First version 1 profile
types int = int8
input X : tensor of T
output Y : tensor of T
[C1] constraint "it has a first axis" : rank(X) >= 1
let n = X.shape[0]
shape Y = shape (k in 0 .. 0 -> n)
value Y[i] = T(0)
version 2
add [C2] constraint "it has no second axis" : rank(X) < 2
version 3
add types int = int16
version 4
add example one "of one element"
  X = int8 (1) [3]
  Y = int8 (1) [0]
"""


def test_no_counterexample_is_searched_for_long_where_none_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That there is an axis 0 follows from either constraint at once; versions from 2 on owe one and the same, of which
    version 4 has an example."""
    path = tmp_path / "spec/sonnx/first.sonnx"
    path.parent.mkdir(parents=True)
    path.write_text(LISTS, "utf-8")
    looks: list[tuple[str, int]] = []

    def watched(work: Work, which: set[str] | None, budget: int) -> Refutation | Missed:
        looks.append((work.obligation.id, budget))
        return refutation(work, which, budget)

    monkeypatch.setattr(judge_module, "refutation", watched)
    with Solvers() as solvers:
        baseline = Baseline(Project.open(tmp_path), solvers)
        (source,) = {u.file.span.source for u in baseline.project.units if u.file and u.file.span}
        Judge(baseline, short=True).judge(mutation_of(source, "rank(X) >= 1", "rank(X) >= 1 and rank(X) < 5"))

    bounds = [f"sonnx.First-{version}.int/n/in-bounds" for version in (1, 2, 3, 4)]
    assert [[budget for name, budget in looks if name == bound] for bound in bounds] == [[QUICK], [QUICK], [], [0]]


VERSIONS = """operator Keep version 1 profile
types int = int8
input X : tensor of T
output Y : tensor of T
let n = rank(X)
shape Y = X.shape
value Y[i] = X[i]
example one "of one element"
  X = int8 (1) [3]
  Y = int8 (1) [3]
version 2
replace let n = rank(X) + 1
version 3
replace value Y[i] = if n > 0 then X[i] else X[i]
"""
OTHER = """operator Other version 1 profile
types int = int8
input X : tensor of T
output Y : tensor of T
shape Y = X.shape
value Y[i] = Keep(X)[i]
"""


def _stated(text: str, old: str, new: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Outcome, list[str]]:
    """The outcome of a mutant of the text, and the versions whose obligations were made for it."""
    path = folder / "spec/sonnx/keep.sonnx"
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    path.with_name("other.sonnx").write_text(OTHER, "utf-8")
    stated: list[str] = []

    def watched(project: Project, unit: Unit) -> list[Obligation]:
        stated.append(unit.operator)
        return of_unit(project, unit)

    with Solvers() as solvers:
        baseline = Baseline(Project.open(folder), solvers)
        (source,) = {u.file.span.source for u in baseline.project.units if u.file and u.file.span and u.place == path}
        baseline.prepare([path])
        monkeypatch.setattr(judge_module, "of_unit", watched)
        return Judge(baseline, short=True).judge(mutation_of(source, old, new)), stated


@pytest.mark.parametrize(
    ("old", "new", "stated"),
    [
        ("let n = rank(X)\n", "let n = rank(X) - 1\n", ["sonnx.Keep-1"]),
        ("rank(X) + 1", "rank(X) - 1", ["sonnx.Keep-2", "sonnx.Keep-3"]),
        ("n > 0", "n >= 0", ["sonnx.Keep-3"]),
    ],
)
def test_only_the_versions_that_a_mutation_touches_are_stated_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, stated: list[str]
) -> None:
    outcome, made = _stated(VERSIONS, old, new, tmp_path, monkeypatch)

    assert outcome.verdict == "equivalent"
    assert [name for name in made if "Keep" in name] == stated


def test_a_version_that_applies_another_one_is_stated_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of version 1 is as before, but what it applies, through another operator, is version 3."""
    applied = VERSIONS.replace("value Y[i] = X[i]", "value Y[i] = Other(X)[i]", 1)
    outcome, made = _stated(applied, "then X[i]", "then X[i] + X[i]", tmp_path, monkeypatch)

    assert "sonnx.Keep-1" in made
    assert outcome.killer == "sonnx.Keep-1.int/one/example"
