"""What might mend an obligation that fails: clauses made of what the text and its standard say themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations

from sonnx_verify.authoring.repair.proposal import Condition, Proposal, both
from sonnx_verify.authoring.repair.sides import conditions_of, lets_inlined, spot_of
from sonnx_verify.authoring.repair.spots import Spot, parts_of, spots
from sonnx_verify.authoring.repair.standard import demands, names_here, specified
from sonnx_verify.authoring.repair.wording import closed, negated
from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Unit
from sonnx_verify.language.library import Library
from sonnx_verify.language.meaning import tag_of
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.obligations.section import Section
from sonnx_verify.solving.check.record import Record

_PAIRED = 5
LONGEST = 400
"""No condition is longer: nobody would paste it."""


def proposals(project: Project, unit: Unit, record: Record) -> list[Proposal]:
    """What is worth trying, the most direct first, each once."""
    obligation, file = record.obligation, unit.file
    assert file is not None
    broken = record.counterexample.broken if record.counterexample is not None else ""
    found: list[Proposal] = []
    match obligation.kind:
        case "covered":
            clause = next(c for c in file.clauses if c.tag == obligation.tag and c.family in ("", obligation.family))
            fails = Condition(f"not: {clause.title}", f"{clause.tag} fails", f"{clause.tag} fails", clause.family)
            found.append(Proposal("error", fails))
        case "in-bounds" | "total":
            found += _demanded(project, unit, obligation)
            found += _of_sides(project, unit, obligation, broken)
        case "refines":
            found += _demanded(project, unit, obligation)
        case "narrowing" if obligation.tag == "spec":
            found += _restricted(file, obligation.family)
    if obligation.kind != "narrowing":
        found += _either(_opened(project, unit, obligation))
        found += [Proposal("restriction", c) for c in _branches(project, unit, obligation)]
    return list(dict.fromkeys(p for p in found if len(p.condition.text) <= LONGEST))


def further(project: Project, unit: Unit, obligation: Obligation, proposal: Proposal, broken: str) -> list[Proposal]:
    """The proposal with more in it, where it leaves another sentence broken: a text may lack several things."""
    said = _said(broken)
    if len(proposal.about) not in (1, 2) or said in proposal.about:
        return []
    more = _of_sides(project, unit, obligation, broken)
    return [
        replace(proposal, condition=both(proposal.condition, p.condition), about=(*proposal.about, said))
        for p in more
        if (p.kind, p.about) == (proposal.kind, (said,))
    ]


def _said(broken: str) -> str:
    """The sentence without its place, which is another one where something was pasted above."""
    return broken.rpartition(" (")[0]


def _either(conditions: Iterable[Condition], about: tuple[str, ...] = ()) -> Iterator[Proposal]:
    for condition in conditions:
        yield Proposal("restriction", condition, about=about)
        yield Proposal("constraint", condition, covered=True, about=about)


def _of_sides(project: Project, unit: Unit, obligation: Obligation, broken: str) -> Iterator[Proposal]:
    """What the parts need that the obligation is about: first the one that the counterexample breaks."""
    file = unit.file
    assert file is not None
    library = project.library(unit)
    section = Section(project, unit, obligation.section, obligation.family, obligation.types, obligation.variables)
    context = section.context(ELEMENT)
    section.meaning(context)
    sides = [x for x in context.sides if (tag_of(x.place), x.kind) == (obligation.tag, obligation.kind)]
    sides.sort(key=lambda x: x.reason != _said(broken))
    declared = {d.name: d for d in (*file.inputs, *file.attributes)}
    for side in sides:
        plain, inlined = (
            [
                c
                for spot in spot_of(file, side.place, names, obligation.family)
                for c in conditions_of(side, spot, library, declared)
            ]
            for names in ({}, lets_inlined(file))
        )
        made = [Condition(t, text, other) for (t, text), (_, other) in zip(plain, inlined, strict=False)]
        yield from _either(made, (side.reason,))


def _demanded(project: Project, unit: Unit, obligation: Obligation) -> Iterator[Proposal]:
    """What the standard asks of input: as a constraint, which an error covers already or one of its own does."""
    standard = _standard(project, unit)
    if standard is None or unit.file is None:
        return
    theirs, refines = standard
    asked = list(demands(theirs, names_here(unit.file, theirs, refines), obligation.family))
    for condition in asked:
        yield Proposal("constraint", condition)
        yield Proposal("constraint", condition, covered=True)
        yield Proposal("restriction", condition)
    for first, second in combinations(asked[:_PAIRED], 2):
        yield Proposal("constraint", both(first, second), covered=True)


def _opened(project: Project, unit: Unit, obligation: Obligation) -> Iterator[Condition]:
    """That the standard leaves nothing open."""
    standard = _standard(project, unit)
    if standard is not None and unit.file is not None:
        theirs, refines = standard
        yield from specified(unit.file, theirs, names_here(unit.file, theirs, refines), obligation.family)


def _standard(project: Project, unit: Unit) -> tuple[s.File, s.Refines] | None:
    assert unit.file is not None
    refines = unit.file.refines
    found = None if refines is None else project.find(refines.namespace, refines.operator, refines.version)
    if refines is None or found is None or found.file is None:
        return None
    return found.file, refines


def _restricted(file: s.File, family: str) -> Iterator[Proposal]:
    """What a constraint asks, or a part of it, or what an error does not allow, as a restriction; then in place of the
    constraint and of the errors that speak of it."""
    names = lets_inlined(file)
    instead: list[Proposal] = []
    above: list[Spot] = []
    for clause in file.clauses:
        if clause.body is None or clause.family not in ("", family) or clause.kind == "restriction":
            continue
        if clause.kind == "error":
            if clause.body.kind != "fails":
                texts = (negated(clause.body, {}), negated(clause.body, names))
                yield Proposal("restriction", Condition(f"not: {clause.title}", *texts, clause.family))
            continue
        here = Spot(clause.body, {}), Spot(clause.body, names)
        for plain, inlined in zip(*(_conjuncts(spot) for spot in here), strict=True):
            for condition in _guarded(clause, above, plain, inlined):
                yield Proposal("restriction", condition)
        errors = [c.tag for c in file.clauses if c.kind == "error" and c.body is not None and _of(c.body, clause.tag)]
        for condition in _guarded(clause, above, *here):
            instead.append(Proposal("restriction", condition, replaced=(clause.tag, *errors)))
        above.append(here[1])
    yield from instead


def _guarded(clause: s.Clause, above: list[Spot], plain: Spot, inlined: Spot) -> Iterator[Condition]:
    """The condition as it is; where the parts before it hold; where the constraints above it hold too, on which it may
    rely to mean anything."""
    texts = [spot.text(spot.node) for spot in (plain, inlined)]
    yield Condition(clause.title, texts[0], texts[1], clause.family)
    if plain.around:
        yield Condition(clause.title, plain.whole(texts[0]), inlined.whole(texts[1]), clause.family)
    if above:
        held = [closed(spot.text(spot.node)) for spot in above]
        head = held[0] if len(held) == 1 else f"({' and '.join(held)})"
        text = f"{head} => {inlined.whole(texts[1])}"
        yield Condition(clause.title, text, text, clause.family)


def _of(body: s.Node, tag: str) -> bool:
    """Whether an error says that the constraint fails, and nothing else."""
    return body.kind == "fails" and body.text[0] == tag


def _conjuncts(spot: Spot) -> list[Spot]:
    """What a condition consists of, each part where those before it hold."""
    if spot.node.kind == "group":
        return _conjuncts(replace(spot, node=spot.node.parts[0]))
    return list(parts_of(spot)) if spot.node.kind == "conjunction" else [spot]


def _branches(project: Project, unit: Unit, obligation: Obligation) -> Iterator[Condition]:
    """That an `if` of shape and value goes one way, here or in the standard."""
    file = unit.file
    assert file is not None
    sources = [(file, lets_inlined(file))]
    standard = _standard(project, unit)
    if standard is not None:
        sources.append((standard[0], names_here(file, *standard)))
    for text, names in sources:
        for rule in text.rules:
            if rule.what not in ("shape", "value") or rule.family not in ("", obligation.family):
                continue
            own = rule if text is file else _rule_like(file, rule, names)
            for spot in spot_of(text, f"{rule.output}.{rule.what}", names, obligation.family):
                if own is None and rule.index:
                    continue
                for inner in spots(spot, Library()):
                    if inner.node.kind == "if_":
                        yield from _both_ways(inner, rule.family)


def _rule_like(file: s.File, rule: s.Rule, names: dict[str, str]) -> s.Rule | None:
    """The rule of the profile about the same output."""
    output = names.get(rule.output, "")
    return next((r for r in file.rules if (r.what, r.output) == (rule.what, output)), None)


def _both_ways(spot: Spot, family: str) -> Iterator[Condition]:
    condition = spot.node.parts[0]
    for title, text in (
        (spot.text(condition), spot.text(condition)),
        (f"not: {spot.text(condition)}", negated(condition, spot.names)),
    ):
        for said in spot.ways(text):
            yield Condition(title, said, said, family)
