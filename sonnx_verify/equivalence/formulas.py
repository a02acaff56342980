"""Statements that an expression written elsewhere, as on a page, says what a part of a text says.

In: a section, the tag of one of its parts, and an expression of the language. Out: for each, how its statement is
built: that the expression means something where the part is read, and that it is a condition equivalent to the clause,
the elements of an output, the value of a `let`, or a condition that some clauses exclude or ensure. Nothing is decided
here. The hypotheses are those of the part itself (side_conditions.before): a formula beside a clause is read where the
clauses above it hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sonnx_verify.equivalence.sameness import needs_no_more, same
from sonnx_verify.errors import UserError
from sonnx_verify.kernel.frames import Place
from sonnx_verify.kernel.values import Position, Value
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.sorts import INDEX, INT
from sonnx_verify.logic.terms import TRUE, Term, eq, forall_index, implies, not_, or_, placeholder, substitute
from sonnx_verify.obligations.obligation import Claim, Statement
from sonnx_verify.obligations.section import Section
from sonnx_verify.obligations.side_conditions import before
from sonnx_verify.sources import Span

Build = Callable[[Context], Statement]


def same_clause(section: Section, tag: str, node: s.Expression) -> Build:
    """State that a condition holds exactly where the clause does."""

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        statement = next(x for x in (*meaning.restrictions, *meaning.constraints, *meaning.errors) if x.tag == tag)
        clause = statement.clause
        reading = _Reading(section, meaning, tag)
        with reading.here, context.arithmetic(clause.arithmetic, clause.span):
            term = reading.elaborator.condition(node, meaning.inputs)
        what = f"the page states {tag} as the formal text does"
        return reading.statement(meaning, before(meaning, Place(tag)), eq(statement.known, term), what)

    return build


def follows(section: Section, tag: str, node: s.Expression, tags: Sequence[str], *, excluded: bool) -> Build:
    """State that some clauses, with all that stands before the last of them, exclude or ensure a condition."""

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        every = [*meaning.restrictions, *meaning.constraints]
        # A page says "the axes are distinct" beside R2 of what R1 and R2 leave: those above count as well.
        last = max(n for n, x in enumerate(every) if x.tag in tags)
        hypotheses = (*meaning.hypotheses, *meaning.arity, *(x.known for x in every[: last + 1]))
        reading = _Reading(section, meaning, tag)
        with reading.here:
            term = reading.elaborator.condition(node, meaning.inputs)
        verb, goal = "ensures", term
        if excluded:
            verb, goal = "excludes", not_(term)
        what = f"{' and '.join(tags)} {verb} what the page says"
        return reading.statement(meaning, hypotheses, goal, what)

    return build


def same_elements(section: Section, tag: str, node: s.Expression, output: str, index: str, span: Span) -> Build:
    """State that an expression is the element of an output at each index; `index` is the name of that in the
    expression. Raises UserError where the output has no one shape and result, or the expression is no element."""

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        if output in meaning.families:
            raise UserError("the formal text gives a family of outputs")
        shape = meaning.shapes.get(output)
        if shape is None or output in meaning.members:
            raise UserError("the formal text gives a set of results, or no shape")
        values = [r for r in section.file.rules if r.output == output and r.what is s.RuleKind.VALUE]
        rule = next(r for r in values if r.family in ("", context.family))
        asked, sort = meaning.asked.get(output, TRUE), next(v.sort for v in meaning.outputs if v.name == output)
        position = placeholder(INDEX)
        names: Mapping[str, Value] = {**meaning.inputs, index: Position(position, shape.rank)}
        reading = _Reading(section, meaning, tag)
        with (
            reading.here,
            context.assuming(asked),
            context.indexing(shape, position),
            context.arithmetic(rule.arithmetic, rule.span),
        ):
            value = reading.elaborator.value(node, names)
            # In an `exact` clause an integer has to be one that the type holds, as an element of the output is.
            if context.exact and isinstance(value, Term) and value.sort == INT:
                value = reading.elaborator.numbers.exact_element(value, sort, span)
        if not isinstance(value, Term) or value.sort != sort:
            raise UserError("the formula of the page is not an element of the output")
        made, free = value, meaning.unspecified_values.get(output, [])

        def at(i: Term) -> Term:
            agree = eq(meaning.values[output](i), substitute(made, {position: i}))
            # Where the text leaves the element open, the page may say what it likes.
            return or_(*(left_open(i) for left_open in free), agree)

        goal = implies(asked, or_(meaning.unspecified_shape, forall_index(shape.rank, shape.dim, at)))
        what = f"the page gives {output} the elements that the formal text gives"
        return reading.statement(meaning, before(meaning, Place(tag)), goal, what)

    return build


def same_let(section: Section, tag: str, node: s.Expression) -> Build:
    """State that an expression is the value of a `let`. Raises UserError where it is another kind of thing."""

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        reading = _Reading(section, meaning, tag)
        with reading.here:
            value = reading.elaborator.value(node, meaning.inputs)
        goal = same(meaning.inputs[tag], value)
        if goal is None:
            raise UserError(f"`{tag}` has a different kind in the formal text")
        what = f"the page defines {tag} as the formal text does"
        return reading.statement(meaning, before(meaning, Place(tag)), goal, what)

    return build


class _Reading:
    """An expression elaborated beside a part of a text: what it needs to mean anything is asked of it, and is none of
    the text's own side conditions."""

    def __init__(self, section: Section, meaning: Meaning, tag: str) -> None:
        context = meaning.context
        self.elaborator = Elaborator(section.project.library(section.unit), context, section.file.index_base)
        self.elaborator.calls.within(section.file, meaning.inputs)
        self.here = context.at(f"page {tag}")
        self._sides, self._known, self._tag = context.sides, len(context.sides), tag

    def statement(self, meaning: Meaning, hypotheses: tuple[Term, ...], goal: Term, what: str) -> Statement:
        """Claim that the expression means something, and the goal of what it means."""
        # They are noted in the context of the text: left there, they would be asked of the text itself.
        needed = [side.formula for side in self._sides[self._known :]]
        del self._sides[self._known :]
        claims = needs_no_more(hypotheses, (), needed, f"the page's statement of {self._tag} is well-defined")
        # Where the expression means nothing the claims above fail; this one may suppose that it means something.
        claims.append(Claim((*hypotheses, *needed), goal, what))
        return Statement(meaning.given, hypotheses, tuple(claims))
