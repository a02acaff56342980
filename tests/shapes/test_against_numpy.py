"""Symbolic shapes at all small sizes: they are those of numpy, and there is a result where numpy has one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_verify.errors import UsageError
from sonnx_verify.language.project import Project

Sizes = dict[str, int]
Ask = Callable[..., Any]
REDUCE = ("keepdims=1", "noop_with_empty_axes=0")
DROP = ("keepdims=0", "noop_with_empty_axes=0")


def array(text: str, v: Sizes) -> np.ndarray:
    """An array of the sizes that are written as in `--shape`."""
    return np.zeros([int(s) if s.isdigit() else v[s] for s in text.split(",") if s])


def of(compute: Callable[..., Any], *shapes: str, **named: Any) -> Callable[[Sizes], tuple[int, ...] | None]:
    """The shape that numpy computes from arrays of such sizes; None where it refuses."""

    def shape(v: Sizes) -> tuple[int, ...] | None:
        try:
            result: tuple[int, ...] | None = np.shape(compute(*(array(s, v) for s in shapes), **named))
            return result
        except (ValueError, IndexError):
            return None

    return shape


def together(*shapes: str) -> Callable[[Sizes], tuple[int, ...] | None]:
    """The shape that some shapes broadcast to."""
    return of(lambda *arrays: np.zeros(np.broadcast_shapes(*(a.shape for a in arrays))), *shapes)


def reduced(shape: str, axes: Sequence[int] | None, keepdims: bool) -> Callable[[Sizes], tuple[int, ...] | None]:
    """The shape of a maximum along axes; of nothing it is -inf."""
    axis = None if axes is None else tuple(axes)
    return of(np.max, shape, axis=axis, keepdims=keepdims, initial=-np.inf)


def stacked(*shapes: str, axis: int) -> Callable[[Sizes], tuple[int, ...] | None]:
    """The shape of arrays one behind the other."""
    return of(lambda *arrays: np.concatenate(arrays, axis=axis), *shapes)


def reshaped(shape: str, sizes: Sequence[int], allowzero: bool = False) -> Callable[[Sizes], tuple[int, ...] | None]:
    """ONNX's rule on top of numpy's: 0 copies a size, and nothing is below -1."""

    def made(x: np.ndarray) -> np.ndarray:
        if min(sizes, default=0) < -1:
            raise ValueError("numpy takes any negative size for one that is inferred")
        wanted = [x.shape[k] if s == 0 and not allowzero else s for k, s in enumerate(sizes)]
        return np.reshape(x, wanted)

    return of(made, shape)


def flat(shape: str, axis: int) -> Callable[[Sizes], tuple[int, ...] | None]:
    """The shape of a matrix of the axes before one, and of the others."""
    return of(lambda x: np.reshape(x, (prod(x.shape[:axis]), prod(x.shape[axis:]))), shape)


def cases() -> Iterator[object]:
    """A question, and what numpy says."""
    maxima: list[tuple[str, ...]] = [
        *[("N", "M"), ("N,3", "M"), ("N,1", "M"), ("N", "M", "K"), ("N,M", "M"), ("N", "N"), ("", "N"), ("0", "N")],
        *[("1", "N"), ("2,N", "3,N"), ("N,M", "K,1"), ("N",)],
    ]
    for name in ("Max", "Min"):
        for shapes in maxima if name == "Max" else maxima[:3]:
            given = [f"X{n}={s}" for n, s in enumerate(shapes)]
            yield f"sonnx.{name}-13", given, (), (), together(*shapes)
    for operator in ("sonnx.ReduceMax-20", "sonnx.ReduceSum-13"):
        for axes in ([-1], [0, 2], [1, -3], [0, 1, 2], [3], [0, -3]):
            for attributes in (REDUCE, DROP):
                keep = attributes is REDUCE
                yield operator, ["data=N,M,C"], [f"axes={axes}"], attributes, reduced("N,M,C", axes, keep)
        yield operator, ["data=N,N,2"], ["axes=[1]"], DROP, reduced("N,N,2", [1], False)
        yield operator, ["data=N,M"], [], DROP, reduced("N,M", None, False)
        yield operator, ["data=N,M"], ["axes=[]"], REDUCE, reduced("N,M", None, True)
        yield operator, ["data=N,M"], ["axes=[]"], (DROP[0], "noop_with_empty_axes=1"), of(np.array, "N,M")
    for axes in ([0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 0], [0, 0, 1]):
        yield "user.Transpose", ["X=N,M,C"], [], [f"perm={axes}"], of(np.transpose, "N,M,C", axes=axes)
    for axis in (0, 1, -1, 2):
        yield "user.Concat", ["X0=N,M", "X1=K,L"], [], [f"axis={axis}"], stacked("N,M", "K,L", axis=axis)
    yield "user.Concat", ["X0=N,2", "X1=N,N", "X2=M,3"], [], ["axis=1"], stacked("N,2", "N,N", "M,3", axis=1)
    yield "user.Squeeze", ["X=N,M"], [], [], of(np.squeeze, "N,M")
    yield "user.Squeeze", ["X=N,M,C"], [], [], of(np.squeeze, "N,M,C")
    yield "user.Squeeze", ["X=N,1,M"], [], [], of(np.squeeze, "N,1,M")
    for axes in ([0], [1, -1], [2], [0, 0]):
        refused = len(set(axes)) < len(axes)
        yield (
            *("user.Squeeze", ["X=N,M,1"], [f"axes={axes}"], []),
            (lambda v: None) if refused else of(np.squeeze, "N,M,1", axis=tuple(axes)),
        )
    for axes in ([0], [0, -1], [1, 2], [4], [1, 1]):
        yield "user.Unsqueeze", ["X=N,M"], [f"axes={axes}"], [], of(np.expand_dims, "N,M", axis=axes)
    for axis in range(4):
        yield "user.Flatten", ["X=N,M,C"], [], [f"axis={axis}"], flat("N,M,C", axis)
    yield "user.Flatten", ["X=N,M,C"], [], ["axis=-1"], flat("N,M,C", -1)
    yield "user.Flatten", ["X=N,M"], [], ["axis=3"], lambda v: None
    for a, b in (
        ("N", "M"),
        ("N,K", "M"),
        ("N", "K,M"),
        ("N,K", "L,M"),
        ("2,N,K", "B,K,M"),
        ("N,K", "B,K,2"),
        ("", "N"),
    ):
        yield "user.MatMul", [f"A={a}", f"B={b}"], [], [], of(np.matmul, a, b)
    for sizes in ([0, -1], [-1], [-1, 4], [-1, 0], [12], [2, 3], [0, 0], [1, 0, 2], [0, 0, 0], [-1, -1], [3, -2], []):
        yield "user.Reshape", ["X=N,M"], [f"sizes={sizes}"], [], reshaped("N,M", sizes)
    yield "user.Reshape", ["X=N,M"], ["sizes=[0, 3]"], ["allowzero=1"], reshaped("N,M", [0, 3], True)
    yield "user.Reshape", ["X=N,N"], ["sizes=[-1, 2]"], [], reshaped("N,N", [-1, 2])
    for sizes in ([3], [1, 1], [0, 2], [5, 1, 2], []):
        text = ",".join(map(str, sizes))
        yield "user.Expand", ["X=N,M"], [f"sizes={sizes}"], [], together("N,M", text)
    for bounds in ((1, 5, 1), (1, 5, 2), (-3, 9, 1), (0, 3, 1), (4, 0, -1), (-2, -5, -2), (2, 2, 1)):
        start, end, step = bounds
        yield (
            *("user.Slice", ["X=N,M"], [f"starts=[{start}]", f"ends=[{end}]", f"steps=[{step}]", "axes=[1]"], []),
            of(lambda x, b=bounds: x[:, b[0] if b[0] >= -x.shape[1] or b[2] > 0 else -99 : b[1] : b[2]], "N,M"),
        )
    yield "user.Pad", ["X=N,M"], ["pads=[1, -2, 0, -1]"], [], _padded


def _padded(v: Sizes) -> tuple[int, int] | None:
    # numpy does not cut off.
    return (v["N"] + 1, v["M"] - 3) if v["M"] >= 3 else None


@pytest.mark.thinned(3)
@pytest.mark.parametrize("case", list(cases()), ids=lambda c: " ".join([c[0], *c[1], *c[2], *c[3]]))
def test_the_shapes_are_those_of_numpy(case: Any, ask: Ask) -> None:
    operator, shapes, inputs, attributes, expected = case
    outcomes = ask((operator, shapes, inputs, attributes))

    assert list(outcomes.differing(expected)) == []
    assert outcomes.answer.confirmed


@pytest.mark.parametrize("places", ["K", "K,2", ""])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather(places: str, axis: int, ask: Ask) -> None:
    """Whether the places are there is known at run time: where numpy can take the first, the shape is numpy's."""
    outcomes = ask(("user.Gather", ["X=N,M", f"places={places}"], [], [f"axis={axis}"]))
    values = [{"N": n, "M": m, "K": k} for n in range(1, 5) for m in range(1, 5) for k in range(5)]
    wanted = [np.take(array("N,M", v), array(places, v).astype(int), axis=axis).shape for v in values]
    said = [outcomes.at({"element places": 0} | {f"size {name}": size for name, size in v.items()}) for v in values]

    assert [tuple(s for (s,) in sizes) for sizes in said] == wanted
    assert [c.tag for c in outcomes.answer.conditions if c.assumed] in (["C2"], [])


