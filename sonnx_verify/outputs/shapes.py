"""The shapes of an operator's outputs where sizes are symbols, as text."""

from __future__ import annotations

from collections.abc import Collection

from sonnx_verify.arrays.shapes.decide import atoms
from sonnx_verify.arrays.shapes.infer import Answer
from sonnx_verify.arrays.shapes.printing import condition_text, condition_texts, shape_text
from sonnx_verify.kernel.variables import Variable, VariableRole
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.syntax import ClauseKind

_LONG = 3
"""A last case with more conditions is told as `otherwise`: what is left of four cases is a line that nobody reads."""


def answer_lines(meaning: Meaning, known: Collection[str], order: list[str], answer: Answer) -> list[str]:
    """The shape of each output, by cases, and the conditions; or the clause that fails. `known` are the inputs that
    were given, `order` the symbols, in the order in which they were given."""
    unsure: list[str] = []
    if not answer.confirmed:
        unsure.append("not confirmed by both solvers")
    if answer.fails is not None:
        failing = f"[{answer.fails.tag}] {answer.fails.broken}: {answer.fails.sentence}"
        return [failing, *_left_out(meaning, known), *unsure]
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


def _left_out(meaning: Meaning, known: Collection[str]) -> list[str]:
    """A line with the inputs that were not given: where something fails, often that is why."""

    def is_missing(variable: Variable) -> bool:
        # Whether an optional output is wanted is a variable too, which nobody would think to give.
        if variable.role is VariableRole.ASKED:
            return False
        return variable.may_be_left_out and variable.name not in known

    missing = [variable for variable in meaning.given if is_missing(variable)]
    if not missing:
        return []
    names = ", ".join(f"`{variable.name}`" for variable in missing)
    return [f"  not given: {names}"]
