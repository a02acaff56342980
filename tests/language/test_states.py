"""Recursions that give tensors and lists: what is proved, what is refused, what recurrent layers compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import gmpy2
import numpy as np
import pytest
from click.testing import CliRunner

import sonnx_verify
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.cli import main
from sonnx_verify.errors import SpecificationError
from sonnx_verify.language.project import Project
from tests.language.stated import statements

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDER = HERE / "recurrent"
FALSE_FROM = "never_zero"
"""The first law of the text that is false; all below it are."""
Array = np.ndarray[Any, np.dtype[Any]]


def test_laws_are_decided() -> None:
    """Each law of states is proved, and what is false is refuted by input that was replayed."""
    found = {one.id: str(one.verdict) for one in sonnx_verify.check(str(HERE / "states.sonnx"), cached=False)}
    tags = [identity.split("/")[1] for identity in found if identity.endswith("/theorem")]
    false = tags[tags.index(FALSE_FROM) :]

    assert {tag: found[f"user.states.int/{tag}/theorem"] for tag in tags} == {
        tag: "refuted" if tag in false else "proved" for tag in tags
    }
    assert (len(tags) - len(false), len(false)) == (7, 5), "a law is lost, or one was added"


OPERATORS = ("cumsum", "rnn", "lstm")


@pytest.mark.soak
@pytest.mark.parametrize("text", ["cumsum", "cumsum_laws", "rnn", "lstm", "recurrent_laws"])
def test_recurrent_operators_are_proved(text: str) -> None:
    """Nothing is unknown of sums along an axis, of simple cells and of LSTM cells."""
    # Laws are about the operators that stand beside them.
    beside = [] if text in OPERATORS else [FOLDER / f"{name}.sonnx" for name in OPERATORS]
    checked = sonnx_verify.check(FOLDER / f"{text}.sonnx", *beside, cached=False)
    found = [one for one in checked if one.id.startswith(f"user.{text}.") or text in OPERATORS]

    assert checked.errors == ()
    assert [f"{one.id} {one.verdict}" for one in found if str(one.verdict) not in ("proved", "holds")] == []
    assert any(str(one.verdict) == "proved" for one in found)


TEXT = """\
theory wrong "What is refused"

types int = int8

define f(S : shape, n : int) : {type}
  "a recursion"
  by recursion on n from 0
  = {body}

theorem any "none"
  for S : shape; n : int assuming n >= 0
  : for all k in 0 .. rank(S) - 1 : count([f(S, n)]) = 1
"""
ROW = "tensor (i in S -> T(0))"


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        ("tensor of T", "tensor (i in f(S, n - 1).shape -> T(0))", "the shape of `f` depends on its own call"),
        ("tensor of T", f"if n = 0 then {ROW} else f(S, n - 1)", "the shape of `f` depends on its own call"),
        ("list of T", "list (k in 0 .. count(f(S, n - 1)) -> T(0))", "the length or the shape of `f` depends on"),
        ("tensor of T", "tensor (i in S -> int16(0))", "of these arguments a tensor of int16"),
        ("list of T", ROW, "the body of `f`"),
        ("tensor of T", "tensor (i in S -> f(S, n - 2)[i])", "may call itself only with its own parameters"),
        ("list of list of T", "[[T(0)]]", "no recursion gives a list of list of T"),
        ("shape", "S", "no recursion gives a shape"),
    ],
)
def test_what_is_refused(kind: str, body: str, message: str, tmp_path: Path) -> None:
    """A shape that its own call gives, other types than are declared, and steps that are none."""
    path = tmp_path / "wrong.sonnx"
    path.write_text(TEXT.format(type=kind, body=body), "utf-8")

    with pytest.raises(SpecificationError) as caught:
        statements(path)

    assert message in str(caught.value)


# --------------------------------------------------------------------------------------------- beside loops of numpy


NUMBERED = """\
operator Pick version 1 user

types int = int8

input  X[1 .. N] : tensor of T where N > 1
output Y : tensor of T

