"""numpy's `sort`, `argsort`, `argmax` and `argmin` on a fibre: a list of elements.

A sort is a network of comparisons of neighbours: each brings two elements into order, and keeps them as they are if
neither is before the other. So the network is stable: of `[1 (a), 1 (b)]` it gives a, b. A sort that numpy does not
promise to be stable may give the two in any order: every comparison of two that are equal is then decided by a truth
value that is free. Whatever order of equal elements there is, some of these values give it, since every permutation is
made by leaving out exchanges of such a network.

Trusted for what `conform` calls proved; `tests/implementations` holds it against numpy.
"""

from __future__ import annotations

# numpy calls these functions in place of its own: names, order and kinds of their arguments are numpy's.
# ruff: noqa: FBT001, FBT002
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.arguments import zeros_for
from sonnx_verify.conformance.symbolic.cells import Objects, is_zero, sort_of
from sonnx_verify.conformance.symbolic.memory import P, fresh, held
from sonnx_verify.conformance.symbolic.table import is_nan, less, some_nan
from sonnx_verify.conformance.symbolic.trace import refuse, trace
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort
from sonnx_verify.logic.terms import Term, and_, ite, literal, not_, or_

_PLACES = ELEMENT_TYPES["int64"]
_MOST = 32
"""The longest fibre that is sorted: the network has about half as many comparisons as its square."""


def before(a: Term, b: Term) -> Term:
    """The condition that a has to come before b: NaN is behind all numbers, and the zeros are equal."""
    # By `less` alone a NaN would be equal to every number, and stay where it is.
    return or_(less(a, b), and_(not_(is_nan(a)), is_nan(b)))


def sorted_cells(cells: Sequence[Term], *, stable: bool) -> list[Term]:
    """The elements in order."""
    made = list(cells)
    for left, right in _network(len(made)):
        made[left], made[right] = _exchanged(made[left], made[right], stable=stable)
    # Vector code writes NaNs of its own where it found some: which NaN it is is open.
    return [some_nan(cell) for cell in made]


def _network(number: int) -> list[tuple[int, int]]:
    """The comparisons of neighbours: each turn brings the last of the rest to its place."""
    if number > _MOST:
        refuse(f"a sort of {number} elements")
    return [(n, n + 1) for last in range(number - 1, 0, -1) for n in range(last)]


def _exchanged(a: Term, b: Term, *, stable: bool) -> tuple[Term, Term]:
    swapped = before(b, a)
    first, second = ite(swapped, b, a), ite(swapped, a, b)
    # Elements that are equal are the same, but for the zeros. Vector code takes the lesser and the greater of two: of
    # two zeros that may be one of them twice.
    if stable or a is b or not isinstance(a.sort, FloatSort):
        return first, second
    zeros = and_(is_zero(a), is_zero(b))
    return ite(zeros, _either(a, b), first), ite(zeros, _either(a, b), second)


def _either(a: Term, b: Term) -> Term:
    return ite(trace().choice(), a, b)


def sorting_places(cells: Sequence[Term], *, stable: bool) -> list[Term]:
    """The places of the elements in order."""
    made = [(cell, literal(n, _PLACES)) for n, cell in enumerate(cells)]
    for left, right in _network(len(made)):
        (a, at_a), (b, at_b) = made[left], made[right]
        swapped = before(b, a)
        if not stable:
            tied = and_(not_(swapped), not_(before(a, b)))
            # One truth value for both: each place comes out once.
            swapped = or_(swapped, and_(tied, trace().choice()))
        made[left] = ite(swapped, b, a), ite(swapped, at_b, at_a)
        made[right] = ite(swapped, a, b), ite(swapped, at_a, at_b)
    return [at for _, at in made]


def _is_stable(kind: Any, stable: Any) -> bool:
    """Return whether numpy promises that equal elements stay in their order."""
    return bool(stable) or kind in ("stable", "mergesort")


