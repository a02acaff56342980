"""All records of an operator are made by one command: what is stale, once, and the same whoever interrupts it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.api.recording import Done, Operator, Step, done, steps_of
from sonnx_verify.cli import main, record
from sonnx_verify.errors import UsageError
from sonnx_verify.language.project import Project
from sonnx_verify.stores.store import Store

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The library with one operator, of which nothing is recorded."""
    folder = tmp_path / "project"
    (folder / "spec" / "sonnx").mkdir(parents=True)
    for name in ("common", "onnx/not", "sonnx/not"):
        shutil.copytree(ROOT / "spec" / name, folder / "spec" / name)
    for path in records(folder):
        path.unlink()
    return folder


def records(folder: Path) -> list[Path]:
    """The files of records of the operator."""
    below = (path for path in (folder / "spec").rglob("*") if path.is_file())
    return sorted(path for path in below if path.suffix in (".json", ".txt"))


@pytest.fixture
def begun(tmp_path: Path, tables_in: Callable[[Path], Path]) -> Callable[..., subprocess.Popen[str]]:
    """Begins the command, with a cache of its own."""
    cache = tables_in(tmp_path / "cache")

    def made(folder: Path, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "sonnx_verify", "record", "Not", "--jobs", "2", *arguments],
            cwd=folder,
            env={**os.environ, "SONNX_VERIFY_CACHE": str(cache)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    return made


@pytest.mark.soak
def test_each_record_once(project: Path, begun: Callable[..., subprocess.Popen[str]]) -> None:
    """All of them, and then none; a comparison with a run finds no difference."""
    said, errors = begun(project).communicate(timeout=900)
    made = {path: path.read_bytes() for path in records(project)}
    assert {path.name for path in made} > {"verdicts.json", "mutants.json", "differences.json"}, said + errors
    assert {path.parent.name for path in made} == {"not", "runs"}
    assert said.count("written: ") == 10
    # They are those of the library.
    for path, text in made.items():
        there = ROOT / path.relative_to(project)
        assert not there.exists() or there.read_bytes() == text, path

    again, _ = begun(project).communicate(timeout=600)
    assert again.count("as it was: ") == 10
    assert again[again.index("\n\n") :] == said[said.index("\n\n") :]
    run = begun(project, "--frozen")
    same, _ = run.communicate(timeout=900)
    assert (run.returncode, same.count("differs: ")) == (0, 0)
    assert {path: path.read_bytes() for path in records(project)} == made


QUICK = ("verdicts, hints and examples", "quotations of the page", "mistakes of the page")


def test_what_changed_is_made_again(
    project: Path, tmp_path: Path, tables_in: Callable[[Path], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of some steps: those that rest on what changed, be it a text, a page or a record, and no others."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("SONNX_VERIFY_CACHE", str(tables_in(tmp_path / "cache")))
    for name in ("mutants.json", "differences.json"):
        assert not (project / "spec" / "onnx" / "not" / name).exists()

    def made(*, compare: bool = False) -> dict[str, Done]:
        operator = Operator.of(Project.open(project), "Not")
        steps = [step for step in steps_of(operator) if step.title in QUICK]
        return {one.step.title: one for one in done(operator, steps, 1, compare=compare)}

    def anew() -> list[str]:
        return [title for title, one in made().items() if one.seconds is not None]

    assert sorted(anew()) == sorted(QUICK)
    assert anew() == []
    page, text, verdicts = (
        project / "spec" / "sonnx" / "not" / name for name in ("not.md", "not.sonnx", "verdicts.json")
    )
    page.write_text(page.read_text("utf-8").replace("First revision", "The first revision"), "utf-8")
    assert sorted(anew()) == sorted(QUICK[1:])
    before = verdicts.read_text("utf-8")
    verdicts.write_text(before.replace('"holds"', '"proved"', 1), "utf-8")
    differs = made(compare=True)[QUICK[0]]
    assert differs.status == 1
    assert "was proved, is holds" in differs.said
    assert anew() == [QUICK[0]]
    assert verdicts.read_text("utf-8") == before
    text.write_text(text.read_text("utf-8") + "-- A comment.\n", "utf-8")
    assert sorted(anew()) == sorted(QUICK)
    assert anew() == []
    # An entry of another version of the tool has another form.
    store = Store(tmp_path / "cache")
    for key in store.keys("steps"):
        store.write("steps", key, b"[]")
    assert sorted(anew()) == sorted(QUICK)


@pytest.mark.soak
def test_killed_at_any_moment(project: Path, begun: Callable[..., subprocess.Popen[str]]) -> None:
    """Whatever was done is kept, and in the end all is as if nothing had happened."""
    other = project.parent / "other"
    shutil.copytree(project, other)
    began = time.monotonic()
    begun(other).communicate(timeout=600)
    seconds = time.monotonic() - began
    for part in range(10):
        run = begun(project)
        time.sleep(seconds * (part + 1) / 12)
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate(timeout=60)
    begun(project).communicate(timeout=600)
    expected = {path.relative_to(other): path.read_bytes() for path in records(other)}
    assert {path.relative_to(project): path.read_bytes() for path in records(project)} == expected


def test_what_a_commit_has_is_decided(project: Path, monkeypatch: pytest.MonkeyPatch, git: Callable[..., None]) -> None:
    """A finding is told until its record is committed, and again where the record changed since."""
    monkeypatch.chdir(project)
    runs = project / "spec" / "sonnx" / "not" / "runs" / "onnxruntime-1.0.json"
    runs.parent.mkdir(exist_ok=True)
    runs.write_text("{}\n", "utf-8")
    operator = Operator.of(Project.open(project), "Not")
    of_runs = Step("runs", (), ("--update",), (), (), ("spec/sonnx/not/runs/*.json",))
    of_page = Step("mistakes", (), (), (), (), ("spec/sonnx/not/not.md",))
    none = Step("errors", (), ("--update",), (), (), ("spec/sonnx/not/accuracy/*.json",))
    ended = [Done(step, "", 1) for step in (of_runs, of_page, none)]

    def told() -> list[str]:
        return [one.step.title for one in operator.undecided([*ended, Done(of_runs)])]

    assert told() == ["runs", "mistakes", "errors"]
    git(project, "init")
    assert told() == ["runs", "mistakes", "errors"]
    git(project, "add", ".")
    git(project, "commit", "-m", "Add Not")
    # What writes no record cannot be taken up with one.
    assert told() == ["mistakes", "errors"]
    runs.write_text("{ }\n", "utf-8")
    assert told() == ["runs", "mistakes", "errors"]
    git(project, "commit", "-a", "-m", "Change a run")
    assert told() == ["mistakes", "errors"]
    assert [one.step.title for one in operator.undecided([Done(of_runs, "", 2)])] == ["runs"]
    # A change that git is told not to see is none that a commit has.
    git(project, "update-index", "--skip-worktree", "spec/sonnx/not/runs/onnxruntime-1.0.json")
    runs.write_text("{  }\n", "utf-8")
    assert told() == ["runs", "mistakes", "errors"]
    git(project, "update-index", "--no-skip-worktree", "spec/sonnx/not/runs/onnxruntime-1.0.json")
    git(project, "checkout", "--", "spec")
    assert told() == ["mistakes", "errors"]
    # Nor is what a repository inside has.
    git(runs.parent, "init")
    git(project, "rm", "-r", "--cached", "spec/sonnx/not/runs")
    git(project, "commit", "-m", "Leave the runs to a repository of their own")
    assert told() == ["runs", "mistakes", "errors"]


def test_verdicts_come_first(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as the text itself is wrong, nothing else is made: all of it would be made once more."""
    monkeypatch.setenv("SONNX_VERIFY_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(project)
    text = project / "spec" / "sonnx" / "not" / "not.sonnx"
    text.write_text(text.read_text("utf-8").replace("value Y[i] = not X[i]", "value Y[i] = X[i]"), "utf-8")
    first, again = (CliRunner().invoke(main, ["record", "Not", "--jobs", "1"]) for _ in range(2))

    assert first.exit_code == again.exit_code == 1
    assert first.stdout.splitlines()[-1].startswith(
        "left out until these verdicts are settled: mutants, runs of sonnx.Not"
    )
    assert first.stdout.startswith("written: verdicts, hints and examples")
    assert again.stdout.splitlines()[:2] == ["as it was: verdicts, hints and examples", ""]
    assert {path.name for path in records(project)} == {"hints.txt", "verdicts.json"}


@pytest.mark.soak
def test_an_interrupted_run_begins_nothing_more(project: Path, begun: Callable[..., subprocess.Popen[str]]) -> None:
    """Only what was done is written; steps that wait are not begun, and those that run are ended."""
    run = begun(project)
    assert run.stdout is not None
    assert run.stdout.readline().startswith("written: ")
    os.kill(run.pid, signal.SIGINT)
    said, errors = run.communicate(timeout=60)
    assert run.returncode == 130
    assert said.count("written: ") < 8, said + errors


def test_nothing_is_recorded_in_the_installed_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no project is, its records would be."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="is in the installed library"):
        Operator.of(Project.open(ROOT), "Not")


@pytest.mark.parametrize(
    ("status", "word", "code"), [(0, "the same", 0), (1, "differs", 1), (3, "undecided", 3), (2, "failed", 2)]
)
def test_the_result_of_a_comparison(status: int, word: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is that of its command: a solver that ends as undecided has found no difference."""
    step = Step("differences", (), (), (), (), ())
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(record, "steps_of", lambda _: [step])
    monkeypatch.setattr(record, "done", lambda *_, **__: iter([Done(step, "", status, 1.0)]))
    ended = CliRunner().invoke(main, ["record", "Not", "--frozen"])

    assert ended.exit_code == code
    assert ended.stdout.startswith(f"{word}: differences")


def test_what_is_not_run_does_not_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a runtime is missing, a comparison ends as undecided, and says what was left out."""
    missing = Step("runs", (), (), (), (), (), missing="the package onnx is not installed")
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(record, "steps_of", lambda _: [missing])
    frozen, written = (CliRunner().invoke(main, ["record", "Not", *more]) for more in (["--frozen"], []))

    assert (frozen.exit_code, written.exit_code) == (3, 0)
    assert "left out: runs: the package onnx is not installed" in frozen.stdout
