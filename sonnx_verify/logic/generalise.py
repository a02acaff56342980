"""Parts with binders in them that occur in several places, as free functions of which nothing is known.

A condition with a quantifier in it that many folds share costs each of them its names, and each pair of them a
comparison. Most laws do not need to know what the condition says, only that it is the same everywhere. A law that
holds for every function in its place holds for it.

Trusted: equal parts, and only these, may become one function. Were two conditions that differ named alike, they would
be equal to the solver, and `count { k | P(k) } = count { k | Q(k) }` a law.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sonnx_verify.logic.binders import replace_nodes, substitute
from sonnx_verify.logic.builders import and_
from sonnx_verify.logic.nodes import Symbol, Term, apply, make, number_of, subterms
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, INDEX, StateSort

_KEPT = (Op.FOLD, Op.FOLD_INDEX, Op.RECURSION, Op.STATE, Op.FORALL_INDEX)
"""The subjects of the rules of folds and of the reads of tensors: a law says more of these than that they are equal."""
_BEYOND = 1 << 20
"""Numbers that no bound variable has."""


class Parts(Enum):
    """The parts that are replaced, wherever they are repeated: those without folds in them; also conditions with folds
    in them, and, repeated or not, ranks and sizes with folds in them that indices run over; also folds."""

    WITHOUT_FOLDS = 0
    CONDITIONS = 1
    ALL = 2


@dataclass(frozen=True, slots=True)
class Generalised:
    """Formulas with parts replaced, and for each function the parameters and the part that it stands for, in which
    functions before it may stand."""

    formulas: list[Term]
    meanings: Mapping[Symbol, tuple[tuple[Term, ...], Term]]


def generalised(formulas: Sequence[Term], which: Parts = Parts.WITHOUT_FOLDS) -> Generalised | None:
    """The formulas with such parts replaced, the smallest first, until none is left; None where there were none.

    The functions take the variables that are free in the part. Equal parts, up to the names of these, are the same
    function. Where the result has no model the formulas have none: a model of them is one of it.

    `count { k | Q(k) } = count { k | Q(k) }` with a long Q is a law of any condition: it is asked of a free function q
    in place of Q. What is unsat for every q is unsat for Q. The other way round nothing follows: a law that needs to
    know Q is asked as it stands after that.
    """
    made, meanings = list(formulas), dict[Symbol, tuple[tuple[Term, ...], Term]]()
    while True:
        parts = _Parts(made, which)
        if not parts.chosen and not meanings:
            return None
        if not parts.chosen:
            return Generalised(made, meanings)
        symbols: dict[Term, Symbol] = {}
        values: dict[Term, Term] = {}
        for part in parts.chosen:
            named, variables = parts.named(part)
            if named not in symbols:
                # Numbered through all rounds: a name that came twice would make two parts one function.
                symbol = Symbol(f"part..{len(meanings)}", tuple(v.sort for v in variables), part.sort)
                symbols[named] = symbol
                meanings[symbol] = tuple(sorted(named.free, key=number_of)), named
            values[part] = _applied(symbols[named], named, variables)
        # Once more: parts that differed in what was replaced may be equal now, and what is left may be repeated.
        made = replace_nodes(made, values)


def _applied(symbol: Symbol, named: Term, variables: tuple[Term, ...]) -> Term:
    """The function that stands for a part, of its variables. A condition that is the same with two of them exchanged,
    as that two indices agree somewhere, is met with either first: it is the function both ways."""
    # P(a, b) and P(b, a) stand for one condition, so their conjunction is that condition too: a model of the formulas
    # gives P its meaning, and makes both alike. Only truth values can be joined so.
    value = apply(symbol, *variables)
    if symbol.result != BOOL:
        return value
    for a, b in _exchangeable(named):
        swapped = [*variables]
        swapped[a], swapped[b] = variables[b], variables[a]
        return and_(value, apply(symbol, *swapped))
    return value


def _exchangeable(named: Term) -> Iterator[tuple[int, int]]:
    """The places of two parameters that can be exchanged without a difference."""
    parameters = sorted(named.free, key=number_of)
    for b, two in enumerate(parameters):
        for a, one in enumerate(parameters[:b]):
            if one.sort == two.sort and substitute(named, {one: two, two: one}) is named:
                yield a, b


def _shapes(nodes: Sequence[Term]) -> set[Term]:
    """The ranks and sizes of what indices run over."""
    found: set[Term] = set()
    for node in nodes:
        if node.op == Op.FORALL_INDEX:
            _, rank, _, sizes, _ = node.args
            found |= {rank, sizes}
    return found


class _Parts:
    """The smallest parts of some formulas that are replaced, in the order in which they are met."""

    def __init__(self, formulas: Sequence[Term], which: Parts) -> None:
        self._named: dict[Term, tuple[Term, tuple[Term, ...]]] = {}
        nodes = list(subterms(*formulas))
        # Who has a part, both up to the names of their free variables: P(k) under one binder and P(j) under another are
        # one part. A part of one term alone is not repeated, however often that term stands somewhere.
        users: dict[Term, set[Term]] = {}
        for node in nodes:
            for part in node.args:
                if part.binders and part.free:
                    users.setdefault(self.named(part)[0], set()).add(self.named(node)[0])
        self.chosen: list[Term] = []
        above: set[Term] = set()
        kept: set[Term] = set()
        shapes: set[Term] = set()
        if which is Parts.CONDITIONS:
            shapes = _shapes(nodes)
        for node in nodes:
            whatever_inside = which is Parts.ALL or (which is Parts.CONDITIONS and node.op == Op.FORALL)
            if node.op in _KEPT or (not whatever_inside and any(a in kept for a in node.args)):
                kept.add(node)
            # The smallest first: what is above one is looked at again when that has become a function.
            if any(a in above for a in node.args):
                above.add(node)
                continue
            chosen = self._is_repeated(node, users)
            if node in kept:
                chosen = node in shapes
            if chosen:
                above.add(node)
                self.chosen.append(node)

    def _is_repeated(self, node: Term, users: Mapping[Term, set[Term]]) -> bool:
        """Return whether a part with binders and free variables stands in several others. Without binders it costs
        nothing, without free variables it is one constant already, and an index is compared axis by axis."""
        can_be_replaced = bool(node.binders and node.free) and node.sort != INDEX
        # Solvers have no states: no function may take one, or give one.
        if any(isinstance(term.sort, StateSort) for term in (node, *node.free)):
            return False
        return can_be_replaced and len(users.get(self.named(node)[0], ())) > 1

    def named(self, node: Term) -> tuple[Term, tuple[Term, ...]]:
        """The node with numbers of its own for its free variables, and these variables."""
        found = self._named.get(node)
        if found is None:
            variables = tuple(sorted(node.free, key=number_of))
            names = {v: make(Op.VARIABLE, (), v.sort, _BEYOND + n) for n, v in enumerate(variables)}
            found = self._named[node] = substitute(node, names), variables
        return found
