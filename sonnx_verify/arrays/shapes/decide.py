"""Deciding in steps: the normal form, the bounds of integers, then a solver, which is handed in.

Whatever is decided here only makes an answer shorter: the answer is confirmed as a whole afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sonnx_verify.arrays.partial.intervals import Interval, holds, said_by
from sonnx_verify.logic.terms import FALSE, TRUE, Term, and_, is_literal, not_, or_, subterms

Decider = Callable[[Sequence[Term]], bool]
"""Whether the conditions contradict each other for certain. False says nothing."""
Path = tuple[Term, ...]
"""Conditions that hold where something is asked."""


class Decisions:
    """What follows from what, under the bounds of the symbols."""

    def __init__(self, decider: Decider, bounds: Mapping[str, Interval]) -> None:
        self._decider, self._bounds = decider, bounds
        self._known: dict[frozenset[Term], bool] = {}

    def impossible(self, *conditions: Term) -> bool:
        """Whether the conditions contradict each other for certain."""
        parts = dict.fromkeys(part for c in conditions for part in (c.args if c.op == "and" else (c,)))
        parts.pop(TRUE, None)
        if FALSE in parts or any(not_(part) in parts for part in parts):
            return True
        if any(holds(part, self._bounds) is False for part in parts):
            return True
        # What its bounds alone make true says nothing.
        kept = [part for part in parts if holds(part, self._bounds) is None]
        if not kept:
            return False
        key = frozenset(kept)
        if key not in self._known:
            self._known[key] = self._decider(self.with_bounds(kept))
        return self._known[key]

    def with_bounds(self, conditions: Sequence[Term]) -> list[Term]:
        """The conditions, and what is known of each symbol in them."""
        said = said_by(tuple(conditions), self._bounds)
        return [*dict.fromkeys(b for b in said if b is not TRUE), *conditions]

    def follows(self, path: Path, condition: Term) -> bool:
        """Whether the condition holds for certain wherever those of the path do."""
        return condition is TRUE or condition in path or self.impossible(*path, not_(condition))

    def simplified(self, condition: Term, path: Path) -> Term:
        """The condition without what the path, or another part of it, decides."""
        match condition.op:
            case "and":
                return self._parts(condition.args, path, and_)
            case "or":
                return self._parts(condition.args, path, or_)
            case "not" if condition.args[0].op in ("and", "or"):
                inner = condition.args[0]
                join = or_ if inner.op == "and" else and_
                return self.simplified(join(*(not_(a) for a in inner.args)), path)
            case _:
                if is_literal(condition):
                    return condition
                if self.follows(path, condition):
                    return TRUE
                return FALSE if self.impossible(*path, condition) else condition

    def _parts(self, args: Sequence[Term], path: Path, join: Callable[..., Term]) -> Term:
        """Each part under the others: those of `and` hold, those of `or` do not."""
        conjunction = join is and_
        op, unit, end = ("and", TRUE, FALSE) if conjunction else ("or", FALSE, TRUE)

        def known(parts: Sequence[Term]) -> Path:
            return path + tuple(parts if conjunction else [not_(p) for p in parts])

        parts: list[Term] = []
        for arg in args:
            made = self.simplified(arg, known(parts))
            if made is end:
                return made
            if made is not unit:
                parts += made.args if made.op == op else (made,)
        for part in reversed(parts):
            others = [p for p in parts if p is not part]
            if others and (self.follows(known(others), part) if conjunction else self.impossible(*known(others), part)):
                parts = others
            elif others and part.op in ("and", "or"):
                made = self.simplified(part, known(others))
                parts = [made if p is part else p for p in parts]
        if not conjunction and self.impossible(*known(parts)):
            return TRUE
        return join(*parts)


def atoms(*conditions: Term) -> list[Term]:
    """The conditions that are neither junctions nor negations, in some conditions."""
    found: list[Term] = []
    stack = list(reversed(conditions))
    while stack:
        node = stack.pop()
        if node.op in ("and", "or", "not"):
            stack.extend(reversed(node.args))
        elif not is_literal(node) and node not in found:
            found.append(node)
    return found


def choices(term: Term) -> list[Term]:
    """The conditions by which something is chosen in a term."""
    return list(dict.fromkeys(node.args[0] for node in subterms(term) if node.op == "ite"))
