"""Differences of versions: decided once, recorded beside the ledger, and read as long as the texts say the same."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from sonnx_verify.api.differences import Recorded, pairs_of
from sonnx_verify.language.places import installed_library, signatures, stand_in_for_library
from sonnx_verify.language.project import Project
from sonnx_verify.timeouts import each_within

Run = Callable[..., Result]
WIDER = "accepted by onnx.Foo-2 only: X = int8 () 0"
DECIDE = "diff", "--update-records"
RECORD = Path("proofs/differences/foo.json")
NOT_DECIDED = "not decided: `sonnx-verify diff --update-records` decides it"
MATCHES = "nothing differs from the ledger"


def told(run: Run) -> str:
    """All that a report says."""
    done = run("report", "--out", "r")
    assert done.exit_code == 0, done.output
    return "".join(path.read_text("utf-8") for path in sorted(Path("r").rglob("*.html")))


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_a_difference_is_read(versions: Path, run: Run) -> None:
    """By `report`, which decides none, and by `diff`, in either order of the names."""
    assert NOT_DECIDED in told(run)
    assert run(*DECIDE).output == "decided 1 pair; 1 pair of 1 recorded\n"
    first = told(run)
    assert WIDER in first
    assert NOT_DECIDED not in first
    for names in (("onnx.Foo-1", "onnx.Foo-2"), ("onnx.Foo-2", "onnx.Foo-1")):
        recorded, decided = run("diff", *names), run("diff", *names, "--no-records")
        assert recorded.stdout == decided.stdout
        assert recorded.stderr == "recorded in proofs/differences/foo.json; --no-records decides it anew\n"
    # It is the record that is read: another input in it is told.
    replace(RECORD, '"elements": [0]', '"elements": [7]')

    assert WIDER.replace("() 0", "() 7") in told(run)
    assert "() 7" in run("diff", "onnx.Foo-1", "onnx.Foo-2").stdout


@pytest.mark.parametrize(
    ("name", "old", "new", "says_the_same"),
    [
        ("spec/onnx/foo_1.sonnx", '"X has axes"', '"there are axes"', True),
        ("spec/onnx/foo_1.sonnx", "use limits", "use limits  -- of sizes", True),
        ("spec/onnx/foo_2.sonnx", "value Y[i] = X[i]", "value Y[i] = X[i]\n\nexample one\n  X = int8 () 1", True),
        ("spec/common/limits.sonnx", "define is_enough", "define unused(n : int) : int = n\n\ndefine is_enough", True),
        ("spec/common/limits.sonnx", "n > 0", "n > 1", False),
        ("spec/onnx/foo_2.sonnx", "int8", "int8 int16", False),
        ("spec/onnx/foo_1.sonnx", "is_enough(rank(X))", "not is_enough(rank(X))", False),
        ("spec/onnx/foo_1.sonnx", '[E1] error "X has none" : when C1 fails\n', "", False),
    ],
)
def test_the_key_is_what_the_texts_say(
    versions: Path, run: Run, name: str, old: str, new: str, says_the_same: bool
) -> None:
    """A title, a comment, an example, an unused definition change nothing; what a text or its library says does."""
    run(*DECIDE)
    replace(versions / name, old, new)
    recorded = Recorded.of(Project.open(versions))

    assert (recorded.problems() == []) is says_the_same
    assert (recorded.missing(pairs_of(recorded.project)) == []) is says_the_same


def test_a_frozen_check_compares_keys(versions: Path, run: Run) -> None:
    run("check", "--update-ledger")
    # A project that records nothing owes nothing.
    assert MATCHES in run("check", "--frozen").stdout
    run(*DECIDE)
    assert MATCHES in run("check", "--frozen").stdout
    replace(RECORD, '"key": "', '"key": "0')
    done = run("check", "--frozen")

    assert done.exit_code == 1
    assert "\nthe difference of onnx.Foo-1 and onnx.Foo-2: decided of other texts\n" in done.stdout
    assert done.stdout.endswith("the run matches the ledger, but 1 difference of versions without a valid record\n")
    assert "to fix: run `sonnx-verify diff --update-records`" in done.stderr
    assert "--update-ledger" not in done.stderr
    run(*DECIDE)
    assert MATCHES in run("check", "--frozen").stdout
    replace(RECORD, "onnx.Foo-1 onnx.Foo-2", "onnx.Foo-1 onnx.Foo-3")
    done = run("check", "--frozen")
    assert done.exit_code == 1
    assert "the difference of onnx.Foo-1 and onnx.Foo-2: not decided" in done.stdout
    assert "the difference of onnx.Foo-1 and onnx.Foo-3: there is no such pair" in done.stdout
    run(*DECIDE)
    assert "Foo-3" not in RECORD.read_text("utf-8")


def test_a_frozen_diff_decides_anew(versions: Path, run: Run) -> None:
    run(*DECIDE)
    assert run("diff", "--frozen").exit_code == 0
    replace(RECORD, '"elements": [0]', '"elements": [7]')
    done = run("diff", "--frozen")

    assert done.exit_code == 1
    assert done.output == (
        "onnx.Foo-1 and onnx.Foo-2: the new answer differs from the record\n"
        "1 pair decided anew; 1 difference from the record\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # An answer that its verdict does not give.
        ('"answer": "different", "section": "int"', '"answer": "same", "section": "int"'),
        ('"verdict": "proved"', '"verdict": "unknown"'),
        ('"verdict": "proved"', '"verdict": "certain"'),
        ('"section": "int", "verdict": "proved", "scope": "unbounded"', '"section": "int"'),
        ('"rows"', '"lines"'),
        ("onnx.Foo-1 onnx.Foo-2", "onnx.Foo-1"),
        ('"key": ', '"key" '),
        ('"base": "onnx.Foo-2"', '"base": "onnx.Foo-2", "more": 1'),
        ('"compared": ["acceptance", "results", "types"]', '"compared": ["types", "results", "acceptance"]'),
    ],
)
def test_a_record_that_was_changed_by_hand(versions: Path, run: Run, old: str, new: str) -> None:
    """It is an error with its file, in every command that reads it, and nothing is decided in its place."""
    run(*DECIDE)
    replace(RECORD, old, new)
    for command in (("diff", "onnx.Foo-1", "onnx.Foo-2"), ("report", "--out", "r"), DECIDE):
        done = run(*command)
        assert done.exit_code == 2, done.output
        assert re.search(r"proofs/differences/foo.json:\d+:", done.stderr)
        assert "restore it from version control" in done.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"    \{[^\n]*\"results\"[^\n]*\n", ""),
        ('"section": "int"', '"section": "float"'),
        ('"other": "onnx.Foo-1"', '"other": "onnx.Bar-1"'),
        ('"side": "base"', '"side": "other"'),
        ('"other": "onnx.Foo-1"', '"other": "onnx.Foo-1", "alone": ["K"]'),
    ],
)
def test_a_record_answers_the_questions_about_its_texts(versions: Path, run: Run, old: str, new: str) -> None:
    """No less, no more, and no others: without its row on results it would say nothing of them."""
    run(*DECIDE)
    text, number = re.subn(old, new, RECORD.read_text("utf-8"))
    assert number
    RECORD.write_text(text.replace("},\n   ]", "}\n   ]"), "utf-8")
    for command in (("diff", "onnx.Foo-1", "onnx.Foo-2"), ("report", "--out", "r"), DECIDE):
        done = run(*command)
        assert done.exit_code == 2, done.output
        assert "answers other questions than those of the two texts" in done.stderr


def test_a_record_in_another_layout(versions: Path, run: Run) -> None:
    """With the members that say nothing, as it was written once: it is read, and says the same."""
    run(*DECIDE)
    made = json.loads(RECORD.read_text("utf-8"))
    (entry,) = made.values()
    entry["difference"] |= {"moved": [], "alone": []}
    for row in entry["difference"]["rows"]:
        if "example" in row:
            row["example"] |= {"outputs": [], "omitted": [], "unasked": [], "read": ""}
    recorded = run("diff", "onnx.Foo-1", "onnx.Foo-2").stdout
    RECORD.write_text(json.dumps(made, indent=2), "utf-8")

    assert run("diff", "onnx.Foo-1", "onnx.Foo-2").stdout == recorded
    assert run("diff", "--frozen").exit_code == 0


def test_a_record_in_a_file_of_another_operator(versions: Path, run: Run) -> None:
    run(*DECIDE)
    RECORD.with_name("other.json").write_bytes(RECORD.read_bytes())
    done = run(*DECIDE)

    assert done.exit_code == 2
    assert "proofs/differences/other.json:2:" in done.stderr
    assert "the difference of onnx.Foo-1 and onnx.Foo-2 is not of this file" in done.stderr
    assert "to fix: move it to proofs/differences/foo.json" in done.stderr
    # What is asked of one pair is read from its own files.
    assert run("diff", "onnx.Foo-1", "onnx.Foo-2").exit_code == 0


def test_a_pipe_among_the_records(versions: Path, run: Run) -> None:
    """To read it would take for ever."""
    run(*DECIDE)
    os.mkfifo(RECORD.with_name("q.json"))

    assert "q.json is not a file" in run(*DECIDE).stderr


@pytest.fixture
def place(versions: Path) -> Path:
    """The folder of the operator of that project."""
    place = versions / "spec" / "onnx" / "foo"
    place.mkdir()
    for path in (versions / "spec" / "onnx").glob("*.sonnx"):
        path.rename(place / path.name)
    return place


def test_a_record_in_the_folder_of_its_operator(place: Path, run: Run) -> None:
    """It is written there, and read from there by each command."""
    run("check", "--update-ledger")
    assert run(*DECIDE).output == "decided 1 pair; 1 pair of 1 recorded\n"
    assert (place / "differences.json").is_file()
    assert not RECORD.exists()
    assert WIDER in told(run)
    assert "recorded in spec/onnx/foo/differences.json;" in run("diff", "onnx.Foo-2", "onnx.Foo-1").stderr
    assert run("diff", "--frozen").exit_code == 0
    replace(place / "differences.json", '"key": "', '"key": "0')

    assert "the difference of onnx.Foo-1 and onnx.Foo-2: decided of other texts" in run("check", "--frozen").stdout


def test_a_record_in_the_old_place(place: Path, run: Run) -> None:
    """It is read as before, and goes to the folder of its operator when records are brought up to date; none is decided
    for that."""
    run(*DECIDE)
    own = place / "differences.json"
    text = own.read_text("utf-8")
    RECORD.parent.mkdir(parents=True)
    own.rename(RECORD)
    assert "recorded in proofs/differences/foo.json;" in run("diff", "onnx.Foo-1", "onnx.Foo-2").stderr
    assert WIDER in told(run)

    assert run(*DECIDE).output == "decided 0 pairs; 1 pair of 1 recorded\n"
    assert own.read_text("utf-8") == text
    assert not RECORD.exists()


def test_a_record_in_two_files(place: Path, run: Run) -> None:
    """Which of them is meant, nobody knows."""
    run("check", "--update-ledger")
    run(*DECIDE)
    RECORD.parent.mkdir()
    RECORD.write_bytes((place / "differences.json").read_bytes())
    for command in (("diff", "onnx.Foo-1", "onnx.Foo-2"), ("report", "--out", "r"), DECIDE, ("check", "--frozen")):
        done = run(*command)
        assert done.exit_code == 2, done.output
        assert "the difference of onnx.Foo-1 and onnx.Foo-2 is also in spec/onnx/foo/differences.json" in done.stderr
        assert "proofs/differences/foo.json:2:" in done.stderr


def test_a_record_in_a_folder_of_another_operator(place: Path, run: Run) -> None:
    run(*DECIDE)
    (place.parent / "bar").mkdir()
    (place / "differences.json").rename(place.parent / "bar" / "differences.json")
    done = run(*DECIDE)

    assert done.exit_code == 2
    assert "spec/onnx/bar/differences.json:2:" in done.stderr
    assert "to fix: move it to spec/onnx/foo/differences.json" in done.stderr


def test_the_records_of_the_installed_library(
    place: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder without specifications reads them, and keeps its own; the library stays as it is."""
    run(*DECIDE)
    own = place / "differences.json"
    text = own.read_text("utf-8")
    library = installed_library()
    shutil.copy(signatures(library), place.parent)
    stand_in_for_library(place.parents[2])
    try:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        monkeypatch.chdir(elsewhere)
        assert "recorded in spec/onnx/foo/differences.json;" in run("diff", "onnx.Foo-1", "onnx.Foo-2").stderr
        assert run(*DECIDE).output == "decided 0 pairs; 1 pair of 1 recorded\n"
        assert [*elsewhere.iterdir()] == []
        replace(own, '"key": "', '"key": "0')
        wrong = own.read_text("utf-8")
        assert run(*DECIDE).output == "decided 1 pair; 1 pair of 1 recorded\n"
        assert own.read_text("utf-8") == wrong
        assert RECORD.read_text("utf-8") == text
        assert "recorded in proofs/differences/foo.json;" in run("diff", "onnx.Foo-1", "onnx.Foo-2").stderr
        assert run("diff", "--frozen").exit_code == 0
        # Another version of the library may have it again: what the folder has is of other texts then.
        own.write_text(text, "utf-8")
        replace(elsewhere / RECORD, '"elements": [0]', '"elements": [7]')
        assert "() 7" in run("diff", "onnx.Foo-1", "onnx.Foo-2").stdout
        replace(elsewhere / RECORD, '"key": "', '"key": "0')
        assert "recorded in spec/onnx/foo/differences.json;" in run("diff", "onnx.Foo-1", "onnx.Foo-2").stderr
    finally:
        stand_in_for_library(library)


