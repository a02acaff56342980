"""Mutants of what a standard leaves open: each is noticed by an input just inside or just outside its condition."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sonnx_verify.authoring.mutation import baseline as baseline_module
from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.judge import EDGE, Judge, Outcome
from sonnx_verify.authoring.mutation.processes import judged as judged_in_processes
from sonnx_verify.language.meaning import LeftOpen, Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.results.example import example_lines
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.solving.inputs.edges import Edge, edges_of
from sonnx_verify.solving.solvers import Solvers
from tests.mutation.mutations import mutation_of

ROOT = Path(__file__).parents[2]
linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
STANDARD = """operator Raise version 1 standard

types int = int8 int16

input     X    : tensor of T
attribute mode : int default 1
output    Y    : tensor of T

shape Y    = X.shape
value Y[i] = X[i] + T(3)

[U_MODE] unspecified outcome "no word on other modes" when not 0 <= mode <= 4
[U_BEYOND] unspecified value Y[i] "no word on overflow" when not int(X[i]) + 3 <= int(T.greatest)
"""
Judged = Callable[[str, str, str], Outcome]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    """The outcome of a mutation in a text of a project."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "spec" / "onnx").mkdir(parents=True)
    (folder / "spec" / "onnx" / "raised.sonnx").write_text(STANDARD, "utf-8")
    with Solvers() as solvers:
        baselines = {root: Baseline(Project.open(root), solvers) for root in (folder, ROOT)}

        def judge(name: str, old: str, new: str) -> Outcome:
            root = folder if name == "raised" else ROOT
            unit = next(u for u in baselines[root].project.units if (u.namespace, u.path.stem) == ("onnx", name))
            assert unit.file is not None
            assert unit.file.span is not None
            return Judge(baselines[root], short=True).judge(mutation_of(unit.file.span.source, old, new))

        yield judge


@pytest.mark.parametrize(
    ("old", "new", "killer", "reason", "shown"),
    [
        ("0 <= mode", "0 < mode", "U_MODE", "outside is now", ["X    = int8 () 0", "mode = 0"]),
        ("0 <= mode", "-1 <= mode", "U_MODE", "inside is no longer", ["X    = int8 () 0", "mode = -1"]),
        ("mode <= 4", "mode < 4", "U_MODE", "outside is now", ["X    = int8 () 0", "mode = 4"]),
        ("mode <= 4", "mode <= 5", "U_MODE", "inside is no longer", ["X    = int8 () 0", "mode = 5"]),
        ("+ 3 <= int", "+ 3 < int", "U_BEYOND", "outside is now", ["X    = int8 () 124", "mode = not given, so 1"]),
        (
            "+ 3 <= int",
            "+ 2 <= int",
            "U_BEYOND",
            "inside is no longer",
            ["X    = int8 () 125", "mode = not given, so 1"],
        ),
    ],
)
def test_a_moved_edge(old: str, new: str, killer: str, reason: str, shown: list[str], judged: Judged) -> None:
    """The input at the edge is on the other side."""
    outcome = judged("raised", old, new)

    assert (outcome.verdict, outcome.killer, outcome.finding) == ("killed", f"onnx.Raise-1.int/{killer}/gap", "edge")
    assert outcome.reason == f"the input just {reason} left open"
    assert outcome.shown is not None
    assert example_lines(example_of(outcome.shown)) == shown


def test_an_item_that_is_dropped(judged: Judged) -> None:
    """Nothing is left open any more."""
    dropped = STANDARD[STANDARD.index("[U_BEYOND]") :]
    outcome = judged("raised", dropped, "")

    assert (outcome.verdict, outcome.killer) == ("killed", "onnx.Raise-1.int/U_BEYOND/gap")


@pytest.mark.soak
@pytest.mark.parametrize(
    ("old", "new"),
    [("not int(T.lowest) <= sum", "not int(T.lowest) < sum"), (" <= int(T.greatest)", " < int(T.greatest)")],
)
def test_the_overflow_of_reducesum(old: str, new: str, judged: Judged) -> None:
    """A sum that is the lowest or the greatest of the type is none that overflows."""
    outcome = judged("reducesum", old, new)

    assert (outcome.killer, outcome.finding) == ("onnx.ReduceSum-1.int/U_OVERFLOW/gap", "edge")


@linux
def test_edges_are_found_once_for_all_processes_and_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spec" / "onnx").mkdir(parents=True)
    (tmp_path / "spec" / "onnx" / "raised.sonnx").write_text(f"{STANDARD}\nversion 2\nadd types int = int32\n", "utf-8")
    calls = tmp_path / "calls"

    def noted(meaning: Meaning, item: LeftOpen, solvers: Solvers | None = None) -> list[Edge]:
        with calls.open("a", encoding="utf-8") as file:
            file.write(f"{item.rule.tag}\n")
        return edges_of(meaning, item, solvers)

    monkeypatch.setattr(baseline_module, "edges_of", noted)
    with Solvers() as solvers:
        baseline = Baseline(Project.open(tmp_path), solvers)
        (source,) = {u.file.span.source for u in baseline.project.units if u.file and u.file.span}
        mutations = [mutation_of(source, "0 <= mode", new) for new in ("0 < mode", "-1 <= mode")]
        found = [outcome.finding for outcome in judged_in_processes(baseline, mutations, 2, short=True)]

    assert found == [EDGE, EDGE]
    assert calls.read_text("utf-8") == "U_MODE\nU_BEYOND\n"
