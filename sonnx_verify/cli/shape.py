"""`shape`."""

from __future__ import annotations

import json

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.api.shapes import Asked, answered, asked_of
from sonnx_verify.arrays.shapes.decide import atoms
from sonnx_verify.arrays.shapes.given import shown_name
from sonnx_verify.arrays.shapes.infer import Answer
from sonnx_verify.cli.options import FORMAT, guarded
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.outputs.wanted import Form

_LONG = 3
"""A last case with more conditions is told as `otherwise`."""


@click.command()
@click.argument("operator")
@click.option("--shape", "shapes", multiple=True, help="NAME=SIZES: symbols and numbers, as in data=N,M,3")
@click.option("--input", "inputs", multiple=True, help="An input with its values: NAME=VALUES, or as in `eval`.")
@click.option("--attr", "attributes", multiple=True, help="NAME=NUMBER, NAME=[NUMBERS] or NAME=TEXT")
@FORMAT
@guarded
def shape(
    operator: str, shapes: tuple[str, ...], inputs: tuple[str, ...], attributes: tuple[str, ...], form: Form
) -> int:
    """Say which shapes an operator's outputs have where sizes are symbols, and what has to hold of them."""
    project = here()
    asked = asked_of(project, find_operator(project, operator), shapes, inputs, attributes)
    with asking() as solvers:
        answer = answered(asked, solvers)
    order = list(asked.bounds)
    if form is Form.JSON:
        click.echo(json.dumps(_as_json(asked, order, answer), indent=1, ensure_ascii=False))
    else:
        click.echo("\n".join(_as_text(asked, order, answer)))
    if not answer.confirmed:
        return 3
    return 1 if answer.fails else 0


# ----------------------------------------------------------------------------------------------------------- the answer


def _left_out(asked: Asked) -> list[str]:
    """A line with the inputs that were not given: where something fails, often that is why."""
    missing = [v for v in asked.meaning.given if v.may_be_left_out and v.name not in asked.known and v.role != "asked"]
    if not missing:
        return []
    names = ", ".join(f"`{variable.name}`" for variable in missing)
    return [f"  not given: {names}"]


def _as_text(asked: Asked, order: list[str], answer: Answer) -> list[str]:
    # Loaded where something is printed: it takes sympy with it, which is slow to load.
    from sonnx_verify.arrays.shapes.printing import condition_text, condition_texts, shape_text

    unsure = [] if answer.confirmed else ["not confirmed by both solvers"]
    if answer.fails is not None:
        failing = f"[{answer.fails.tag}] {answer.fails.broken}: {answer.fails.sentence}"
        return [failing, *_left_out(asked), *unsure]
    lines = []
    for case in answer.cases:
        if len(answer.cases) > 1:
            # The last case is all that is left, which is said in short where it is long.
            left = case is answer.cases[-1] and len(atoms(case.when)) > _LONG
            lines.append("otherwise:" if left else f"if {condition_text(case.when, order)}:")
        margin = "  " if len(answer.cases) > 1 else ""
        lines += [f"{margin}{name} : {shape_text(sizes)}" for name, sizes in case.outputs.items()]
    assumed = [c for c in answer.conditions if c.assumed]
    rest = [c for c in answer.conditions if not c.assumed]
    for title, listed in (
        ("where", [c for c in rest if c.kind != "restriction"]),
        ("where, by restriction", [c for c in rest if c.kind == "restriction"]),
        ("assuming, of what is known at run time", assumed),
    ):
        if listed:
            lines.append(title)
        for c in listed:
            words = f"not: {c.sentence}" if c.kind == "unspecified" else c.sentence
            said = [words] if c.form is None else condition_texts(c.form, order)
            lines += [f"  [{c.tag}] {text}" for text in said]
    return [*lines, *unsure]


def _as_json(asked: Asked, order: list[str], answer: Answer) -> dict[str, object]:
    from sonnx_verify.arrays.shapes.printing import condition_text, size_text

    def said(assumed: bool) -> list[dict[str, object]]:
        return [
            {
                "tag": c.tag,
                "kind": c.kind,
                "sentence": c.sentence,
                "condition": None if c.form is None else condition_text(c.form, order),
            }
            for c in answer.conditions
            if c.assumed is assumed
        ]

    cases = [
        {
            "condition": None if len(answer.cases) == 1 else condition_text(case.when, order),
            "outputs": {name: [size_text(s) for s in sizes] for name, sizes in case.outputs.items()},
        }
        for case in answer.cases
    ]
    context = asked.meaning.context
    types = {} if context.element == ELEMENT else {"T": context.element.name}
    fails = answer.fails
    return {
        "operator": asked.unit.operator,
        "types": types | {variable: sort.name for variable, sort in context.variables.items()},
        "symbols": [shown_name(name) for name in order],
        "outputs": cases[0]["outputs"] if len(cases) == 1 else None,
        "cases": cases,
        "conditions": said(False),
        "assumptions": said(True),
        "fails": None if fails is None else {"tag": fails.tag, "kind": fails.kind, "sentence": fails.sentence},
        "confirmed": answer.confirmed,
    }
