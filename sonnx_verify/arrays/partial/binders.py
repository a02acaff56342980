"""The one form in which partial evaluation sees quantifiers and folds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache

from sonnx_verify.logic.folds import Fold
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, REAL, Sort
from sonnx_verify.logic.terms import TRUE, Term, literal


class Kind(StrEnum):
    """The value that is made of the members of a set."""

    ALL = "all"
    """A quantifier: true if the value is true of every member."""
    COUNT = "count"
    SUM = "sum"
    PRODUCT = "product"
    POSITION = "position"
    THE = "the"
    GREATEST = "greatest"
    TREE = "tree"
    """A sum of floats by rounded additions, in any order. No text says it: the evaluator recognises it, see sums.py."""
    POWER = "power"
    """A product of machine integers whose factors are all one term. No text says it, as above: see specialise.py."""


@dataclass(frozen=True, slots=True)
class Range:
    """The integers from `low` to `high`."""

    low: Term
    high: Term


@dataclass(frozen=True, slots=True)
class Box:
    """The indices of a shape: `sizes` is the size on the axis, from the right, that `axis` stands for."""

    rank: Term
    axis: Term
    sizes: Term


@dataclass(frozen=True, slots=True)
class Binder:
    """A quantifier or a fold: its bound variable and what that ranges over, the condition that picks members, and the
    value that is taken of each. `order` compares `x` and `y`. `otherwise` is what it gives of no member; of a
    position it is the ordinal."""

    term: Term
    kind: Kind
    domain: Range | Box
    variable: Term
    condition: Term
    value: Term
    x: Term = TRUE
    y: Term = TRUE
    order: Term = TRUE
    otherwise: Term | None = None

    @property
    def sort(self) -> Sort:
        """The sort of what it gives."""
        return self.term.sort

    @property
    def number(self) -> int:
        """The number of the bound variable."""
        return number_of(self.variable)

    @property
    def needs_member(self) -> bool:
        """It has no value of its own where there is no member: `otherwise` says one, or there is none."""
        return self.kind in (Kind.THE, Kind.GREATEST, Kind.POSITION)

    @property
    def unit(self) -> Term:
        """The value of no member, of one that needs none. It is the unit of the operation, so that a member whose
        condition does not hold can be counted with this value."""
        if self.sort == BOOL:
            return TRUE
        # 0 + x = x and 1 * x = x; a count is a sum of ones.
        number = int(self.kind is Kind.PRODUCT)
        if self.sort == REAL:
            return literal(Fraction(number), REAL)
        return literal(number, self.sort)


# A binder is met once for each member of those around it. Terms are built once, so they can be keys.
@cache
def binder_of(term: Term) -> Binder:
    """The parts of a term of `forall`, `forall_index`, `fold` or `fold_index`."""
    match term.op:
        case Op.FORALL:
            variable, low, high, body = term.args
            return Binder(term, Kind.ALL, Range(low, high), variable, TRUE, body)
        case Op.FORALL_INDEX:
            variable, rank, axis, sizes, body = term.args
            return Binder(term, Kind.ALL, Box(rank, axis, sizes), variable, TRUE, body)
    # A fold ranges over integers or over indices, and has the parts of that domain alone.
    fold = Fold.of(term)
    domain: Range | Box
    if fold.low is not None and fold.high is not None:
        domain = Range(fold.low, fold.high)
    else:
        assert fold.rank is not None
        assert fold.axis is not None
        assert fold.sizes is not None
        domain = Box(fold.rank, fold.axis, fold.sizes)
    rest = (fold.x, fold.y, fold.order, fold.otherwise)
    return Binder(term, Kind(fold.kind.name), domain, fold.variable, fold.condition, fold.value, *rest)
