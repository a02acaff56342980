"""Obligations that a formula of a page says what its clause says: of a tag, of an output's elements, of a `let`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from sonnx_verify.errors import Source, Span, UserError
from sonnx_verify.formulas.definitions import Defined, Definitions
from sonnx_verify.formulas.notation import Notation
from sonnx_verify.formulas.reader import Reader
from sonnx_verify.formulas.stated import Claimed, by_family, claims, condition_of
from sonnx_verify.formulas.words import Unread
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.parser import parse_expression
from sonnx_verify.language.project import Project
from sonnx_verify.language.values import Position, Value
from sonnx_verify.logic.sorts import ELEMENT, INDEX, INT
from sonnx_verify.logic.terms import TRUE, Term, eq, forall_index, implies, not_, or_, placeholder, substitute
from sonnx_verify.mutation.sameness import same
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.section import Section, sorts
from sonnx_verify.obligations.side_conditions import before
from sonnx_verify.pages.page import Page

KIND, CLAIM = "page", "claim"
_NAME = re.compile(r"\w+")
STATED = ("restriction", "constraint", "error")


@dataclass(frozen=True, slots=True)
class Agreement:
    """A formula of a page beside what it is about: the family, the tag of the clause or `Y.value` or the name of a
    `let`, where it stands, and the obligation that both say the same; None where it is not read, and why not."""

    family: str
    tag: str
    span: Span
    text: str
    obligation: Obligation | None
    unread: str = ""
    statement: Statement | None = None
    """What the obligation says of the first element type of the family."""
    lets: tuple[str, ...] = ()
    """The names that `let` items give which it was read with."""

    @property
    def kind(self) -> str:
        """`page` or `claim`."""
        return "" if self.obligation is None else self.obligation.kind


def agreements(project: Project, unit: Unit, page: Page) -> Iterator[Agreement]:
    """Of everything that the page states by a formula, or in words like one, and the formal text too; of each family,
    in the order of the page."""
    file = unit.file
    assert file is not None
    library = project.library(unit)
    there = Definitions.of(page, list(by_family(page).items()))
    for x in instances(file):
        section = Section(project, unit, x.name, x.family, sorts(x.types), x.variables)
        meaning = section.meaning(section.context(ELEMENT))
        names = [name for name in meaning.inputs if name.isidentifier()]
        notation = Notation.of(names, library, [c.tag for c in meaning.constraints])
        notation.doubtful = there.doubtful
        for one in there.read:
            if one.name not in there.doubtful and not one.reads:
                notation.define(one.name, one.macro)
        parts = (
            _of_tags(section, meaning, page, notation),
            _of_definitions(section, meaning, [d for d in there.read if d.family == x.family], notation),
            _of_claims(section, meaning, page, notation),
        )
        for made in chain(*parts):
            if made.obligation is not None:
                made.obligation.library = library
            lets = {let.name for let in file.lets}
            yield replace(made, lets=tuple(sorted(lets.intersection(_NAME.findall(made.text)))))


def _of_tags(section: Section, meaning: Meaning, page: Page, notation: Notation) -> Iterator[Agreement]:
    clauses = {x.tag: x for x in (*meaning.restrictions, *meaning.constraints, *meaning.errors) if x.term is not None}
    for tag in (t for part in by_family(page).get(section.family, []) for t in part.tags):
        clause = clauses.get(tag.name)
        if clause is None or tag.kind not in STATED:
            continue
        try:
            text = Reader(condition_of(page, tag), notation).condition()
        except Unread as unread:
            yield Agreement(section.name, tag.name, tag.span, "", None, unread.message)
            continue
        yield _checked(section, tag.name, tag.span, text, _of_clause, clause.clause.title)


def _of_definitions(
    section: Section, meaning: Meaning, own: Sequence[Defined], notation: Notation
) -> Iterator[Agreement]:
    outputs = {v.name for v in meaning.outputs}
    lets = {let.name for let in section.file.lets}
    for one in own:
        macro = one.macro
        if one.name in outputs and len(one.reads) == 1 and not macro.parameters and one.name in meaning.values:
            yield _defined(section, f"{one.name}.value", one, notation, _of_value)
        elif one.name in notation.doubtful and notation.knows(one.name):
            yield Agreement(section.name, one.name, one.span, "", None, "the page says more of it than is read")
        elif one.name in lets and not one.reads and not macro.parameters:
            yield _defined(section, one.name, one, _before_let(section, notation, one.name), _of_let)
        elif notation.knows(one.name):
            yield Agreement(section.name, one.name, one.span, "", None, "the page defines it in another form")


def _of_claims(section: Section, meaning: Meaning, page: Page, notation: Notation) -> Iterator[Agreement]:
    known = {x.tag for x in (*meaning.restrictions, *meaning.constraints) if x.term is not None}
    for claim in claims(page, section.family):
        if known.issuperset(claim.tags):
            tag = f"{' and '.join(claim.tags)}, line {claim.span.line}"
            try:
                text = Reader(claim.words, notation).condition()
            except Unread as unread:
                yield Agreement(section.name, tag, claim.span, "", None, unread.message)
                continue
            if claim.excludes and "for all" in text:
                why = "whether all or each is excluded is not said"
                yield Agreement(section.name, tag, claim.span, text, None, why)
                continue
            shown = f"not {text}" if claim.excludes else text
            yield _checked(section, tag, claim.span, shown, partial(_of_claim, claim, text), claim.said, CLAIM)


def _before_let(section: Section, notation: Notation, name: str) -> Notation:
    """The names that stand above a `let`: nothing is proved by itself."""
    place = next(let.place for let in section.file.lets if let.name == name)
    later = {let.name for let in section.file.lets if let.place >= place}
    return replace(notation, names=notation.names - later)


Build = Callable[[Context], Statement]
Builder = Callable[[Defined, Section, str, str], Build]


def _defined(section: Section, tag: str, one: Defined, notation: Notation, made_by: Builder) -> Agreement:
    """The first way to read it that means something: `max` is of integers, or of elements."""
    result: Agreement | None = None
    for of_elements in (True, False):
        notation.of_elements = of_elements
        try:
            reader = Reader(one.macro.body, notation, {name: f"{name}_" for name in one.reads}, (one.key,))
            text = reader.value_or_set()
        except Unread as unread:
            result = result or Agreement(section.name, tag, one.span, "", None, unread.message)
        else:
            found = _checked(section, tag, one.span, text, partial(made_by, one), tag)
            if found.obligation is not None:
                return found
            result = found
        finally:
            notation.of_elements = False
    assert result is not None
    return result


def _checked(
    section: Section,
    tag: str,
    span: Span,
    text: str,
    make: Callable[[Section, str, str], Build],
    title: str,
    kind: str = KIND,
) -> Agreement:
    """The obligation, where the text means something for the section's types."""
    try:
        build = make(section, tag, text)
        build(section.context(ELEMENT))
        statement = build(section.context(next(iter(section.types), ELEMENT)))
    except UserError as problem:
        return Agreement(section.name, tag, span, text, None, problem.message)
    return Agreement(section.name, tag, span, text, section.obligation(tag, kind, span, build, title), "", statement)


