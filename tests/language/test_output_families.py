"""Families of outputs: how many there are, and of each its shape and its elements, are proved, evaluated and compared.

Each text with one thing wrong in it is refuted by the obligation that the mistake breaks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.cli import main
from sonnx_verify.errors import NoResult, SpecificationError
from sonnx_verify.kernel.sections import OutputFamily
from sonnx_verify.language.context import Context
from sonnx_verify.language.project import Project
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.sorts import ELEMENT, INT
from sonnx_verify.logic.terms import ZERO, and_, eq, integer, le, lt, not_, placeholder
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.solvers import Solvers

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TAILS = HERE / "tails.sonnx"
TEXT = TAILS.read_text("utf-8")
ONE_TYPE = {"types int   = int8 uint16\n": "types int = int8\n", "types float = float16 float\n": ""}
EXAMPLES = "\nexample"


@pytest.fixture(scope="module")
def solvers() -> Iterator[Solvers]:
    """Both solvers, started once."""
    with Solvers() as started:
        yield started


def edited(folder: Path, old: str, new: str) -> Path:
    """The text of integers alone, without examples, with something in it replaced."""
    text = TEXT[: TEXT.index(EXAMPLES)]
    for before, after in {**ONE_TYPE, old: new}.items():
        assert before in text
        text = text.replace(before, after)
    path = folder / "tails.sonnx"
    path.write_text(text, "utf-8")
    return path


def verdicts(path: Path, solvers: Solvers) -> dict[str, str]:
    """The verdict of each obligation of a text, by what it is about."""
    records = run(collect(Project.of_files(ROOT, [path])), solvers)
    return {record.id.split("/", 1)[1]: record.verdict.name for record in records}


# -------------------------------------------------------------------------------------------------------- obligations


def test_text_is_proved(solvers: Solvers) -> None:
    """Every member is read in bounds and determined, and follows the constraint about outputs."""
    records = run(collect(Project.of_files(ROOT, [TAILS])), solvers)
    found = {record.id: record.verdict.name for record in records}

    assert set(found.values()) <= {"proved", "holds"}
    for tag in ("Y.count/in-bounds", "Y.value/in-bounds", "Y/determined", "O1/holds", "O1/in-bounds"):
        assert found[f"user.Tails-1.int/{tag}"] == found[f"user.Tails-1.float/{tag}"] == "proved"


REFUTED = [
    # No node of ONNX is without outputs.
    ("count Y       = last + 1", "count Y       = last", "Y.count/in-bounds"),
    # There may be a member too many: the list is not so long.
    ("count Y       = last + 1", "count Y       = last + 2", "Y.shape/total"),
    # The last member alone is read outside, or the first alone before the beginning.
    ("X[[k - 1 + i[0]]]", "X[[if k = N then k + i[0] else k - 1 + i[0]]]", "Y.value/in-bounds"),
    ("X[[k - 1 + i[0]]]", "X[[if k = 1 then i[0] - 1 else k - 1 + i[0]]]", "Y.value/in-bounds"),
    # One member of many, and one element of it, has two values.
    ("X[[k - 1 + i[0]]]", "if k = 2 then the { X[[p]] | p in 0 .. 1 } else X[[k - 1 + i[0]]]", "Y.value/total"),
    ("X.shape[0] - (k - 1))", "if k = 3 then 0 else X.shape[0] - (k - 1))", "O1/holds"),
    ("Y[k].shape[0] = X.shape[0] - (k - 1)", "Y[k].shape[0] = X.shape[0] - (N - 1)", "O1/holds"),
    # Of outputs that anybody may give, a constraint about them may not read one behind the last.
    ("rank(Y[k]) = 1 and", "rank(Y[k]) = 1 and rank(Y[k + 1]) = 1 and", "O1/in-bounds"),
]


@pytest.mark.parametrize(("old", "new", "refuted"), REFUTED, ids=[f"{n}-{row[2]}" for n, row in enumerate(REFUTED)])
def test_wrong_text_is_refuted(old: str, new: str, refuted: str, tmp_path: Path, solvers: Solvers) -> None:
    """The obligation that the mistake breaks has a counterexample, which the evaluator has replayed."""
    assert verdicts(edited(tmp_path, old, new), solvers)[refuted] == "refuted"


def test_count_has_to_be_determined(tmp_path: Path, solvers: Solvers) -> None:
    """A number that a choice leaves open is not one number."""
    path = edited(tmp_path, "count Y       = last + 1", "count Y       = 1 + the { p | p in 0 .. last }")
    found = verdicts(path, solvers)
    assert found["Y.count/total"] == "refuted"
    assert found["Y/determined"] == "refuted"


@pytest.mark.soak
def test_part_that_is_missing(tmp_path: Path, solvers: Solvers) -> None:
    """Without its count, its shape or its value a family is not defined."""
    for line in ("count Y       = last + 1\n", "shape Y[k]    = shape (q in axes(X) -> X.shape[0] - (k - 1))\n"):
        assert verdicts(edited(tmp_path, line, ""), solvers)["Y/total"] == "violated"


def test_every_member() -> None:
    """A statement about a family is false if it is false of one member, whichever that is."""
    family = OutputFamily(placeholder(INT), 1, integer(3))
    for number in range(3):
        wrong = integer(number)
        assert evaluate(family.every(lambda m: not_(eq(m, wrong))), {}) is False  # noqa: B023
    assert evaluate(family.every(lambda m: and_(le(ZERO, m), lt(m, integer(3)))), {}) is True


def test_what_determined_claims() -> None:
    """That the count is one number, then the shape and the elements of each member."""
    (found,) = [o for o in collect(Project.of_files(ROOT, [TAILS])) if o.id == "user.Tails-1.int/Y/determined"]
    assert found.build is not None
    claims = [claim.what for claim in found.build(Context("int", ELEMENT)).claims]
    assert claims[-3:] == [
        "exactly one number of Y conforms",
        "exactly one shape of Y conforms",
        "exactly one value conforms at each index of Y",
    ]


# ---------------------------------------------------------------------------------------------- what is no such family

MISTAKES = {
    "one of a family": ("shape Y[k]  ", "shape Y", "its shape is that of each member"),
    "value of a family": ("value Y[k][i]", "value Y[i]", "write `value Y[k][i]`"),
    "end that is known": ("output             Y[1 .. N]", "output             Y[1 .. 5]", "is a new name"),
    "name that is taken": ("output             Y[1 .. N]", "output             Y[1 .. most]", "has a meaning already"),
    "open beginning": ("output             Y[1 .. N]", "output             Y[most .. N]", "starts at a literal number"),
    "negative beginning": ("output             Y[1 .. N]", "output             Y[-1 .. N]", "starts at 0 or above"),
    "input of a member's name": ("\n\n[C1]", "\ninput Y1 : tensor of T\n\n[C1]", "also the name of a member of `Y`"),
    "optional family": ("output             Y[1", "optional output    Y[1", "which cannot be optional"),
    "no family": ("Y[1 .. N]", "Y", "is one output, and has no count"),
    "name of a member": ("\n\n[C1]", "\noutput Y1 : tensor of T\n\n[C1]", "also the name of a member of `Y`"),
    "left open": ("count Y", 'unspecified value Y[k][i] "some" when k = 1\ncount Y', "cannot be left open"),
    "count twice": ("count Y", "count Y = 1\ncount Y", "the count of `Y` is defined twice"),
    "count of nothing": ("count Y", "count Z = 1\ncount Y", "unknown output `Z`"),
    "count of a condition": ("= last + 1", "= last > 0", "expected an integer"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str, tmp_path: Path) -> None:
    """Each is an error at its place, with the cure."""
    old, new, says = MISTAKES[name]
    with pytest.raises(SpecificationError) as found:
        collect(Project.of_files(ROOT, [edited(tmp_path, old, new)]))

    assert says in f"{found.value}\n{found.value.cure}"
    assert found.value.span is not None


# ---------------------------------------------------------------------------------------------------------- evaluation


def ask(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, str]:
    """The exit status of a command among these texts, and everything it prints."""
    monkeypatch.chdir(HERE)
    done = CliRunner().invoke(main, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done.exit_code, done.output


LIST = ("--input", "X=int8:[4, 5]")
ASKED = {
    "members": ((*LIST,), 0, "Y1 = int8 (2) [4, 5]\nY2 = int8 (1) [5]\nY3 = int8 (0) []"),
    "fewer": ((*LIST, "--attr", "most=0"), 0, "Y1 = int8 (2) [4, 5]"),
    "refused": ((*LIST, "--attr", "most=3"), 1, "C2 fails"),
    "a family is no file": ((*LIST, "--output", "Y=y.npy"), 2, "name a member, as in `Y0`"),
    "no such member": ((*LIST, "--output", "Y4"), 2, "it has Y1, Y2, Y3"),
    "no output": ((*LIST, "--output", "Z1"), 2, "has no output `Z1`"),
    "shapes": (("--shape", "X=N", "--attr", "most=1"), 0, "Y1 : [N]\nY2 : [N - 1]"),
    "known at run time": (("--shape", "X=N"), 2, "the number of outputs `Y` is known only at run time"),
    "too many": (("--shape", "X=5000"), 2, "`count Y` gives 5001, and at most 1000 are computed"),
}


@pytest.mark.parametrize("name", ASKED)
def test_eval(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members have the names of the family and their numbers, from the first number of the family on."""
    arguments, status, says = ASKED[name]
    code, said = ask(monkeypatch, "eval", "user.Tails", *arguments)
    assert code == status, said
    assert says in said


