"""The parts of an expression, also in the definitions that it calls, each with what has to be said around a condition
on it: for all of what, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sonnx_verify.authoring.repair.wording import Names, closed, negated, reworded, unit
from sonnx_verify.language import syntax as s
from sonnx_verify.language.library import Library

DEEPEST = 8
"""Through how many definitions, one calling the other, parts are looked for."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A part of an expression: `names` is what is written for the names there, `around` what stands around a condition
    on it, the outermost first: `for all k in axes(X) : `, `given(x) => `."""

    node: s.Node
    names: Names
    around: tuple[str, ...] = ()

    def text(self, node: s.Node) -> str:
        """What is written for a part of this one."""
        return reworded(node, self.names)

    def under(self, head: str) -> tuple[str, ...]:
        """What stands around a condition with one more thing said before it."""
        return (*self.around, head)

    def whole(self, condition: str) -> str:
        """The condition with everything around it."""
        for head in reversed(self.around):
            loose = head.endswith("or ")
            condition = head + (closed(condition) if loose else condition)
        return condition

    def ways(self, condition: str) -> list[str]:
        """The condition without what stands around it, if it speaks of nothing that is bound there, then with it."""
        bound = {name for head in self.around for name in re.findall(r"(\w+) in ", head)}
        alone = [condition] if self.around and not bound & set(re.findall(r"\w+", condition)) else []
        return [*alone, self.whole(condition)]


def spots(spot: Spot, library: Library, depth: int = 0) -> Iterator[Spot]:
    """The part itself, then those in it, from the left."""
    yield spot
    node = spot.node
    for inner in parts_of(spot):
        yield from spots(inner, library, depth)
    if depth < DEEPEST and (name := _called(node)) in library.definitions:
        given = node.parts[1].parts if node.kind == "call" else node.parts
        for definition in library.definitions[name]:
            if len(definition.parameters) == len(given):
                texts = (unit(spot.text(g)) for g in given)
                names = dict(zip((p.name for p in definition.parameters), texts, strict=True))
                yield from spots(Spot(definition.body, names, spot.around), library, depth + 1)


def _called(node: s.Node) -> str:
    if node.kind == "call" and node.parts[0].kind == "name":
        return node.parts[0].text[0]
    return node.text[0] if node.kind == "call_set" else ""


def parts_of(spot: Spot) -> Iterator[Spot]:
    """The parts of a part, where they are looked at."""
    node = spot.node
    match node.kind:
        case "for_all" | "exists":
            yield from _bound(spot, node.parts[0], node.parts[1])
        case "set":
            yield from _bound(spot, node.parts[1], node.parts[0])
        case "make":
            yield from _made(spot)
        case "if_":
            condition, then, otherwise = node.parts
            yield Spot(condition, spot.names, spot.around)
            yield Spot(then, spot.names, spot.under(f"{closed(spot.text(condition))} => "))
            yield Spot(otherwise, spot.names, spot.under(f"{closed(negated(condition, spot.names))} => "))
        case "implies":
            first, second = node.parts
            yield Spot(first, spot.names, spot.around)
            yield Spot(second, spot.names, spot.under(f"{closed(spot.text(first))} => "))
        case "conjunction" | "disjunction":
            word = " and " if node.kind == "conjunction" else " or "
            end = " => " if node.kind == "conjunction" else " or "
            for n, part in enumerate(node.parts):
                before = word.join(closed(spot.text(p)) for p in node.parts[:n])
                before = f"({before})" if n > 1 and end == " => " else before
                yield Spot(part, spot.names, spot.under(f"{before}{end}") if n else spot.around)
        case "call" | "call_with":
            yield from (Spot(part, spot.names, spot.around) for part in node.parts[1:])
        case _:
            yield from (Spot(part, spot.names, spot.around) for part in node.parts)


def _bound(spot: Spot, binders: s.Node, body: s.Node) -> Iterator[Spot]:
    """The domains, each under the binders before it, the condition, and what stands for each choice."""
    names: Mapping[str, str] = spot.names
    said: list[str] = []
    for binder in (p for p in binders.parts if p.kind == "binder"):
        around = spot.under(f"for all {', '.join(said)} : ") if said else spot.around
        yield Spot(binder.parts[0], names, around)
        said.append(f"{binder.text[0]} in {reworded(binder.parts[0], names)}")
        names = {k: v for k, v in names.items() if k != binder.text[0]}
    where = next((p.parts[0] for p in binders.parts if p.kind == "where"), None)
    head = f"for all {', '.join(said)}"
    if where is not None:
        yield Spot(where, names, spot.under(f"{head} : "))
        head += f" where {reworded(where, names)}"
    yield Spot(body, names, spot.under(f"{head} : "))


def _made(spot: Spot) -> Iterator[Spot]:
    domain, *wheres, body = spot.node.parts
    variable = spot.node.text[1]
    yield Spot(domain, spot.names, spot.around)
    names = {k: v for k, v in spot.names.items() if k != variable}
    head = f"for all {variable} in {spot.text(domain)}"
    for where in wheres:
        condition = where.parts[0] if where.kind == "where" else where
        yield Spot(condition, names, spot.under(f"{head} : "))
        head += f" where {reworded(condition, names)}"
    yield Spot(body, names, spot.under(f"{head} : "))
