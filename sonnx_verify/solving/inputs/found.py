"""Input that the search found, replayed before anybody rests a verdict on it. Trusted.

In: variables, and conditions that an input is wanted for. Out: an input on which the reference evaluator finds all of
them true, with the meaning that it gives to the symbols; or None, which shows nothing. The search itself (`search.py`,
`filling.py`, `rows.py`, `values.py`) is believed in nothing but the claim that an input is the smallest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sonnx_verify.kernel.variables import Variable
from sonnx_verify.logic.sorts import Sort
from sonnx_verify.logic.terms import Term
from sonnx_verify.logic.verdict import is_witness
from sonnx_verify.obligations.obligation import Input
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.candidates import candidates
from sonnx_verify.solving.inputs.inputs import Found, fits, interpretation
from sonnx_verify.solving.inputs.missed import Missed
from sonnx_verify.solving.inputs.models import NoModel, model_of, names_large_numbers
from sonnx_verify.solving.inputs.search import Search
from sonnx_verify.solving.inputs.values import alphabet, constants_of
from sonnx_verify.solving.solvers import Solvers

FEW_ROWS = 4
"""The rows of numbers that cost as much as a candidate where a solver is asked next."""
FIRST, AFTER = 300, 5000
"""The numbers of candidates that are tried before a solver is asked for one, and after it knew of none."""


def searched(
    variables: Sequence[Variable],
    conditions: Sequence[Term],
    budget: int,
    *,
    constants: bool = False,
    solvers: Solvers | None = None,
    examples: Sequence[Input] = (),
    smallest: bool = False,
) -> Found | Missed:
    """An assignment that meets the conditions, the smallest that is found; or what was looked at.

    The first candidates are tried one after the other: most often one of them does. Then the `examples` of the text are
    tried; then the `solvers` choose one, where there are any; then the others are tried up to the budget; and at last,
    if `constants` are to be tried, as many with those that the conditions name. Where the `smallest` counts most, the
    examples are tried behind what the solvers choose.
    """
    search, tried = Search(variables, conditions, budget), 0
    if solvers is not None:
        search = Search(variables, conditions, min(budget, FIRST), rows=FEW_ROWS)
    found, none = search.first(), NoModel()
    if found is None and not smallest and (shown := _among(examples, variables, conditions)) is not None:
        return replace(shown, tried=search.tried)
    if found is None and solvers is not None:
        chosen = model_of(variables, conditions, solvers, briefly=budget <= FIRST)
        if isinstance(chosen, NoModel):
            none = chosen
        elif (met := replayed(chosen, variables, conditions)) is not None:
            # A solver takes any: where all can be tried, the smallest is found.
            nearer = Search(variables, conditions, AFTER).first() if smallest and search.tries_all else None
            return replace((nearer and replayed(nearer, variables, conditions)) or met, tried=search.tried)
        if smallest and (shown := _among(examples, variables, conditions)) is not None:
            return replace(shown, tried=search.tried)
        if none.is_none and not (constants and names_large_numbers(variables, conditions)):
            # Nearly all that would be tried lies within these bounds.
            return Missed(search.tried, none.without, none.chosen)
        if search.spent and not none.is_none:
            tried = search.tried
            search = Search(variables, conditions, min(budget, AFTER))
            found = search.first()
    tried += search.tried
    if found is None and constants and (named := constants_of(variables, conditions)):
        # Only then: the usual values break most of what can be broken, and more values make every step dearer.
        search = Search(variables, conditions, budget, named)
        found = search.first()
        tried += search.tried
    if found is not None and (met := replayed(found, variables, conditions)) is not None:
        return replace(met, tried=tried)
    if smallest and solvers is None and (shown := _among(examples, variables, conditions)) is not None:
        return shown
    return Missed(tried, none.without, none.chosen)


def _among(examples: Sequence[Input], variables: Sequence[Variable], conditions: Sequence[Term]) -> Found | None:
    """The first example that meets the conditions."""
    for assignment in candidates(examples, variables):
        found = replayed(Found(assignment, {}, minimal=False), variables, conditions)
        if found is not None:
            return found
    return None


def on_type(found: Found, variables: Sequence[Variable], before: Sort, after: Sort) -> Found | None:
    """The same input with elements of another type, each the one at its place among those that are tried; None where
    there is none. What it meets there has to be seen anew."""
    turned: dict[object, object] = dict(zip(alphabet(before), alphabet(after), strict=False))
    turned[LEFT_OUT] = LEFT_OUT

    def of(value: Concrete) -> Concrete:
        if isinstance(value, tuple):
            return tuple(of(item) for item in value)
        if isinstance(value, ConcreteTensor):
            return replace(value, sort=after, elements=tuple(turned[e] for e in value.elements))
        return turned[value]

    # An alphabet may be shorter than the other, as that of uint8, which has no -1: then there is no such input.
    assignment = dict(found.assignment)
    try:
        for variable in variables:
            if variable.type_variable:
                assignment[variable.name] = of(assignment[variable.name])
    except KeyError:
        return None
    return replayed(replace(found, assignment=assignment, minimal=False), variables, ())


def replayed(found: Found, variables: Sequence[Variable], conditions: Sequence[Term]) -> Found | None:
    """The input with its meaning made anew from the values that are shown; None unless these are values of the
    variables, and meet the conditions."""
    # Slips in the search that only these lines catch: beyond_the_type, halves, another_nan, an_element_too_many.
    if not fits(variables, found.assignment):
        return None
    # Not the meaning that the search worked with: what is shown has to be what was evaluated (slip meaning_of_another).
    facts = interpretation(variables, found.assignment)
    if not is_witness(conditions, facts):
        return None
    return replace(found, facts=facts)
