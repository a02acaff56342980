"""The input that a clause excludes beside the others, and which of the others say the same already."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.logic.terms import Term, not_
from sonnx_verify.obligations.obligation import Obligation, Statement, Wanted
from sonnx_verify.obligations.refinement import standard_of
from sonnx_verify.obligations.satisfiability import where_it_speaks
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind


@dataclass(frozen=True, slots=True)
class Besides:
    """A clause and the conditions that it is held against: `declared` is what the declarations say, `others` what each
    other clause says, by the name it is called, in the same places whatever T is; `excluded` is true of the input that
    the clause rejects, or calls an error."""

    declared: tuple[Term, ...]
    others: tuple[tuple[str, Term], ...]
    excluded: Term


def besides(section: Section, context: Context, tag: str) -> Besides:
    """The parts of what `independent` asks of a clause, with the clauses of the standard one by one. An error is held
    against the other errors, on input that the restrictions accept."""
    meaning = section.meaning(context)
    declared = (*meaning.hypotheses, *meaning.arity)
    error = next((e for e in meaning.errors if e.tag == tag), None)
    # An error rejects input where it applies: it says nothing if others apply wherever it does.
    if error is not None:
        declared = (*declared, *(r.known for r in meaning.restrictions))
        others = [(e.tag, not_(e.known)) for e in meaning.errors if e.tag != tag]
        return Besides(declared, tuple(others), error.known)
    mine = (*meaning.restrictions, *meaning.constraints)
    clause = next(x for x in mine if x.tag == tag)
    others = [(x.tag, where_it_speaks(meaning, x, clause)) for x in mine if x.tag != tag]
    standard = standard_of(section, meaning, context)
    if standard is not None and clause.clause.kind is s.ClauseKind.RESTRICTION:
        refines = section.file.refines
        assert refines is not None
        name = f"{refines.namespace}.{refines.operator}-{refines.version}"
        # One by one, so that the answer can name the clause of the standard which says the same.
        others += [(f"the declarations of {name}", term) for term in standard.arity]
        others += [(f"{name}/{x.tag}", x.known) for x in (*standard.restrictions, *standard.constraints)]
        others += [(f"{name}/{e.tag}", not_(e.known)) for e in standard.errors]
    return Besides(declared, tuple(others), not_(clause.known))


def excluded_beside(section: Section, tag: str, chosen: Iterable[int] | None = None) -> Obligation:
    """The obligation that the clause excludes some input that the chosen others accept, or all of them; by their places
    in `others`. Violated where they imply it."""
    places = None if chosen is None else tuple(chosen)
    clause = next(c for c in section.file.clauses if c.tag == tag)

    def build(context: Context) -> Statement:
        held = besides(section, context, tag)
        # Their places are the same for each element type, though their terms are not.
        kept = [term for _, term in held.others]
        if places is not None:
            kept = [term for n, term in enumerate(kept) if n in places]
        what = f"the other clauses imply {tag}"
        wanted = Wanted((*held.declared, *kept, held.excluded), f"input that only {tag} excludes", what)
        return Statement(section.meaning(context).given, wanted=(wanted,))

    return section.obligation(tag, Kind.INDEPENDENT, clause.span, build, clause.title)
