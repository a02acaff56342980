"""Operations of terms on whole arrays.

Mathematical integers are int64 where their bounds fit, else Python's; real numbers are Python's fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.known import DTYPES, bits_type, constant
from sonnx_verify.arrays.evaluator.loops import NoProgram
from sonnx_verify.arrays.partial.intervals import Interval, interval
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import INT, REAL, FloatSort, IntegerSort
from sonnx_verify.logic.terms import Term, is_literal

Compute = Callable[..., Any]
_WIDE = 1 << 62
_FUNCTIONS: dict[str, Compute] = {"not": np.logical_not, "ite": np.where}


def operation(term: Term, args: Sequence[int], bounds: Mapping[str, Interval]) -> Callable[[Any, list[Any]], Any]:
    """The step that computes a term of those at the places `args`."""
    compute = _compute(term, bounds)
    if len(args) == 1:
        (a,) = args
        return lambda frame, values: compute(values[a])
    if len(args) == 2:
        a, b = args
        return lambda frame, values: compute(values[a], values[b])
    return lambda frame, values: compute(*[values[a] for a in args])


def _compute(term: Term, bounds: Mapping[str, Interval]) -> Compute:
    op, sort = term.op, term.args[0].sort if term.args else term.sort
    if op == "literal":
        value = term.payload if term.sort in (INT, REAL) else constant(term.payload, term.sort)
        return lambda: value
    if op in ("and", "or"):
        join = np.logical_and if op == "and" else np.logical_or
        return lambda *parts: reduce(join, parts)
    if op in _FUNCTIONS:
        return _FUNCTIONS[op]
    if sort == INT:
        return _on_integers(term, bounds)
    if sort == REAL:
        return _on_reals(term)
    if op in ("<=", "<"):
        return np.less_equal if op == "<=" else np.less
    if op == "=":
        return _sameness(term)
    return _on_elements(term)


def _on_integers(term: Term, bounds: Mapping[str, Interval]) -> Compute:
    every: dict[str, Compute] = {
        "+": lambda *parts: reduce(np.add, parts),
        "*": lambda *parts: reduce(np.multiply, parts),
        "div": lambda a, b: _euclid(a, b)[0],
        "mod": lambda a, b: _euclid(a, b)[1],
        "=": np.equal,
        "<=": np.less_equal,
        "<": np.less,
        "wrapped": lambda a: _wrap(a, term.sort),
        "to_real": lambda a: _FRACTION(a),
    }
    exact = every[term.op]
    inner = [a for arg in term.args for a in (arg, *arg.args)]
    if all(_fits(a, bounds) for a in (term, *inner) if a.sort == INT):
        return exact
    return lambda *parts: exact(*[np.asarray(p, dtype=object) for p in parts])


def _fits(term: Term, bounds: Mapping[str, Interval]) -> bool:
    """Whether an integer, and what it is computed from, stays within 64 bits."""
    low, high = interval(term, bounds)
    return low is not None and high is not None and low > -_WIDE and high < _WIDE


def _euclid(a: Any, b: Any) -> tuple[Any, Any]:
    """Quotient and remainder, the latter not negative; anything where `b` is 0, which a guard keeps from being used."""
    safe = np.where(np.equal(b, 0), 1, b)
    remainder = np.mod(a, np.abs(safe))
    return np.floor_divide(np.subtract(a, remainder), safe), remainder


def _wrap(a: Any, sort: Any) -> Any:
    lowest, modulus = sort.lowest, 1 << sort.width
    if getattr(a, "dtype", None) == np.int64:
        return a.astype(DTYPES[sort])
    a = np.asarray(a, dtype=object)
    return np.add(np.mod(np.subtract(a, lowest), modulus), lowest).astype(DTYPES[sort])


_FRACTION = np.frompyfunc(Fraction, 1, 1)
_FLOOR = np.frompyfunc(lambda x: x.__floor__(), 1, 1)


def _on_reals(term: Term) -> Compute:
    match term.op:
        case "+":
            return lambda *parts: reduce(np.add, parts)
        case "*":
            return lambda *parts: reduce(np.multiply, parts)
        case "=":
            return lambda a, b: np.equal(a, b).astype(bool)
        case "<=":
            return lambda a, b: np.less_equal(a, b).astype(bool)
        case "<":
            return lambda a, b: np.less(a, b).astype(bool)
        case "floor":
            return lambda a: _FLOOR(a)
        case "rounded":
            return _rounding(term.sort)
        case _:
            raise NoProgram(f"there is no arithmetic of reals called `{term.op}`")


def _rounding(sort: Any) -> Compute:
    bits, dtype = bits_type(sort), DTYPES[sort]
    rounded = np.frompyfunc(lambda x: floats.round_to_nearest(sort, Fraction(x)), 1, 1)
    return lambda a: np.asarray(rounded(a), dtype=object).astype(bits).view(dtype)


def _sameness(term: Term) -> Compute:
    """`=` of elements: of floats one NaN and two zeros."""
    sort = term.args[0].sort
    if not isinstance(sort, FloatSort):
        return np.equal
    bits = bits_type(sort)
    for n, arg in enumerate(term.args):
        if is_literal(arg):
            value = arg.payload
            assert isinstance(value, int)
            if floats.is_nan(sort, value):
                return lambda *parts, n=n: np.isnan(parts[1 - n])
            return lambda a, b: np.equal(a.view(bits), b.view(bits))

    def same(a: Any, b: Any) -> Any:
        return np.logical_or(np.equal(a.view(bits), b.view(bits)), np.logical_and(np.isnan(a), np.isnan(b)))

    return same


def _on_elements(term: Term) -> Compute:
    sort = term.args[0].sort
    match term.op:
        case "add":
            return np.add
        case "sub":
            return np.subtract
        case "mul":
            return np.multiply
        case "neg":
            return np.negative
        case "ieee_equal":
            return np.equal
        case "is_nan":
            return np.isnan
        case "is_infinite":
            return np.isinf
        case "is_zero":
            return lambda a: np.equal(a, 0)
        case "is_negative":
            return lambda a: np.logical_and(np.signbit(a), np.logical_not(np.isnan(a)))
        case "is_positive":
            return lambda a: np.logical_not(np.logical_or(np.signbit(a), np.isnan(a)))
        case "to_int":
            assert isinstance(sort, IntegerSort)
            wide = sort.greatest >= _WIDE
            return lambda a: a.astype(object if wide else np.int64)
        case "to_real":
            return lambda a: _REAL(np.where(np.isfinite(a), a, DTYPES[sort].type(0)).astype(np.float64))
        case _:
            raise NoProgram(f"`{term.op}` of {sort}")


_REAL = np.frompyfunc(lambda x: Fraction(float(x)), 1, 1)
