"""What to ask so that a part of a text means something: conditions for a read to be inside, a divisor not to be 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sonnx_verify.authoring.repair.spots import Spot, spots
from sonnx_verify.authoring.repair.wording import unit
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Side
from sonnx_verify.language.library import Library

MOST = 20_000
"""How many parts are looked at: a definition is looked into each time that it is called."""


def conditions_of(
    side: Side, spot: Spot, library: Library, declared: Mapping[str, s.Declaration]
) -> Iterator[tuple[str, str]]:
    """A sentence and a condition for each way in which the part that lacks a meaning is reached from an expression:
    without what stands around it, if it does not speak of that, then with it."""
    wanted = (side.span.source, side.span.line, side.span.column, side.span.length)
    for n, found in enumerate(spots(spot, library)):
        if n == MOST:
            return
        span = found.node.span
        if (span.source, span.line, span.column, span.length) != wanted:
            continue
        for title, condition in _direct(side, found, declared):
            yield from ((title, way) for way in found.ways(condition))


def _direct(side: Side, spot: Spot, declared: Mapping[str, s.Declaration]) -> Iterator[tuple[str, str]]:
    """The condition on the part itself, by what is asked of it."""
    node, reason = spot.node, side.reason
    if node.kind == "name" and reason.endswith("is given"):
        name = spot.text(node)
        yield f"{name} is given", f"given({name})"
    elif node.kind == "read":
        yield from _read(reason, spot, declared)
    elif node.kind == "slice":
        low, high = node.parts[1].parts
        owner = spot.text(node.parts[0])
        yield (
            f"{owner} has the part {spot.text(low)} .. {spot.text(high)}",
            f"0 <= {spot.text(low)} and {spot.text(high)} < count({owner})",
        )
    elif node.kind == "call" and reason == "a divisor is not 0":
        divisor = spot.text(node.parts[1].parts[1])
        yield f"{divisor} is not 0", f"{unit(divisor)} != 0"
    elif node.kind == "call" and reason.startswith("only what is finite"):
        value = spot.text(node.parts[1].parts[0])
        yield f"{value} is finite", f"not is_nan({value}) and not is_infinite({value})"
    elif node.kind == "fold" and reason.startswith("the set is not empty"):
        members = next((p for p in node.parts if p.kind == "set"), None)
        if members is not None:
            yield "there is something to fold", f"exists {spot.text(members.parts[1])} : 0 = 0"
    elif node.kind == "make" and "negative" in reason:
        yield from _sizes(spot)


def _read(reason: str, spot: Spot, declared: Mapping[str, s.Declaration]) -> Iterator[tuple[str, str]]:
    owner_node, at_node = spot.node.parts
    owner, at = spot.text(owner_node), spot.text(at_node)
    if reason.startswith("the list has no item"):
        family = declared.get(owner) if owner_node.kind == "name" else None
        if family is not None and family.low is not None and family.high is not None:
            low, high = spot.text(family.low), spot.text(family.high)
            yield f"{owner} has the member {at}", f"{low} <= {at} <= {high}"
        else:
            yield f"{owner} has the position {at}", _within(at, f"count({owner})")
    elif reason.startswith(("the shape has no such axis", "the index has no such axis")):
        whole = owner.removesuffix(".shape")
        yield f"{whole} has the axis {at}", _within(at, f"rank({whole})")
    elif at_node.kind == "listed":
        places = at_node.parts[0].parts if at_node.parts and at_node.parts[0].kind == "arguments" else at_node.parts
        sizes = [f"0 <= {spot.text(p)} < {unit(owner)}.shape[{n}]" for n, p in enumerate(places)]
        yield f"{owner} has the element {at}", " and ".join([f"rank({owner}) = {len(places)}", *sizes])
        yield f"{owner} has rank {len(places)}", f"rank({owner}) = {len(places)}"
    else:
        yield f"{owner} has the index {at}", f"{at} in indices({owner})"


def _within(at: str, end: str) -> str:
    return f"{end} > {at}" if at.isdigit() else f"0 <= {at} < {end}"


def _sizes(spot: Spot) -> Iterator[tuple[str, str]]:
    domain, *wheres, body = spot.node.parts
    binder = f"{spot.node.text[1]} in {spot.text(domain)}"
    where = f" where {spot.text(wheres[0].parts[0])}" if wheres and wheres[0].kind == "where" else ""
    yield "no size is negative", f"for all {binder}{where} : {spot.text(body)} >= 0"


def spot_of(file: s.File, place: str, names: Mapping[str, str], family: str) -> Iterator[Spot]:
    """Where an expression of a text is looked at: a clause, a `let`, or a shape or value, at each index of it."""
    for clause in file.clauses:
        if clause.tag == place and clause.body is not None and clause.family in ("", family):
            yield Spot(clause.body, names)
    for let in file.lets:
        if let.name == place:
            yield Spot(let.body, names)
    for rule in file.rules:
        if rule.family in ("", family) and place.split(".")[-1] == rule.what.split()[-1]:
            if rule.output and "." in place and place.rpartition(".")[0] != rule.output:
                continue
            if not rule.index:
                yield Spot(rule.body, names)
                continue
            shape = next((r for r in file.rules if r.what == "shape" and r.output == rule.output), None)
            if shape is not None:
                over = Spot(shape.body, names).text(shape.body)
                inner = {k: v for k, v in names.items() if k != rule.index}
                yield Spot(rule.body, inner, (f"for all {rule.index} in indices({over}) : ",))


def lets_inlined(file: s.File, names: Mapping[str, str] | None = None) -> dict[str, str]:
    """What is written for each name that `let` gives, without such names, as one operand; `names` is what is written
    for others."""
    made: dict[str, str] = dict(names or {})
    for let in sorted(file.lets, key=lambda x: (x.place, x.body.span.start)):
        made[let.name] = unit(Spot(let.body, dict(made)).text(let.body))
    return made
