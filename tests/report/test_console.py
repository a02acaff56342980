"""What commands tell of obligations and of input, in which words and how often."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.cli import main
from sonnx_verify.logic.status import Status
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.outputs.console import summary
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.place import Place
from sonnx_verify.results.result import Query
from sonnx_verify.results.result import Result as Obligation

OPERATOR = """\
operator Near version 1 user

types int = int8 int16

input  X : tensor of T
output Y : tensor of T

[C1] constraint "vector" : rank(X) = 1
[C2] constraint "some"   : X.shape[0] > 0
[C3] constraint "more"   : X.shape[0] > 1
[E1] error      "rank"   : when C1 fails
[E2] error      "none"   : when C2 fails
[E3] error      "one"    : when C3 fails

shape Y    = X.shape
value Y[i] = X[i]
"""


def run(*arguments: str) -> Result:
    """The command in this process."""
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


@pytest.mark.parametrize(("error", "said"), [
    ("when C2 fails", ": C2 fails, so E2"),
    ("when C2 fails or C3 fails", ": C2 fails, so E2"),
    ("X.shape[0] = 0", ": C2 and C3 fail, so E2"),
])  # fmt: skip  # a table
def test_which_constraint_an_error_comes_of(
    error: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`C2 fails` says that it is the first that does not hold: what does not hold below it is no cause of the error."""
    (tmp_path / "near.sonnx").write_text(OPERATOR.replace("when C2 fails", error), "utf-8")
    monkeypatch.chdir(tmp_path)
    done = run("eval", "user.Near-1", "--input", "X=int8:[]")

    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1].endswith(said)


MISTAKES = """\
theory wrong "in every section"

types int = int8 int16
types float = float16 float
types bool = bool

theorem one "a number" for x : T : x + (1 + 1) = x
theorem two "no name"  for x : T : nope = x
"""


@pytest.mark.parametrize("command", [("check",), ("check", "--export-smt", "out")])
def test_a_mistake_is_told_once(command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is called in each section of the text."""
    (tmp_path / "wrong.sonnx").write_text(MISTAKES, "utf-8")
    monkeypatch.chdir(tmp_path)
    done = run(*command)
    places = re.findall(r"^(\w+\.sonnx:\d+:\d+): error: ", done.stderr, re.MULTILINE)

    assert (done.exit_code, places) == (2, ["wrong.sonnx:7:36", "wrong.sonnx:8:36"])
    assert "2 errors: " in done.output


def test_one_finding_is_expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One is one, two are several."""
    text = OPERATOR.replace("version 1 user", "version 1 draft").replace("[E3]", "-- [E3]")
    (tmp_path / "near.sonnx").write_text(text + 'expect refuted C3/covered "no error for it"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    done = run("check")

    assert done.exit_code == 1
    assert "1 expected finding" in done.stdout.splitlines()


@pytest.mark.parametrize("arguments", [
    ("check", "user.Near-1"), ("check", "user.*"), ("check", "user.Near-1.int/C2/covered"),
    ("explain", "--list", "user.Near-1"), ("explain", "--terms", "user.Near-1.int/C2/covered"),
    ("explain", "user.Near-1.int/C2/covered"),
], ids=" ".join)  # fmt: skip  # a table
def test_a_mistake_is_told_of_what_is_called_by_name(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it hides is not said to be unknown, nor passed over; a name that speaks of another text is not concerned."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "near.sonnx").write_text(OPERATOR.replace('[C3] constraint "more"   : X.shape[0] > 1\n', ""), "utf-8")
    (tmp_path / "far.sonnx").write_text(OPERATOR.replace("Near version 1", "Near version 13"), "utf-8")
    done = run(*arguments)

    assert done.exit_code == 2
    assert "near.sonnx:12:" in done.stderr
    assert "unknown constraint `C3`" in done.stderr
    assert run("explain", "--list", "user.Near-13").exit_code == 0


def test_queries_are_counted_by_who_answered_them() -> None:
    """A query that was asked twice counts once; what one solver alone was asked is not among those asked of all."""
    both = {"z3": Status.UNSAT, "cvc5": Status.UNSAT}
    lines = summary(
        [of_queries("a", Query("1", both), Query("2", {"z3": Status.SAT})), of_queries("b", Query("1", both))],
        {"z3": "1.0", "cvc5": "2.0"},
    )

    assert lines[0] == "2 obligations: 2 proved"
    assert "2 SMT queries, 1 sent to both solvers: z3 1.0 and cvc5 2.0" in lines


def test_other_voices_are_counted_where_they_spoke() -> None:
    """bitwuzla, and the enumeration of all values; a run without them does not mention them."""
    versions: dict[str, str | None] = {"z3": "1.0", "cvc5": "2.0", "bitwuzla": "3.0"}
    left_open = {"z3": Status.UNSAT, "cvc5": Status.UNKNOWN, "bitwuzla": Status.UNSAT}
    counted = {"z3": Status.UNKNOWN, "cvc5": Status.UNSAT, "enumeration": Status.UNSAT}
    alone = summary([of_queries("a", Query("1", {"z3": Status.UNSAT, "cvc5": Status.UNSAT}))], versions)
    lines = summary([of_queries("a", Query("1", left_open), Query("2", counted))], versions)

    assert "1 SMT query, 1 sent to both solvers: z3 1.0 and cvc5 2.0" in alone
    assert not any("bitwuzla" in line or "enumeration" in line for line in alone)
    assert "2 SMT queries, 2 sent to both solvers: z3 1.0 and cvc5 2.0" in lines
    assert "1 of them sent to bitwuzla 3.0 too" in lines
    assert "1 of them beside an enumeration of all values" in lines


def of_queries(name: str, *queries: Query) -> Obligation:
    """The result of an obligation that was proved by these queries."""
    return Obligation(
        id=f"user.Foo-1/{name}/total", subject="user.Foo-1", operator="user.Foo", version=1, section="", tag=name,
        kind=Kind.TOTAL, title="", place=Place("foo.sonnx"), types=(), declared=(), variables={},
        verdict=VerdictName.PROVED, reason="", scope="every rank", queries=queries,
    )  # fmt: skip  # a table


def test_the_slowest_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On standard error, as the seconds of the run: what is printed stays the same bytes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "near.sonnx").write_text(OPERATOR, "utf-8")
    plain, timed = (run("check", "near.sonnx", "--no-cache", *more) for more in ([], ["--times"]))
    *rows, whole = timed.stderr.splitlines()
    seconds = [float(row.split()[0]) for row in rows]

    assert timed.stdout == plain.stdout
    assert re.fullmatch(r"\d+\.\d\d s", whole)
    assert rows
    assert all(re.fullmatch(r" +\d+\.\d\d s  user\.Near-1\S*", row) for row in rows)
    assert seconds == sorted(seconds, reverse=True)
