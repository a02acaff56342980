"""tools/verdicts.py: where records of verdicts lie, and what is wrong with them before anything is decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sonnx_verify.language.kept import keep_in
from sonnx_verify.sources import Source, Span
from sonnx_verify.stores.store import store_of_trees
from tools import verdicts
from tools.verdicts import ENDING, ROOT, TWINS, Chosen, Folder, Stated, Twins, mistakes, orphans, read_records

TEXT = """theory of_two "Laws of numbers"

theorem first "a number is itself"
  for n : int
  : n = n

theorem second "a number is not the next"
  for n : int
  : n != n + 1
"""
WHOLE = "user.of_two/spec/well-formed"
STATED = [WHOLE, "user.of_two/first/theorem", "user.of_two/second/theorem"]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with two texts and no twin."""
    for folder in ("tests/language", "tests/twins/probes"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "tests/language/of_two.sonnx").write_text(TEXT, "utf-8")
    (tmp_path / "tests/twins/probes/of_one.sonnx").write_text(
        TEXT.replace("of_two", "of_one").partition("theorem second")[0], "utf-8"
    )
    (tmp_path / TWINS).write_text("twin = []\n", "utf-8")
    return tmp_path


@pytest.fixture
def run(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """The tool on this project: its status, and what it prints."""

    def of(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["verdicts.py", "--jobs", "1", *arguments])
        status = verdicts.main()
        return status, *capsys.readouterr()

    monkeypatch.setattr(verdicts, "ROOT", root)
    monkeypatch.chdir(root)
    monkeypatch.setenv("SONNX_VERIFY_CACHE", "off")
    yield of
    # The tool says where trees are kept, for its process, and this one goes on.
    keep_in(store_of_trees)


def test_of_text_beside_it(run: Run, root: Path) -> None:
    """Each text has a file of its own; one that is named leaves the others as they are."""
    assert run() == (0, "", "")
    two, one = root / "tests/language/of_two.verdicts", root / "tests/twins/probes/of_one.verdicts"
    recorded = two.read_text("utf-8")
    verdicts_of = [line.split("\t")[:2] for line in recorded.splitlines()]
    assert verdicts_of == [[name, verdict] for name, verdict in zip(STATED, ("holds", "proved", "proved"), strict=True)]
    assert run("--check") == (0, "", "")

    one.write_text(one.read_text("utf-8").replace("proved", "refuted"), "utf-8")
    two.write_text(recorded.replace("proved", "refuted"), "utf-8")
    status, out, _ = run("--check", "tests/language/of_two.sonnx")
    assert (status, out.count("\n-user"), "of_one" in out) == (1, 2, False)
    assert run("tests/language/of_two.sonnx") == (0, "", "")
    assert two.read_text("utf-8") == recorded
    assert "refuted" in one.read_text("utf-8")


def test_the_cache_keeps_trees_alone(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text is parsed once; what is decided is decided anew each time."""
    cache = root / "cache"
    monkeypatch.setenv("SONNX_VERIFY_CACHE", str(cache))
    assert run("tests/language/of_two.sonnx") == (0, "", "")
    kinds = {folder.name for folder in cache.iterdir()}
    assert "trees" in kinds
    assert kinds <= {"tables", "trees"}


def test_no_record_is_an_error(run: Run, root: Path) -> None:
    """It has the place of the statement; what is decided is printed all the same, and written nowhere."""
    status, out, err = run("--check", "tests/language/of_two.sonnx")
    assert (status, out.count("\n+user")) == (2, 3)
    assert not (root / "tests/language/of_two.verdicts").exists()
    assert f"tests/language/of_two.sonnx:1:1: error: {WHOLE} has no record in of_two.verdicts" in err
    assert "to fix: decide it: python tools/verdicts.py tests/language/of_two.sonnx" in err


@pytest.mark.parametrize("check", [[], ["--check"]])
def test_a_statement_with_a_mistake_has_no_verdict(run: Run, root: Path, check: list[str]) -> None:
    """It is told with its place, and its text keeps the records that it has; other texts are decided."""
    assert run()[0] == 0
    two, one = root / "tests/language/of_two.sonnx", root / "tests/twins/probes/of_one.verdicts"
    before = two.with_suffix(ENDING).read_text("utf-8")
    two.write_text(TEXT.replace(": n != n + 1", ": n != next(n)"), "utf-8")
    if not check:
        one.unlink()
    status, out, err = run(*check)
    assert (status, out, err.count("error: ")) == (2, "", 1)
    assert "tests/language/of_two.sonnx:9:10: error: undefined function or operator `next`" in err
    assert two.with_suffix(ENDING).read_text("utf-8") == before
    assert one.exists()


def test_a_name_that_nothing_has(run: Run) -> None:
    status, _, err = run("tests/language/other.sonnx")
    assert status == 2
    assert "error: tests/language/other.sonnx has no records of verdicts" in err


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("one\tproved\n", "one has a record on line 1 already"),
        ("other\tproved\n", "this is a record of other, but nothing beside this file states that"),
        ("two\tshown\n", "this is not a record of a verdict"),
        ("two\n", "this is not a record of a verdict"),
        ("two" + "\tproved" * 8 + "\n", "this is not a record of a verdict"),
        ("<<<<<<< HEAD\n", "this is not a record of a verdict"),
        ("\n", "this is not a record of a verdict"),
    ],
)
def test_wrong_line(tmp_path: Path, line: str, problem: str) -> None:
    """It is told with its number and its cure."""
    path = tmp_path / "a.verdicts"
    path.write_text(f"one\tproved\n{line}two\tholds\n", "utf-8")
    place = Span(Source("a.sonnx", "one\ntwo\n"), 1, 1, 3)
    found = mistakes(path, "a.sonnx", {name: Stated(place, "a.sonnx") for name in ("one", "two")})

    assert (found[0].message, found[0].span and found[0].span.line) == (problem, 2)
    assert found[0].cure == "remove the line, or decide all of them anew: python tools/verdicts.py a.sonnx"


def test_a_file_beside_no_text(root: Path, run: Run) -> None:
    """As one that stays behind when a text is renamed."""
    (root / "tests/language/gone.verdicts").write_text("one\tproved\n", "utf-8")
    assert [problem.message for problem in orphans(root)] == ["tests/language/gone.verdicts lies beside no text"]
    assert run("tests/language/of_two.sonnx")[0] == 2


def test_records_of_other_twins_stay(root: Path, run: Run) -> None:
    """A line among them that nobody can read is told, not left out in silence."""
    twin = '[[twin]]\nname = "{}"\nkiller = "common.a/b/theorem"\n'
    (root / TWINS).write_text("".join(map(twin.format, ("one", "other"))), "utf-8")
    twins = Twins.read(root, Chosen(root, ["one"]))
    assert twins
    twins.path.write_text("other common.a/b/theorem\trefuted\n", "utf-8")
    assert twins.kept() == ({"other common.a/b/theorem": "other common.a/b/theorem\trefuted\n"}, [])
    (missing,) = twins.mistakes()
    assert str(missing).startswith(f"{TWINS}:2:1: error: one common.a/b/theorem has no record in twins.verdicts")
    assert missing.cure == "decide it: python tools/verdicts.py one"

    twins.path.write_text("gone common.a/b/theorem\trefuted\n", "utf-8")
    status, _, err = run("one")
    assert status == 2
    assert "tests/twins/twins.verdicts:1:1: error: this is a record of gone common.a/b/theorem" in err


def test_the_records_of_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of tests/language, whose texts take long to read, `make verdicts` tells which statement has no record."""
    monkeypatch.chdir(ROOT)
    chosen = Chosen(ROOT)
    probes, twins = Folder.read(ROOT, "tests/twins/probes", chosen), Twins.read(ROOT, chosen)
    assert probes
    assert twins
    wrong = [*orphans(ROOT), *probes.mistakes(), *twins.mistakes()]
    for path in sorted((ROOT / "tests/language").rglob(f"*{ENDING}")):
        names = {line.partition("\t")[0] for line in path.read_text("utf-8").splitlines()}
        place = Stated(Span(Source("", ""), 1, 1), "")
        wrong += read_records(path, path.name, dict.fromkeys(names, place))[1]
    assert [*map(str, wrong)] == []
