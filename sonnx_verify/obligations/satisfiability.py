"""satisfiable and independent: every clause admits some input, excludes some, and is needed. Trusted.

These are existential: each is shown by an input that the reference evaluator finds to meet the conditions, so only the
conditions could be wrong here. Of a text that no input meets, nothing else says anything (twin
restrictions_contradict).
"""

from __future__ import annotations

from collections.abc import Iterator

from sonnx_verify.kernel.frames import Place
from sonnx_verify.kernel.notes import Branch
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.meaning import Statement as ClauseMeaning
from sonnx_verify.logic.terms import Term, and_, not_, or_
from sonnx_verify.logic.verdict import VerdictName, undecided
from sonnx_verify.obligations.obligation import Obligation, Statement, Wanted
from sonnx_verify.obligations.orders import class_wanted
from sonnx_verify.obligations.outputs import free_outputs, spoken_of
from sonnx_verify.obligations.refinement import accepts, standard_of
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind
from sonnx_verify.sources import Span


def obligations_of(section: Section, meaning: Meaning, *, checked: bool) -> Iterator[Obligation]:
    """satisfiable of the text, of each clause, of the classes of its orders; independent of each clause where these are
    `checked`."""
    yield _satisfiable(section)
    for statement in (*meaning.restrictions, *meaning.constraints, *meaning.errors):
        yield _clause_satisfiable(section, statement)
    for order in section.file.orders:
        yield from _classes(section, order)
    if checked:
        for statement in (*meaning.restrictions, *meaning.constraints):
            yield _independent(section, statement)


def _satisfiable(section: Section) -> Obligation:
    """Valid inputs exist, and every `if` of the text goes both ways on some of them.

    A way that none goes was meant for some input, and is written for none: as `if rank(X) < 0 then ..`. In a library it
    is meant for others: whoever has excluded NaN need not reach what a definition there does with it.
    """
    assert section.file.span is not None
    own = section.file.span.source

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        variables = meaning.given
        valid = (*meaning.hypotheses, meaning.valid)
        # Some output has to meet the constraints about outputs as well, for the input to be valid of anything.
        if meaning.output_clauses or not meaning.shaped:
            made, tensors, kinds = free_outputs(meaning, "")
            variables = (*variables, *made)
            valid = (*valid, *kinds, *spoken_of(meaning, tensors))
        wanted = [Wanted(valid, "valid input", "no input is valid")]
        # A definition is used in several places, and a way of its `if` is reached if one of them reaches it.
        uses: dict[Span, list[Branch]] = {}
        for branch in context.branches:
            if branch.span.source is own:
                uses.setdefault(branch.span, []).append(branch)
        for span, branches in uses.items():
            for way, never in (("then", [b.never_then for b in branches]), ("else", [b.never_else for b in branches])):
                what = f"the `{way}` of {span}"
                wanted.append(Wanted((*valid, not_(and_(*never))), f"{what} is reached", f"{what} is never reached"))
        return Statement(variables, wanted=tuple(wanted))

    return section.obligation("spec", Kind.SATISFIABLE, section.file.span, build)


def _clause_satisfiable(section: Section, statement: ClauseMeaning) -> Obligation:
    tag = statement.tag
    # A clause such as "the input fits into memory" has no term: there is nothing that an input could meet.
    if statement.term is None:
        return _outside(section, statement, Kind.SATISFIABLE)

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        term = _find(meaning, tag).known
        # By itself, whatever the other clauses say: twin shapes_of_the_first makes a C1 that excludes nothing.
        base = (*meaning.hypotheses, *meaning.arity)
        admits = Wanted((*base, term), f"{tag} admits", f"{tag} admits no input")
        excludes = Wanted((*base, not_(term)), f"{tag} excludes", f"{tag} excludes no input")
        return Statement(meaning.given, wanted=(admits, excludes))

    return section.obligation(tag, Kind.SATISFIABLE, statement.clause.span, build, statement.clause.title)


def _outside(section: Section, statement: ClauseMeaning, kind: Kind) -> Obligation:
    """The obligation of a clause that is a sentence only: nothing is claimed of it, which the report says."""
    obligation = section.obligation(statement.tag, kind, statement.clause.span, None, statement.clause.title)
    obligation.answer = undecided(VerdictName.UNSUPPORTED, "outside the model: no claim is made about this clause")
    obligation.expected = VerdictName.UNSUPPORTED
    return obligation


def _find(meaning: Meaning, tag: str) -> ClauseMeaning:
    return next(x for x in (*meaning.restrictions, *meaning.constraints, *meaning.errors) if x.tag == tag)


def _classes(section: Section, order: s.OrderDefinition) -> Iterator[Obligation]:
    """The obligations that each class of an order by classes has a member."""
    if order.family != section.family:
        return
    for place, one in enumerate(order.classes):
        build = class_wanted(section.project.library(section.unit), order, place)
        tag = f"{order.name}.{one.name}"
        yield section.obligation(tag, Kind.SATISFIABLE, one.condition.span, build, own_names=True)


def where_it_speaks(meaning: Meaning, other: ClauseMeaning, statement: ClauseMeaning) -> Term:
    """The condition that another clause is beside this one. One below may rely on this one, and says nothing where it
    has no meaning without it.

    `[C2] X.shape[a] > 0` below `[C1] 0 <= a < rank(X)`: on input that fails C1, the size on axis a may be anything, and
    would decide for or against at random. So C2 is kept as "0 <= a < rank(X) implies X.shape[a] > 0".
    """
    if other.clause.place < statement.clause.place:
        return other.known
    lets = [let for let in meaning.lets if let.place < other.clause.place]
    places = {Place(other.tag), *(Place(let.name) for let in lets)}
    # The needs of a `let` above are those of the clause too, which may use it.
    needed = and_(*(side.formula for side in meaning.context.sides if side.place in places))
    return or_(not_(needed), other.known)


def _independent(section: Section, statement: ClauseMeaning) -> Obligation:
    """Some input is rejected by this clause alone: without it, other input would be accepted.

    A restriction has to reject input that the standard accepts besides: it is there to make the profile smaller than
    the standard (twins restriction_repeated, reducemax_restriction_repeated).
    """
    tag = statement.tag
    if statement.term is None:
        return _outside(section, statement, Kind.INDEPENDENT)

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        others = [x for x in (*meaning.restrictions, *meaning.constraints) if x.tag != tag]
        beside = [where_it_speaks(meaning, x, statement) for x in others]
        conditions = [*meaning.hypotheses, *meaning.arity, *beside]
        from_standard = ""
        term = _find(meaning, tag)
        standard = standard_of(section, meaning, context)
        # A constraint is there for the errors: the standard may reject the same input, in its own way.
        if standard is not None and term.clause.kind is s.ClauseKind.RESTRICTION:
            conditions += [accepts(standard)]
            from_standard = " and the standard's constraints"
        names = ", ".join(x.tag for x in others) or "nothing else"
        what = f"{tag} is redundant: it follows from {names}{from_standard}"
        wanted = Wanted((*conditions, not_(term.known)), f"input that {tag} alone rejects", what)
        return Statement(meaning.given, wanted=(wanted,))

    return section.obligation(tag, Kind.INDEPENDENT, statement.clause.span, build, statement.clause.title)
