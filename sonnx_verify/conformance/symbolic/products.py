"""Sums of products: `matmul` and its kind, `dot`, `inner`, `vdot`, `tensordot`, `einsum`.

All of them are one sum over labelled axes: `ij,jk->ik` gives the sum over j of a[i, j] * b[j, k]. Integers wrap, so the
order in which numpy adds does not matter: every order gives the same element. Floats are refused: order and roundings
of their sums are the choice of a library (BLAS), with products that may not be rounded at all. Shapes, types and errors
are those that numpy gives for zeros; its own products of objects are not used, since some of them end the process.

Trusted for what `conform` calls proved; `tests/implementations` holds it against numpy.
"""

from __future__ import annotations

# numpy calls these functions in place of its own: names, order and kinds of their arguments are numpy's.
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.arguments import has_symbols, symbolic_in, terms_of, zeros_for
from sonnx_verify.conformance.symbolic.cells import Objects, sort_of
from sonnx_verify.conformance.symbolic.folds import fold
from sonnx_verify.conformance.symbolic.memory import fresh, held, is_in_rows, is_symbolic, moved
from sonnx_verify.conformance.symbolic.table import ROWS
from sonnx_verify.conformance.symbolic.trace import refuse
from sonnx_verify.logic.sorts import Sort
from sonnx_verify.logic.terms import Term

_MOST = 1 << 16
"""The number of products, of all elements together."""
Labels = Sequence[Hashable]
"""The names of the axes of an array."""
Labelling = Callable[[Sequence[int]], tuple[list[Labels], Labels]]
"""From the ranks of the operands to the labels of each, and of the result."""


def summed(operands: Sequence[Objects], labels: Sequence[Labels], result: Labels, sort: Sort) -> Objects:
    """The sum over the labels that the result has not of the products of the operands."""
    sizes: dict[Hashable, int] = {}
    for cells, named in zip(operands, labels, strict=True):
        for label, size in zip(named, cells.shape, strict=True):
            # An axis of size 1 is spread along those of its name.
            if sizes.get(label, 1) == 1:
                sizes[label] = size
    inner = [label for label in sizes if label not in result]
    number = prod(sizes.values())
    if number > _MOST:
        refuse(f"a sum of {number} products")
    made: Objects = real.empty([sizes[label] for label in result], object)
    for place in np.ndindex(*made.shape):
        here = dict(zip(result, place, strict=True))
        terms: list[Term] = []
        for turn in product(*(range(sizes[label]) for label in inner)):
            here.update(zip(inner, turn, strict=True))
            terms.append(_product(operands, labels, here))
        made[place] = fold("add", terms, sort)
    return made


def _product(operands: Sequence[Objects], labels: Sequence[Labels], at: Mapping[Hashable, int]) -> Term:
    factors: list[Any] = []
    for cells, named in zip(operands, labels, strict=True):
        place = tuple(at[label] if size > 1 else 0 for label, size in zip(named, cells.shape, strict=True))
        factors.append(cells[place])
    made: Term = factors[0]
    for factor in factors[1:]:
        made = ROWS["multiply"].meaning(made, factor)
    return made


def _exact(name: str, *dtypes: np.dtype[Any]) -> None:
    """Refuse types whose sums of products are not exact."""
    for dtype in dtypes:
        # Of types of ml_dtypes numpy gives numbers of Python, or of another type.
        if dtype.isbuiltin != 1:
            refuse(f"numpy.{name} of {dtype}")
        if dtype.kind == "f":
            refuse(f"numpy.{name} of {dtype}: numpy promises no order and no rounding of such a sum")


def _computed(name: str, operands: Sequence[Any], labelling: Labelling, example: Any) -> Any:
    """The sums of products, of the type and the shape of what numpy gives for zeros."""
    dtype = np.asarray(example).dtype
    _exact(name, dtype, *(np.asarray(zeros_for(o)).dtype for o in operands))
    cells = [terms_of(o, dtype) for o in operands]
    labels, result = labelling([c.ndim for c in cells])
    terms = summed(cells, labels, result, sort_of(dtype))
    assert terms.shape == np.shape(example), "the result has the shape that numpy gives it"
    made = fresh(symbolic_in(*operands), terms, dtype, scalar=isinstance(example, np.generic))
    in_rows = all(is_in_rows(o) for o in operands if is_symbolic(o))
    held(made).open = made.ndim > 1 and not (in_rows and example.flags.c_contiguous)
    return made


