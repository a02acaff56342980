"""`conform` on targets that are right and on ones with a slip: each slip is found, once, on its smallest input."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.cli.conform import conform
from sonnx_verify.conformance.judgement.answer import identified
from sonnx_verify.conformance.judgement.conformance import Divergence
from sonnx_verify.conformance.records.files import RecordStore
from sonnx_verify.conformance.records.ledger import LEDGERS, Ledger, entry_changes, version_key
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.language.places import installed_library
from sonnx_verify.stores.folder import write_files

PROJECT = Path(__file__).with_name("project")
QUICK = ("--short", "--random", "0", "--seconds", "5")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of two small operators, with targets beside them."""
    shutil.copytree(PROJECT, tmp_path / "project")
    (tmp_path / "project" / "program.sh").chmod(0o755)
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def run(*arguments: str, status: int) -> str:
    """What the command prints; it ends with that status."""
    only = ["--test-only"] if any(a.startswith("python:") for a in arguments) else []
    done = CliRunner().invoke(main, ["conform", *arguments, *only], prog_name="sonnx-verify")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == status, done.output
    return done.output


def answer(target: str, *more: str, status: int, operator: str = "user.Greater-1") -> dict[str, Any]:
    """The JSON of the command."""
    made: dict[str, Any] = json.loads(
        run(operator, "--against", target, *QUICK, *more, "--format", "json", status=status)
    )
    return made


def elements(divergence: dict[str, Any]) -> list[Any]:
    """The elements of the inputs, tensor by tensor."""
    return [tensor["data"] for tensor in divergence["inputs"].values()]


def test_a_right_function_agrees(folder: Path) -> None:
    """A function that is right agrees bit for bit, and the answer says on how many inputs of which types."""
    made = answer("python:targets:right", status=0)

    assert (made["verdict"], made["level"], made["divergences"], made["crashes"]) == ("agrees", "bits", [], [])
    assert made["target_version"] == "1.0"
    assert made["scope"]["types"] == ["int8", "float"]
    assert made["scope"]["inputs"] == sum(t["inputs"] for t in made["scope"]["of_types"].values()) > 100


SLIPS = {
    "signs": [("zero-sign", [0.0, "-0.0"])],
    "drops_nan": [("nan-lost", [0.0, "nan"])],
    "never_checks": [("accepts", [0.0, []]), ("accepts", [0.0])],
    "refuses_empty": [("refuses", [[]])],
    "writes": [("changes-input", [0.0, 1.0])],
    "wide": [("type", [0.0])],
    "flat": [("shape", [0.0])],
    "shaped": [("changes-input", [0.0])],
    "typed": [("changes-input", [0.0])],
    "listed": [("no-result", [0.0])],
    "masked": [("no-result", [0.0])],
    "many": [("number-of-outputs", [0.0])],
    "writes_and_refuses": [("changes-input", [1])],
    "aborts": [("crash", [0.0, 0.0, 0.0])],
    "leaves": [("crash", [0.0, 0.0, 0.0])],
    "eats": [("memory", [0.0, 0.0, 0.0])],
}
"""For each slip the kinds of differences, each with the elements of its smallest input."""
OF_FLOATS = ("signs", "drops_nan")
LONG = ("wide", "many", "leaves", "listed", "masked")
"""Much like others, and so in the soak only."""


def some(cases: Iterable[str], long: Collection[str]) -> list[Any]:
    """The cases as parameters, those that are long marked."""
    return [pytest.param(c, marks=[pytest.mark.soak] * (c in long)) for c in cases]


@pytest.mark.parametrize("name", some(SLIPS, LONG))
def test_a_slip_is_found_once_on_its_smallest_input(name: str, folder: Path) -> None:
    """One slip, one divergence, and no smaller input shows it; what dies is in `crashes` too."""
    types = "float" if name in OF_FLOATS else "int8"
    made = answer(f"python:targets:{name}", "--types", types, status=1)

    found = [(d["kind"], elements(d)) for d in made["divergences"]]
    assert made["verdict"] == "diverges"
    assert found == SLIPS[name]
    assert [d["id"] for d in made["crashes"]] == [
        d["id"] for d in made["divergences"] if d["kind"] in ("crash", "hang", "memory")
    ]


