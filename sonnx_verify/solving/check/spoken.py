"""What a statement speaks of: its hypotheses, elements, what is never defined, and the rule on trust."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

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
    terms = (t for c in claims for t in (*c.lemmas, *c.hypotheses, c.goal, *(taken.body for taken in c.taken)))
    sums = (is_sum_of_floats(n.args[0], n.sort) for n in subterms(*dict.fromkeys(terms)) if n.op == Op.ROUNDED)
    return [SUM_IS_ROUNDED] if any(sums) else []


def hypotheses_of(statement: Statement) -> list[tuple[Term, ...]]:
    """The sets of hypotheses that a statement uses: those that need a number, one for each claim, that of the whole."""
    return [*statement.inhabited, *(c.hypotheses for c in statement.claims), statement.hypotheses]


def counterpart(statement: Statement, other: Statement, hypotheses: tuple[Term, ...]) -> tuple[Term, ...]:
    """The set of hypotheses of the same obligation on other elements that stands where these do. What is plain for a
    type is no claim there: where the claims are not the same ones, it is all hypotheses."""
    if hypotheses in statement.inhabited:
        return other.inhabited[statement.inhabited.index(hypotheses)]
    sets, others = hypotheses_of(statement), hypotheses_of(other)
    if hypotheses == statement.hypotheses or len(sets) != len(others):
        return other.hypotheses
    return others[sets.index(hypotheses)]


def is_abstract(statement: Statement) -> bool:
    """Whether a statement speaks of abstract elements."""
    return any(n.sort == ELEMENT for n in subterms(*_terms(statement)))


def _terms(statement: Statement) -> Iterable[Term]:
    """What is claimed or wanted, each once."""
    claimed = (t for c in statement.claims for t in (*c.hypotheses, c.goal))
    return dict.fromkeys((*claimed, *(t for w in statement.wanted for t in w.conditions)))


def rests_on_order(statement: Statement, sorts: Collection[Sort]) -> bool:
    """Whether a statement says something of the order of elements: it compares abstract ones, or takes the greatest of
    elements of some sort.

    Only then does a proof need the order to be total. Where the terms that were asked have no comparison in them, any
    order, and none, gives the same terms: `X[i]` is inside its tensor whatever is the greatest of X.
    """
    terms = [statement.hypotheses, *statement.inhabited, *(wanted.conditions for wanted in statement.wanted)]
    for claim in statement.claims:
        terms += [claim.hypotheses, (claim.goal,), claim.lemmas, tuple(taken.body for taken in claim.taken)]
    return any(_says_order(node, sorts) for node in subterms(*(term for part in terms for term in part)))


def _says_order(node: Term, sorts: Collection[Sort]) -> bool:
    match node.op:
        case Op.AT_MOST | Op.LESS:
            return node.args[0].sort == ELEMENT
        case Op.FOLD | Op.FOLD_INDEX:
            return isinstance(node.payload, FoldKind) and node.payload.name == FoldName.GREATEST and node.sort in sorts
        case _:
            return isinstance(node.payload, Symbol) and node.payload.role is Role.ORDER


def has_free_operations(statement: Statement) -> bool:
    """Whether a statement about abstract elements speaks of operations on them that are free symbols."""
    terms = dict.fromkeys(t for c in statement.claims for t in (*c.hypotheses, c.goal))
    return any(ELEMENT in symbol.arguments and symbol.role in _OF_THEIR_TYPE for symbol in _symbols(terms))


def reads(conditions: Iterable[Term]) -> bool:
    """Whether elements matter: those of a tensor, which may be truth values, lone ones and those of a list."""
    conditions = list(conditions)
    if any(node.sort == ELEMENT for node in subterms(*conditions)):
        return True
    return any(s.role is Role.READ or s.result not in (BOOL, INT, INDEX) for s in _symbols(conditions))


def of_any_type(conditions: Iterable[Term]) -> bool:
    """Whether conditions about abstract elements say the same of every type: they speak neither of these, nor of
    operations and constants of their type, which are free symbols.

    A condition such as `int(greatest) < n` has no element in it, and says one thing of int8 and another of int16: the
    role of its symbol tells.
    """
    conditions = list(conditions)
    if any(node.sort == ELEMENT for node in subterms(*conditions)):
        return False
    return not any(ELEMENT in s.arguments or s.role in _OF_THEIR_TYPE for s in _symbols(conditions))


def mentions_undefined(statement: Statement) -> bool:
    """Whether a statement rests on a function that a draft uses and never defines."""
    return any(symbol.role is Role.UNDEFINED for symbol in _symbols(_terms(statement)))


def _symbols(terms: Iterable[Term]) -> Iterator[Symbol]:
    """The free symbols of some terms, once for each application."""
    for node in subterms(*terms):
        if isinstance(node.payload, Symbol):
            yield node.payload
