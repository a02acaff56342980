"""Operators that choose elements, Slice, Gather, Pad and ArgMax: on small inputs they say what numpy does, and a text
with one thing wrong in it is refuted or says something else than numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import inf, nan, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_verify.results.example import example_lines
from sonnx_verify.solving.check.telling import example_of

HERE = Path(__file__).parent
Shape = tuple[int, ...]
Case = tuple[dict[str, Any], np.ndarray | None]
Computed = Callable[..., np.ndarray | None]

LEAST, GREATEST = -(2**63), 2**63 - 1
SHAPES: tuple[Shape, ...] = ((), (0,), (1,), (2,), (2, 2), (0, 2), (2, 0), (2, 1, 2))
# Element types to run: of T, and of the integers that choose.
TYPES: dict[str, list[dict[str, str]]] = {
    "slice": [{"T": "int8", "I": "int64"}],
    "gather": [{"T": "float", "I": "int32"}],
    "pad": [{"T": "int8", "I": "int64"}, {"T": "float", "I": "int32"}],
    "argmax": [{"T": "int8"}, {"T": "float"}],
}


def numbered(shape: Shape) -> np.ndarray:
    """An array of different numbers, none of them 0."""
    return np.arange(1, prod(shape) + 1).reshape(shape)


def sliced(x: np.ndarray, starts: Sequence[int], ends: Sequence[int], axes: Any, steps: Any) -> np.ndarray:
    """numpy's basic slicing on the named axes, without names on the first ones. ONNX has lists of one length, and
    leaves it open what a repeated axis means: here it is an error."""
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    places = [range(x.ndim)[a] for a in axes]
    if len({len(starts), len(ends), len(axes), len(steps), len(set(places))}) > 1:
        raise ValueError
    index = [slice(None)] * x.ndim
    for axis, *bounds in zip(places, starts, ends, steps, strict=True):
        index[axis] = slice(*bounds)
    return x[tuple(index)]


def slice_cases(computed: Computed) -> Iterator[Case]:
    """Every kind of bound on an axis of 3 and of 0, forward and backward; two axes in either order; wrong lists."""
    bounds = (-4, -3, -1, 0, 2, 3, 4)
    lists: list[tuple[Shape, Any, Any, Any, Any]] = [
        ((3,), [start], [end], None, None if step == 1 else [step])
        for start, end, step in product(bounds, bounds, (1, 2, -1, -2, 0))
    ]
    far = (LEAST, GREATEST)
    lists += [((size,), [s], [e], [0], [step]) for size in (0, 3) for s, e, step in product(far, far, (1, -1, LEAST))]
    lists += [((2, 3), [1, -1], [2, -4], axes, [1, -1]) for axes in product((-3, -2, -1, 0, 1, 2), repeat=2)]
    lists += [((2, 3), [1], [3], axes, steps) for axes in (None, [1], [-1], [2]) for steps in (None, [2], [1, 1])]
    lists += [(shape, [], [], None, None) for shape in SHAPES]
    lists += [(shape, [], [], [], None) for shape in SHAPES]
    lists += [((2, 3), [0, 0, 0], [1, 1, 1], None, None), ((2,), [0, 0], [1], [0], None), ((), [0], [1], None, None)]
    for shape, starts, ends, axes, steps in lists:
        x = numbered(shape)
        given = {"starts": starts, "ends": ends, "axes": axes, "steps": steps}
        arrays = {name: None if v is None else np.array(v, int) for name, v in given.items()}
        yield {"X": x, **arrays}, computed(sliced, x, starts, ends, axes, steps)


def taken(x: np.ndarray, places: np.ndarray, axis: int) -> np.ndarray:
    """What numpy takes. ONNX takes nothing from a scalar, and looks at the places also where the result is empty."""
    size = x.shape[axis]
    if not all(-size <= place < size for place in places.flat):
        raise IndexError
    return np.asarray(np.take(x, places, axis=axis))


def gather_cases(computed: Computed) -> Iterator[Case]:
    """Places of every rank up to 2, one before and one beyond, on every axis."""
    tensors = [np.array(p) for p in range(-3, 3)] + [np.array(p) for p in product((-3, -1, 0, 1, 2), repeat=2)]
    tensors += [np.zeros((0,), int), np.zeros((2, 0), int), np.array([[0, -1], [1, 0]]), np.array([[0], [-1]])]
    for shape, places in product(SHAPES, tensors):
        x, rank = numbered(shape), len(shape)
        for axis in (None, *(range(-rank - 1, rank + 1) if places.ndim == 2 or shape == (2, 2) else ())):
            yield {"X": x, "places": places, "axis": axis}, computed(taken, x, places, axis or 0)


def padded(x: np.ndarray, pads: Sequence[int], constant: int, axes: Any) -> np.ndarray:
    """numpy's constant padding where pads are positive, and what they cut off where they are negative."""
    places = list(range(x.ndim)) if axes is None else [range(x.ndim)[a] for a in axes]
    if len(set(places)) < len(places) or len(pads) != 2 * len(places):
        raise ValueError
    widths = [(0, 0)] * x.ndim
    for m, axis in enumerate(places):
        widths[axis] = (pads[m], pads[m + len(places)])
    if any(size + before + after < 0 for size, (before, after) in zip(x.shape, widths, strict=True)):
        raise ValueError
    around = np.pad(x, [(max(b, 0), max(a, 0)) for b, a in widths], constant_values=constant) if x.ndim else x
    kept = (slice(max(-b, 0), size - max(-a, 0)) for size, (b, a) in zip(around.shape, widths, strict=True))
    return around[tuple(kept)]


