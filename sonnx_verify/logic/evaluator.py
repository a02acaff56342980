"""The reference evaluator: the meaning of every term on concrete values.

Trusted: `refuted` and `holds` rest on its values alone. It goes by the definition of each operator, on concrete values,
and shares no rule with the way to the solvers. A term without a value raises Undefined: no verdict is made of a guess.

A term is compiled once into nested functions and can then be run on many interpretations. Junctions and ite are lazy
from the left, so a guard protects what it guards.
"""

from __future__ import annotations

from typing import Any

from sonnx_verify.logic.evaluator_binders import BINDERS
from sonnx_verify.logic.evaluator_folds import FOLDS
from sonnx_verify.logic.evaluator_operations import OPERATIONS
from sonnx_verify.logic.evaluator_values import MEMORY, Code, Environment, Interpretation, Value
from sonnx_verify.logic.nodes import to_forget
from sonnx_verify.logic.operators import OPERATORS, Op
from sonnx_verify.logic.terms import Symbol, Term

assert sorted([*OPERATIONS, *BINDERS, *FOLDS]) == sorted(OPERATORS), "the evaluator handles every operator, once"


def evaluate(term: Term, interpretation: Interpretation) -> Value:
    """The value of a closed term. Raises Undefined where it has none."""
    return compile_term(term)({}, interpretation)


_compiled: dict[Term, Code] = {}
to_forget(_compiled.clear)


def compile_term(term: Term) -> Code:
    """The function that gives the term's value from its bound variables and an interpretation."""
    code = _compiled.get(term)
    if code is None:
        if term.op in OPERATIONS:
            code = OPERATIONS[term.op](term, [compile_term(a) for a in term.args])
        else:
            code = (BINDERS.get(term.op) or FOLDS[term.op])(term, compile_term)
        if term.op in _REMEMBERED or (term.weight > _HEAVY and term.args):
            code = _remembering(term, code)
        _compiled[term] = code
    return code


# A loop over a range is worth remembering, a sum of two numbers is not: the key alone costs more. A large term without
# loops is worth it too, for it shares parts: as a tree it may have a million nodes where the graph has forty.
_HEAVY = 60
_REMEMBERED = (Op.FORALL, Op.FORALL_INDEX, *(op for op in FOLDS if op is not Op.STATE_AT))


def _remembering(term: Term, code: Code) -> Code:
    """Terms are graphs: what has been computed for the same values of the bound variables is not computed again. The
    memory lives in the interpretation, so it ends with it."""
    # The value depends on these variables alone, and on the interpretation, which the memory is part of.
    numbers = tuple(sorted(v.payload for v in term.free if isinstance(v.payload, int)))

    def run(env: Environment, facts: Interpretation) -> Value:
        memory = facts.get(MEMORY)
        if memory is None:
            if not isinstance(facts, dict):
                return code(env, facts)
            memory = facts[MEMORY] = {}
        key = (term, *[env[n] for n in numbers])
        if key in memory:
            return memory[key]
        value = memory[key] = code(env, facts)
        return value

    return run


def without_memory(*interpretations: Interpretation) -> dict[Symbol, Any]:
    """Join interpretations, the last ones first, without the values that evaluation remembered in them: these are
    values under the symbols of one interpretation, and would be wrong under others."""
    made: dict[Symbol, Any] = {}
    for interpretation in interpretations:
        made.update(interpretation)
    made.pop(MEMORY, None)
    return made
