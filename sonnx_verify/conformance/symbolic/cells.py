"""The cells of symbolic arrays: a term each. Element types of numpy as sorts, conversions and bits of cells, arrays of
cells."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.known import DTYPES, SORTS
from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.trace import refuse, trace
from sonnx_verify.logic import floats
from sonnx_verify.logic.binders import rebuild
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, FloatSort, IntegerSort, MinifloatSort, Sort
from sonnx_verify.logic.terms import (
    Symbol,
    Term,
    apply,
    boolean,
    converted,
    element,
    eq,
    is_literal,
    ite,
    literal,
    not_,
    of_bits,
    resized,
    rounded,
    to_int,
    to_real,
)
from sonnx_verify.results.dtypes import FOREIGN

Objects = np.ndarray[Any, np.dtype[np.object_]]
"""An array whose elements are terms."""


def sort_of(dtype: np.dtype[Any]) -> Sort:
    """The sort of the elements of a dtype. Refused for what is no element type of ONNX."""
    found = SORTS.get(dtype)
    if found is None:
        refuse(f"elements of type {dtype}")
    return found


def _in_float(sort: Sort) -> bool:
    """Return whether float has all values of a type exactly: a conversion through float rounds them once."""
    assert isinstance(sort, FloatSort | IntegerSort)
    return sort.width <= 16 or sort.name == "float"


@cache
def unsigned(sort: Sort) -> IntegerSort:
    """The unsigned integers with the width of a sort."""
    assert isinstance(sort, FloatSort | IntegerSort)
    found = ELEMENT_TYPES[f"uint{sort.width}"]
    assert isinstance(found, IntegerSort)
    return found


def folded(term: Term) -> Term:
    """The value of a term without symbols, else the term."""
    # Elements that are known stay known, so that code can decide by them, as by a count.
    if term.args and all(is_literal(a) for a in term.args):
        return literal(evaluate(term, {}), term.sort)
    return term


def built(term: Term) -> Term:
    """The term with everything in it computed that no symbol keeps open."""
    if not term.args:
        return term
    args = tuple(built(a) for a in term.args)
    return folded(rebuild(term, args))


def constant(value: Any, sort: Sort) -> Term:
    """An element of numpy, bit for bit but for the NaN, as a term."""
    if isinstance(sort, FloatSort):
        bits = real.asarray(value, DTYPES[sort]).view(DTYPES[unsigned(sort)])
        return literal(floats.canonical(sort, int(bits)), sort)
    if sort == BOOL:
        return boolean(bool(value))
    return literal(int(value), sort)


def input_cell(name: str, sort: Sort) -> Term:
    """A free element. That of a float is given by its bits, so that every NaN is among them."""
    # The bits of minifloats are no terms. One NaN has two patterns there, whatever is done with it.
    if isinstance(sort, FloatSort) and not isinstance(sort, MinifloatSort):
        return of_bits(apply(Symbol(name, (), unsigned(sort))), sort)
    return apply(Symbol(name, (), sort))


def bits_of(term: Term) -> Term:
    """The bits of a float, as an unsigned integer. Of a computed NaN they are left open."""
    sort = term.sort
    assert isinstance(sort, FloatSort)
    if isinstance(sort, MinifloatSort):
        refuse(f"bits of {sort}")
    # An element that came in, or was built from bits, has them: also of a NaN they are known.
    if term.op == Op.OF_BITS:
        return term.args[0]
    if term.op == Op.ITE:
        return ite(term.args[0], bits_of(term.args[1]), bits_of(term.args[2]))
    if is_literal(term) and isinstance(term.payload, int) and not floats.is_nan(sort, term.payload):
        return literal(term.payload, unsigned(sort))
    # IEEE 754 says of a computed NaN that it is one, not which: all bits that read as the element are allowed.
    run = trace()
    symbol = run.open(f"bits {term.digest:x}", unsigned(sort))
    run.facts[symbol] = eq(of_bits(apply(symbol), sort), term)
    return apply(symbol)


def reinterpreted(term: Term, sort: Sort) -> Term:
    """The element of another sort of the same width that has the same bits."""
    if term.sort == sort:
        return term
    # numpy stores a truth value as a byte of 0 or 1; a byte of 2 seen as bool is no value of either kind.
    if BOOL in (term.sort, sort):
        if term.sort == BOOL and sort.name in ("int8", "uint8"):
            return ite(term, literal(1, sort), literal(0, sort))
        refuse(f"bits of {term.sort} as {sort}")
    # How an integer of 4 bits lies in its byte is for whoever makes arrays of them to say.
    for one in (term.sort, sort):
        if isinstance(one, MinifloatSort) or (isinstance(one, IntegerSort) and one.width < 8):
            refuse(f"bits of {term.sort} as {sort}")
    if isinstance(term.sort, FloatSort):
        term = bits_of(term)
    if isinstance(sort, FloatSort):
        return folded(of_bits(folded(resized(term, unsigned(sort))), sort))
    return folded(resized(term, sort))


def cast(term: Term, sort: Sort) -> Term:
    """The element as `astype` converts it."""
    source = term.sort
    if source == sort:
        return term
    if source == BOOL:
        one = 1
        if isinstance(sort, FloatSort):
            one = floats.from_float(sort, 1.0)
        return ite(term, literal(one, sort), literal(0, sort))
    if sort == BOOL:
        return not_(is_zero(term))
    if isinstance(sort, FloatSort):
        if sort.name in FOREIGN and not _in_float(source):
            # ml_dtypes goes through float, and so rounds twice.
            refuse(f"{source} to {sort}")
        if isinstance(source, IntegerSort) and isinstance(sort, MinifloatSort):
            return folded(rounded(to_real(to_int(term)), sort))
        return folded(converted(term, sort))
    if not isinstance(source, FloatSort):
        return folded(resized(term, sort))
    # A float that no integer of the type is near gives what the processor makes of it: no term says that.
    if not is_literal(term):
        refuse(f"floats to integers ({source} to {sort})")
    assert isinstance(term.payload, int)
    with np.errstate(all="ignore"):
        value = real.asarray(term.payload, DTYPES[unsigned(source)]).view(DTYPES[source]).astype(DTYPES[sort])
    return constant(value, sort)


def is_zero(term: Term) -> Term:
    """The condition that an element is 0, of either sign."""
    if term.sort == BOOL:
        return not_(term)
    if isinstance(term.sort, FloatSort):
        return folded(element(Op.IS_ZERO, term))
    return eq(term, literal(0, term.sort))


# ------------------------------------------------------------------------------------------------------ arrays of cells


def each(meaning: Callable[..., Term], *terms: Any) -> Objects:
    """The meaning on elements that stand at one place, broadcast."""
    trace().step()
    spread = np.broadcast_arrays(*(real.asarray(t, object) for t in terms))
    made: Objects = real.empty(spread[0].shape, object)
    flat = made.reshape(-1)
    for n, elements in enumerate(zip(*(s.reshape(-1) for s in spread), strict=True)):
        flat[n] = meaning(*elements)
    return flat.reshape(made.shape)


def scalars_of(held: Any) -> Objects:
    """The elements of a real array as numpy's scalars, which keep their bits."""
    # `astype(object)` would make numbers of Python, of which a NaN may have other bits.
    made: Objects = real.empty(held.shape, object)
    flat, source = made.reshape(-1), held.reshape(-1)
    for n in range(flat.size):
        flat[n] = source[n]
    return flat.reshape(held.shape)
