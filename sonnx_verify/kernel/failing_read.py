"""The index that was read where a read fails, for the words of a counterexample. No verdict depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sonnx_verify.kernel.frames import Frame
from sonnx_verify.kernel.values import Position, Shape
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Interpretation, Undefined
from sonnx_verify.logic.terms import Term, add, and_, at, eq, integer, not_, or_

_RANKS = tuple(range(9))
_SIZES = (*_RANKS, *range(9, 33))
_COORDINATES = (0, *(sign * n for n in range(1, 33) for sign in (1, -1)))
"""The numbers that are tried: more than a small counterexample has."""


@dataclass(frozen=True, slots=True)
class Read:
    """A read of a tensor of `shape` at `position`, which is right where `within` is, in what is `around` it: binders
    and conditions, outermost first. Coordinates count from `base`."""

    position: Position
    shape: Shape
    within: Term
    around: tuple[Frame, ...]
    base: int

    def failing(self, facts: Interpretation) -> str:
        """Return `index [1], shape (1)`, the first read that fails on an input: by its ranks, its sizes, then its
        coordinates from the left. Empty if it is not among those that are tried."""
        try:
            return self._failing(facts)
        except (Undefined, KeyError):
            return ""

    def _failing(self, facts: Interpretation) -> str:
        known: list[Term] = []

        def first(term: Term, values: Sequence[int]) -> int | None:
            for value in values:
                same = eq(term, integer(value))
                if not evaluate(self._unless(and_(*known, same)), facts):
                    known.append(same)
                    return value
            return None

        rank, axes = first(self.position.rank, _RANKS), first(self.shape.rank, _RANKS)
        if rank is None or axes is None:
            return ""
        sizes = [first(self.shape.dim(integer(axes - 1 - k)), _SIZES) for k in range(axes)]
        index = [
            first(add(at(self.position.term, integer(rank - 1 - k)), integer(self.base)), _COORDINATES)
            for k in range(rank)
        ]
        if None in sizes or None in index:
            return ""
        return f"index [{', '.join(map(str, index))}], shape ({', '.join(map(str, sizes))})"

    def _unless(self, condition: Term) -> Term:
        """The formula that each read under the condition is in bounds."""
        formula = or_(self.within, not_(condition))
        for frame in reversed(self.around):
            formula = frame.close(formula)
        return formula
