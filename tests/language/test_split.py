"""Split as a text: parts of given sizes, or a number of equal ones, beside numpy and other implementations."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import sonnx_verify
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.cli import main
from sonnx_verify.errors import ClauseViolated
from sonnx_verify.language.project import Project
from sonnx_verify.results.dtypes import dtype_of
from sonnx_verify.solving.inputs.arguments import to_array

HERE = Path(__file__).parent
PATH = HERE / "split.sonnx"
PARTS = HERE / "parts_of_lists.sonnx"
DTYPES = ("int8", "uint64", "bfloat16", "float16", "double", "bool")
SHAPES = ((4,), (1,), (0,), (2, 3), (3, 0), (5, 1, 2), (7,))
Array = np.ndarray[Any, np.dtype[Any]]


@cache
def operator() -> Operator:
    """The operator of the text, on arrays."""
    project = Project.of_files(HERE.parents[1], [PATH])
    return Operator(project, next(unit for unit in project.units if unit.path == PATH))


def equal_sizes(n: int, parts: int) -> list[int]:
    """Sizes as ONNX says them: equal ones, of which the last may be smaller. It may come out negative."""
    chunk = -(-n // parts)
    return [chunk] * (parts - 1) + [n - chunk * (parts - 1)]


def expected(x: Array, sizes: list[int], axis: int) -> list[Array] | None:
    """The parts by numpy; None where there are none."""
    if min(sizes) < 0 or sum(sizes) != x.shape[axis]:
        return None
    return np.split(x, np.cumsum(sizes)[:-1].tolist(), axis=axis)


def case(rng: np.random.Generator, number: int) -> tuple[Array, list[int], int, dict[str, Any], list[Array]]:
    """An array of some type, sizes, an axis, and the arguments that ask for them."""
    dtype = dtype_of(DTYPES[number % len(DTYPES)])
    shape = SHAPES[number // len(DTYPES) % len(SHAPES)]
    x = rng.integers(0, 2 if dtype == np.bool_ else 100, shape).astype(dtype)
    axis = int(rng.integers(-x.ndim, x.ndim))
    parts = int(rng.integers(1, 5))
    if rng.integers(0, 2):
        return x, equal_sizes(x.shape[axis], parts), axis, {"num_outputs": parts}, []
    # Mostly sizes that add up; the others are refused.
    sizes = np.diff(np.sort(rng.integers(0, x.shape[axis] + 1, parts - 1)), prepend=0, append=x.shape[axis])
    if not rng.integers(0, 8):
        sizes[rng.integers(0, parts)] += rng.integers(-1, 2)
    return x, sizes.tolist(), axis, {}, [sizes.astype(np.int64)]


def compare(count: int, seed: int) -> None:
    """Arrays of every type, with axes from both ends; sizes of 0, and such as are refused."""
    rng = np.random.default_rng(seed)
    refused = 0
    for number in range(count):
        x, sizes, axis, named, split = case(rng, number)
        wanted = expected(x, sizes, axis)
        if wanted is None:
            refused += 1
            with pytest.raises(ClauseViolated):
                operator().evaluate(x, *split, axis=axis, **named)
            continue

        made = operator().evaluate(x, *split, axis=axis, **named)

        assert [part.shape for part in made] == [part.shape for part in wanted]
        for part, other in zip(made, wanted, strict=True):
            assert part.dtype == x.dtype
            np.testing.assert_array_equal(part, other)
    assert count // 50 < refused < count // 2


def test_parts() -> None:
    """The parts are those of numpy."""
    compare(120, seed=1)


@pytest.mark.soak
def test_parts_soak() -> None:
    """The same of thousands of arrays."""
    compare(6000, seed=2)


def test_reference() -> None:
    """The reference evaluator gives the same parts, under the names of the members."""
    rng = np.random.default_rng(3)
    for number in range(0, 84, 3):
        x, sizes, axis, named, split = case(rng, number)
        wanted = expected(x, sizes, axis)
        outcome = operator().replay(x, *split, axis=axis, **named)
        if wanted is None:
            assert outcome.broken
            assert not outcome.outputs
            continue
        assert list(outcome.outputs) == [f"outputs{k}" for k in range(len(wanted))]
        for made, other in zip(outcome.outputs.values(), wanted, strict=True):
            np.testing.assert_array_equal(to_array(made), other)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((), {}),  # neither sizes nor their number
        ((np.array([4]),), {"num_outputs": 1}),  # both
        ((np.array([2, 1]),), {}),  # they add up to 3
        ((np.array([5, -1]),), {}),
        ((np.array([[4]]),), {}),
        ((np.array([], np.int64),), {}),
        ((), {"num_outputs": 0}),
        ((), {"num_outputs": 2, "axis": 1}),
        ((), {"num_outputs": 2, "axis": -2}),
    ],
)
def test_refused(arguments: tuple[Array, ...], named: dict[str, int]) -> None:
    """What ONNX forbids is refused."""
    with pytest.raises(ClauseViolated):
        operator().evaluate(np.arange(4, dtype=np.int8), *arguments, **named)


# ---------------------------------------------------------------------------------------------------- implementations

IMPLEMENTATION = """
import numpy as np

