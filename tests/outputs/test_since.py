"""`diff REF`: what an edit changes in meaning, each change with the smallest input that shows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.asking import asking
from sonnx_verify.api.since import differences
from sonnx_verify.cli import main
from sonnx_verify.equivalence import since
from sonnx_verify.equivalence.difference import uncompared
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.results.difference import Difference

Git = Callable[..., None]
SCHEMA = Path(__file__).parents[2] / "sonnx_verify" / "outputs" / "since.schema.json"
LIBRARY = """library small "What is small"
define small(n : int) : bool
  "n is below a bound"
  = n < 3
"""
TEXT = """use small
operator Foo version 1 user
types int = int8 int16
input X : tensor of T
output Y : tensor of T
[C1] constraint "few axes" : small(rank(X))
[E1] error "many axes" : when C1 fails
shape Y = X.shape
value Y[i] = X[i]
"""


def run(*args: str) -> Result:
    """What `sonnx-verify` prints and returns."""
    return CliRunner().invoke(main, list(args), catch_exceptions=False)


def committed(folder: Path, monkeypatch: pytest.MonkeyPatch, git: Git, texts: dict[str, str]) -> Path:
    """The last of the texts, in a repository where all are committed, which is the folder of this process now."""
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    monkeypatch.chdir(folder)
    return folder / list(texts)[-1]


@pytest.fixture
def foo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: Git) -> Path:
    """An operator and a library, committed."""
    return committed(tmp_path, monkeypatch, git, {"small.sonnx": LIBRARY, "foo.sonnx": TEXT})


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (TEXT, 0),
        (TEXT + "-- a comment\n", 0),
        (TEXT.replace("small(rank(X))", "rank(X) < 4"), 1),
        (TEXT.replace("types int = ", "types int "), 3),
    ],
    ids=["same", "comment", "changed", "unknown"],
)
def test_a_job_fails_on_a_changed_meaning(foo: Path, text: str, status: int) -> None:
    """Only where it is asked for, and not on other words for the same."""
    foo.write_text(text, "utf-8")
    assert run("diff", "HEAD", "--fail-on-change").exit_code == status
    assert run("diff", "HEAD").exit_code == {0: 0, 1: 0, 3: 3}[status]


def test_one_after_the_other(foo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An operator is told before the next one is looked at."""
    bar = TEXT.replace("operator Foo", "operator Bar")
    (foo.parent / "bar.sonnx").write_text(bar, "utf-8")
    (foo.parent / "small.sonnx").write_text(LIBRARY.replace("n < 3", "n < 4"), "utf-8")
    looked_at: list[str] = []

    def changed(_: Project, unit: Unit, *_rest: object) -> Difference:
        looked_at.append(unit.operator)
        return uncompared(unit.operator, "nobody asked")

    monkeypatch.setattr(since, "mistake_in", lambda _, unit: looked_at.append(unit.operator))
    monkeypatch.setattr(since, "decide_change", changed)
    with asking() as solvers:
        found = differences("HEAD", Asked.of(()), solvers)
        assert looked_at == ["user.Bar-1"]  # a new one, known without a solver
        assert next(found)[0] == "user.Bar-1"
        assert looked_at == ["user.Bar-1"]
        assert next(found)[0] == "user.Foo-1"
    assert looked_at == ["user.Bar-1", "user.Foo-1"]


def test_nothing_changed(foo: Path) -> None:
    """A comment is no change of meaning, and is said to be none."""
    assert run("diff", "HEAD").stdout == "no operator's text changed since HEAD\n"
    foo.write_text(TEXT + "-- a comment\n", "utf-8")
    done = run("diff", "HEAD")
    assert done.exit_code == 0
    assert "user.Foo-1: its text, or one that it uses, changed; it means the same, proved\n" in done.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEXT.replace("X[i]", "nope(X[i])"), "is new, but cannot be read: bar.sonnx:9:14: "),
        (TEXT.replace("types int = ", "types int "), "is not compared: bar.sonnx:3:11: "),
    ],
)
def test_a_new_text_with_a_mistake(foo: Path, text: str, said: str) -> None:
    """It does not pass, and it is told where the mistake is."""
    (foo.parent / "bar.sonnx").write_text(text.replace("operator Foo", "operator Bar"), "utf-8")
    done = run("diff", "HEAD")
    assert done.exit_code == 3
    assert said in done.stdout


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("small(rank(X))", "small(rank(X)) and rank(X) > 0", "int: newly rejects X = int8 () 0"),
        ("small(rank(X))", "rank(X) < 4", "int: newly accepts X = int8 (0, 0, 0) []"),
        (
            "= X[i]",
            "= if X[i] = T(0) then T(1) else X[i]",
            "int: gives a different result for X = int8 () 0: Y = int8 () 1, which user.Foo-1 before does not allow",
        ),
        ("int8 int16", "int8", "no longer covers int16"),
        ("int8 int16", "int8 int16 int32", "now covers int32"),
    ],
)
def test_what_an_edit_changes(foo: Path, old: str, new: str, expected: str) -> None:
    """Each in one line, with its witness, and nothing else."""
    foo.write_text(TEXT.replace(old, new), "utf-8")
    done = run("diff", "HEAD")
    assert done.exit_code == 0
    assert done.stdout == f"since HEAD:\nuser.Foo-1\n  {expected}\n"
    made = json.loads(run("diff", "HEAD", "--format", "json").stdout)
    jsonschema.validate(made, json.loads(SCHEMA.read_text("utf-8")))
    (operator,) = made["operators"]
    assert [c["said"] for c in operator["changes"]] == [expected]
    assert operator["same"] is False
    assert (operator["changes"][0]["witness"] is not None) is ("=" in expected)


