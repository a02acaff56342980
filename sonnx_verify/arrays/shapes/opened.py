"""What the two halves of partial evaluation know of each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sonnx_verify.logic.terms import Term


class Open(Exception):
    """What is asked for is not known before run time."""


class Unfolding(Protocol):
    """Writes terms out."""

    @property
    def compared(self) -> Callable[[str, Term, Term], Term]:
        """Makes `=` and `<=` of integers."""

    def __call__(self, term: Term) -> Term:
        """The term written out. Raises Open."""

    def condition(self, term: Term) -> Term:
        """A condition written out; where that is not possible, a truth value of its own."""

    def values_of(self, number: Term) -> range:
        """The values that an integer may have. Raises Open where they are not few."""

    def range_of(self, low: Term, high: Term) -> list[tuple[int, Term]]:
        """The numbers that a range may have in it, each with the condition that it has it."""

    def indices(self, rank: Term, axis: Term, sizes: Term) -> list[Term]:
        """The indices of a shape of known sizes."""