def test_member_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A member is written as an output is."""
    assert ask(monkeypatch, "eval", "user.Tails", *LIST, "--output", f"Y2={tmp_path / 'y.npy'}")[0] == 0
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), np.array([5], np.int8))


def operator(path: Path = TAILS) -> Operator:
    """The operator of a text, on arrays."""
    project = Project.of_files(ROOT, [path])
    return Operator(project, next(unit for unit in project.units if unit.path == path))


def test_arrays() -> None:
    """A family is a tuple also where it has one member; the plan for another number of them is another one."""
    tails = operator()
    for size in (3, 0, 5):
        x = np.arange(size, dtype=np.int8)
        made = tails.evaluate(x)
        assert isinstance(made, tuple)
        assert len(made) == size + 1
        for k, part in enumerate(made):
            np.testing.assert_array_equal(part, x[k:])
    (alone,) = tails.evaluate(np.arange(4, dtype=np.int8), most=0)
    assert alone.shape == (4,)
    first, second = tails.results(np.array([1.5, 2.5], np.float32), most=1)
    assert (first.name, second.name) == ("Y1", "Y2")
    np.testing.assert_array_equal(second.conforms(np.array([2.5], np.float32)), [True])
    np.testing.assert_array_equal(second.conforms(np.array([1.5], np.float32)), [False])


def test_none_and_too_many(tmp_path: Path) -> None:
    """A text that gives no outputs, or more than are computed, has no result; and says so."""
    with pytest.raises(NoResult, match="a node of ONNX has at least one"):
        operator(edited(tmp_path, "= last + 1", "= last")).evaluate(np.zeros(0, np.int8))
    with pytest.raises(NoResult, match="at most 1000 are computed"):
        operator().evaluate(np.zeros(1000, np.int8))


# ---------------------------------------------------------------------------------------------------------- comparison

STANDARD = """operator Tails version 2 standard

