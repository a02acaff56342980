"""`shape`."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.arrays.shapes.decide import Decider, atoms
from sonnx_verify.arrays.shapes.given import shown_name
from sonnx_verify.arrays.shapes.infer import GIVE_MORE, Answer, infer
from sonnx_verify.cli.sizes import Asked, asked_of
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.logic.opaque import opaque
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.logic.terms import Term
from sonnx_verify.logic.verdict import all_unsat
from sonnx_verify.solving.solvers import Solvers

_QUICK, _QUICK_PRODUCTS, _MOST_QUESTIONS = 200_000, 20_000, 1_000
"""How much work a question may cost whose answer only makes things shorter: without products, with them; how many."""
_LONG = 3
"""A last case with more conditions is told as `otherwise`."""


def shape(operator: str, shapes: Sequence[str], inputs: Sequence[str], attributes: Sequence[str], form: str) -> int:
    """Say which shapes the outputs have. Returns 1 when a clause fails whatever the sizes are, 3 when the answer could
    not be confirmed."""
    project = here()
    asked = asked_of(project, find_operator(project, operator), shapes, inputs, attributes)
    with asking() as solvers:
        answer = answered(asked, solvers)
    order = list(asked.bounds)
    if form == "json":
        click.echo(json.dumps(_as_json(asked, order, answer), indent=1, ensure_ascii=False))
    else:
        click.echo("\n".join(_as_text(asked, order, answer)))
    return 3 if not answer.confirmed else 1 if answer.fails else 0


def answered(asked: Asked, solvers: Solvers) -> Answer:
    """The answer to a question. The first solver makes it shorter, all of them confirm it."""
    return infer(asked.meaning, asked.known, asked.bounds, quick(solvers), sure(solvers))


def quick(solvers: Solvers) -> Decider:
    """Asks the first solver, which is told what products are only where it does not need much work."""
    asked_before = 0

    def contradictory(conditions: Sequence[Term]) -> bool:
        nonlocal asked_before
        asked_before += 1
        if asked_before > _MOST_QUESTIONS:
            raise UsageError("there is too much to tell apart", cure=GIVE_MORE)
        free = opaque(list(conditions))
        asked = [(conditions, _QUICK)] if free is None else [(free, _QUICK), (conditions, _QUICK_PRODUCTS)]
        first = solvers.names[:1]
        return any("unsat" in _answers(solvers, terms, first, cost).values() for terms, cost in asked)

    return contradictory


def sure(solvers: Solvers) -> Decider:
    """Asks all solvers, of which there have to be two, and which have to agree."""
    return lambda conditions: all_unsat([_answers(solvers, conditions)])


def _answers(
    solvers: Solvers, conditions: Sequence[Term], names: Sequence[str] | None = None, budget: int | None = None
) -> dict[str, str]:
    answers = solvers.submit(script(conditions), budget=budget, names=names).result()
    return {name: answer.status for name, answer in answers.items()}


# ----------------------------------------------------------------------------------------------------------- the answer


def _left_out(asked: Asked) -> list[str]:
    """What was not given, where something fails: often that is why."""
    missing = [v for v in asked.meaning.given if v.may_be_left_out and v.name not in asked.known and v.role != "asked"]
    return [f"  not given: {', '.join(f'`{v.name}`' for v in missing)}"] if missing else []


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
