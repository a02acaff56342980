"""Real expressions of floats that are rounded once, such as `T(1.0 / (1.0 + exp(-real(x))))`, or compared, such as
`real(y) <= exp(real(x)) + bound`, on whole arrays.

A value is correctly rounded, so its bytes are the same on every machine, though numpy's exp differs from one to
another. The expression is enclosed by two doubles (ends.py), or by a ball around a pair of doubles if a double is asked
for (pairs.py), with proven bounds; where both ends round to one float, that is it. Two expressions are compared by
their ends. Of floats, what doubles leave open is decided by pairs. All else is computed element by element as the
reference evaluator does it (logic/enclosed.py): values next to a tie, zeros, and numbers that are too large or too
small for these. Equal elements are computed once, and their results are kept. Where the inputs of what is rounded have
at most `TABLE` bits, a table of the process keeps all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator import ends, pairs
from sonnx_verify.arrays.evaluator.ends import EnclosedFold
from sonnx_verify.arrays.evaluator.known import DTYPES, bits_type
from sonnx_verify.arrays.evaluator.orders import State
from sonnx_verify.arrays.functions.rows import Ends
from sonnx_verify.arrays.partial.binders import Kind
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, REAL, FloatSort
from sonnx_verify.logic.terms import Term

TABLE = 18
"""The most bits of input for which results are kept: one float of 16 bits, and two conditions."""

BLOCK = 16384
"""The elements that are computed at once: what a function needs for them stays in the processor's cache."""

Compute = Callable[..., Any]


@dataclass(frozen=True, eq=False, slots=True)
class Arithmetic:
    """A way to enclose reals: each operation, values that are rounded, and the ends that two values compare by. A value
    that is folded is `parts`, arrays that go together."""

    enclosed: Mapping[Op, Compute]
    rounded: Callable[[Any, FloatSort], tuple[Any, Any]]
    compared: Callable[[Any, Any], tuple[Ends, Ends]]
    parts: Callable[[Any], State]
    of_parts: Callable[[State], Any]
    folded: Mapping[Kind, EnclosedFold]


DOUBLES = Arithmetic(ends.ENCLOSED, ends.rounded, ends.compared, ends.ends_of, ends.of_ends, ends.FOLDED)
PAIRS = Arithmetic(
    pairs.ENCLOSED, pairs.rounded, pairs.compared_with_zero, pairs.parts_of, pairs.of_parts, pairs.FOLDED
)


@dataclass(frozen=True, slots=True)
class OnEnds:
    """An expression of reals: the terms that it takes its arrays from, and how it is computed from these."""

    leaves: tuple[Term, ...]
    compute: Compute


def on_ends(term: Term, compute_of: Callable[[Term], Compute]) -> OnEnds | None:
    """A term that rounds an expression of floats, integers and conditions, or compares two; None of any other.
    `compute_of` gives the exact operation of a term on arrays of objects."""
    rounds = term.op is Op.ROUNDED and isinstance(term.sort, FloatSort)
    if not rounds and not (term.op in _COMPARED and term.args[0].sort == REAL):
        return None
    steps = _Steps(compute_of)
    try:
        results = [steps.place(arg) for arg in term.args]
    except _NotOfFloats:
        return None
    if not steps.leaves:
        return None
    kind = Rounding if rounds else Comparison
    return OnEnds(tuple(steps.leaves), kind(term, steps, results, compute_of).compute)


class _NotOfFloats(Exception):  # noqa: N818 - it is no error
    """The expression has a part that is not computed here, such as a sum over an axis."""


