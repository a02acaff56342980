"""Arrays of known values written in terms, and what numpy gives for them held against what the terms mean.

In `opaque` arrays an element is a symbol, as in a proof. A `Known` run has their values: decisions go the way that
these say, and a term of the result has the value, or is one of the values, that it has for them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from sonnx_verify.arrays.evaluator.known import DTYPES
from sonnx_verify.conformance.symbolic.arguments import terms_of
from sonnx_verify.conformance.symbolic.array import SymbolicArray, array_of
from sonnx_verify.conformance.symbolic.cells import constant, input_cell, sort_of, unsigned
from sonnx_verify.conformance.symbolic.long_folds import full
from sonnx_verify.conformance.symbolic.memory import held
from sonnx_verify.conformance.symbolic.replacement import numpy_replaced
from sonnx_verify.conformance.symbolic.trace import Trace, Unsupported, running
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.sorts import BOOL, FloatSort
from sonnx_verify.logic.terms import Symbol, Term, literal, of_bits, subterms

# Integers of 2 bits are computed as those of 4 bits are, and of minifloats less is known than of other floats.
DTYPE_LIST = [dtype for dtype in DTYPES.values() if dtype.name not in ("int2", "uint2", "float8_e4m3fn")]
KINDS = ("bool", "int4", "int8", "uint64", "float16", "bfloat16", "float8_e5m2")
"""A type of each kind: truth, less than a byte, with and without a sign, numpy's own floats and those of others."""
each_dtype = pytest.mark.parametrize(
    "dtype", [pytest.param(d, marks=[pytest.mark.thinned(4)] * (d.name not in KINDS)) for d in DTYPE_LIST], ids=str
)
"""Another width of a kind takes the same way through the table: of those each function has some, the soak all."""


def special(dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Zeros, ones, the ends of the type; of floats infinities, subnormals and NaNs of both signs too."""
    if dtype == np.dtype(bool):
        return np.array([False, True])
    if "int" in dtype.name:
        info: Any = ml_dtypes.iinfo(dtype)  # type: ignore[no-untyped-call]
        low = [-1, info.min, info.min + 1] if info.min < 0 else []
        return np.array([0, 1, 2, 7, info.max, info.max - 1, *low], dtype)
    ends: Any = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    plain = [0.0, -0.0, 1.0, -1.5, 3.25, np.inf, -np.inf, np.nan, -np.nan]
    return np.array([*plain, ends.max, ends.min, ends.smallest_subnormal, -ends.tiny], dtype)


def symbolic(values: Any) -> SymbolicArray:
    """The same array, written in terms: floats by their bits, so that a NaN has those that it has."""
    held = np.asarray(values)
    sort = sort_of(held.dtype)
    if not isinstance(sort, FloatSort):
        return array_of(terms_of(held, held.dtype), held.dtype)
    cells = np.empty(held.size, object)
    cells[:] = [of_bits(literal(int(b), unsigned(sort)), sort) for b in held.reshape(-1).view(f"u{held.itemsize}")]
    return array_of(cells.reshape(held.shape), held.dtype)


@dataclass(slots=True)
class Known(Trace):
    """A run on symbols whose values are known."""

    prefix: Sequence[bool] = ()
    values: dict[Symbol, Any] = field(default_factory=dict)

    def decide(self, condition: Term) -> bool:
        found = evaluate(condition, self.values)
        assert isinstance(found, bool)
        return found

    def opaque(self, values: Any) -> SymbolicArray:
        """The same array, with a symbol for each element."""
        held = np.asarray(values)
        sort = sort_of(held.dtype)
        cells = np.empty(held.size, object)
        for n, value in enumerate(held.reshape(-1)):
            cells[n] = input_cell(f"x{len(self.values)}", sort)
            leaf = cells[n]
            if isinstance(sort, FloatSort):
                (leaf,) = leaf.args
                value = value.view(f"u{held.itemsize}")
            self.values[leaf.payload] = bool(value) if sort == BOOL else int(value)
        return array_of(cells.reshape(held.shape), held.dtype)


def meanings(trace: Trace, term: Any) -> set[Any]:
    """The values that a term may have."""
    known = trace.values if isinstance(trace, Known) else {}
    found = {n.payload for n in subterms(term) if n.op == "apply"} - known.keys()
    choices = sorted((s for s in found if isinstance(s, Symbol)), key=lambda s: s.name)
    assert len(choices) == len(found)
    assert all(s.result == BOOL for s in choices), f"{choices} are values that only facts determine"
    options = product([False, True], repeat=len(choices))
    return {evaluate(term, {**known, **dict(zip(choices, v, strict=True))}) for v in options}


def agrees(trace: Trace, made: Any, expected: Any) -> None:
    """Type and shape are numpy's, and each element is one that the table allows."""
    assert made.__class__ is type(expected)
    expected = np.asarray(expected)

    assert isinstance(made, SymbolicArray)
    terms: Any = made.terms()
    assert (made.dtype, terms.shape) == (expected.dtype, expected.shape)
    known = trace.values if isinstance(trace, Known) else {}
    for place in np.ndindex(*expected.shape):
        wanted = constant(expected[place], sort_of(expected.dtype)).payload
        opened = [n.payload for n in subterms(terms[place]) if n.op == "apply" and n.payload in trace.facts]
        if opened:
            assert terms[place].payload is opened[0]
            assert evaluate(full(trace.facts[opened[0]]), {**known, opened[0]: wanted}) is True, (place, wanted)
        else:
            assert wanted in meanings(trace, terms[place]), (place, wanted, terms[place])


def lies_as(made: Any, expected: Any) -> None:
    """An array lies in memory as numpy's does, or it is not followed how it lies."""
    if not isinstance(made, SymbolicArray) or held(made).open or 1 in expected.shape or not expected.size:
        return
    assert [s // made.itemsize for s in made.strides] == [s // expected.itemsize for s in expected.strides]


def called(function: Any, *args: Any, **kwargs: Any) -> Any:
    """What numpy gives, or the type of its error."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*args, **kwargs)
    except Exception as problem:  # noqa: BLE001 - whatever numpy raises is what is compared
        return type(problem)


def compared(function: Callable[..., Any], *arrays: Any) -> str:
    """Assert that a function does with symbols what it does with the arrays that they stand for: results, errors, and
    what it writes to its arguments. The reason in words where it is refused with symbols, else nothing."""
    real = [a.copy() for a in arrays]
    expected = called(function, *real)
    with running(Known()) as trace:
        assert isinstance(trace, Known)
        given = [trace.opaque(a) for a in arrays]
        try:
            with numpy_replaced(None):
                made = called(function, *given)
        except Unsupported as problem:
            return problem.what
        if isinstance(expected, type):
            assert made is expected, (made, expected)
            return ""
        several = isinstance(expected, tuple | list)
        both = zip(made, expected, strict=True) if several else [(made, expected)]
        for one, other in both:
            if isinstance(other, np.ndarray | np.generic) and type(one) is not type(other):
                agrees(trace, one, other)
                lies_as(one, np.asarray(other))
            else:
                assert np.array_equal(one, other)
        for array, changed in zip(given, real, strict=True):
            agrees(trace, array, changed)
    return ""