def test_answers_of_a_copy_are_not_taken_for_others(folder: Path) -> None:
    """A target that forks answers twice. The second answer is to the call before: it is none to the next one, and
    nothing but crashes is found."""
    made = answer("python:targets:forks", "--types", "int8", status=1)

    assert {d["kind"] for d in made["divergences"]} == {"crash"}


def test_an_exception_without_words_is_a_refusal(folder: Path) -> None:
    """To say what it is, it would run code under test again, which fails."""
    assert answer("python:targets:unspeakable", status=0)["verdict"] == "agrees"


def test_an_exception_of_words_that_are_no_text(folder: Path) -> None:
    """A lone surrogate cannot be written as UTF-8: the reason is told with an escape in its place."""
    made = answer("python:targets:unwritable", status=3)

    assert {u["said"] for u in made["unsupported"]} == {"NotImplementedError: byte \\udcff"}


def test_a_repro_runs(folder: Path) -> None:
    """The line of a divergence, run by a shell in this folder, shows it."""
    found = answer("python:targets:signs", "--types", "float", status=1)["divergences"][0]

    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    # A user's shell does not keep Python from the current folder.
    user = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"} | {"PATH": path}
    done = subprocess.run(found["repro"], shell=True, capture_output=True, text=True, env=user)
    assert done.stdout.strip() == "-0.0", done.stderr


def test_a_hang_ends_and_is_told(folder: Path) -> None:
    """A call that does not end is ended; after some of them no more inputs of the type are tried, which is told."""
    made = answer("python:targets:hangs", "--types", "int8", "--seconds", "0.5", status=1)

    assert [d["kind"] for d in made["divergences"]] == ["hang"]
    assert made["scope"]["of_types"]["int8"]["passed_over"] > 0


def test_what_a_target_prints_is_no_answer(folder: Path) -> None:
    """Standard output of the target does not mix with the answers, and its standard input is empty."""
    assert answer("python:targets:prints", "--types", "int8", status=0)["verdict"] == "agrees"


def test_a_type_that_is_always_refused_is_unsupported(folder: Path) -> None:
    """Where no valid input has a result, that is no divergence, and no agreement."""
    made = answer("python:targets:refuses_all", status=3)

    assert (made["verdict"], made["divergences"], made["level"]) == ("unsupported", [], None)
    assert [(u["type"], u["said"]) for u in made["unsupported"]] == [
        ("int8", "NotImplementedError: not yet"),
        ("float", "NotImplementedError: not yet"),
    ]


OPEN = """\
operator Open version 1 user

types int = int8

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = X[i]
[U1] unspecified value Y[i] "elements of vectors are open" when {when}
"""


@pytest.mark.parametrize(("when", "status", "verdict"), [("rank(X) >= 0", 3, "unknown"), ("rank(X) > 0", 0, "agrees")])
def test_nothing_agrees_of_what_is_open(when: str, status: int, verdict: str, folder: Path) -> None:
    """Where the specification allows any result no result agrees; the answer says what was not compared."""
    (folder / "Open.sonnx").write_text(OPEN.format(when=when), "utf-8")
    (folder / "opens.py").write_text("def seven(x):\n    return x if not x.ndim else x * 0 + 7\n", "utf-8")
    made = answer("python:opens:seven", status=status, operator="user.Open-1")
    said = run("user.Open-1", "--against", "python:opens:seven", *QUICK, status=status)

    assert made["verdict"] == verdict
    assert made["scope"]["left_open"] == ["U1"]
    assert made["scope"]["of_types"]["int8"]["open"] > 40
    assert "not compared: results left open by U1" in said


def test_a_type_that_is_refused_may_have_crashes(folder: Path) -> None:
    """They are findings like all others, also where the target need not have the type."""
    made = answer("python:targets:dies_of_what_it_lacks", "--types", "int8", "--without", "int8", status=1)

    assert made["verdict"] == "diverges"
    assert {d["kind"] for d in made["crashes"]} == {"crash"}


def test_the_earlier_name_of_a_level() -> None:
    """`sum-bound` goes on working."""
    (level,) = (parameter.type for parameter in conform.params if parameter.name == "level")

    assert level.convert("sum-bound", None, None) == level.convert("member", None, None) == "member"
    with pytest.raises(click.UsageError):
        level.convert("sum", None, None)


