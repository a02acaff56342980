"""The names that occur, by the positions in which they stand. Not trusted.

What holds of every index holds of each name of an index, so which names are tried is a proposal: whoever uses one looks
at its sort, and whether it is closed (logic/witness.py). A name that is missed can cost a proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.binders import substitute
from sonnx_verify.logic.choices import Choice
from sonnx_verify.logic.folds import Fold
from sonnx_verify.logic.nodes import Symbol, Term, make, subterms_with
from sonnx_verify.logic.sorts import BOOL

Position = tuple[object, ...]
"""The position of a term: an argument of a symbol, alone or with the arguments beside it; or a place of another
kind."""
_ANY = 1 << 40
"""The number of a variable that is none of a text."""
NEVER = 99
"""The generation of a name that nothing is instantiated on."""


class Place(StrEnum):
    """The kinds of positions that are no argument of a symbol."""

    OWNER = "owner"  # an index that is read
    MEMBER = "member"  # an index that is in a shape
    AXIS = "at"  # an axis, of one index or of any
    SAME = "same"  # an index that is compared
    VALUE = "value"  # what a value of a function is compared with
    RESULT = "result"  # where a value of a function is used, or compared
    EQUAL = "equal"  # what a variable is equal to
    HIGH = "high"  # the end of a range that is folded over
    NUMBER = "number"  # the number of a recursion
    TAKEN = "taken"  # what a proof names
    MATCH = "match"  # a part of an index, found by comparing indices
    COORDINATE = "coordinate"  # a coordinate of an index
    FACTOR = "factor"  # a factor of a product, with the other factors
    SUCH = "such"  # a member of a set, by the condition that its members meet


OWNERS: Position = (Place.OWNER, None)
MEMBERS: Position = (Place.MEMBER, None)
COMPARED: Position = (Place.SAME, None)
SOLVED: Position = (Place.EQUAL, None)
AXES: Position = (Place.AXIS, None)
FACTORS: Position = (Place.FACTOR, None)
Candidate = tuple[Position, int, Term]
"""A position in which a variable stands as `sign * variable + offset`: the names there are corrected by these."""


@dataclass(slots=True)
class Quantifier:
    """A binder that can be instantiated: when its guard is true, `instance(name)` holds for every name."""

    guard: Term
    term: Term
    generation: int
    candidates: list[Candidate]
    always: list[Term]
    done: set[Term] = field(default_factory=set)


@dataclass(slots=True)
class Context:
    """The generation of what is looked at, and whether it is an instance of something."""

    generation: int
    instantiated: bool

    @property
    def witness_generation(self) -> int:
        """Only a witness that depends on an instance costs a generation."""
        # `for all x : exists y` names a y for each x, and that y is an x again: without a price there would be no end.
        # `exists x : exists y` costs nothing, however deep: counting by depth would cut proofs that exist.
        return self.generation + int(self.instantiated)


def such(variable: Term, condition: Term) -> Position | None:
    """The position of what meets a condition on a variable; None where it is no condition on it."""
    if variable not in condition.free:
        return None
    # How deep a binder is decides its variable, and here it may be any.
    return Place.SUCH, substitute(condition, {variable: make(ops.VARIABLE, (), variable.sort, _ANY)})


def _positions_of(constant: Term, origin: Term | None = None) -> Iterator[Position]:
    """The positions of a constant that is made for a fold or a quantifier: of what it stands for, each condition."""
    if origin is None:
        return
    variable, parts = constant, []
    if origin.op is ops.FOLD:
        fold = Fold.of(origin)
        variable, parts = fold.variable, [fold.condition]
        if isinstance(constant.payload, Symbol) and constant.payload.name.startswith(fold.kind.name):
            return  # It is the value: how many there are is none of them.
    elif origin.op is ops.FORALL:
        variable, _, _, body = origin.args
        parts = [part for part in subterms_with(body, variable) if part.sort == BOOL and part.free == {variable}]
    if variable.sort == constant.sort:
        yield from filter(None, (such(variable, part) for part in parts))


class Names:
    """The ground terms that occur, by the positions in which they stand, each with its generation."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        self._at: dict[Position, dict[Term, int]] = {}
        self._generations: dict[Term, int] = {}
        self._used: dict[object, dict[Position, None]] = {}

    def note(self, position: Position, term: Term, context: Context) -> None:
        """A term stands in a position. The generation that it had first stays its own."""
        generation = self._generations.setdefault(term, context.witness_generation)
        if term.op is ops.APPLY:
            # What a function gives is used here: names of this place are worth trying where its value is compared.
            self._used.setdefault(term.payload, {})[position] = None
        self._at.setdefault(position, {}).setdefault(term, generation)
        self._choice.noted(term)

    def add(self, position: Position, term: Term, generation: int) -> None:
        """A name of a generation in a position."""
        self._at.setdefault(position, {}).setdefault(term, generation)
        self._choice.noted(term)

    def born(self, constant: Term, generation: int, *origin: Term) -> None:
        """A new constant has a generation, wherever it will stand. One that is made for a fold may be a member of all
        that are over the same: of `count { k | p(k) }`, the k that `the { f(k) | p(k) }` is about."""
        self._generations[constant] = generation
        for position in _positions_of(constant, *origin[:1]):
            self.add(position, constant, generation)

    def generation(self, term: Term, unknown: int = 0) -> int:
        """The generation of a term, or `unknown` if it was never noted."""
        return self._generations.get(term, unknown)

    def at(self, position: Position) -> list[tuple[Term, int]]:
        """The names in a position, with their generations."""
        return list(self._at.get(position, {}).items())

    def positions(self) -> list[tuple[Position, dict[Term, int]]]:
        """All positions in which there are names."""
        return list(self._at.items())

    def uses(self, function: object) -> list[Position]:
        """The positions in which values of a function stand, and that of what they are compared with."""
        return list({**self._used.get(function, {}), (Place.VALUE, function): None})
