"""`check --dependents FILE...` and `lint --dependents FILE...`, as hooks run them: an edit of a text is looked at with
everything that uses it, and a commit that names no text is looked at too."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
Git = Callable[..., None]
ROOT = Path(__file__).parents[2]
LIBRARY = """\
library early "Of indices"

define is_axis(k : int, n : int) : bool
  "k is an index of an axis of size n"
  = 0 <= k and k < n
"""
OPERATOR = """\
use early

operator Pick version 1 user
  page "pick.md"

types int = int8

input  X : tensor of T
output Y : tensor of T

attribute k : int

[C1] constraint "X is a vector"          : rank(X) = 1
[C2] constraint "k is an index of X"     : is_axis(k, X.shape[0])
[E1] error      "X is no vector"         : when C1 fails
[E2] error      "k is outside"           : when C2 fails

shape Y    = X.shape
value Y[i] = X[[k]]
"""
PAGE = "# **Pick** (int)\n\nTODO\n"


@pytest.fixture
def folder(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, git: Git) -> Path:
    """An operator with its page, the library that it uses, and a theory that uses neither; all committed."""
    made = tmp_path / "folder"
    made.mkdir()
    texts = {"early.sonnx": LIBRARY, "pick.sonnx": OPERATOR, "pick.md": PAGE, "README.md": "# Operators\n"}
    texts["other.sonnx"] = 'theory other "Other"\n\ntheorem one "one" : 1 = 1\n'
    for name, text in texts.items():
        (made / name).write_text(text, "utf-8")
    monkeypatch.chdir(made)
    git(Path(), "init", "-q")
    git(Path(), "add", "-A")
    git(Path(), "commit", "-q", "-m", "all")
    return made


def hook(run: Run, identity: str, *files: str) -> Result:
    """The command of a hook, on the files that pre-commit names."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    (entry,) = re.findall(rf"^- id: {identity}$.*?^  entry: (.*?)$", text, re.MULTILINE | re.DOTALL)
    name, *words = shlex.split(entry)
    assert name == "sonnx-verify"
    return run(*words, *files)


def decided(done: Result) -> set[str]:
    """The texts of which something was decided, of a run in JSON."""
    return {o["source"]["file"] for o in json.loads(done.stdout)["obligations"]}


def test_a_library_is_checked_with_what_uses_it(folder: Path, run: Run) -> None:
    """A slip in a definition breaks the operator that rests on it, in another file than the one that changes."""
    assert hook(run, "sonnx-check", "early.sonnx").exit_code == 0
    (folder / "early.sonnx").write_text(LIBRARY.replace("k < n", "k <= n"), "utf-8")
    assert run("check", "early.sonnx").exit_code == 0  # the text alone has no flaw
    done = hook(run, "sonnx-check", "early.sonnx")

    assert done.exit_code == 1
    assert "refuted user.Pick-1.int/Y.value/in-bounds" in done.stdout


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (["early.sonnx"], {"early.sonnx", "pick.sonnx"}),
        (["pick.sonnx"], {"pick.sonnx"}),
        (["other.sonnx"], {"other.sonnx"}),
        (["other.sonnx", "early.sonnx"], {"early.sonnx", "other.sonnx", "pick.sonnx"}),
    ],
)
def test_nothing_else_is_checked(folder: Path, run: Run, named: list[str], expected: set[str]) -> None:
    """A text, and no other than those that use it."""
    assert decided(run("check", "--dependents", "--format", "json", *named)) == expected


def test_a_text_that_is_gone(folder: Path, run: Run, git: Git) -> None:
    """A commit that removes a library names no file that is there: what used it fails."""
    (folder / "early.sonnx").unlink()
    git(Path(), "add", "-A")
    done = hook(run, "sonnx-check")

    assert done.exit_code == 2
    assert "unknown library `early`" in done.stderr


def test_a_text_that_is_gone_beside_one_that_changed(folder: Path, run: Run) -> None:
    """Of such a commit a hook is told the file that changed alone."""
    (folder / "early.sonnx").unlink()
    done = hook(run, "sonnx-check", "other.sonnx")

    assert done.exit_code == 2
    assert "unknown library `early`" in done.stderr


@pytest.mark.parametrize("named", [(), ("other.sonnx",)], ids=["nothing", "another"])
def test_a_text_that_was_gone_some_commits_ago(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, named: tuple[str, ...], git: Git
) -> None:
    """pre-commit may look at several commits, of which it says the first."""
    (folder / "early.sonnx").unlink()
    git(Path(), "commit", "-q", "-a", "-m", "gone")
    assert hook(run, "sonnx-check", *named).exit_code == 0
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "HEAD~1")
    assert hook(run, "sonnx-check", *named).exit_code == 2
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "0" * 40)
    assert hook(run, "sonnx-check", *named).exit_code == 0


