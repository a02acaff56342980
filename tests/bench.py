"""Speed, against the targets of docs/design.md. Prints a table; never fails for being slow."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from itertools import combinations, product
from pathlib import Path

from sonnx_verify.check.collect import collect
from sonnx_verify.check.run import run, usable_cores
from sonnx_verify.check.work import Work
from sonnx_verify.counterexample.inputs import interpretation
from sonnx_verify.language.project import Project
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.logic.terms import and_
from sonnx_verify.solvers import Solvers, cvc5_solver, z3_solver
from sonnx_verify.solvers.limits import DEFAULT_BUDGET

ROOT = Path(__file__).parent.parent


def seconds(*command: str, runs: int = 3) -> float:
    """The least of some runs of a command."""
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "sonnx_verify", *command], cwd=ROOT, capture_output=True, check=True)
        taken.append(time.perf_counter() - began)
    return min(taken)


def jobs_ratio() -> tuple[float, float]:
    """Seconds of a full check by one process, and by the default number of them, taken in turns."""
    one, default = [], []
    for _ in range(3):
        one.append(seconds("check", "--jobs", "1", runs=1))
        default.append(seconds("check", runs=1))
    return min(one), min(default)


def query_times() -> dict[str, list[float]]:
    """Seconds of every query of a full check, asked once more of each solver, alone."""
    texts: dict[str, None] = {}
    with Solvers() as solvers:
        submit = solvers.submit

        def noting(text: str, want: tuple[str, ...] = ()) -> object:
            texts[text] = None
            return submit(text, want)

        solvers.submit = noting  # type: ignore[method-assign,assignment]  # to see the texts as they are asked
        for _ in run(collect(Project.open(ROOT)), solvers):
            pass
    taken: dict[str, list[float]] = {"z3": [], "cvc5": []}
    for text in texts:
        for name, solver in (("z3", z3_solver), ("cvc5", cvc5_solver)):
            began = time.perf_counter()
            solver.ask(text, DEFAULT_BUDGET)
            taken[name].append(time.perf_counter() - began)
    return taken


LAW = "proofs.reducing/result_broadcasts_back/theorem"
SIZES = (0, 1, 2)


def law_beside_enumeration() -> list[tuple[str, str, str]]:
    """What a law of shapes and sets of axes costs for all of them, and for those of one rank after the other with
    sizes up to 2, by the reference evaluator."""
    (law,) = [o for o in collect(Project.open(ROOT)) if o.id == LAW]
    with Solvers() as solvers:
        began = time.perf_counter()
        (record,) = run([law], solvers)
        rows = [(f"{LAW}: {record.verdict.name}", f"{1000 * (time.perf_counter() - began):.0f} ms", "flat in the rank")]
    statement, _ = Work(law).on(ELEMENT)
    false = [and_(*claim.refutation) for claim in statement.claims]
    for rank in range(6):
        began, number = time.perf_counter(), 0
        for shape in product(SIZES, repeat=rank):
            for size in range(rank + 1):
                for axes in combinations(range(rank), size):
                    facts = interpretation(statement.variables, {"S": shape, "A": frozenset(axes)})
                    assert not any(evaluate(f, facts) for f in false), (shape, axes)
                    number += 1
        taken = time.perf_counter() - began
        rows.append((f"  the same, rank {rank}: {number} shapes and sets of axes", f"{1000 * taken:.0f} ms", ""))
    return rows


def main() -> None:
    """Measure and print."""
    one, default = jobs_ratio()
    rows = [
        ("check of everything, nothing cached, both solvers", f"{default:.1f} s", "15 s"),
        (f"as many times as long with --jobs 1 as with {usable_cores()}", f"{one / default:.2f}", "> 1"),
        ("--help", f"{1000 * seconds('--help'):.0f} ms", "150 ms"),
    ]
    for name, taken in query_times().items():
        ordered = sorted(taken)
        late = ordered[int(len(ordered) * 0.95)]
        rows.append((f"one query, {name}, median", f"{1000 * statistics.median(ordered):.1f} ms", "10 ms"))
        rows.append((f"one query, {name}, 95 %", f"{1000 * late:.0f} ms", "200 ms"))
    for what, measured, target in rows + law_beside_enumeration():
        print(f"{what:<52} {measured:>9}   {target and 'target ' + target}".rstrip())


if __name__ == "__main__":
    main()
