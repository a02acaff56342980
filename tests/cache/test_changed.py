"""`check --changed REF`: what a difference touches is decided, and what is left out is told."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from sonnx_verify.language import places

Run = Callable[..., Result]
Git = Callable[..., None]
MANY = """\
theory many "Of integers"
use amounts

theorem even "twice is above" for n : int assuming n > 0 : twice(n) > n

theorem more "one more is not less" for n, m : int assuming n < m : n + 1 <= m

theorem four "twice twice"
  for n : int assuming n > 0
  using even(twice(n))
  : twice(twice(n)) > twice(n)
"""


@pytest.fixture
def repository(project: Path, git: Git, commit: Callable[[Path], None]) -> Path:
    """The project in a commit, with a theory of which one theorem uses a definition, one none, and one a theorem."""
    (project / "proofs" / "many.sonnx").write_text(MANY, "utf-8")
    (project / "proofs" / "other.sonnx").unlink()
    git(project, "init", "-q")
    commit(project)
    return project


@pytest.fixture
def commit(git: Git) -> Callable[[Path], None]:
    """A function that commits all that changed in a folder."""

    def run(folder: Path) -> None:
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "State")

    return run


def edit(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / "proofs" / f"{name}.sonnx"
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def decided(run: Run, *arguments: str) -> dict[str, str]:
    """The verdicts of what was decided, by the tag."""
    made = json.loads(run("check", "--changed", "HEAD", "--format", "json", *arguments).stdout)
    return {"/".join(o["id"].split("/")[:2]): o["verdict"] for o in made["obligations"]}


def test_nothing_changed(repository: Path, run: Run) -> None:
    """Nothing is decided, and it is told how many files that leaves out."""
    done = run("check", "--changed", "HEAD")

    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "0 obligations: none",
        "0 SMT queries, 0 sent to both solvers: " + done.stdout.splitlines()[1].partition(" solvers: ")[2],
        "skipped 3 files, for which nothing changed since HEAD",
    ]


@pytest.mark.parametrize(("name", "old", "new", "touched"), [
    ("amounts", "n + n", "2 * n", {
        "proofs.amounts/spec", "proofs.few/spec", "proofs.few.int/even", "proofs.many/spec", "proofs.many/even",
        "proofs.many/four",
    }),
    ("many", "n + 1 <= m", "n <= m", {"proofs.many/spec", "proofs.many/more"}),
    ("many", "assuming n > 0 : twice(n) > n", "assuming n > 1 : twice(n) > n", {
        "proofs.many/spec", "proofs.many/even", "proofs.many/four",
    }),
    ("many", "theorem more", "-- A comment.\ntheorem more", set()),
    ("few", "types int = int8 int16", "types int = int8", {
        "proofs.few/spec", "proofs.few.int/even", "proofs.few.int/more",
    }),
])  # fmt: skip  # a table
def test_what_is_touched(repository: Path, run: Run, name: str, old: str, new: str, touched: set[str]) -> None:
    """A definition with its users, a theorem with those that use it, the types with all of a file; no comment."""
    edit(repository, name, old, new)

    assert set(decided(run)) == touched
    assert set(decided(run)) == touched  # from the cache too


def test_what_is_touched_can_fail(repository: Path, run: Run) -> None:
    """A slip in a definition is found, and what was left out is told."""
    edit(repository, "amounts", "n + n", "n")
    done = run("check", "--changed", "HEAD")

    assert done.exit_code == 1
    assert "refuted proofs.few.int/even/theorem" in done.stdout
    assert "skipped 2 obligations that say the same as in HEAD" in done.stdout.splitlines()


def test_a_new_file_and_one_that_is_gone(repository: Path, run: Run) -> None:
    """What was not there is decided; where a library is gone, what used it fails; a mistake is told."""
    (repository / "proofs" / "new.sonnx").write_text('theory new "New"\n\ntheorem one "one" : 1 = 1\n', "utf-8")
    assert set(decided(run)) == {"proofs.new/spec", "proofs.new/one"}
    (repository / "proofs" / "amounts.sonnx").unlink()
    done = run("check", "--changed", "HEAD")
    assert done.exit_code == 2
    assert "unknown library `amounts`" in done.stderr
    assert "gone since HEAD: proofs/amounts.sonnx" in done.stdout.splitlines()


def test_a_library_that_stands_before_another(repository: Path, run: Run, commit: Callable[[Path], None]) -> None:
    """What is new and hides a library that was meant before touches what uses it."""
    (repository / "spec" / "common").mkdir(parents=True)
    (repository / "proofs" / "amounts.sonnx").rename(repository / "spec" / "common" / "amounts.sonnx")
    commit(repository)
    nearer = 'library amounts "Of numbers"\n\ndefine twice(n : int) : int = n\n'
    (repository / "proofs" / "amounts.sonnx").write_text(nearer, "utf-8")

    assert decided(run)["proofs.few.int/even"] == "refuted"


@pytest.mark.parametrize(("arguments", "told"), [
    (("--changed", "nowhere"), "git finds no such commit\n  to fix: name a commit, branch or tag"),
    (("--changed", "--all"), "git finds no such commit"),
    (("--changed", "HEAD", "proofs.few*"), "--changed and a pattern of identities do not go together"),
], ids=str)  # fmt: skip  # a table
def test_what_is_no_commit(repository: Path, run: Run, arguments: tuple[str, ...], told: str) -> None:
    """It is told with what to do."""
    done = run("check", *arguments)

    assert done.exit_code == 2
    assert told in done.stderr


def test_no_repository(project: Path, run: Run) -> None:
    """Nor is there a commit where there is no repository."""
    done = run("check", "--changed", "HEAD")

    assert done.exit_code == 2
    assert "not in a git repository" in done.stderr


@pytest.mark.parametrize(("before", "after"), [
    ('theorem q "q" : "a b" = "a b"', 'theorem q "q" : "a  b" = "a b"'),
    ("-- what these theorems use\nuse amounts", None),
], ids=["blanks that are quoted", "a comment before use"])  # fmt: skip  # a table
def test_nothing_that_matters_is_left_out(
    repository: Path, run: Run, before: str, after: str | None, commit: Callable[[Path], None]
) -> None:
    """What is quoted counts as it is; and a library however it is used."""
    path = repository / "proofs" / "new.sonnx"
    path.write_text(f'theory new "New"\n{before}\n\ntheorem two "t" for n : int assuming n > 0 : n + n > n\n', "utf-8")
    if after is None:
        path.write_text(path.read_text("utf-8").replace("n + n", "twice(n)"), "utf-8")
    commit(repository)
    if after is None:
        edit(repository, "amounts", "n + n", "0 - n")
    else:
        edit(repository, "new", before, after)

    assert "refuted" in {v for i, v in decided(run).items() if i.startswith("proofs.new/")}


def test_what_is_no_specification_counts(repository: Path, run: Run) -> None:
    """Where a page, or any other file beside the texts, is new or gone, nothing is left out."""
    (repository / "proofs" / "page.md").write_text("a page", "utf-8")
    told = "skipped nothing: files other than specifications changed since HEAD"
    assert told in run("check", "--changed", "HEAD").stdout.splitlines()


ALL = "skipped nothing: files other than specifications changed since HEAD"
KEEP = """operator Keep version 1 user
page "../docs/keep.md"
types int = int8
input X : tensor of T
output Y : tensor of T
shape Y = X.shape
value Y[i] = X[i]
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: Git, commit: Callable[[Path], None]) -> Path:
    """A repository with a table of signatures, and an operator whose page is elsewhere."""
    root = tmp_path / "desk"
    (root / "spec" / "onnx").mkdir(parents=True)
    (root / "docs").mkdir()
    (root / "spec" / "keep.sonnx").write_text(KEEP, "utf-8")
    (root / "docs" / "keep.md").write_text("# Keep\n", "utf-8")
    shutil.copy(places.signatures(root), root / "spec" / "onnx" / "signatures.json")
    git(root, "init", "-q")
    commit(root)
    monkeypatch.chdir(root)
    return root


