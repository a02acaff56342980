"""The candidates for a quantifier: the positions in which its variable stands. Not trusted (logic/names.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.binders import substitute
from sonnx_verify.logic.effort import Effort
from sonnx_verify.logic.folds import Fold, State
from sonnx_verify.logic.instances import others, recursion_template, written_out
from sonnx_verify.logic.names import (
    AXES,
    COMPARED,
    FACTORS,
    MEMBERS,
    OWNERS,
    SOLVED,
    Candidate,
    Context,
    Names,
    Place,
    Position,
    such,
)
from sonnx_verify.logic.nodes import ONE, ZERO, Symbol, Term, apply, make, subterms_with
from sonnx_verify.logic.polynomials import linear, scale, sub
from sonnx_verify.logic.sorts import BOOL, INDEX, INT


class Functions(Protocol):
    """The functions that stand for states."""

    def function_of(self, state: State) -> Symbol:
        """The function that stands for a state, of its number, a member and an index."""


class Grounds(Protocol):
    """Makes terms ground, at an effort."""

    @property
    def effort(self) -> Effort:
        """The limits of the search."""

    @property
    def names(self) -> Names:
        """The names that occur."""

    @property
    def meanings(self) -> Functions:
        """The functions of states."""

    def ground(self, term: Term, context: Context) -> Term:
        """The term with every closed binder replaced by its constant."""


class Candidates:
    """The positions in which variables stand, as far as a grounder knows them."""

    def __init__(self, grounds: Grounds) -> None:
        self._grounds = grounds

    def of_quantifier(self, term: Term, context: Context) -> tuple[list[Candidate], list[Term]]:
        """The positions of the variable of a quantifier, and the names that it is always tried on."""
        variable, parts, always = variable_of(term)
        candidates = self._standing(variable, parts, context)
        if term.op is ops.INSIDE:
            position = self._grounds.ground(term.args[0], context)
            candidates.append(((Place.AXIS, position), 1, ZERO))
            # What is known of every index of a shape may be needed of one that is in it and reads nothing there. It is
            # tried late: most proofs need none but those that are read.
            if position.op is ops.APPLY and not self._grounds.names.generation(position, context.witness_generation):
                self._grounds.names.add(MEMBERS, position, 2)
        elif term.op is ops.FORALL_INDEX:
            candidates.append((MEMBERS, 1, ZERO))
        elif term.op is ops.FORALL and len(candidates) == 1:
            # The variable stands in no position, as in `for all k in 0 .. n : k <= m`: what is known is at the ends.
            always = [*always, term.args[2]]
        return [*candidates, *_of_such(variable, parts)], always

    def of(self, variable: Term, parts: list[Term], context: Context) -> list[Candidate]:
        """The positions in which the variable of a fold stands, each with the sign and offset under which it does."""
        return [*self._standing(variable, parts, context), *_of_such(variable, parts)]

    def _standing(self, variable: Term, parts: list[Term], context: Context) -> list[Candidate]:
        """The argument positions in which the variable stands, each with the sign and offset under which it does."""
        found: dict[Candidate, None] = {}
        for part in parts:
            for node in subterms_with(part, variable):
                for position, arg in self._positions(node, context):
                    if variable in arg.free:
                        solved = solve(arg, variable)
                        if solved is not None and not solved[1].free:
                            # In f(k + 1) the name n stands for k = n - 1. An offset in which a variable is free has
                            # no value yet, and gives no name.
                            sign, offset = solved
                            found[(position, sign, self._grounds.ground(offset, context))] = None
        # An index that is only compared, or read through another, is tried on what is compared and read anywhere.
        if not found and variable.sort == INDEX:
            found[(COMPARED, 1, ZERO)] = None
            found[(OWNERS, 1, ZERO)] = None
        taken: Candidate = ((Place.TAKEN, variable.sort), 1, ZERO)
        found[taken] = None
        if variable.sort != INT:
            return list(found)
        for part in parts:
            for node in map(self._as_applied, subterms_with(part, variable)):
                if node.op is ops.APPLY:
                    for position in self._inside_indices(node, variable):
                        found[(position, 1, ZERO)] = None
        if list(found) == [taken]:
            for position in self._factors(variable, parts, context):
                found[(position, 1, ZERO)] = None
        return list(found)

    def _factors(self, variable: Term, parts: list[Term], context: Context) -> list[Position]:
        """The positions of a number that is multiplied: what the same factors are multiplied by elsewhere.

        The places of a window are `i * stride + u * dilation - pad`: in "some u has its place in the image, for all i"
        nothing but these factors says for which i.
        """
        found: dict[Position, None] = {}
        for part in parts:
            for node in subterms_with(part, variable):
                if node.op is ops.TIMES and variable in node.args and node.args[0].op is not ops.LITERAL:
                    rest = others(node, node.args.index(variable))
                    if any(a.free for a in rest):
                        found[FACTORS] = None
                    else:
                        found[(Place.FACTOR, tuple(self._grounds.ground(a, context) for a in rest))] = None
        return list(found)

    def _inside_indices(self, node: Term, variable: Term) -> list[Position]:
        """The positions of a number within the index at which something is read: it is found again by comparing that
        index with others, and in an index that is written out by its axis."""
        found: list[Position] = []
        for place, arg in enumerate(node.args):
            if arg.op is ops.INDEX and variable in arg.free:
                found.append((Place.MATCH, (node.payload, place), arg, variable))
                axis, rank, coordinate = arg.args
                for number in written_out(ZERO, sub(rank, ONE)):
                    if substitute(coordinate, {axis: number}) is variable:
                        found.append((Place.COORDINATE, (node.payload, place), number))
        return found

    def _as_applied(self, node: Term) -> Term:
        """A read of a state as the function that will stand for it, where that is known; any other node itself."""
        if node.op is not ops.STATE_AT or node.args[0].op is not ops.STATE:
            return node
        state = State.of(node.args[0])
        if state.free:
            return node
        return apply(self._grounds.meanings.function_of(state), state.number, *node.args[1:])

    def _positions(self, node: Term, context: Context) -> list[tuple[Position, Term]]:
        """The positions of the arguments of a node, in which names are looked for."""
        node = self._as_applied(node)
        if node.op is ops.APPLY:
            made: list[tuple[Position, Term]] = []
            for n, arg in enumerate(node.args):
                # A shape owns its axes: of the sizes of shape 2 in a list, those read of shape 2 alone are tried. One
                # kind of axis for all shapes makes thousands of instances.
                rest = others(node, n)
                place: Position = (node.payload, n)
                if self._grounds.effort.frames and rest and not any(a.free for a in rest):
                    place = (*place, tuple(self._grounds.ground(a, context) for a in rest))
                made.append((place, arg))
            return made
        if node.op is ops.AT:
            position, axis = node.args
            if position.free:
                return [(AXES, axis)]
            return [((Place.AXIS, self._grounds.ground(position, context)), axis)]
        if node.op is ops.FOLD:
            return [((Place.HIGH, Fold.of(node).template), node.args[2])]
        if node.op is ops.RECURSION:
            return [((Place.NUMBER, recursion_template(node)), node.args[3])]
        if node.op is ops.EQUAL and node.args[0].sort == INT:
            # `k = t` makes t itself worth trying, where t is ground; `k = f(k)` what f(...) is elsewhere used as.
            a, b = node.args
            found: list[tuple[Position, Term]] = [(SOLVED, sub(a, b))]
            for one, other in ((a, b), (b, a)):
                if one.op is ops.VARIABLE and other.op is ops.APPLY:
                    found.append(((Place.RESULT, other.payload), one))
            return found
        if node.op is ops.EQUAL and node.args[0].sort == INDEX:
            return [(COMPARED, arg) for arg in node.args]
        return []


def _of_such(variable: Term, parts: list[Term]) -> Iterator[Candidate]:
    """The positions of what meets the conditions on a variable: members of one set are tried for another. That none is
    such, as in `for all k : not p(k)`, is said of those k that are counted elsewhere."""
    for part in parts:
        said = part.args[0] if part.op is ops.NOT else part
        if said.sort == BOOL and (position := such(variable, said)) is not None:
            yield position, 1, ZERO


def variable_of(term: Term) -> tuple[Term, list[Term], list[Term]]:
    """The variable of a quantifier, the parts it stands in, and the name it is always tried on."""
    match term.op:
        case ops.FORALL:
            variable, low, _, body = term.args
            return variable, [body], range_names(low, term.args[2])
        case ops.FORALL_INDEX:
            return term.args[0], [term.args[4]], []
        case _:
            return term.args[2], [term.args[3]], [ZERO]


def range_names(low: Term, high: Term) -> list[Term]:
    """The least value of a range, and all of them where they are few: in a list that is written out, positions are told
    apart by comparison, so they stand in no argument position. A law of all axes may be needed of axis 0 alone, which
    nothing else mentions (twin zero_unnamed)."""
    return written_out(low, high) or [low]


def matched(pattern: Term, term: Term, variable: Term) -> Term | None:
    """The value of the variable that makes the pattern the term; None where there is none.

    `[k, 0]` becomes `[n + 1, 0]` for k = n + 1. That is a guess worth trying, no more: whatever name is tried, the
    instance follows from the quantifier.
    """
    if pattern.op is term.op is ops.INDEX:
        # How deep a term is decides which variable an index literal binds: both are read with that of the pattern.
        axis, (bound, rank, coordinate) = pattern.args[0], term.args
        term = make(ops.INDEX, (axis, rank, substitute(coordinate, {bound: axis})), INDEX)
    found: Term | None = None
    todo = [(pattern, term)]
    while todo:
        one, other = todo.pop()
        if one is variable:
            if found is not None and found is not other:
                return None
            found = other
        elif one.op is ops.VARIABLE:
            continue  # Of a binder inside, as that of a sum: it stands for anything.
        elif variable not in one.free:
            if one is not other:
                return None
        elif one.op != other.op or one.payload != other.payload or len(one.args) != len(other.args):
            return None
        else:
            todo.extend(zip(one.args, other.args, strict=True))
    return found


def solve(arg: Term, variable: Term) -> tuple[int, Term] | None:
    """(sign, rest) with arg = sign * variable + rest, where there is such a sign of 1 or -1."""
    if arg is variable:
        return 1, ZERO
    if arg.sort != INT:
        return None
    # With 2 * k the name would have to be half of another, and need not be an integer.
    sign = int(linear(arg)[0].get(variable, 0))
    if abs(sign) != 1:
        return None
    return sign, sub(arg, scale(sign, variable))