def test_levels(folder: Path) -> None:
    """What counts is what --accept-level says: the sign of a zero may not, the bits of a NaN may."""
    of_floats = ("--types", "float")
    signs = answer("python:targets:signs", *of_floats, "--accept-level", "zero-sign", status=0)
    payload = answer("python:targets:payload", *of_floats, status=0)
    strict = answer("python:targets:payload", *of_floats, "--accept-level", "bits", status=1)

    assert (signs["verdict"], signs["level"]) == ("agrees", "zero-sign")
    assert (payload["verdict"], payload["level"]) == ("agrees", "nan-payload")
    assert [d["kind"] for d in strict["divergences"]] == ["nan-payload"]


def test_lengths_and_places_in_memory(folder: Path) -> None:
    """What goes wrong behind the last whole vector, or where arrays are not aligned, is found; not in a short run."""
    words = ("user.Same-1", "--random", "0", "--strength", "2", "--format", "json", "--against")
    (wrong,) = json.loads(run(*words, "python:targets:long_tail", status=1))["divergences"]
    (place,) = json.loads(run(*words, "python:targets:unaligned", status=1))["divergences"]

    assert (wrong["kind"], elements(wrong)) == ("value", [[0, 0, 0, 0, 1]])
    assert (place["kind"], place["presentation"]) == ("value", "offset by 1 element")
    run(*words, "python:targets:unaligned", "--short", status=0)


def test_memory_around_an_input(folder: Path) -> None:
    """It is the caller's, as the input is."""
    words = ("user.Same-1", "--random", "0", "--strength", "2", "--format", "json", "--against")
    found = json.loads(run(*words, "python:targets:around", status=1))["divergences"]

    # Which input is the smallest that shows it hangs on where the process has its memory: there may be a second one.
    assert {one["kind"] for one in found} == {"changes-input"}


def test_a_type_to_do_without_that_the_operator_lacks(folder: Path) -> None:
    """It is told, with the types that there are."""
    text = run("user.Same-1", "--against", "python:targets:same", "--without", "int9", status=2)

    assert "int9" in text
    assert "int8" in text


PROGRAMS = {
    "right": (0, []),
    "any": (1, [("accepts", [0])]),
    "wrong": (1, [("shape", [[]]), ("value", [[0]])]),
    "dies": (1, [("crash", [[]])]),
    "fails": (1, [("crash", [0])]),
    "garbage": (1, [("no-result", [[]])]),
    "nothing": (1, [("number-of-outputs", [[]])]),
    "writes": (1, [("changes-input", [[]])]),
    "pipes": (1, [("changes-input", [[]])]),
    "skips": (1, [("no-result", [[]])]),
    "removes": (1, [("changes-input", [[]]), ("no-result", [[]])]),
    "external": (1, [("no-result", [[]])]),
}


@pytest.mark.parametrize("way", some(PROGRAMS, ("fails", "nothing", "garbage")))
def test_a_program(way: str, folder: Path) -> None:
    """A program reads input_0.pb and writes output_0.pb: status 0 is a result, 3 a refusal, any other a crash."""
    status, wanted = PROGRAMS[way]
    made = answer(f"exec:./program.sh {way}", "--random", "0", status=status, operator="user.Same-1")

    assert [(d["kind"], elements(d)) for d in made["divergences"]] == wanted


def test_a_program_that_hangs_is_ended(folder: Path) -> None:
    """So that nothing of it is left."""
    more = ("--random", "0", "--seconds", "0.1")
    made = answer("exec:./program.sh hangs", *more, status=1, operator="user.Same-1")

    assert [d["kind"] for d in made["crashes"]] == ["hang"]


USAGE = {
    "nonsense": "`nonsense` is not a target",
    "python:targets": "`python:targets` is not a target",
    "python:missing:function": "missing:function cannot be used: ModuleNotFoundError",
    "python:targets:missing": "targets:missing cannot be used: AttributeError",
    "python:targets:number": "targets:number is not callable",
    "exec:./missing.sh": "there is no program `./missing.sh`",
    "exec:'": "is not a command",
}


@pytest.mark.parametrize("target", USAGE)
def test_usage(target: str, folder: Path) -> None:
    """What cannot be a target is told, with what to do, and status 2."""
    text = run("user.Greater-1", "--against", target, status=2)

    assert USAGE[target] in text
    assert "to fix:" in text


LEDGER = ("user.Same-1", "--against", "python:targets:plus_one", "--short", "--random", "0")
HEAD = "python-targets-plus_one/user.Same-1/value/2"


