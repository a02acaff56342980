"""What partial evaluation works with: the meaning of bound variables, and what folds need of it."""

from __future__ import annotations

from typing import Any, Protocol

from sonnx_verify.arrays.evaluator.loops import Nodes
from sonnx_verify.logic.terms import Symbol, Term


class Coordinates(tuple[Term, ...]):
    """An index by its coordinates from the right, of which some are known in a loop only."""


Environment = dict[int, Any]
"""The meaning of bound variables, by their numbers: a value, or a term or Coordinates where it is not known yet."""

NOTHING = "nothing "
"""What the name of a symbol begins with that stands for what has no value."""


def name_of(loop: Term) -> str:
    """The name of the symbol of a loop."""
    assert isinstance(loop.payload, Symbol)
    return loop.payload.name


class Specialising(Protocol):
    """What folds need of partial evaluation, see specialise.py."""

    nodes: Nodes
    depth: int

    def __call__(self, term: Term, env: Environment) -> Term: ...
    def number(self, term: Term, env: Environment) -> int: ...
    def unknown(self, term: Term) -> Exception: ...
    def simple(self, term: Term) -> Term: ...
