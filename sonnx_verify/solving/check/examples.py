"""The verdicts on the examples of a text, by the reference evaluator. Trusted.

In: the sections of a text. Out: an obligation for each example, which has its answer, and the values of all of them. An
example is no proof of anything: it says of one input what the text makes of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sonnx_verify.language.families import Instance
from sonnx_verify.logic.terms import not_
from sonnx_verify.logic.verdict import VerdictName, is_witness, refuted, undecided, witnessed
from sonnx_verify.obligations.examples import Shown, shown_in
from sonnx_verify.obligations.obligation import Input, Obligation
from sonnx_verify.obligations.section import Section
from sonnx_verify.solving.inputs.inputs import fits, interpretation


def examples_of(sections: Sequence[Section], lines: Sequence[Instance]) -> tuple[list[Obligation], tuple[Input, ...]]:
    """The obligations of the examples of a text, decided, and the values of those that have any. Raises
    SpecificationError where an example does not fit the declarations."""
    obligations: list[Obligation] = []
    values: list[Input] = []
    for shown in shown_in(sections, lines):
        _decide(shown)
        obligations.append(shown.obligation)
        if shown.values:
            values.append(shown.values)
    return obligations, tuple(values)


def _decide(shown: Shown) -> None:
    """Write the answer, and its place, to the obligation: it holds if every condition is true of the values, and is
    refuted by the first that is not, where all before it are true."""
    obligation, conditions = shown.obligation, shown.conditions
    assignment = dict(shown.values)
    # Whatever read the values may have made a mistake: 256 is no uint8, and no condition says so.
    if not fits(shown.variables, assignment):
        obligation.answer = undecided(VerdictName.UNKNOWN, "its values do not match the declarations")
        return
    facts = interpretation(shown.variables, assignment)
    terms = [condition.term for condition in conditions]
    obligation.answer = witnessed(terms, facts, "the text agrees with the example")
    if obligation.answer.name == VerdictName.HOLDS:
        return
    for number, condition in enumerate(conditions):
        broken = (*terms[:number], not_(condition.term))
        if is_witness(broken, facts):
            reason, obligation.span = condition.cause(facts)
            obligation.answer = refuted(broken, facts, f"{reason}: correct the example, or the text")
            return
    obligation.answer = undecided(VerdictName.UNKNOWN, "the reference evaluator computes no answer on its values")