def test_a_library_changed(foo: Path) -> None:
    """What an operator uses is part of what it means."""
    foo.with_name("small.sonnx").write_text(LIBRARY.replace("< 3", "< 2"), "utf-8")
    assert "  int: newly rejects X = int8 (0, 0) []\n" in run("diff", "HEAD").stdout


def test_new_and_gone(foo: Path) -> None:
    """Of an operator that was not there, or is not any more, there is nothing to compare."""
    foo.write_text(TEXT.replace("operator Foo", "operator Bar"), "utf-8")
    assert run("diff", "HEAD").stdout == "since HEAD:\nuser.Bar-1\n  is new\nuser.Foo-1\n  was removed\n"


def test_a_file_that_is_gone(foo: Path) -> None:
    """Its operator is; in another file it is the same."""
    foo.rename(foo.with_name("other.sonnx"))
    same = "since HEAD:\nuser.Foo-1: its text, or one that it uses, changed; it means the same, proved\n"
    assert run("diff", "HEAD").stdout == same
    foo.with_name("other.sonnx").unlink()
    assert run("diff", "HEAD").stdout == "since HEAD:\nuser.Foo-1\n  was removed\n"


def test_two_files_of_one_name(foo: Path, git: Git) -> None:
    """Which of them was which is not known: neither is said to be the same."""
    other = foo.with_name("other.sonnx")
    other.write_text(TEXT, "utf-8")
    git(foo.parent, "add", "-A")
    git(foo.parent, "commit", "-q", "-m", "second")
    assert run("diff", "HEAD").stdout == "no operator's text changed since HEAD\n"
    for changed in (foo, other):
        changed.write_text(TEXT.replace("< 3", "< 2").replace("small(rank(X))", "rank(X) < 2"), "utf-8")
        done = run("diff", "HEAD")
        assert done.exit_code == 3
        assert "user.Foo-1\n  is not compared: there are several texts of that name\n" in done.stdout
        changed.write_text(TEXT, "utf-8")


def test_a_text_that_cannot_be_read(foo: Path) -> None:
    """It is neither gone nor new."""
    foo.write_text(TEXT.replace("small(rank(X))", "small(rank(X)) and"), "utf-8")
    done = run("diff", "HEAD")
    assert done.exit_code == 3
    assert "  is not compared: " in done.stdout
    assert "gone" not in done.stdout


def test_a_text_that_meant_nothing_before(foo: Path, git: Git) -> None:
    """What reads outside in the old text has no meaning to compare with."""
    foo.write_text(TEXT.replace("= X[i]", "= if X.shape[0] > 0 then X[i] else X[i]"), "utf-8")
    git(foo.parent, "commit", "-q", "-a", "-m", "second")
    foo.write_text(TEXT, "utf-8")
    done = run("diff", "HEAD")
    assert done.exit_code == 3
    assert "Y.value/in-bounds was refuted before" in done.stdout


def test_what_cannot_be_compared(foo: Path) -> None:
    """It is told, and not known."""
    foo.write_text(TEXT.replace("input X", "input W : tensor of T\ninput X"), "utf-8")
    done = run("diff", "HEAD")
    assert done.exit_code == 3
    assert "is not compared:" in done.stdout


def test_no_such_commit(foo: Path) -> None:
    """A user's mistake."""
    done = run("diff", "nowhere")
    assert done.exit_code == 2
    assert "`nowhere` is none" in done.stderr


