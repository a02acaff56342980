"""`shape`."""

from __future__ import annotations

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.api.shapes import Asked, answered, asked_of
from sonnx_verify.arrays.shapes.decide import atoms
from sonnx_verify.arrays.shapes.given import shown_name
from sonnx_verify.arrays.shapes.infer import Answer, Condition
from sonnx_verify.cli.options import FORMAT, guarded, print_json, types_json
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.language.syntax import ClauseKind
from sonnx_verify.language.variables import Variable, VariableRole
from sonnx_verify.outputs.wanted import Form

_LONG = 3
"""A last case with more conditions is told as `otherwise`: what is left of four cases is a line that nobody reads."""


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
    # Symbols stand in the order in which they were given: `N, M` and not `M, N` for `--shape data=N,M`.
    order = list(asked.bounds)
    if form is Form.JSON:
        print_json(_as_json(asked, order, answer))
    else:
        click.echo("\n".join(_as_text(asked, order, answer)))
    # First: an answer that one solver alone gave is none, whatever it is.
    if not answer.confirmed:
        return 3
    return int(answer.fails is not None)


# ----------------------------------------------------------------------------------------------------------- the answer


def _left_out(asked: Asked) -> list[str]:
    """A line with the inputs that were not given: where something fails, often that is why."""

    def is_missing(variable: Variable) -> bool:
        # Whether an optional output is wanted is a variable too, which nobody would think to give.
        if variable.role is VariableRole.ASKED:
            return False
        return variable.may_be_left_out and variable.name not in asked.known

    missing = [variable for variable in asked.meaning.given if is_missing(variable)]
    if not missing:
        return []
    names = ", ".join(f"`{variable.name}`" for variable in missing)
    return [f"  not given: {names}"]


def _as_text(asked: Asked, order: list[str], answer: Answer) -> list[str]:
    # Loaded where something is printed: it takes sympy with it, which is slow to load.
    from sonnx_verify.arrays.shapes.printing import condition_text, condition_texts, shape_text

    unsure: list[str] = []
    if not answer.confirmed:
        unsure.append("not confirmed by both solvers")
    if answer.fails is not None:
        failing = f"[{answer.fails.tag}] {answer.fails.broken}: {answer.fails.sentence}"
        return [failing, *_left_out(asked), *unsure]
    lines = []
    if len(answer.cases) == 1:
        lines += [f"{name} : {shape_text(sizes)}" for name, sizes in answer.cases[0].outputs.items()]
    else:
        for case in answer.cases:
            # The last case is all that is left, which is said in short where it is long.
            if case is answer.cases[-1] and len(atoms(case.when)) > _LONG:
                lines.append("otherwise:")
            else:
                lines.append(f"if {condition_text(case.when, order)}:")
            lines += [f"  {name} : {shape_text(sizes)}" for name, sizes in case.outputs.items()]
    rest = [condition for condition in answer.conditions if not condition.assumed]
    # A restriction is the profile's own, and may be lifted; the others are the operator's.
    for title, listed in (
        ("where", [condition for condition in rest if condition.kind != ClauseKind.RESTRICTION]),
        ("where, by restriction", [condition for condition in rest if condition.kind == ClauseKind.RESTRICTION]),
        ("assuming, of what is known at run time", [condition for condition in answer.conditions if condition.assumed]),
    ):
        if listed:
            lines.append(title)
        for condition in listed:
            # A condition about elements has no form of sizes: then its sentence has to do.
            said = [condition.sentence]
            if condition.form is not None:
                said = condition_texts(condition.form, order)
            elif condition.kind == "unspecified":
                said = [f"not: {condition.sentence}"]
            lines += [f"  [{condition.tag}] {text}" for text in said]
    return [*lines, *unsure]


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
