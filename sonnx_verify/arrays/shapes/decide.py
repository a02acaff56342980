"""Deciding in steps: the normal form, the bounds of integers, then a solver, which is handed in.

Whatever is decided here only makes an answer shorter: the answer is confirmed as a whole afterwards. So one solver does
here, with little time: a decision that is not found leaves a condition longer than need be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sonnx_verify.arrays.partial.intervals import Interval, holds, said_by
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.terms import FALSE, TRUE, Term, and_, is_literal, not_, or_, subterms

Decider = Callable[[Sequence[Term]], bool]
"""True if the conditions contradict each other for certain. False says nothing."""
Path = tuple[Term, ...]
"""Conditions that hold where something is asked."""


class Decisions:
    """Implications between conditions, under the bounds of the symbols."""

    def __init__(self, decider: Decider, bounds: Mapping[str, Interval]) -> None:
        self._decider, self._bounds = decider, bounds
        self._known: dict[frozenset[Term], bool] = {}

    def impossible(self, *conditions: Term) -> bool:
        """The conditions contradict each other for certain."""
        parts: dict[Term, None] = {}
        for condition in conditions:
            parts |= dict.fromkeys(parts_of(condition, Op.AND))
        parts.pop(TRUE, None)
        if FALSE in parts or any(not_(part) in parts for part in parts):
            return True
        kept: list[Term] = []
        for part in parts:
            decided = holds(part, self._bounds)
            if decided is False:
                return True
            # A part that its bounds alone make true says nothing.
            if decided is None:
                kept.append(part)
        if not kept:
            return False
        # The same question comes in another order from another path.
        key = frozenset(kept)
        if key not in self._known:
            self._known[key] = self._decider(self.with_bounds(kept))
        return self._known[key]

    def with_bounds(self, conditions: Sequence[Term]) -> list[Term]:
        """The conditions, and the bounds of each symbol in them: a solver knows nothing of sizes."""
        said = said_by(tuple(conditions), self._bounds)
        return [*dict.fromkeys(b for b in said if b is not TRUE), *conditions]

    def follows(self, path: Path, condition: Term) -> bool:
        """The condition holds for certain wherever those of the path do."""
        # Most questions end at the first two tests, which ask no solver.
        return condition is TRUE or condition in path or self.impossible(*path, not_(condition))

    def simplified(self, condition: Term, path: Path) -> Term:
        """The condition without the parts that the path, or another part of it, decides."""
        match condition.op:
            case Op.AND:
                return self._conjunction(condition.args, path)
            case Op.OR:
                return self._disjunction(condition.args, path)
            case Op.NOT if condition.args[0].op in (Op.AND, Op.OR):
                return self.simplified(_moved_inside(condition), path)
            case _:
                return self._decided(condition, path)

    def _decided(self, atom: Term, path: Path) -> Term:
        if is_literal(atom):
            return atom
        if self.follows(path, atom):
            return TRUE
        if self.impossible(*path, atom):
            return FALSE
        return atom

    def _conjunction(self, args: Sequence[Term], path: Path) -> Term:
        """Each part where the others hold: `N = 1 and N <= 3` is `N = 1`."""
        parts: list[Term] = []
        for arg in args:
            made = self.simplified(arg, (*path, *parts))
            if made is FALSE:
                return FALSE
            parts += [part for part in parts_of(made, Op.AND) if part is not TRUE]
        # Then from the back: an early part may follow from a later one, which was not known when it was looked at.
        for part in reversed(parts):
            others = [p for p in parts if p is not part]
            if not others:
                continue
            known = (*path, *others)
            if self.follows(known, part):
                parts = others
            elif part.op == Op.OR:
                parts = _replaced(parts, part, self.simplified(part, known))
        return and_(*parts)

    def _disjunction(self, args: Sequence[Term], path: Path) -> Term:
        """Each part where the others do not hold: `N = 1 or N != 1 and M = 2` is `N = 1 or M = 2`."""
        parts: list[Term] = []
        for arg in args:
            made = self.simplified(arg, _without(path, parts))
            if made is TRUE:
                return TRUE
            parts += [part for part in parts_of(made, Op.OR) if part is not FALSE]
        for part in reversed(parts):
            others = [p for p in parts if p is not part]
            if not others:
                continue
            known = _without(path, others)
            if self.impossible(*known, part):
                parts = others
            elif part.op == Op.AND:
                parts = _replaced(parts, part, self.simplified(part, known))
        # No part follows by itself, and all of them together may still be all there is: `N <= 3 or 3 <= N`.
        if self.impossible(*_without(path, parts)):
            return TRUE
        return or_(*parts)


def _without(path: Path, parts: Sequence[Term]) -> Path:
    """The path, where none of some parts holds."""
    return (*path, *(not_(part) for part in parts))


def _replaced(parts: Sequence[Term], part: Term, new: Term) -> list[Term]:
    return [new if p is part else p for p in parts]


def _moved_inside(negation: Term) -> Term:
    """The negation of a junction as a junction of negations (De Morgan)."""
    (junction,) = negation.args
    parts = [not_(part) for part in junction.args]
    if junction.op == Op.AND:
        return or_(*parts)
    return and_(*parts)


def parts_of(condition: Term, junction: Op) -> tuple[Term, ...]:
    """The parts of a junction of that kind; any other condition is its own part."""
    if condition.op == junction:
        return condition.args
    return (condition,)


def atoms(*conditions: Term) -> list[Term]:
    """The conditions that are neither junctions nor negations, in some conditions."""
    found: list[Term] = []
    stack = list(reversed(conditions))
    while stack:
        node = stack.pop()
        if node.op in (Op.AND, Op.OR, Op.NOT):
            stack.extend(reversed(node.args))
        # In the order in which a reader meets them: cases are told apart by the first that is not decided.
        elif not is_literal(node) and node not in found:
            found.append(node)
    return found


def choices(term: Term) -> list[Term]:
    """The conditions by which something is chosen in a term."""
    return list(dict.fromkeys(node.args[0] for node in subterms(term) if node.op == Op.ITE))
