"""The functions of reals, one row each: on doubles, with ends, and on balls around pairs of doubles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sonnx_verify.arrays.functions import bounded, exponential, waves
from sonnx_verify.arrays.functions.pairs import Ball, rooted
from sonnx_verify.logic.functions import RealFunction

Array = Any
Ends = tuple[Array, Array]


@dataclass(frozen=True)
class Row:
    """A function of one real.

    ends: the least and the greatest number that the value at a double can be; NaN where nothing is known.
    of_ball: the ball of the values at the numbers in a ball.
    grows: whether the value grows with the argument; if not, it changes at most as fast.
    """

    ends: Callable[[Array], Ends]
    of_ball: Callable[[Ball], Ball]
    grows: bool


def _around(value: Array, share: float, least: float = 0.0) -> Ends:
    """The ends of values that are off by at most a share of themselves and a least number; the values are used up."""
    error = np.abs(value)
    error *= share
    if least:
        error += least
    low = value - error
    value += error
    return low, value


def _around_positive(value: Array, share: float) -> Ends:
    return value * (1 - share), value * (1 + share)


def _is_within(x: Array, most: float) -> bool:
    """Whether all numbers are of at most a size, and none is NaN."""
    return not x.size or bool(x.max() <= most and x.min() >= -most)


def _bounded(near: Callable[[Array], Ends], most: float, below: float, above: float) -> Callable[[Array], Ends]:
    """The ends of a function that grows from `below` to `above`, by those for numbers of at most a size."""

    def ends(x: Array) -> Ends:
        if _is_within(x, most):
            return near(x)
        inside = np.minimum(np.maximum(np.where(np.isnan(x), 0.0, x), -most), most)
        low, high = near(inside)
        low, high = np.where(x < -most, below, low), np.where(x > most, above, high)
        return np.where(np.isnan(x), np.nan, low), np.where(np.isnan(x), np.nan, high)

    return ends


def _exp(x: Array) -> Ends:
    return _around_positive(exponential.exp(x), exponential.EXP_SHARE)


def _tanh(x: Array) -> Ends:
    return _around(bounded.tanh(x), bounded.TANH_SHARE, bounded.TINY)


def _erf(x: Array) -> Ends:
    return _around(bounded.erf(x), bounded.ERF_SHARE, bounded.TINY)


def _log(x: Array) -> Ends:
    known = (x >= exponential.LOG_LEAST) & (x < np.inf)
    if known.all():
        return _around(exponential.log(x), exponential.LOG_SHARE)
    low, high = _around(exponential.log(np.where(known, x, 1.0)), exponential.LOG_SHARE)
    limit = np.where(x == 0, -np.inf, np.where(x == np.inf, np.inf, np.nan))
    return np.where(known, low, limit), np.where(known, high, limit)


def _wave(quarters: int) -> Callable[[Array], Ends]:
    def ends(x: Array) -> Ends:
        if _is_within(x, waves.MOST):
            value, error = waves.wave(x, quarters)
            return value - error, value + error
        known = np.abs(x) <= waves.MOST
        value, error = waves.wave(np.where(known, x, 0.0), quarters)
        error = np.where(known, error, np.nan)
        return value - error, value + error

    return ends


ROWS: Mapping[RealFunction, Row] = {
    RealFunction.SQRT: Row(lambda x: _around_positive(np.sqrt(x), 2.0**-52), rooted, grows=True),
    RealFunction.EXP: Row(_bounded(_exp, exponential.EXP_MOST, 0.0, np.inf), exponential.exp_of_ball, grows=True),
    RealFunction.LOG: Row(_log, exponential.log_of_ball, grows=True),
    RealFunction.TANH: Row(_bounded(_tanh, bounded.TANH_MOST, -1.0, 1.0), bounded.tanh_of_ball, grows=True),
    RealFunction.ERF: Row(_bounded(_erf, bounded.ERF_MOST, -1.0, 1.0), bounded.erf_of_ball, grows=True),
    RealFunction.SIN: Row(_wave(0), lambda x: waves.wave_of_ball(x, 0), grows=False),
    RealFunction.COS: Row(_wave(1), lambda x: waves.wave_of_ball(x, 1), grows=False),
}
