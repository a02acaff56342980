"""The parts a statement speaks of: its hypotheses, elements, functions that are never defined, and the rule on trust.

Trusted: one proof on abstract elements stands for every type because of what is found here. A symbol that says another
thing of each type and is missed would make one type's answer that of all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from sonnx_verify.logic.float_sums import SUM_IS_ROUNDED, is_sum_of_floats
from sonnx_verify.logic.nodes import FoldName
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT, Sort
from sonnx_verify.logic.terms import FoldKind, Role, Symbol, Term, subterms
from sonnx_verify.obligations.obligation import Claim, Statement

_OF_THEIR_TYPE = (Role.OPERATION, Role.CONSTANT, Role.ORDER, Role.UNDEFINED)
"""Symbols of abstract elements that stand for something else on each type."""


def on_trust(claims: Iterable[Claim]) -> list[str]:
    """The rules that are not proved, of those that proofs of the claims may rest on."""
    # By the terms, not by whether the solvers used the rule: which of many assertions they used is not said.
    rounded = (node for node in subterms(*_used(claims)) if node.op == Op.ROUNDED)
    if any(is_sum_of_floats(node.args[0], node.sort) for node in rounded):
        return [SUM_IS_ROUNDED]
    return []


def _used(claims: Iterable[Claim]) -> list[Term]:
    """All terms that proofs of claims may use."""
    # `taken` are terms that the author gave as candidates: a sum of floats that stands in one of them alone can still
    # make the rule apply.
    found: list[Term] = []
    for claim in claims:
        found += [*claim.lemmas, *claim.hypotheses, claim.goal, *(taken.body for taken in claim.taken)]
    return found


def hypotheses_of(statement: Statement) -> list[tuple[Term, ...]]:
    """The sets of hypotheses that a statement uses: those that need a number, one for each claim, that of the whole."""
    return [*statement.inhabited, *(c.hypotheses for c in statement.claims), statement.hypotheses]


def counterpart(statement: Statement, other: Statement, hypotheses: tuple[Term, ...]) -> tuple[Term, ...]:
    """The set of hypotheses of the same obligation on other elements that stands where these do. What is plain for a
    type is no claim there: where the claims are not the same ones, it is all hypotheses."""
    if hypotheses in statement.inhabited:
        return other.inhabited[statement.inhabited.index(hypotheses)]
    # Claim by claim, in the same order, or not at all: a witness of other hypotheses would be no witness of these.
    sets, others = hypotheses_of(statement), hypotheses_of(other)
    if hypotheses == statement.hypotheses or len(sets) != len(others):
        return other.hypotheses
    return others[sets.index(hypotheses)]


def is_abstract(statement: Statement) -> bool:
    """Return whether a statement speaks of abstract elements."""
    return _has_elements(_terms(statement))


def _has_elements(terms: Iterable[Term]) -> bool:
    # A constant of their type need not be an element: `T is signed` is a condition, T.roundoff a real.
    return any(node.sort == ELEMENT or _is_constant(node) for node in subterms(*terms))


def _is_constant(node: Term) -> bool:
    return isinstance(node.payload, Symbol) and node.payload.role is Role.CONSTANT


def _terms(statement: Statement) -> list[Term]:
    """The terms that are claimed or wanted."""
    found: list[Term] = []
    for claim in statement.claims:
        found += [*claim.hypotheses, claim.goal]
    for wanted in statement.wanted:
        found += wanted.conditions
    return found


def rests_on_order(statement: Statement, sorts: Collection[Sort]) -> bool:
    """Return whether a statement says something of the order of elements: it compares abstract ones, or takes the
    greatest of elements of some sort.

    Only then does a proof need the order to be total. Where the terms that were asked have no comparison in them, any
    order, and none, gives the same terms: `X[i]` is inside its tensor whatever is the greatest of X.
    """
    conditions = [statement.hypotheses, *statement.inhabited, *(wanted.conditions for wanted in statement.wanted)]
    terms = [*_used(statement.claims), *chain.from_iterable(conditions)]
    return any(_says_order(node, sorts) for node in subterms(*terms))


def _says_order(node: Term, sorts: Collection[Sort]) -> bool:
    """Return whether a node compares abstract elements, takes a greatest of some sort, or stands for an order."""
    # Least is the greatest of the reversed order, so there is one name. A sum, or `the`, takes its members as they are.
    match node.op:
        case Op.AT_MOST | Op.LESS:
            return node.args[0].sort == ELEMENT
        case Op.FOLD | Op.FOLD_INDEX:
            return isinstance(node.payload, FoldKind) and node.payload.name == FoldName.GREATEST and node.sort in sorts
        case _:
            return isinstance(node.payload, Symbol) and node.payload.role is Role.ORDER


def has_free_operations(statement: Statement) -> bool:
    """Return whether a statement about abstract elements speaks of operations on them that are free symbols."""
    # `x + y = y + x` does not follow for a free `+`, and is true of each type: it is asked type by type soon.
    symbols = _symbols(_terms(statement))
    return any(ELEMENT in symbol.arguments and symbol.role in _OF_THEIR_TYPE for symbol in symbols)


def reads(conditions: Iterable[Term]) -> bool:
    """Return whether elements matter: those of a tensor, which may be truth values, lone ones and those of a list."""
    conditions = list(conditions)
    if _has_elements(conditions):
        return True
    # A read of a tensor of truth values has the sort of any condition: its role tells.
    return any(s.role is Role.READ or s.result not in (BOOL, INT, INDEX) for s in _symbols(conditions))


def of_any_type(conditions: Iterable[Term]) -> bool:
    """Return whether conditions about abstract elements say the same of every type: they speak neither of these, nor of
    operations and constants of their type, which are free symbols.

    A condition such as `int(greatest) < n` has no element in it, and says one thing of int8 and another of int16: the
    role of its symbol tells.
    """
    conditions = list(conditions)
    if _has_elements(conditions):
        return False
    return not any(ELEMENT in s.arguments or s.role in _OF_THEIR_TYPE for s in _symbols(conditions))


def mentions_undefined(statement: Statement) -> bool:
    """Return whether a statement rests on a function that a draft uses and never defines: of any meaning it has, and so
    of none."""
    # By its role, not by a name without a definition: an operation on abstract elements has none either.
    return any(symbol.role is Role.UNDEFINED for symbol in _symbols(_terms(statement)))


def _symbols(terms: Iterable[Term]) -> Iterator[Symbol]:
    """The free symbols of some terms, once for each application."""
    for node in subterms(*terms):
        if isinstance(node.payload, Symbol):
            yield node.payload