def pad_cases(computed: Computed) -> Iterator[Case]:
    """More and fewer places before and after; some axes only; lists that are too short, name no axis, or one twice."""
    around = (-3, -1, 0, 2)
    lists: list[tuple[Shape, Any, Any]] = []
    lists += [((size,), pads, None) for size in (0, 2) for pads in product(around, repeat=2)]
    lists += [((2, 1), pads, None) for pads in product((-1, 0, 1), repeat=4)]
    lists += [((2, 2), pads, [axis]) for pads in ((1, 0), (0, -1), (-2, 3)) for axis in range(-3, 3)]
    lists += [((1, 2), (1, 0, 0, 2), axes) for axes in product((-2, -1, 0, 1), repeat=2)]
    lists += [((), (), None), ((), (), []), ((2,), (1,), None), ((2,), (0, 0, 0), None), ((2, 2), (1, 1), None)]
    for (shape, pads, axes), constant in product(lists, (None, 7)):
        x = numbered(shape)
        given = {"pads": np.array(pads, int), "axes": None if axes is None else np.array(axes, int)}
        expected = computed(padded, x, pads, constant or 0, axes)
        yield {"X": x, "constant": None if constant is None else np.array(constant), **given}, expected
    # numpy takes a constant for each axis as well; in ONNX it is a scalar.
    yield {"X": numbered((2,)), "pads": np.array([1, 1]), "axes": None, "constant": np.array([7])}, None


def greatest(x: np.ndarray, axis: int, keepdims: bool, last: bool) -> np.ndarray:
    """numpy's first place of a greatest element; the last one is the first of what is turned around."""
    if not last:
        return np.asarray(np.argmax(x, axis, keepdims=keepdims))
    return np.asarray(x.shape[axis] - 1 - np.argmax(np.flip(x, axis), axis, keepdims=keepdims))


def argmax_cases(computed: Computed, special: bool) -> Iterator[Case]:
    """Every axis of every shape, and one beyond; elements with ties, and special ones. ONNX has no axis of a scalar."""
    elements: list[tuple[float, ...]] = [(1, 2, 2, 0), (-1, -1, -2, -2), (3, 1, 2, 3)]
    if special:
        elements += [(-0.0, 0.0, -0.0), (nan, inf, nan), (inf, nan, 1.0), (-inf, -inf), (0.0, -inf, -0.0)]
    for shape, some in product((*SHAPES, (3,), (3, 2), (2, 3)), elements):
        x, rank = np.resize(np.array(some), shape), len(shape)
        for axis, keep, last in product((None, *range(-rank - 1, rank + 1)), (None, 0), (None, 1)):
            given = {"X": x, "axis": axis, "keepdims": keep, "select_last_index": last}
            yield given, computed(greatest, x, axis or 0, keep is None, last == 1) if rank else None


CASES: dict[str, Callable[[Computed, bool], Iterator[Case]]] = {
    "slice": lambda computed, _: slice_cases(computed),
    "gather": lambda computed, _: gather_cases(computed),
    "pad": lambda computed, _: pad_cases(computed),
    "argmax": argmax_cases,
}


@pytest.mark.parametrize(("name", "types"), [(n, types) for n, several in TYPES.items() for types in several])
def test_says_what_numpy_does(name: str, types: dict[str, str], operator: Any, numpy_or_none: Computed) -> None:
    """Valid exactly where numpy computes a result, or ONNX's rule gives one, with its shape and all its elements."""
    cases = list(CASES[name](numpy_or_none, types["T"] == "float"))

    assert {expected is None for _, expected in cases} == {True, False}
    assert list(operator(HERE / f"{name}.sonnx", **types).differing(cases))[:3] == []


# --------------------------------------------------------------------------------------------------------- wrong texts

