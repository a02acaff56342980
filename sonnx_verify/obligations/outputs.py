"""Outputs about which nothing is known but their types: clauses about outputs are asked of them. Trusted.

A claim about free outputs under the hypothesis that they conform is one about every result that a text allows, also
where it allows several.
"""

from __future__ import annotations

from collections.abc import Mapping

from sonnx_verify.kernel.values import Items, Tensor, Value
from sonnx_verify.kernel.variables import Variable, typed, value_of
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.terms import Term


def free_outputs(meaning: Meaning, copy: str) -> tuple[list[Variable], dict[str, Tensor | Items], tuple[Term, ...]]:
    """Fresh outputs: their variables, themselves by name, and what their types say.

    `copy` is added to their names: two results with the same names would be one result (the claim "any two that conform
    are equal" would be true of anything).
    """
    made = meaning.free_outputs(copy)
    # Sizes are not negative, and nothing else is known: only attributes are integers of 64 bits.
    values = {name: value_of(variable) for name, variable in made.items()}
    tensors = {name: value for name, value in values.items() if isinstance(value, Tensor | Items)}
    return list(made.values()), tensors, tuple(typed(v, bounded=False) for v in made.values())


def spoken_of(meaning: Meaning, outputs: Mapping[str, Value]) -> tuple[Term, ...]:
    """The conditions that the constraints about outputs are on these; one without a formal text says nothing."""
    clauses = [c for c in meaning.output_clauses if c.body is not None]
    return tuple(meaning.output_condition(c, outputs) for c in clauses)


def only_results(meaning: Meaning) -> dict[str, Tensor | Items] | None:
    """The outputs by name, where shape and value give each; None where some result is open, or one of a set."""
    if meaning.leaves_open or meaning.has_sets:
        return None
    tensors: dict[str, Tensor | Items] = {}
    for variable in meaning.outputs:
        result = meaning.results(variable.name)
        if result is None:
            return None
        tensors[variable.name] = result
    return tensors
