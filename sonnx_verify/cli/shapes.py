"""`eval --shape`: the shapes of outputs."""

from __future__ import annotations

from collections.abc import Sequence

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.api.evaluation import types_json
from sonnx_verify.api.shapes import Asked, answered, asked_of
from sonnx_verify.arrays.shapes.given import shown_name
from sonnx_verify.arrays.shapes.infer import Answer, Condition
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
        print_json(_as_json(asked, order, answer))
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


# ----------------------------------------------------------------------------------------------------------- the answer


def _as_json(asked: Asked, order: list[str], answer: Answer) -> dict[str, object]:
    from sonnx_verify.arrays.shapes.printing import condition_text, size_text

    fails: dict[str, object] | None = None
    if answer.fails is not None:
        fails = {"tag": answer.fails.tag, "kind": answer.fails.kind, "sentence": answer.fails.sentence}
    cases: list[dict[str, object]] = []
    for case in answer.cases:
        outputs = {name: [size_text(size) for size in sizes] for name, sizes in case.outputs.items()}
        cases.append({"condition": None, "outputs": outputs})
    alone = None
    if len(cases) == 1:
        # A single case needs no condition, and its outputs are the answer.
        alone = cases[0]["outputs"]
    else:
        for made, case in zip(cases, answer.cases, strict=True):
            made["condition"] = condition_text(case.when, order)
    return {
        "operator": asked.unit.operator,
        "types": types_json(asked.meaning.context),
        "symbols": [shown_name(name) for name in order],
        "outputs": alone,
        "cases": cases,
        "conditions": [_condition_json(one, order) for one in answer.conditions if not one.assumed],
        "assumptions": [_condition_json(one, order) for one in answer.conditions if one.assumed],
        "fails": fails,
        "confirmed": answer.confirmed,
    }


def _condition_json(condition: Condition, order: list[str]) -> dict[str, object]:
    from sonnx_verify.arrays.shapes.printing import condition_text

    form = None
    if condition.form is not None:
        form = condition_text(condition.form, order)
    return {"tag": condition.tag, "kind": condition.kind, "sentence": condition.sentence, "condition": form}