def test_the_ledger(folder: Path) -> None:
    """--frozen fails where there is no ledger, agrees with the one that was written, and tells each change of it."""
    assert "there is no ledger for user.Same-1" in run(*LEDGER, "--frozen", status=1)
    run(*LEDGER, "--update-ledger", status=1)
    path = folder / "proofs" / "divergences" / "python-targets-plus_one-1.0.json"
    written = path.read_text("utf-8")
    mark = written.partition(HEAD + "/")[2][:6]

    assert "matches the ledger" in run(*LEDGER, "--frozen", status=0)
    run(*LEDGER, "--update-ledger", status=1)
    assert path.read_text("utf-8") == written

    path.write_text(written.replace('"got": {"outcome": "result"', '"got": {"outcome": "refused"'), "utf-8")
    assert f"changed: {HEAD}/{mark}: got" in run(*LEDGER, "--frozen", status=1)
    path.write_text(written.replace(mark, "aaaaaa"), "utf-8")
    told = run(*LEDGER, "--frozen", status=1)
    assert f"new: {HEAD}/{mark} (int8)" in told
    assert f"gone: {HEAD}/aaaaaa (int8)" in told
    path.write_text(written, "utf-8")
    assert "random: ledger 0, now 1" in run(*LEDGER, "--random", "1", "--frozen", status=1)
    path.write_text("{}", "utf-8")
    assert "not a ledger of divergences" in run(*LEDGER, "--frozen", status=2)


def test_a_ledger_of_some_types(folder: Path) -> None:
    """Some types are held against what the ledger says of these; it is written of all types only."""
    words = ("user.Greater-1", "--against", "python:targets:signs", "--short", "--random", "0")
    run(*words, "--update-ledger", status=1)

    assert "matches the ledger" in run(*words, "--types", "int8", "--frozen", status=0)
    assert "drop --types" in run(*words, "--types", "int8", "--update-ledger", status=2)


def test_a_new_version_is_a_difference(folder: Path) -> None:
    """A version without a ledger is told as such, and held against the one there is."""
    run(*LEDGER, "--update-ledger", status=1)
    path = folder / "proofs" / "divergences" / "python-targets-plus_one-1.0.json"
    older = path.read_text("utf-8").replace('"version": "1.0"', '"version": "0.9"').replace(HEAD, HEAD + "0")
    path.with_name("python-targets-plus_one-0.9.json").write_text(older, "utf-8")
    path.unlink()

    told = run(*LEDGER, "--frozen", status=1)
    assert "there is no ledger for user.Same-1 against python:targets:plus_one 1.0" in told
    assert "compared with the ledger of python:targets:plus_one 0.9:" in told
    assert f"new: {HEAD}/" in told


STATE = """\
calls = 0

def fifth(X):
    global calls
    calls += 1
    return ones(X) - (calls != 5)

def ones(X):
    if not X.ndim:
        raise ValueError("a scalar")
    return X + 1
"""


def test_what_a_new_process_does_not_show_is_told(folder: Path) -> None:
    """Code that counts its calls is wrong on the fifth of a process. Its line has one call, and shows nothing."""
    (folder / "state.py").write_text(STATE, "utf-8")
    words = ("user.Same-1", "--against", "python:state:fifth", *QUICK)
    (once,) = answer("python:state:fifth", operator="user.Same-1", status=1)["divergences"]
    (always,) = answer("python:state:ones", operator="user.Same-1", status=1)["divergences"]

    assert (once["reproduced"], always["reproduced"]) == (False, True)
    assert "not reproduced: a second run" in run(*words, status=1)
    # A ledger is about the target, whatever was called before.
    run(*words, "--update-ledger", status=1)
    assert "reproduced" not in (folder / "proofs" / "divergences" / "python-state-fifth-unversioned.json").read_text()


BEHIND = """\
operator Behind version 1 user

types int = int8

input           X : tensor of T
optional output F : tensor of bool
output          Y : tensor of T

shape F    = X.shape
value F[i] = X[i] < 0
shape Y    = X.shape
value Y[i] = X[i]
"""


