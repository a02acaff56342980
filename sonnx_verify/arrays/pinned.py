"""The share of a standard that is pinned: the arguments of a 16-bit type for which its text leaves nothing open.

All 65,536 are tried, of an operator whose element depends on the element of its one input at the same index; of others
nothing is said. No verdict rests on it: it tells a reader of how much a `refines` is proved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sonnx_verify.arrays.evaluator.known import ArrayTensor
from sonnx_verify.arrays.evaluator.loops import NoProgram
from sonnx_verify.arrays.evaluator.results import Result
from sonnx_verify.arrays.partial.walk import Open
from sonnx_verify.kernel.values import Declared, Tensor
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.sorts import ELEMENT_TYPES, INDEX
from sonnx_verify.logic.terms import FALSE, ZERO, placeholder, subterms
from sonnx_verify.solving.inputs.replay import assignment_of

_TYPE, _ALL = "float16", 1 << 16
_LITTLE = 100
"""One of so many arguments, or fewer, is next to nothing."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """The number of arguments, of all of the type, at which a text leaves nothing open; `standard` names the text if it
    is another one than was asked about."""

    count: int
    type: str = _TYPE
    total: int = _ALL
    standard: str = ""

    @property
    def is_little(self) -> bool:
        """Return whether what is proved of the text is proved of next to nothing."""
        return self.count * _LITTLE <= self.total

    def __str__(self) -> str:
        pins = f"pins {self.count:,} of {self.total:,} {self.type} arguments"
        if not self.standard:
            return pins
        little = f"; `refines` says next to nothing of {self.type}" if self.is_little else ""
        return f"refines {self.standard}, which {pins}{little}"


def pinned_by(project: Project, unit: Unit) -> Pinned | None:
    """Count the pinned arguments of a text, with default attributes; None if they are not single elements."""
    file = unit.file
    if file is None or file.kind is not s.FileKind.STANDARD or len(file.inputs) != 1 or len(file.outputs) != 1:
        return None
    family = next((x.family for x in instances(file) if _TYPE in x.types and not x.variables), None)
    declared = file.inputs[0]
    if family is None or declared.high is not None or declared.optional or str(declared.type.of) != s.TypeWord.T:
        return None
    meaning = project.meaning(unit, Context(family, ELEMENT_TYPES[_TYPE]))
    if not _is_elementwise(meaning, declared.name):
        return None
    every = np.arange(_ALL, dtype=np.uint16).view(np.float16)
    try:
        assignment = assignment_of(meaning, {declared.name: ArrayTensor.of(every)})
        open_at = Result(file.outputs[0].name, every, meaning, assignment).unspecified
    # An attribute without a default, or a condition that is not computed on arrays.
    except (KeyError, NoProgram, Open, Undefined):
        return None
    return Pinned(_ALL - int(np.count_nonzero(np.broadcast_to(open_at, every.shape))))


def pinned_of(project: Project, unit: Unit) -> Pinned | None:
    """Count the pinned arguments of a text, or of the standard that it refines."""
    return pinned_by(project, unit) or pinned_by_standard(project, unit)


def pinned_by_standard(project: Project, unit: Unit) -> Pinned | None:
    """Count the pinned arguments of the standard that a text refines; the answer names it."""
    refines = None if unit.file is None else unit.file.refines
    if refines is None:
        return None
    standard = project.find(refines.namespace, refines.operator, refines.version)
    made = None if standard is None else pinned_by(project, standard)
    if standard is None or made is None:
        return None
    return replace(made, standard=standard.operator)


def _is_elementwise(meaning: Meaning, name: str) -> bool:
    """The result has the shape of the input, and its element depends on that of the input at the same index."""
    output = meaning.outputs[0].name
    declared, shape, value = meaning.inputs[name], meaning.shapes.get(output), meaning.values.get(output)
    if shape is None or value is None or not isinstance(declared, Declared) or not isinstance(declared.value, Tensor):
        return False
    same = declared.value.shape
    if shape.rank is not same.rank or shape.dim(ZERO) is not same.dim(ZERO):
        return False
    if meaning.unspecified_outcome is not FALSE or meaning.unspecified_shape is not FALSE:
        return False
    index = placeholder(INDEX)
    terms = [value(index), *(free(index) for free in meaning.unspecified_values.get(output, []))]
    return all(node is index for node in subterms(*terms) if node.sort == INDEX)
