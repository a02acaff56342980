"""One input of an operator, with what it exercises."""

from __future__ import annotations

from dataclasses import dataclass

from sonnx_verify.language.context import Context
from sonnx_verify.results.concrete import Concrete


@dataclass(frozen=True, slots=True)
class Case:
    """An input for one section of a specification and one type of its elements.

    `assignment` has a value for every variable but the outputs, with LEFT_OUT for what is omitted. `exercises` names
    the points that the input meets, see points.py.
    """

    context: Context
    assignment: dict[str, Concrete]
    exercises: tuple[str, ...]
