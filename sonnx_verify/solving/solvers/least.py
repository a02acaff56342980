"""The least values of some numbers, one after the other, from one solver that keeps what it has learned on the way.

Not trusted: the caller looks at the model that comes out, and that a value is the least shows nothing but that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sonnx_verify.logic.status import Status

_VALUE = re.compile(r"\([^\s()-]\S* (\d+)\)")
"""A name and its value; not the `(- 5)` of a value below 0."""

HARD = 3
"""The questions that a solver may leave open: then the numbers stay as they are. Each costs all the work that one is
allowed, and beyond some of them the clock would end the whole."""


def descend(tell: Callable[[str], str], numbers: Sequence[str], model: str, want: str) -> tuple[str, int]:
    """A model in which the first of the numbers is the least possible, then the second, and so on; with how many of
    them, from the first on, are shown to be.

    `tell` runs commands of SMT-LIB, of which the last was a check-sat that said sat, and returns what the solver
    prints. `model` is what it printed for `want`, a get-value. No number is below 0. Raises ValueError if the solver
    prints anything else than a number for one.
    """
    if not numbers:
        return model, 0
    shown = 0
    values = _values(tell, numbers)
    hard = 0
    for n, number in enumerate(numbers):
        value, least = values[n], 0
        # Most are the least already, or can be 0; if not, half of what is left is looked at, since a first model can be
        # forty steps from the least.
        most, at_zero = value - 1, False
        while least < value and hard < HARD:
            tell(f"(push 1)\n(assert (<= {number} {most}))")
            said = tell("(check-sat)")
            if said == Status.SAT:
                # What is asked next is asked of what is left.
                model, values = tell(want), _values(tell, numbers)
                value = values[n]
            else:
                tell("(pop 1)")
                hard += said != Status.UNSAT
                least = most + 1
            most = (least + value) // 2 if at_zero else 0
            at_zero = True
        tell(f"(assert (= {number} {value}))")
        shown += not hard
    return model, shown


def _values(tell: Callable[[str], str], numbers: Sequence[str]) -> list[int]:
    """The values of some numbers in the solver's model."""
    printed = tell(f"(get-value ({' '.join(numbers)}))")
    values = [int(value) for value in _VALUE.findall(printed)]
    if len(values) != len(numbers):
        raise ValueError(f"no values of {' '.join(numbers)}: {printed}")
    return values
