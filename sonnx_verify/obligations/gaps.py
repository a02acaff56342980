"""gap: each thing that a standard leaves open is left open for some input, by that item alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.meaning import LeftOpen, Meaning
from sonnx_verify.language.values import Position, Shape
from sonnx_verify.logic.terms import Term, and_, forall_index, not_
from sonnx_verify.obligations.obligation import Obligation, Statement, Wanted
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind


def obligations_of(section: Section, meaning: Meaning, first: bool) -> Iterator[Obligation]:
    """Of a standard. What does not speak of values says the same in every section: it is asked in the `first`."""
    if section.file.kind != "standard":
        return
    for item in meaning.left_open:
        if item.reach == "value" and item.rule.output not in meaning.shapes:
            continue  # an output without a shape is not determined, which is said of it elsewhere
        if first or item.rule.family or item.reach == "value":
            yield section.obligation(
                gap_tag(section.file, item.rule), Kind.GAP, item.rule.span, _gap(section, item.rule), item.rule.title
            )


def gap_tag(file: s.File, rule: s.Rule) -> str:
    """The tag of the item, or its number among those that have none."""
    untagged = [r for r in file.rules if r.what.leaves_open and not r.tag]
    return rule.tag or f"unspecified{1 + next(n for n, r in enumerate(untagged) if r is rule)}"


def _gap(section: Section, rule: s.Rule) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        item = next(x for x in meaning.left_open if x.rule is rule)
        conditions = (*meaning.hypotheses, meaning.valid, not_(meaning.failing), left_open_by(meaning, item))
        tag = gap_tag(section.file, rule)
        what = f"input on which {tag} leaves the {item.reach} open"
        return Statement(meaning.given, wanted=(Wanted(conditions, what, f"{tag} never leaves anything open alone"),))

    return build


def left_open_by(meaning: Meaning, item: LeftOpen) -> Term:
    """That it is this item, and no other of its reach or of a wider one, that leaves something open."""
    wider = {"outcome": (), "shape": ("outcome",), "value": ("outcome", "shape")}[item.reach]
    others = [x for x in meaning.left_open if x is not item]
    alone = and_(*(not_(x.when(None)) for x in others if x.reach in wider))
    if item.reach != "value":
        return and_(alone, item.when(None), *(not_(x.when(None)) for x in others if x.reach == item.reach))
    same = [x for x in others if x.reach == "value" and x.rule.output == item.rule.output]

    def here(i: Term) -> Term:
        position = Position(i, shape.rank)
        return not_(and_(item.when(position), *(not_(x.when(position)) for x in same)))

    shape: Shape = meaning.shapes[item.rule.output]
    return and_(alone, not_(forall_index(shape.rank, shape.dim, here)))
