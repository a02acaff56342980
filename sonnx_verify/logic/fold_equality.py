"""Equality of folds to a solver: they are equal unless a named member tells them apart, or is not in exactly one group.

Trusted. A comparison is told as "equal, or a new constant is a difference": the constant stands for a member that has
to exist where the values differ. It says nothing of folds that are equal, whatever the constant is.
"""

from __future__ import annotations

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.binders import substitute
from sonnx_verify.logic.builders import and_, eq, le, lt, not_, or_
from sonnx_verify.logic.choices import Step
from sonnx_verify.logic.fold_rules import FoldRules, has_fold
from sonnx_verify.logic.folds import CHOSEN, Fold, State, reached, state_at
from sonnx_verify.logic.grounding import Grounder
from sonnx_verify.logic.names import NEVER, Context
from sonnx_verify.logic.nodes import ONE, FoldName, Term, placeholder
from sonnx_verify.logic.polynomials import scale, sub
from sonnx_verify.logic.sorts import ELEMENT, INDEX, INT, REAL


def comparable(one: Term, other: Term) -> bool:
    """Return whether a rule may say when two folds, or two recursions, are equal.

    A sum over numbers of sums over indices is one over indices, if each index is in one group: so sums over the one and
    over the other are comparable. Nothing else is of folds with members of two sorts.
    """
    if one.op == other.op:
        return one.sort == other.sort
    sums = (ops.FOLD, ops.FOLD_INDEX)
    if one.sort != other.sort or one.op not in sums or other.op not in sums:
        return False
    return Fold.of(one).kind.name == Fold.of(other).kind.name == FoldName.SUM


