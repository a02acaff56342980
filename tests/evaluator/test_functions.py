"""What the evaluator does to arrays of elements is a short list of numpy's functions, so that its code can be run on
arrays that stand for all values: objects that pass as arrays and are none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from sonnx_verify.errors import NoResult, UsageError
from sonnx_verify.logic.sorts import ELEMENT_TYPES

METHODS = {"any", "astype", "reshape", "view", "[]", "[]=", "dtype", "shape", "ndim"}
READ = "quotients"
"""The library of quotients: those of integers are computed element by element, as numbers of any size."""
ROUNDED = {"functions", "powers_of_floats", "sums", "means"}
"""Libraries of what has no code for arrays that stand for all values: functions and powers of reals, and sums and means
that are sets."""
FUNCTIONS = {"broadcast_to", "concatenate", "empty_like", "transpose", "where"}
UFUNCS = {
    *(
        "add",
        "bitwise_and",
        "bitwise_or",
        "divide",
        "equal",
        "isnan",
        "less",
        "less_equal",
        "logical_and",
        "logical_not",
    ),
    *("logical_or", "maximum", "minimum", "multiply", "negative", "signbit", "sqrt", "subtract"),
}
REDUCTIONS = {"add.reduce", "logical_and.reduce", "maximum.reduce", "minimum.reduce"}


class Recorder:
    """Passes as an array, is none, and notes what is done to it."""

    noted: set[str] = set()

    def __init__(self, held: Any) -> None:
        self.held = np.asarray(held)

    # That this suffices is what is tested.
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return np.ndarray

    def __array__(self, *args: Any, **named: Any) -> Any:
        raise TypeError("an array that stands for all values was asked for its values")

    def __getattr__(self, name: str) -> Any:
        self.noted.add(name)
        found = getattr(self.held, name)
        if not callable(found):
            return found

        def call(*args: Any, **named: Any) -> Any:
            made = found(*args, **named)
            return Recorder(made) if name != "any" else bool(made)

        return call

    def __getitem__(self, place: Any) -> Any:
        self.noted.add("[]")
        return Recorder(self.held[place])

    def __setitem__(self, place: Any, value: Any) -> None:
        self.noted.add("[]=")
        self.held[place] = plain(value)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        self.noted.add(ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}")
        made = getattr(ufunc, method)(*map(plain, inputs), **{k: plain(v) for k, v in named.items()})
        out = named.get("out")
        return out[0] if out and out[0] is not None else Recorder(made)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, named: Any) -> Any:
        self.noted.add(function.__name__)
        return Recorder(function(*plain(args), **{k: plain(v) for k, v in named.items()}))


def plain(value: Any) -> Any:
    """The arrays that are held."""
    if type(value) is Recorder:
        return value.held
    return type(value)(map(plain, value)) if type(value) in (tuple, list) else value


def several(results: Any) -> tuple[Any, ...]:
    """The results of one output, or of some."""
    return results if isinstance(results, tuple) else (results,)


def drawn(kit: Any, operator: Any, dtype: Any) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """Inputs of an operator that moves elements, of those that have a result."""
    rng = np.random.default_rng(0)
    for case in kit.drawn(operator, kit.types_named(operator, dtype), rng, 8):
        given = dict(case.given)
        names = [name for name in given if re.sub(r"[0-9]+$", "", name) in operator.signature.families]
        names = names or [name for name in given if name in operator.signature.inputs]
        arrays = [given.pop(name) for name in names]
        try:
            operator.evaluate(*arrays, **given)
        except NoResult:
            continue
        except UsageError as problem:
            # None of the attributes that are drawn says which type it is.
            assert "no input or attribute says the type" in str(problem)  # noqa: PT017 - it may be raised, or not
            continue
        yield arrays, given


TYPES = [np.int32, np.float32, ml_dtypes.bfloat16, bool]


@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.__name__)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0), (1, 2)])
def test_only_these_functions(dtype: Any, shape: tuple[int, ...], kit: Any) -> None:
    """On every profile operator, and with the result that the arrays themselves give."""
    Recorder.noted.clear()
    values = np.random.default_rng(0).choice(np.array([0, 1, -0.0, 2]).astype(dtype), shape)
    ran = 0
    for operator in kit.operators().values():
        if not operator.name.startswith("sonnx.") or kit.types_named(operator, np.dtype(dtype)) is None:
            continue
        uses = {use.name for use in operator.unit.file.uses}
        if uses & ROUNDED:
            continue
        if kit.is_folded(operator):
            narrow = values[..., :1] if shape else values
            cases: list[tuple[list[Any], dict[str, Any]]] = [([values], {}), ([values, values, narrow], {})]
        elif kit.is_elementwise(operator):
            sort = ELEMENT_TYPES[kit.types_named(operator, np.dtype(dtype))]
            given = kit.elementwise(operator, sort, values, values[..., :1] if shape else values)
            cases = [([given.pop(name) for name in operator.signature.inputs], given)]
        elif kit.is_reduction(operator):
            explicit = {"keepdims": 0, "noop_with_empty_axes": 0}
            cases = [([values, np.array([k], np.int64)], explicit) for k in range(len(shape))]
            cases += [([values], explicit), ([values, np.array([], np.int64)], explicit | {"noop_with_empty_axes": 1})]
        elif shape == ():
            cases = list(drawn(kit, operator, np.dtype(dtype)))
        else:
            continue  # what is drawn has shapes of its own, which are the same whatever this one is
        for arrays, attributes in cases:
            expected = several(operator.evaluate(*arrays, **attributes))
            # What says where elements go is read.
            moved = [d.type.of is None or d.type.of.name in ("T", "bool") for d in operator.signature.inputs.values()]
            recorded = [
                Recorder(array) if array is not None and (n >= len(moved) or moved[n]) else array
                for n, array in enumerate(arrays)
            ]
            made = several(operator.evaluate(*recorded, **attributes))
            for one, array in zip(made, expected, strict=True):
                held = one.held if type(one) is Recorder else one
                assert held.tobytes() == array.tobytes()
                assert held.shape == array.shape
            ran += 1

        if READ not in uses:
            assert "__array_struct__" not in Recorder.noted, operator.name
        Recorder.noted.discard("__array_struct__")

    assert ran
    assert Recorder.noted <= METHODS | FUNCTIONS | UFUNCS | REDUCTIONS
