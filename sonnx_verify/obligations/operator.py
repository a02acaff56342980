"""The obligations of one operator specification about itself; here those of errors and of constraints on outputs.
Trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.terms import not_
from sonnx_verify.obligations import determined, general, satisfiability, side_conditions
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.outputs import free_outputs, only_results, spoken_of
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind


def obligations_of(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """All obligations of a section about itself; `meaning` is any elaboration of it, to know which clauses it has."""
    # A standard is transcribed as it is: it need not say what happens on other input, nor say everything once only.
    checked = section.file.kind in (s.FileKind.PROFILE, s.FileKind.DRAFT, s.FileKind.USER)
    yield from general.obligations_of(section, meaning)
    yield from side_conditions.obligations_of(section, meaning)
    for name in meaning.valued:
        yield determined.obligation_of(section, meaning, name, exactly=checked)
    if checked:
        yield from _errors(section, meaning)
    if checked and meaning.valued:
        for clause in meaning.output_clauses:
            yield _holds(section, clause)
    yield from satisfiability.obligations_of(section, meaning, checked=checked)


def _errors(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """covered and exclusive: errors are the complement of the constraints."""
    constraints = [statement.clause for statement in meaning.constraints]
    for clause in constraints:
        yield section.obligation(clause.tag, Kind.COVERED, clause.span, _covered(section, clause.tag), clause.title)
    if meaning.errors:
        for clause in [*constraints, *meaning.output_clauses]:
            yield section.obligation(clause.tag, Kind.EXCLUSIVE, clause.span, _exclusive(section), clause.title)


def _covered(section: Section, tag: str) -> Callable[[Context], Statement]:
    """State that input which this constraint rejects meets an error: no input is left without an answer.

    `[C1] constraint : broadcastable(shapes(X))` is covered by `[E1] error : when C1 fails`, by construction, and by an
    error of its own words only if that is true of every input that does not broadcast (twins error_dropped,
    error_covers_too_little).
    """

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        base = (*meaning.hypotheses, *meaning.arity, *(r.known for r in meaning.restrictions))
        # Where one above fails, this one need not mean anything: of that input the one above has to be covered.
        hypotheses = (*base, meaning.first_to_fail(tag))
        what = f"input that fails {tag} raises an error"
        note = ""
        if any(e.term is meaning.first_to_fail(tag) for e in meaning.errors):
            note = "by construction: an error is the negation of the constraint"
        return Statement(meaning.given, hypotheses, (Claim(hypotheses, meaning.failing, what),), note=note)

    return build


def _exclusive(section: Section) -> Callable[[Context], Statement]:
    """State that input which meets every restriction and constraint meets no error: valid input has a result only.

    An error that is true of valid input besides would leave it to an implementation which of the two it gives (twins
    error_covers_too_much, reducemax_error_for_all_axes).
    """

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        base = (*meaning.hypotheses, meaning.valid)
        variables = list(meaning.given)
        if meaning.output_clauses:
            made, tensors, kinds = free_outputs(meaning, "")
            variables += made
            base = (*base, *kinds, *spoken_of(meaning, tensors))
        failures = {meaning.first_to_fail(c.tag) for c in meaning.constraints}
        note = ""
        if all(e.term in failures for e in meaning.errors):
            note = "by construction: each error is the negation of a constraint"
        tags = ", ".join(e.tag for e in meaning.errors)
        what = f"input that satisfies every constraint raises no error ({tags})"
        return Statement(tuple(variables), base, (Claim(base, not_(meaning.failing), what),), note=note)

    return build


def _holds(section: Section, clause: s.Clause) -> Obligation:
    """The obligation that a constraint about outputs follows from shape and value: a text that demands more of a result
    than it computes has no implementation."""

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        what = f"{clause.tag} follows from shape and value: {clause.title}"
        results = only_results(meaning)
        if meaning.families and results is not None:
            # Whatever conforms to a text of one result equals it (`determined`), so a statement about it is one about
            # all results. With free outputs instead nobody finds counterexamples: each member would have to be guessed.
            hypotheses = (*meaning.hypotheses, meaning.valid, not_(meaning.erring))
            goal = meaning.output_condition(clause, results)
            return Statement(meaning.given, hypotheses, (Claim(hypotheses, goal, what),))
        made, tensors, kinds = free_outputs(meaning, "")
        # `conforms` takes in every constraint about outputs: with the clause itself among them it would follow from
        # itself.
        by_rules = replace(meaning, output_clauses=[]).conforms(tensors)
        hypotheses = (*meaning.hypotheses, meaning.valid, not_(meaning.erring), *kinds, by_rules)
        goal = meaning.output_condition(clause, tensors)
        return Statement((*meaning.given, *made), hypotheses, (Claim(hypotheses, goal, what),))

    return section.obligation(clause.tag, Kind.HOLDS, clause.span, None if clause.body is None else build)