READ = "Y.value/in-bounds"
REFUTED: list[tuple[str, str, str, str, list[str]]] = [
    # A negative place is not counted from the end.
    (
        "gather",
        "axis_of(named(places, i, a), X.shape[a])",
        "named(places, i, a)",
        READ,
        ["X      = int8 (1) [0]", "places = int64 () -1", "axis   = not given, so 0"],
    ),
    # The place behind the last is let through.
    (
        "gather",
        "<= int(places[j]) < X",
        "<= int(places[j]) <= X",
        READ,
        ["X      = int8 (0) []", "places = int64 () 0", "axis   = not given, so 0"],
    ),
    # The first place behind X is read as one of X.
    (
        "pad",
        "front[k] < X.shape[k] then",
        "front[k] <= X.shape[k] then",
        READ,
        ["X        = int8 (0) []", "pads     = int64 (2) [0, 1]", "constant = not given", "axes     = not given"],
    ),
    # An empty axis is let through.
    (
        "argmax",
        "X.shape[a] > 0",
        "X.shape[a] >= 0",
        "Y.value/total",
        [
            "X                 = int8 (0) []",
            "axis              = not given, so 0",
            "keepdims          = not given, so 1",
            "select_last_index = not given, so 0",
        ],
    ),
]
CLAMP = "clamp(from_end(x, size), -1, size - 1)"
FRONT = "list (k in axes(X) -> if at[k] >= 0 then int(pads[[at[k]]]) else 0)"
BACK = "list (k in axes(X) -> if at[k] >= 0 then int(pads[[at[k] + n]]) else 0)"
PLACES = "places(begin[k], end[k], step[k])"
DIFFERENT: list[tuple[str, str, str, str]] = [
    # Backward, a slice begins behind the last place, where its start lies behind it.
    (
        "slice",
        CLAMP,
        "clamp(from_end(x, size), -1, size)",
        "X = (3,) [1, 2, 3], starts = (1,) [3], ends = (1,) [-4], steps = (1,) [-1]: nothing",
    ),
    # Backward, a slice never takes place 0.
    (
        "slice",
        CLAMP,
        "clamp(from_end(x, size), 0, size - 1)",
        "X = (3,) [1, 2, 3], starts = (1,) [-3], ends = (1,) [-4], steps = (1,) [-1]: (0,) []",
    ),
    # Backward, the start and the end are exchanged.
    (
        "slice",
        PLACES,
        f"(if step[k] > 0 then {PLACES} else places(end[k], begin[k], step[k]))",
        "X = (3,) [1, 2, 3], starts = (1,) [-4], ends = (1,) [-3], steps = (1,) [-1]: nothing",
    ),
    # Without axes, the last ones are meant.
    (
        "slice",
        "else m)",
        "else m + r - starts.shape[0])",
        "X = (2, 3) [1, 2, 3, 4, 5, 6], starts = (1,) [1], ends = (1,) [3]: (2, 2) [2, 3, 5, 6]",
    ),
    # The places before are those behind, and the other way round.
    (
        "pad",
        f"let front = {FRONT}\nlet back  = {BACK}",
        f"let front = {BACK}\nlet back  = {FRONT}",
        "X = (2,) [1, 2], pads = (2,) [-1, 0]: (1,) [1]",
    ),
    # Nothing is cut off behind.
    (
        "pad",
        f"let back  = {BACK}",
        f"let back  = {BACK.replace('>= 0', '>= 0 and int(pads[[at[k] + n]]) >= 0')}",
        "X = (0,) [], pads = (2,) [0, -3]: (0,) []",
    ),
    # The last place is taken where the first is asked for, and the other way round.
    ("argmax", "if select_last_index = 0 then", "if select_last_index = 1 then", "X = (2,) [-1, -1]: (1,) [1]"),
    # The least element is looked for.
    ("argmax", "= maximum {", "= minimum {", "X = (2,) [1, 2]: (1,) [0]"),
    # Without the axis, coordinates behind it are read one place too far.
    ("argmax", "else i[k - 1])]", "else i[k])]", "X = (2, 2) [1, 2, 2, 0], keepdims = 0: (2,) [1, 1]"),
]
ONLY_FLOATS: list[tuple[str, str, str, str]] = [
    # The zeros are apart, as in the order that the maximum is taken by.
    ("argmax", "= x = y or (is_zero(x) and is_zero(y))", "= x = y", "X = (2,) [-0.0, 0.0]: (1,) [1]"),
]


@pytest.mark.parametrize(("name", "old", "new", "killer", "counterexample"), REFUTED)
def test_wrong_text_is_refuted(
    name: str, old: str, new: str, killer: str, counterexample: list[str], edited: Any, records: Any
) -> None:
    """The obligation that the mistake breaks has this smallest counterexample, which the evaluator has replayed."""
    section = "int-int64" if "I" in TYPES[name][0] else "int"

    (record,) = records(edited(name, old, new), lambda identity: identity.endswith(f".{section}/{killer}"))

    assert record.verdict.name == "refuted", record.verdict.reason
    assert example_lines(example_of(record.counterexample)) == counterexample
    assert record.counterexample.found.minimal


@pytest.mark.parametrize(("name", "old", "new", "first"), [*DIFFERENT, *ONLY_FLOATS])
def test_wrong_text_differs_from_numpy(
    name: str, old: str, new: str, first: str, edited: Any, operator: Any, numpy_or_none: Computed
) -> None:
    """The first of the inputs above on which the text says something else than numpy, and what it says there."""
    special = (name, old, new, first) in ONLY_FLOATS
    types = TYPES[name][-1 if special else 0]

    differing = operator(edited(name, old, new), **types).differing(CASES[name](numpy_or_none, special))

    assert next(differing) == first
