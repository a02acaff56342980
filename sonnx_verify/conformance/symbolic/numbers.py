"""Numbers of Python that stand for elements: `numpy.vectorize` gives a function the elements as these.

They do not wrap, as elements do: int8's 100 + 100 is 200. An integer is therefore held with the range that it lies in,
and computed in 64 bits; what may be beyond is refused. A float is computed as a double.

Trusted for what `conform` calls proved; `tests/implementations` holds it against Python.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.known import DTYPES
from sonnx_verify.conformance.symbolic.cells import cast, constant, sort_of
from sonnx_verify.conformance.symbolic.memory import Placed, fresh, is_symbolic
from sonnx_verify.conformance.symbolic.table import ROWS, at_most, less, same, some_nan, truth
from sonnx_verify.conformance.symbolic.trace import errors_noted, own_errors_refused, refuse, trace
from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import Term, and_, literal, not_

_INT64, _DOUBLE = ELEMENT_TYPES["int64"], ELEMENT_TYPES["double"]
_EXACT = 1 << 53
"""Doubles have all integers up to here."""


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """The value of a number as an element of a sort, the least and the greatest that an integer may be, and an array of
    the run, of whose class arrays are made."""

    term: Term
    low: int
    high: int
    source: Placed


_PLAIN = {bool: np.dtype(bool), int: np.dtype(np.int64), float: np.dtype(np.float64)}
"""The type that numpy makes of a number of Python."""


class Number:
    """A bool, an int or a float of Python, by an element that has its value."""

    __slots__ = ("_held",)

    def __init__(self, term: Term, source: Placed, low: int = 0, high: int = 0) -> None:
        self._held = _Held(term, low, high, source)

    @property
    def __class__(self) -> type:
        # Code that asks for a number gets one.
        return _kind(self._held.term.sort)

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise TypeError("the class of a number cannot be set")

    def __bool__(self) -> bool:
        return trace().decide(truth(self._held.term))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        with own_errors_refused(f"numpy.{ufunc.__name__}"):
            # Beside an array a number takes the type of that, or does not fit it: only where that is the type which it
            # has by itself does it not matter which of the two it is.
            plain = [_PLAIN[_kind(i._held.term.sort)] for i in inputs if type(i) is Number]  # noqa: SLF001  # its own
            arrays = [i for i in inputs if hasattr(i, "dtype")]
            if method != "__call__" or kwargs or any(a.dtype != p for a in arrays for p in plain):
                refuse(f"numpy.{ufunc.__name__} of a number of Python and arrays")
            return ufunc(*(_as_scalar(i) for i in inputs))

    def __getattr__(self, name: str) -> Any:
        if not hasattr(_kind(self._held.term.sort), name):
            raise AttributeError(f"'{_kind(self._held.term.sort).__name__}' object has no attribute '{name}'")
        refuse(f"`{name}` of a number that depends on elements")


def number_of(element: Placed) -> Number:
    """The number of Python that an element is made into; `element` is an array of one."""
    (term,) = element.terms().reshape(-1)
    assert isinstance(term, Term)
    return _number(some_nan(term), element)


def _number(term: Term, source: Placed) -> Number:
    sort = term.sort
    if isinstance(sort, IntegerSort):
        if isinstance(term.payload, int):
            return Number(term, source, term.payload, term.payload)
        return Number(term, source, sort.lowest, sort.greatest)
    return Number(term, source, 0, 1)


def _kind(sort: Sort) -> type:
    if sort == BOOL:
        return bool
    return float if isinstance(sort, FloatSort) else int


def _as_scalar(value: Any) -> Any:
    """The scalar of numpy that a number of Python is to a ufunc without arrays."""
    if type(value) is not Number:
        return value
    held = value._held  # noqa: SLF001  # of this module
    sort = _wide(held).sort
    return fresh(held.source, _cell(_wide(held)), DTYPES[sort], scalar=True)


def _cell(term: Term) -> Any:
    made = np.empty((), object)
    made[()] = term
    return made


def _wide(held: _Held) -> Term:
    """The value as an int64 or a double; a truth value as it is."""
    term = held.term
    if term.sort == BOOL:
        return term
    if isinstance(term.sort, FloatSort):
        return cast(term, _DOUBLE)
    if held.low < -(1 << 63) or held.high >= 1 << 63:
        refuse("an integer of Python of more than 64 bits")
    return cast(term, _INT64)


def _of(value: Any, source: Placed) -> _Held | None:
    """The value held of a number, symbolic or written out; None of anything else."""
    if type(value) is Number:
        held: _Held = value._held  # noqa: SLF001  # of this module
        return held
    if type(value) is bool:
        return _Held(literal(value, BOOL), int(value), int(value), source)
    if type(value) is int:
        if not -(1 << 63) <= value < 1 << 63:
            refuse("an integer of Python of more than 64 bits")
        return _Held(literal(value, _INT64), value, value, source)
    if type(value) is float:
        return _Held(constant(np.float64(value), _DOUBLE), 0, 0, source)
    return None


def _alike(a: _Held, b: _Held) -> tuple[Term, Term]:
    """Both values in one type that has them exactly."""
    kinds = {_kind(h.term.sort) for h in (a, b)}
    if kinds == {float} or a.term.sort == b.term.sort:
        # Of one sort they need not be made wider to be compared.
        if a.term.sort == b.term.sort:
            return a.term, b.term
        return _wide(a), _wide(b)
    if float not in kinds:
        both = a.low >= 0 and b.low >= 0
        # Of two that are not negative one may be of all 64 bits.
        if both and max(a.high, b.high) >= 1 << 63:
            return _natural(a), _natural(b)
        return _integer(a), _integer(b)
    for h in (a, b):
        # Python compares an integer and a float exactly, and converts the integer to add them.
        if not isinstance(h.term.sort, FloatSort) and not -_EXACT <= h.low <= h.high <= _EXACT:
            refuse("a float of Python beside an integer that may not be a float")
    return _float(a), _float(b)


def _integer(held: _Held) -> Term:
    return cast(_wide(held), _INT64)


def _natural(held: _Held) -> Term:
    if held.high >= 1 << 63:
        return held.term
    return cast(_integer(held), ELEMENT_TYPES["uint64"])


def _float(held: _Held) -> Term:
    return cast(_wide(held), _DOUBLE)


def _compared(name: str, meaning: Callable[[Term, Term], Term]) -> Callable[[Any, Any], Any]:
    def compare(self: Number, other: Any) -> Any:
        own = self._held  # noqa: SLF001  # of this module
        with own_errors_refused(f"`{name}` of a number"):
            held = _of(other, own.source)
            if held is None:
                return _beside_array(name, self, other)
            return Number(meaning(*_alike(own, held)), own.source, 0, 1)

    return compare


def _beside_array(name: str, self: Number, other: Any) -> Any:
    """A number and something else: of arrays and scalars of numpy their own method says that it is not known."""
    if other is None and name in ("eq", "ne"):
        return name == "ne"
    kind = "an array" if isinstance(other, np.ndarray | np.generic) else "something else"
    return refuse(f"`{name}` of a number of Python and {kind}")


_BOUNDS: dict[str, Callable[[_Held, _Held], list[int]]] = {
    "add": lambda a, b: [a.low + b.low, a.high + b.high],
    "subtract": lambda a, b: [a.low - b.high, a.high - b.low],
    "multiply": lambda a, b: [x * y for x in (a.low, a.high) for y in (b.low, b.high)],
}


def _computed(row: str, *, reflected: bool) -> Callable[[Any, Any], Any]:
    def compute(self: Number, other: Any) -> Any:
        own = self._held  # noqa: SLF001  # of this module
        with own_errors_refused(f"`{row}` of a number"):
            held = _of(other, own.source)
            if held is None:
                return _beside_array(row, self, other)
            a, b = (held, own) if reflected else (own, held)
            if float in {_kind(h.term.sort) for h in (a, b)}:
                first, second = _alike(a, b)
                return Number(ROWS[row].meaning(cast(first, _DOUBLE), cast(second, _DOUBLE)), own.source)
            bounds = _BOUNDS[row](a, b)
            if min(bounds) < -(1 << 63) or max(bounds) >= 1 << 63:
                refuse("integers of Python that may be of more than 64 bits")
            made = ROWS[row].meaning(_integer(a), _integer(b))
            return Number(made, own.source, min(bounds), max(bounds))

    return compute


def _negated(self: Number) -> Any:
    own = self._held  # noqa: SLF001  # of this module
    if isinstance(own.term.sort, FloatSort):
        return Number(ROWS["negative"].meaning(own.term), own.source)
    return _computed("subtract", reflected=True)(self, 0)


def _positive(self: Number) -> Any:
    if isinstance(self._held.term.sort, FloatSort):  # noqa: SLF001  # of this module
        return self
    return _computed("add", reflected=True)(self, 0)


def _absolute(self: Number) -> Any:
    own = self._held  # noqa: SLF001  # of this module
    if isinstance(own.term.sort, FloatSort):
        return Number(ROWS["absolute"].meaning(own.term), own.source)
    if own.low < -(1 << 62):
        refuse("the absolute value of an integer of Python of more than 64 bits")
    return Number(ROWS["absolute"].meaning(_integer(own)), own.source, 0, max(abs(own.low), abs(own.high)))


def _refused(name: str) -> Callable[..., Any]:
    return lambda self, *args: refuse(f"`{name}` of a number that depends on elements")


def element_of(value: Any, dtype: np.dtype[Any], source: Placed) -> Term:
    """The element that numpy makes of what a function gave for it, in an array of objects that is converted."""
    sort = sort_of(dtype)
    if is_symbolic(value):
        if value.dtype != dtype or value.ndim:
            refuse(f"numpy.vectorize of a function that gives {value.dtype} for {dtype}")
        (term,) = value.terms().reshape(-1)
        assert isinstance(term, Term)
        return some_nan(term)
    if isinstance(value, np.generic):
        if value.dtype != dtype:
            refuse(f"numpy.vectorize of a function that gives {value.dtype} for {dtype}")
        return constant(value, sort)
    held = _of(value, source)
    if held is None:
        refuse(f"numpy.vectorize of a function that gives {type(value).__name__}")
    return _converted(held, sort)


def _converted(held: _Held, sort: Sort) -> Term:
    term = held.term
    if term.sort == sort or sort == BOOL:
        return cast(term, sort)
    if isinstance(sort, IntegerSort):
        if isinstance(term.sort, FloatSort):
            refuse(f"a float of Python converted to {sort}")
        # Unlike an element, a number of Python that does not fit is an error.
        wide = _integer(held) if held.high < 1 << 63 else term
        low, high = max(held.low, sort.lowest), min(held.high, sort.greatest)
        if (low, high) != (held.low, held.high):
            if low > high:
                raise OverflowError(f"Python integer out of bounds for {sort}")
            inside = and_(at_most(literal(low, wide.sort), wide), at_most(wide, literal(high, wide.sort)))
            if not trace().decide(inside):
                raise OverflowError(f"Python integer out of bounds for {sort}")
        return cast(wide, sort)
    if not isinstance(term.sort, FloatSort) and not -_EXACT <= held.low <= held.high <= _EXACT:
        refuse(f"an integer of Python converted to {sort}, which is rounded twice")
    return cast(_float(held), sort)


_COMPARED: dict[str, Callable[[Term, Term], Term]] = {
    "eq": same, "ne": lambda a, b: not_(same(a, b)), "lt": less, "gt": lambda a, b: less(b, a), "le": at_most,
    "ge": lambda a, b: at_most(b, a),
}  # fmt: skip  # a table
for _name, _meaning in _COMPARED.items():
    setattr(Number, f"__{_name}__", _compared(_name, _meaning))
for _name, _row in {"add": "add", "sub": "subtract", "mul": "multiply"}.items():
    setattr(Number, f"__{_name}__", _computed(_row, reflected=False))
    setattr(Number, f"__r{_name}__", _computed(_row, reflected=True))
for _name, _unary in {"neg": _negated, "pos": _positive, "abs": _absolute}.items():
    setattr(Number, f"__{_name}__", _unary)
for _name in (
    "truediv", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod", "divmod", "rdivmod", "pow", "rpow", "and", "rand",
    "or", "ror", "xor", "rxor", "invert", "lshift", "rlshift", "rshift", "rrshift", "matmul", "rmatmul", "int", "float",
    "index", "complex", "round", "trunc", "floor", "ceil", "hash", "repr", "str", "format", "array", "reduce_ex",
    "reduce", "sizeof", "getnewargs",
):  # fmt: skip  # a table
    setattr(Number, f"__{_name}__", _refused(f"__{_name}__"))
errors_noted(Number)
