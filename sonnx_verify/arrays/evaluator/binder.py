"""A quantifier or a fold that is specialised: what it ranges over, what it takes, what it gives of nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from sonnx_verify.arrays.evaluator.environment import Environment, Specialising
from sonnx_verify.arrays.evaluator.loops import FoldNode
from sonnx_verify.arrays.shapes.intervals import interval
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.folds import Fold
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import BOOL, REAL, Sort
from sonnx_verify.logic.terms import TRUE, Term, add, is_literal, le, literal, not_

MOST = 4096
"""A range whose ends are not known has so many numbers at most, and so many members are written out one by one."""

Guard = Callable[[Term], list[Term]]


@dataclass(frozen=True, slots=True)
class Binder:
    """A quantifier or a fold of a term: its bound variable, what picks its members, what it takes of each; and the
    partial evaluation that it stands in, with the meaning of the variables around it."""

    special: Specialising
    env: Environment
    term: Term
    kind: str
    sort: Sort
    variable: Term
    condition: Term
    value: Term
    fold: Fold | None

    @classmethod
    def of(cls, special: Specialising, term: Term, env: Environment) -> Binder:
        """The binder of a term of `forall`, `forall_index`, `fold` or `fold_index`."""
        if term.op in ("forall", "forall_index"):
            return cls(special, env, term, "all", BOOL, term.args[0], TRUE, term.args[-1], None)
        fold = Fold.of(term)
        return cls(special, env, term, fold.kind.name, term.sort, fold.variable, fold.condition, fold.value, fold)

    @property
    def number(self) -> int:
        """The number of the bound variable."""
        return number_of(self.variable)

    @property
    def is_range(self) -> bool:
        """Whether it is over integers, not over the indices of a shape."""
        return self.term.op in ("fold", "forall")

    @property
    def needs_member(self) -> bool:
        """Whether nothing gives no value by itself."""
        return self.kind in ("greatest", "the")

    def limits(self, env: Environment) -> list[Term]:
        """What has to hold of a member for it to count, as conjuncts; of a quantifier, for it to be of interest."""
        if self.kind != "all":
            return conjuncts(self.special(self.condition, env))
        return conjuncts(not_(self.special(self.value, env)))

    def range(self) -> tuple[int, int, Guard | None]:
        """The numbers that may be in a range, and what says that one is, where that is not known yet."""
        special = self.special
        first, last = (special(end, self.env) for end in self.term.args[1:3])
        if is_literal(first) and is_literal(last):
            assert isinstance(first.payload, int) and isinstance(last.payload, int)
            return first.payload, last.payload, None
        least, most = interval(first, special.nodes.bounds)[0], interval(last, special.nodes.bounds)[1]
        if least is None or most is None or most - least > MOST:
            raise special.unknown(add(first, last))
        return least, most, lambda k: [special.simple(le(first, k)), special.simple(le(k, last))]

    def sizes(self) -> list[int]:
        """The sizes, from the right, of the shape that an index runs over."""
        _, rank, axis, sizes = self.term.args[:4]
        axes = range(self.special.number(rank, self.env))
        return [self.special.number(sizes, {**self.env, number_of(axis): q}) for q in axes]

    def of_nothing(self) -> Term:
        """What it gives where there is no member. Raises Undefined."""
        if not self.needs_member:
            return self.unit
        assert self.fold is not None
        if self.fold.otherwise is None:
            raise Undefined(f"`{self.kind}` of an empty set")
        return self.special(self.fold.otherwise, self.env)

    @property
    def otherwise(self) -> Term | None:
        """What it gives of nothing, where there may be nothing and the text says what."""
        assert self.fold is not None
        return None if self.fold.otherwise is None else self.special(self.fold.otherwise, self.env)

    @property
    def unit(self) -> Term:
        """What a fold that needs no member gives of nothing."""
        if self.sort == BOOL:
            return TRUE
        value = 1 if self.kind == "product" else 0
        return literal(Fraction(value) if self.sort == REAL else value, self.sort)

    def chosen(self, node: FoldNode) -> Term:
        """The fold `greatest` or `the` of a node, with its order on two symbols."""
        fold, special = self.fold, self.special
        assert fold is not None
        x, y = special.nodes.pair(self.sort)
        order = TRUE
        if self.kind == "greatest":
            order = special(fold.order, {**self.env, number_of(fold.x): x, number_of(fold.y): y})
        rest = (x, y, order, node.otherwise, node.items)
        return special.nodes.fold(FoldNode(node.kind, node.sort, node.loops, node.condition, node.value, *rest))


def conjuncts(term: Term) -> list[Term]:
    """The parts of a conjunction, through negations of disjunctions."""
    if term.op == "and":
        return [part for arg in term.args for part in conjuncts(arg)]
    if term.op == "not" and term.args[0].op == "or":
        return [part for arg in term.args[0].args for part in conjuncts(not_(arg))]
    return [term]
