"""Forms of operators and theorems that are applied to values. Trusted.

`Op(X)` means the text of Op, elaborated on X: no more is known of it than what its clauses give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from sonnx_verify.kernel.core import Kernel
from sonnx_verify.kernel.sections import C, R, Section, outcome_of
from sonnx_verify.kernel.values import Outcome, Value
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Term, and_, forall, implies, le, placeholder
from sonnx_verify.sources import Span

V = TypeVar("V")


def on_results(k: Kernel, values: Sequence[Value], apply: Callable[[list[Value]], Outcome]) -> Outcome:
    """An operator on values that may be results of others: an error of an argument is an error of the whole."""
    # `Op(Other(X))` has a result where Other has one, and Op has one of that.
    defined = [value.defined for value in values if isinstance(value, Outcome)]
    plain: list[Value] = [value.result if isinstance(value, Outcome) else value for value in values]
    with k.assuming(and_(*defined)):
        made = apply(plain)
    return Outcome(and_(*defined, made.defined), made.result)


def operator(
    k: Kernel, text: Callable[[], Section[C, R]], sentence: Callable[[Section[C, R]], str], span: Span
) -> tuple[Outcome | None, Section[C, R]]:
    """The outcome of the text of an operator on given values, and its section; asks, or supposes, that its
    restrictions hold. None where it gives no result in full, or more than one.

    Silent: its side conditions are obligations of its own text, asked there of all its valid input. Its constraints are
    part of the outcome.
    """
    with k.silent():
        section = text()
    k.suppose(and_(*section.arity, *(r.known for r in section.restrictions)), sentence(section), span)
    return outcome_of(section), section


def theorem(hypotheses: Sequence[Term], restrictions: Sequence[Term], body: Term) -> Term:
    """The statement of a theorem about values: where they are of its types and meet what it assumes.

    On the left stands all that it was proved under: what the types of its names say of the values, since these are any
    terms; what it assumes; the restrictions of the operators in it. Without one of them a law of small numbers would be
    one of all (twins lemma_of_anything, lemma_without_restrictions).
    """
    return implies(and_(*hypotheses, *restrictions), body)


def by_number(k: Kernel, first: Term, last: Term, number: Term | None, said: Callable[[Term], Term]) -> Term:
    """A theorem that was proved by induction, of one number or of all; then once more of the last, which is what an
    induction is for."""
    # Proved for each number from `first` to `last`, and no other: of last + 1 nothing was shown, and where first is
    # above last nothing at all. So the number stands behind the range, and so does `last` itself.
    variable = placeholder(INT)
    with k.ranging(first, last, variable):
        said(variable)
    with k.silent():
        if number is not None:
            # Twin: induction_beyond_its_range.
            return implies(and_(le(first, number), le(number, last)), said(number))
        return and_(forall(first, last, said), implies(le(first, last), said(last)))


def unheard(k: Kernel, part: Callable[[], V]) -> V:
    """A part that asks for nothing, since nothing is claimed by it: a term that is only named, a condition that is
    evaluated, a sentence, a theorem that is asked where it is proved.

    `take n = X.shape[0]` tries a number, and does not claim that X has an axis. No form may be handed what comes out
    (twins clause_unheard, read_unheard).
    """
    with k.silent():
        return part()