def test_in_the_summary_of_a_job(foo: Path) -> None:
    """`check --changed` with a report in Markdown says it too."""
    foo.write_text(TEXT.replace("small(rank(X))", "small(rank(X)) and rank(X) > 0"), "utf-8")
    text = run("check", "--changed", "HEAD", "--format", "markdown").stdout
    assert "### Changes of meaning" in text
    assert "  int: newly rejects X = int8 () 0\n" in text


WINDOW = """library window "Places of a window"
define place(n : int) : int
  "the place that is read"
  = n
define spare(n : int) : int
  "a place that nobody reads"
  = n
"""
READER = """use window
operator Bar version 1 user
types int = int8 int16
types float = float16 float
input X : tensor of T
output Y : tensor of T
[C1] constraint "a vector" : rank(X) = 1
[E1] error "no vector" : when C1 fails
shape Y = X.shape
value Y[i] = X[[place(i[0])]]
"""
OUTSIDE = WINDOW.replace("  = n\n", "  = n + 1\n", 1)


@pytest.fixture
def bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: Git) -> Path:
    """An operator of two families that reads where a library says, committed."""
    return committed(tmp_path, monkeypatch, git, {"window.sonnx": WINDOW, "bar.sonnx": READER})


def test_what_reads_outside_now_is_told_apart_all_the_same(bar: Path) -> None:
    """By input that was evaluated on both, for each family; the definition that was edited is named."""
    bar.with_name("window.sonnx").write_text(OUTSIDE, "utf-8")
    done = run("diff", "HEAD")

    assert done.exit_code == 3
    assert done.stdout.startswith("since HEAD:\nuser.Bar-1\n  edited: `place` (window.sonnx:2:1)\n")
    differs = "  int: gives a different result for X = int8 (2) [0, 1]: "
    assert f"{differs}Y = int8 (2) [0, 1], which user.Bar-1 now does not allow\n" in done.stdout
    assert "  float: gives a different result for X = float16 (2) [0, -0.0]: " in done.stdout
    # That none is newly accepted rests on reads that are outside.
    assert "newly accepts some input? unknown: depends on user.Bar-1.int/Y.value/in-bounds, which is" in done.stdout
    assert "proved" not in done.stdout
    (operator,) = json.loads(run("diff", "HEAD", "--format", "json").stdout)["operators"]
    assert (operator["same"], operator["edited"]) == (False, ["`place` (window.sonnx:2:1)"])


def test_input_that_is_rejected_now_is_shown_whatever_is_read_outside(bar: Path) -> None:
    """Whether a text accepts it was evaluated, and needs none of those reads."""
    bar.write_text(READER.replace("= 1\n", "= 1 and X.shape[0] > 2\n").replace("i[0])", "i[0]) + 1"), "utf-8")
    said = run("diff", "HEAD").stdout

    assert "  int, float: newly rejects X = int8 (0) []\n" in said
    assert "int, float: newly accepts some input? unknown: depends on" in said


def test_what_read_outside_before_is_told_apart_all_the_same(bar: Path, git: Git) -> None:
    """An input shows a difference; that there is none elsewhere is not said."""
    bar.with_name("window.sonnx").write_text(OUTSIDE, "utf-8")
    git(bar.parent, "commit", "-q", "-a", "-m", "second")
    bar.with_name("window.sonnx").write_text(WINDOW, "utf-8")
    done = run("diff", "HEAD")

    assert done.exit_code == 3
    assert done.stdout.splitlines()[2:] == [
        "  edited: `place` (window.sonnx:2:1)",
        "  int: gives a different result for X = int8 (2) [0, 1]: "
        "Y = int8 (2) [0, 1], which user.Bar-1 before does not allow",
        "  float: gives a different result for X = float16 (2) [0, -0.0]: "
        "Y = float16 (2) [0, -0.0], which user.Bar-1 before does not allow",
        "  is not compared: user.Bar-1.float/Y.value/in-bounds was refuted before",
    ]


def test_an_edit_that_changes_nothing_names_no_operator_as_changed(bar: Path) -> None:
    """A definition that says the same is not edited, wherever it stands; one that nobody uses is named."""
    window = bar.with_name("window.sonnx")
    window.write_text("-- a comment\n" + WINDOW, "utf-8")
    same = "since HEAD:\nuser.Bar-1: its text, or one that it uses, changed; it means the same, proved\n"
    assert run("diff", "HEAD").stdout == same
    window.write_text(
        WINDOW.replace("reads", "asks for").replace("  = n\n", "  = 2 * n\n").replace("= 2 * n", "= n", 1)
    )
    assert run("diff", "HEAD").stdout == f"{same}  edited: `spare` (window.sonnx:5:1)\n"
