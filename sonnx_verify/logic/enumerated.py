"""All values of a few variables of small types, one after the other: a voice without a solver.

Trusted: where the answer is unsat, no values make all formulas true. The reference evaluator says so of each; it
computes with exact fractions and shares no code with a solver. Formulas are looked at as they are, before anything is
made of them for solvers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.nodes import Symbol, Term, subterms
from sonnx_verify.logic.operators import GROUPS, Group, Op
from sonnx_verify.logic.sorts import BOOL, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.status import Status
from sonnx_verify.timeouts import look

MOST_VALUES = 1 << 16
"""The number of values beyond which nothing is enumerated: those of one type of 16 bits."""
MOST_WORK = 1 << 21
"""The number of values times that of terms. Terms that round take some 40 microseconds each: half a minute at most."""
_WIDTH = 16


def enumerated(formulas: Sequence[Term]) -> Status | None:
    """Return unsat if no values of their variables make all formulas true, and sat if some do.

    None where a variable has too many values, where there are binders, and where the evaluator has no value for a
    formula while no other one is false: what solvers make of that is not known here.
    """
    variables = _variables(formulas)
    if variables is None:
        return None
    # One after the other, and none of them listed: all of a type of 32 bits would fill the memory.
    number = prod(_size(symbol.result) for symbol in variables)
    if number > MOST_VALUES or number * sum(1 for _ in subterms(*formulas)) > MOST_WORK:
        return None
    decided = Status.UNSAT
    for n, values in enumerate(product(*(_values(symbol.result) for symbol in variables))):
        if n % 256 == 0:
            look()
        match _all_true(formulas, dict(zip(variables, values, strict=True))):
            case True:
                decided = Status.SAT
                break
            case None:
                return None
    return decided


def _all_true(formulas: Sequence[Term], values: Mapping[Symbol, int | bool]) -> bool | None:
    """Return whether all are; None where that hangs on one that has no value."""
    known = True
    for formula in formulas:
        try:
            # One that is false decides, whatever stands beside it. The interpretation is a new one: what evaluation
            # remembers in it are values under these.
            if evaluate(formula, dict(values)) is not True:
                return False
        except Undefined:
            known = False
    return True if known else None


def _variables(formulas: Sequence[Term]) -> list[Symbol] | None:
    """The free symbols, None where they are not all constants of small types, or where there are binders."""
    found: dict[Symbol, None] = {}
    for node in subterms(*formulas):
        if node.op in GROUPS[Group.BINDER] or node.op is Op.VARIABLE or node.op is Op.AT:
            return None
        if node.op is Op.APPLY:
            symbol = node.payload
            assert isinstance(symbol, Symbol)
            if node.args or not _size(node.sort):
                return None
            found[symbol] = None
    return list(found)


def _size(sort: Sort) -> int:
    """The number of patterns of a small type, 0 for other sorts."""
    if sort == BOOL:
        return 2
    if isinstance(sort, IntegerSort | FloatSort) and sort.width <= _WIDTH:
        return 1 << sort.width
    return 0


def _values(sort: Sort) -> Iterator[int | bool]:
    """Each value of a small type once: there is one NaN."""
    match sort:
        case FloatSort():
            return (bits for bits in range(1 << sort.width) if floats.canonical(sort, bits) == bits)
        case IntegerSort():
            return iter(range(sort.lowest, sort.greatest + 1))
        case _:
            return iter((False, True))