def test_results_have_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an optional output is not asked for, the first result is that of the output behind it."""
    (tmp_path / "behind.sonnx").write_text(BEHIND, "utf-8")
    (tmp_path / "of_one.py").write_text("def more(X):\n    return X + 1\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    made = answer("python:of_one:more", operator="user.Behind-1", status=1)

    wrong = next(one for one in made["divergences"] if one["kind"] == "value")
    assert [*wrong["expected"]["outputs"]] == [*wrong["got"]["outputs"]] == ["Y"]


def test_a_function_may_give_all_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not told which are asked for: the others are left alone, and one too few is still one too few."""
    (tmp_path / "behind.sonnx").write_text(BEHIND, "utf-8")
    both = "def both(X):\n    return X < 0, X\n"
    (tmp_path / "of_two.py").write_text(f"{both}def turned(X):\n    return X >= 0, X\n", "utf-8")
    monkeypatch.chdir(tmp_path)

    for target in ("python:of_two:both", "evaluator"):
        found = answer(target, "--random", "20", operator="user.Behind-1", status=0)
        assert found["verdict"] in ("agrees", "proved")
    turned = answer("python:of_two:turned", "--random", "20", operator="user.Behind-1", status=1)
    assert {one["kind"] for one in turned["divergences"]} == {"value"}


def test_no_record_beside_the_installed_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without specifications has those of the library, and keeps what it finds out about them itself; where it
    says nothing, the library's records count."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nots.py").write_text("def same(X):\n    return X\n", "utf-8")
    words = ("sonnx.Not-1", "--against", "python:nots:same", "--short", "--random", "0")
    library = Ledger("python:nots:same", "0.9", {"sonnx.Not-1": entry("proved", tried=["bool"])})
    read: list[tuple[Path, ...]] = []

    def versions(self: object, roots: tuple[Path, ...], operator: str, target: str) -> dict[str, Any]:
        read.append(roots)
        return {"0.9": library.operators[operator]}

    monkeypatch.setattr(RecordStore, "versions", versions)
    assert "compared with the ledger of python:nots:same 0.9:" in run(*words, "--frozen", status=1)
    assert read == [(tmp_path, installed_library())]
    run(*words, "--update-ledger", status=1)
    assert [path.name for path in (tmp_path / "proofs" / "divergences").iterdir()] == [
        "python-nots-same-unversioned.json"
    ]
    assert "matches the ledger" in run(*words, "--frozen", status=0)


OWN = ("drafts.Same-1", *LEDGER[1:])


@pytest.fixture
def place(folder: Path) -> Path:
    """The folder of an operator of that project, which is a draft now."""
    place = folder / "spec" / "drafts" / "same"
    place.mkdir(parents=True)
    (folder / "Same.sonnx").rename(place / "same.sonnx")
    return place


def test_the_ledger_in_the_folder_of_an_operator(folder: Path, place: Path) -> None:
    """An operator with a folder is recorded there."""
    run(*OWN, "--update-ledger", status=1)

    assert [*folder.rglob("*.json")] == [place / "runs" / "python-targets-plus_one-1.0.json"]
    assert "matches the ledger" in run(*OWN, "--frozen", status=0)


def test_a_ledger_in_the_old_place(folder: Path, place: Path) -> None:
    """It is read and compared as before; recorded anew, an operator goes to its folder, and the others stay."""
    run(*OWN, "--update-ledger", status=1)
    own = place / "runs" / "python-targets-plus_one-1.0.json"
    shared = folder / "proofs" / "divergences" / own.name
    text = own.read_text("utf-8")
    entries = json.loads(text)["operators"]
    both = Ledger("python:targets:plus_one", "1.0", {**entries, "user.Other-1": entry("agrees", tried=[])})
    own.unlink()
    write_files({shared: LEDGERS.written(both)})
    assert "matches the ledger" in run(*OWN, "--frozen", status=0)

    run(*OWN, "--update-ledger", status=1)
    assert own.read_text("utf-8") == text
    assert [*json.loads(shared.read_text("utf-8"))["operators"]] == ["user.Other-1"]

    # A new version is compared with the last one, whatever folder that is in.
    own.unlink()
    for path in (own, shared):
        older = path.with_name("python-targets-plus_one-0.9.json")
        older.write_text(text.replace('"version": "1.0"', '"version": "0.9"'), "utf-8")
        assert "compared with the ledger of python:targets:plus_one 0.9:" in run(*OWN, "--frozen", status=1)
        older.unlink()


