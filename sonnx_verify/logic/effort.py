"""The reach of the named-witness rule, and the ladder of efforts that a claim climbs.

Any effort is sound: it decides which consequences of the formulas are written down, never whether they are ones. Only
`recurrence` bears on what may be concluded: it leaves out rules that are being proved.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """The generation of names to instantiate on, the rules of equality, and a limit.

    `equality` 0 is none; 1 tells apart indices that are read from the same place, by an axis on which nothing else is
    instantiated; 2 instantiates on that axis too; 3 also compares folds. With `folds` they are compared without the
    rest. With `frames` a name is tried only in the shape, or the member of a list, that it stands with: a shape owns
    its axes. With `recurrence` counts have their recurrence only, and none of the rules that follow from it by
    induction: so those rules are proved.
    """

    generation: int
    equality: int
    limit: int = 3000
    frames: bool = True
    recurrence: bool = False
    folds: bool = False

    @property
    def compares_folds(self) -> bool:
        """Return whether folds are compared with each other."""
        return self.folds or self.equality == 3

    def includes(self, other: Effort) -> bool:
        """Return whether it goes at least as far as another one in everything, within no higher limit."""
        # Then it makes every assertion of the other one. If that was too large for its limit, so is this.
        return (
            self.generation >= other.generation
            and self.equality >= other.equality
            and self.limit <= other.limit
            and self.frames <= other.frames
            and (self.recurrence, self.folds) == (other.recurrence, other.folds)
        )


# The cheap efforts first, since a proof needs two instances on average. Each later one is there for laws that the ones
# before miss: a name that depends on an instance (generation), two indices or two folds that are equal.
# Without frames names of one shape are tried in another: many, so at last.
LADDER = (
    *(Effort(*s) for s in ((0, 0), (1, 0))),
    Effort(1, 0, folds=True),
    *(Effort(*s) for s in ((0, 1), (0, 2), (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 3))),
    *(Effort(*step, frames=False) for step in ((0, 0), (1, 0), (1, 1), (1, 2), (3, 3))),
)
