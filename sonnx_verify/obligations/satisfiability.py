"""satisfiable and independent: every clause admits some input, excludes some, and is needed."""

from __future__ import annotations

from collections.abc import Iterator

from sonnx_verify.errors import Span
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Branch, Context
from sonnx_verify.language.enclosure import Place
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.meaning import Statement as ClauseMeaning
from sonnx_verify.logic.terms import Term, and_, not_, or_
from sonnx_verify.logic.verdict import VerdictName, undecided
from sonnx_verify.obligations.obligation import Obligation, Statement, Wanted
from sonnx_verify.obligations.orders import class_wanted
from sonnx_verify.obligations.outputs import free_outputs
from sonnx_verify.obligations.refinement import accepts, standard_of
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind


def obligations_of(section: Section, meaning: Meaning, checked: bool) -> Iterator[Obligation]:
    """Of the text, of each clause, of the classes of its orders; that clauses are needed where they are `checked`."""
    yield _satisfiable(section)
    for statement in (*meaning.restrictions, *meaning.constraints, *meaning.errors):
        yield _clause_satisfiable(section, statement)
    for order in section.file.orders:
        yield from _classes(section, order)
    if checked:
        for statement in (*meaning.restrictions, *meaning.constraints):
            yield _independent(section, statement)


def _satisfiable(section: Section) -> Obligation:
    """Valid inputs exist, and every `if` of the definitions goes both ways on some of them."""

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        variables = meaning.given
        valid = (*meaning.hypotheses, meaning.valid)
        if meaning.output_clauses or not meaning.shapes:
            made, tensors, kinds = free_outputs(meaning, "")
            variables = (*variables, *made)
            spoken = (meaning.output_condition(c, tensors) for c in meaning.output_clauses if c.body is not None)
            valid = (*valid, *kinds, *spoken)
        wanted = [Wanted(valid, "valid input", "no input is valid")]
        ways: dict[Span, list[Branch]] = {}
        for branch in context.branches:
            ways.setdefault(branch.span, []).append(branch)
        for span, branches in ways.items():
            for way, never in (
                ("then", and_(*(b.never_then for b in branches))),
                ("else", and_(*(b.never_else for b in branches))),
            ):
                what = f"the `{way}` of {span}"
                wanted.append(Wanted((*valid, not_(never)), f"{what} is reached", f"{what} is never reached"))
        return Statement(variables, wanted=tuple(wanted))

    assert section.file.span is not None
    return section.obligation("spec", Kind.SATISFIABLE, section.file.span, build)


def _clause_satisfiable(section: Section, statement: ClauseMeaning) -> Obligation:
    tag = statement.tag
    if statement.term is None:
        return _outside(section, statement, Kind.SATISFIABLE)

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        term = _find(meaning, tag).known
        variables = meaning.given
        base = (*meaning.hypotheses, *meaning.arity)
        return Statement(
            variables,
            wanted=(
                Wanted((*base, term), f"{tag} admits", f"{tag} admits no input"),
                Wanted((*base, not_(term)), f"{tag} excludes", f"{tag} excludes no input"),
            ),
        )

    return section.obligation(tag, Kind.SATISFIABLE, statement.clause.span, build, statement.clause.title)


def _outside(section: Section, statement: ClauseMeaning, kind: Kind) -> Obligation:
    obligation = section.obligation(statement.tag, kind, statement.clause.span, None, statement.clause.title)
    obligation.answer = undecided(VerdictName.UNSUPPORTED, "outside the model: no claim is made about this clause")
    obligation.expected = VerdictName.UNSUPPORTED
    return obligation


def _find(meaning: Meaning, tag: str) -> ClauseMeaning:
    return next(x for x in (*meaning.restrictions, *meaning.constraints, *meaning.errors) if x.tag == tag)


def _classes(section: Section, order: s.OrderDefinition) -> Iterator[Obligation]:
    """Each class of an order by classes has a member."""
    if order.family == section.family:
        for place, one in enumerate(order.classes):
            build = class_wanted(section.project.library(section.unit), order, place)
            tag, where = f"{order.name}.{one.name}", one.condition.span
            yield section.obligation(tag, Kind.SATISFIABLE, where, build, own_names=True)


def where_it_speaks(meaning: Meaning, other: ClauseMeaning, statement: ClauseMeaning) -> Term:
    """What another clause says. One below may rely on this one, and says nothing where it has no meaning without it."""
    if other.clause.place < statement.clause.place:
        return other.known
    places = {Place(other.tag), *(Place(let.name) for let in meaning.file.lets if let.place < other.clause.place)}
    needed = and_(*(side.formula for side in meaning.context.sides if side.place in places))
    return or_(not_(needed), other.known)


def _independent(section: Section, statement: ClauseMeaning) -> Obligation:
    tag = statement.tag
    if statement.term is None:
        return _outside(section, statement, Kind.INDEPENDENT)

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        variables = meaning.given
        mine = [x for x in (*meaning.restrictions, *meaning.constraints)]
        others = [where_it_speaks(meaning, x, statement) for x in mine if x.tag != tag]
        conditions = [*meaning.hypotheses, *meaning.arity, *others]
        from_standard = ""
        term = _find(meaning, tag)
        standard = standard_of(section, meaning, context)
        if standard is not None and term.clause.kind == "restriction":
            conditions += [accepts(standard)]
            from_standard = " and the standard's constraints"
        names = ", ".join(x.tag for x in mine if x.tag != tag) or "nothing else"
        what = f"{tag} is redundant: it follows from {names}{from_standard}"
        wanted = Wanted((*conditions, not_(term.known)), f"input that {tag} alone rejects", what)
        return Statement(variables, wanted=(wanted,))

    return section.obligation(tag, Kind.INDEPENDENT, statement.clause.span, build, statement.clause.title)
