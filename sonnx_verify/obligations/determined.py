"""determined: shape and value leave one answer, or one set of them. Trusted.

Two implementations that both conform agree. A text may fail this in two ways. A choice in it may have no answer or
several, as the only element of a tensor that has two, or the greatest of no elements at all (twins value_from_input_1,
value_to_input_before_last). Or two readings of it differ where every choice is made anew: then the reader has chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sonnx_verify.kernel.frames import Place
from sonnx_verify.kernel.sections import OutputFamily
from sonnx_verify.kernel.values import (
    Abstraction,
    Items,
    Shape,
    Tensor,
    Value,
    last,
    of_axes,
    same_shape,
    same_tensor,
)
from sonnx_verify.language.clauses import spoken
from sonnx_verify.language.context import Context
from sonnx_verify.language.meaning import Meaning, place_of
from sonnx_verify.logic.binders import replace_nodes
from sonnx_verify.logic.nodes import FoldName
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.terms import (
    FALSE,
    TRUE,
    ZERO,
    Symbol,
    Term,
    and_,
    eq,
    forall,
    forall_index,
    not_,
    or_,
    substitute,
    with_copy,
)
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.outputs import free_outputs
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind


def obligation_of(section: Section, meaning: Meaning, name: str, *, exactly: bool) -> Obligation:
    """The obligation of the output of that name; `exactly` where nothing may be left open, as in a profile."""
    file = section.file
    giving = [rule for rule in file.rules if rule.output == name and not rule.what.leaves_open]
    spans = [rule.span for rule in giving if section.sees(rule)]
    span = next(iter(spans), file.span)
    assert span is not None
    complete = all(meaning.complete(v.name) for v in meaning.outputs)
    if complete and not (exactly and meaning.leaves_open):
        build = _determined_result(section, name)
    else:
        build = _determined_freely(section, name)
    return section.obligation(name, Kind.DETERMINED, span, build)


def _determined_result(section: Section, name: str) -> Callable[[Context], Statement]:
    """If shape and value are given, whatever conforms equals them. The claim is that two readings of them, in
    which every choice is made anew, are equal; for a standard outside its unspecified conditions.

    Why that is enough: what conforms is `Z.shape = S and for all i : Z[i] = V(i)`, so two outputs that conform differ
    only where S or V take different values in the two. The copy has other symbols for each choice and the same inputs
    (twin copies_share_choices: with the same symbols it is equal to itself, whatever the text leaves open). The only
    member of a set is no choice once it is shown to be the only one, which is the first claim: both readings share it.
    """

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        valid = (*meaning.hypotheses, meaning.valid, not_(meaning.unspecified_outcome), not_(meaning.erring))
        choices = _choices(section, context, meaning, name)
        # Each on its own, as `total` asks them: together they would be more than one query holds.
        single = [choice for choice in choices if choice is not TRUE]
        claims = [Claim(valid, x, "each choice in shape and value has exactly one answer") for x in single]
        family = meaning.families.get(name)
        # A family is as determined as each of its members. Claims are made of one of them, whose number is free, and
        # closed over all numbers below the count.
        member = meaning if family is None else meaning.with_members(name, {name: family.number})
        result = member.result(name)
        assert result is not None
        unspecified_shape = meaning.unspecified_shape
        free = member.unspecified_values.get(name, [])
        # The other claims rest on these: they are proved above, under no more than `valid`.
        chosen = and_(*choices)
        known = (*valid, meaning.asked.get(name, TRUE), not_(unspecified_shape), chosen)
        if family is not None and family.count is not None:
            count = eq(family.count, with_copy(family.count, 1, FoldName.THE))
            claims.append(Claim(known, count, f"exactly one number of {name} conforms", chosen))
        shape = same_shape(result.shape, _copied_shape(result.shape))
        # A counterexample is one of the first claim: a choice with two answers.
        each = [Claim(known, shape, f"exactly one shape of {name} conforms", chosen)]
        if name in member.members:
            each += _set_claims(member, name, result, free, known, chosen)
        else:
            value = _copied_values(result, free)
            each.append(Claim(known, value, f"exactly one value conforms at each index of {name}", chosen))
        claims += [_of_every_member(family, claim) for claim in each]
        return Statement(meaning.given, valid, tuple(claims))

    return build


def _of_every_member(family: OutputFamily | None, claim: Claim) -> Claim:
    """A claim about the member whose number is free, as one about each member. Other claims stay as they are."""
    if family is None:
        return claim
    number, goal = family.number, claim.goal
    return replace(claim, goal=family.every(lambda m: substitute(goal, {number: m})))


def _choices(section: Section, context: Context, meaning: Meaning, name: str) -> tuple[Term, ...]:
    """The conditions under which each choice in the shape and the value of an output, and in what they may name, has
    one answer."""
    rules = [rule for rule in section.file.rules if rule.output in ("", name)]
    places = {Place(place_of(section.file, rule)) for rule in rules} - {Place("outcome")}
    # What no rule of this output speaks of is another output's: a `let` by itself, or through those below it.
    names = set[str]().union(*(spoken(section.file, rule.body) for rule in rules))
    for let in reversed(section.file.lets):
        names |= spoken(section.file, let.body) if let.name in names else set()
    places |= {Place(let.name) for let in meaning.lets if let.name in names}
    return tuple(dict.fromkeys(x.formula for x in context.sides if x.kind is Kind.TOTAL and x.place in places))


def _set_claims(
    meaning: Meaning,
    name: str,
    result: Tensor,
    free: list[Abstraction[Term]],
    known: tuple[Term, ...],
    choices: Term,
) -> Iterator[Claim]:
    """The claims about a set of results: its representative is in it, and it is one set however its choices are made.

    The second says of any element that it is a member by one reading exactly if it is by the other: two sets with the
    same members are one. Without the first, the empty set would be determined, and nothing would conform.
    """

    def over(body: Callable[[Term], Term]) -> Term:
        return forall_index(result.shape.rank, result.shape.dim, lambda i: _unless([u(i) for u in free], body(i)))

    inhabited = over(lambda i: meaning.conforms_at(name, i, result.read(i)))
    yield Claim(known, inhabited, f"some value conforms at each index of {name}")
    any_element = Symbol(f"any element of {name}", (), result.sort)()

    def member(i: Term) -> Term:
        conforms = meaning.conforms_at(name, i, any_element)
        return eq(conforms, with_copy(conforms, 1, FoldName.THE))

    yield Claim(known, over(member), f"exactly one set of values conforms at each index of {name}", choices)


def _copied_values(result: Tensor, free: list[Abstraction[Term]]) -> Term:
    """At every index the element is that of the copy, or left open."""

    def element(i: Term) -> Term:
        return _unless([u(i) for u in free], eq(result.read(i), with_copy(result.read(i), 1, FoldName.THE)))

    return forall_index(result.shape.rank, result.shape.dim, element)


def _unless(left_open: list[Term], body: Term) -> Term:
    """The body holds where nothing is left open. There it is known that no condition that leaves something open holds,
    and the cases of the body that such a condition rules out are not asked for."""
    known = ((c.args[0], TRUE) if c.op == Op.NOT else (c, FALSE) for c in left_open)
    # `u or B` is `u or B'`, where B' is B with u replaced by false: where u is true, both are.
    return or_(*left_open, *replace_nodes([body], dict(known)))


def _copied_shape(shape: Shape) -> Shape:
    return Shape(with_copy(shape.rank, 1, FoldName.THE), of_axes(lambda q: with_copy(shape.dim(q), 1, FoldName.THE)))


def _determined_freely(section: Section, name: str) -> Callable[[Context], Statement]:
    """Any two results that conform are equal."""

    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        one, first, typed_one = free_outputs(meaning, "")
        two, second, typed_two = free_outputs(meaning, "'")
        # The second conforms by a reading of its own, as above.
        conforming = (meaning.conforms(first), with_copy(meaning.conforms(second), 1))
        hypotheses = (
            *meaning.hypotheses,
            meaning.valid,
            not_(meaning.unspecified_outcome),
            not_(meaning.erring),
            *typed_one,
            *typed_two,
            *conforming,
            meaning.asked.get(name, TRUE),
        )
        claim = Claim(hypotheses, _same_output(first[name], second[name]), "exactly one result conforms (two do here)")
        return Statement((*meaning.given, *one, *two), hypotheses, (claim,))

    return build


def _same_output(first: Value, second: Value) -> Term:
    """The condition that two outputs are equal; of families, that they have as many members, each equal."""
    if isinstance(first, Items) and isinstance(second, Items):
        one, other = first, second
        items = forall(ZERO, last(one.count), lambda m: _same_output(one.item(m), other.item(m)))
        return and_(eq(one.count, other.count), items)
    assert isinstance(first, Tensor)
    assert isinstance(second, Tensor)
    return same_tensor(first, second)