types int = int8

input     X         : tensor of T
attribute most      : int
output    Y[0 .. L] : tensor of T

[C1] constraint "as many as there are" : rank(X) = 1 and 0 <= most <= X.shape[0]

count Y       = most + 1
shape Y[k]    = shape (q in axes(X) -> X.shape[0] - k)
value Y[k][i] = X[[k + i[0]]]
"""
PROFILE = """operator Tails version 2 profile
  refines onnx Tails version 2 with A = X, most = most, B = Y

types int = int8

input     A         : tensor of T
attribute most      : int
output    B[1 .. N] : tensor of T

[C1] constraint "as many as there are" : rank(A) = 1 and 0 <= most <= A.shape[0]
[E1] error      "not so many"          : when C1 fails

count B       = most + 1
shape B[k]    = shape (q in axes(A) -> A.shape[0] - (k - 1))
value B[k][i] = A[[k - 1 + i[0]]]
"""
TOLD_APART = {
    "right": ("", "", "proved"),
    "one fewer": ("count B       = most + 1", "count B       = if most > 1 then most else most + 1", "refuted"),
    "another order": ("A[[k - 1 + i[0]]]", "A[[A.shape[0] - 1 - i[0]]]", "refuted"),
    "the first twice": ("A[[k - 1 + i[0]]]", "A[[if k = 2 then i[0] else k - 1 + i[0]]]", "refuted"),
    "shape of the last": ("(k - 1))", "(if k = N and k > 1 then k - 2 else k - 1))", "refuted"),
}


def written(folder: Path, old: str, new: str) -> Project:
    """A standard, and a profile in which something is replaced."""
    assert old in PROFILE
    texts = {"onnx": STANDARD, "sonnx": PROFILE.replace(old, new) if old else PROFILE}
    paths = []
    for name, text in texts.items():
        (folder / "spec" / name).mkdir(parents=True)
        paths.append(folder / "spec" / name / "tails.sonnx")
        paths[-1].write_text(text, "utf-8")
    return Project.of_files(folder, paths)


@pytest.mark.parametrize("name", TOLD_APART)
def test_refines(name: str, tmp_path: Path, solvers: Solvers) -> None:
    """A profile has as many outputs as its standard, each alike, whatever the number of the first is."""
    old, new, verdict = TOLD_APART[name]
    records = run(collect(written(tmp_path, old, new)), solvers)
    assert {r.id: r.verdict.name for r in records}["sonnx.Tails-2.int/spec/refines"] == verdict


def test_one_output_refines_no_family(tmp_path: Path) -> None:
    """A family is mapped to a family."""
    single = PROFILE[: PROFILE.index("count B")].replace("B[1 .. N]", "B")
    with pytest.raises(SpecificationError, match="is a family of outputs, but `B` is one output"):
        collect(written(tmp_path, PROFILE, single + "shape B = A.shape\nvalue B[i] = A[i]\n"))