def _need_order(name: str, dtype: np.dtype[Any]) -> None:
    # In the order of ml_dtypes a NaN is equal to every number: what a sort makes of that depends on its steps.
    if isinstance(sort_of(dtype), FloatSort) and dtype.char not in "efd":
        refuse(f"numpy.{name} of {dtype}, in which NaN has no place")


def _along(array: P, axis: Any, meaning: Callable[[list[Term]], list[Term]]) -> Objects:
    """The meaning of each fibre along an axis; of all elements where the axis is None."""
    cells = array.terms()
    # `argsort` of an array of rank 0 is that of a vector.
    if axis is None or not cells.ndim:
        cells, axis = cells.reshape(-1), 0
    rows = np.moveaxis(cells, axis, -1)
    made: Objects = real.empty(rows.shape, object)
    for place in np.ndindex(*rows.shape[:-1]):
        made[place][...] = meaning(list(rows[place]))
    return np.moveaxis(made, -1, axis)


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """`numpy.sort`: a new array."""
    np.sort(zeros_for(a), axis=axis, kind=kind, order=order, stable=stable)
    _need_order("sort", a.dtype)
    steady = _is_stable(kind, stable)
    made = _along(a, axis, lambda cells: sorted_cells(cells, stable=steady))
    return fresh(a, made, a.dtype).laid_out_as(a)


def sort_in_place(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
    """The method `sort` of an array."""
    if held(a).scalar:
        refuse("sorting a scalar")
    shown = real.zeros(a.shape, a.dtype)
    shown.flags.writeable = held(a).places.flags.writeable
    shown.sort(axis=axis, kind=kind, order=order, stable=stable)
    a.write(sort(a, axis, kind, order, stable=stable).terms())


def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """`numpy.argsort`."""
    example = np.argsort(zeros_for(a), axis=axis, kind=kind, order=order, stable=stable)
    _need_order("argsort", a.dtype)
    steady = _is_stable(kind, stable)
    made = _along(a, axis, lambda cells: sorting_places(cells, stable=steady))
    shaped = made.reshape(np.shape(example))
    return fresh(a, shaped, np.dtype(np.int64), scalar=isinstance(example, np.generic)).laid_out_as(a)


# ------------------------------------------------------------------------------------------ the first of the greatest


def farther_up(best: Term, cell: Term) -> Term:
    """Return whether a cell is greater."""
    return less(best, cell)


def farther_down(best: Term, cell: Term) -> Term:
    """Return whether a cell is less."""
    return less(cell, best)


def arg_extreme(name: str, farther: Callable[[Term, Term], Term]) -> Callable[..., Any]:
    """The first place of the greatest or least; of floats, of the first NaN where there is one."""

    def found(a: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        example = getattr(np, name)(zeros_for(a), axis=axis, keepdims=bool(keepdims))
        if out is not None:
            refuse(f"numpy.{name} with out")
        terms = a.terms()
        if axis is None:
            terms, axis = terms.reshape(-1), 0
        rows = np.moveaxis(terms, axis, -1)
        made: Objects = real.empty(rows.shape[:-1], object)
        for place in np.ndindex(*made.shape):
            made[place] = _first_extreme(list(rows[place]), farther)
        shaped = made.reshape(np.shape(example))
        return fresh(a, shaped, np.dtype(np.int64), scalar=isinstance(example, np.generic))

    return found


def _first_extreme(cells: list[Term], farther: Callable[[Term, Term], Term]) -> Term:
    places = [literal(n, _PLACES) for n in range(len(cells))]
    best, where = cells[0], places[0]
    for cell, place in zip(cells[1:], places[1:], strict=True):
        # A NaN beats every number and no other NaN: the first one stays. Equal numbers, and zeros of both signs, are
        # not farther: the first of them stays too.
        better = and_(not_(is_nan(best)), or_(is_nan(cell), farther(best, cell)))
        best, where = ite(better, cell, best), ite(better, place, where)
    return where
