"""Bounds of integer terms, whatever their symbols are: the first thing that is tried, before any solver.

Bounds are right and need not be tight: `N mod 4 - N mod 2` is 0 or 2, and its bounds are -1 and 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import floordiv, mul

from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import INT, IntegerSort
from sonnx_verify.logic.terms import Symbol, Term, and_, integer, is_literal, le, linear, sub, subterms

Interval = tuple[int | None, int | None]
"""The least and the greatest value; None where there is no bound."""
Bounds = Mapping[str, Interval]
"""The bounds of symbols by their names; one that is not among them has none."""


def interval(term: Term, bounds: Bounds) -> Interval:
    """Bounds of an integer term."""
    match term.op:
        case Op.LITERAL:
            assert isinstance(term.payload, int)
            return term.payload, term.payload
        case Op.APPLY if not term.args and isinstance(term.payload, Symbol):
            return bounds.get(term.payload.name, (None, None))
        case Op.ITE:
            # The condition is not asked: either branch may be the one.
            (a, b), (c, d) = interval(term.args[1], bounds), interval(term.args[2], bounds)
            return _both(min, a, c), _both(max, b, d)
        case Op.PLUS | Op.TIMES if term.op == Op.PLUS or is_literal(term.args[0]):
            return _sum(term, bounds)
        case Op.TIMES:
            return _product([interval(a, bounds) for a in term.args])
        case Op.TO_INT:
            sort = term.args[0].sort
            assert isinstance(sort, IntegerSort)
            return sort.lowest, sort.greatest
        case Op.MOD if is_literal(term.args[1]) and term.args[1].payload != 0:
            # As in SMT-LIB a remainder is not negative, whatever the signs are.
            assert isinstance(term.args[1].payload, int)
            return 0, abs(term.args[1].payload) - 1
        case Op.DIV:
            by = positive(term.args[1])
            a, b = interval(term.args[0], bounds)
            # Division by a positive number is monotonic.
            return _both(floordiv, a, by), _both(floordiv, b, by)
        case _:
            return None, None


def positive(term: Term) -> int | None:
    """The number that a term is, if it is a literal above 0."""
    if isinstance(term.payload, int) and is_literal(term) and term.payload > 0:
        return term.payload
    return None


def _sum(term: Term, bounds: Bounds) -> Interval:
    """The bounds of a sum, by its atoms: 2 * N - N is N here, and not two numbers that know nothing of each other."""
    atoms, constant = linear(term)
    low: int | None = int(constant)
    high: int | None = int(constant)
    for atom, coefficient in atoms.items():
        a, b = interval(atom, bounds)
        # -2 * N is least where N is greatest.
        if coefficient < 0:
            a, b = b, a
        low = _both(_sum_with(int(coefficient)), low, a)
        high = _both(_sum_with(int(coefficient)), high, b)
    return low, high


def _both(choose: Callable[[int, int], int], a: int | None, b: int | None) -> int | None:
    if a is None or b is None:
        return None
    return choose(a, b)


def _sum_with(coefficient: int) -> Callable[[int, int], int]:
    return lambda total, end: total + coefficient * end


def _product(factors: list[Interval]) -> Interval:
    """The bounds of a product of factors that are not negative, as sizes are; of others the signs would matter."""
    low = 1
    high: int | None = 1
    for a, b in factors:
        if a is None or a < 0:
            return None, None
        low *= a
        high = _both(mul, high, b)
    return low, high


def holds(condition: Term, bounds: Bounds) -> bool | None:
    """The truth value of a comparison, if its bounds alone decide it: N + 1 <= 0 is false of a size N."""
    if condition.op == Op.NOT:
        inner = holds(condition.args[0], bounds)
        if inner is None:
            return None
        return not inner
    if condition.op not in (Op.EQUAL, Op.AT_MOST) or condition.args[0].sort != INT:
        return None
    # Of the difference, not of each side: N <= N + 1 holds whatever N is.
    low, high = interval(sub(condition.args[1], condition.args[0]), bounds)
    if high is not None and high < 0:
        return False
    if low is None:
        return None
    if condition.op == Op.AT_MOST:
        return True if low >= 0 else None
    # Two numbers can only be equal if their difference may be 0.
    return False if low > 0 else None


def is_symbol(term: Term) -> bool:
    """The term is a symbol without arguments: a size, a number, an element of its own."""
    return term.op == Op.APPLY and not term.args


def said_by(terms: tuple[Term, ...], bounds: Bounds) -> list[Term]:
    """The bounds of the symbols that occur, as conditions."""
    found: list[Term] = []
    for node in subterms(*terms):
        if is_symbol(node) and node.sort == INT:
            low, high = interval(node, bounds)
            # Without an end this is TRUE, which says nothing.
            ends = []
            if low is not None:
                ends.append(le(integer(low), node))
            if high is not None:
                ends.append(le(node, integer(high)))
            found.append(and_(*ends))
    return found