def test_the_verdict_is_in_the_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is compared any more, that is a change."""
    monkeypatch.chdir(tmp_path)
    words = ("user.Far-1", "--against", "python:axes:same", "--random", "0", "--short")
    (tmp_path / "axes.py").write_text("def same(X):\n    return X\n", "utf-8")
    (tmp_path / "far.sonnx").write_text(FAR.format(many="rank(X) >= 0").replace("rank(X) > 60", "false"), "utf-8")
    run(*words, "--update-ledger", status=0)
    path = tmp_path / "proofs" / "divergences" / "python-axes-same-unversioned.json"
    written = path.read_text("utf-8")
    verdict = '"verdict": "agrees"'

    assert "matches the ledger" in run(*words, "--frozen", status=0)
    path.write_text(written.replace(verdict, '"verdict": "unknown"'), "utf-8")
    assert "verdict: ledger unknown, now agrees" in run(*words, "--frozen", status=1)
    path.write_text(written.replace(f"   {verdict},\n", ""), "utf-8")
    assert "verdict: ledger none, now agrees" in run(*words, "--frozen", status=1)
    path.write_text(written.replace(verdict, '"verdict": "maybe"'), "utf-8")
    assert "not a ledger of divergences" in run(*words, "--frozen", status=2)

    path.write_text(written, "utf-8")
    far = (tmp_path / "far.sonnx").read_text("utf-8").replace("rank(X) >= 0", "rank(X) > 50")
    (tmp_path / "far.sonnx").write_text(far, "utf-8")
    (tmp_path / "axes.py").write_text("def same(X):\n    raise ValueError\n", "utf-8")
    assert "verdict: ledger agrees, now unknown" in run(*words, "--frozen", status=1)


def entry(verdict: str, *, short: bool = False, **types: list[str]) -> Any:
    """The part of a ledger about one operator, proved: by divergence its types, all that were tried under `tried`."""
    of_types = {name: {"verdict": verdict} for name in types.pop("tried")}
    divergences = {name: {"types": found} for name, found in types.items()}
    scope = {"short": short, "of_types": of_types}
    return {"verdict": verdict, "scope": scope, "unsupported": {}, "divergences": divergences}


def test_a_part_of_a_run_against_a_ledger() -> None:
    """What it does not find is not gone; what is not proved any more is a change."""
    both, one = ["int8", "float"], ["int8"]
    lost = 'int8: ledger {"verdict": "proved"}, now {"verdict": "unknown"}'
    assert changes(entry("proved", tried=both), entry("proved", tried=one)) == []
    assert changes(entry("refuted", tried=both, d=both), entry("proved", tried=both, short=True)) == []
    for now in (entry("unknown", tried=one), entry("unknown", tried=both, short=True)):
        assert changes(entry("proved", tried=both), now)[:2] == ["verdict: ledger proved, now unknown", lost]

    assert changes(entry("agrees", tried=both), entry("unknown", tried=both, short=True))[0].startswith("verdict: ")
    assert changes(entry("unknown", tried=both), entry("agrees", tried=both, short=True)) == []

    # It found one with fewer types: that is about this divergence, and about no other.
    known = entry("refuted", tried=both, a=both, b=["float"])
    now = entry("refuted", tried=both, a=one, b=["float"], short=True)
    assert changes(known, now) == []


def changes(known: Any, now: Any) -> list[str]:
    """The lines of the differences."""
    return list(entry_changes(known, now))


def test_the_newest_version_is_compared(folder: Path) -> None:
    """Versions are ordered by their numbers, and a target whose name begins alike is another one."""
    run(*LEDGER, "--update-ledger", status=1)
    path = folder / "proofs" / "divergences" / "python-targets-plus_one-1.0.json"
    written = path.read_text("utf-8")
    path.unlink()
    for version in ("0.9", "0.10"):
        text = written.replace('"version": "1.0"', f'"version": "{version}"')
        path.with_name(f"python-targets-plus_one-{version}.json").write_text(text, "utf-8")
    other = written.replace("python:targets:plus_one", "python:targets:plus_one-7")
    path.with_name("python-targets-plus_one-7-1.0.json").write_text(other, "utf-8")

    assert "compared with the ledger of python:targets:plus_one 0.10:" in run(*LEDGER, "--frozen", status=1)


def test_a_ledger_of_other_rules() -> None:
    """Where the inputs are chosen by other rules, a line says so instead of one for each number of inputs."""
    now = entry("agrees", tried=["int8"])
    known = json.loads(json.dumps(now))
    known["scope"]["of_types"]["int8"]["inputs"] = 7
    assert [*entry_changes(known, now)] != []
    now = json.loads(json.dumps(now))
    now["scope"]["rules"] = 2

    (told,) = entry_changes(known, now)
    assert told == (
        "the inputs are chosen by other rules: ledger 1, now 2; create the ledger again with --update-ledger"
    )


def test_the_order_of_versions() -> None:
    """What comes before a release is older than it, and no version is older than each."""
    versions = ["", "1.9.0", "1.10.0.dev2", "1.10.0rc1", "1.10.0", "1.10.0+cpu", "1.10.0.post1", "1.10.1", "2"]

    assert sorted(reversed(versions), key=version_key) == versions


def test_two_divergences_have_two_identities(folder: Path) -> None:
    """Also where the short marks of their signatures are the same: a ledger would lose one of them."""
    base = Divergence(
        id="value/2",
        kind="value",
        title="",
        types=("int8",),
        inputs={},
        attributes={},
        omitted=(),
        expected={},
        got={},
        repro="false",
    )
    signatures: dict[str, int] = {}
    number = 0
    while (mark := hashlib.sha256(repr(number).encode()).hexdigest()[:6]) not in signatures:
        signatures[mark] = number
        number += 1
    twins = [replace(base, signature=one) for one in (signatures[mark], number, -1)]
    target, unit = Target.of("python:m:f"), find_operator(here(), "user.Same-1")
    ids = [one.id.rpartition("/") for one in identified(unit, target, twins)]

    assert {head for head, _, _ in ids} == {"python-m-f/user.Same-1/value/2"}
    assert len({*ids}) == 3
    # An identity that is no other's has its short form.
    assert sorted(len(tail) for _, _, tail in ids) == [6, 64, 64]


def test_an_output_that_is_no_file(folder: Path, tmp_path: Path) -> None:
    """A pipe in place of an output would be waited for: it is no tensor."""
    program = tmp_path / "pipes.sh"
    program.write_text('mkfifo "$2/output_0.pb"\n', "utf-8")
    made = answer(f"exec:sh {program}", "--types", "int8", status=1)

    # It does not look at its inputs, so it refuses none.
    assert {d["kind"] for d in made["divergences"]} == {"accepts", "no-result"}


FAR = """\
operator Far version 1 user

