"""Elements at places that depend on elements: `take`, `take_along_axis`, and an index that is an array of integers.

numpy itself says which element each place would give if the index were 0, 1, 2 and so on: it moves the places of the
memory for each of these numbers. The element is then a choice among these by the index. An index may be outside: that
is a decision, and on its way numpy's error is raised.

Trusted for what `conform` calls proved; `tests/implementations` holds it against numpy.
"""

from __future__ import annotations

# numpy calls these functions in place of its own: names, order and kinds of their arguments are numpy's.
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.arguments import converted, known_index, terms_of, type_of, zeros_for
from sonnx_verify.conformance.symbolic.cells import Objects, cast, reinterpreted, sort_of
from sonnx_verify.conformance.symbolic.memory import P, fresh, held, is_symbolic, moved
from sonnx_verify.conformance.symbolic.table import Reduction, Row, at_most
from sonnx_verify.conformance.symbolic.trace import refuse, trace
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import FALSE, TRUE, Term, and_, eq, is_literal, ite, literal, not_, or_

_MOST = 64
"""The number of elements among which one is chosen."""


def is_open(index: Any) -> bool:
    """Return whether an index is an array of integers that depend on elements."""
    return is_symbolic(index) and index.dtype.kind in "iu" and index.known() is None


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    """`numpy.take`."""
    if out is not None or mode != "raise":
        refuse("numpy.take of this kind")
    source = _symbolic(a, indices)
    if not is_open(indices):
        return _taken(source, np.take(held(source).places, known_index(indices), axis=axis))
    return chosen(source, indices, axis, lambda array, k: np.take(array, k, axis=axis))


def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    """`numpy.take_along_axis`."""
    source = _symbolic(arr, indices)
    if not is_open(indices):
        return moved(source, np.take_along_axis(held(source).places, known_index(indices), axis))
    return chosen(source, indices, axis, lambda array, k: np.take_along_axis(array, k, axis))


def _symbolic(array: Any, other: Any) -> Any:
    if is_symbolic(array):
        return array
    made = real.asarray(array)
    return fresh(other, terms_of(made, made.dtype), made.dtype)


def _taken(array: P, places: Any) -> P:
    made = moved(array, places)
    held(made).scalar = isinstance(places, np.generic)
    return made


def open_key(key: Any) -> bool:
    """Return whether a key is, or has in it, an index that depends on elements."""
    return any(map(is_open, key)) if isinstance(key, tuple) else is_open(key)


def picked(array: P, key: Any) -> P:
    """`array[key]`, where one of the indices of the key depends on elements."""
    keys = key if isinstance(key, tuple) else (key,)
    numbers = [n for n, k in enumerate(keys) if is_open(k)]
    if len(numbers) > 1:
        refuse("two indices that depend on elements")
    (at,) = numbers
    axis = 0
    for k in keys[:at]:
        # The axes that come before: a mask takes several of them, and an ellipsis it is not known how many.
        if k is Ellipsis or getattr(k, "dtype", None) == np.dtype(bool) or isinstance(k, bool | list):
            refuse("an index that depends on elements, behind a mask or an ellipsis")
        axis += k is not None
    before, behind = known_index(keys[:at]), known_index(keys[at + 1 :])
    made = chosen(array, keys[at], axis, lambda cells, k: cells[(*before, k, *behind)])
    # One index gives a view: which row it shows is not known, so neither is to be written to.
    if not keys[at].ndim and not held(made).scalar:
        held(made).memory.sealed = held(array).memory.sealed = True
        held(made).open = True
    return made


def chosen(source: P, index: Any, axis: int | None, move: Callable[[Any, Any], Any]) -> P:
    """The elements that an index chooses along an axis, or among all where the axis is None; `move(array, k)` is what
    numpy does with a real array and a real index."""
    own = held(source)
    # numpy's errors: an axis that there is not, an index of a type that is none, nothing to choose from.
    example = move(own.places, zeros_for(index))
    number = source.size if axis is None else source.shape[axis]
    if number > _MOST:
        refuse(f"an index that depends on elements, into {number} of them")
    # numpy reads a uint64 as an int64: 2**64 - 1 is the last element.
    terms = index.terms().reshape(-1)
    if index.dtype == np.uint64:
        # Of one alone it says that it does not fit.
        if not index.ndim:
            refuse("an element of uint64 as an index")
        terms = converted(terms, np.dtype(np.int64))
    if trace().decide(or_(*(_outside(t, number) for t in terms))):
        raise IndexError(f"index is out of bounds for axis {axis or 0} with size {number}")

    layers = [real.asarray(move(own.places, _everywhere(k, index))) for k in range(number)]
    by = _index_at(source, index, axis, move)
    sort = sort_of(source.dtype)
    made: Objects = real.empty(np.shape(example), object)
    for place in np.ndindex(*made.shape):
        at = terms[by[place]]
        cells = [reinterpreted(own.memory[layer[place]], sort) for layer in layers]
        # It is one of them: where it is none of the others it is the first.
        cell = cells[0]
        for k in range(1, number):
            cell = ite(_is(at, k, number), cells[k], cell)
        made[place] = cell
    result = fresh(source, made, source.dtype, scalar=isinstance(example, np.generic))
    held(result).open = result.ndim > 1 and (own.open or not example.flags.c_contiguous)
    return result


def _everywhere(k: int, index: Any) -> Any:
    """The index k, at all places of an index."""
    if held(index).scalar:
        return np.int64(k)
    return real.zeros(index.shape, np.int64) + k


def _index_at(source: Any, index: Any, axis: int | None, move: Callable[[Any, Any], Any]) -> Any:
    """The number of the element of the index that decides each element of the result."""
    # An array whose elements are their own places along the axis: indexed by 0, 1, 2 and so on it gives the numbers of
    # the elements of the index, wherever numpy moves them.
    count = index.size
    numbers = real.asarray(range(count), np.int64)
    if axis is None:
        return real.asarray(move(numbers, numbers.reshape(index.shape)))
    shape = [*source.shape]
    shape[axis] = count
    line = [1] * source.ndim
    line[axis] = count
    places = np.broadcast_to(numbers.reshape(line), shape)
    by = numbers.reshape(index.shape)
    return real.asarray(move(places, by[()] if held(index).scalar else by))


def _outside(at: Term, number: int) -> Term:
    """The condition that an index is none of a number of elements, counted from the left or from the right."""
    known = possible(at)
    if known is not None and all(-number <= k < number for k in known):
        return FALSE
    sort = at.sort
    assert isinstance(sort, IntegerSort)
    low, high = max(-number, sort.lowest), min(number - 1, sort.greatest)
    if low > high:
        return TRUE
    return not_(and_(at_most(literal(low, sort), at), at_most(at, literal(high, sort))))


def _is(at: Term, k: int, number: int) -> Term:
    """The condition that an index stands for the element k."""
    sort = at.sort
    assert isinstance(sort, IntegerSort)
    # From the right, the last one is -1.
    return or_(*(eq(at, literal(n, sort)) for n in (k, k - number) if sort.lowest <= n <= sort.greatest))


def possible(term: Term) -> frozenset[int] | None:
    """The numbers among which a term chooses, as one that a sort gives does; None where others are possible."""
    found: set[int] = set()
    seen: set[Term] = set()
    stack = [term]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op == Op.ITE:
            stack += node.args[1:]
        elif is_literal(node) and isinstance(node.payload, int):
            found.add(node.payload)
        else:
            return None
    return frozenset(found)


# -------------------------------------------------------------------------------------------- elements changed in place


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
