"""`export-smt`: which queries are written, in which folder, and that it is the same folder on every run."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.api import queried
from sonnx_verify.cli import main
from sonnx_verify.errors import UserError
from sonnx_verify.logic.status import Status
from sonnx_verify.logic.verdict import VerdictName, undecided
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.outputs.queries import ROWS, Queries
from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.sources import Source, Span
from sonnx_verify.stores.folder import INDEX, sealed, write_folder

ROOT = Path(__file__).resolve().parents[2]
SMALL = """
theory small "one of each verdict"

types int = int8 int16

theorem above   "above"                     for k : int : k < k + 1
theorem rests   "on another" for k : int using above(k) : k < k + 2
theorem small   "no integer is large"       for k : int : k <= 2
theorem far     "no integer is very large"  for k : int : 2 * k != 2000000000000000002
theorem nothing "of nothing"                for k : int assuming k < 0 and k > 0 : k = 1
theorem between "of elements"               for x, y : T assuming x < y : not (y < x)
"""
BROKEN = 'theory broken "does not end"\n\ntheorem open "open" for k : int :\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "small.sonnx").write_text(SMALL, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def export(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["check", "--export-smt", *arguments])
    return done.exit_code, done.output


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_same_bytes(project: Path) -> None:
    """Whatever the number of processes; an earlier export is replaced, and nothing is left beside it."""
    made = []
    for jobs in "12":
        run = [sys.executable, "-m", "sonnx_verify", "check", "--export-smt", "out", "small.sonnx", "--jobs", jobs]
        subprocess.run(run, env=dict(os.environ), check=True, capture_output=True)
        made.append(files(project / "out"))

    assert made[0] == made[1]
    assert len(made[0]) > 6
    assert sorted(path.name for path in project.iterdir()) == ["out", "small.sonnx"]


def test_what_rests_on_what(project: Path) -> None:
    """What was concluded from unsat rests on queries that are unsat; what was not decided on all that were asked; what
    concrete input shows on none. What another one uses is there too."""
    assert export("out", "user.small.int/*")[0] == 0
    index = json.loads((project / "out" / INDEX).read_text("utf-8"))
    status = {row["file"]: row["status"] for row in index["queries"]}
    found = {row["id"].split("/")[1]: row for row in index["obligations"]}
    expected = {name: {status[file] for file in row["queries"]} for name, row in found.items()}

    assert expected["above"] == expected["rests"] == expected["nothing"] == expected["between"] == {"unsat"}
    assert (found["small"]["verdict"], expected["small"]) == ("refuted", set())
    assert (found["far"]["verdict"], expected["far"]) == ("candidate", {"sat"})
    assert found["rests"]["uses"] == ["user.small.int/above/theorem"]
    assert set(status) | {INDEX} == set(files(project / "out"))
    assert export("out", "user.small.int/rests/theorem")[0] == 0
    rows = json.loads((project / "out" / INDEX).read_text("utf-8"))["obligations"]
    assert [(row["id"], row["asked"]) for row in rows] == [
        ("user.small.int/above/theorem", False),
        ("user.small.int/rests/theorem", True),
    ]


def test_a_file_says_what_rests_on_it(project: Path) -> None:
    """Identity, kind, types, verdict, scope, and what each solver said."""
    export("out", "user.small.int/between/theorem")
    text = b"\n".join(files(project / "out").values()).decode()

    for line in (
        "; user.small.int/between/theorem",
        ";   kind: theorem",
        ";   types: int8, int16",
        ";   verdict: proved",
        ";   scope: every rank, every dim including 0, every number of inputs, every element value",
        "; z3 said unsat, cvc5 said unsat; with at most 10000000 units of work, in z3's count",
    ):
        assert f"\n{line}\n" in text


def test_what_a_query_along_a_hint_holds(project: Path) -> None:
    """Each assertion is said to be a formula of the claim, at its place, or an instance of one; without hints nothing
    is said. The words leave the query as it is."""
    CliRunner().invoke(main, ["check", "--update-hints", "small.sonnx"])
    export("out", "user.small.int/between/theorem")
    texts = [text.decode() for name, text in files(project / "out").items() if name != INDEX]
    told = [re.findall(r"^; asserts? (\d+)(?: to (\d+))?: ", text, re.MULTILINE) for text in texts]

    assert [max(int(last or first) for first, last in found) for found in told] == [t.count("(assert ") for t in texts]
    assert len(texts) == 2
    for text in texts:
        query = text.split("(set-info :status unsat)\n")[1].removesuffix("(check-sat)\n")
        assert hashlib.sha256(query.encode()).hexdigest() in text.splitlines()[0]
        for line in (
            "; along a hint, of the claim: of elements",
            "; it holds 2 of the claim's 4 formulas and 0 instances and rules",
            "; assert 1: small.sonnx:11 between: x < y",
            "; assert 2: that the claim fails: y < x",
        ):
            assert f"\n{line}\n" in text
    export("out", "--no-hints", "user.small.int/between/theorem")
    assert not any(b"; along a hint" in text for text in files(project / "out").values())


def test_a_mistake_in_a_text(project: Path) -> None:
    """Nothing is written, and an earlier export is left as it was."""
    export("out", "small.sonnx")
    before = files(project / "out")
    (project / "broken.sonnx").write_text(BROKEN, "utf-8")
    status, said = export("out")

    assert (status, files(project / "out")) == (2, before)
    assert "broken.sonnx:4:1" in said
    assert "1 error: nothing was written" in said


def test_a_solver_is_missing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one solver found unsat is not expected to be, and the status is 3."""
    monkeypatch.setattr(queried, "Solvers", lambda keep_texts: Solvers(("z3", "nosolver"), keep_texts=keep_texts))
    status, said = export("out", "user.small.int/above/theorem")

    assert (status, "1 query, 0 of them unsat, 1 unknown" in said) == (3, True)
    assert b"(set-info :status unknown)" in b"".join(files(project / "out").values())


