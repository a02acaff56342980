"""Outputs about which nothing is known but their types: what clauses about outputs are asked of."""

from __future__ import annotations

from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.values import Tensor
from sonnx_verify.language.variables import Variable, typed, value_of
from sonnx_verify.logic.terms import Term


def free_outputs(meaning: Meaning, copy: str) -> tuple[list[Variable], dict[str, Tensor], tuple[Term, ...]]:
    """Fresh outputs: their variables, themselves by name, and what their types say."""
    made = meaning.free_outputs(copy)
    tensors = {name: value for name, v in made.items() if isinstance(value := value_of(v), Tensor)}
    return list(made.values()), tensors, tuple(typed(v, bounded=False) for v in made.values())
