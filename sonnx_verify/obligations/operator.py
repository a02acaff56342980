"""The obligations of one operator specification about itself; here those of errors and of what outputs have to meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.terms import not_
from sonnx_verify.obligations import determined, general, satisfiability, side_conditions
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.outputs import free_outputs
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind


def obligations_of(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """All obligations of a section about itself; `meaning` is any elaboration of it, to know which clauses it has."""
    checked = section.file.kind in ("profile", "draft", "user")
    yield from general.obligations_of(section, meaning)
    yield from side_conditions.obligations_of(section, meaning)
    for name in meaning.values:
        yield determined.obligation_of(section, meaning, checked, name)
    if checked:
        yield from _errors(section, meaning)
        for clause in meaning.output_clauses:
            if meaning.values:
                yield _holds(section, clause)
    yield from satisfiability.obligations_of(section, meaning, checked)


def _errors(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """covered and exclusive: errors are the complement of the constraints."""
    for statement in meaning.constraints:
        yield section.obligation(
            statement.tag, Kind.COVERED, statement.clause.span, _covered(section, statement.tag), statement.clause.title
        )
    if meaning.errors:
        clauses = [c.clause for c in meaning.constraints] + meaning.output_clauses
        for clause in clauses:
            yield section.obligation(clause.tag, Kind.EXCLUSIVE, clause.span, _exclusive(section), clause.title)


def _covered(section: Section, tag: str) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        base = (*meaning.hypotheses, *meaning.arity, *(r.known for r in meaning.restrictions))
        # Where one above fails, this one need not mean anything: of that input the one above has to be covered.
        hypotheses = (*base, meaning.first_to_fail(tag))
        construction = any(e.term is meaning.first_to_fail(tag) for e in meaning.errors)
        inputs = meaning.given
        what = f"input that fails {tag} meets an error"
        note = "by construction: an error is the negation of the constraint" if construction else ""
        return Statement(inputs, hypotheses, (Claim(hypotheses, meaning.failing, what),), note=note)

    return build


def _exclusive(section: Section) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        base = (*meaning.hypotheses, meaning.valid)
        variables = list(meaning.given)
        if meaning.output_clauses:
            made, tensors, kinds = free_outputs(meaning, "")
            variables += made
            spoken = (meaning.output_condition(c, tensors) for c in meaning.output_clauses if c.body is not None)
            base = (*base, *kinds, *spoken)
        construction = all(
            any(e.term is meaning.first_to_fail(c.tag) for c in meaning.constraints) for e in meaning.errors
        )
        note = "by construction: each error is the negation of a constraint" if construction else ""
        tags = ", ".join(e.tag for e in meaning.errors)
        what = f"input that meets every constraint meets no error ({tags})"
        return Statement(tuple(variables), base, (Claim(base, not_(meaning.failing), what),), note=note)

    return build


def _holds(section: Section, clause: s.Clause) -> Obligation:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        made, tensors, kinds = free_outputs(meaning, "")
        inputs = meaning.given
        meaning = replace(meaning, output_clauses=[])
        hypotheses = (*meaning.hypotheses, meaning.valid, not_(meaning.erring), *kinds, meaning.conforms(tensors))
        goal = meaning.output_condition(clause, tensors)
        what = f"{clause.tag} follows from shape and value: {clause.title}"
        return Statement((*inputs, *made), hypotheses, (Claim(hypotheses, goal, what),))

    return section.obligation(clause.tag, Kind.HOLDS, clause.span, build if clause.body is not None else None)