class _Steps:
    """The operations of an expression in order, each with the places of its operands. A leaf is a step too."""

    def __init__(self, compute_of: Callable[[Term], Compute]) -> None:
        self._compute_of = compute_of
        self._places: dict[Term, int] = {}
        self.leaves: dict[Term, int] = {}
        self.of_leaf: list[int | None] = []
        self.terms: list[Term] = []
        self.operands: list[tuple[int, ...]] = []
        self.exact: list[Compute | None] = []

    def place(self, term: Term) -> int:
        """The place of a real, or of what one is made of."""
        if term in self._places:
            return self._places[term]
        if self._is_leaf(term):
            self.of_leaf.append(self.leaves.setdefault(term, len(self.leaves)))
            self._add(term, (), None)
        else:
            operands = tuple([self.place(arg) for arg in term.args])
            self.of_leaf.append(None)
            self._add(term, operands, self._compute_of(term))
        return self._places[term]

    def _add(self, term: Term, operands: tuple[int, ...], exact: Compute | None) -> None:
        self.terms.append(term)
        self.operands.append(operands)
        self.exact.append(exact)
        self._places[term] = len(self.terms) - 1

    @staticmethod
    def _is_leaf(term: Term) -> bool:
        if term.sort == REAL:
            if term.op in ends.ENCLOSED:
                return False
            raise _NotOfFloats
        # A floor is an integer that stays between reals.
        return term.op is not Op.FLOOR

    def key(self) -> tuple[object, ...]:
        """A key that tells this expression from any other, whatever its leaves are read from."""
        described: list[object] = []
        for term, operands, leaf in zip(self.terms, self.operands, self.of_leaf, strict=True):
            if leaf is None:
                described.append((term.op, term.payload, operands))
            else:
                described.append((leaf, term.sort))
        return tuple(described)


class Expression(ABC):
    """A rounded expression, or two that are compared, on arrays."""

    def __init__(
        self, term: Term, steps: _Steps, results: Sequence[int], compute_of: Callable[[Term], Compute], dtype: Any
    ) -> None:
        self._steps, self._results, self._dtype = steps, results, dtype
        self._widths = [_width(leaf) for leaf in steps.leaves]
        self._key = (term.op, term.sort, tuple(results), steps.key())
        self._last = compute_of(term)
        """The exact operation that rounds or compares."""

    def compute(self, *leaves: Any, where: Any = None) -> Any:
        """The results on arrays of the leaves. Where `where` is false they may be anything."""
        arrays = np.broadcast_arrays(*[np.asarray(leaf) for leaf in leaves])
        shape = arrays[0].shape
        asked = None
        # Of one element that is asked for at many places, it is computed once.
        if where is not None and np.broadcast_shapes(shape, np.shape(where)) == shape:
            asked = np.broadcast_to(where, shape).reshape(-1)
        return self._on_flat([array.reshape(-1) for array in arrays], asked).reshape(shape)

    def _on_flat(self, flat: Sequence[Any], asked: Any) -> Any:
        return self.by_ends(flat, asked)

    @property
    @abstractmethod
    def _arithmetic(self) -> Arithmetic: ...

    @abstractmethod
    def _decide(self, arithmetic: Arithmetic, *values: Any) -> tuple[Any, Any]:
        """The results by what encloses the values that are rounded or compared, and where they are decided."""

    @abstractmethod
    def _kept(self, results: Any) -> Any:
        """Exact results as they are kept: numbers of `_dtype`."""

    def by_ends(self, flat: Sequence[Any], asked: Any) -> Any:
        """The results on flat arrays: by ends, and where these decide nothing one element after another."""
        made = np.empty(flat[0].shape, self._dtype)
        left: list[Any] = []
        for start in range(0, made.size, BLOCK):
            block = slice(start, start + BLOCK)
            made[block], decided = self._by_arithmetic(self._arithmetic, [array[block] for array in flat])
            if not decided.all():
                left.append(np.flatnonzero(~decided if asked is None else ~decided & asked[block]) + start)
        open_ = np.concatenate(left) if left else np.array([], np.intp)
        if open_.size:
            made[open_] = self._each_once([array[open_] for array in flat])
        return made

    def _by_arithmetic(self, arithmetic: Arithmetic, flat: Sequence[Any]) -> tuple[Any, Any]:
        """The results by an arithmetic alone, and where they are decided."""
        try:
            with np.errstate(all="ignore"):
                return self._decide(arithmetic, *self._enclosed(arithmetic, flat))
        except ImportError:  # The tables of functions are made by FLINT.
            return np.zeros(flat[0].shape, self._dtype), np.zeros(flat[0].shape, bool)

    def _each_once(self, flat: Sequence[Any]) -> Any:
        """The exact results, of equal elements computed once, also by later calls."""
        if max(self._widths) > 64:
            return self.each(flat)
        found, first, back = np.unique(self._keys(flat), return_index=True, return_inverse=True)
        keys, known = found.tolist(), _known(self._key)
        # Another thread may clear them meanwhile.
        results = [known.get(key) for key in keys]
        new = [place for place, result in enumerate(results) if result is None]
        if new:
            places = first[new]
            made = self.each([array[places] for array in flat]).tolist()
            for place, result in zip(new, made, strict=True):
                results[place] = known[keys[place]] = result
        if len(known) > _MOST_RESULTS:
            known.clear()
        return np.array(results, self._dtype)[back]

    def _keys(self, flat: Sequence[Any]) -> Any:
        """The bits of all leaves side by side: one number for each element, or a record of several."""
        words = [a if a.dtype.kind in "biu" else np.ascontiguousarray(a).view(f"u{a.dtype.itemsize}") for a in flat]
        if sum(self._widths) > 64:
            keys = np.empty(flat[0].shape, [(f"leaf{n}", np.uint64) for n in range(len(words))])
            for n, word in enumerate(words):
                keys[f"leaf{n}"] = word
            return keys
        keys = np.zeros(flat[0].shape, np.uint64)
        for word, width in zip(words, self._widths, strict=True):
            keys = (keys << np.uint64(width % 64)) | word.astype(np.uint64)
        return keys

    def each(self, flat: Sequence[Any]) -> Any:
        """The results on flat arrays: by pairs if they were not tried yet, and else one element after another."""
        if self._arithmetic is PAIRS:
            made, decided = np.zeros(flat[0].shape, self._dtype), np.zeros(flat[0].shape, bool)
        else:
            made, decided = self._by_arithmetic(PAIRS, flat)
        open_ = np.flatnonzero(~decided)
        if open_.size:
            made[open_] = self.exactly([array[open_] for array in flat])
        return made

    def exactly(self, flat: Sequence[Any]) -> Any:
        """The exact results on flat arrays."""
        steps = self._steps
        made: list[Any] = []
        for exact, operands, leaf in zip(steps.exact, steps.operands, steps.of_leaf, strict=True):
            if leaf is not None:
                made.append(flat[leaf])
                continue
            assert exact is not None
            made.append(exact(*[made[n] for n in operands]))
        return np.broadcast_to(self._kept(self._last(*[made[n] for n in self._results])), flat[0].shape)

    def _enclosed(self, arithmetic: Arithmetic, flat: Sequence[Any]) -> list[Any]:
        steps, enclosed = self._steps, arithmetic.enclosed
        made: list[Any] = []
        for term, operands, leaf in zip(steps.terms, steps.operands, steps.of_leaf, strict=True):
            if leaf is not None:
                made.append(flat[leaf])
            else:
                made.append(enclosed[term.op](term, *[made[n] for n in operands]))
        return [made[n] for n in self._results]


