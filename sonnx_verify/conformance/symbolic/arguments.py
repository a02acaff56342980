"""The arguments that code gives to numpy: symbolic arrays, real values, lists and tuples of both; and as terms."""

from __future__ import annotations

from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.cells import Objects, cast, constant, each, scalars_of, sort_of
from sonnx_verify.conformance.symbolic.memory import held, is_symbolic
from sonnx_verify.conformance.symbolic.trace import refuse


def has_symbols(*values: Any) -> bool:
    """Return whether a symbolic array is among values, or in lists and tuples of them."""
    return any(map(_has_symbols, values))


def _has_symbols(value: Any) -> bool:
    # A symbolic array passes as an array: it is asked first, since it may pass as anything.
    if is_symbolic(value):
        return True
    return isinstance(value, list | tuple) and has_symbols(*value)


def symbolic_in(*values: Any) -> Any:
    """The first symbolic array among values, or in lists and tuples of them."""
    for value in values:
        if is_symbolic(value):
            return value
        if _has_symbols(value):
            return symbolic_in(*value)
    raise AssertionError("there is a symbolic array")


def zeros_for(value: Any) -> Any:
    """Zeros in place of symbolic arrays, also in lists and tuples of them; scalars for scalars."""
    if is_symbolic(value):
        zeros = real.zeros(value.shape, value.dtype)
        # numpy takes a scalar and an array of rank 0 for two things where it asks whether a number fits.
        if held(value).scalar:
            return zeros[()]
        return zeros
    if _has_symbols(value):
        return [zeros_for(v) for v in value]
    return value


def fits_or_refused(value: Any, dtype: np.dtype[Any]) -> None:
    """Refuse a scalar of integers that may not fit into an array of other integers: numpy asks that of its value."""
    if isinstance(value, list | tuple):
        for part in value:
            fits_or_refused(part, dtype)
        return
    if not is_symbolic(value) or not held(value).scalar:
        return
    both_integers = value.dtype.kind in "iu" and dtype.kind in "iu"
    if both_integers and not np.can_cast(value.dtype, dtype):
        refuse(f"a scalar of {value.dtype} put into an array of {dtype}")


def stand_in(value: Any) -> Any:
    """Zeros in place of a symbolic array; a number or a real array as it is."""
    if is_symbolic(value):
        return real.zeros(value.shape, value.dtype)
    return value


def type_of(value: Any) -> np.dtype[Any]:
    """The dtype of a value as numpy has it."""
    dtype: np.dtype[Any] = real.asarray(stand_in(value)).dtype
    return dtype


def converted(terms: Objects, dtype: np.dtype[Any]) -> Objects:
    """The terms as `astype` converts them."""
    sort = sort_of(dtype)
    if terms.size and terms.reshape(-1)[0].sort is sort:
        return terms
    return each(lambda t: cast(t, sort), terms)


def terms_of(value: Any, dtype: np.dtype[Any]) -> Objects:
    """The elements of an array, scalar or number as terms of a dtype, converted as an assignment does."""
    sort = sort_of(dtype)
    if is_symbolic(value):
        own: Objects = value.terms()
        if value.dtype == dtype:
            return own
        return converted(own, dtype)
    if isinstance(value, list | tuple) and has_symbols(value):
        parts = [terms_of(v, dtype) for v in value]
        if any(p.shape != parts[0].shape for p in parts):
            refuse("arrays of several shapes in a list")
        made: Objects = real.empty((len(parts), *parts[0].shape), object)
        for n, part in enumerate(parts):
            made[n, ...] = part
        return made
    # A scalar of numpy is converted as an array is: that it does not fit is asked where numpy asks it.
    if isinstance(value, np.generic):
        value = real.asarray(value)
    converted_to = real.zeros(np.shape(value), dtype)
    converted_to[...] = value
    return each(lambda x: constant(x, sort), scalars_of(converted_to))


def known_index(key: Any) -> Any:
    """An index of real integers; Unsupported where it depends on elements."""
    if isinstance(key, tuple):
        return tuple(map(known_index, key))
    if isinstance(key, slice):
        return slice(*(known_or_refused(k, "a slice by elements") for k in (key.start, key.stop, key.step)))
    return known_or_refused(key, "an index that depends on elements")


def known_or_refused(value: Any, what: str) -> Any:
    """A real value; Unsupported where it depends on elements."""
    if not is_symbolic(value):
        return value
    found = value.known()
    if found is None:
        refuse(what)
    # An index that is a scalar gives a view, one that is an array of rank 0 a copy.
    return found[()] if held(value).scalar else found


def held_or_refused(name: str, dtype: np.dtype[Any], *values: Any) -> None:
    """Refuse numbers of Python that integers of the dtype have not: each function treats them in a way of its own."""
    for value in values:
        if not holds(value, dtype):
            refuse(f"numpy.{name} of {dtype} and {value}")


def holds(value: Any, dtype: np.dtype[Any]) -> bool:
    """Return whether a dtype has a number of Python; of anything else there is nothing to ask."""
    if type(value) is not int or dtype.kind not in "iu":
        return True
    bounds = np.iinfo(dtype)
    return bool(bounds.min <= value <= bounds.max)
