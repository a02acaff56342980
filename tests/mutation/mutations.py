"""Mutations by what they replace, for tests."""

from __future__ import annotations

from sonnx_verify.authoring.mutation.mutation import Mutation
from sonnx_verify.sources import Source


def mutation_of(source: Source, old: str, new: str) -> Mutation:
    """The mutation that replaces what stands in the text once."""
    assert source.text.count(old) == 1, f"{source.name} has {source.text.count(old)} times: {old}"
    return Mutation(source, source.text.index(old), old, new, item="item")