def test_a_text_with_a_mistake_loses_no_record(versions: Path, run: Run) -> None:
    run(*DECIDE)
    before = RECORD.read_text("utf-8")
    replace(versions / "spec" / "onnx" / "foo_1.sonnx", "input", "inputt")

    assert run(*DECIDE).exit_code == 2
    assert RECORD.read_text("utf-8") == before


def test_a_pair_that_cannot_be_compared(versions: Path, run: Run) -> None:
    """The record keeps why; `diff` says where too, as without a record."""
    replace(versions / "spec" / "onnx" / "foo_2.sonnx", "input  X", "input  W : tensor of T\ninput  X")
    assert run(*DECIDE).exit_code == 0
    recorded, decided = run("diff", "onnx.Foo-1", "onnx.Foo-2"), run("diff", "onnx.Foo-1", "onnx.Foo-2", "--no-records")

    assert "cannot be compared" in RECORD.read_text("utf-8")
    assert recorded.exit_code == decided.exit_code == 2
    assert recorded.stderr == decided.stderr
    assert "cannot be compared" in recorded.stderr


def test_what_a_clock_ended_is_not_recorded(versions: Path, run: Run) -> None:
    """Another run may decide it: unlike an unknown that work budgets ended."""
    recorded = Recorded.of(Project.open(versions))
    with each_within(1e-9):
        assert list(recorded.decide(pairs_of(recorded.project), 1, print)) == [versions / RECORD]

    assert recorded.own.entries == {}


def test_several_processes_record_the_same(versions: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever decides, and whatever was recalled of what it rests on."""
    run(*DECIDE)
    first = RECORD.read_bytes()
    monkeypatch.setenv("SONNX_VERIFY_CACHE", "off")
    for jobs in ("1", "3"):
        RECORD.unlink()
        assert run(*DECIDE, "--jobs", jobs).exit_code == 0
        assert RECORD.read_bytes() == first
