"""What a report decides beside the obligations of files: recalled where nothing changed, and believed no more than
verdicts are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from sonnx_verify.logic.status import Status
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.results.difference import Answer, Aspect, Difference, Question, Row
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.place import Place
from sonnx_verify.results.result import Query
from sonnx_verify.results.result import Result as Decided
from sonnx_verify.stores.basis import Basis
from sonnx_verify.stores.comparisons import Comparisons
from sonnx_verify.stores.store import Store

Run = Callable[..., Result]
LIBRARY = """library limits "Of limits"

define is_enough(n : int) : bool = n > 0
"""
STANDARD = """operator Foo version {version} standard
use limits

types int = int8

input  X : tensor of T
output Y : tensor of T

{clause}
shape Y = X.shape
value Y[i] = X[i]
"""
CLAUSE = '[C1] constraint "X has axes" : is_enough(rank(X))\n[E1] error "X has none" : when C1 fails\n'
WIDER = "accepted by onnx.Foo-2 only: X = int8 () 0"


@pytest.fixture
def versions(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two versions of an operator, the first of which uses a library."""
    folder = tmp_path / "project"
    (folder / "spec" / "onnx").mkdir(parents=True)
    (folder / "spec" / "common").mkdir()
    (folder / "spec" / "common" / "limits.sonnx").write_text(LIBRARY, "utf-8")
    for version, clause in ((1, CLAUSE), (2, "")):
        text = STANDARD.format(version=version, clause=clause)
        (folder / "spec" / "onnx" / f"foo_{version}.sonnx").write_text(text, "utf-8")
    monkeypatch.chdir(folder)
    return folder


def told(run: Run, *options: str) -> str:
    """All that a report says."""
    done = run("report", "--out", "r", *options)
    assert done.exit_code == 0, done.output
    return "".join(path.read_text("utf-8") for path in sorted(Path("r").rglob("*.html")))


def forge(cache: Path, change: Callable[[str], str]) -> None:
    """Change the one entry that has a difference, with the right hash."""
    store = Store(cache)
    found = [(key, store.read("comparisons", key)) for key in store.keys("comparisons")]
    ((key, body),) = [(key, body) for key, body in found if body is not None and b'"base":' in body]
    changed = change(body.decode())
    assert changed != body.decode()
    store.write("comparisons", key, changed.encode())


def forge_gaps(cache: Path, old: bytes, new: bytes) -> int:
    """Write another thing into what is left open; into how many entries."""
    store = Store(cache)
    made = 0
    for key in store.keys("comparisons"):
        body = store.read("comparisons", key)
        if body is not None and b'"shown":' in body and old in body:
            store.write("comparisons", key, body.replace(old, new))
            made += 1
    return made


def another_answer(body: str) -> str:
    """The entry with an answer that its verdict does not give."""
    made = json.loads(body)
    row = next(row for row in made["rows"] if row["answer"] == "different")
    row["answer"] = "same"
    return json.dumps(made)


def one_solver(body: str) -> str:
    """The entry with a proof for which one solver alone speaks."""
    made = json.loads(body)
    row = next(row for row in made["rows"] if row["result"]["verdict"] == "proved")
    row["result"]["answers"]["z3"] = "unknown"
    # If it were believed, it would be told.
    return json.dumps(made).replace("onnx.Foo-2", "onnx.Foo-3")


def test_a_difference_is_recalled(versions: Path, cache: Path, run: Run) -> None:
    """Where nothing changed, a report says what was kept, and is the same to the byte."""
    first = told(run)
    assert WIDER in first
    assert told(run) == first
    forge(cache, lambda body: body.replace("onnx.Foo-2", "onnx.Foo-3"))

    assert WIDER.replace("Foo-2", "Foo-3") in told(run)


def test_another_text_of_a_library_is_another_difference(versions: Path, cache: Path, run: Run) -> None:
    """A definition that one of the two uses says something else: what was kept is not told."""
    told(run)
    forge(cache, lambda body: body.replace("onnx.Foo-2", "onnx.Foo-3"))
    path = versions / "spec" / "common" / "limits.sonnx"
    path.write_text(LIBRARY.replace("n > 0", "n > 1"), "utf-8")
    now = told(run)

    assert "Foo-3" not in now
    assert "accepted by onnx.Foo-2 only: X = int8 ()" in now


@pytest.mark.parametrize("change", [another_answer, one_solver, lambda body: "{}", lambda body: body[:-9]])
def test_what_no_run_can_have_reached(versions: Path, cache: Path, run: Run, change: Callable[[str], str]) -> None:
    """An answer that is not what its verdict means, a proof by one solver, what is no difference: decided again."""
    first = told(run)
    forge(cache, change)

    assert told(run) == first


