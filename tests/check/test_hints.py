"""Hints: what a run finds along them is what it finds without. A hint that is wrong costs time, and nothing else."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.api.select import select
from sonnx_verify.cli import main
from sonnx_verify.logic import grounding, naming
from sonnx_verify.logic.choices import EVERY, Step, digest_of
from sonnx_verify.logic.nodes import ONE, ZERO
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solving.check.hints import Hint, Hinting, of_lines, shorter
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.solvers import Solvers

LAWS = """
theory laws "laws that need instances, folds, products and types one by one"
use broadcast

types int = int8 int16

theorem symmetric "of two" for A, B : shape assuming broadcastable([A, B]) : common_shape([A, B]) = common_shape([B, A])
theorem longer "of two" for A, B : shape assuming broadcastable([A, B]) : rank(A) <= rank(common_shape([A, B]))
theorem small "no integer is large" for n : int : n < 3
theorem squares "of integers" for n : int : n * n >= 0 and (n + 1) * n = n * n + n
theorem nothing "of nothing" for k : int assuming k < 0 and k > 0 : k = 1
theorem least "of a type" for x : T : x <= x
"""
FALSE = """
theory laws "a law that is false, where one stood that is true"

theorem symmetric "of two" for n : int : n * n >= 0 and n < 3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with one text."""
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs" / "laws.sonnx").write_text(LAWS, "utf-8")
    return tmp_path


@pytest.fixture
def anew(tables_in: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Runs `check` with an empty cache, and returns what it prints."""

    def made(folder: Path, *arguments: str) -> str:
        cache = tables_in(tmp_path_factory.mktemp("anew") / "cache")
        command = [sys.executable, "-m", "sonnx_verify", "check", *arguments]
        place = {**os.environ, "SONNX_VERIFY_CACHE": str(cache)}
        done = subprocess.run(command, cwd=folder, env=place, capture_output=True, text=True, timeout=300)
        assert done.stderr == ""
        return done.stdout

    return made


def obligations_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Obligation]:
    """What there is to be shown in the project."""
    monkeypatch.chdir(folder)
    selection = select([])
    assert not selection.errors
    return selection.obligations


def decided(obligations: list[Obligation], lines: Mapping[str, str], *, wanted: bool = False) -> list[Record]:
    """The records of the obligations, with hints that stand in such lines."""
    with Solvers() as solvers:
        hinting = replace(of_lines(f"{key} {line}" for key, line in lines.items()), wanted=wanted)
        return list(run(obligations, solvers, hinting=hinting))


def said(records: list[Record]) -> list[tuple[object, ...]]:
    """All that is shown of records, but for which queries were asked."""
    return [
        (r.id, r.verdict, r.scope, r.types, r.assumptions, r.note, r.statement)
        + tuple(None if e is None else e.found.assignment for e in (r.witness, r.counterexample))
        for r in records
    ]


def found_in(obligations: list[Obligation]) -> tuple[list[Record], dict[str, str]]:
    """The records without hints, and the hints that were found."""
    plain = decided(obligations, {}, wanted=True)
    return plain, {key: line for record in plain for key, line in record.hints.items()}


@pytest.mark.soak
def test_the_commands(folder: Path, anew: Callable[..., str]) -> None:
    """A file is written once, and stays as it is for any number of processes; what is proved is proved along it."""
    file = folder / "proofs" / "hints.txt"
    assert "hints.txt" in anew(folder, "--update-hints")
    text = file.read_text("utf-8")
    assert all(len(line) < 300 for line in text.splitlines())
    assert text.splitlines() == sorted(text.splitlines())
    again = json.loads(anew(folder, "--format", "json"))
    plain = json.loads(anew(folder, "--no-hints", "--format", "json"))
    # A run of a part leaves the hints of the rest.
    kept = text.splitlines(keepends=True)[:-3]
    file.write_text("".join(kept), "utf-8")
    anew(folder, "--update-hints", "--jobs", "1", "proofs/laws.sonnx")

    assert file.read_text("utf-8") == text
    proved = [o for o in again["obligations"] if o["verdict"] == "proved"]
    assert len(proved) == 4
    assert all(o["hinted"] for o in proved)
    for one, other in zip(plain["obligations"], again["obligations"], strict=True):
        assert {**one, "queries": [], "hinted": False} == {**other, "queries": [], "hinted": False}


