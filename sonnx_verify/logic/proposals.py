"""The names that are tried: of a quantifier, and of what a proof takes. Not trusted (logic/names.py)."""

from __future__ import annotations

from itertools import product

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.binders import at, index
from sonnx_verify.logic.candidates import matched
from sonnx_verify.logic.grounding import Grounder
from sonnx_verify.logic.instances import bound_variable
from sonnx_verify.logic.names import MEMBERS, SOLVED, Context, Place, Position, Quantifier
from sonnx_verify.logic.nodes import ZERO, Term
from sonnx_verify.logic.polynomials import scale, sub
from sonnx_verify.logic.sorts import INDEX, Sort

_RESULT, _WITHIN = Place.RESULT, (Place.MATCH, Place.COORDINATE)


class Proposals:
    """The names that are worth trying, of those that a grounder has met."""

    def __init__(self, grounder: Grounder) -> None:
        self._grounder = grounder

    def names_for(self, quantifier: Quantifier) -> list[tuple[Term, int]]:
        """The names to try, with their generations: which ones is a heuristic, and no more."""
        found: dict[Term, int] = {}
        for name in quantifier.always:
            ground = self._grounder.ground(name, Context(quantifier.generation, instantiated=True))
            found[ground] = quantifier.generation
        for position, sign, offset in quantifier.candidates:
            if position == SOLVED:
                # sign * k + offset = 0
                found.setdefault(scale(-sign, offset), quantifier.generation)
                continue
            if position == MEMBERS and found:
                continue  # What is read there is worth more.
            for name, generation in self._at(position):
                if name.sort == INDEX:
                    found.setdefault(name, generation)
                else:
                    found.setdefault(scale(sign, sub(name, offset)), generation)
        term = quantifier.term
        if term.op is ops.FOLD_INDEX or (term.op is ops.FORALL_INDEX and not found):
            # A shape of which no size is 0 has this index, if nothing else is known to be in it.
            context = Context(quantifier.generation, instantiated=True)
            zeros = self._grounder.ground(index(term.args[1], lambda _: ZERO), context)
            found.setdefault(zeros, quantifier.generation + 1)
        if self._grounder.choice.is_narrow:
            # What made a name worth trying may have been left out. An instance follows for every name of the sort.
            sort = bound_variable(quantifier.term).sort
            for _, names in self._grounder.names.positions():
                for name in names:
                    if name.sort == sort:
                        found.setdefault(name, quantifier.generation)
        return list(found.items())

    def _at(self, position: Position) -> list[tuple[Term, int]]:
        """The names that occur in a position; for the value of a function, those of the places it is used in."""
        names = self._grounder.names
        if position[0] in _WITHIN:
            return self._in_indices(position)
        if position[0] is not _RESULT:
            return names.at(position)
        return [name for place in names.uses(position[1]) for name in names.at(place)]

    def _in_indices(self, position: Position) -> list[tuple[Term, int]]:
        """The numbers that stand in indices where a variable does."""
        kind, place, pattern, *rest = position
        assert isinstance(place, tuple)
        assert isinstance(pattern, Term)
        found = []
        for name, generation in self._grounder.names.at(place):
            definition = self._grounder.literals.get(name)
            made: Term | None = None
            if kind == Place.MATCH:
                (variable,) = rest
                assert isinstance(variable, Term)
                if definition is not None:
                    made = matched(pattern, definition, variable)
            elif definition is None:
                made = at(name, pattern)
            if made is not None and not made.free:
                found.append((self._grounder.ground(made, Context(generation, instantiated=True)), generation))
        return found

    def choices(self, parameters: tuple[Term, ...]) -> list[tuple[tuple[Term, ...], int]]:
        """The choices of names for parameters, each with the generation of the youngest name."""
        made: list[tuple[tuple[Term, ...], int]] = [((), 0)]
        for parameter in parameters:
            known = list(self._known(parameter.sort).items())
            made = [((*chosen, name), max(g, h)) for (chosen, g), (name, h) in product(made, known)]
        return made

    def _known(self, sort: Sort) -> dict[Term, int]:
        """The names of a sort that occur in the formulas, with their generations. Names that were taken are no choices:
        taking n + 1 for every n would never end."""
        found: dict[Term, int] = {}
        for position, names in self._grounder.names.positions():
            if position[0] in (Place.TAKEN, Place.FACTOR):
                continue
            for name, generation in names.items():
                if name.sort == sort and generation <= self._grounder.effort.generation:
                    found[name] = generation
        return found
