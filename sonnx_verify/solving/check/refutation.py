"""The smallest counterexample to the claims of an obligation, by search.

Trusted: `refuted` replays what is found here; which types it is said of, is decided here.
"""

from __future__ import annotations

from sonnx_verify.logic.terms import FALSE
from sonnx_verify.logic.verdict import Verdict, refuted
from sonnx_verify.obligations.obligation import Claim, Input, Statement
from sonnx_verify.solving.check.record import ConcreteExample
from sonnx_verify.solving.check.work import Work
from sonnx_verify.solving.inputs.found import searched
from sonnx_verify.solving.inputs.inputs import Found
from sonnx_verify.solving.inputs.missed import Missed, joined
from sonnx_verify.solving.solvers import Solvers

QUICK, SECOND, CHEAP, LONG = 300, 3000, 10000, 20000
"""The numbers of candidates for a counterexample: at first, on second thoughts, of what is soon done with,
and at last."""

Refutation = tuple[Verdict, ConcreteExample, tuple[str, ...]]


def refutation(
    work: Work, which: set[str] | None, budget: int, solvers: Solvers | None = None, *, every_type: bool = False
) -> Refutation | Missed:
    """The smallest counterexample to any of the claims, for the first type that has one: the verdict, what is shown,
    the types it is about; or what was looked at.

    `which` are the sentences of the claims that are looked at; else all are. Where none of the first candidates is one,
    the `solvers` are asked for some.
    """
    obligation = work.obligation
    sorts = work.sorts
    if not every_type:
        sorts = sorts[:1]  # A look that is not the last is at the first type only: most mistakes show in any.
    missed = [Missed(0)]
    for sort in sorts:
        statement, _ = work.on(sort)
        if sort in obligation.types[1:] and not work.elements_matter():
            break
        smallest = _smallest(statement, which, budget, solvers, obligation.tried)
        if isinstance(smallest, Missed):
            missed.append(smallest)
            continue
        claim, found = smallest
        verdict = refuted(claim.refutation, found.facts, claim.what)
        types = tuple(t.name for t in obligation.types)
        if obligation.types and work.depends_on_type(claim):
            types = (sort.name,)
        read = ""
        if claim.failing is not None:
            read = claim.failing(found.facts)
        return verdict, ConcreteExample(statement.variables, found, claim.what, read), types
    return joined(missed[1:] or missed)


def _smallest(
    statement: Statement,
    which: set[str] | None,
    budget: int,
    solvers: Solvers | None,
    examples: tuple[Input, ...],
) -> tuple[Claim, Found] | Missed:
    """The claim with the smallest counterexample, the first of several; or what was looked at."""
    missed = [Missed(0)]
    broken: list[tuple[Claim, Found]] = []
    for claim in statement.claims:
        is_looked_at = which is None or claim.what in which
        # A condition that is false as a term is met by no input: the search would go through all of them.
        if not is_looked_at or FALSE in claim.refutation:
            continue
        found = searched(
            statement.variables,
            claim.refutation,
            budget,
            constants=budget == LONG,
            solvers=solvers,
            examples=examples,
            smallest=True,  # No counterexample is larger because its text has an example.
        )
        if isinstance(found, Missed):
            missed.append(found)
        else:
            broken.append((claim, found))
    if not broken:
        return joined(missed[1:] or missed)
    # Of two that are as large the one with fewer members of lists, and then the first.
    return min(broken, key=lambda one: (one[1].size(statement.variables), one[1].members))