def test_what_a_user_wrote_into_the_index(project: Path) -> None:
    """It is kept: the index is held against a hash like every other file, whatever was added to it."""
    export("out", "user.small.int/above/theorem")
    index = project / "out" / INDEX
    for written in (
        index.read_text("utf-8").replace('"obligations": [', '"notes": "mine",\n "obligations": ['),
        index.read_text("utf-8") + "\n",
        index.read_text("utf-8").replace('"budget":', '"budget": 1, "budget":'),
    ):
        index.write_text(written, "utf-8")
        status, said = export("out", "user.small.int/above/theorem")

        assert (status, index.read_text("utf-8")) == (2, written)
        assert "out/index.json is not the index of an export, or was modified" in said


def test_folders_above_the_current_one(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them can be replaced, not even the root of all."""
    (project / "deeper").mkdir()
    (project / "deeper" / "small.sonnx").write_text(SMALL, "utf-8")
    monkeypatch.chdir(project / "deeper")
    for folder in ("/", "..", str(project)):
        status, said = export(folder, "user.small.int/above/theorem")

        assert (status, f"error: {folder} holds the current folder" in said) == (2, True)


def at(number: int, do: Callable[[], object]) -> Callable[[Path, Path], None]:
    """`os.replace`, but before the call of that number something else is done."""
    replace, calls = os.replace, iter(range(1, 9))

    def replaced(source: Path, target: Path) -> None:
        if next(calls) == number:
            do()
        replace(source, target)

    return replaced


def test_an_end_between_the_two_renames(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The earlier export is put back, and nothing else is left."""

    def end() -> None:
        raise KeyboardInterrupt

    export("out", "user.small.int/above/theorem")
    before = files(project / "out")
    monkeypatch.setattr(os, "replace", at(2, end))
    export("out", "user.small.int/between/theorem")

    assert files(project / "out") == before
    assert sorted(path.name for path in project.iterdir()) == ["out", "small.sonnx"]


def test_what_comes_into_the_folder_last(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that comes after the last look is there with the earlier export, and the user is told."""
    out = project / "out"
    export("out", "user.small.int/above/theorem")
    before = files(out)
    monkeypatch.setattr(os, "replace", at(1, lambda: (out / "notes.txt").write_bytes(b"mine")))
    status, said = export("out", "user.small.int/between/theorem")

    assert (status, "out/notes.txt is not part of the export" in said) == (2, True)
    assert files(out) == before | {"notes.txt": b"mine"}
    assert sorted(path.name for path in project.iterdir()) == ["out", "small.sonnx"]


def filled(folder: Path) -> None:
    """Make a folder with a file of somebody else."""
    folder.mkdir()
    (folder / "notes.txt").write_bytes(b"mine")


def test_a_folder_that_comes_between(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where another one takes the place it is left, and the user is told where the earlier export is."""
    out = project / "out"
    export("out", "user.small.int/above/theorem")
    before = files(out)
    monkeypatch.setattr(os, "replace", at(2, partial(filled, out)))
    status, said = export("out", "user.small.int/between/theorem")
    kept = next(path for path in project.iterdir() if path.name.startswith(".out-"))

    assert (status, "error: something else was put into out meanwhile" in said) == (2, True)
    assert f"to fix: its former content is in {kept / 'old'}" in said
    assert (files(out), files(kept / "old")) == ({"notes.txt": b"mine"}, before)


OURS = {"a.smt2": b"a", "b.smt2": b"b"}


def index_of(names: dict[str, bytes]) -> bytes:
    rows = [{"file": name, "bytes_sha256": hashlib.sha256(data).hexdigest()} for name, data in names.items()]
    return sealed({"tool": {"name": "sonnx-verify"}, ROWS: rows})


def write(folder: Path, names: dict[str, bytes]) -> None:
    write_folder(folder, names | {INDEX: index_of(names)}, ROWS)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: (f / "notes.txt").write_text("mine"), "is not part of the export"),
        (lambda f: (f / "a.smt2").write_text("mine"), "was modified"),
        (lambda f: ((f / "a.smt2").unlink(), (f / "a.smt2").symlink_to("b.smt2")), "was modified"),
        (lambda f: (f / "deeper").mkdir(), "is not part of the export"),
        (lambda f: (f / INDEX).unlink(), "holds no earlier export"),
        (lambda f: (f / INDEX).write_text('{"tool": 1}'), "is not the index"),
    ],
)
def test_nothing_of_a_user_s_is_lost(tmp_path: Path, change: Callable[[Path], object], said: str) -> None:
    """A folder with anything else in it is refused and left as it was."""
    folder = tmp_path / "out"
    write(folder, OURS)
    change(folder)
    before = sorted(folder.iterdir())
    with pytest.raises(UserError, match=said):
        write(folder, {"c.smt2": b"c"})

    assert sorted(folder.iterdir()) == before
    assert sorted(tmp_path.iterdir()) == [folder]