# ------------------------------------------------------------------------------------------------- known at run time


def axes_met(v: Sizes, keepdims: bool) -> tuple[int, ...] | None:
    """A maximum along one axis that is an element."""
    return reduced("N,M", [v["axes[0]"]], keepdims)(v)


@pytest.mark.parametrize("keep", [True, False])
def test_an_axis_known_at_run_time(keep: bool, ask: Ask) -> None:
    outcomes = ask(("sonnx.ReduceMax-20", ["data=N,M", "axes=1"], [], REDUCE if keep else DROP))
    wrong = list(outcomes.differing(lambda v: axes_met(v, keep), {"element axes[0]": range(-4, 4)}))

    assert wrong == []
    assert outcomes.answer.confirmed
    at = outcomes.at({"size N": 5, "size M": 6, "element axes[0]": 1})
    assert at == ([{1, 5}, {1, 6}] if keep else [{5}])


def test_axes_of_a_number_known_at_run_time(ask: Ask) -> None:
    outcomes = ask(("sonnx.ReduceMax-20", ["data=N,M", "axes=K"], [], REDUCE))

    assert outcomes.at({"size N": 5, "size M": 6, "size K": 1}) == [{1, 5}, {1, 6}]
    assert [(c.tag, c.form) for c in outcomes.answer.conditions] == [("C2", None), ("C3", None)]


