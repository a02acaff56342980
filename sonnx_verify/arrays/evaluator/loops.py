"""The parts of a program that are no terms: loops, folds over them, and reads of arrays.

Each has a symbol that stands for it in specialised terms, so that these stay terms of the logic: they are simplified by
its constructors, and compared by identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import NamedTuple

from sonnx_verify.arrays.partial.binders import Kind
from sonnx_verify.arrays.partial.intervals import Interval, interval
from sonnx_verify.logic.binders import replace_nodes
from sonnx_verify.logic.sorts import INT, Sort
from sonnx_verify.logic.terms import TRUE, Symbol, Term, is_literal


class Argument(NamedTuple):
    """An array that a program reads: an input, or a member of a family of inputs, counted from 0."""

    name: str
    member: int | None = None

    def __str__(self) -> str:
        if self.member is None:
            return self.name
        return f"{self.name}#{self.member}"


class NeedsElements(Exception):
    """The elements of an input are needed while the program is made, as those of `axes` for the shape of a result."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class NoProgram(Exception):
    """There is no program for a term; the message says why."""


@dataclass(frozen=True, slots=True)
class Loop:
    """An integer that runs from 0 to below the size: `variable` stands for it in terms. Those of an output are at level
    0, those of a fold one level above the ones that are around it."""

    variable: Term
    size: int
    level: int


@dataclass(frozen=True, slots=True)
class FoldNode:
    """A fold over loops, of the value where the condition holds; or over items, each a condition and a value. Of a
    power the value is the exponent, and the one item is the factor.

    `order` is that of a greatest, of the terms `x` and `y`.
    """

    kind: Kind
    sort: Sort
    loops: tuple[Loop, ...]
    condition: Term
    value: Term
    x: Term = TRUE
    y: Term = TRUE
    order: Term = TRUE
    otherwise: Term | None = None
    items: tuple[tuple[Term, Term], ...] = ()

    @property
    def has_certain_items(self) -> bool:
        """Every item counts, whatever the elements are: there is nothing to ask before two of them are compared."""
        return all(condition is TRUE for condition, _ in self.items)

    @property
    def parts(self) -> list[Term]:
        """The terms that it is computed from, but for its value of nothing."""
        made = [self.condition, self.value]
        for item in self.items:
            made += item
        return made

    @property
    def all_parts(self) -> list[Term]:
        """The terms that it is computed from."""
        if self.otherwise is None:
            return self.parts
        return [*self.parts, self.otherwise]

    def replaced(self, values: Mapping[Term, Term]) -> FoldNode:
        """The fold with nodes in what it is computed from replaced by others."""
        condition, value, order, *rest = replace_nodes(
            [self.condition, self.value, self.order, *(() if self.otherwise is None else (self.otherwise,))], values
        )
        items = tuple((counts, item) for counts, item in (replace_nodes(pair, values) for pair in self.items))
        # Every place of the loops is a member now, so that nothing is left to be said of none.
        otherwise = rest[0] if rest and not (condition is TRUE and self.loops) else None
        return replace(self, condition=condition, value=value, order=order, otherwise=otherwise, items=items)


