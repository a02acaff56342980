"""The parts of a program that are no terms: loops, and folds over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from sonnx_verify.arrays.partial.binders import Kind
from sonnx_verify.arrays.partial.intervals import Interval, interval
from sonnx_verify.logic.sorts import INT, Sort
from sonnx_verify.logic.terms import TRUE, Symbol, Term


class NeedsElements(Exception):
    """The elements of an input are needed while the program is made."""

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
    """A fold over loops, of the value where the condition holds; or over items, each a condition and a value.

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
    def parts(self) -> list[Term]:
        """The terms that it is computed from, but for its value of nothing."""
        made = [self.condition, self.value]
        for item in self.items:
            made += item
        return made


@dataclass(slots=True)
class Nodes:
    """What the symbols of specialised terms stand for: loops, folds, reads of inputs. Equal ones have one symbol."""

    bounds: dict[str, Interval] = field(default_factory=dict)
    loops: dict[Term, Loop] = field(default_factory=dict)
    folds: dict[Term, FoldNode] = field(default_factory=dict)
    reads: dict[Symbol, str] = field(default_factory=dict)
    _known: dict[FoldNode, Term] = field(default_factory=dict)

    def loop(self, level: int, axis: int, size: int) -> Loop:
        """The loop over an axis, from the left, of that size."""
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
            if node.sort == INT:
                self.bounds[name] = self._bounds_of(node)
        return term

    def _bounds_of(self, node: FoldNode) -> Interval:
        """Between which numbers a fold of integers lies."""
        count = prod(loop.size for loop in node.loops)
        if node.kind is Kind.COUNT:
            return 0, count
        values = [v for _, v in node.items] or [node.value]
        if node.otherwise is not None:
            values.append(node.otherwise)
        found = [interval(v, self.bounds) for v in values]
        low, high = (None if None in side else side for side in zip(*found, strict=True))
        least, most = None if low is None else min(low), None if high is None else max(high)
        if node.kind is Kind.SUM:
            return None if least is None else min(0, least * count), None if most is None else max(0, most * count)
        return (None, None) if node.kind is Kind.PRODUCT else (least, most)

    def pair(self, sort: Sort) -> tuple[Term, Term]:
        """What an order compares."""
        return Symbol("first", (), sort)(), Symbol("second", (), sort)()

    def read(self, name: str, sort: Sort, coordinates: Sequence[Term]) -> Term:
        """The term that stands for the element of an input at coordinates from the left."""
        symbol = Symbol(f"read {name}", (INT,) * len(coordinates), sort)
        self.reads[symbol] = name
        return symbol(*coordinates)
