"""When folds are equal to a solver: unless a named member tells them apart."""

from __future__ import annotations

from sonnx_verify.logic.binders import substitute
from sonnx_verify.logic.builders import and_, eq, le, lt, not_, or_
from sonnx_verify.logic.fold_rules import FoldRules
from sonnx_verify.logic.folds import CHOSEN, Fold, reached
from sonnx_verify.logic.grounding import NEVER, Context
from sonnx_verify.logic.nodes import Term, subterms
from sonnx_verify.logic.polynomials import scale
from sonnx_verify.logic.sorts import INT, REAL


class FoldEquality(FoldRules):
    """The layer of equal folds, and of sums of which one is nowhere below the other."""

    def _compare_folds(self) -> None:
        """Equal folds, and sums of which one is nowhere below the other, of those that were met first."""
        for n, (one, c, some) in enumerate(self._folds):
            for other, d, _ in self._folds[:n]:
                if (one, other) not in self._pairs and one.sort == other.sort and one.op == other.op:
                    self._pairs.add((one, other))
                    if one.op == "recursion":
                        self._same_recursion(one, c, other, d)
                    else:
                        self._congruent(Fold.of(one), c, some, Fold.of(other), d)

    def _congruent(self, one: Fold, c: Term, some: Term, other: Fold, d: Term) -> None:
        """Two folds of one kind and order are equal unless a named member tells them apart, or both are empty."""
        chosen = one.kind.name in CHOSEN
        if one.order is not other.order or (one.kind != other.kind if chosen else one.kind.name != other.kind.name):
            return
        # Folds of folds: those of the witness are not compared in their turn, or there is no end of them.
        start = Context(int(_nested(one) or _nested(other)), False)
        witness = self._witness(one, start)
        in_one, in_other = one.member(witness), other.member(witness)
        apart = not_(eq(in_one, in_other))
        value_one, value_other = one.value_at(witness), other.value_at(witness)
        differ = [apart, and_(in_one, not_(eq(value_one, value_other)))]
        if chosen:
            differ.append(not_(some))
        if one.kind.name == "position":
            assert one.otherwise is not None and other.otherwise is not None
            differ.append(not_(eq(one.otherwise, other.otherwise)))
            if one.kind.copy != other.kind.copy:
                differ.append(not_(reached(one)))
        self._assert(or_(eq(c, d), *differ), start)
        if one.kind.name == "sum" and c.sort in (INT, REAL):
            for less, more, below, above in ((c, d, value_one, value_other), (d, c, value_other, value_one)):
                self._assert(or_(le(less, more), apart, and_(in_one, lt(above, below))), start)
            if c.sort == REAL:
                self._opposed(one, c, other, d, start)

    def _opposed(self, one: Fold, c: Term, other: Fold, d: Term, start: Context) -> None:
        """-c <= d unless a named member tells them apart. It is another member than one at which the addends differ:
        of sums with c < d < -c there need not be one that accounts for both."""
        witness = self._witness(one, start)
        in_one, in_other = one.member(witness), other.member(witness)
        beyond = lt(other.value_at(witness), scale(-1, one.value_at(witness)))
        self._assert(or_(le(scale(-1, c), d), not_(eq(in_one, in_other)), and_(in_one, beyond)), start)

    def _same_recursion(self, one: Term, c: Term, other: Term, d: Term) -> None:
        """Two recursions are equal unless their steps differ at a named number, on the same value one below."""
        start, last = one.args[2], one.args[3]
        if other.args[2] is not start:
            return
        context = Context(0, False)
        place, value = self._constant(INT, "n", 0), self._constant(c.sort, "value", NEVER)
        steps = (substitute(t.args[4], {t.args[0]: place, t.args[1]: value}) for t in (one, other))
        differ = and_(le(start, place), le(place, last), not_(eq(*steps)))
        self._assert(or_(eq(c, d), not_(eq(last, other.args[3])), lt(last, start), differ), context)


def _nested(fold: Fold) -> bool:
    """Whether what is folded has a fold in it."""
    return any(n.op in ("fold", "fold_index") for part in (fold.condition, fold.value) for n in subterms(part))
