"""A shape rule with a slip gives another answer than numpy; and no answer stands that a wrong decider made."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_verify.api.shapes import answered, quick, sure
from sonnx_verify.arrays.shapes.infer import _Inference, infer
from sonnx_verify.errors import UsageError
from sonnx_verify.language.project import Project
from sonnx_verify.solving.solvers import Solvers

ROOT = Path(__file__).parents[2]
DROP = ("keepdims=0", "noop_with_empty_axes=0")

TWINS: list[tuple[str, str, str, tuple[Any, ...], Callable[..., Any]]] = [
    (
        # The largest size: another one where a 0 meets a 1.
        *("spec/common/broadcast.sonnx", "the { aligned(S[m], k) | m in S where aligned(S[m], k) != 1 } default 1"),
        *("max { aligned(S[m], k) | m in S }", ("sonnx.Max-13", ["X0=N", "X1=M"], [], [])),
        lambda v: broadcast((v["N"],), (v["M"],)),
    ),
    (
        # The last axis is not looked at.
        *("spec/common/broadcast.sonnx", "for all k in 0 .. common_rank(S) - 1, m in S, n in S :"),
        *("for all k in 1 .. common_rank(S) - 1, m in S, n in S :", ("sonnx.Max-13", ["X0=N", "X1=M"], [], [])),
        lambda v: broadcast((v["N"],), (v["M"],)),
    ),
    (
        # Sizes are aligned from the left.
        *("spec/common/broadcast.sonnx", "S[rank(S) - 1 - k] else 1", "S[k] else 1"),
        *(("sonnx.Max-13", ["X0=N,3", "X1=M"], [], []), lambda v: broadcast((v["N"], 3), (v["M"],))),
    ),
    (
        # Axes that are left out stay.
        *("spec/common/axes.sonnx", "where not k in A -> S[k]", "where k in A -> S[k]"),
        *(("sonnx.ReduceMax-20", ["data=N,M,C"], ["axes=[0]"], DROP), lambda v: (v["M"], v["C"])),
    ),
    (
        # Negative axes are not counted from the end.
        *("spec/common/axes.sonnx", "if a < 0 then a + r else a", "if a < 0 then 0 - a else a"),
        *(("sonnx.ReduceMax-20", ["data=N,M,C"], ["axes=[-1]"], DROP), lambda v: (v["N"], v["M"])),
    ),
    (
        # No axes are no axes.
        *("spec/common/reductions.sonnx", "or (count(L) = 0 and noop != 1)", "or (count(L) = 0 and noop = 1)"),
        *(("sonnx.ReduceSum-13", ["data=N,M"], [], DROP), lambda v: ()),
    ),
    (
        *(
            "tests/language/transpose.sonnx",
            "-> X.shape[perm[k]]",
            "-> X.shape[the { a | a in axes(X) where perm[a] = k }]",
        ),
        *(("user.Transpose", ["X=N,M,C"], [], ["perm=[2,0,1]"]), lambda v: (v["C"], v["N"], v["M"])),
    ),
    (
        *("tests/language/concat.sonnx", "if k = a then offset(S, a, L + 1)", "if k = a then offset(S, a, L)"),
        *(("user.Concat", ["X0=N", "X1=M"], [], ["axis=0"]), lambda v: (v["N"] + v["M"],)),
    ),
    (
        *(
            "tests/language/matmul.sonnx",
            "then rows(A.shape) else columns(B.shape)",
            "then columns(A.shape) else columns(B.shape)",
        ),
        *(("user.MatMul", ["A=N,K", "B=K,M"], [], []), lambda v: (v["N"], v["M"])),
    ),
    (
        *(
            "tests/language/reshape.sonnx",
            'where one is inferred"\n  : inferred => known != 0 and',
            'where one is inferred"\n  : inferred =>',
        ),
        *(("user.Reshape", ["X=N,M"], ["sizes=[0,-1]"], []), lambda v: (v["N"], v["M"]) if v["N"] else None),
    ),
    (
        *(
            "tests/language/flatten.sonnx",
            "then sizes_product(X.shape, 0, a) else",
            "then sizes_product(X.shape, 1, a) else",
        ),
        *(("user.Flatten", ["X=N,M,C"], [], ["axis=2"]), lambda v: (v["N"] * v["M"], v["C"])),
    ),
    (
        *("tests/language/squeeze.sonnx", "else X.shape[k] = 1)", "else X.shape[k] <= 1)"),
        *(("user.Squeeze", ["X=N,M"], [], []), lambda v: tuple(s for s in (v["N"], v["M"]) if s != 1)),
    ),
]


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    """numpy's shape."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


