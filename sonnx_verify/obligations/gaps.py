"""gap: each thing that a standard leaves open is left open for some input, by that item alone. Trusted.

An `unspecified` item that no input meets says nothing, and one that is open only where another one is says nothing new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sonnx_verify.kernel.values import Shape
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.meaning import LeftOpen, Meaning
from sonnx_verify.logic.terms import Term, and_, forall_index, not_
from sonnx_verify.obligations.obligation import Obligation, Statement, Wanted
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind

_WIDER: dict[s.Reach, tuple[s.Reach, ...]] = {
    s.Reach.OUTCOME: (),
    s.Reach.SHAPE: (s.Reach.OUTCOME,),
    s.Reach.VALUE: (s.Reach.OUTCOME, s.Reach.SHAPE),
}
"""The reaches that take in another one."""


def obligations_of(section: Section, meaning: Meaning, *, first: bool) -> Iterator[Obligation]:
    """The gaps of a standard. An item that does not speak of values says the same in every section: it is asked in the
    `first`."""
    if section.file.kind is not s.FileKind.STANDARD:
        return
    for item in meaning.left_open:
        rule = item.rule
        of_value = item.reach is s.Reach.VALUE
        # An output without a shape is not determined, which is said of it elsewhere.
        if of_value and rule.output not in meaning.shapes:
            continue
        if first or rule.family or of_value:
            tag = gap_tag(section.file, rule)
            yield section.obligation(tag, Kind.GAP, rule.span, _gap(section, rule), rule.title)


def gap_tag(file: s.File, rule: s.Rule) -> str:
    """The tag of the item, or its number among those that have none."""
    if rule.tag:
        return rule.tag
    untagged = [r for r in file.rules if r.what.leaves_open and not r.tag]
    number = next(n for n, other in enumerate(untagged, 1) if other is rule)
    return f"unspecified{number}"


def _gap(section: Section, rule: s.Rule) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        item = next(x for x in meaning.left_open if x.rule is rule)
        conditions = (*meaning.hypotheses, meaning.valid, not_(meaning.failing), left_open_by(meaning, item))
        tag = gap_tag(section.file, rule)
        what = f"input on which {tag} leaves the {item.reach} open"
        return Statement(meaning.given, wanted=(Wanted(conditions, what, f"{tag} alone never leaves anything open"),))

    return build


def left_open_by(meaning: Meaning, item: LeftOpen) -> Term:
    """The condition that it is this item, and no other of its reach or of a wider one, that leaves something open.

    Where the outcome is open, so are shape and value: an item of a narrower reach adds nothing there.
    """
    others = [x for x in meaning.left_open if x.rule is not item.rule]
    wider = [x for x in others if x.reach in _WIDER[item.reach]]
    # Without this a narrow item would count that a wide one covers wherever it applies.
    alone = and_(*(not_(x.when(None)) for x in wider))
    if item.reach is not s.Reach.VALUE:
        rivals = [x for x in others if x.reach is item.reach]
        return and_(alone, item.when(None), *(not_(x.when(None)) for x in rivals))
    # A value is left open at some index: other items may leave others open, at the same input.
    same = [x for x in others if x.reach is s.Reach.VALUE and x.rule.output == item.rule.output]

    def here(i: Term) -> Term:
        return not_(and_(item.when(i), *(not_(x.when(i)) for x in same)))

    shape: Shape = meaning.shapes[item.rule.output]
    return and_(alone, not_(forall_index(shape.rank, shape.dim, here)))
