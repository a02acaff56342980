"""What a mutation is blamed for: no mistake that the texts had before, and nothing written meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.judge import Judge
from sonnx_verify.cli import main
from sonnx_verify.language.project import Project
from sonnx_verify.language.reach import Reach
from sonnx_verify.solving.solvers import Solvers
from tests.mutation.mutations import mutation_of

pytestmark = pytest.mark.usefixtures("nothing_kept")

LIBRARY = """\
library numbers "Of numbers"

define cut(x : int, high : int) : int
  "x, or the bound that x lies beyond"
  = if x < high then x else high
"""
LAWS = """\
theory laws "Laws"
use numbers

theorem below "nothing is above the bound"
  for x, high : int
  : cut(x, high) <= high
"""
MISTAKE = """
theorem two "a mistake"
  for n : int; S : shape
  : n = S
"""
OPERATOR = """\
operator Op version 1 user

types int = int8 int16

input  X : tensor of T
output Y : tensor of T

[C1] constraint "X has an element" : rank(X) = 1 and X.shape[0] > 0
[E1] error      "X has none"       : when C1 fails

shape Y    = X.shape
value Y[i] = X[i]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library with a law, where the command runs."""
    for name, text in {"spec/common/numbers": LIBRARY, "proofs/laws": LAWS}.items():
        path = tmp_path / f"{name}.sonnx"
        path.parent.mkdir(parents=True)
        path.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def mutate() -> Callable[..., Result]:
    return lambda *arguments: CliRunner().invoke(main, ["mutate", *arguments], catch_exceptions=False)


def test_a_mistake_is_told_and_kills_nothing(project: Path, mutate: Callable[..., Result]) -> None:
    """In a text that uses the one with the mutation, and in that one: an error with its place, and no score."""
    assert mutate("--short", "--jobs", "1").exit_code == 1
    laws = project / "proofs" / "laws.sonnx"
    laws.write_text(LAWS + MISTAKE, "utf-8")
    found = mutate("--short", "--jobs", "1")

    assert (found.exit_code, found.stdout) == (2, "")
    assert "proofs/laws.sonnx:10:" in found.stderr
    laws.write_text(LAWS, "utf-8")
    (project / "spec" / "common" / "numbers.sonnx").write_text(LIBRARY.replace("else high", "else low"), "utf-8")
    assert "numbers.sonnx:5:" in mutate("--short").stderr


def test_what_fails_without_the_mutation_notices_nothing(project: Path, mutate: Callable[..., Result]) -> None:
    """Also where the mutation makes of a wrong text what the ledger has: it survives, and it is told why."""
    assert CliRunner().invoke(main, ["check", "--update-ledger"], catch_exceptions=False).exit_code == 0
    numbers = project / "spec" / "common" / "numbers.sonnx"
    numbers.write_text(LIBRARY.replace("if x < high", "if x > high"), "utf-8")
    said = mutate("--short", "--jobs", "1", "-v").stdout

    assert "8 mutations: 1 equivalent, proved, 7 surviving" in said
    assert "proofs.laws/below/theorem fails on it, and also without the mutation" in said


def test_what_is_written_meanwhile_is_not_read(project: Path) -> None:
    """Texts are read once."""
    texts = Reach.of(project, ()).texts
    with Solvers() as solvers:
        baseline = Baseline(Project.open(project, texts, closed=True), solvers)
        (project / "proofs" / "laws.sonnx").write_text(LAWS.replace("<= high", "< high"), "utf-8")
        (unit,) = (u for u in baseline.project.units if u.shown.endswith("numbers.sonnx"))
        assert unit.file is not None
        assert unit.file.span is not None
        outcome = Judge(baseline, short=True).judge(mutation_of(unit.file.span.source, "x < high", "x <= high"))

    assert outcome.verdict == "equivalent"


@pytest.mark.soak
def test_two_files_of_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mutate: Callable[..., Result]) -> None:
    """What fails in one of them says nothing of mutations in the other, whatever the number of processes."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"a": OPERATOR, "b": OPERATOR.replace("when C1 fails", "when rank(X) != 1")}.items():
        (tmp_path / "spec" / name).mkdir(parents=True)
        (tmp_path / "spec" / name / "op.sonnx").write_text(text, "utf-8")
    one, two = (mutate("spec", "--short", "-v", "--jobs", n).stdout for n in "12")

    assert one == two
    assert "spec/b/op.sonnx:9:44 0 -> 1 by" not in one


@pytest.mark.parametrize(
    ("line", "said"),
    [("²", "there is no specification"), ("999", "nothing to mutate"), (5000 * "9", "nothing to mutate")],
    ids=["no digit", "no line", "long"],
)
def test_what_is_no_line(project: Path, mutate: Callable[..., Result], line: str, said: str) -> None:
    found = mutate(f"spec/common/numbers.sonnx:{line}")

    assert (found.exit_code, found.stdout) == (2, "")
    assert said in found.stderr


def test_a_folder_without_specifications_has_no_mutants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mutate: Callable[..., Result]
) -> None:
    """The whole installed library is mutated only where it is asked for: that takes hours."""
    monkeypatch.chdir(tmp_path)

    done = mutate()
    assert done.exit_code == 2
    assert done.stderr.startswith("error: there is no specification here\n")
