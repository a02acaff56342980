"""The record of a difference: what each row says, and that nothing is the same as a whole unless all was looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sonnx_verify.api.functions import diff
from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.equivalence.difference import accepts_all, decide_change, decide_differences
from sonnx_verify.errors import UsageError
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.results.difference import Answer, Aspect, Difference, Question, Row, Side, answer_of
from sonnx_verify.solving.solvers import Solvers

TEXT = """operator Keep version 1 user
types int = int8 int16
input X : tensor of T
output Y : tensor of T
[C1] constraint "few axes" : rank(X) < 3
[E1] error "many axes" : when C1 fails
shape Y = X.shape
value Y[i] = X[i]

version 2
add attribute low : int default 0
CHANGE
"""
SAME, DIFFERENT, UNKNOWN = Answer.SAME, Answer.DIFFERENT, Answer.UNKNOWN
ALL = frozenset(Aspect)


@pytest.fixture(scope="module")
def solvers() -> Iterator[Solvers]:
    with Solvers() as made:
        yield made


def project_of(folder: Path, text: str) -> Project:
    (folder / "keep.sonnx").write_text(text, "utf-8")
    return Project.open(folder, {folder / "keep.sonnx": text}, closed=True)


def versions(folder: Path, solvers: Solvers, edit: str) -> Difference:
    """What is decided of the two versions of a text."""
    project = project_of(folder, TEXT.replace("CHANGE", edit))
    one, two = project.units
    (found,) = decide_differences(project, [(one, two)], solvers)
    assert isinstance(found, Difference)
    return found


@pytest.mark.parametrize(
    ("edit", "aspect", "side", "line"),
    [
        (
            'replace [C1] constraint "few axes" : rank(X) < 2',
            Aspect.ACCEPTANCE,
            Side.OTHER,
            "  int: accepted by user.Keep-1 only: X = int8 (0, 0) []",
        ),
        (
            'replace [C1] constraint "few axes" : rank(X) < 4',
            Aspect.ACCEPTANCE,
            Side.BASE,
            "  int: accepted by user.Keep-2 only: X = int8 (0, 0, 0) [], low = 0",
        ),
        (
            "replace value Y[i] = if X[i] = T(0) then T(1) else X[i]",
            Aspect.RESULTS,
            None,
            "  int: allow different results: X = int8 () 0, low = 0: Y = int8 () 1, which user.Keep-1 does not allow",
        ),
    ],
)
def test_a_row_for_each_question(
    tmp_path: Path,
    solvers: Solvers,
    capsys: pytest.CaptureFixture[str],
    edit: str,
    aspect: Aspect,
    side: Side | None,
    line: str,
) -> None:
    """Three questions of the one section; one differs, with its input, and the record reads as `diff` prints it."""
    found = versions(tmp_path, solvers, edit)

    assert (found.base, found.other, found.alone) == ("user.Keep-2", "user.Keep-1", ("low",))
    assert [(row.what.aspect, row.what.side, row.section) for row in found.rows] == [
        (Aspect.ACCEPTANCE, Side.BASE, "int"),
        (Aspect.ACCEPTANCE, Side.OTHER, "int"),
        (Aspect.RESULTS, None, "int"),
    ]
    (row,) = (row for row in found.rows if row.answer is DIFFERENT)
    assert (row.what.aspect, row.what.side) == (aspect, side)
    assert row.example is not None
    head, *lines = repr(found).splitlines()
    assert head == "user.Keep-2 and user.Keep-1"
    assert [one.replace(", low = 0", "") for one in lines].count(line.replace(", low = 0", "")) == 1
    assert found.answer is DIFFERENT
    assert found.decided
    assert capsys.readouterr() == ("", "")


def test_versions_are_never_the_same_as_a_whole(tmp_path: Path, solvers: Solvers) -> None:
    """Every question is answered by SAME; the errors were not asked about."""
    found = versions(tmp_path, solvers, "remove clause E1")

    assert {row.answer for row in found.rows} == {SAME}
    assert found.answer is UNKNOWN


@pytest.mark.parametrize(
    ("edit", "row"),
    [
        ("", None),
        ("remove clause E1", Question(Aspect.ERROR, Side.OTHER, "E1")),
        ("add attribute more : int default 0", Question(Aspect.DECLARATIONS)),
        ("replace types int = int8", Question(Aspect.TYPES, Side.OTHER, "T")),
    ],
)
def test_a_text_and_what_it_was(tmp_path: Path, solvers: Solvers, edit: str, row: Question | None) -> None:
    """Each aspect of a change is a row; without one the answer is SAME, and all was compared."""
    now, then = ((tmp_path / name) for name in ("now", "then"))
    now.mkdir()
    then.mkdir()
    after, before = project_of(now, TEXT.replace("CHANGE", edit)), project_of(then, TEXT.replace("CHANGE", ""))
    found = decide_change(after, after.units[1], before, before.units[1], solvers)

    assert found.compared == ALL
    assert [one.what for one in found.rows if one.answer is not SAME] == ([] if row is None else [row])
    assert found.answer is (SAME if row is None else DIFFERENT)


def test_one_state_accepts_all_that_another_accepts(tmp_path: Path, solvers: Solvers) -> None:
    """Of two states of a text, decided in one direction."""
    wide = project_of(tmp_path, TEXT.replace("CHANGE", ""))
    narrow = project_of(tmp_path, TEXT.replace("CHANGE", 'replace [C1] constraint "few axes" : rank(X) < 2'))
    unit = wide.units[1]

    assert accepts_all(wide, narrow, unit, Alone(solvers).decided)
    assert not accepts_all(narrow, wide, unit, Alone(solvers).decided)


@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize("verdict", list(VerdictName))
def test_what_a_verdict_answers(verdict: VerdictName, wanted: bool) -> None:
    """Only what both solvers said is SAME, only what input shows is DIFFERENT: `vacuous` compared nothing."""
    same, different = (VerdictName.VIOLATED, VerdictName.HOLDS) if wanted else (VerdictName.PROVED, VerdictName.REFUTED)
    expected = {same: SAME, different: DIFFERENT}.get(verdict, UNKNOWN)
    assert answer_of(verdict, wanted=wanted) is expected


@pytest.mark.parametrize(
    ("answers", "compared", "expected"),
    [
        ([SAME, SAME], ALL, SAME),
        ([SAME, UNKNOWN], ALL, UNKNOWN),
        ([UNKNOWN, DIFFERENT], frozenset[Aspect](), DIFFERENT),
        ([], ALL, UNKNOWN),
        *(([SAME], ALL - {aspect}, UNKNOWN) for aspect in Aspect),
    ],
)
def test_the_answer_as_a_whole(answers: list[Answer], compared: frozenset[Aspect], expected: Answer) -> None:
    """SAME needs an answer, all of them SAME, and every aspect."""
    rows = tuple(Row(Question(Aspect.RESULTS), answer) for answer in answers)
    found = Difference("now", "before", rows, compared)

    assert found.answer is expected
    assert found.decided is (UNKNOWN not in answers and bool(answers))


def test_the_public_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`diff` of a notebook gives the record; two operators are a mistake."""
    (tmp_path / "keep.sonnx").write_text(TEXT.replace("CHANGE", ""), "utf-8")
    (tmp_path / "other.sonnx").write_text(TEXT.replace("CHANGE", "").replace("Keep", "Other"), "utf-8")
    monkeypatch.chdir(tmp_path)

    assert {row.answer for row in diff("user.Keep-1", "user.Keep-2").rows} == {SAME}
    with pytest.raises(UsageError, match="specify different operators"):
        diff("user.Keep-1", "user.Other-1")
