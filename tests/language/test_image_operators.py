"""Operators with inputs of rank 4 and many attributes, written as a user would: every obligation is decided.

Their inputs are too large to be tried one after the other: a solver chooses them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_verify.logic.verdict import GOOD
from sonnx_verify.solving.check.record import Record

HERE = Path(__file__).parent
Records = Callable[[Path, Callable[[str], bool]], list[Record]]
Case = tuple[dict[str, Any], np.ndarray | None]
LEAST = {"conv": 60, "maxpool": 60, "gemm": 20}
"""The least number of obligations of a section: that something is decided at all."""


def test_the_results_of_a_convolution(records: Records) -> None:
    """Shape and value make sense, and there are valid images."""
    wanted = ("Y.shape/", "Y.value/", "Y/", "places/", "spec/satisfiable")
    found = records(HERE / "conv.sonnx", lambda one: one.startswith(tuple(f"user.Conv-11.int/{w}" for w in wanted)))

    assert {record.id: record.verdict for record in found if record.verdict.name not in GOOD} == {}
    assert len(found) >= len(wanted)


def test_every_window_of_a_pooling_has_a_place(records: Records) -> None:
    """By a constraint on `i * stride + u * dilation`: its variables are multiplied, and stand nowhere else."""
    (found,) = records(HERE / "maxpool.sonnx", lambda one: one == "user.MaxPool-22.int/Y.value/total")

    assert found.verdict.name == "proved"


@pytest.mark.parametrize(
    "name", [pytest.param("conv", marks=pytest.mark.soak), pytest.param("maxpool", marks=pytest.mark.soak), "gemm"]
)
def test_every_obligation_is_decided(name: str, records: Records) -> None:
    """Of the section of the integers; that of reals, or floats, has the same shapes."""
    found = records(HERE / f"{name}.sonnx", lambda identity: ".int/" in identity)

    assert {record.id: record.verdict for record in found if record.verdict.name not in GOOD} == {}
    assert len(found) >= LEAST[name]


def convolved(given: dict[str, Any]) -> np.ndarray | None:
    """A convolution by its definition, place by place; None of inputs that it is not for."""
    x, w, b, group = given["X"], given["W"], given["B"], given["group"] or 1
    strides, dilations = given["strides"] or (1, 1), given["dilations"] or (1, 1)
    lacking = [0, 0]
    for k in range(2):
        lacking[k] = -(-x.shape[k + 2] // strides[k]) * strides[k] - strides[k]
        lacking[k] = max(0, lacking[k] + dilations[k] * (w.shape[k + 2] - 1) + 1 - x.shape[k + 2])
    pads = given["pads"] or (0, 0, 0, 0)
    if given["auto_pad"] == "SAME_UPPER":
        pads = (lacking[0] // 2, lacking[1] // 2, -(-lacking[0] // 2), -(-lacking[1] // 2))
    if given["auto_pad"] == "SAME_LOWER":
        pads = (-(-lacking[0] // 2), -(-lacking[1] // 2), lacking[0] // 2, lacking[1] // 2)
    if x.shape[1] != w.shape[1] * group or w.shape[0] % group:
        return None
    padded = np.pad(x, [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])])
    spans = [dilations[k] * (w.shape[k + 2] - 1) + 1 for k in range(2)]
    if padded.shape[2] < spans[0] or padded.shape[3] < spans[1]:
        return None
    sizes = [(padded.shape[k + 2] - spans[k]) // strides[k] + 1 for k in range(2)]
    result = np.zeros((x.shape[0], w.shape[0], *sizes), dtype=np.int64)
    kernels, channels = w.shape[0] // group, w.shape[1]
    for n, m, i, j in np.ndindex(*result.shape):
        first = m // kernels * channels
        window = padded[n, first : first + channels, i * strides[0] :, j * strides[1] :]
        window = window[:, : spans[0] : dilations[0], : spans[1] : dilations[1]]
        result[n, m, i, j] = (window * w[m]).sum() + (0 if b is None else b[m])
    return result.astype(np.int8)


def cases() -> Iterator[Case]:
    """Images of two channels, with each attribute by itself and some together; an image that is too small."""
    plain: dict[str, Any] = dict.fromkeys(("B", "auto_pad", "kernel_shape", "strides", "pads", "dilations", "group"))
    x = np.arange(1, 25).reshape(1, 2, 3, 4)
    w = np.arange(-3, 5).reshape(2, 1, 2, 2)
    sides: list[dict[str, Any]] = [
        {},
        {"strides": (2, 1)},
        {"pads": (0, 1, 2, 0)},
        {"dilations": (2, 3)},
        {"B": np.array([5, -5])},
        {"kernel_shape": (2, 2)},
        {"strides": (2, 3), "pads": (1, 1, 1, 1), "dilations": (2, 1)},
        {"dilations": (3, 1)},
    ]
    for side, name in product(sides, (None, "SAME_UPPER", "SAME_LOWER", "VALID")):
        if name is None or "pads" not in side:
            given = {**plain, **side, "X": x, "W": w, "group": 2, "auto_pad": name}
            yield given, convolved(given)


def test_a_convolution_is_what_its_definition_says(operator: Callable[..., Any]) -> None:
    assert list(operator(HERE / "conv.sonnx", T="int8").differing(cases())) == []


def pooled(given: dict[str, Any]) -> np.ndarray | None:
    """The greatest of each window, place by place; None of inputs that it is not for."""
    x, kernel, up = given["X"], given["kernel_shape"], given["ceil_mode"] == 1
    strides, dilations = given["strides"] or (1, 1), given["dilations"] or (1, 1)
    pads = given["pads"] or (0, 0, 0, 0)
    windows: list[list[list[int]]] = []
    for k in range(2):
        size, stride, wide = x.shape[k + 2], strides[k], dilations[k] * (kernel[k] - 1) + 1
        before, after = pads[k], pads[k + 2]
        count = (before + size + after - wide) // stride + 1
        if up and given["auto_pad"] in (None, "NOTSET"):
            count = -(-(before + size + after - wide) // stride) + 1
        if given["auto_pad"] in ("SAME_UPPER", "SAME_LOWER"):
            count = -(-size // stride)
            lacking = max(0, (count - 1) * stride + wide - size)
            before = lacking // 2 if given["auto_pad"] == "SAME_UPPER" else -(-lacking // 2)
            after = lacking - before
        if before + size + after < wide:
            return None
        starts = [i * stride - before for i in range(count) if i * stride < before + size]
        all_places = [[start + u * dilations[k] for u in range(kernel[k])] for start in starts]
        windows.append([[place for place in places if 0 <= place < size] for places in all_places])
    if not all(places for of_axis in windows for places in of_axis):
        return None
    result = np.zeros((*x.shape[:2], len(windows[0]), len(windows[1])), dtype=x.dtype)
    for i, j in product(range(result.shape[2]), range(result.shape[3])):
        result[:, :, i, j] = x[:, :, windows[0][i]][:, :, :, windows[1][j]].max(axis=(2, 3))
    return result


def images() -> Iterator[Case]:
    """An image of two channels with each attribute by itself and some together, windows that reach beyond the padding
    and windows without a place among them."""
    names = ("auto_pad", "strides", "pads", "dilations", "ceil_mode")
    x = np.array([(n * 7) % 24 - 11 for n in range(24)], dtype=np.int8).reshape(1, 2, 3, 4)
    sides: list[dict[str, Any]] = [
        {},
        {"strides": (2, 3)},
        {"pads": (0, 1, 2, 0)},
        {"pads": (1, 1, 1, 1), "strides": (2, 2)},
        {"dilations": (2, 3)},
        {"dilations": (3, 1)},
        {"pads": (2, 0, 0, 0)},
        {"strides": (3, 2), "dilations": (1, 2), "pads": (1, 0, 1, 1)},
    ]
    for side, name, up in product(sides, (None, "SAME_UPPER", "SAME_LOWER", "VALID"), (None, 1)):
        if name is None or "pads" not in side:
            given = {**dict.fromkeys(names), **side, "X": x, "kernel_shape": (2, 2), "auto_pad": name, "ceil_mode": up}
            yield given, pooled(given)


def test_a_pooling_is_what_its_definition_says(operator: Callable[..., Any]) -> None:
    assert list(operator(HERE / "maxpool.sonnx", T="int8").differing(images())) == []


@pytest.mark.parametrize(
    ("old", "new", "identity"),
    [
        pytest.param(
            "X.shape[1] = W.shape[1] * group",
            "X.shape[1] = W.shape[1] + group - 1",
            "Y.value/in-bounds",
            marks=pytest.mark.soak,
        ),
        ("count(strides) = 2 and (for all k in 0 .. 1 : strides[k] >= 1)", "count(strides) = 2", "places/in-bounds"),
    ],
)
def test_a_slip_is_refuted_by_an_image(
    old: str, new: str, identity: str, edited: Callable[[str, str, str], Path], records: Records
) -> None:
    """Each needs inputs of rank 4 that meet all other constraints."""
    (found,) = records(edited("conv", old, new), lambda one: one == f"user.Conv-11.int/{identity}")

    assert found.verdict.name == "refuted"
    assert found.counterexample is not None
