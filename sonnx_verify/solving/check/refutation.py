"""The smallest counterexample to the claims of an obligation, by search."""

from __future__ import annotations

from sonnx_verify.logic.terms import FALSE
from sonnx_verify.logic.verdict import Verdict, refuted
from sonnx_verify.obligations.obligation import Claim
from sonnx_verify.solving.check.record import Shown
from sonnx_verify.solving.check.work import Work
from sonnx_verify.solving.inputs.found import first_of
from sonnx_verify.solving.inputs.inputs import Found

QUICK, SECOND, CHEAP, LONG = 300, 3000, 10000, 20000
"""How many candidates a search for a counterexample looks at: at first, on second thoughts, of what is soon done with,
and at last."""

Refutation = tuple[Verdict, Shown, tuple[str, ...]]


def refutation(work: Work, which: set[str] | None, budget: int) -> Refutation | None:
    """The smallest counterexample to any of the claims, for the first type that has one: the verdict, what is shown,
    the types it is about. `which` are the sentences of the claims that are looked at; else all are."""
    obligation = work.obligation
    # A look that is not the last is at the first type only: most mistakes show in any.
    for sort in work.sorts[: None if budget == LONG else 1]:
        statement, _ = work.on(sort)
        if sort in obligation.types[1:] and not work.elements_matter():
            break
        smallest: tuple[tuple[int, int, int], Claim, Found] | None = None
        for claim in statement.claims:
            if which is not None and claim.what not in which:
                continue
            conditions = claim.refutation
            if FALSE in conditions:
                continue
            found = first_of(statement.variables, conditions, budget, constants=budget == LONG)
            if found is not None and (smallest is None or found.size(statement.variables) < smallest[0]):
                smallest = (found.size(statement.variables), claim, found)
        if smallest is not None:
            _, claim, found = smallest
            verdict = refuted(claim.refutation, found.facts, claim.what)
            by_type = bool(obligation.types) and work.depends_on_type(claim)
            types = (sort.name,) if by_type else tuple(t.name for t in obligation.types)
            read = "" if claim.failing is None else claim.failing(found.facts)
            return verdict, Shown(statement.variables, found, claim.what, read), types
    return None