class Comparison(Expression):
    """Two expressions that are compared."""

    def __init__(
        self, term: Term, steps: _Steps, results: Sequence[int], compute_of: Callable[[Term], Compute]
    ) -> None:
        super().__init__(term, steps, results, compute_of, np.bool_)
        self._op, self._compared = term.op, _COMPARED[term.op]

    @property
    def _arithmetic(self) -> Arithmetic:
        return PAIRS if max(self._widths) > 32 else DOUBLES

    def _decide(self, arithmetic: Arithmetic, *values: Any) -> tuple[Any, Any]:
        true, false = self._compared(*arithmetic.compared(*values))
        return true, true | false

    def _kept(self, results: Any) -> Any:
        return np.asarray(results, np.bool_)


class Rounding(Expression):
    """An expression that is rounded once."""

    def __init__(
        self, term: Term, steps: _Steps, results: Sequence[int], compute_of: Callable[[Term], Compute]
    ) -> None:
        assert isinstance(term.sort, FloatSort)
        self._sort = term.sort
        super().__init__(term, steps, results, compute_of, bits_type(term.sort))

    def _on_flat(self, flat: Sequence[Any], asked: Any) -> Any:
        width = sum(self._widths)
        made = self._by_table(flat, width, asked) if width <= TABLE else self.by_ends(flat, asked)
        return made.view(DTYPES[self._sort])

    @property
    def _arithmetic(self) -> Arithmetic:
        return PAIRS if self._sort.width > 32 else DOUBLES

    def _decide(self, arithmetic: Arithmetic, *values: Any) -> tuple[Any, Any]:
        (value,) = values
        return arithmetic.rounded(value, self._sort)

    def _kept(self, results: Any) -> Any:
        return np.asarray(results).view(self._dtype)

    def _by_table(self, flat: Sequence[Any], width: int, asked: Any) -> Any:
        table, known = _table(self._key, width, self._dtype)
        keys = self._keys(flat)
        missing = np.flatnonzero(~known[keys] if asked is None else ~known[keys] & asked)
        new, first = np.unique(keys[missing], return_index=True)
        if new.size:
            places = missing[first]
            table[new] = self.by_ends([array[places] for array in flat], None)
            # Known only now: an element without a result raises, and has none the next time either.
            known[new] = True
        return table[keys]


