"""numpy's sums of products held against their meaning, exact for integers; those of floats are refused."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from sonnx_verify.conformance.symbolic import products
from sonnx_verify.conformance.symbolic.trace import Unsupported, running
from tests.implementations.symbolic.concrete import Known, compared, special

INTEGERS = [np.bool_, np.int8, np.uint8, np.int16, np.uint32, np.int64, np.uint64]
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "matmul": np.matmul,
    "operator": lambda x, y: x @ y,
    "dot": np.dot,
    "method": lambda x, y: x.dot(y),
    "inner": np.inner,
    "vdot": np.vdot,
    "vecdot": np.vecdot,
    "matvec": np.matvec,
    "vecmat": np.vecmat,
    "outer": np.outer,
    "tensordot": np.tensordot,
    "tensordot 1": lambda x, y: np.tensordot(x, y, 1),
    "tensordot 0": lambda x, y: np.tensordot(x, y, 0),
    "tensordot of axes": lambda x, y: np.tensordot(x, y, axes=([0], [0])),
    "einsum": lambda x, y: np.einsum("ij,jk->ik", x, y),
    "einsum of lists": lambda x, y: np.einsum(x, [0, 1], y, [1, 2], [2, 0]),
    "einsum of lists, implicit": lambda x, y: np.einsum(x, [0, 1], y, [1, 2]),
    "einsum of dots": lambda x, y: np.einsum("...i,...i", x, y),
    "einsum of one": lambda x, y: np.einsum("ij->j", x),
    "einsum of all": lambda x, y: np.einsum("ij,ij->", x, y),
    "einsum of a diagonal": lambda x, y: np.einsum("ii->i", y),
    "einsum of a trace": lambda x, y: np.einsum("ii", y),
    "einsum turned": lambda x, y: np.einsum("ij->ji", x),
    "einsum of three": lambda x, y: np.einsum("ij,jk,kl->il", x, y, y),
    "einsum optimised": lambda x, y: np.einsum("ij,jk,kl->il", x, y, y, optimize=True),
    "einsum of a type": lambda x, y: np.einsum("ij,jk", x, y, dtype=np.int64),
    "of a type": lambda x, y: np.matmul(x, y, dtype=np.int64),
    "out": lambda x, y: np.matmul(x, y, out=np.zeros((x @ y).shape, np.int64)),
    "in place": lambda x, y: _in_place(x, y),
    "two types": lambda x, y: x @ y.astype(np.uint8),
    "a real one": lambda x, y: x @ np.arange(4, dtype=np.uint8).reshape(2, 2),
    "einsum of one size and many": lambda x, y: np.einsum("ij,ij->ij", x, y),
    "einsum of dots in the middle": lambda x, y: np.einsum("i...j,j...->i...", x, y),
    "einsum of dots that go": lambda x, y: np.einsum("...i,...i->i", x, y),
    "trace": lambda x, y: np.trace(y),
    "trace of one above": lambda x, y: y.trace(1),
    "cumsum": lambda x, y: np.cumsum(x, axis=-1),
    "cumsum of all": lambda x, y: x.cumsum(),
    "cumprod": lambda x, y: np.cumprod(x, axis=0, dtype=x.dtype),
}
SHAPES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((2, 2), (2, 2)), ((1, 2), (2, 3)), ((2,), (2,)), ((2,), (2, 2)), ((2, 2), (2,)), ((2, 1, 2), (2, 2)),
    ((2, 0), (0, 2)), ((0, 2), (2, 2)), ((), (2,)), ((2, 3), (2, 3)), ((3, 2), (2, 2)), ((2, 1), (2, 3)),
    ((2, 2, 2), (2, 2, 2)),
]  # fmt: skip  # a table


def _in_place(x: Any, y: Any) -> Any:
    x @= y
    return x


def array(dtype: Any, shape: tuple[int, ...], turn: int) -> np.ndarray[Any, Any]:
    """Special values, of which products wrap."""
    values = special(np.dtype(dtype))
    return np.resize(np.roll(values, turn), shape) if np.prod(shape, dtype=int) else np.zeros(shape, dtype)


@pytest.mark.parametrize("name", CALLS)
def test_integers(name: str) -> None:
    """Each function, at shapes that fit and that do not, with results, types and errors of numpy."""
    for dtype, (turn, (first, second)) in product(INTEGERS, enumerate(SHAPES)):
        given = array(dtype, first, turn), array(dtype, second, turn + 1)
        refused = compared(CALLS[name], *given)
        # Of the diagonal of a matrix of shape (0, 2) numpy gives two elements, which it has not.
        assert refused == "" or ("diagonal" in name and 0 in second), (dtype, first, second)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", ["matmul", "dot", "tensordot 1", "einsum", "einsum of one", "vecdot"])
def test_floats_are_refused(name: str, dtype: Any) -> None:
    """The reason is in the words; the name is numpy's own."""
    with running(Known()) as trace, np.errstate(all="ignore"):
        assert isinstance(trace, Known)
        x = trace.opaque(np.ones((2, 2), dtype))
        with pytest.raises(Unsupported, match=r"numpy\.\w+ of float\d+: numpy promises no order and no rounding"):
            CALLS[name](x, x)


def test_floats_that_are_only_moved() -> None:
    """Of one operand without a sum `einsum` gives a view."""
    values = special(np.dtype(np.float32))[:4].reshape(2, 2)

    def turned(x: Any) -> Any:
        made = np.einsum("ij->ji", x)
        made[0, 1] = 7
        return made

    assert compared(turned, values) == ""
    assert compared(lambda x: np.einsum("ii->i", x), values) == ""


ALONG = products._along  # noqa: SLF001
TWINS: dict[str, tuple[Any, str, Any, str]] = {
    "one product for all": (products, "fold", lambda name, cells, sort: cells[0], "matmul"),
    "sums for products": (products, "_product", lambda o, labels, at: o[0].reshape(-1)[0], "tensordot 1"),
    "along other axes": (products, "_last_and", lambda other: ALONG([0], [0]), "dot"),
    "letters as they come": (products, "sorted", lambda letters: list(letters)[::-1], "einsum of lists, implicit"),
}


@pytest.mark.parametrize("name", TWINS)
def test_twins(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong meaning is noticed by such a comparison."""
    owner, attribute, wrong, call = TWINS[name]
    monkeypatch.setattr(owner, attribute, wrong, raising=False)
    pairs = [(array(np.int8, first, 2), array(np.int8, second, 3)) for first, second in SHAPES]

    with pytest.raises(AssertionError):
        assert {compared(CALLS[call], *pair) for pair in pairs} == {""}
