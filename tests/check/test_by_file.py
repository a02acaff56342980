"""Many files are checked one after the other in each process: with the results that they have when all obligations are
made before the first is decided."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from pathlib import Path

import pytest

from sonnx_verify.api import decided as module
from sonnx_verify.api.asked import Asked
from sonnx_verify.api.decided import Decided
from sonnx_verify.errors import SpecificationError, UsageError, UserError
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.processes.pool import LATER
from sonnx_verify.results.result import Result
from sonnx_verify.solving.check import by_file
from sonnx_verify.solving.check.gathered import Gathered, Gatherer, number_of, place_of
from sonnx_verify.solving.check.shares import FileShares
from sonnx_verify.solving.solvers import Solvers

OPERATOR = """operator {name} version 1 user
use zz_last

types int = int8
types float = float16

input  X : tensor of T
output Y : tensor of T

[C1] constraint "not a scalar" : rank(X) > 0
[E1] error      "a scalar"     : when C1 fails

shape Y    = X.shape
value Y[i] = X[i]

using {using}(rank(X))
"""
TEXTS = {
    # What these use stands in the last file.
    "spec/user/a.sonnx": OPERATOR.format(name="A", using="last"),
    "spec/user/b.sonnx": OPERATOR.format(name="B", using="false_last"),
    "spec/user/broken.sonnx": "operator Broken version 1 user\n\ninput X : tensor of\n",
    "spec/user/kinds.sonnx": OPERATOR.format(name="Kinds", using="last").replace("X[i]", "rank(X)"),
    # It never says what `f` is, which is a finding that needs no solver.
    "spec/drafts/open.sonnx": OPERATOR.format(name="Open", using="last").replace("user", "draft")
    + '\nundefined f(int) : int from "page" "a function of which nothing is said"\n',
    # Its statement is made only when the file is decided.
    "proofs/lost.sonnx": 'theory lost "a name that nothing has"\n\ntheorem lost "lost" for k : int : k = lost\n',
    **{
        f"proofs/t{n}.sonnx": f'theory t{n} "laws"\nuse zz_last\n\n'
        f'theorem next "one more" for k : int using last(k) : k + {n} < k + {n + 1}\n'
        f'theorem least "none below" for k : int : k > {n}\n'
        for n in range(6)
    },
    "proofs/of_a.sonnx": 'theory of_a "about an operator"\ntypes int = int8\n\n'
    'theorem same "as it was" for X : tensor of T : A(X) = A(X)\n',
    "proofs/zz_last.sonnx": 'theory zz_last "what others use"\n\n'
    'theorem last "one more" for k : int : k < k + 1\ntheorem false_last "wrong" for k : int : k < 5\n',
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files that use later ones, of which one cannot be read and one does not fit."""
    for name, text in TEXTS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(jobs: int = 1, what: tuple[str, ...] = ()) -> tuple[list[Result], list[str], list[str]]:
    """What is found of the current folder: results, errors, the files that are not checked."""
    # A process that has threads is not forked: those of a test before this one may still be ending. Those of solvers
    # are ended before a fork.
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.name.startswith("solver "):
            thread.join(10)
    with Solvers() as solvers:
        found = Decided(Asked.of(what), None, jobs)
        results = list(found.results(solvers))
    return results, sorted(map(str, found.errors)), found.unchecked


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_same_as_at_once(project: Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results, errors and files; also where something that is used stands in a file that comes last, or is false."""
    found = answer(jobs)
    assert len(found[0]) > 40
    assert len(found[1]) == 3
    one = next(result for result in found[0] if result.reason.startswith("depends on"))
    assert one.reason == "depends on proofs.zz_last/false_last/theorem, which is refuted"

    assert "violated" in {result.verdict for result in found[0] if result.kind == "well-formed"}

    monkeypatch.setattr(module, "_MANY", 1_000)
    assert found == answer(jobs)


def test_one_is_told_before_the_last_file_is_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first result, of a file that uses nothing."""
    (project / "proofs/a.sonnx").write_text('theory a "first"\n\ntheorem one "one" for k : int : k < k + 1\n', "utf-8")
    for path in (project / "spec").rglob("*.sonnx"):
        path.unlink()
    gathered: list[int] = []
    monkeypatch.setattr(by_file.ByFile, "gathered", _noting(gathered, by_file.ByFile.gathered))

    with Solvers() as solvers:
        next(Decided(Asked.of([]), None, 1).results(solvers))
    assert gathered[0] == 0
    assert len(gathered) < 4


def _noting(gathered: list[int], original: object) -> object:
    def noted(self: by_file.ByFile, file: int, found: Gathered) -> None:
        gathered.append(file)
        original(self, file, found)  # type: ignore[operator]

    return noted


def test_the_texts_are_those_of_the_beginning(project: Path) -> None:
    """Whoever makes obligations later does not make others, of a file that was written meanwhile."""
    expected = answer()[0]
    with Solvers() as solvers:
        results = Decided(Asked.of([]), None, 1).results(solvers)
        found = [next(results)]
        for name in TEXTS:
            (project / name).write_text('theory other "another text"\n', "utf-8")
        # A library that comes later is nearer than the one that was there.
        (project / "spec/user/zz_last.sonnx").write_text(THEORY.format("zz_last", "last", "n < 0"), "utf-8")
        found += results
    assert found == expected


def test_of_files_that_are_not_asked_for_as_a_whole(project: Path) -> None:
    """What is picked of them, as after a change: all is made before, and nothing else is decided."""
    asked = Asked(
        Path(),
        files=[Path(name) for name in TEXTS],
        picked={Path("proofs/t1.sonnx"): frozenset(["proofs.t1/least/theorem"])},
    )
    with Solvers() as solvers:
        found = list(Decided(asked, None, 1).results(solvers))
    assert [result.id for result in found] == ["proofs.t1/least/theorem"]


def test_what_is_used_elsewhere_is_decided_and_not_told(project: Path) -> None:
    """A folder of many files that use one beside it."""
    (project / "spec/user/broken.sonnx").unlink()
    (project / "spec/user/kinds.sonnx").unlink()
    for n in range(8):
        (project / f"spec/user/op{n}.sonnx").write_text(OPERATOR.format(name=f"Op{n}", using="last"), "utf-8")

    results, errors, _ = answer(1, ("spec",))
    assert not errors
    assert {result.subject.partition(".")[0] for result in results} == {"user", "drafts"}
    assert [r.reason for r in results if r.verdict == "unknown" and ".Op" in r.id] == []
    assert any(r.reason.startswith("depends on proofs.zz_last/false_last") for r in results)


def test_what_uses_a_file_with_a_mistake(project: Path) -> None:
    """It is unknown, and all else is decided; where the file was not asked for, its mistake is the answer."""
    last = project / "proofs/zz_last.sonnx"
    # Whoever uses a theorem of it does not look at what it expects.
    last.write_text(TEXTS["proofs/zz_last.sonnx"] + 'expect unknown last/theorem "hard"\n', "utf-8")
    for n in range(8):
        (project / f"spec/user/op{n}.sonnx").write_text(OPERATOR.format(name=f"Op{n}", using="last"), "utf-8")

    results, errors, unchecked = answer()
    assert any("only a draft may expect findings" in error for error in errors)
    assert "proofs/zz_last.sonnx" in unchecked
    verdicts = {r.tag: (r.verdict, r.reason) for r in results if r.subject == "proofs.t1"}
    assert verdicts["least"][0] == "refuted"
    assert verdicts["next"] == ("unknown", "depends on proofs.zz_last/last/theorem, which is missing")
    with pytest.raises(SpecificationError, match="only a draft may expect findings"):
        answer(1, ("spec",))


THEORY = 'theory {0} "{0}"\n\ntheorem {1} "{1}" for n : int : {2}\n'


def write(folder: Path, texts: dict[str, str]) -> None:
    """Texts in files, among eight that have nothing to do with them."""
    fillers = {f"filler{n}.sonnx": THEORY.format(f"filler{n}", "t", f"n < n + {n + 1}") for n in range(8)}
    for name, text in {**fillers, **texts}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


@pytest.mark.parametrize("jobs", [1, 2])
def test_of_two_of_one_name_the_false_one_is_in_a_file_with_a_mistake(
    tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What uses it is not proved by the other one."""
    mistake = 'theorem bad "a mistake" for n : int using nosuch(n) : n <= n\n'
    user = 'use thy\ntheory user "user"\n\ntheorem wrong "false" for n : int using same(n) : n < 0\n'
    write(
        tmp_path,
        {
            "a/thy.sonnx": THEORY.format("thy", "same", "n <= n"),
            "b/thy.sonnx": THEORY.format("thy", "same", "n < 0") + mistake,
            "b/user.sonnx": user,
        },
    )
    monkeypatch.chdir(tmp_path)

    results, errors, _ = answer(jobs)
    (wrong,) = (result for result in results if result.id == "user.user/wrong/theorem")
    assert len(errors) == 1
    assert (wrong.verdict, wrong.reason) == ("unknown", "depends on user.thy/same/theorem, which is missing")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_link_to_a_file(tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is another file of the same text, and takes nothing from those behind it."""
    write(tmp_path, {"y.sonnx": THEORY.format("y", "t", "n < 0"), "z.sonnx": THEORY.format("z", "t", "n < 1")})
    (tmp_path / "link.sonnx").symlink_to("filler1.sonnx")
    monkeypatch.chdir(tmp_path)

    found = answer(jobs)
    assert [r.id for r in found[0] if r.verdict == "refuted"] == ["user.y/t/theorem", "user.z/t/theorem"]
    monkeypatch.setattr(module, "_MANY", 1_000)
    assert found == answer(jobs)


@pytest.mark.parametrize("false", ["a", "linked"])
def test_libraries_of_one_name_in_a_folder_behind_a_link(
    tmp_path: Path, false: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No list of files has the one behind the link, and each rests on the one that it uses."""
    user = 'use thy\ntheory {0} "{0}"\n\ntheorem t "t" for n : int using same(n) : n < 0\n'
    law = {name: THEORY.format("thy", "same", "n < 0" if name == false else "n <= n") for name in ("a", "linked")}
    write(tmp_path / "project", {"a/thy.sonnx": law["a"], "a/of_a.sonnx": user.format("of_a")})
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/thy.sonnx").write_text(law["linked"], "utf-8")
    (tmp_path / "project/spec").mkdir()
    (tmp_path / "project/spec/common").symlink_to(tmp_path / "elsewhere")
    for name in ("a", *(f"filler{n}.sonnx" for n in range(8))):
        (tmp_path / "project" / name).rename(tmp_path / "project/spec" / name)
    (tmp_path / "project/proofs").mkdir()
    (tmp_path / "project/proofs/of_linked.sonnx").write_text(user.format("of_linked"), "utf-8")
    monkeypatch.chdir(tmp_path / "project")

    results, errors, _ = answer()
    assert not errors
    assert not [r.id for r in results if r.tag == "t" and r.verdict == "proved" and "filler" not in r.subject]


def test_files_of_one_subject_have_no_ledger(project: Path) -> None:
    """As soon as the second one is known."""
    (project / "proofs/more").mkdir()
    (project / "proofs/more/t1.sonnx").write_text(TEXTS["proofs/t1.sonnx"], "utf-8")
    with Solvers() as solvers:
        found = Decided(Asked.of([]), None, 1)
        found.refuse_shared()
        with pytest.raises(UsageError, match=r"is in proofs/more/t1\.sonnx and in proofs/t1\.sonnx"):
            list(found.results(solvers))


def test_a_file_whose_process_ends(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not checked, and says why; all others are."""
    parent, original = os.getpid(), Gatherer._of_file  # noqa: SLF001  # where a file is read

    def ending(self: Gatherer, file: int) -> tuple[list[Obligation], list[UserError]]:
        if self._files[file].name == "t3.sonnx" and os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(self, file)

    whole = answer(2)
    monkeypatch.setattr(Gatherer, "_of_file", ending)
    results, errors, unchecked = answer(2)

    assert results == [result for result in whole[0] if result.subject != "proofs.t3"]
    assert "proofs/t3.sonnx" in unchecked
    assert any("the obligations could not be made: the process that worked on it ended by SIGKILL" in e for e in errors)


# --------------------------------------------------------------------------------------------------------------- shares


def test_numbers() -> None:
    """Of a file, and of what is in it."""
    assert place_of(number_of(3)) == (3, None)
    assert place_of(number_of(3, 0)) == (3, 0)
    assert place_of(number_of(0, 7)) == (0, 7)


def test_who_gathers_a_file_waits_for_it() -> None:
    """What is asked for early comes when the file is known, and another process does not get it."""
    shares = FileShares([0, 1])
    assert shares.next(1) == number_of(0)
    assert shares.next(1) == LATER
    assert shares.next(2) == number_of(1)
    shares.put(0, deque([deque([number_of(0, 0), number_of(0, 1)])]))
    shares.put(1, deque())
    assert shares.next(2) is None
    assert [shares.next(1), shares.next(1), shares.next(1)] == [number_of(0, 0), number_of(0, 1), None]
    assert not shares


def test_the_share_of_a_process_that_ended_is_anybodys() -> None:
    """Before any other file."""
    shares = FileShares([0, 1])
    assert shares.next(1) == number_of(0)
    shares.put(0, deque([deque([number_of(0, 0)]), deque([number_of(0, 1)])]))
    assert shares.next(1) == number_of(0, 0)
    shares.give_back(1)
    assert [shares.next(2), shares.next(2)] == [number_of(0, 1), number_of(1)]


def test_others_help_with_what_is_left_of_a_long_file() -> None:
    """From its end, a clause at a time."""
    shares = FileShares([0])
    assert shares.next(1) == number_of(0)
    shares.put(0, deque(deque([number_of(0, n)]) for n in range(10)))
    assert [shares.next(1), shares.next(2)] == [number_of(0, 0), number_of(0, 9)]
    assert [shares.next(2), shares.next(2)] == [number_of(0, 8), None]
