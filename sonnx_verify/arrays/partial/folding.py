"""Terms built again with what a number, or a choice, in them decides: the normal form that shapes are read in."""

from __future__ import annotations

from collections import Counter

from sonnx_verify.arrays.partial.intervals import Bounds, holds, interval, positive
from sonnx_verify.logic.binders import replace_nodes
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.polynomials import from_linear
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Term,
    boolean,
    div,
    eq,
    integer,
    is_literal,
    ite,
    le,
    linear,
    mod,
    not_,
    sub,
    subterms,
    times,
)

_LARGEST = 4_000
"""A comparison of larger terms is not taken apart."""


def chosen(condition: Term, then: Term, otherwise: Term) -> Term:
    """A choice, of conditions too: its condition is known in its branches, and an equation makes its two sides one."""
    if condition.op == Op.NOT:
        return chosen(condition.args[0], otherwise, then)
    if is_literal(condition) or then is otherwise:
        return ite(condition, then, otherwise)
    then, otherwise = assuming(then, condition, TRUE), assuming(otherwise, condition, FALSE)
    # `if a = b then a else b` is b either way.
    if condition.op == Op.EQUAL and {then, otherwise} == set(condition.args):
        return otherwise
    return ite(condition, then, otherwise)


def assuming(term: Term, condition: Term, value: Term) -> Term:
    """The term where a condition has a truth value: its choices by that condition are made."""
    if condition.op == Op.NOT:
        return assuming(term, condition.args[0], not_(value))
    # Building a term again costs more than looking: most terms do not have the condition.
    if condition not in set(subterms(term)):
        return term
    return replace_nodes([term], {condition: value})[0]


def comparison(op: Op, a: Term, b: Term) -> Term:
    """`=` or `<=`."""
    if op == Op.EQUAL:
        return eq(a, b)
    return le(a, b)


class Comparisons:
    """Makes `=` and `<=` of integers: decided by the bounds of their symbols, or conditions on what their choices are
    made by."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._known: dict[tuple[Op, Term, Term], Term] = {}

    def __call__(self, op: Op, a: Term, b: Term) -> Term:
        """The comparison."""
        # A choice is taken apart again for each comparison with it: those of broadcasting meet the same sizes often.
        key = (op, a, b)
        if key not in self._known:
            self._known[key] = self._compared(op, a, b)
        return self._known[key]

    def _compared(self, op: Op, a: Term, b: Term) -> Term:
        made = comparison(op, a, b)
        if is_literal(made):
            return made
        decided = holds(made, self._bounds)
        if decided is not None:
            return boolean(decided)
        # `(if c then 1 else N) = 1` becomes `c or N = 1`: conditions on sizes are what people read, and what the next
        # comparison is decided by.
        choice = next((node for node in subterms(a, b) if node.op == Op.ITE and node.sort == INT), None)
        if choice is None or a.weight + b.weight > _LARGEST:
            return made
        condition, then, otherwise = choice.args
        first, second = (self(op, *replace_nodes([a, b], {choice: branch})) for branch in (then, otherwise))
        return chosen(condition, first, second)


def quotient(op: Op, a: Term, b: Term, bounds: Bounds) -> Term:
    """`div` or `mod`, simplified where the quotient is known. A quotient is only asked for where b is not 0."""
    is_quotient = op == Op.DIV
    exact = _exact(a, b)
    if exact is not None:
        return exact if is_quotient else ZERO
    whole = _constant_quotient(a, b, bounds)
    if whole is not None:
        return whole if is_quotient else sub(a, times(whole, b))
    return div(a, b) if is_quotient else mod(a, b)


def _constant_quotient(a: Term, b: Term, bounds: Bounds) -> Term | None:
    """The quotient, if all values of a have the same: that of n by 4 is 1 where 4 <= n <= 7."""
    divisor = positive(b)
    low, high = interval(a, bounds)
    if divisor is None or low is None or high is None:
        return None
    # The quotient grows with a.
    if low // divisor != high // divisor:
        return None
    return integer(low // divisor)


def _exact(a: Term, b: Term) -> Term | None:
    """The quotient, where every monomial of a polynomial is a multiple of one monomial: 2 * N * M + 4 * N by 2 * N is
    M + 2."""
    if b is ONE:
        return a
    if b is ZERO:
        return None
    ours, theirs = _monomials(a), _monomials(b)
    if len(theirs) != 1:
        return None
    ((factors, coefficient),) = theirs.items()
    made: list[tuple[Counter[Term], int]] = []
    for monomial, number in ours.items():
        rest = Counter(monomial)
        rest.subtract(factors)
        # 3 * N by 2 * N, or N by N * M: no quotient of polynomials.
        if number % coefficient or any(n < 0 for n in rest.values()):
            return None
        made.append((rest, number // coefficient))
    atoms: dict[Term, int] = {}
    constant = 0
    for rest, number in made:
        parts = list(rest.elements())
        if parts:
            atoms[times(*parts)] = number
        else:
            constant += number
    return from_linear(atoms, constant, INT)


def _monomials(term: Term) -> dict[tuple[Term, ...], int]:
    """The factors of each monomial with its coefficient; a constant has no factors."""
    atoms, constant = linear(term)
    made: dict[tuple[Term, ...], int] = {}
    for atom, coefficient in atoms.items():
        factors = atom.args if atom.op == Op.TIMES else (atom,)
        made[factors] = int(coefficient)
    if constant:
        made[()] = int(constant)
    return made