define same(L : list of tensor of T, n : int) : list of tensor of T by recursion on n from 0
  = L

shape Y = same(X, 0)[1].shape
value Y[i] = T(0)
"""


def test_a_list_keeps_its_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The item 1 of a list that a recursion gives is the item 1 of the list that its body gives."""
    (tmp_path / "pick.sonnx").write_text(NUMBERED, "utf-8")
    monkeypatch.chdir(tmp_path)

    done = CliRunner().invoke(main, ["explain", "--terms", "user.Pick-1"], catch_exceptions=False)

    assert "    means: rank(X[1])\n" in done.stdout


@cache
def loaded(text: str) -> Operator:
    """The operator of a text, on arrays."""
    path = FOLDER / f"{text}.sonnx"
    project = Project.of_files(ROOT, [path])
    return Operator(project, next(unit for unit in project.units if unit.path == path))


def assert_same(made: Array, expected: Array) -> None:
    """Bit by bit the same, but for the bits of NaN."""
    assert (made.dtype, made.shape) == (expected.dtype, expected.shape)
    numbers = expected == expected
    np.testing.assert_array_equal(made == made, numbers)
    assert made[numbers].tobytes() == expected[numbers].tobytes()


FORMATS = {np.float16: (11, 15), np.float32: (24, 127), np.float64: (53, 1023)}
Number = Any
"""A number of one of the formats."""


def rounded(function: Callable[[Any], Any], x: Number) -> Number:
    """The value of a function in the format of a number, rounded once."""
    precision, emax = FORMATS[type(x)]
    with gmpy2.context(gmpy2.context(), precision=600):
        value = function(gmpy2.mpfr(float(x)))
    with gmpy2.context(precision=precision, emax=emax + 1, emin=3 - emax - precision, subnormalize=True):
        return type(x)(float(gmpy2.mpfr(value)))


def tanh(x: Number) -> Number:
    return x if x == 0 or np.isnan(x) else rounded(gmpy2.tanh, x)


def sigmoid(x: Number) -> Number:
    if np.isinf(x):
        return type(x)(1 if x > 0 else 0)
    return x if np.isnan(x) else rounded(lambda v: 1 / (1 + gmpy2.exp(-v)), x)


def summed(x: Array, w: Array, h: Array, r: Array, biases: Sequence[Number]) -> Number:
    """The products one after the other, then the biases, each sum rounded."""
    made = x.dtype.type(0)
    for a, b in (*zip(x, w, strict=True), *zip(h, r, strict=True)):
        made = made + a * b
    for bias in biases:
        made = made + bias
    return made


Optional = Array | None


def layer(x: Array, w: Array, r: Array, b: Optional, states: Sequence[Optional], cell: Any) -> list[Array]:
    """The outputs of a recurrent layer: of all steps, and each state behind the last."""
    (steps, batch, _), hidden = x.shape, r.shape[2]
    gates = r.shape[1] // hidden
    now = [np.zeros((batch, hidden), x.dtype) if s is None else s[0] for s in states]
    rows = np.zeros((steps, 1, batch, hidden), x.dtype)
    for t in range(steps):
        after = [np.zeros_like(s) for s in now]
        for n, j in np.ndindex(batch, hidden):
            sums = []
            for row in range(j, gates * hidden, hidden):
                biases = [] if b is None else [b[0, row], b[0, gates * hidden + row]]
                sums.append(summed(x[t, n], w[0, row], now[0][n], r[0, row], biases))
            for state, value in zip(after, cell(*sums, *(s[n, j] for s in now[1:])), strict=True):
                state[n][j] = value
        now, rows[t, 0] = after, after[0]
    return [rows, *(s[None] for s in now)]


def simple(s: Number) -> tuple[Number, ...]:
    return (tanh(s),)


def lstm(i: Number, o: Number, f: Number, g: Number, c: Number) -> tuple[Number, ...]:
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


