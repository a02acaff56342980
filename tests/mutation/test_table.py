"""The committed table says what comes of our own mutants, and docs/mutants.md explains those that survive."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.judge import ALIVE, Fate, Outcome
from sonnx_verify.authoring.mutation.mutations import mutations_of
from sonnx_verify.authoring.mutation.processes import judged
from sonnx_verify.authoring.mutation.table import PLACE, count, read_table, row, table_changes, table_of
from sonnx_verify.cli import main
from sonnx_verify.errors import UserError
from sonnx_verify.language.project import Project
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.sources import Source
from tests.mutation.mutations import mutation_of

ROOT = Path(__file__).resolve().parents[2]
SMALL = Path(__file__).with_name("small")
linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
SOURCE = Source("a.sonnx", "one two\nthree\n")


def outcome(old: str, verdict: str, killer: str = "", finding: str = "") -> Outcome:
    """What came of a mutation in the text above."""
    return Outcome(mutation_of(SOURCE, old, "x"), Fate(verdict), killer, finding)


@pytest.mark.soak
def test_some_of_our_mutants_end_as_the_table_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few chosen by a hash, none of which survives; another part of the soak has all."""
    monkeypatch.chdir(ROOT)
    again = ["--sample", "4", "--short", "--jobs", "1", "--against", str(PLACE)]
    done = CliRunner().invoke(main, ["mutate", "spec/sonnx/max", "spec/sonnx/reducemax", *again])

    assert done.exit_code == 0, done.output
    assert "4 mutations" in done.output
    assert "matches the table" in done.output


def test_ninety_five_of_a_hundred_are_killed() -> None:
    rows = read_table(ROOT / PLACE).rows
    score = count(r["verdict"] for r in rows.values())["score"]

    assert score is not None
    assert score >= 95


def test_the_table_is_about_the_texts_as_they_are() -> None:
    """Of every library, profile, and standard that is in it, it has a row for every mutation, and no other."""
    project = Project.open(ROOT)
    rows = read_table(ROOT / PLACE).rows
    judged = {identity.partition(":")[0] for identity in rows}
    kinds = ("library", "profile")
    named = [u for u in project.units if u.file is not None and (u.file.kind in kinds or u.shown in judged)]
    wanted = []
    for unit in {u.place: u for u in named}.values():
        orders = {name: order.family for name, order in project.library(unit).orders.items()}
        assert unit.file is not None
        assert unit.file.span is not None
        wanted += [mutation.identity for mutation in mutations_of(unit.file.span.source, orders)]

    assert sorted(rows) == sorted(wanted)


def test_every_survivor_is_explained() -> None:
    page = (ROOT / "docs" / "mutants.md").read_text("utf-8")
    rows = read_table(ROOT / PLACE).rows
    left = [identity for identity, row in rows.items() if row["verdict"] in ALIVE]

    assert [identity for identity in left if f"`{identity}`" not in page] == []


@pytest.mark.soak
def test_the_outcomes_do_not_depend_on_the_number_of_processes() -> None:
    with Solvers() as solvers:
        baseline = Baseline(Project.open(SMALL), solvers)
        mutations = mutations_of(Source("cuts.sonnx", (SMALL / "cuts.sonnx").read_text("utf-8")), {})[-12:]
        one, two, three = (
            [(o.mutation, *row(o).items()) for o in judged(baseline, mutations, n, short=True)] for n in (2, 3, 1)
        )

    assert one == two == three
    assert len(one) == 12


ENDED = """
import json, os, signal
from pathlib import Path
from sonnx_verify.processes.limits import Limits
from sonnx_verify.sources import Source
from sonnx_verify.language.project import Project
from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.processes import judged
from sonnx_verify.authoring.mutation.mutations import mutations_of
from sonnx_verify.solving.solvers import Solvers

with Solvers() as solvers:
    baseline = Baseline(Project.open(Path.cwd()), solvers)
    mutations = mutations_of(Source("cuts.sonnx", Path("cuts.sonnx").read_text("utf-8")), {})[-12:]
    good = list(judged(baseline, mutations, 2, short=True))
    late = list(judged(baseline, mutations[:4], 2, short=True, limits=Limits(seconds=0.001)))
    outcomes = judged(baseline, mutations, 2, short=True)
    rest = [next(outcomes)]
    for task in Path("/proc/self/task").glob("*/children"):
        for child in task.read_text().split():
            os.kill(int(child), signal.SIGKILL)
    rest += outcomes
print(json.dumps([[[o.verdict, o.killer, o.reason] for o in found] for found in (good, late, rest)]))
"""


