"""`explain` of a clause and of a proof: what a clause excludes, what implies it, and what needs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

SCHEMA = json.loads((Path(__file__).parents[2] / "sonnx_verify/outputs/explain.schema.json").read_text("utf-8"))
ROWS = """\
operator Row version 1 user

types int = int8

input     X : tensor of T
attribute a : int default 0
attribute b : int default 0
output    Y : tensor of T

[C1] constraint "X is a matrix"       : rank(X) = 2
[C2] constraint "X has an axis"       : rank(X) > 0
[C3] constraint "X has a row"         : X.shape[0] > 0
[C4] constraint "a is at most b"      : a <= b
[C5] constraint "b is at most 1"      : b <= 1
[C6] constraint "a is at most 1"      : a <= 1
[R1] restriction "the model is clean" : outside the model
[E1] error "no matrix" : when C1 fails
[E2] error "no row"    : when C3 fails
[E3] error "a above b" : when C4 fails
[E4] error "b above 1" : when C5 fails
[E5] error "a cube"    : when rank(X) = 3 and b = 0

shape Y    = shape (k in 0 .. 0 -> X.shape[1])
value Y[i] = X[[0, i[0]]]
"""
LAWS = """\
theory rows "Laws of Row"

types int = int8

theorem short "the result is a vector"
  for X : tensor of T assuming Row(X with a = 0, b = 0) is valid
  : rank(Row(X with a = 0, b = 0)) = 1

theorem plain "a matrix has two axes" for X : tensor of T : rank(X) = 2 => rank(X) > 1
"""
SIGNED = """\
operator Op version 1 user

types int = int8

input  X : tensor of T
input  K : tensor of T
output Y : tensor of T

[C1] constraint "same shape"       : X.shape = K.shape
[C2] constraint "nothing negative" : for all i in X : X[i] >= T(0)
[E1] error      "not the same"     : when C1 fails
[E2] error      "negative"         : when C2 fails

shape Y    = X.shape
value Y[i] = X[i]
"""
USED = """\
theory z_used "what others use"
types int = int8

theorem signed "no element is negative" for A, B : tensor of T assuming Op(A, B) is valid
  : for all i in indices(A) : A[i] >= T(0)

theorem below "no element of Op(A, A) is negative" for A : tensor of T assuming Op(A, A) is valid using signed(A, A)
  : for all i in indices(A) : A[i] >= T(0)
"""
USING = """\
theory a_using "what stands before it"
use z_used
types int = int8

theorem again "no element is negative" for A, B : tensor of T assuming Op(A, B) is valid using signed(A, B)
  : for all i in indices(A) : A[i] >= T(0)

theorem quiet "the operator is not named" for A, B : tensor of T using signed(A, B)
  : A.shape = B.shape => B.shape = A.shape

theorem plain "nothing is used" for A, B : tensor of T : A.shape = B.shape => B.shape = A.shape
"""
SMALL = """\
use small

operator Op version 1 user

types int = int8

input     X : tensor of T
attribute n : int default 0
output    Y : tensor of T

using wrong(n)

[C1] constraint "a vector"  : rank(X) = 1
[C2] constraint "not large" : n <= 2000
[C3] constraint "Y is long" : Y.shape[0] >= n - 1000
[E1] error      "no vector" : when C1 fails
[E2] error      "large"     : when C2 fails

shape Y    = X.shape
value Y[i] = if n <= 1500 then X[i] else X[[0]]
"""
WRONG = """\
theory small "what is not so"