def test_written_whole(tmp_path: Path) -> None:
    """Where a file cannot be written the earlier export stays, alone. One that lost files is replaced."""
    folder = tmp_path / "out"
    write(folder, OURS)
    (folder / "b.smt2").unlink()
    before = files(folder)
    with pytest.raises(UserError, match="cannot be written"):
        write_folder(folder, {"c.smt2": b"c", "n" * 300: b""}, ROWS)
    assert (files(folder), sorted(tmp_path.iterdir())) == (before, [folder])

    write(folder, {"c.smt2": b"c"})
    assert set(files(folder)) == {"c.smt2", INDEX}


def test_a_comment_stays_one() -> None:
    """Whatever stands in an assumption, it does not become a command."""
    obligation = Obligation("o", 1, "", "t", Kind.THEOREM, Span(Source("s", ""), 1, 1), "user.o")
    assumptions = ("one\r\n(assert false)\u2028\x85two",)
    record = Record(obligation, undecided(VerdictName.UNKNOWN, "-"), assumptions=assumptions)
    record.queries, record.texts = {"0" * 64: {"z3": Status.UNKNOWN}}, {"0" * 64: "(set-logic QF_UF)\n"}
    made = Queries({"z3": "1"}, 7)
    made.add(record, asked=True)
    lines = made.files()["0" * 64 + ".smt2"].decode().splitlines()

    assert lines[-3:] == ["(set-info :status unknown)", "(set-logic QF_UF)", "(check-sat)"]
    assert all(line.startswith(";") for line in lines[:-4])