def _at_most(a: Ends, b: Ends) -> tuple[Any, Any]:
    """The elements at which the ends of both decide that `a <= b` is true, and those at which it is false."""
    return a[1] <= b[0], a[0] > b[1]


def _equal(a: Ends, b: Ends) -> tuple[Any, Any]:
    """The elements at which the ends of both decide that `a = b` is true, and those at which it is false."""
    return (a[0] == b[1]) & (a[1] == b[0]), (a[1] < b[0]) | (b[1] < a[0])


_COMPARED: Mapping[Op, Callable[[Ends, Ends], tuple[Any, Any]]] = {
    Op.AT_MOST: _at_most,
    Op.EQUAL: _equal,
}
"""The elements at which the ends of the operands decide that a comparison is true, and those at which it is false."""

_tables: OrderedDict[object, tuple[Any, Any]] = OrderedDict()
_MOST_TABLES = 64
"""The number of expressions whose tables are kept, of up to 1.3 MB each: an editor meets one after the other."""


def _table(key: object, width: int, bits: Any) -> tuple[Any, Any]:
    """The results of an expression by the bits of its leaves, and which of them are known. What was asked last is
    kept."""
    found = _tables.pop(key, None) or (np.zeros(1 << width, bits), np.zeros(1 << width, bool))
    _kept_last(_tables, key, found, _MOST_TABLES)
    return found


def _kept_last(kept: OrderedDict[object, Any], key: object, value: Any, most: int) -> None:
    """Keep an entry as the one that was used last, and give up what was used longest ago."""
    # Another thread may do the same at any moment.
    kept[key] = value
    while len(kept) > most:
        kept.popitem(last=False)


_results: OrderedDict[object, dict[object, int]] = OrderedDict()
_MOST_EXPRESSIONS = 8
_MOST_RESULTS = 1 << 16
"""The number of results that are kept of each of these expressions: some 10 MB."""


def _known(key: object) -> dict[object, int]:
    """The results of an expression by the bits of its leaves, as far as they were computed."""
    found = _results.pop(key, None) or {}
    _kept_last(_results, key, found, _MOST_EXPRESSIONS)
    return found


def decision_of(term: Term) -> Callable[..., tuple[Any, Any]] | None:
    """The function that decides a comparison or a rounding of reals by an arithmetic and the enclosures of its
    operands: gives the results, and where they are decided. None of any other term."""
    if term.op is Op.ROUNDED and isinstance(term.sort, FloatSort):
        sort = term.sort
        # Rounding may use up an array that others need.
        return lambda way, value: way.rounded(way.of_parts(way.parts(value)), sort)
    if term.op not in _COMPARED or term.args[0].sort != REAL:
        return None
    compared = _COMPARED[term.op]

    def decide(way: Arithmetic, *values: Any) -> tuple[Any, Any]:
        true, false = compared(*way.compared(*values))
        return true, true | false

    return decide


def _width(leaf: Term) -> int:
    if leaf.sort == BOOL:
        return 1
    if isinstance(leaf.sort, FloatSort):
        return leaf.sort.width
    return 65  # An integer may have any size: such elements are not told apart by bits.