@pytest.mark.soak
@linux
def test_a_process_that_hangs_or_is_killed_costs_one_mutant() -> None:
    """What it was at is not shown, with the reason; what it had not begun is judged by another one. In a program of its
    own, as nothing is forked beside threads."""
    place = dict(os.environ)
    done = subprocess.run([sys.executable, "-c", ENDED], cwd=SMALL, env=place, capture_output=True, check=True)
    good, late, rest = json.loads(done.stdout)

    hung = "the process that worked on it had not come to an end after 0.001 seconds"
    assert late == [["not shown", "", hung]] * 4
    killed = [n for n, (_, _, reason) in enumerate(rest) if reason.endswith("ended by SIGKILL")]
    assert 1 <= len(killed) <= 2
    assert [o for n, o in enumerate(rest) if n not in killed] == [o for n, o in enumerate(good) if n not in killed]


@pytest.mark.parametrize("text", [
    '{"mutants": {"x": {"verdict": "killed"}}}',
    '{"mutants": {"a.sonnx:1:1 < -> >": {"verdict": "killed", "by": "a"}}}',
    '{"mutants": {"a.sonnx:1:1 < -> >": {"verdict": 1}}}',
    '{"mutants": {"a.sonnx:1:1 < -> >": {"verdict": "dead"}}}',
])  # fmt: skip  # a table
def test_rows_that_are_none_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.json"
    path.write_text(text, "utf-8")

    with pytest.raises(UserError, match="not a table of mutants"):
        read_table(path)


def test_what_cannot_be_written_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SMALL)
    done = CliRunner().invoke(main, ["mutate", "cuts.sonnx", "--out", "nowhere/table.json"])

    assert done.exit_code == 2
    assert "cannot be written" in done.stderr
    assert done.stdout == ""


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = table_of([outcome("three", "killed", "a/b/theorem", "refuted"), outcome("one", "surviving")])
    (tmp_path / "table.json").write_text(made.text(), "utf-8")

    assert read_table(tmp_path / "table.json") == made
    assert list(made.rows) == ["a.sonnx:1:1 one -> x", "a.sonnx:2:1 three -> x"]


def test_a_part_of_a_table_is_made_again() -> None:
    """What it said of other files stays; what it said of these goes."""
    other = Outcome(mutation_of(Source("b.sonnx", "one"), "one", "x"), Fate.KILLED, "a/b/theorem", "refuted")
    before = table_of([outcome("one", "surviving"), other])
    after = table_of([outcome("two", "rejected")], before, ["a.sonnx"])

    assert list(after.rows) == ["a.sonnx:1:5 two -> x", "b.sonnx:1:1 one -> x"]


def test_what_is_otherwise_is_told() -> None:
    table = table_of([outcome("one", "killed", "a/b/theorem", "refuted"), outcome("two", "not shown")])
    now = [outcome("one", "surviving"), outcome("two", "surviving"), outcome("three", "rejected")]

    assert table_changes(table, now, short=True) == [
        "a.sonnx:1:1 one -> x: was killed by a/b/theorem (refuted), is surviving",
        "a.sonnx:2:1 three -> x: not in the table; it is rejected",
    ]
    assert len(table_changes(table, now, short=False)) == 3


def test_the_score_leaves_out_what_is_equivalent_or_rejected() -> None:
    verdicts = ["killed"] * 19 + ["not shown", "equivalent", "rejected"]

    assert count(verdicts)["score"] == 95
    assert count(["equivalent"])["score"] is None
    assert count(["killed"] * 1999 + ["surviving"])["score"] == 99.9


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "this is not JSON"),
        ("[]", "not a table of mutants"),
        (None, "cannot be read"),
        ('{"mutants": {"a:1:1 b": {"verdict": "killed"}, "a:1:1 b": {"verdict": "surviving"}}}', "`a:1:1 b` is there"),
    ],
)
def test_what_is_no_table_is_told(tmp_path: Path, text: str | None, said: str) -> None:
    path = tmp_path / "table.json"
    if text is not None:
        path.write_text(text, "utf-8")

    with pytest.raises(UserError, match=said):
        read_table(path)
