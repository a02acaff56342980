"""`ufunc.at`: elements of an array changed in place, as often as they are named.

Trusted for what `conform` calls proved; `tests/implementations` holds it against numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.arguments import known_index, terms_of, type_of, zeros_for
from sonnx_verify.conformance.symbolic.cells import cast, reinterpreted, sort_of
from sonnx_verify.conformance.symbolic.memory import held, is_symbolic
from sonnx_verify.conformance.symbolic.table import Reduction, Row
from sonnx_verify.conformance.symbolic.trace import refuse
from sonnx_verify.logic.sorts import FloatSort, Sort
from sonnx_verify.logic.terms import Term


def at(ufunc: Any, row: Row, array: Any, indices: Any, *values: Any) -> None:
    """`ufunc.at(array, indices, value)`."""
    if not is_symbolic(array):
        refuse("a result written into an array made outside of the run")
    if len(values) + 1 != ufunc.nin:
        refuse(f"numpy.{ufunc.__name__}.at with other arguments")
    key = known_index(indices)
    if held(array).scalar:
        refuse(f"numpy.{ufunc.__name__}.at of a scalar")
    # Errors are numpy's: of the index, of shapes, of a conversion that is not allowed, of an array that is only read.
    shown = real.zeros(array.shape, array.dtype)
    shown.flags.writeable = held(array).places.flags.writeable
    ufunc.at(shown, key, *(zeros_for(v) for v in values))

    asked = [array.dtype, *(type_of(v) for v in values), None]
    computed = [np.dtype(d) for d in ufunc.resolve_dtypes(tuple(asked), casting="unsafe")]
    places = real.asarray(held(array).places[key])
    operands = [np.broadcast_to(terms_of(v, t), places.shape) for v, t in zip(values, computed[1:], strict=False)]
    own, inner, result = sort_of(array.dtype), sort_of(computed[0]), sort_of(computed[-1])
    if len(np.unique(places)) < places.size:
        _need_any_order(ufunc.__name__, row, inner, same=inner == own)
    changed: dict[int, Term] = {}
    for n, place in enumerate(places.reshape(-1).tolist()):
        made = row.meaning(cast(_now(changed, array, place), inner), *(o.reshape(-1)[n] for o in operands))
        assert made.sort == result, "numpy says of which type the result is"
        # After each step it is an element of the array again.
        changed[place] = cast(made, own)
    target = type(array)(held(array).memory, real.asarray([*changed], np.int64), array.dtype)
    new = real.empty(len(changed), object)
    new[:] = [*changed.values()]
    target.write(new)


def _now(changed: Mapping[int, Term], array: Any, place: int) -> Term:
    """The element at a place in memory, as the steps before have left it."""
    if place in changed:
        return changed[place]
    return reinterpreted(held(array).memory[place], sort_of(array.dtype))


def _need_any_order(name: str, row: Row, sort: Sort, *, same: bool) -> None:
    """Refuse a function whose result depends on the order of several values for one place: numpy promises none. `same`
    says that it is computed in the type of the array."""
    exact = not isinstance(sort, FloatSort)
    match row.reduces:
        case Reduction.CHOSEN:
            # Of a wider type the greatest is cut after each step, and 300 may be less than 100 then.
            allowed = same
        case Reduction.FOLDED:
            allowed = True
        case Reduction.ADDED:
            allowed = exact
        case Reduction.NONE:
            # a - b - c is a - c - b for integers, and a function of one element does the same each time.
            allowed = (name == "subtract" and exact) or name in ("negative", "invert", "absolute", "positive")
    if not allowed:
        refuse(f"numpy.{name}.at with several values for one place, in an order that numpy does not promise")