def test_a_file_that_is_anything(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of others, steps that are left out, exchanged or made up, other ways: the same is found."""
    obligations = obligations_in(folder, monkeypatch)
    plain, lines = found_in(obligations)
    chance = random.Random(1)
    keys, steps = sorted(lines), [step for line in lines.values() for step in line.split()[1:]]

    def mutated(line: str) -> str:
        way, *taken = line.split()
        match chance.randrange(6):
            case 0:
                taken = taken[1:]
            case 1:
                taken += chance.choices(steps, k=3)
            case 2:
                taken[chance.randrange(len(taken))] = "".join(chance.choices("abcXYZ09-_", k=6))
            case 3:
                way = chance.choice(["0", "1", "2f", "3", "0u", "1c", "2w", "3a", "0*", "3ua*"])
            case 4:
                return lines[chance.choice(keys)]
            case _:
                return line[: chance.randrange(len(line))]
        return " ".join((way, *taken))

    for _ in range(2):
        forged = {key: mutated(lines[key]) for key in keys}
        assert said(decided(obligations, forged)) == said(plain)


def test_hints_of_a_law_that_is_true_prove_none_that_is_false(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither under the key that they have, nor under that of what is false."""
    _, lines = found_in(obligations_in(folder, monkeypatch))
    (folder / "proofs" / "laws.sonnx").write_text(FALSE, "utf-8")
    obligations = obligations_in(folder, monkeypatch)
    for line in sorted(set(lines.values())):
        (hint,) = of_lines([f"{'0' * 16} {line}"]).known.values()
        with Solvers() as solvers:
            found = list(run(obligations, solvers, hinting=Hinting(_Always(hint=hint))))
        assert [r.verdict.name for r in found if r.obligation.kind == "theorem"] == ["refuted"]


class _Always(dict[str, Hint]):
    """Hints in which every claim has the one that there is."""

    def get(self, key: str, default: object = None) -> Hint:
        return self["hint"]


def test_constants_of_one_digest_stay_apart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the names of all constants collide, they are other names; so no verdict is another one."""
    obligations = obligations_in(folder, monkeypatch)
    plain = decided(obligations, {})
    monkeypatch.setattr(grounding, "named_for", lambda stem, origin: "same!")
    monkeypatch.setattr(naming, "_LENGTH", 1)

    collided, lines = found_in(obligations)
    assert said(collided) == said(plain)
    assert said(decided(obligations, lines)) == said(plain)


def test_the_shorter_of_two() -> None:
    """Whoever found which first."""
    one, other = "0 abcdef", "0 abcdef ghijkl"
    assert shorter(one, other) == shorter(other, one) == one
    assert shorter("1 abcdef", one) == one


def test_a_pair_is_one_step_in_either_order() -> None:
    """Which of two is met first hangs on what was met before."""
    assert digest_of(Step.INDICES, (ONE, ZERO)) == digest_of(Step.INDICES, (ZERO, ONE))
    assert digest_of(Step.INDICES, (ONE, ZERO)) != digest_of(Step.FOLDS, (ONE, ZERO))
    assert EVERY.takes(Step.FOLDS, ONE, ZERO)


def test_hints_of_files_outside_a_project_go_to_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the ledger does, and never into the installed library; and they are found there again."""
    here, texts = tmp_path / "here", tmp_path / "texts"
    here.mkdir()
    texts.mkdir()
    (texts / "law.sonnx").write_text(LAWS)
    monkeypatch.chdir(here)
    done = CliRunner().invoke(main, ["check", "--update-hints", str(texts / "law.sonnx")])

    assert f"wrote {Path('proofs', 'hints.txt')}: " in done.stdout
    assert (here / "proofs" / "hints.txt").is_file()
    again = CliRunner().invoke(main, ["check", "--no-cache", str(texts / "law.sonnx"), "--format", "json"])
    proofs = [one for one in json.loads(again.stdout)["obligations"] if one["verdict"] == "proved"]
    assert proofs
    assert all(one["hinted"] for one in proofs)


OPERATOR = """
operator Same version 1 user
types int = int8 int16
input  X : tensor of T
input  Y : tensor of T
output Z : tensor of T
[C1] constraint "one shape" : X.shape = Y.shape
[E1] error "another one" : when C1 fails
shape Z    = X.shape
value Z[i] = X[i] + Y[i]
theorem least "of the sums" for n, m : int : n * n + m * m >= 0
theorem symmetric "of sums of shapes" for A, B : shape assuming A = B : rank(A) + rank(B) = 2 * rank(A)
"""


def test_the_hints_of_an_operator_are_in_its_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of all else are not there; a run of the project leaves none that nothing needs."""
    own, stale = (folder / "spec" / "sonnx" / name / "hints.txt" for name in ("same", "gone"))
    for path in (own, stale):
        path.parent.mkdir(parents=True)
    (own.parent / "same.sonnx").write_text(OPERATOR, "utf-8")
    stale.write_text("0" * 16 + " 0 AAAAAA\n", "utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SONNX_VERIFY_CACHE", "off")
    done = CliRunner().invoke(main, ["check", "--update-hints"], catch_exceptions=False)

    shared = folder / "proofs" / "hints.txt"
    assert "wrote 2 files: " in done.stdout
    assert own.stat().st_size > 0
    assert shared.stat().st_size > 0
    assert not stale.exists()

    texts = own.read_bytes(), shared.read_bytes()
    own.unlink()
    done = CliRunner().invoke(main, ["check", "--update-hints", str(own.parent)], catch_exceptions=False)
    assert f"wrote {own.relative_to(folder)}: " in done.stdout
    assert (own.read_bytes(), shared.read_bytes()) == texts
