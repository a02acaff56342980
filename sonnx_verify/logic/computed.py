"""The values of folds, recursions and quantifiers over numbers that are written out, by the builders of terms.

Trusted: what is computed here is asserted of the constant of a fold (`logic/fold_rules.py`). In goes a closed fold or
recursion, out comes a term that has its value wherever it has one. The sum of {k, k in 0 .. 4} is 10, that of {a * k, k
in 0 .. 3} is 6 * a. The evaluator plays no part, so that a counterexample is still replayed by something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.binders import replace_nodes, substitute
from sonnx_verify.logic.builders import ite
from sonnx_verify.logic.elements import element
from sonnx_verify.logic.folds import ADDED, CHOSEN, Fold
from sonnx_verify.logic.nodes import (
    FALSE,
    TRUE,
    FoldName,
    Symbol,
    Term,
    integer,
    integer_of,
    literal,
    remembered_of,
    subterms,
)
from sonnx_verify.logic.polynomials import add, times
from sonnx_verify.logic.sorts import ELEMENT, REAL, IntegerSort, Sort

FEW = 8
"""The number of members up to which a term is written out that has unknowns in it."""
MANY = 256
"""The number of members up to which what has no unknowns is computed."""
_MOST_STEPS = 2_000
"""The number of members of all folds in one term: folds inside folds multiply."""
_COMPUTED = (ops.FOLD, ops.RECURSION, ops.FORALL)
_MACHINE = {FoldName.SUM: ops.ADD, FoldName.PRODUCT: ops.MUL}


class _TooLong(Exception):
    """There is more to compute than is worth while. Nothing is known of the term then."""


@dataclass(slots=True)
class _Steps:
    """The members that may still be looked at."""

    left: int = _MOST_STEPS

    def take(self) -> None:
        """One member more. Raises _TooLong."""
        self.left -= 1
        if self.left < 0:
            raise _TooLong


@remembered_of(4096)
def value_of(term: Term) -> Term | None:
    """The value of a closed fold that adds up, or of a recursion; None where it is not over a few numbers."""
    try:
        return _value_of(term, _Steps())
    except _TooLong:
        return None


@remembered_of(4096)
def members_of(term: Term) -> tuple[Term, ...] | None:
    """The values of the members of a closed fold that chooses one, each once; None where some condition or value has
    an unknown in it."""
    try:
        return _members_of(term, _Steps())
    except _TooLong:
        return None


@remembered_of(4096)
def truth_of(term: Term) -> Term | None:
    """TRUE or FALSE, of a closed quantifier over numbers that leaves nothing unknown; None of any other."""
    try:
        return _truth_of(term, _Steps())
    except _TooLong:
        return None


def _value_of(term: Term, steps: _Steps) -> Term | None:
    if term.op is ops.FORALL:
        return _truth_of(term, steps)
    if term.op is ops.RECURSION:
        return _recursion(term, steps)
    if term.op is ops.FOLD:
        fold = Fold.of(term)
        if fold.kind.name in ADDED and term.sort != ELEMENT:
            return _added(fold, steps)
        if fold.kind.name in CHOSEN:
            members = _members_of(term, steps)
            # Of one value it is chosen, whatever the order. Of several the order decides, which is left to solvers.
            if members is not None and len(members) == 1:
                return members[0]
    return None


def _added(fold: Fold, steps: _Steps) -> Term | None:
    """The sum over a range of numbers: by its definition, from the least member on."""
    numbers = _numbers(fold)
    if numbers is None:
        return None
    made = nothing = unit(fold.kind.name, fold.term.sort)
    for number in numbers:
        chosen, value = _member(fold, number, steps)
        # One that is not chosen adds nothing: count { k | k in 0 .. 9 where k > 3 } is 6.
        made = joined(fold.kind.name, made, ite(chosen, value, nothing))
        if made.op is not ops.LITERAL and len(numbers) > FEW:
            return None
    return made


def _members_of(term: Term, steps: _Steps) -> tuple[Term, ...] | None:
    """The values that are chosen from, each once."""
    fold = Fold.of(term)
    numbers = _numbers(fold)
    if numbers is None:
        return None
    made: dict[Term, None] = {}
    for number in numbers:
        chosen, value = _member(fold, number, steps)
        if chosen is TRUE and value.op is ops.LITERAL:
            made[value] = None
        elif chosen is not FALSE:
            return None
    return tuple(made)


def _member(fold: Fold, number: int, steps: _Steps) -> tuple[Term, Term]:
    """The condition of a number, and its value."""
    steps.take()
    name = integer(number)
    return _reduced(fold.chosen(name), steps), _reduced(fold.value_at(name), steps)


def _truth_of(term: Term, steps: _Steps) -> Term | None:
    """Return whether the body is true of each number of the range; one false instance decides."""
    variable, low, high, body = term.args
    numbers = _between(low, high)
    if numbers is None:
        return None
    for number in numbers:
        steps.take()
        holds = _reduced(substitute(body, {variable: integer(number)}), steps)
        if holds is FALSE:
            return FALSE
        if holds is not TRUE:
            return None
    return TRUE


def _recursion(term: Term, steps: _Steps) -> Term | None:
    """The last of the values from the start on, each by the one below."""
    variable, below, start, number, body = term.args
    if number.op is not ops.LITERAL:
        return None
    first, last = integer_of(start), integer_of(number)
    # Below its start a recursion has no value.
    if not first <= last < first + MANY:
        return None
    nothing = Symbol("nothing below", (), below.sort)()
    made = nothing
    for place in range(first, last + 1):
        steps.take()
        made = _reduced(substitute(body, {variable: integer(place), below: made}), steps)
        if made.op is not ops.LITERAL and last - first >= FEW:
            return None
    # At its start the body has no use for a value below. Where it mentions one all the same, nothing is said.
    if any(node is nothing for node in subterms(made)):
        return None
    return made


def _reduced(term: Term, steps: _Steps) -> Term:
    """The term with the folds, recursions and quantifiers in it computed that come out as literals."""
    values: dict[Term, Term] = {}
    for node in subterms(term):
        if node.op in _COMPUTED and not node.free:
            value = _value_of(node, steps)
            if value is not None and value.op is ops.LITERAL:
                values[node] = value
    if not values:
        return term
    (made,) = replace_nodes([term], values)
    return made


def _numbers(fold: Fold) -> range | None:
    """The numbers of a range that is written out, where they are not too many."""
    if fold.low is None or fold.high is None:
        return None
    return _between(fold.low, fold.high)


def _between(low: Term, high: Term) -> range | None:
    """The numbers from one to another, where both are written out and there are not too many."""
    if not low.op is high.op is ops.LITERAL:
        return None
    first, last = integer_of(low), integer_of(high)
    if last - first >= MANY:
        return None
    return range(first, last + 1)


def unit(name: FoldName, sort: Sort) -> Term:
    """The value of a fold over nothing: 1 for a product, 0 for a sum or a count."""
    number = int(name == FoldName.PRODUCT)
    if sort == REAL:
        return literal(Fraction(number), REAL)
    return literal(number, sort)


def joined(name: FoldName, a: Term, b: Term) -> Term:
    """The value with one member more; a member of a count counts one."""
    if isinstance(a.sort, IntegerSort):
        return element(_MACHINE[name], a, b)
    if name == FoldName.PRODUCT:
        return times(a, b)
    return add(a, b)