def split(x, split=None, *, axis=0, num_outputs=None):
    if split is None:
        chunk = -(-x.shape[axis] // num_outputs)
        sizes = [chunk] * (num_outputs - 1) + [x.shape[axis] - chunk * (num_outputs - 1)]
    else:
        sizes = [int(size) for size in split]
    return np.split(x, np.cumsum(sizes)[:-1], axis=axis)

def fewer(*given, **named):
    return split(*given, **named)[:1]

def more(*given, **named):
    made = split(*given, **named)
    return [*made, made[0]]

def turned(*given, **named):
    return split(*given, **named)[::-1]

def one(*given, **named):
    return split(*given, **named)[0]
"""
FOUND = {
    "split": (0, "proved, up to a bound", "--bound=rank=1"),
    "fewer": (1, "wrong number of outputs", "--test-only"),
    "more": (1, "wrong number of outputs", "--test-only"),
    "turned": (1, "against python:splitting_turned:turned: refuted", "--bound=rank=1,dim=1,inputs=1"),
    "one": (1, "wrong number of outputs", "--test-only"),
}


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", FOUND)
def test_conform(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function may return a list of its outputs, of any length; the length is compared."""
    folder = tmp_path / "spec" / "user"
    folder.mkdir(parents=True)
    for path in (PATH, PARTS):
        (folder / path.name).write_text(path.read_text("utf-8"), "utf-8")
    (tmp_path / f"splitting_{name}.py").write_text(IMPLEMENTATION, "utf-8")
    monkeypatch.chdir(tmp_path)
    status, says, how = FOUND[name]

    target = f"python:splitting_{name}:{name}"
    asked = ["--types", "int8", "--short", "--random", "0", how]
    done = CliRunner().invoke(main, ["conform", "user.Split", "--against", target, *asked])

    assert done.exit_code == status, done.output
    assert says in done.output


# -------------------------------------------------------------------------------------------------------------- proofs


@pytest.mark.soak
def test_text_and_laws_are_proved() -> None:
    """Nothing is unknown of the text, nor of its laws: the parts, one behind the other, are the whole."""
    names = ("split", "parts_of_lists", "concat", "split_laws", "split_and_concat")
    found = sonnx_verify.check(*(HERE / f"{name}.sonnx" for name in names), cached=False)
    assert found.errors == ()
    assert "user.split_and_concat.float/together/theorem" in {result.id for result in found.results}
    assert {result.verdict for result in found.results} <= {"proved", "holds"}


FALSE = {
    "equal parts": "Split(A with axis = 0, num_outputs = 2)[0] = Split(A with axis = 0, num_outputs = 2)[1]",
    "one more": "count(Split(A with axis = 0, num_outputs = 2)) = 3",
    "a part behind the last": "rank(Split(A with axis = 0, num_outputs = 2)[2]) = 1",
    "the whole": "Concat(Split(A with axis = 0, num_outputs = 2) with axis = 0)"
    " = Split(A with axis = 0, num_outputs = 2)[0]",
    "another number": "Split(A with axis = 0, num_outputs = 2) = Split(A with axis = 0, num_outputs = 1)",
}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", FALSE)
def test_false_law_is_refuted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A law that is false of a list of outputs has a counterexample."""
    monkeypatch.chdir(HERE)
    assuming = "rank(A) = 1 and Split(A with axis = 0, num_outputs = 2) is valid"
    done = CliRunner().invoke(main, ["prove", f"for A : tensor of T assuming {assuming} : {FALSE[name]}"])
    assert done.exit_code == 1, done.output
    assert "refuted" in done.output
