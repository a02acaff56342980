"""Between which numbers an integer term lies, whatever its symbols are: the first thing that is tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sonnx_verify.logic.sorts import INT, IntegerSort
from sonnx_verify.logic.terms import Symbol, Term, and_, integer, is_literal, le, linear, sub, subterms

Interval = tuple[int | None, int | None]
"""The least and the greatest value; None where there is no bound."""
Bounds = Mapping[str, Interval]
"""What is known of symbols by their names; of one that is not among them, nothing."""


def interval(term: Term, bounds: Bounds) -> Interval:
    """Bounds of an integer term."""
    match term.op:
        case "literal":
            assert isinstance(term.payload, int)
            return term.payload, term.payload
        case "apply" if not term.args and isinstance(term.payload, Symbol):
            return bounds.get(term.payload.name, (None, None))
        case "ite":
            (a, b), (c, d) = interval(term.args[1], bounds), interval(term.args[2], bounds)
            return _both(min, a, c), _both(max, b, d)
        case "+" | "*" if term.op == "+" or is_literal(term.args[0]):
            atoms, constant = linear(term)
            low: int | None = int(constant)
            high: int | None = int(constant)
            for atom, coefficient in atoms.items():
                a, b = interval(atom, bounds)
                if coefficient < 0:
                    a, b = b, a
                low = None if low is None or a is None else low + int(coefficient) * a
                high = None if high is None or b is None else high + int(coefficient) * b
            return low, high
        case "*":
            return _product([interval(a, bounds) for a in term.args])
        case "to_int":
            sort = term.args[0].sort
            assert isinstance(sort, IntegerSort)
            return sort.lowest, sort.greatest
        case "mod" if is_literal(term.args[1]) and term.args[1].payload != 0:
            assert isinstance(term.args[1].payload, int)
            return 0, abs(term.args[1].payload) - 1
        case "div" if is_literal(term.args[1]) and isinstance(term.args[1].payload, int) and term.args[1].payload > 0:
            a, b = interval(term.args[0], bounds)
            by = term.args[1].payload
            return None if a is None else a // by, None if b is None else b // by
        case _:
            return None, None


def _both(choose: Callable[[int, int], int], a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else choose(a, b)


def _product(factors: list[Interval]) -> Interval:
    low, high = 1, 1
    known = True
    for a, b in factors:
        if a is None or a < 0:
            return None, None
        low *= a
        known = known and b is not None
        high *= b or 0
    return low, high if known else None


def holds(condition: Term, bounds: Bounds) -> bool | None:
    """Whether a comparison holds by its bounds alone; None where they do not say."""
    if condition.op == "not":
        inner = holds(condition.args[0], bounds)
        return None if inner is None else not inner
    if condition.op not in ("=", "<=") or condition.args[0].sort != INT:
        return None
    low, high = interval(sub(condition.args[1], condition.args[0]), bounds)
    if condition.op == "<=":
        return True if low is not None and low >= 0 else False if high is not None and high < 0 else None
    apart = (low is not None and low > 0) or (high is not None and high < 0)
    return False if apart else None


def said_by(terms: tuple[Term, ...], bounds: Bounds) -> list[Term]:
    """The bounds of the symbols that occur, as conditions."""
    found: list[Term] = []
    for node in subterms(*terms):
        if node.op == "apply" and not node.args and node.sort == INT:
            low, high = interval(node, bounds)
            found.append(
                and_(
                    *(() if low is None else (le(integer(low), node),)),
                    *(() if high is None else (le(node, integer(high)),)),
                )
            )
    return found
