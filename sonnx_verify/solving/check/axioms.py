"""Axioms are tried on many values, and not proved. Trusted.

An axiom is a cited law of reals that solvers do not know. What it says is asserted wherever a proof uses it, so a false
one could prove anything: it is evaluated at fractions in the neighbourhood of which such laws break, by enclosures that
decide. The verdict is `holds`, with how much was tried; whatever rests on an axiom names it.

What a proof takes from axioms is looked at too: each instance is evaluated, and all of them together must not
contradict each other, or the proof says nothing (twins axiom_false_of_an_argument, axioms_contradict).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product

from sonnx_verify.kernel.variables import Variable, VariableKind
from sonnx_verify.logic.enclosed import MOST_BITS, at_most
from sonnx_verify.logic.sorts import ELEMENT, REAL
from sonnx_verify.logic.terms import Term, not_
from sonnx_verify.logic.verdict import VerdictName, is_witness, refuted, undecided, witnessed
from sonnx_verify.obligations.obligation import Claim, Statement
from sonnx_verify.results.concrete import Assignment
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.check.record import ConcreteExample, Record
from sonnx_verify.solving.check.work import Work
from sonnx_verify.solving.inputs.inputs import Found, interpretation

_MOST = 300
"""The number of values that are tried of one axiom, of all its variables together."""
_MOST_OPEN = 16
"""The number of values at which an equation is looked at to the last bit."""
_FEW_BITS = 256
"""The precision of what is looked at beyond these: enough for what is false by more than one part in 10^70."""
_MOST_INSTANCES = 60
"""The number of values on which the instances of a proof are evaluated."""
_VALUES = tuple(
    Fraction(text)
    for text in """
        0 1 -1 1/2 -1/2 2 -2 1/3 -3 3 -1/3 5/2 -5/2 1/10 -1/10 7 -7 9/10 -9/10 11/10 -11/10 20 -20 1/1000 -1/1000
        100 -100 1/1000000 -1/1000000 22/7 -22/7 355/113 11/7 -11/7 4 -4 1/4 -1/4 1000 -1000
    """.split()  # noqa: SIM905 - a table
)
"""From the simplest on: zeros, ones, halves, what is near to them and to multiples of pi, small and large."""


def tried(work: Work) -> Record:
    """The record of an axiom: refuted by values that break it; else it holds of those that were tried."""
    obligation = work.obligation
    statement, _ = work.on(ELEMENT)
    goals = tuple(claim.goal for claim in statement.claims)
    decided: list[Found] = []
    left_open = 0
    for found in _tried_on(statement.variables):
        # An equation that is true is never decided: after some values only what few bits refute is looked for.
        with at_most(MOST_BITS if left_open < _MOST_OPEN else _FEW_BITS):
            for claim in statement.claims:
                broken = (*claim.hypotheses, not_(claim.goal))
                if is_witness(broken, found.facts):
                    verdict = refuted(broken, found.facts, claim.what)
                    shown = ConcreteExample(statement.variables, found, claim.what)
                    return Record(obligation, verdict, counterexample=shown)
            if is_witness((*statement.hypotheses, *goals), found.facts):
                decided.append(found)
            elif is_witness(statement.hypotheses, found.facts):
                # Both sides of an equation are the same to the last bit that is looked at.
                left_open += 1
    if not decided:
        reason = "it is undecided on every value that satisfies its assumptions"
        return Record(obligation, undecided(VerdictName.UNKNOWN, reason))
    first = decided[0]
    verdict = witnessed((*statement.hypotheses, *goals), first.facts, "no value that was tried breaks it")
    note = f"cited, not proved; true on {counted_text(len(decided), 'value')}"
    if left_open:
        note += f", undecided on {left_open} more"
    return Record(
        obligation, verdict, note=note, witness=ConcreteExample(statement.variables, first, "the axiom is true")
    )


def false_instance(statement: Statement, given: Assignment) -> tuple[Term, Found] | None:
    """A law that the proofs of a statement use and that is false, with the values of its variables; None if none is
    found to be. `given` is a witness of the hypotheses: beside it, reals take the values that axioms are tried on."""
    laws = tuple(dict.fromkeys(law for claim in statement.claims for law in claim.lemmas))
    with at_most(_FEW_BITS):
        for found in _instances(statement.variables, given):
            for law in laws:
                if is_witness((not_(law),), found.facts):
                    return law, found
    return None


def contradictions(statement: Statement) -> list[Claim]:
    """For each proof of the statement, the claim that what it uses contradicts itself."""
    # That the goal follows is shown. If its negation follows too, everything does. The goal brings in the terms on
    # which the contradiction may hang: `using near(sqrt(2))` alone would be asked of no square root.
    made = {
        (*claim.lemmas, *claim.hypotheses): replace(claim, goal=not_(claim.goal), replay=None)
        for claim in statement.claims
        if claim.lemmas and not claim.side
    }
    return list(made.values())


def _instances(variables: tuple[Variable, ...], given: Assignment) -> Iterator[Found]:
    """The given values, then others for all variables that are reals."""
    reals = [v for v in variables if v.sort == REAL and v.kind is VariableKind.ELEMENT and v.count is None]
    known = all(v.name in given for v in variables)
    if known:
        yield Found(given, interpretation(variables, given), minimal=False)
    if not reals or not (known or len(reals) == len(variables)):
        return
    for values in islice(_mixtures(len(reals)), _MOST_INSTANCES):
        assignment = {**given, **{v.name: value for v, value in zip(reals, values, strict=True)}}
        yield Found(assignment, interpretation(variables, assignment), minimal=False)


def _tried_on(variables: tuple[Variable, ...]) -> Iterator[Found]:
    """Values of all variables: the simplest ones, each with each other one, then mixtures of all."""
    for values in _mixtures(len(variables)):
        assignment = {variable.name: value for variable, value in zip(variables, values, strict=True)}
        yield Found(assignment, interpretation(variables, assignment), minimal=False)


def _mixtures(number: int) -> Iterator[tuple[Fraction, ...]]:
    """Tuples of so many values, at most `_MOST`."""
    if len(_VALUES) ** number <= _MOST:
        yield from product(_VALUES, repeat=number)
        return
    each = len(_VALUES)
    while each**number > _MOST // 3:
        each -= 1
    yield from product(_VALUES[:each], repeat=number)
    # Of three variables the simplest are few, and no product of these is above 8: a law that fails far out would hold
    # (twin axioms_near_zero). Here each value takes part, with itself, with its neighbour, and with some far from it.
    for n in range(_MOST - each**number):
        lap, place = divmod(n, len(_VALUES))
        yield tuple(_VALUES[(place + lap * lap * k) % len(_VALUES)] for k in range(number))