def test_sizes_that_are_elements(ask: Ask) -> None:
    outcomes = ask(("user.Expand", ["X=N,3", "sizes=2"], [], []))

    def expected(v: Sizes) -> tuple[int, ...] | None:
        sizes = (v["sizes[0]"], v["sizes[1]"])
        return together("N,3", ",".join(map(str, sizes)))(v) if min(sizes) >= 0 else None

    elements = {f"element sizes[{n}]": range(-1, 5) for n in range(2)}
    assert list(outcomes.differing(expected, elements)) == []
    assert outcomes.answer.confirmed


def test_a_shape_that_is_a_tensor_of_unknown_elements(ask: Ask) -> None:
    outcomes = ask(("user.Reshape", ["X=N,2", "sizes=2"], [], []))

    def expected(v: Sizes) -> tuple[int, ...] | None:
        sizes = [v["sizes[0]"], v["sizes[1]"]]
        return reshaped("N,2", sizes)(v) if min(sizes) >= -1 else None

    elements = {f"element sizes[{n}]": range(-2, 5) for n in range(2)}
    assert list(outcomes.differing(expected, elements)) == []
    assert outcomes.answer.confirmed


ODD = """operator Odd version 1 user

types float = float

input  X : tensor of T
input  s : tensor of T
output Y : tensor of T

[C1] constraint "a scalar" : rank(s) = 0
[C2] constraint "not NaN"  : not is_nan(s[index (k in axes(s) -> 0)])

shape Y    = shape (k in axes(X) -> if is_nan(s[index (k in axes(s) -> 0)]) then 2 * X.shape[k] else X.shape[k])
value Y[i] = T(0)
"""


def test_what_integers_cannot_say_is_said_in_the_clause_s_words(ask: Ask, tmp_path: Path) -> None:
    """Under a clause about a float the size is known; without it, it is not."""
    question: tuple[str, list[str], list[str], list[str]] = ("user.Odd-1", ["X=N", "s="], [], [])
    lines = ODD.splitlines(keepends=True)
    for name, text in (("with", ODD), ("without", "".join(n for n in lines if not n.startswith("[C2]")))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "odd.sonnx").write_text(text, "utf-8")
    known, unknown = (Project.of_files(tmp_path, [tmp_path / n / "odd.sonnx"]) for n in ("with", "without"))
    outcomes = ask(question, known)

    assert [(c.tag, c.form, c.assumed) for c in outcomes.answer.conditions] == [("C2", None, True)]
    assert outcomes.at({"size N": 3}) == [{3}]
    assert outcomes.answer.confirmed
    with pytest.raises(UsageError, match="size 0 of `Y` is known only at run time"):
        ask(question, unknown)
