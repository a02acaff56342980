"""What the obligations of a formula state: that a clause, the elements of an output or a `let` is equivalent to what
was read, or that what a page claims follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sonnx_verify.equivalence.sameness import same
from sonnx_verify.errors import Source, UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.enclosure import Place
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.parser import parse_expression
from sonnx_verify.language.values import Position, Value
from sonnx_verify.logic.sorts import INDEX, INT
from sonnx_verify.logic.terms import TRUE, Term, eq, forall_index, implies, not_, or_, placeholder, substitute
from sonnx_verify.obligations.obligation import Claim, Statement
from sonnx_verify.obligations.section import Section
from sonnx_verify.obligations.side_conditions import before
from sonnx_verify.pages.formulas.equations import Defined
from sonnx_verify.pages.formulas.stated import Claimed

Build = Callable[[Context], Statement]


def parsed(tag: str, text: str) -> s.Expression:
    return parse_expression(Source(f"what the page states of {tag}", text))


def of_clause(section: Section, tag: str, text: str) -> Build:
    node = parsed(tag, text)

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        statement = next(x for x in (*meaning.restrictions, *meaning.constraints, *meaning.errors) if x.tag == tag)
        clause = statement.clause
        elaborator = Elaborator(section.project.library(section.unit), context, section.file.index_base)
        known = len(context.sides)
        with context.at(f"page {tag}"), context.arithmetic(clause.arithmetic, clause.span):
            term = elaborator.condition(node, meaning.inputs)
        what = f"the page states of {tag} what the formal text states"
        return _statement(meaning, before(meaning, Place(tag)), tag, context, known, eq(statement.known, term), what)

    return build


def of_claim(claim: Claimed, said: str, section: Section, tag: str, _: str) -> Build:
    """What the tags say, and all that stands before the last of them, excludes or ensures what is `said`."""
    node = parsed(tag, said)

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        every = [*meaning.restrictions, *meaning.constraints]
        last = max(n for n, x in enumerate(every) if x.tag in claim.tags)
        hypotheses = (*meaning.hypotheses, *meaning.arity, *(x.known for x in every[: last + 1]))
        elaborator = Elaborator(section.project.library(section.unit), context, section.file.index_base)
        known = len(context.sides)
        with context.at(f"page {tag}"):
            term = elaborator.condition(node, meaning.inputs)
        what = f"{' and '.join(claim.tags)} {'excludes' if claim.excludes else 'ensures'} what the page says"
        goal = not_(term) if claim.excludes else term
        return _statement(meaning, hypotheses, tag, context, known, goal, what)

    return build


def of_value(one: Defined, section: Section, tag: str, text: str) -> Build:
    node = parsed(tag, text)

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        shape = meaning.shapes.get(one.name)
        if shape is None or one.name in meaning.members:
            raise UserError("the formal text gives a set of results, or no shape")
        families = ("", context.family)
        rule = next(
            r for r in section.file.rules if r.output == one.name and r.what == "value" and r.family in families
        )
        asked, sort = meaning.asked.get(one.name, TRUE), next(v.sort for v in meaning.outputs if v.name == one.name)
        elaborator = Elaborator(section.project.library(section.unit), context, section.file.index_base)
        known, index = len(context.sides), placeholder(INDEX)
        with (
            context.at(f"page {tag}"),
            context.assuming(asked),
            context.indexing(shape.rank, shape.dim, index),
            context.arithmetic(rule.arithmetic, rule.span),
        ):
            value = elaborator.value(node, {**meaning.inputs, f"{one.reads[0]}_": Position(index, shape.rank)})
            if context.exact and isinstance(value, Term) and value.sort == INT:
                value = elaborator.numbers.held(value, sort, one.span)
        if not isinstance(value, Term) or value.sort != sort:
            raise UserError("the formula of the page is no element of the output")
        made, free = value, meaning.unspecified_values.get(one.name, [])

        def at(i: Term) -> Term:
            position = Position(i, shape.rank)
            agree = eq(meaning.values[one.name](position), substitute(made, {index: i}))
            return or_(*(left_open(position) for left_open in free), agree)

        goal = implies(asked, or_(meaning.unspecified_shape, forall_index(shape.rank, shape.dim, at)))
        what = f"the page gives {one.name} the elements that the formal text gives"
        return _statement(meaning, before(meaning, Place(tag)), tag, context, known, goal, what)

    return build


def of_let(one: Defined, section: Section, tag: str, text: str) -> Build:
    node = parsed(tag, text)

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        elaborator = Elaborator(section.project.library(section.unit), context, section.file.index_base)
        known = len(context.sides)
        with context.at(f"page {tag}"):
            value: Value = elaborator.value(node, meaning.inputs)
        goal = same(meaning.inputs[tag], value)
        if goal is None:
            raise UserError(f"`{tag}` is another kind of thing in the formal text")
        what = f"the page defines {tag} as the formal text does"
        return _statement(meaning, before(meaning, Place(tag)), tag, context, known, goal, what)

    return build


def _statement(
    meaning: Meaning,
    hypotheses: tuple[Term, ...],
    tag: str,
    context: Context,
    known: int,
    goal: Term,
    what: str,
) -> Statement:
    """The claims: what the formula of the page needs to mean anything follows, and so does what is claimed of it."""
    sides: Sequence[Term] = [side.formula for side in context.sides[known:]]
    del context.sides[known:]
    claims = [Claim(hypotheses, side, f"what the page states of {tag} means something", side=True) for side in sides]
    claims.append(Claim((*hypotheses, *sides), goal, what))
    return Statement(meaning.given, hypotheses, tuple(claims))