@pytest.mark.parametrize("twin", TWINS, ids=[f"{t[0].split('/')[-1]} {t[2][:40]}" for t in TWINS])
@pytest.mark.parametrize("wrong", [True, False])
def test_a_slip_gives_another_answer(
    twin: tuple[str, str, str, tuple[Any, ...], Callable[..., Any]],
    wrong: bool,
    ask: Callable[..., Any],
    tmp_path: Path,
) -> None:
    path, old, new, question, expected = twin
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    shutil.copytree(ROOT / "tests" / "language", tmp_path / "tests" / "language")
    text = (tmp_path / path).read_text("utf-8")
    assert text.count(old) == 1
    if wrong:
        (tmp_path / path).write_text(text.replace(old, new), "utf-8")
    own = [tmp_path / path] if path.startswith("tests") else sorted((tmp_path / "spec").rglob("*.sonnx"))

    assert bool(list(ask(question, Project.of_files(tmp_path, own)).differing(expected))) is wrong


QUESTIONS: list[tuple[str, list[str], list[str], list[str]]] = [
    ("sonnx.Max-13", ["X0=N", "X1=M"], [], []),
    ("user.Squeeze", ["X=N,M"], [], []),
    ("user.Slice", ["X=N"], ["starts=[1]", "ends=[5]"], []),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q[0])
def test_a_decider_that_finds_everything_contradictory_is_found_out(
    question: Any, ask: Callable[..., Any], solvers: Solvers
) -> None:
    asked = ask(question).asked
    answer = infer(asked.meaning, asked.known, asked.bounds, lambda conditions: True, sure(solvers))

    assert not answer.confirmed


def said(short: Any) -> Callable[..., Any]:
    """The answer as what is expected of another one."""

    def shape(v: dict[str, int]) -> tuple[int, ...] | None:
        sizes = short.at({f"size {name}": value for name, value in v.items()})
        return None if sizes is None else tuple(s for (s,) in sizes)

    return shape


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q[0])
def test_one_wrong_decision_is_found_out_or_harmless(question: Any, ask: Callable[..., Any], solvers: Solvers) -> None:
    """Each question in its turn is answered wrongly: no wrong answer is confirmed."""
    short = ask(question)
    asked, found_out, number = short.asked, 0, 0
    while True:
        turn, lied, honest = number, False, quick(solvers)

        def decider(conditions: Any) -> bool:
            nonlocal turn, lied
            turn -= 1
            truth = honest(conditions)  # noqa: B023 - called before the next round of the loop
            lied = lied or (turn == -1 and not truth)
            return truth or turn == -1

        try:
            answer = infer(asked.meaning, asked.known, dict(asked.bounds), decider, sure(solvers))
        except UsageError:
            found_out += 1  # a dead end is no answer
        else:
            found_out += not answer.confirmed
            if lied and answer.confirmed:
                assert list(type(short)(asked, answer).differing(said(short))) == [], number
        if turn >= 0:
            break
        number += 1
    assert number > 5
    assert found_out > 2


@pytest.mark.parametrize("question", QUESTIONS[:2], ids=lambda q: q[0])
def test_without_a_decider_the_answer_is_right(question: Any, ask: Callable[..., Any], solvers: Solvers) -> None:
    short = ask(question)
    asked = short.asked
    answer = infer(asked.meaning, asked.known, dict(asked.bounds), lambda conditions: False, sure(solvers))
    long = type(short)(asked, answer)

    assert list(long.differing(said(short))) == []
    assert answer.confirmed


def test_without_solvers_nothing_is_confirmed(ask: Callable[..., Any]) -> None:
    asked = ask(QUESTIONS[0]).asked
    with Solvers(("none", "neither")) as nobody:
        assert not answered(asked, nobody).confirmed


@pytest.mark.parametrize("twice", [True, False])
def test_a_case_too_few_or_too_many_is_found_out(
    twice: bool, ask: Callable[..., Any], solvers: Solvers, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ask(QUESTIONS[1]).asked
    merged = _Inference._merged

    def wrong(self: Any, found: Any) -> Any:
        cases = merged(self, found)
        return [*cases, cases[0]] if twice else cases[1:]

    monkeypatch.setattr(_Inference, "_merged", wrong)
    assert not answered(asked, solvers).confirmed
