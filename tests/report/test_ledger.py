"""The ledger: what a run leaves beside the proofs, and what the next one finds otherwise."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.api import cache
from sonnx_verify.cli import check as command
from sonnx_verify.cli import main
from sonnx_verify.solving.solvers import Solvers

pytestmark = pytest.mark.usefixtures("nothing_kept")

THEORY = """\
theory few "Of integers"

types int = int8 int16

theorem more "one more is not less"
  for n, m : int assuming n < m
  : n + 1 <= m

theorem same "an element is itself"
  for x : T
  : x = x
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one theory, where the commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs" / "few.sonnx").write_text(THEORY, "utf-8")
    return tmp_path


def run(*arguments: str) -> Result:
    """`check` with the arguments, in this process."""
    return CliRunner().invoke(main, ["check", *arguments], catch_exceptions=False)


def edit(project: Path, old: str, new: str) -> None:
    path = project / "proofs" / "few.sonnx"
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def ledger(project: Path) -> Path:
    return project / "proofs" / "ledger.json"


def test_a_run_is_held_against_the_ledger(project: Path) -> None:
    """What matches the ledger passes; there is one line for each obligation, with what was stated and concluded."""
    assert run("--update-ledger").exit_code == 0
    lines = ledger(project).read_text("utf-8").splitlines()
    made = json.loads(ledger(project).read_text("utf-8"))
    frozen = run("--frozen")

    assert made["solvers"] == ["bitwuzla", "cvc5", "z3"]
    assert sorted(made["obligations"]) == list(made["obligations"])
    assert [sum(identity in line for line in lines) for identity in made["obligations"]] == [1] * 3
    assert made["obligations"]["proofs.few.int/more/theorem"]["verdict"] == "proved"
    assert made["obligations"]["proofs.few.int/more/theorem"]["scope"] == "unbounded"
    assert (frozen.exit_code, frozen.stdout.splitlines()[-1]) == (0, "matches the ledger")


def test_the_same_bytes(project: Path) -> None:
    """From any number of processes, from a second run, and from a text with other words and places."""
    run("--update-ledger", "--jobs", "1")
    first = ledger(project).read_bytes()
    run("--update-ledger", "--jobs", "2")
    second = ledger(project).read_bytes()
    edit(project, 'theorem more "one more is not less"', '-- A comment.\n\ntheorem more "in other words"')
    run("--update-ledger")

    assert first == second == ledger(project).read_bytes()


@pytest.mark.parametrize(("old", "new", "told"), [
    ("n + 1 <= m", "n + 1 < m", "proofs.few.int/more/theorem: was proved, is refuted"),
    ("n + 1 <= m", "n <= m", "proofs.few.int/more/theorem: proved as before, but the statement changed"),
    (
        "assuming n < m",
        "assuming n < m - 1",
        "proofs.few.int/more/theorem: proved as before, but the statement changed",
    ),
    ("int8 int16", "int8 int32", "proofs.few.int/same/theorem: proved as before, but the statement changed"),
    ("theorem same", "theorem equal", "proofs.few.int/same/theorem: in the ledger, not in the specifications"),
    ("theorem same", "theorem equal", "proofs.few.int/equal/theorem: not in the ledger, now proved"),
])  # fmt: skip  # a table
def test_what_changed_is_told(project: Path, old: str, new: str, told: str) -> None:
    """Another verdict, another statement, an obligation more or less: each is a line, and the run fails."""
    run("--update-ledger")
    before = ledger(project).read_bytes()
    edit(project, old, new)
    done = run("--frozen")

    assert done.exit_code == 1
    assert f"ledger: {told}" in done.stdout.splitlines()
    assert "`sonnx-verify check --update-ledger`" in done.stderr
    assert ledger(project).read_bytes() == before


def test_a_ledger_names_the_solvers_that_answered(project: Path) -> None:
    """One that was edited to name fewer rests on what nobody can say."""
    run("--update-ledger")
    made = json.loads(ledger(project).read_text("utf-8"))
    ledger(project).write_text(json.dumps({**made, "solvers": ["z3"]}), "utf-8")
    frozen = run("--frozen")

    assert frozen.exit_code == 1
    assert "ledger: the ledger does not name bitwuzla, cvc5, which answered" in frozen.stdout.splitlines()


