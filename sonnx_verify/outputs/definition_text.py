"""The answer of `explain` about a definition, as text."""

from __future__ import annotations

from collections.abc import Iterator

from sonnx_verify.authoring.explain.definition import DefinitionText
from sonnx_verify.results.text import framed


def definition_lines(made: DefinitionText) -> Iterator[str]:
    """Each definition, with the library that brings it, and the theorems that speak of it."""
    for one in made.definitions:
        yield f"{made.name}, {one.file}:{one.line}; `use {one.library}`"
        for line in one.text.splitlines():
            yield f"  {line}".rstrip()
    if not made.theorems:
        yield "no theorem speaks of it"
        return
    yield "what theorems say of it"
    for theorem in made.theorems:
        cited = "" if theorem.source is None else f" (axiom{framed(', ', theorem.source)})"
        yield f"  {theorem.id}  {theorem.title}{cited}"
        yield f"    {theorem.file}:{theorem.line}; `use {theorem.theory}`"
