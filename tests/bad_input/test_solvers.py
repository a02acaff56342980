"""Without both solvers nothing is proved: the verdict is unknown with the reason, and the exit status 3."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.api import cache
from sonnx_verify.api.statement import obligations_of
from sonnx_verify.cli import check as command
from sonnx_verify.cli import main
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.result import exit_status
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.solving.solvers import Solvers

ROOT = Path(__file__).parents[2]
TRUE = "for A, B : shape : broadcastable([A, B]) iff broadcastable([B, A])"
FALSE = "for S : shape; k : int assuming 0 <= k : aligned(S, k) = 1"
THEORY = f'use broadcast\ntheory small "one law"\ntheorem law "the order does not matter" {TRUE}\n'


def obligations(statement: str) -> list[Obligation]:
    """The verdicts of a statement."""
    return obligations_of(Project.open(ROOT), statement)


def records(asked: Sequence[Obligation], solvers: Solvers) -> tuple[list[Record], int]:
    """The records, and the exit status that they make."""
    made = list(run(asked, solvers))
    return made, exit_status([result_of(r) for r in made], 0, solvers.versions())


@pytest.mark.parametrize("names", [("z3", "nosolver"), ("nosolver", "cvc5"), ("nosolver", "othersolver")])
def test_solver_is_missing(names: tuple[str, ...]) -> None:
    """One solver's unsat is no proof: unknown, and the reason says which solver is not installed."""
    with Solvers(names) as solvers:
        made, status = records(obligations(TRUE), solvers)

    assert [r.verdict.name for r in made] == ["unknown"]
    assert status == 3
    assert "nosolver: not installed" in made[0].verdict.reason


@pytest.mark.parametrize("names", [("z3",), ("cvc5",), ()])
def test_one_solver_is_not_two(names: tuple[str, ...]) -> None:
    """A pool of one solver, or of none, proves nothing."""
    with Solvers(names) as solvers:
        made, status = records(obligations(TRUE), solvers)

    assert [r.verdict.name for r in made] == ["unknown"]
    assert made[0].verdict.reason
    assert status == 3


def test_refuted_without_solvers() -> None:
    """A replayed counterexample needs no solver: it is a finding all the same."""
    with Solvers(("nosolver", "othersolver")) as solvers:
        made, status = records(obligations(FALSE), solvers)

    assert [r.verdict.name for r in made] == ["refuted"]
    assert made[0].counterexample is not None
    assert status == 1


def test_front_door_without_a_solver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`check` says that the solver is not installed, in text and in JSON, and ends with 3."""
    monkeypatch.chdir(tmp_path)
    Path("small.sonnx").write_text(THEORY, "utf-8")
    # The command asks for versions, and has the cache make the solvers that decide.
    for module in (command, cache):
        monkeypatch.setattr(module, "Solvers", lambda **more: Solvers(("z3", "nosolver"), **more))
    text = CliRunner().invoke(main, ["check", "small.sonnx"])
    made = CliRunner().invoke(main, ["check", "small.sonnx", "--format", "json"])
    answer = json.loads(made.stdout)

    assert (text.exit_code, made.exit_code) == (3, 3)
    assert "nosolver (not installed)" in text.stdout
    assert "nosolver: not installed" in text.stdout
    assert answer["solvers"]["nosolver"] is None
    assert "proved" not in answer["summary"]["verdicts"]


def test_budget_is_exhausted() -> None:
    """With next to no work allowed: unknown, because of the budget."""
    with Solvers(budget=1) as solvers:
        made, status = records(obligations("Max(A, B) = Max(B, A)")[:1], solvers)

    assert [r.verdict.name for r in made] == ["unknown"]
    assert status == 3
    assert "budget" in made[0].verdict.reason


LARGE = """theory large "one law that takes memory, one that takes none"

types int = int64

theorem squares "no square is -1"
  for w, x, y, z : T assuming w * w = w and w != w + w :
    x * x * y * y * z * z * (x + y) * (x + y) * (y + z) * (y + z) + w != w - w
theorem more "above" for k : int : k < k + 1
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a limit on memory may not be kept")
def test_memory_is_exhausted(tmp_path: Path) -> None:
    """With little memory allowed: unknown, because of the memory, and what stands below it is proved."""
    path = tmp_path / "large.sonnx"
    path.write_text(LARGE, "utf-8")
    project = Project.of_files(tmp_path, [path])
    with Solvers(memory=100 * 2**20) as solvers:
        made, status = records([o for o in collect(project) if o.answer is None], solvers)

    assert [r.verdict.name for r in made] == ["unknown", "proved"]
    assert status == 3
    assert made[0].verdict.reason == "z3: memory; cvc5: memory"


def test_solver_crashes() -> None:
    """A worker that is killed at every query gives unknown, because it crashed; nothing hangs."""
    over = threading.Event()

    def kill(solvers: Solvers) -> None:
        # A worker that ends is started anew for the next attempt, which has to meet the same end.
        while not over.wait(0.002):
            pid = solvers.pid("cvc5")
            if pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    with Solvers() as solvers:
        killer = threading.Thread(target=kill, args=(solvers,))
        killer.start()
        try:
            made, status = records(obligations(TRUE), solvers)
        finally:
            over.set()
            killer.join()

    assert [r.verdict.name for r in made] == ["unknown"]
    assert status == 3
    assert "cvc5: crashed" in made[0].verdict.reason
