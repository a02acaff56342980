"""Products and quotients of unknowns, and rounded operations of floats, as functions of which nothing is known.

Solvers are slow, and at times at a loss, where unknowns are multiplied. Most laws do not need to know what a product
is, since terms are multiplied out already: they are asked without that first. What is unsat then is unsat with it.

Trusted: for each model of the assertions there has to be one of what is made here. It is the same one, with
multiplication or division as the meaning of the function. Functions of other operators, sorts or numbers of arguments
have other names.
"""

from __future__ import annotations

from itertools import pairwise

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.binders import rebuild
from sonnx_verify.logic.builders import eq
from sonnx_verify.logic.nodes import Symbol, Term, apply, to_forget
from sonnx_verify.logic.sorts import FloatSort

_OF_BITS = frozenset((ops.DIVIDE, ops.SQRT, ops.FMA, ops.REMAINDER, ops.FMOD))


def is_product(term: Term) -> bool:
    """Return whether a solver would have to multiply, or divide by, unknowns, or to do what takes as long with the bits
    of floats."""
    if term.op is ops.REAL_FUNCTION:
        return True
    if term.op in (ops.DIV, ops.MOD, ops.QUOTIENT):
        return term.args[1].op is not ops.LITERAL
    if term.op in _OF_BITS and isinstance(term.sort, FloatSort):
        return True
    if term.op is ops.TIMES or term.op is ops.MUL:
        return sum(a.op is not ops.LITERAL for a in term.args) > 1
    return False


_KNOWN: dict[Term, bool] = {}
to_forget(_KNOWN.clear)


def _holds_product(term: Term) -> bool:
    found = _KNOWN.get(term)
    if found is None:
        found = _KNOWN[term] = is_product(term) or any(_holds_product(a) for a in term.args)
    return found


def opaque(assertions: list[Term]) -> list[Term] | None:
    """The assertions with such products as free functions, that take their arguments in any order; None where there
    are none.

    `a * b <= c and c < b * a` is unsat of any function that takes its arguments in either order. Multiplication is one,
    so what is unsat here is unsat of it. `a * a < 0` is not unsat here: then solvers are told what a product is.
    """
    # With a number as a factor a product is linear, and stays: 2 * n is what solvers are good at.
    if not any(_holds_product(a) for a in assertions):
        return None
    memo: dict[Term, Term] = {}
    facts: dict[Term, None] = {}

    def walk(term: Term) -> Term:
        if not _holds_product(term):
            return term
        done = memo.get(term)
        if done is None:
            args = tuple(walk(a) for a in term.args)
            if is_product(term):
                name = str(term.payload) if term.op is ops.REAL_FUNCTION else term.op
                # The name says all that the function depends on, and has a space, as no name of a text has.
                symbol = Symbol(f"{name} of {len(args)}..{term.sort}", (term.args[0].sort,) * len(args), term.sort)
                done = apply(symbol, *args)
                if term.op in (ops.TIMES, ops.MUL):
                    facts.update(dict.fromkeys(_exchanged(symbol, done)))
            else:
                done = rebuild(term, args)
            memo[term] = done
        return done

    made = [walk(a) for a in assertions]
    return [*made, *facts]


def _exchanged(symbol: Symbol, product: Term) -> list[Term]:
    """Equations that neighbours can be exchanged, one pair at a time: a * b = b * a is true of multiplication. Division
    has none of these."""
    found = []
    for n, _ in enumerate(pairwise(product.args)):
        args = list(product.args)
        args[n], args[n + 1] = args[n + 1], args[n]
        found.append(eq(product, apply(symbol, *args)))
    return found