# ------------------------------------------------------------------------------------------- ufuncs, broadcast in front


def _core(first: int, second: int, result: int, shared: tuple[int, int]) -> Labelling:
    """Labels of operands with so many axes of their own, of which those in `shared` are summed; all others are spread
    against each other, from the right."""

    def labels(ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
        own: list[list[Hashable]] = [[("a", k) for k in range(first)], [("b", k) for k in range(second)]]
        own[0][shared[0]] = own[1][shared[1]] = "summed"
        outer = [[-k for k in range(rank - len(o), 0, -1)] for rank, o in zip(ranks, own, strict=True)]
        kept = [label for o in own for label in o if label != "summed"]
        assert len(kept) == result, "the axes that are not summed are those of the result"
        return [[*o, *n] for o, n in zip(outer, own, strict=True)], [*max(outer, key=len), *kept]

    return labels


def _of_matrices(ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
    # A vector is a row on the left and a column on the right, and the axis that is put on is taken off again.
    first, second = min(ranks[0], 2), min(ranks[1], 2)
    return _core(first, second, first + second - 2, (first - 1, 0))(ranks)


UFUNCS: Mapping[str, Labelling] = {
    "matmul": _of_matrices,
    "vecdot": _core(1, 1, 0, (0, 0)),
    "matvec": _core(2, 1, 1, (1, 0)),
    "vecmat": _core(1, 2, 1, (0, 0)),
}
"""The ufuncs that add products along axes."""


def product_ufunc(ufunc: Any, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The answer to a call of one of `UFUNCS`."""
    name = ufunc.__name__
    out = kwargs.pop("out", None)
    if set(kwargs) - {"dtype", "casting"}:
        refuse(f"numpy.{name} with {', '.join(sorted(kwargs))}")
    shown = [zeros_for(i) for i in inputs]
    example = ufunc(*shown, **kwargs)
    made = _computed(name, inputs, UFUNCS[name], example)
    if out is None:
        return made
    (target,) = out if isinstance(out, tuple) else (out,)
    if not is_symbolic(target):
        refuse("a result written into an array made outside of the run")
    ufunc(*shown, out=real.zeros(target.shape, target.dtype), **kwargs)
    if target.shape != made.shape:
        refuse(f"numpy.{name} spread into an array of another shape")
    target.write(terms_of(made, target.dtype))
    return target


def matmul_in_place(self: Any, other: Any) -> Any:
    """`a @= b`."""
    if held(self).scalar:
        return np.matmul(self, other)
    shown = zeros_for(self)
    # In place numpy takes fewer shapes than out of place: it says so itself.
    shown @= zeros_for(other)
    made = np.matmul(self, other)
    if made.shape != self.shape:
        refuse("numpy.matmul in place that is not the one out of place")
    self.write(terms_of(made, self.dtype))
    return self


# ---------------------------------------------------------------------------------------------- functions of two arrays


def _along(first: Sequence[int], second: Sequence[int]) -> Labelling:
    """Labels by which axes of the first operand are summed with axes of the second; the others stay, in their order."""

    def labels(ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
        a: list[Hashable] = [("a", k) for k in range(ranks[0])]
        b: list[Hashable] = [("b", k) for k in range(ranks[1])]
        for n, (k, m) in enumerate(zip(first, second, strict=True)):
            a[k] = b[m] = n
        return [a, b], [label for label in (*a, *b) if isinstance(label, tuple)]

    return labels


def _last_and(other: int) -> Labelling:
    """The last axis of the first with an axis of the second, if there is one; of an array of rank 0 all products."""

    def labels(ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
        if 0 in ranks:
            return _along([], [])(ranks)
        return _along([-1], [max(other, -ranks[1])])(ranks)

    return labels


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """`numpy.dot`: the last axis with the last but one."""
    if out is not None:
        refuse("numpy.dot with out")
    return _computed("dot", [a, b], _last_and(-2), np.dot(zeros_for(a), zeros_for(b)))


def inner(a: Any, b: Any) -> Any:
    """`numpy.inner`: the last axis of both."""
    return _computed("inner", [a, b], _last_and(-1), np.inner(zeros_for(a), zeros_for(b)))


def vdot(a: Any, b: Any) -> Any:
    """`numpy.vdot`: of all elements in rows."""
    return _computed("vdot", [np.ravel(a), np.ravel(b)], _last_and(-1), np.vdot(zeros_for(a), zeros_for(b)))


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """`numpy.tensordot`: along lists of axes, or the last ones of the first with the first ones of the second."""
    if has_symbols(axes):
        refuse("numpy.tensordot along axes that depend on elements")
    example = np.tensordot(zeros_for(a), zeros_for(b), axes)
    if isinstance(axes, int | np.integer):
        first, second = [*range(-int(axes), 0)], [*range(int(axes))]
    else:
        first, second = ([int(k) for k in np.atleast_1d(real.asarray(side)).reshape(-1)] for side in axes)
    return _computed("tensordot", [a, b], _along(first, second), example)


# --------------------------------------------------------------------------------------------------------------- einsum


def einsum(*operands: Any, out: Any = None, optimize: Any = False, **kwargs: Any) -> Any:
    """`numpy.einsum`, with subscripts as text or as lists."""
    if out is not None:
        refuse("numpy.einsum with out")
    if set(kwargs) - {"dtype", "casting"}:
        refuse(f"numpy.einsum with {', '.join(sorted(kwargs))}")
    at = [n for n in range(len(operands)) if _is_operand(operands, n)]
    arrays = [operands[n] for n in at]

    def with_arrays(given: Sequence[Any]) -> list[Any]:
        made = [*operands]
        for n, array in zip(at, given, strict=True):
            made[n] = array
        return made

    # What is wrong with the subscripts numpy says itself.
    example = np.einsum(*with_arrays([zeros_for(a) for a in arrays]), optimize=optimize, **kwargs)
    # Of one operand, without a sum, numpy gives a view: `ij->ji`, `ii->i`.
    if len(arrays) == 1 and not kwargs:
        (only,) = arrays
        if held(only).scalar:
            refuse("numpy.einsum of a scalar")
        places = np.einsum(*with_arrays([held(only).places]), optimize=optimize)
        if np.shares_memory(places, held(only).places):
            return moved(only, places)
    inputs, result = _subscripts(operands)
    return _computed("einsum", arrays, lambda ranks: _spelled(inputs, result, ranks), example)


def _is_operand(operands: Sequence[Any], n: int) -> bool:
    """Return whether an argument of `einsum` is an array, and no subscripts."""
    if isinstance(operands[0], str):
        return n > 0
    # array, list, array, list, and perhaps the list of the result.
    return n % 2 == 0 and n + 1 < len(operands)


def _subscripts(operands: Sequence[Any]) -> tuple[list[list[Any]], list[Any] | None]:
    """The labels of each operand, with an ellipsis as one, and of the result where they are given."""
    if isinstance(operands[0], str):
        text, arrow, right = operands[0].replace(" ", "").partition("->")
        return [_letters(part) for part in text.split(",")], _letters(right) if arrow else None
    inputs = [list(part) for part in operands[1::2]]
    return inputs, list(operands[-1]) if len(operands) % 2 else None


def _letters(text: str) -> list[Any]:
    found: list[Any] = [*text.replace("...", ".")]
    return [Ellipsis if letter == "." else letter for letter in found]


def _spelled(inputs: list[list[Any]], result: list[Any] | None, ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
    """The labels with those of the axes that an ellipsis stands for, counted from the right."""
    hidden = [rank - len([n for n in named if n is not Ellipsis]) for named, rank in zip(inputs, ranks, strict=True)]
    most = max((h for h, named in zip(hidden, inputs, strict=True) if Ellipsis in named), default=0)
    if result is None:
        # Those that occur once, in the order of the alphabet.
        times = Counter(n for named in inputs for n in named if n is not Ellipsis)
        result = [Ellipsis, *sorted(n for n, count in times.items() if count == 1)]
    labels: list[Labels] = [_without_dots(named, number) for named, number in zip(inputs, hidden, strict=True)]
    return labels, _without_dots(result, most)


def _without_dots(named: list[Any], number: int) -> list[Any]:
    made: list[Any] = []
    for label in named:
        if label is Ellipsis:
            made += [("...", -k) for k in range(number, 0, -1)]
        else:
            made.append(label)
    return made