def test_nothing_is_recalled_without_a_cache(
    versions: Path, cache: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = told(run)
    forge(cache, lambda body: body.replace("onnx.Foo-2", "onnx.Foo-3"))
    monkeypatch.setenv("SONNX_VERIFY_CACHE", "off")

    assert told(run) == first


OPEN = '[U_A] unspecified value Y[i] "zero may be anything" when X[i] = T(0)\n'


def test_gaps_are_recalled(versions: Path, cache: Path, run: Run) -> None:
    """What is left open is told as it was kept, if it is shown on the input that its obligation was shown on."""
    path = versions / "spec" / "onnx" / "foo_2.sonnx"
    path.write_text(path.read_text("utf-8") + OPEN, "utf-8")
    first = told(run)
    assert "zero may be anything" in first
    assert told(run) == first
    assert forge_gaps(cache, b"may be anything", b"may be nothing") == 1
    assert "zero may be nothing" in told(run)

    assert forge_gaps(cache, b'"dtype":"int8"', b'"dtype":"int9"') == 1
    assert told(run) == first


def test_formulas_of_pages_are_recalled(versions: Path, cache: Path, run: Run) -> None:
    """As long as the page says the same: its text is a part of the key."""
    head = 'operator Bar version 1 user\n  page "bar.md"\n\ntypes int = int8\n\ninput  X : tensor of T\n'
    body = 'output Y : tensor of T\n\n[C1] constraint "axes" : rank(X) > 0\n[E1] error "none" : when C1 fails\n'
    (versions / "bar.sonnx").write_text(f"{head}{body}\nshape Y = X.shape\nvalue Y[i] = X[i]\n", "utf-8")
    table = '| Constraint | Statement |\n|---|---|\n| `[C1]` <a id="int-C1"></a> | $rank(X) > {}$ |\n'
    page = f"# **Bar** (int)\n\n## Inputs\n\n{table}"
    (versions / "bar.md").write_text(page.format(0), "utf-8")

    def agreement() -> str:
        done = run("report", "--out", "r", "bar.sonnx")
        assert done.exit_code == 0, done.output
        return (versions / "r" / "texts" / "user.Bar-1" / "clauses-int.html").read_text("utf-8")

    assert "as it is read, proved equivalent" in agreement()
    store = Store(cache)
    for key in store.keys("comparisons"):
        kept = store.read("comparisons", key)
        if kept is not None and b"bar.md" in kept and kept.startswith(b"["):
            store.write("comparisons", key, kept.replace(b'"proved"', b'"refuted"'))
    assert "refuted: see below" in agreement()
    (versions / "bar.md").write_text(page.format("0 "), "utf-8")
    assert "as it is read, proved equivalent" in agreement()


def test_differences_by_several_processes(versions: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever decides, and whatever was recalled of what they rest on."""
    monkeypatch.setenv("SONNX_VERIFY_CACHE", "off")
    alone = told(run, "--jobs", "1")

    assert WIDER in alone
    assert told(run, "--jobs", "3") == alone


class Same:
    """A project in which nothing changes."""

    def snapshot(self) -> str:
        return "the same"

    def snapshot_of(self, path: Path) -> str:
        return "the same"

    def again(self) -> Same:
        return self


UNSAT, SAT, UNKNOWN = Status.UNSAT, Status.SAT, Status.UNKNOWN
BOTH = {"z3": UNSAT, "cvc5": UNSAT}


@pytest.mark.parametrize(
    ("verdict", "answers", "queries", "kept"),
    [
        # The solvers have models, or gave up within their budgets, which is known of the query `known`.
        (VerdictName.CANDIDATE, {"z3": SAT}, {"other": {"z3": SAT}}, True),
        (VerdictName.UNKNOWN, {"z3": UNKNOWN}, {"known": {"z3": UNKNOWN}}, True),
        # A clock or the memory ended one of them: another run may know more.
        (VerdictName.UNKNOWN, {"z3": UNKNOWN}, {"known": {"z3": UNKNOWN}, "other": {"z3": UNKNOWN}}, False),
        (VerdictName.CANDIDATE, {"z3": SAT}, {"other": {"z3": UNKNOWN}}, False),
        # A process ended, or it rests on something that is undecided.
        (VerdictName.UNKNOWN, {}, {}, False),
        (VerdictName.UNKNOWN, BOTH, {"known": BOTH}, False),
    ],
)
def test_what_is_undecided(
    tmp_path: Path, verdict: VerdictName, answers: dict[str, Status], queries: dict[str, dict[str, Status]], kept: bool
) -> None:
    """It is kept where every run would leave it undecided, and else another one decides it again."""
    result = Decided(
        id="onnx.Foo-2/onnx.Foo-1.results/diff", subject="onnx.Foo-2", operator="onnx.Foo", version=2, section="",
        tag="onnx.Foo-1.results", kind=Kind.DIFF, title="", place=Place("foo.sonnx"), types=(), declared=(),
        variables={}, verdict=verdict, reason="", answers=answers,
        queries=tuple(Query(sha256, given) for sha256, given in queries.items()),
    )  # fmt: skip  # a table
    row = Row(Question(Aspect.RESULTS), Answer.UNKNOWN, result=result)
    found = Difference("onnx.Foo-2", "onnx.Foo-1", (row,), frozenset({Aspect.RESULTS}))
    store = Comparisons(Store(tmp_path / "cache"), Basis(Same(), {"z3": "1", "cvc5": "1"}))
    store.keep_differences([(("a", "b"), found)], lambda _, sha256: sha256 == "known")

    assert store.difference(("a", "b")) == (found if kept else None)
    assert store.difference(("b", "a")) is None