SIZES = ((0, 1, 1, 1), (1, 1, 1, 1), (2, 1, 2, 1), (1, 2, 1, 2), (3, 2, 1, 1), (2, 0, 1, 1), (2, 1, 0, 2), (3, 1, 2, 2))
LAYERS = {"rnn": (1, simple, 1), "lstm": (4, lstm, 2)}


def compare_layers(text: str, count: int, seed: int, sizes: Sequence[tuple[int, ...]] = SIZES) -> None:
    """Layers of all sizes and formats, with and without biases and first states; some values are special."""
    gates, cell, states = LAYERS[text]
    rng = np.random.default_rng(seed)
    for n in range(count):
        (steps, batch, width, hidden), dtype = sizes[n % len(sizes)], list(FORMATS)[n // len(sizes) % 3]

        def some(*shape: int, dtype: Any = dtype) -> Array:
            made = (rng.standard_normal(shape) * 2).astype(dtype)
            if rng.random() < 0.3:
                chosen = rng.random(shape) < 0.2
                made[chosen] = rng.choice(np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 100], dtype), chosen.sum())
            return made

        x, w, r = some(steps, batch, width), some(1, gates * hidden, width), some(1, gates * hidden, hidden)
        b = some(1, 2 * gates * hidden) if rng.random() < 0.5 else None
        first = [some(1, batch, hidden) if rng.random() < 0.5 else None for _ in range(states)]

        made = loaded(text).evaluate(x, w, r, b, *first, hidden_size=hidden)

        with np.errstate(all="ignore"):
            expected = layer(x, w, r, b, first, cell)
        for one, other in zip(made, expected, strict=True):
            assert_same(one, other)


@pytest.mark.parametrize("text", LAYERS)
def test_layers(text: str) -> None:
    """A layer computes what loops compute, bit by bit."""
    compare_layers(text, 24, seed=1, sizes=SIZES[:6])


@pytest.mark.soak
@pytest.mark.parametrize("text", LAYERS)
def test_layers_soak(text: str) -> None:
    """The same for thousands of inputs, some of more steps."""
    compare_layers(text, 3000, seed=2)
    compare_layers(text, 20, seed=3, sizes=[(12, 1, 1, 1), (4, 2, 3, 2)])


def running(x: Array, axis: int, *, exclusive: bool, reverse: bool) -> Array:
    """The sums along an axis, one element after the other."""
    rows = np.moveaxis(np.flip(x, axis) if reverse else x, axis, 0)
    made = np.zeros_like(rows)
    for k in range(1 if exclusive else 0, len(rows)):
        first = k - 1 if exclusive else k
        made[k] = rows[first] if first == 0 else made[k - 1] + rows[first]
    found = np.moveaxis(made, 0, axis)
    return np.flip(found, axis) if reverse else found


def compare_sums(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for n in range(count):
        dtype: Any = np.dtype([np.int32, np.uint64, np.int64, *FORMATS][n % 6])
        shape = [(3,), (2, 3), (0, 3), (3, 0), (2, 2, 4), (1, 5)][n // 6 % 6]
        if dtype.kind == "f":
            x = np.clip(rng.standard_normal(shape) * 10.0 ** rng.integers(-6, 4, shape), -6e4, 6e4).astype(dtype)
            chosen = rng.random(shape) < 0.15
            x[chosen] = rng.choice(np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype), chosen.sum())
        else:
            x = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
        axis, exclusive, reverse = int(rng.integers(-x.ndim, x.ndim)), *(int(k) for k in rng.integers(0, 2, 2))

        made = loaded("cumsum").evaluate(x, np.array(axis, np.int32), exclusive=exclusive, reverse=reverse)

        with np.errstate(all="ignore"):
            assert_same(made, running(x, axis, exclusive=bool(exclusive), reverse=bool(reverse)))


def test_sums_along_an_axis() -> None:
    """Sums of integers wrap, and those of floats are rounded one by one."""
    compare_sums(144, seed=1)


@pytest.mark.soak
def test_sums_along_an_axis_soak() -> None:
    """The same for thousands of inputs."""
    compare_sums(4000, seed=2)