def last(run: Run) -> str:
    """The line on what was skipped, which stands before that on surprises, if anything was decided."""
    lines = run("check", "--changed", "HEAD").stdout.splitlines()
    return lines[-2 if lines[-1] == "no surprises" else -1]


def test_a_page_elsewhere(desk: Path, run: Run) -> None:
    """Is looked for in the commit too; where nothing is otherwise, nothing is decided."""
    assert last(run) == "skipped 1 file, for which nothing changed since HEAD"
    (desk / "docs" / "keep.md").unlink()
    done = run("check", "--changed", "HEAD")
    assert done.exit_code == 2
    assert "page ../docs/keep.md does not exist" in done.stderr


def test_signatures_that_git_does_not_look_at(desk: Path, run: Run, git: Git) -> None:
    """They are compared with what the commit has, byte for byte."""
    git(desk, "update-index", "--assume-unchanged", "spec/onnx/signatures.json")
    with (desk / "spec" / "onnx" / "signatures.json").open("a", encoding="utf-8") as file:
        file.write("\n")
    assert last(run) == ALL


def test_what_is_found_through_a_link(desk: Path, run: Run, commit: Callable[[Path], None]) -> None:
    """May have another history."""
    table = desk / "spec" / "onnx" / "signatures.json"
    table.rename(desk / "docs" / "table.json")
    table.symlink_to("../../docs/table.json")
    commit(desk)
    assert last(run) == ALL


def test_a_repository_of_the_environment(
    repository: Path, run: Run, monkeypatch: pytest.MonkeyPatch, commit: Callable[[Path], None]
) -> None:
    """It is that of the folder which counts: a hook of another one may have set its own."""
    edit(repository, "many", "twice(n) > n\n\n", "twice(n) < n\n\n")
    other = repository.with_name("other")
    shutil.copytree(repository, other)
    commit(other)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert "refuted" in decided(run).values()


def test_a_file_from_elsewhere(repository: Path, run: Run) -> None:
    """It has no history here, and is decided."""
    far = repository.with_name("far.sonnx")
    far.write_text('theory far "Far"\n\ntheorem no "no" : 1 = 2\n', "utf-8")
    assert decided(run, str(far))["user.far/no"] == "refuted"


def test_the_installed_library_in_the_repository(
    repository: Path, run: Run, monkeypatch: pytest.MonkeyPatch, commit: Callable[[Path], None]
) -> None:
    """A checkout that works on a folder of itself: what is edited, or gone, of the library is a difference."""
    common = repository / "lib" / "spec" / "common"
    common.mkdir(parents=True)
    (repository / "proofs" / "amounts.sonnx").rename(common / "amounts.sonnx")
    commit(repository)
    monkeypatch.setattr(places, "_stand_ins", [repository / "lib"])
    monkeypatch.chdir(repository / "proofs")
    assert decided(run) == {}
    text = (common / "amounts.sonnx").read_text("utf-8")
    (common / "amounts.sonnx").write_text(text.replace("n + n", "0 - n"), "utf-8")
    assert "refuted" in decided(run).values()
    (common / "amounts.sonnx").unlink()
    assert run("check", "--changed", "HEAD").exit_code == 2
