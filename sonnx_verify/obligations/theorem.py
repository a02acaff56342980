"""The obligations of theorems. Trusted.

A theorem is proved of free symbols: of every input that its declarations allow and that meets what it assumes. Besides,
every read in it is inside: `X[5] = X[5]` is not a law of lists (twins reads_not_asked, reads_below_0).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.values import Value
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole, typed, value_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.declare import declare
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.proof_scripts import lemmas_of, rests_on_axioms, taken_of, used_ids
from sonnx_verify.logic.sorts import INT, REAL
from sonnx_verify.logic.terms import ONE, TRUE, Term, add, and_, forall, implies, le, lt, placeholder
from sonnx_verify.obligations import presumed
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind


def obligations_of(section: Section) -> Iterator[Obligation]:
    """The theorems of a section, in the order of the text."""
    for theorem in section.file.theorems:
        yield obligation_of(section, theorem, theorem.name)


def obligation_of(section: Section, theorem: s.Theorem, tag: str) -> Obligation:
    """The obligation of a theorem, with what it uses; of an axiom, that it is tried. Raises SpecificationError for an
    axiom about anything but reals, or without a source."""
    if theorem.cited is not None:
        _check_axiom(theorem)
    build = statement_of(section, theorem)
    kind = Kind.THEOREM if theorem.cited is None else Kind.AXIOM
    made = section.obligation(tag, kind, theorem.span, build, theorem.title, own_names=True)
    library = section.project.library(section.unit)
    uses = used_ids(theorem.using, library, section.family, section.types, section.variables, theorem.span)
    made.uses = tuple(dict.fromkeys((*made.uses, *uses)))
    made.rests_on_axioms |= rests_on_axioms(theorem.using, library)
    made.source = theorem.cited or ""
    made.presumes = presumed.by_theorem(section.project, section.unit, theorem, section.family)
    return made


def _check_axiom(theorem: s.Theorem) -> None:
    # Of reals alone a solver knows less than people do. An axiom about tensors would be a theorem without a proof.
    for declared in theorem.declarations:
        if str(declared.type) != REAL.name or declared.high is not None:
            raise SpecificationError("an axiom is about reals alone", declared.span, "state a theorem, which is proved")
    if not theorem.cited:
        raise SpecificationError("an axiom without a source", theorem.span, 'cite one: `from "..."`')
    if not theorem.declarations:
        raise SpecificationError("an axiom is about some reals", theorem.span, "declare them: `for x : real`")


def statement_of(section: Section, theorem: s.Theorem) -> Callable[[Context], Statement]:
    """The theorem: its assumptions, what follows, and that every read in it is inside."""

    def build(context: Context) -> Statement:
        library = section.project.library(section.unit)
        # The restrictions of an operator that is applied become assumptions of the theorem, told in its record.
        context.universal = context.supposing = True
        elaborator = Elaborator(library, context)
        scope: dict[str, Value] = {}
        variables, hypotheses, where = declare(list(theorem.declarations), elaborator, scope, [], VariableRole.THEOREM)
        hypotheses += where
        typed_only = len(hypotheses)
        with context.at("assuming"):
            if theorem.assuming is not None:
                hypotheses.append(elaborator.condition(theorem.assuming, scope))
        early = list(context.sides)
        context.sides.clear()
        numbers = TRUE
        with context.at("statement"):
            if theorem.induction is None:
                goal = elaborator.condition(theorem.body, scope)
                claims = [Claim((), goal, theorem.title, lemmas=lemmas_of(theorem.using, elaborator, scope))]
            else:
                claims, numbers = _induction(theorem, theorem.induction, elaborator, scope)
        # An attribute that an operator was applied without is universal too: any integer of 64 bits, say.
        free = list(context.unwritten.values())
        attributes = [typed(v, bounded=True) for v in free if v.role is VariableRole.ATTRIBUTE]
        variables += free
        given = (*attributes, *hypotheses, *context.restrictions)
        # An assumption has to make sense before it is assumed: else `X[5] = 0` would allow a read at 5. And a statement
        # before it is true, under the assumptions alone.
        declared = (*attributes, *hypotheses[:typed_only])
        made = [Claim(declared, x.formula, f"{x.reason} ({x.span})") for x in early]
        made += [
            Claim(given, x.formula, f"{x.reason} ({x.span})", lemmas=claims[-1].lemmas, side=True)
            for x in context.sides
        ]
        taken = taken_of(theorem.taken, elaborator, scope)
        made += [replace(c, hypotheses=(*given, *c.hypotheses), taken=taken) for c in claims]
        assumptions = tuple(context.supposed)
        inhabited: tuple[tuple[Term, ...], ...] = ()
        if numbers is not TRUE:
            # Over an empty range base and step are true of anything, even of a falsehood: that is vacuous, not proved.
            inhabited = ((*given, numbers),)
        return Statement(tuple(variables), given, tuple(made), inhabited, assumptions=assumptions)

    return build


def _induction(
    theorem: s.Theorem, induction: s.Induction, elaborator: Elaborator, scope: dict[str, Value]
) -> tuple[list[Claim], Term]:
    """Base and step; and that there is a number in the range.

    Base: with low <= high, the body of low. Step: of any n with low <= n < high, the body of n + 1 follows from that of
    n. Together the body of every number in low..high, by induction on n - low. Without the base the step alone proves
    n < n + 1 - 1 of every n (twin `induction_without_base`). A counterexample is replayed on the statement for every
    number in the range.
    """
    name = induction.on
    if name in scope:
        # The body would speak of the number, and the assumptions of what was declared under the same name.
        raise SpecificationError(
            f"`{name}` is already defined", induction.low.span, "choose a new name for the induction variable"
        )
    low, high = elaborator.integer(induction.low, scope), elaborator.integer(induction.high, scope)
    number = value_of(Variable(f"{name}..induction", VariableKind.INT, INT, None, 0, (), VariableRole.INDUCTION))
    assert isinstance(number, Term)

    def body(n: Term) -> Term:
        return elaborator.condition(theorem.body, {**scope, name: n})

    # The side conditions of the body are noted once, of any number in the range; base and step are the same body.
    with elaborator.context.ranging(low, high, any_number := placeholder(INT)):
        body(any_number)
    with elaborator.context.silent():
        every = forall(low, high, body)
        base = implies(le(low, high), body(low))
        step = implies(and_(le(low, number), lt(number, high), body(number)), body(add(number, ONE)))
        lemmas = [lemmas_of(theorem.using, elaborator, {**scope, name: n}) for n in (low, number)]
    what = f"{theorem.title}: by induction on {name}"
    claims = [
        Claim((), base, f"{what}, base", every, lemmas=lemmas[0], recurrence=True),
        Claim((), step, f"{what}, step", every, lemmas=lemmas[1], recurrence=True),
    ]
    return claims, le(low, high)