types int = int8

input  X : tensor of T
output Y : tensor of T

[C1] constraint "many axes" : {many}
[E1] error      "few axes"  : when C1 fails

shape Y    = X.shape
value Y[i] = if rank(X) > 60 then X[i] + X[i] else X[i]
"""


@pytest.mark.parametrize(
    ("many", "status", "said"),
    [
        ("rank(X) > 50", 3, "not tested: int8: no valid input found"),
        ("rank(X) >= 0", 0, "(unreachable with small inputs)"),
    ],
)
def test_what_was_not_compared_is_said(
    many: str, status: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing agrees of which no result was compared."""
    (tmp_path / "far.sonnx").write_text(FAR.format(many=many), "utf-8")
    (tmp_path / "axes.py").write_text(f"def same(X):\n    assert {many.replace('rank(X)', 'X.ndim')}\n    return X\n")
    monkeypatch.chdir(tmp_path)
    told = run("user.Far-1", "--against", "python:axes:same", *QUICK, status=status)

    assert told.splitlines()[0].endswith("agrees" if status == 0 else "unknown")
    assert said in told


PARTLY_OPEN = """\
operator Open version 1 user

types int = int8

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = if rank(X) > 1 then X[i] + X[i] else X[i]

[U1] unspecified {what} "two axes" when rank(X) > {most}
"""


# Where the elements alone are left open, the outcome and the shape are not: nothing was compared, and that is a lack.
@pytest.mark.parametrize(("what", "most", "status"), [("outcome", 1, 0), ("outcome", 2, 1), ("value Y[i]", 1, 3)])
def test_a_branch_may_be_left_open(
    what: str, most: int, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A branch of which every result is left open is told, and is no lack. With one result decided it counts."""
    (tmp_path / "open.sonnx").write_text(PARTLY_OPEN.format(what=what, most=most), "utf-8")
    (tmp_path / "axes.py").write_text("def same(X):\n    return X\n")
    monkeypatch.chdir(tmp_path)
    told = run("user.Open-1", "--against", "python:axes:same", *QUICK, status=status)

    assert ("(the specification leaves its result open)" in told) == (status == 0)
