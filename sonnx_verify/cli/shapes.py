"""`eval --shape`: the shapes of outputs."""

from __future__ import annotations

from collections.abc import Sequence

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.api.shapes import answered, asked_of, shapes_json
from sonnx_verify.cli.options import named, print_json, tell_cache_problem
from sonnx_verify.language.named import here
from sonnx_verify.outputs.wanted import Form


def shapes_of(
    operator: str,
    shapes: Sequence[str],
    inputs: Sequence[str],
    attributes: Sequence[str],
    form: Form,
    opset: int | None = None,
    types: Sequence[str] = (),
) -> int:
    """Print the shape of each output, by cases where it depends on the symbols, and the conditions under which it
    exists; the status with which the command ends."""
    project = here()
    asked = asked_of(project, named(project, operator, opset), shapes, inputs, attributes, types)
    with asking(tell_cache_problem) as solvers:
        answer = answered(asked, solvers)
    # Symbols stand in the order in which they were given: `N, M` and not `M, N` for `--shape data=N,M`.
    order = list(asked.bounds)
    if form is Form.JSON:
        print_json(shapes_json(asked, order, answer))
    else:
        # Loaded where something is printed: it takes sympy with it, which is slow to load.
        from sonnx_verify.outputs.shapes import answer_lines

        click.echo("\n".join(answer_lines(asked.meaning, asked.known, order, answer)))
        if asked.chosen:
            click.echo(f"for T = {asked.chosen}; --type T=TYPE asks for another type, whose answer may differ")
    # First: an answer that one solver alone gave is none, whatever it is.
    if not answer.confirmed:
        return 3
    if answer.fails is None:
        return 0
    return 3 if answer.fails.kind == "unspecified" else 1