def test_a_missing_solver_is_a_change(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one solver a run is not what the ledger depends on, and writes none."""
    run("--update-ledger")
    before = ledger(project).read_bytes()
    for module in (command, cache):
        monkeypatch.setattr(module, "Solvers", lambda **more: Solvers(("z3", "nosolver"), **more))
    frozen, update = run("--frozen"), run("--update-ledger")

    assert frozen.exit_code == 1
    assert "ledger: the ledger depends on bitwuzla, cvc5, which did not answer" in frozen.stdout.splitlines()
    assert update.exit_code == 2
    assert ledger(project).read_bytes() == before


def test_a_part_is_brought_up_to_date(project: Path) -> None:
    """What a run was asked for is written and compared; the rest of the ledger stays as it is."""
    run("--update-ledger")
    whole = ledger(project).read_bytes()
    edit(project, "n + 1 <= m", "n <= m")

    assert run("proofs.few.int/same/theorem", "--frozen").exit_code == 0
    assert run("proofs.few.int/same/theorem", "--update-ledger").exit_code == 0
    assert ledger(project).read_bytes() == whole
    assert run("proofs.few.int/more/theorem", "--update-ledger").exit_code == 0
    assert ledger(project).read_bytes() != whole
    assert run("--frozen").exit_code == 0


def test_what_is_gone_from_a_named_text(project: Path) -> None:
    """It is missed where the text is named too; what other texts have is not asked of it, nor what fits a pattern."""
    (project / "proofs" / "others.sonnx").write_text(THEORY.replace("theory few", "theory others"), "utf-8")
    run("--update-ledger")
    edit(project, THEORY[THEORY.index("theorem same") :], "")
    named, other = (run(f"proofs/{name}.sonnx", "--frozen") for name in ("few", "others"))
    pattern = run("proofs.few*", "--frozen")

    gone = "ledger: proofs.few.int/same/theorem: in the ledger, not in the specifications"
    assert named.exit_code == 1
    assert [line for line in named.stdout.splitlines() if "ledger: " in line] == [gone]
    assert other.exit_code == pattern.exit_code == 0


def test_what_is_written_is_told(project: Path) -> None:
    """How many lines, and how many of them are other ones; the exit status is that of the findings."""
    first = run("--update-ledger")
    edit(project, "n + 1 <= m", "n + 1 < m")
    second, third = run("--update-ledger"), run("--update-ledger")

    assert first.stdout.splitlines()[-1] == f"wrote {Path('proofs/ledger.json')}: 3 obligations, 3 new"
    assert second.stdout.splitlines()[-1] == f"wrote {Path('proofs/ledger.json')}: 3 obligations, 1 changed"
    assert third.stdout.splitlines()[-1] == f"wrote {Path('proofs/ledger.json')}: 3 obligations, unchanged"
    assert (first.exit_code, second.exit_code) == (0, 1)


@pytest.mark.parametrize("options", [
    ("--update-ledger", "--frozen"), ("--changed", "HEAD", "--frozen"), ("--changed", "HEAD", "--update-ledger"),
], ids=" ".join)  # fmt: skip  # a table
def test_options_that_contradict_each_other(project: Path, options: tuple[str, ...]) -> None:
    """Nothing is decided, and nothing written."""
    done = run(*options)

    assert (done.exit_code, done.stdout) == (2, "")
    assert "to fix: give one of them" in done.stderr
    assert not ledger(project).exists()


@pytest.mark.parametrize("text", [
    "", "{", "[]", '{"solvers": [], "obligations": {"a": 1}}', '{"solvers": 1, "obligations": {}}',
])  # fmt: skip  # a table
def test_what_is_no_ledger_is_told(project: Path, text: str) -> None:
    """A ledger that was broken is an error with its place, and is not overwritten in part."""
    ledger(project).write_text(text, "utf-8")
    for arguments in (["--frozen"], ["--update-ledger"]):
        done = run(*arguments)

        assert done.exit_code == 2
        assert "proofs/ledger.json:1:" in done.stderr or "proofs/ledger.json:2:" in done.stderr
        assert "restore it" in done.stderr
        assert ledger(project).read_text("utf-8") == text


@pytest.mark.parametrize("first", [False, True])
def test_a_ledger_with_an_identity_twice_is_told(project: Path, first: bool) -> None:
    """Two lines of one identity, as a merge may leave them, are an error at the second, whichever is the right one."""
    run("--update-ledger")
    lines = ledger(project).read_text("utf-8").splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if "more/theorem" in line)
    other = lines[place].replace("proved", "refuted")
    lines.insert(place if first else place + 1, other if first else other.rstrip(",\n") + ",\n")
    text = "".join(lines)
    ledger(project).write_text(text, "utf-8")
    for arguments in (["--frozen"], ["--update-ledger"]):
        done = run(*arguments)

        assert done.exit_code == 2
        assert f"proofs/ledger.json:{place + 2}:3: error: " in done.stderr
        assert "the key `proofs.few.int/more/theorem` is there twice" in done.stderr
        assert ledger(project).read_text("utf-8") == text


@pytest.mark.parametrize("text", [
    '{"solvers": ["\\ud800"], "obligations": {}}', '{"solvers": [], "obligations": {"\\ud800": {"verdict": "proved"}}}',
    '{"solvers": [], "obligations": {"a": {"verdict": "\\ud800"}}}',
    '{"solvers": [], "obligations": {"a\\ud800": {"verdict": "proved", "verdict": "proved"}}}',
    '{"solvers": [], "obligations": {"\\ud800": {"verdict": "proved"}, "\\ud800": {"verdict": "proved"}}}',
])  # fmt: skip  # a table
def test_half_a_character_in_a_ledger(project: Path, text: str) -> None:
    """What cannot be written anywhere is an error with its place, and no ledger is made of it."""
    ledger(project).write_text(text, "utf-8")
    for arguments in (["--frozen"], ["--update-ledger"]):
        done = run(*arguments)

        assert (done.exit_code, "proofs/ledger.json:1:" in done.stderr) == (2, True)
        assert ledger(project).read_text("utf-8") == text


@pytest.mark.parametrize("kept", [False, True])
def test_two_files_with_one_identity_have_no_ledger(project: Path, kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line cannot say what came of both, whichever of them earlier runs know; a run without the ledger, or of one
    of the files, goes as before."""
    if kept:
        monkeypatch.setenv("SONNX_VERIFY_CACHE", str(project / "cache"))
    run("--update-ledger")
    before = ledger(project).read_bytes()
    (project / "proofs" / "more").mkdir()
    (project / "proofs" / "more" / "few.sonnx").write_text(THEORY.replace("n + 1", "n"), "utf-8")
    for arguments in (["--frozen"], ["--update-ledger"], ["--frozen", "proofs.few*"]):
        done = run(*arguments)

        assert (done.exit_code, done.stdout) == (2, "")
        assert "proofs.few" in done.stderr
        assert "is in proofs/few.sonnx and in proofs/more/few.sonnx" in done.stderr
        assert ledger(project).read_bytes() == before
    assert run().exit_code == run("--frozen", "proofs/few.sonnx").exit_code == 0


def test_no_ledger(project: Path) -> None:
    """There has to be one to compare with."""
    done = run("--frozen")

    assert done.exit_code == 2
    assert "there is no ledger at proofs/ledger.json" in done.stderr


def test_it_is_written_whole_or_not(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it cannot be put in its place, the one before is left, and nothing else."""

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    run("--update-ledger")
    before = ledger(project).read_bytes()
    edit(project, "n + 1 <= m", "n <= m")
    monkeypatch.setattr(os, "replace", fails)
    done = run("--update-ledger")

    assert done.exit_code == 2
    assert "No space left on device" in done.stderr
    assert ledger(project).read_bytes() == before
    assert sorted(p.name for p in (project / "proofs").iterdir()) == ["few.sonnx", "ledger.json"]


LIBRARY = """\
library other "Of doubles"

define other(x : int) : int
  "two times x"
  = 2 * x
"""

OPERATOR = """\
operator Same version 1 user

types int = int8

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = X[i]
"""


@pytest.fixture
def folder(project: Path) -> Path:
    """That of an operator, beside the theory."""
    made = project / "spec" / "sonnx" / "same"
    made.mkdir(parents=True)
    (made / "same.sonnx").write_text(OPERATOR, "utf-8")
    return made


def test_an_operator_has_a_ledger_in_its_folder(project: Path, folder: Path) -> None:
    """All else shares one; a run of one of them writes nothing into the other."""
    assert run("--update-ledger").exit_code == 0
    own = json.loads((folder / "verdicts.json").read_text("utf-8"))["obligations"]
    shared = json.loads(ledger(project).read_text("utf-8"))["obligations"]

    assert own
    assert {identity.split("-")[0] for identity in own} == {"sonnx.Same"}
    assert {identity.split("/")[0] for identity in shared} == {"proofs.few.int", "proofs.few"}
    assert run("--frozen").exit_code == run("--frozen", str(folder)).exit_code == 0

    ledger(project).write_text(ledger(project).read_text("utf-8").replace('"z3"', '"z4"'), "utf-8")
    before = ledger(project).read_bytes()
    done = run("--update-ledger", str(folder))
    assert "wrote spec/sonnx/same/verdicts.json: " in done.stdout
    assert ledger(project).read_bytes() == before


def test_a_ledger_of_before_is_taken_apart(project: Path, folder: Path) -> None:
    """One file for all is compared with as it is; who writes it anew gives each operator its own."""
    run("--update-ledger")
    own, shared = ((path, path.read_text("utf-8")) for path in (folder / "verdicts.json", ledger(project)))
    both = json.loads(own[1])
    both["obligations"] |= json.loads(shared[1])["obligations"]
    own[0].unlink()
    ledger(project).write_text(json.dumps(both), "utf-8")

    assert run("--frozen").exit_code == 0
    assert "wrote 2 files: " in run("--update-ledger").stdout
    assert [path.read_text("utf-8") for path, _ in (own, shared)] == [own[1], shared[1]]


def test_a_folder_without_its_ledger(project: Path, folder: Path) -> None:
    """What is not there is not decided anew in silence."""
    run("--update-ledger")
    (folder / "verdicts.json").unlink()
    done = run("--frozen")

    assert done.exit_code == 1
    assert "ledger: sonnx.Same-1/spec/well-formed: not in the ledger, now holds" in done.stdout


def test_an_entry_stands_in_one_file_and_in_its_own(project: Path, folder: Path) -> None:
    """An error with its line, whatever it says."""
    run("--update-ledger")
    own = folder / "verdicts.json"
    text = own.read_text("utf-8")
    lines = text.splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if "/spec/well-formed" in line)

    lines[number] = lines[number].replace("sonnx.Same", "sonnx.Other")
    own.write_text("".join(lines), "utf-8")
    for done in (run("--frozen"), run("--update-ledger")):
        assert done.exit_code == 2
        assert f"spec/sonnx/same/verdicts.json:{number + 1}:3: error: sonnx.Other-1/spec/well-formed" in done.stderr
        assert "is not of this folder\n" in done.stderr
        assert "to fix: move it to proofs/ledger.json, or remove it" in done.stderr
    own.write_text(text, "utf-8")

    shared = ledger(project).read_text("utf-8")
    ledger(project).write_text(
        shared.replace(
            '"obligations": {', '"obligations": {\n' + lines[number].replace("Other", "Same").rstrip(",\n") + ","
        ),
        "utf-8",
    )
    for done in (run("--frozen"), run("--update-ledger")):
        assert done.exit_code == 2
        assert (
            "proofs/ledger.json:4:3: error: sonnx.Same-1/spec/well-formed is also in spec/sonnx/same/verdicts.json\n"
            in done.stderr
        )
        assert "to fix: delete it in one of the two" in done.stderr


def test_a_version_that_is_gone(project: Path, folder: Path) -> None:
    """Of an operator whose texts are all named nothing may be missing, and nothing of it stays; of one text more may be
    elsewhere."""
    (folder / "older.sonnx").write_text(OPERATOR.replace("version 2", "version 1"), "utf-8")
    (folder / "same.sonnx").write_text(OPERATOR.replace("version 1", "version 2"), "utf-8")
    run("--update-ledger")
    (folder / "older.sonnx").write_text(LIBRARY, "utf-8")
    frozen, one = run(str(folder), "--frozen"), run("spec/sonnx/same/same.sonnx", "--frozen")
    gone = "ledger: sonnx.Same-1/spec/well-formed: in the ledger, not in the specifications"

    assert (frozen.exit_code, one.exit_code) == (1, 0)
    assert gone in frozen.stdout.splitlines()
    assert " gone" in run(str(folder), "--update-ledger").stdout.splitlines()[-1]
    assert run(str(folder), "--frozen").exit_code == run("--frozen").exit_code == 0
    assert "Same-1" not in (folder / "verdicts.json").read_text("utf-8")


def test_a_users_operator_has_a_ledger_in_its_folder(project: Path) -> None:
    """In whatever folder of `spec/` it lies; what one file for all had before goes there."""
    made = project / "spec" / "ours" / "same"
    made.mkdir(parents=True)
    (project / "spec" / "same.sonnx").write_text(OPERATOR, "utf-8")
    run("--update-ledger")
    both = json.loads(ledger(project).read_text("utf-8"))["obligations"]
    (project / "spec" / "same.sonnx").rename(made / "same.sonnx")

    assert run("--frozen").exit_code == 0
    assert run("--update-ledger").exit_code == 0
    own = json.loads((made / "verdicts.json").read_text("utf-8"))["obligations"]
    shared = json.loads(ledger(project).read_text("utf-8"))["obligations"]
    assert {identity.split("-")[0] for identity in own} == {"user.Same"}
    assert {**own, **shared} == both
    # Two such folders, and nobody knows which of them is meant.
    (project / "spec" / "theirs" / "same").mkdir(parents=True)
    (project / "spec" / "theirs" / "same" / "other.sonnx").write_text(LIBRARY, "utf-8")
    assert run("--frozen").exit_code == 2
