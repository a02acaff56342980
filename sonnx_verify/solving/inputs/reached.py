"""How far the sets of results of an output reach on an input, by the reference evaluator.

No verdict of `check` is made of it: `eval` shows it beside the representatives.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.values import Position
from sonnx_verify.logic.enclosed import approximate
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import Undefined, indices_of
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX
from sonnx_verify.logic.terms import placeholder
from sonnx_verify.results.concrete import Assignment
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import Outcome


@dataclass(frozen=True, slots=True)
class Reached:
    """The set at one index: within a bound of the exact value; or, without these, every element of the type."""

    index: tuple[int, ...]
    bound: Fraction | None = None
    centre: Fraction | None = None

    @property
    def ratio(self) -> Fraction | None:
        """The bound by the size of the exact value; None where that is 0, or every element conforms."""
        if self.bound is None or not self.centre:
            return None
        return self.bound / abs(self.centre)

    @property
    def says_nothing(self) -> bool:
        """True if numbers of both signs conform beside an exact value that is not 0, or everything does."""
        if self.bound is None:
            return True
        return bool(self.bound) and (self.ratio is None or self.ratio >= 1)


def reached(meaning: Meaning, assignment: Assignment, outcome: Outcome) -> dict[str, list[Reached]]:
    """The indices of each output at which more than one element may conform, with how far the set reaches there."""
    found: dict[str, list[Reached]] = {}
    facts = interpretation(meaning.given, assignment)
    meaning = meaning.spread(outcome.counts)
    for name, tensor in outcome.outputs.items():
        if name not in meaning.reaches:
            continue
        index = placeholder(INDEX)
        reach = meaning.reaches[name](Position(index, meaning.shapes[name].rank))
        every, near, bound, centre = map(compile_term, (reach.every, reach.near, reach.bound, reach.centre))
        for position in indices_of(list(reversed(tensor.shape))):
            place = (*position, *[0] * (len(tensor.shape) - len(position)))[::-1]
            # Code binds variables in its environment: each gets its own.
            env = [{number_of(index): position} for _ in range(4)]
            try:
                if every(env[0], facts) is True:
                    found.setdefault(name, []).append(Reached(place))
                elif near(env[1], facts) is True:
                    # To be shown, not to judge: of what is no fraction one that is near enough will do.
                    far, middle = approximate(bound(env[2], facts)), approximate(centre(env[3], facts))
                    one = Reached(place, far, middle)
                    if one.bound:
                        found.setdefault(name, []).append(one)
            except Undefined:
                # Nothing is known of it that could be shown.
                continue
    return found
