"""The sets of results of an output for an input, by the reference evaluator.

No verdict of `check` is made of it: `eval` shows it beside the representatives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.approximate import approximate
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import Code, Interpretation, Undefined, indices_of, stripped
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX
from sonnx_verify.logic.terms import placeholder
from sonnx_verify.results.concrete import Assignment, ConcreteTensor
from sonnx_verify.results.values import element_text
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import Outcome


@dataclass(frozen=True, slots=True)
class Reached:
    """The set at one index: within a bound of the exact value; or within so many steps of the nearest float, which is
    written out; or, without these, every element of the type."""

    index: tuple[int, ...]
    bound: Fraction | None = None
    centre: Fraction | None = None
    steps: int | None = None
    nearest: str = ""

    @property
    def is_any(self) -> bool:
        """True if every element of the type conforms."""
        return self.bound is None and self.steps is None

    @property
    def is_single(self) -> bool:
        """True if no element but the nearest one conforms."""
        return not (self.is_any or self.bound or self.steps)

    @property
    def ratio(self) -> Fraction | None:
        """The bound by the size of the exact value; None where that is 0, or every element conforms."""
        if self.bound is None or not self.centre:
            return None
        return self.bound / abs(self.centre)

    @property
    def says_nothing(self) -> bool:
        """True if numbers of both signs conform beside an exact value that is not 0, or everything does."""
        if self.steps is not None:
            return False
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
        at = reach_of(meaning, name, tensor)
        for position in indices_of(list(reversed(tensor.shape))):
            place = (*position, *[0] * (len(tensor.shape) - len(position)))[::-1]
            one = at(facts, place)
            if one is not None and not one.is_single:
                found.setdefault(name, []).append(one)
    return found


def reach_of(
    meaning: Meaning, name: str, tensor: ConcreteTensor
) -> Callable[[Interpretation, tuple[int, ...]], Reached | None]:
    """A function from the facts of an input and an index to the set of an output there; None where it is one element,
    or any NaN, or where nothing is known of it that could be shown. `tensor` has the representatives."""
    index = placeholder(INDEX)
    reach = meaning.reaches[name](index)
    every, near, counted, bound, centre, steps = map(compile_term, reach.parts)

    def at(facts: Interpretation, place: tuple[int, ...]) -> Reached | None:
        position = stripped(place[::-1])

        def value(code: Code) -> Any:
            # Code binds variables in its environment: each gets its own.
            return code({number_of(index): position}, facts)

        try:
            if value(every) is True:
                return Reached(place)
            if value(near) is True:
                # To be shown, not to judge: of what is no fraction one that is near enough will do.
                return Reached(place, approximate(value(bound)), approximate(value(centre)))
            if value(counted) is True:
                nearest = element_text(tensor.sort.name, tensor.read(position))
                return Reached(place, steps=value(steps), nearest=nearest)
        except Undefined:
            pass
        return None

    return at
