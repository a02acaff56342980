"""The valid inputs, without the elements of their data, that the rows of a covering array are made of."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sonnx_verify.conformance.cases.classes import Classes
from sonnx_verify.conformance.cases.covering import Factor, Pairs, Rows
from sonnx_verify.conformance.cases.points import Input, Points
from sonnx_verify.conformance.cases.variants import Variants

_SMALL = 3000
"""The number of small inputs that are looked at for valid ones."""


_FEWEST = 12_000
"""The number of changed inputs that are judged for each of many sections, unless fewer are asked for."""


def _section(points: Points) -> object:
    return points.context.family, tuple(points.context.variables.items())[1:]


@dataclass(slots=True)
class Structures:
    """The structures of some types whose inputs have the same factors: those of each section hold for all its types.

    `points` are those of each type. An input has at most `most` elements; `tries` changed ones are judged, or more
    where there are many sections.
    """

    points: Sequence[Points]
    seed: int
    most: int
    tries: int
    known: Sequence[Sequence[Input]] = ()
    """Valid inputs of each type, for a section of which no small input is valid."""
    factors: list[Factor] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    rows: Rows = field(init=False)
    """The class of each factor, a row for each input."""
    sections: npt.NDArray[np.int64] = field(init=False)
    """The number of the section of each input."""
    section_of_type: list[int] = field(default_factory=list)
    types_of_section: list[list[int]] = field(default_factory=list)
    examples: list[Input] = field(default_factory=list)
    """Small valid inputs of the first section."""
    rejected: tuple[str, ...] = ()
    """The pairs of classes that only inputs had that a clause rejects, in words."""
    not_found: tuple[str, ...] = ()
    """Those that no input had, valid or not: many contradict each other, which nobody proves."""

    def __post_init__(self) -> None:
        known: dict[object, int] = {}
        rejected: Pairs | None = None
        rows: list[tuple[int, ...]] = []
        sections: list[int] = []
        sections_in_all = len({_section(points) for points in self.points})
        for n, points in enumerate(self.points):
            key = _section(points)
            if key not in known:
                known[key] = len(known)
                small = [a for a in points.choices.inputs(_SMALL) if points.judge(a).valid and points.decided(a)]
                if not small and self.known:
                    small = [a for a in self.known[n] if points.judge(a).valid and points.decided(a)]
                # What the inputs of the first section show holds for all.
                self.examples = self.examples or small
                classes = Classes(points, self.examples)
                self.factors = classes.factors
                rejected = rejected or Pairs(self.factors)
                variants = Variants(points, classes, random.Random(self.seed), self.most, rejected)
                variants.begin(small)
                variants.grow(max(self.tries // sections_in_all, min(self.tries, _FEWEST)))
                rows += variants.rows
                self.inputs += variants.inputs
                sections += [known[key]] * len(variants.rows)
                self.types_of_section.append([])
            self.section_of_type.append(known[key])
            self.types_of_section[known[key]].append(len(self.section_of_type) - 1)
        self.rows = np.array(rows, np.int64).reshape(len(rows), len(self.factors))
        self.sections = np.array(sections, np.int64)
        if rejected is not None:
            valid = Pairs(self.factors)
            for row in rows:
                valid.add(row)
            self.rejected, self.not_found = tuple(rejected.beyond(valid)), tuple(valid.neither(rejected))
