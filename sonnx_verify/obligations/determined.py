"""determined: shape and value leave one answer, or one set of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sonnx_verify.language.context import Context
from sonnx_verify.language.enclosure import Place
from sonnx_verify.language.meaning import Meaning, place_of
from sonnx_verify.language.values import Position, Shape, Tensor, same_shape, same_tensor
from sonnx_verify.logic.binders import replace_nodes
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.terms import FALSE, TRUE, Symbol, Term, and_, eq, forall_index, not_, or_, with_copy
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.outputs import free_outputs
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind


def obligation_of(section: Section, meaning: Meaning, exactly: bool, name: str) -> Obligation:
    """Of the output of that name; `exactly` where nothing may be left open, as in a profile."""
    file = section.file
    span = next((r.span for r in file.rules if not r.what.leaves_open and r.output == name), file.span)
    assert span is not None
    complete = all(meaning.result(v.name) is not None for v in meaning.outputs)
    complete = complete and not (exactly and meaning.leaves_open)
    build = _determined_result(section, exactly, name) if complete else _determined_freely(section, name)
    return section.obligation(name, Kind.DETERMINED, span, build)


def _determined_result(section: Section, exactly: bool, name: str) -> Callable[[Context], Statement]:
    """Where shape and value are given, what conforms is equal to them: two readings of them, in which every choice is
    made anew, are equal. For a standard outside its unspecified conditions."""

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        valid = (*meaning.hypotheses, meaning.valid, not_(meaning.unspecified_outcome), not_(meaning.erring))
        places = {Place(place_of(section.file, r)) for r in section.file.rules if r.output in ("", name)}
        sides = [x for x in context.sides if x.kind is Kind.TOTAL and x.place in places - {Place("outcome")}]
        choices = and_(*(x.formula for x in sides))
        inputs = meaning.given
        # Each on its own, as `total` asks them: together they would be more than one query holds.
        single = dict.fromkeys(x.formula for x in sides if x.formula is not TRUE)
        claims = [Claim(valid, x, "each choice in shape and value has exactly one answer") for x in single]
        result = meaning.result(name)
        assert result is not None
        free = [] if exactly else meaning.unspecified_values.get(name, [])
        # The other claims rest on these.
        known = (*valid, meaning.asked.get(name, TRUE), TRUE if exactly else not_(meaning.unspecified_shape), choices)
        shape = same_shape(result.shape, _copied_shape(result.shape))
        # A counterexample is one of the first claim: a choice with two answers.
        claims.append(Claim(known, shape, f"exactly one shape of {name} conforms", choices))
        if name in meaning.members:
            claims += _set_claims(meaning, name, result, free, known, choices)
        else:
            value = _copied_values(result, free)
            claims.append(Claim(known, value, f"exactly one value conforms at each index of {name}", choices))
        return Statement(inputs, valid, tuple(claims))

    return build


def _set_claims(
    meaning: Meaning,
    name: str,
    result: Tensor,
    free: list[Callable[[Position], Term]],
    known: tuple[Term, ...],
    choices: Term,
) -> Iterator[Claim]:
    """Of a set of results: its representative is in it, and it is one set however its choices are made."""

    def over(body: Callable[[Position], Term]) -> Term:
        def element(i: Term) -> Term:
            position = Position(i, result.shape.rank)
            return _unless([u(position) for u in free], body(position))

        return forall_index(result.shape.rank, result.shape.dim, element)

    inhabited = over(lambda position: meaning.conforms_at(name, position, result.read(position.term)))
    yield Claim(known, inhabited, f"some value conforms at each index of {name}")
    any_element = Symbol(f"any element of {name}", (), result.sort)()

    def member(position: Position) -> Term:
        conforms = meaning.conforms_at(name, position, any_element)
        return eq(conforms, with_copy(conforms, 1))

    yield Claim(known, over(member), f"exactly one set of values conforms at each index of {name}", choices)


def _copied_values(result: Tensor, free: list[Callable[[Position], Term]]) -> Term:
    """At every index the element is that of the copy, or left open."""

    def element(i: Term) -> Term:
        left_open = [u(Position(i, result.shape.rank)) for u in free]
        return _unless(left_open, eq(result.read(i), with_copy(result.read(i), 1)))

    return forall_index(result.shape.rank, result.shape.dim, element)


def _unless(left_open: list[Term], body: Term) -> Term:
    """The body holds where nothing is left open. There it is known that no condition that leaves something open holds,
    and the cases of the body that such a condition rules out are not asked for."""
    known = {c.args[0] if c.op == Op.NOT else c: TRUE if c.op == Op.NOT else FALSE for c in left_open}
    return or_(*left_open, *replace_nodes([body], known))


def _copied_shape(shape: Shape) -> Shape:
    return Shape(with_copy(shape.rank, 1), lambda q: with_copy(shape.dim(q), 1))


def _determined_freely(section: Section, name: str) -> Callable[[Context], Statement]:
    """Any two results that conform are equal."""

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        inputs = meaning.given
        one, first, typed_one = free_outputs(meaning, "")
        two, second, typed_two = free_outputs(meaning, "'")
        conforming = (meaning.conforms(first), with_copy(meaning.conforms(second), 1))
        hypotheses = (
            *meaning.hypotheses,
            meaning.valid,
            not_(meaning.unspecified_outcome),
            not_(meaning.erring),
            *typed_one,
            *typed_two,
            *conforming,
        )
        hypotheses = (*hypotheses, meaning.asked.get(name, TRUE))
        claim = Claim(hypotheses, same_tensor(first[name], second[name]), "exactly one result conforms: here are two")
        return Statement((*inputs, *one, *two), hypotheses, (claim,))

    return build
