"""Filters of ranges by comparisons: they leave a range, or a range without one number. Trusted.

    k in 0 .. r - 1 where k < a       0 .. min(r, a) - 1
    k in 0 .. r - 1 where k != a      0 .. r - 1 without a

So how many numbers a filter leaves has a closed form, by induction on the end of the range (theorem `filtered` of
proofs/counting.sonnx), and so has the member with so many before it: it is one, and the closed form counts these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.builders import and_, conjuncts, ite, le
from sonnx_verify.logic.folds import Fold
from sonnx_verify.logic.nodes import ONE, ZERO, Term, integer
from sonnx_verify.logic.polynomials import add, from_linear, linear, sub
from sonnx_verify.logic.sorts import INT


@dataclass(frozen=True, slots=True)
class Members:
    """The numbers from `low` to `high`, without `apart` if that is one of them."""

    low: Term
    high: Term
    apart: Term | None = None

    def count(self) -> Term:
        """The number of members."""
        size = ite(le(self.low, self.high), add(sub(self.high, self.low), ONE), ZERO)
        if self.apart is None:
            return size
        return ite(and_(le(self.low, self.apart), le(self.apart, self.high)), sub(size, ONE), size)

    def at(self, ordinal: Term) -> Term:
        """The member with so many before it, where there is one."""
        place = add(self.low, ordinal)
        if self.apart is None:
            return place
        return ite(and_(le(self.low, self.apart), le(self.apart, place)), add(place, ONE), place)


def members_of(fold: Fold) -> Members | None:
    """The members of a fold over a range; None where its condition is anything but comparisons of the variable, all of
    which hold, and of which one at most leaves out a number."""
    if fold.low is None or fold.high is None:
        return None
    lows, highs, apart = [fold.low], [fold.high], list[Term]()
    for part in conjuncts(fold.condition):
        is_denied = part.op is ops.NOT
        inner = part.args[0] if is_denied else part
        if inner.op not in (ops.EQUAL, ops.AT_MOST) or inner.args[0].sort != INT:
            return None
        # It compares 0 with `slope` k - `slope` bound.
        atoms, constant = linear(sub(inner.args[1], inner.args[0]))
        slope = atoms.get(fold.variable, 0)
        rest = {atom: -slope * factor for atom, factor in atoms.items() if atom is not fold.variable}
        bound = from_linear(rest, -slope * constant, INT)
        if abs(slope) != 1 or fold.variable in bound.free:
            return None
        if inner.op is ops.EQUAL:
            for found in [apart] if is_denied else [lows, highs]:
                found.append(bound)
        elif is_denied:
            (highs if slope > 0 else lows).append(sub(bound, integer(int(slope))))
        else:
            (lows if slope > 0 else highs).append(bound)
    low = reduce(lambda a, b: ite(le(a, b), b, a), lows)
    high = reduce(lambda a, b: ite(le(a, b), a, b), highs)
    return Members(low, high, *apart) if len(apart) < 2 else None