class FoldEquality:
    """Compares the folds that were met: equal ones, sums of which one is nowhere below the other, sums by groups."""

    def __init__(self, grounder: Grounder, rules: FoldRules) -> None:
        self._grounder, self._rules = grounder, rules
        self._tell = grounder.tell
        self._pairs: set[tuple[Term, Term]] = set()

    def compare(self) -> None:
        """Equal folds, and sums of which one is nowhere below the other, of those that were met first."""
        for n, (one, c, some) in enumerate(self._rules.met):
            for other, d, _ in self._rules.met[:n]:
                if (one, other) not in self._pairs and comparable(one, other):
                    self._pairs.add((one, other))
                    if not self._grounder.choice.takes(Step.FOLDS, one, other):
                        continue
                    if one.op is ops.STATE_AT:
                        self._same_state(one, other)
                    elif one.op is ops.RECURSION:
                        self._same_recursion(one, c, other, d)
                    else:
                        first, second = Fold.of(one), Fold.of(other)
                        regrouped = self._regrouped(first, c, second, d) or self._regrouped(second, d, first, c)
                        if not regrouped and one.op == other.op:
                            self._congruent(first, c, some, second, d)

    def _congruent(self, one: Fold, c: Term, some: Term, other: Fold, d: Term) -> None:
        """Two folds of one kind and order are equal unless a named member tells them apart, or both are empty.

        If no name is a member of one alone, and no member has two values, both are folds of the same values over the
        same members. So where they differ there is a name that tells them apart, and one may be named: m is in one and
        not in the other, or in both with another value (twins congruent_by_membership, congruent_in_any_domain). Of two
        empty sets nothing is chosen: without a default the values are arbitrary, so `some` is needed. A position has to
        be reached as well where its copies choose apart.

        Sums of integers and reals also keep an order: where no addend of the one is above that of the other, neither is
        the sum. Machine integers turn over, and have no such rule.
        """
        chosen = one.kind.name in CHOSEN
        if one.order is not other.order or one.kind.name != other.kind.name:
            return
        # A choice of another copy, or one with a default beside one without, may differ where both sets are empty.
        if chosen and one.kind != other.kind:
            return
        # A comparison of folds that have folds inside makes new ones with its witness: they are of the next generation,
        # and are not compared again, or it would go on without end.
        inner = has_fold(one.condition, one.value, other.condition, other.value)
        start = Context(int(inner), instantiated=False)
        witness = self._rules.witness(one, start, other.term)
        in_one, in_other = one.member(witness), other.member(witness)
        apart = not_(eq(in_one, in_other))
        value_one, value_other = one.value_at(witness), other.value_at(witness)
        differ = [apart, and_(in_one, not_(eq(value_one, value_other)))]
        if chosen:
            differ.append(not_(some))
        if one.kind.name == FoldName.POSITION:
            assert one.otherwise is not None
            assert other.otherwise is not None
            differ.append(not_(eq(one.otherwise, other.otherwise)))
            if one.kind.copy != other.kind.copy:
                differ.append(not_(reached(one)))
        self._tell(or_(eq(c, d), *differ), start)
        if one.kind.name == FoldName.SUM and c.sort in (INT, REAL):
            for less, more, below, above in ((c, d, value_one, value_other), (d, c, value_other, value_one)):
                self._tell(or_(le(less, more), apart, and_(in_one, lt(above, below))), start)
            if c.sort == REAL:
                self._opposed(one, c, other, d, start)

    def _opposed(self, one: Fold, c: Term, other: Fold, d: Term, start: Context) -> None:
        """-c <= d unless a named member tells them apart. It is another member than one at which the addends differ:
        of sums with c < d < -c there need not be one that accounts for both."""
        witness = self._rules.witness(one, start, other.term)
        in_one, in_other = one.member(witness), other.member(witness)
        beyond = lt(other.value_at(witness), scale(-1, one.value_at(witness)))
        self._tell(or_(le(scale(-1, c), d), not_(eq(in_one, in_other)), and_(in_one, beyond)), start)

    def _regrouped(self, outer: Fold, c: Term, plain: Fold, d: Term) -> bool:
        """A sum of sums is the sum of all their addends unless a named addend is not in exactly one of them: left out,
        taken in where the plain sum leaves it out, or in two. The sums it is of differ in their conditions alone, and
        so does the plain one. Whether they are such sums is the result.

        sum over g of (sum of f(k), k in group g) = sum of f(k), k in 0 .. n: each k that is chosen is in one group, and
        no other is. Both sides then have each addend once, and addition may be done in any order: so not of abstract
        elements, of whose addition nothing is known.
        """
        sums = outer.kind.name == plain.kind.name == FoldName.SUM and c.sort != ELEMENT
        if not sums or outer.value.op not in (ops.FOLD, ops.FOLD_INDEX):
            return False
        inner = Fold.of(outer.value)
        if inner.kind.name != FoldName.SUM or inner.variable.sort != plain.variable.sort:
            return False
        start = Context(int(has_fold(outer.condition, inner.condition, plain.condition)), instantiated=False)
        addend = self._rules.witness(plain, start, outer.term)
        same = inner.in_domain(addend) is plain.in_domain(addend) and inner.value_at(addend) is plain.value_at(addend)
        if not same:
            return False
        group = placeholder(outer.variable.sort)
        one, other = (self._rules.witness(outer, start, plain.term) for _ in range(2))
        # Three ways in which a named addend can make the sides differ: it is in the plain sum and in no group, in a
        # group and not in the plain sum, or in two groups. If no addend is, each side has each addend once.
        in_group = and_(outer.chosen(group), self._in_group(outer, inner, group, addend))
        in_no_group = outer.every(group, not_(in_group))
        in_one, in_other = (self._in_group(outer, inner, g, addend) for g in (one, other))
        in_two = and_(outer.member(one), in_one, outer.member(other), in_other, not_(eq(one, other)))
        chosen = plain.chosen(addend)
        left_out = and_(chosen, in_no_group)
        taken_in = and_(not_(chosen), outer.member(one), in_one)
        self._tell(or_(eq(c, d), and_(plain.in_domain(addend), or_(left_out, taken_in, in_two))), start)
        return True

    @staticmethod
    def _in_group(outer: Fold, inner: Fold, group: Term, addend: Term) -> Term:
        """The condition that an addend is one of the sum that a member of the outer sum gives."""
        return substitute(inner.chosen(addend), {outer.variable: group})

    def _same_recursion(self, one: Term, c: Term, other: Term, d: Term) -> None:
        """Two recursions are equal unless their steps differ at a named number, on the same value one below.

        By induction: at the start both have no value below, then each step has equal values below. If the results
        differ at the same last number, a step between start and last gives two results for one value: they are named.
        """
        start, last = one.args[2], one.args[3]
        if other.args[2] is not start:
            return
        context = Context(0, instantiated=False)
        place = self._grounder.constant(INT, "n", 0, one, other)
        value = self._grounder.constant(c.sort, "value", NEVER, one, other)
        steps = (substitute(t.args[4], {t.args[0]: place, t.args[1]: value}) for t in (one, other))
        differ = and_(le(start, place), le(place, last), not_(eq(*steps)))
        self._tell(or_(eq(c, d), not_(eq(last, other.args[3])), lt(last, start), differ), context)

    def _same_state(self, one: Term, other: Term) -> None:
        """The states of two recursions are one function unless their steps differ at a named number, member and index,
        with the state of the first one below in both.

        By induction: if the states at `last` differ, let n be the least number from the start on at which they do. One
        below they are one function, or n is the start, where neither step has a use for that. So for some member and
        index the two steps at n give two values for one state below (twin differ_with_other_states).
        """
        first, second = State.of(one.args[0]), State.of(other.args[0])
        if first.template == second.template or first.start is not second.start:
            return
        # The steps read states: they are of the next generation, and are not compared again.
        context = Context(1, instantiated=False)
        place, member, position = (
            self._grounder.constant(sort, stem, 0, one, other) for sort, stem in ((INT, "n"), (INT, "m"), (INDEX, "i"))
        )
        step = first.at(place).value_at(member, position)
        another = second.at(place).value_at(member, position, first.at(sub(place, ONE)).term)
        differ = and_(le(first.start, place), le(place, first.number), not_(eq(step, another)))
        there = state_at(second.at(first.number).term, *one.args[1:])
        self._tell(or_(eq(one, there), lt(first.number, first.start), differ), context)