@dataclass(slots=True)
class Nodes:
    """The meaning of the symbols in specialised terms: loops, folds, reads of inputs. Equal ones have one symbol, so
    that a fold that stands in a term twice is computed once."""

    bounds: dict[str, Interval] = field(default_factory=dict)
    loops: dict[Term, Loop] = field(default_factory=dict)
    folds: dict[Term, FoldNode] = field(default_factory=dict)
    reads: dict[Symbol, Argument] = field(default_factory=dict)
    named: dict[Term, Term] = field(default_factory=dict)
    _names: dict[tuple[Term, Interval], Term] = field(default_factory=dict)
    _loops_of: dict[Term, frozenset[Term] | None] = field(default_factory=dict)
    _levels: dict[Term, int] = field(default_factory=dict)
    _known: dict[FoldNode, Term] = field(default_factory=dict)

    def loop(self, level: int, axis: int, size: int) -> Loop:
        """The loop over an axis, from the left, of that size."""
        # The size belongs to the name: two folds side by side share a loop only if they run equally far, and bounds are
        # found by name.
        name = f"loop {level}.{axis} below {size}"
        variable = Symbol(name, (), INT)()
        if variable not in self.loops:
            self.loops[variable] = Loop(variable, size, level)
            self.bounds[name] = (0, size - 1)
        return self.loops[variable]

    def fold(self, node: FoldNode) -> Term:
        """The term that stands for a fold."""
        term = self._known.get(node)
        if term is None:
            name = f"fold {len(self.folds)}"
            term = self._known[node] = Symbol(name, (), node.sort)()
            self.folds[term] = node
            # So that arithmetic on a count or a sum is known to fit into 64 bits.
            if node.sort == INT:
                self.bounds[name] = self._bounds_of(node)
        return term

    def _bounds_of(self, node: FoldNode) -> Interval:
        """Between which numbers a fold of integers lies."""
        count = prod(loop.size for loop in node.loops)
        if node.kind is Kind.COUNT:
            return 0, count
        # It grows with the number of members that count, and changes its sign: Python's integers are used.
        if node.kind is Kind.PRODUCT:
            return None, None
        values = [v for _, v in node.items] or [node.value]
        if node.otherwise is not None:
            values.append(node.otherwise)
        lows, highs = zip(*(interval(v, self.bounds) for v in values), strict=True)
        least, most = _every(min, lows), _every(max, highs)
        if node.kind is not Kind.SUM:
            return least, most
        # Any number of members may count: a sum of 3 numbers in 2 .. 5 lies in 0 .. 15.
        if least is not None:
            least = min(0, least * count)
        if most is not None:
            most = max(0, most * count)
        return least, most

    def pair(self, sort: Sort) -> tuple[Term, Term]:
        """Return two elements for an order to compare. Every order has the same two, so that an order that is known can
        be recognised: it is the same term."""
        return Symbol("first", (), sort)(), Symbol("second", (), sort)()

    def name(self, term: Term, bounds: Interval) -> Term:
        """The symbol that stands for an integer of which more is known than its term says."""
        known = self._names.get((term, bounds))
        if known is None:
            name = f"integer {len(self._names)}"
            known = self._names[term, bounds] = Symbol(name, (), INT)()
            self.named[known] = term
            self.bounds[name] = bounds
        return known

    def replaced(self, term: Term, values: Mapping[Term, Term]) -> Term:
        """A term with nodes replaced by others, also in what its folds and its named integers are computed from."""
        values = dict(values)
        for symbol in self._symbols_first(term, values, set()):
            if symbol in self.folds:
                values[symbol] = self.fold(self.folds[symbol].replaced(values))
            else:
                assert isinstance(symbol.payload, Symbol)
                (made,) = replace_nodes([self.named[symbol]], values)
                values[symbol] = self.name(made, self.bounds[symbol.payload.name])
        (made,) = replace_nodes([term], values)
        return made

    def _symbols_first(self, term: Term, values: Mapping[Term, Term], seen: set[Term]) -> Iterator[Term]:
        """The symbols of folds and of named integers in a term, those inside others before them; of what is replaced as
        a whole nothing."""
        stack = [term]
        while stack:
            part = stack.pop()
            if part in seen or part in values:
                continue
            seen.add(part)
            if part not in self.folds and part not in self.named:
                stack += part.args
                continue
            for inner in self.inside(part):
                yield from self._symbols_first(inner, values, seen)
            yield part

    def argument(self, read: Term) -> Argument:
        """The array of which a term is an element."""
        assert isinstance(read.payload, Symbol)
        return self.reads[read.payload]

    def inside(self, term: Term) -> Sequence[Term]:
        """The terms that a term is computed from."""
        if term in self.named:
            return (self.named[term],)
        node = self.folds.get(term)
        return term.args if node is None else node.all_parts

    def loops_of(self, term: Term) -> frozenset[Term] | None:
        """The loops that a term depends on. None if it depends on more: elements of an input, or a symbol of no meaning
        here."""
        if term not in self._loops_of:
            self._loops_of[term] = self._found_loops_of(term)
        return self._loops_of[term]

    def level(self, term: Term) -> int:
        """The greatest level of the loops that folds in a term run over; 0 of none."""
        if term not in self._levels:
            node = self.folds.get(term)
            own = [] if node is None else [loop.level for loop in node.loops]
            self._levels[term] = max([0, *own, *map(self.level, self.inside(term))])
        return self._levels[term]

    def _found_loops_of(self, term: Term) -> frozenset[Term] | None:
        if term in self.loops:
            return frozenset((term,))
        node = self.folds.get(term)
        is_known = node is not None or term in self.named or is_literal(term)
        if not is_known and (term.payload in self.reads or not term.args):
            return None
        found: set[Term] = set()
        for part in self.inside(term):
            of_part = self.loops_of(part)
            if of_part is None:
                return None
            found |= of_part
        if node is not None:
            found -= {loop.variable for loop in node.loops}
        return frozenset(found)

    def read(self, argument: Argument, sort: Sort, coordinates: Sequence[Term]) -> Term:
        """Return the term that stands for the element of an array at coordinates from the left."""
        symbol = Symbol(f"read {argument}", (INT,) * len(coordinates), sort)
        self.reads[symbol] = argument
        return symbol(*coordinates)


def _every(choose: Callable[[Iterable[int]], int], ends: Sequence[int | None]) -> int | None:
    """The least or greatest of some ends, where all of them are known."""
    known = [end for end in ends if end is not None]
    if len(known) < len(ends):
        return None
    return choose(known)