def test_a_page_that_is_gone(folder: Path, run: Run) -> None:
    """The text that names it is checked."""
    (folder / "pick.md").unlink()
    done = hook(run, "sonnx-check", "other.sonnx")

    assert done.exit_code == 2
    assert "pick.sonnx:4:" in done.stderr


def test_other_signatures(folder: Path, run: Run, git: Git) -> None:
    """Every text is checked: `transcription` compares any standard with them."""
    (folder / "spec" / "onnx").mkdir(parents=True)
    (folder / "spec" / "common").mkdir()
    table = folder / "spec" / "onnx" / "signatures.json"
    table.write_text("{}", "utf-8")
    for name in ("early.sonnx", "pick.sonnx", "pick.md", "other.sonnx"):
        (folder / name).rename(folder / "spec" / "common" / name)
    git(Path(), "add", "-A")
    git(Path(), "commit", "-q", "-m", "moved")
    named = ("check", "--dependents", "--format", "json", "spec/common/other.sonnx")
    assert decided(run(*named)) == {"spec/common/other.sonnx"}
    table.write_text("{ }", "utf-8")
    assert len(decided(run(*named))) == 3


def test_without_a_repository(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """The users of a file are found all the same."""
    (tmp_path / "new").mkdir()
    monkeypatch.chdir(tmp_path / "new")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for name, text in (("early", LIBRARY), ("pick", OPERATOR), ("other", 'theory other "Other"\n')):
        Path(f"{name}.sonnx").write_text(text, "utf-8")
    Path("pick.md").write_text(PAGE, "utf-8")
    made = decided(run("check", "--dependents", "--format", "json", "early.sonnx"))
    assert made == {"early.sonnx", "pick.sonnx"}


def test_a_commit_without_a_text(folder: Path, run: Run, git: Git) -> None:
    """It passes, quickly, and leaves out what it has nothing to do with, even if that is wrong."""
    (folder / "pick.sonnx").write_text(OPERATOR.replace(": is_axis(k, X.shape[0])", ": true"), "utf-8")
    git(Path(), "commit", "-q", "-a", "-m", "wrong")
    (folder / "README.md").write_text("# Of operators\n", "utf-8")
    done = hook(run, "sonnx-check")

    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == "skipped 3 files, for which nothing changed since HEAD"


def test_the_first_commit(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, run: Run, git: Git) -> None:
    """Without a commit to compare with everything counts, and nothing where nothing is."""
    (tmp_path / "new").mkdir()
    monkeypatch.chdir(tmp_path / "new")
    git(Path(), "init", "-q")
    done = hook(run, "sonnx-check")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == "there is no specification here"

    Path("one.sonnx").write_text('theory one "One"\n\ntheorem two "two" : 1 = 2\n', "utf-8")
    done = hook(run, "sonnx-check")
    assert done.exit_code == 1


@pytest.mark.parametrize(
    "words", [("--changed", "HEAD"), ("--frozen",), ("--update-ledger",), ("user.Pick-1*",)], ids=lambda w: w[0]
)
def test_what_does_not_go_together(folder: Path, run: Run, words: tuple[str, ...]) -> None:
    done = run("check", "--dependents", *words)
    assert done.exit_code == 2
    assert "--dependents" in done.stderr
    assert "to fix: " in done.stderr


def linted(done: Result) -> set[str]:
    return {finding["file"] for finding in json.loads(done.stdout)["findings"]}


def test_a_page_is_linted_with_its_text(folder: Path, run: Run) -> None:
    """Also with a text that this one uses: the page states what both say. Other texts have no page."""
    assert hook(run, "sonnx-lint", "pick.md").exit_code == 1
    for named in ("pick.sonnx", "early.sonnx", "pick.md"):
        assert linted(run("lint", "--dependents", "--format", "json", named)) == {"pick.md"}
    done = hook(run, "sonnx-lint", "other.sonnx")
    assert (done.exit_code, done.stdout) == (0, "0 pages, 0 findings\n")


def test_hooks_are_called_for_texts() -> None:
    """Each hook names the files that it looks at: formal texts, and `lint` pages too."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    patterns = dict(re.findall(r"^- id: (\S+)$.*?^  files: (.*?)$", text, re.MULTILINE | re.DOTALL))
    names = ("spec/a.sonnx", "spec/a.md", "spec/a.rst", "spec/a.json", "a.sonnx.txt")
    taken = {hook: [name for name in names if re.search(pattern, name)] for hook, pattern in patterns.items()}
    assert taken == {
        "sonnx-fmt": ["spec/a.sonnx"],
        "sonnx-check": ["spec/a.sonnx"],
        "sonnx-lint": ["spec/a.sonnx", "spec/a.md", "spec/a.rst"],
    }