theorem wrong "n is small" for n : int : n <= 1000 and n != 3
"""


def command(*arguments: str) -> tuple[int, str, str]:
    """The exit status, standard output and standard error of a command."""
    done = CliRunner().invoke(main, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an operator, one clause of which follows from another and one from two."""
    (tmp_path / "row.sonnx").write_text(ROWS, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(identity: str) -> tuple[int, Any]:
    """The exit status and the JSON of `explain`."""
    status, out, _ = command("explain", identity, "--format", "json")
    made = json.loads(out)
    if "obligation" not in made:
        jsonschema.validate(made, SCHEMA)
    return status, made


def implied(found: Any) -> Any:
    """What a clause of one section follows from."""
    (section,) = found["excludes"]
    return section["follows_from"]


@pytest.mark.parametrize(
    ("tag", "clauses"), [("C2", ["C1"]), ("C6", ["C4", "C5"]), ("E5", ["E1"])], ids=lambda x: str(x)
)
def test_what_implies_a_redundant_clause(row: Path, tag: str, clauses: list[str]) -> None:
    """The smallest set of others: of one clause, of two, and of errors one that applies wherever it does."""
    status, found = answer(f"user.Row-1/{tag}")

    assert (status, implied(found)) == (0, {"clauses": clauses, "smallest": True})
    assert found["excludes"][0]["redundant"] is True
    assert found["excludes"][0]["witness"] is None


def test_a_clause_that_is_needed(row: Path) -> None:
    """The input that it alone rejects; the proofs that fail without it, with the smallest counterexample; those that do
    not; and, of a theory, what rests on the first."""
    (row / "rows.sonnx").write_text(LAWS, "utf-8")
    status, found = answer("user.Row-1/C3")
    proofs = {p["id"]: p for p in found["proofs"]}

    assert status == 0
    assert found["excludes"][0]["redundant"] is False
    assert found["excludes"][0]["witness"]["inputs"]["X"]["shape"] == [0, 0]
    (need,) = [p for p in proofs.values() if p["needs"] and not p["rests_on"]]
    assert need["id"] == "user.Row-1.int/Y.value/in-bounds"
    assert need["counterexample"]["inputs"]["X"]["shape"] == [0, 1]
    assert proofs["user.Row-1.int/Y.shape/in-bounds"]["needs"] is False
    assert proofs["user.rows.int/short/theorem"]["rests_on"] == need["id"]
    assert "user.rows.int/plain/theorem" not in proofs
    assert "user.Row-1.int/C2/covered" not in found["silent"]


def test_what_uses_a_theorem_that_needs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof that uses a theorem needs what this needs, wherever the two stand, and without naming the operator."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("op", SIGNED), ("z_used", USED), ("a_using", USING)):
        (tmp_path / f"{name}.sonnx").write_text(text, "utf-8")
    status, found = answer("user.Op-1/C2")
    proofs = {p["id"]: p for p in found["proofs"]}

    used = "user.z_used.int/signed/theorem"
    assert status == 0
    assert proofs[used]["without"] == "refuted"
    assert proofs[used]["rests_on"] is None
    assert {name for name, p in proofs.items() if p["rests_on"] == used and p["needs"]} == {
        "user.z_used.int/below/theorem",
        "user.a_using.int/again/theorem",
        "user.a_using.int/quiet/theorem",
    }
    assert found["silent"] == ["user.a_using.int/plain/theorem"]


def test_what_rests_on_what_is_not_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a theorem that is refuted everything follows: none of it is called proved, with the clause or without."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("op", SMALL), ("small", WRONG)):
        (tmp_path / f"{name}.sonnx").write_text(text, "utf-8")
    _, found = answer("user.Op-1/C1")
    _, outputs = answer("user.Op-1/C3")

    assert found["proofs"] == outputs["proofs"] == []
    assert found["silent"] == []
    assert "user.Op-1.int/Y.value/in-bounds" in found["not_proved"]
    assert [o["follows_from_shape_and_value"] for o in outputs["outputs"]] == [None]
    assert outputs["outputs"][0]["reason"] == "depends on user.small/wrong/theorem, which is refuted"


def test_an_obligation_through_a_theorem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an obligation too a clause is needed where a theorem that its proof uses needs it."""
    monkeypatch.chdir(tmp_path)
    text = "use z_used\n\n" + SIGNED.replace(
        "output Y : tensor of T\n", "output Y : tensor of T\n\nusing signed(X, K)\n"
    )
    text = text.replace("= X[i]", "= if X[i] >= T(0) then X[i] else X[[0]]")
    for name, said in (("op", text), ("z_used", USED)):
        (tmp_path / f"{name}.sonnx").write_text(said, "utf-8")
    status, out, _ = command("explain", "user.Op-1.int/Y.value/in-bounds")

    assert (status, out.splitlines()) == (
        0,
        [
            "proved      user.Op-1.int/Y.value/in-bounds",
            "needs C2: resting on user.z_used.int/signed/theorem, which fails without it",
            "does not need C1",
        ],
    )


def test_texts_that_change_meanwhile(row: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is told is told of what the files said at first: what is written, removed or added later is not read."""
    from sonnx_verify.authoring.explain import needs
    from sonnx_verify.authoring.explain.target import without as unchanged

    (row / "rows.sonnx").write_text(LAWS, "utf-8")
    first = [answer("user.Row-1/C3"), answer("user.Row-1.int/Y.value/in-bounds")]

    def without(*arguments: Any) -> Any:
        (row / "rows.sonnx").unlink(missing_ok=True)
        (row / "row.sonnx").write_text(ROWS.replace("rank(X) = 2", "rank(X) = 7"), "utf-8")
        (row / "other.sonnx").write_text("no specification", "utf-8")
        return unchanged(*arguments)

    monkeypatch.setattr(needs, "without", without)
    for identity, before in zip(("user.Row-1/C3", "user.Row-1.int/Y.value/in-bounds"), first, strict=True):
        (row / "other.sonnx").unlink(missing_ok=True)
        (row / "row.sonnx").write_text(ROWS, "utf-8")
        (row / "rows.sonnx").write_text(LAWS, "utf-8")
        assert answer(identity) == before


def test_an_error_that_never_applies_covers_nothing(row: Path) -> None:
    """Without an error, what it covers is not covered: it is not read as one that always applies."""
    _, found = answer("user.Row-1/E1")

    assert [p["id"] for p in found["proofs"] if p["needs"]] == ["user.Row-1.int/C1/covered"]
    assert "user.Row-1.int/Y.value/in-bounds" in found["silent"]


def test_what_a_proof_needs(row: Path) -> None:
    """The clauses without which it does not follow, each by itself."""
    status, out, _ = command("explain", "user.Row-1.int/Y.value/in-bounds")

    assert status == 0
    assert out.splitlines() == [
        "proved      user.Row-1.int/Y.value/in-bounds",
        "needs C1: violated without it: the read X[[0, i[0]]] is in bounds (row.sonnx:24:14)",
        "  X = int8 (1, 1, 0) [[[]]], b = 1, a = not given, so 0",
        "needs C3: violated without it: the read X[[0, i[0]]] is in bounds (row.sonnx:24:14)",
        "  X = int8 (0, 1) [], a = not given, so 0, b = not given, so 0",
        "does not need C2, C4, C5, C6",
    ]


def test_outside_the_model(row: Path) -> None:
    """Nothing is claimed of such a clause."""
    status, out, _ = command("explain", "user.Row-1/R1")

    assert status == 0
    assert out.endswith("outside the model: nothing is claimed about it, and no proof can need it\n")


@pytest.mark.parametrize(
    ("identity", "message"),
    [
        ("user.Row-1/c3", "user.Row-1 has no clause c3\n  to fix: did you mean `user.Row-1/C3`? it has C1, C2,"),
        ("user.Row-1.float/C1", "user.Row-1 has no section float\n  to fix: it has int"),
        ("user.Rwo-1/C1", "unknown operator user.Rwo-1\n  to fix: did you mean user.Row?"),
        ("user.Row-1.int/C9/covered", "unknown obligation user.Row-1.int/C9/covered"),
        (f"user.Row-{'7' * 5000}/C1", f"unknown operator user.Row-{'7' * 51}...\n  to fix: did you mean user.Row?"),
    ],
    ids=lambda x: str(x)[:30],
)
def test_a_mistake_in_the_name(row: Path, identity: str, message: str) -> None:
    """It is named, with what is near."""
    status, _, err = command("explain", identity)

    assert status == 2
    assert err.startswith(f"error: {message}")


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "user.Row-1/C1"),
        ("check",),
        ("explain", "--list"),
        ("cache", "stats"),
    ],
    ids=str,
)
def test_a_folder_that_was_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    """Every command says so, and does nothing."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    status, _, err = command(*arguments)

    assert status == 2
    assert err.startswith("error: the current folder cannot be used: ")
    assert "to fix: " in err


def test_what_is_known_is_printed_before_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clause and what it excludes do not wait for the proofs that need it."""
    (tmp_path / "row.sonnx").write_text(ROWS)
    monkeypatch.chdir(tmp_path)

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sonnx_verify.authoring.explain.clause.needs_of", stopped)
    done = CliRunner().invoke(main, ["explain", "user.Row-1/C3"])

    assert done.exit_code != 0
    assert done.stdout.startswith("user.Row-1/C3, constraint: X has a row\n")
    assert "\nexcludes: the smallest input that it alone rejects, replayed\n" in done.stdout
    assert "needed by" not in done.stdout
