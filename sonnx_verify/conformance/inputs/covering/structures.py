"""The structures of inputs that the rows of a covering array are made of: shapes, lists and attributes, no elements.

types      float, double, int8        whose inputs have the same factors
sections   floats, integers           the first type of each stands for the others
structure  X: (1, 3), Y: (2, 3)       valid in its section, whatever the elements
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sonnx_verify.conformance.inputs.covering.classes import Classes
from sonnx_verify.conformance.inputs.covering.combinations import Factor, Pairs, Rows
from sonnx_verify.conformance.inputs.covering.variants import Variants
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.small_inputs import LOOKED_AT
from sonnx_verify.kernel.variables import VariableKind

_FEWEST = 12_000
"""The number of changed inputs that are judged for each of many sections, unless fewer are asked for."""
# A third of what a single section has (rows.py). A quarter already finds structures for 94 to 99 % of the combinations
# that all of them do.


@dataclass(frozen=True, slots=True)
class Structures:
    """The structures of some types: valid inputs, no two of a section with the same class of each factor."""

    factors: Sequence[Factor]
    inputs: Sequence[Input]
    rows: Rows
    """The class of each factor, a row for each input."""
    sections: npt.NDArray[np.int64]
    """The number of the section of each input."""
    section_of_type: Sequence[int]
    examples: Sequence[Input]
    """Small valid inputs of the first section that has some."""
    rejected: tuple[str, ...]
    """The pairs of classes that only inputs had that a clause rejects, in words."""
    not_found: tuple[str, ...]
    """Those that no input had, valid or not: many contradict each other, which nobody proves."""

    def types_of(self, section: int) -> list[int]:
        """The numbers of the types of a section."""
        return [n for n, own in enumerate(self.section_of_type) if own == section]


def structures_of(
    points: Sequence[Points], seed: int, most: int, tries: int, known: Sequence[Sequence[Input]] = ()
) -> Structures:
    """The structures of types whose inputs have the same factors; `points` are those of each type.

    An input has at most `most` elements. `tries` changed inputs are judged, or more where there are many sections.
    `known` are valid inputs of each type, to begin with in a section of which no small input is valid.
    """
    keys = [_section(one) for one in points]
    firsts = [keys.index(key) for key in dict.fromkeys(keys)]
    own_tries = max(tries // len(firsts), min(tries, _FEWEST))
    examples: list[Input] = []
    every: list[Variants] = []
    for n in firsts:
        small = [*filter(points[n].is_sound, points[n].choices.inputs(LOOKED_AT))]
        if not small and known:
            small = [*filter(points[n].is_sound, known[n])]
        # What the inputs of the first section show holds for all.
        examples = examples or small
        classes = Classes(points[n], examples)
        rejected = every[0].rejected if every else Pairs(classes.factors)
        variants = Variants(points[n], classes, random.Random(seed), most, rejected)
        variants.begin(small)
        variants.grow(own_tries)
        every.append(variants)
    factors, rejected = every[-1].classes.factors, every[-1].rejected
    rows = [row for variants in every for row in variants.rows]
    valid = Pairs(factors)
    for row in rows:
        valid.add(row)
    return Structures(
        factors,
        [one for variants in every for one in variants.inputs],
        np.array(rows, np.int64).reshape(len(rows), len(factors)),
        np.repeat(np.arange(len(every)), [len(variants.rows) for variants in every]),
        [firsts.index(keys.index(key)) for key in keys],
        examples,
        tuple(rejected.beyond(valid)),
        tuple(valid.neither(rejected)),
    )


def _section(points: Points) -> object:
    """The same for two types of one section: what is valid of the one is valid of the other. The data of a structure
    get elements of each type; all else stays as it is, with the type that it has."""
    others = [(v.name, v.sort) for v in points.meaning.given if v.kind is VariableKind.TENSOR and not points.is_data(v)]
    return points.context.family, *others
