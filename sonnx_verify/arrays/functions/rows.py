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
class Shared:
    """A function that is computed on doubles up to a share of its value.

    values: the values at doubles from `least_argument` to `most_argument`, up to `share` of each.
    steepest: the greatest share by which the value changes, over that by which the argument does; infinite if there is
        none.
    least_value, most_value: the values are between.
    least_size: the least size of a value other than 0, from that of the arguments.
    saturates: beyond these arguments the value is within 2^-54 of that at the nearest of them.
    """

    values: Callable[[Array], Array]
    share: float
    least_argument: float
    most_argument: float
    steepest: float
    least_value: float
    most_value: float
    least_size: Callable[[float], float]
    saturates: bool = False


@dataclass(frozen=True)
class Row:
    """A function of one real.

    near: its values up to a share, if there is one.
    ends: the least and the greatest number that the value at a double can be; NaN where nothing is known.
    of_ball: the ball of the values at the numbers in a ball.
    grows: whether the value grows with the argument; if not, it changes at most as fast.
    """

    near: Shared | None
    ends: Callable[[Array], Ends]
    of_ball: Callable[[Ball], Ball]
    grows: bool


def _around(near: Shared, x: Array) -> Ends:
    values = near.values(x)
    error = np.abs(values) * near.share + bounded.TINY
    return values - error, values + error


def _bounded(near: Shared, below: float, above: float) -> Callable[[Array], Ends]:
    """The ends of a function that grows from `below` to `above`, by those for arguments that it is computed at."""

    def ends(x: Array) -> Ends:
        least, most = near.least_argument, near.most_argument
        low, high = _around(near, np.minimum(np.maximum(np.where(np.isnan(x), 0.0, x), least), most))
        low, high = np.where(x < least, below, low), np.where(x > most, above, high)
        return np.where(np.isnan(x), np.nan, low), np.where(np.isnan(x), np.nan, high)

    return ends


def _ends_of_log(x: Array) -> Ends:
    known = (x >= exponential.LOG_LEAST) & (x < np.inf)
    low, high = _around(_LOG, np.where(known, x, 1.0))
    limit = np.where(x == 0, -np.inf, np.where(x == np.inf, np.inf, np.nan))
    return np.where(known, low, limit), np.where(known, high, limit)


def _ends_of_sqrt(x: Array) -> Ends:
    return _around(_SQRT, x)


def _wave(quarters: int) -> Callable[[Array], Ends]:
    def ends(x: Array) -> Ends:
        finite = np.isfinite(x)
        value, error = waves.wave(x if finite.all() else np.where(finite, x, 0.0), quarters)
        low, high = value - error, value + error
        if finite.all():
            return low, high
        return np.where(finite, low, np.nan), np.where(finite, high, np.nan)

    return ends


_SQRT = Shared(
    np.sqrt,
    share=2.0**-52,
    least_argument=2.0**-1022,
    most_argument=2.0**1023,
    steepest=0.5,
    least_value=2.0**-512,
    most_value=2.0**512,
    least_size=lambda least: 2.0**-512,
)
_EXP = Shared(
    exponential.exp,
    share=exponential.EXP_SHARE,
    least_argument=-exponential.EXP_MOST,
    most_argument=exponential.EXP_MOST,
    steepest=exponential.EXP_MOST,
    least_value=2.0**-1010,  # e^700 is below 2^1010.
    most_value=2.0**1010,
    least_size=lambda least: 2.0**-1010,
)
_LOG = Shared(
    exponential.log,
    share=exponential.LOG_SHARE,
    least_argument=exponential.LOG_LEAST,
    most_argument=2.0**1023,
    steepest=np.inf,
    least_value=-1024.0,
    most_value=1024.0,
    least_size=lambda least: 2.0**-54,
)
# tanh x and erf x are concave for x > 0, so x times the slope is at most the value.
_TANH = Shared(
    bounded.tanh,
    share=bounded.TANH_SHARE,
    least_argument=-bounded.TANH_MOST,
    most_argument=bounded.TANH_MOST,
    steepest=1.0,
    least_value=-2.0,
    most_value=2.0,
    least_size=lambda least: min(least, 1.0) / 2,
    saturates=True,
)
_ERF = Shared(
    bounded.erf,
    share=bounded.ERF_SHARE,
    least_argument=-bounded.ERF_MOST,
    most_argument=bounded.ERF_MOST,
    steepest=1.0,
    least_value=-2.0,
    most_value=2.0,
    least_size=lambda least: min(least, 1.0) / 2,
    saturates=True,
)

ROWS: Mapping[RealFunction, Row] = {
    RealFunction.SQRT: Row(_SQRT, _ends_of_sqrt, rooted, grows=True),
    RealFunction.EXP: Row(_EXP, _bounded(_EXP, 0.0, np.inf), exponential.exp_of_ball, grows=True),
    RealFunction.LOG: Row(_LOG, _ends_of_log, exponential.log_of_ball, grows=True),
    RealFunction.TANH: Row(_TANH, _bounded(_TANH, -1.0, 1.0), bounded.tanh_of_ball, grows=True),
    RealFunction.ERF: Row(_ERF, _bounded(_ERF, -1.0, 1.0), bounded.erf_of_ball, grows=True),
    RealFunction.SIN: Row(None, _wave(0), lambda x: waves.wave_of_ball(x, 0), grows=False),
    RealFunction.COS: Row(None, _wave(1), lambda x: waves.wave_of_ball(x, 1), grows=False),
}