def _parsed(tag: str, text: str) -> s.Node:
    return parse_expression(Source(f"what the page states of {tag}", text))


def _of_clause(section: Section, tag: str, text: str) -> Build:
    node = _parsed(tag, text)

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        statement = next(x for x in (*meaning.restrictions, *meaning.constraints, *meaning.errors) if x.tag == tag)
        clause = statement.clause
        elaborator = Elaborator(section.project.library(section.unit), context, section.file.index_base)
        known = len(context.sides)
        with context.at(f"page {tag}"), context.arithmetic(clause.arithmetic, clause.span):
            term = elaborator.condition(node, meaning.inputs)
        what = f"the page states of {tag} what the formal text states"
        return _statement(meaning, before(meaning, tag), tag, context, known, eq(statement.known, term), what)

    return build


def _of_claim(claim: Claimed, said: str, section: Section, tag: str, _: str) -> Build:
    """What the tags say, and all that stands before the last of them, excludes or ensures what is `said`."""
    node = _parsed(tag, said)

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


def _of_value(one: Defined, section: Section, tag: str, text: str) -> Build:
    node = _parsed(tag, text)

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
                value = elaborator.held(value, sort, one.span)
        if not isinstance(value, Term) or value.sort != sort:
            raise UserError("the formula of the page is no element of the output")
        made, free = value, meaning.unspecified_values.get(one.name, [])

        def at(i: Term) -> Term:
            position = Position(i, shape.rank)
            agree = eq(meaning.values[one.name](position), substitute(made, {index: i}))
            return or_(*(left_open(position) for left_open in free), agree)

        goal = implies(asked, or_(meaning.unspecified_shape, forall_index(shape.rank, shape.dim, at)))
        what = f"the page gives {one.name} the elements that the formal text gives"
        return _statement(meaning, before(meaning, tag), tag, context, known, goal, what)

    return build


def _of_let(one: Defined, section: Section, tag: str, text: str) -> Build:
    node = _parsed(tag, text)

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
        return _statement(meaning, before(meaning, tag), tag, context, known, goal, what)

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
