"""`eval`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from sonnx_verify.commands.select import find_operator, here
from sonnx_verify.counterexample.arguments import tensor_argument, to_array
from sonnx_verify.counterexample.inputs import Concrete, ConcreteTensor
from sonnx_verify.counterexample.replay import Outcome, assignment_of, replay
from sonnx_verify.counterexample.settings import attribute_argument
from sonnx_verify.errors import UsageError
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances, types_of
from sonnx_verify.language.files import Unit
from sonnx_verify.language.syntax import Node
from sonnx_verify.logic.sorts import ELEMENT, ELEMENT_TYPES, Sort
from sonnx_verify.report.values import tensor_json, tensor_text


def evaluate(
    operator: str,
    inputs: Sequence[str],
    attributes: Sequence[str],
    outputs: Sequence[str],
    why: bool,
    form: str,
) -> int:
    """Evaluate, print, and write the outputs that were asked for. Returns 1 when a clause is violated."""
    project = here()
    unit = find_operator(project, operator)
    given: dict[str, Concrete] = {}
    for text in inputs:
        name, value = pair_of(text)
        if name in given:
            raise UsageError(f"`{name}` is given twice", cure="give each input once")
        given[name] = tensor_argument(name, value)
    set_ = attributes_of(unit, attributes)
    if both := sorted(given.keys() & set_.keys()):
        raise UsageError(f"`{both[0]}` is given twice", cure="give each input and attribute once")
    context = section_of(unit, given)
    given |= set_
    targets = dict(pair_of(text) if "=" in text else (text, "") for text in outputs)
    meaning = project.meaning(unit, context)
    unknown = sorted(targets.keys() - {v.name for v in meaning.outputs})
    if unknown:
        raise UsageError(f"{unit.operator} has no output `{unknown[0]}`", cure="see `sonnx-verify show`")
    # An output that may be left out is asked for by its name.
    given |= {f"{name}.given": True for name in targets if name in meaning.asked}
    try:
        assignment = assignment_of(meaning, given)
    except KeyError as problem:
        raise UsageError(str(problem.args[0]), cure=f"see `sonnx-verify show {unit.operator}`") from None
    for variable in meaning.variables:
        if variable.name in assignment and variable.kind == "tensor":
            _check_type(variable.name, variable.sort.name, assignment[variable.name])
    outcome = replay(project, unit, meaning, assignment, why=True)
    if form == "json":
        click.echo(json.dumps(_as_json(unit, context, outcome), indent=1, ensure_ascii=False))
    else:
        click.echo("\n".join(_as_text(outcome, why)))
    for name, target in targets.items():
        if target and name in outcome.outputs:
            _save(name, Path(target), outcome.outputs[name])
    return 1 if outcome.undeclared or outcome.broken or outcome.errors or outcome.undetermined else 0


def pair_of(text: str) -> tuple[str, str]:
    """Name and value of `NAME=VALUE`. UsageError for anything else."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"`{text}` is not NAME=VALUE", cure="write NAME=VALUE")
    return name, value


def attributes_of(unit: Unit, texts: Sequence[str]) -> dict[str, Concrete]:
    """The attributes by name, each of the kind that is declared."""
    file = unit.file
    assert file is not None
    declared = {d.name: d for d in file.attributes}
    given: dict[str, Concrete] = {}
    for text in texts:
        name, value = pair_of(text)
        if name in given:
            raise UsageError(f"`{name}` is given twice", cure="give each input and attribute once")
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise UsageError(f"{unit.operator} has no attribute `{name}`", cure=f"its attributes: {known}")
        given[name] = attribute_argument(declared[name], value)
    return given


def section_of(unit: Unit, given: dict[str, Concrete]) -> Context:
    """The section, and the element type, of the given tensors. What nothing that is given says is the first type of
    the text."""
    file = unit.file
    assert file is not None
    families_of_inputs = {d.name for d in file.inputs if d.high is not None}
    kinds = {d.name: d.type.of.name for d in file.inputs if d.type.of is not None}
    chosen: dict[str, tuple[str, Sort]] = {}
    for name, value in given.items():
        variable = kinds.get(_declared(name, families_of_inputs))
        if not isinstance(value, ConcreteTensor) or variable not in ("T", *file.type_variables.values()):
            continue
        listed = types_of(file, variable)
        if value.sort.name not in listed:
            raise UsageError(
                f"{name}: {unit.operator} has no type {value.sort.name}", cure=f"use one of {', '.join(listed)}"
            )
        first, sort = chosen.setdefault(variable, (name, value.sort))
        if sort != value.sort:
            raise UsageError(
                f"{name} is {value.sort.name}, and {first} is {sort.name}: both hold elements of {variable}",
                cure="give all inputs of one type variable one type",
            )
    variables = {v: sort for v, (_, sort) in chosen.items()}
    for instance in instances(file):
        element = variables.get("T", ELEMENT_TYPES[instance.types[0]] if instance.types else ELEMENT)
        fits = all(instance.variables[v] == sort for v, sort in variables.items() if v != "T")
        if fits and (element == ELEMENT or element.name in instance.types):
            return Context(instance.family, element, variables=instance.variables)
    raise UsageError(f"{unit.operator} has no section of these types", cure="see `sonnx-verify show`")


def _declared(name: str, families: set[str]) -> str:
    """The declared name that a member of a family, or an input, belongs to."""
    return next((f for f in families if name.startswith(f) and name[len(f) :].isdigit()), name)


def _check_type(name: str, wanted: str, value: Concrete) -> None:
    for n, item in enumerate(value if isinstance(value, tuple) else (value,)):
        if isinstance(item, ConcreteTensor) and item.sort.name != wanted:
            where = f"{name}{n}" if isinstance(value, tuple) else name
            raise UsageError(f"{where} is {item.sort.name}, and {wanted} is needed", cure="give all inputs one type")


def _save(name: str, path: Path, tensor: ConcreteTensor) -> None:
    import numpy as np

    try:
        with path.open("wb") as file:
            np.save(file, to_array(tensor))
    except OSError as problem:
        raise UsageError(f"{name}: {path} cannot be written: {problem.strerror}", cure="name another file") from None


def _as_text(outcome: Outcome, why: bool) -> list[str]:
    lines = []
    for name, reasons in outcome.undeclared.items():
        lines.append(f"`{name}` is not as it is declared")
        lines += [f"  {reason}" for reason in reasons]
    for statement, holds, reasons in outcome.clauses:
        clause = statement.clause
        if clause.kind == "error":
            if holds or why:
                lines.append(f"[{clause.tag}] {'applies' if holds else 'does not apply'}: {clause.title}")
        elif not holds or why:
            lines.append(f"[{clause.tag}] {'holds' if holds else 'fails'}: {clause.title}")
            lines += [f"  {reason}" for reason in reasons]
    if outcome.broken and outcome.errors:
        lines.append(_why_error(outcome))
    if outcome.undetermined:
        lines.append(outcome.undetermined)
    for name, tensor in outcome.outputs.items():
        lines.append(f"{name} = {tensor_text(tensor)}")
        if name in outcome.unspecified:
            lines.append(f"  left open by the specification at {', '.join(map(str, outcome.unspecified[name]))}")
    return lines


def _why_error(outcome: Outcome) -> str:
    """What the errors come of. Where they say so themselves, that is one constraint: `C1 fails` is true of the first
    alone."""
    first = next((c for c in outcome.broken if c[0].clause.kind == "constraint"), outcome.broken[0])
    by_first = [e for e in outcome.errors if e.clause.body is not None and first[0].tag in _said_to_fail(e.clause.body)]
    causes, errors = ([first], by_first) if by_first else (outcome.broken, outcome.errors)
    reason = next((f"{reasons[0]}: " for _, _, reasons in causes if reasons), "")
    fail = "fails" if len(causes) == 1 else "fail"
    return f"{reason}{' and '.join(s.tag for s, _, _ in causes)} {fail}, so {' and '.join(e.tag for e in errors)}"


def _said_to_fail(body: Node) -> set[str]:
    """The constraints of which a condition speaks."""
    own = {body.text[0]} if body.kind == "fails" else set()
    return own.union(*(_said_to_fail(part) for part in body.parts))


def _as_json(unit: Unit, context: Context, outcome: Outcome) -> dict[str, object]:
    types = {} if context.element == ELEMENT else {"T": context.element.name}
    return {
        "operator": unit.operator,
        "types": types | {variable: sort.name for variable, sort in context.variables.items()},
        "clauses": [
            {"tag": s.tag, "kind": s.clause.kind, "sentence": s.clause.title, "holds": holds, "why": reasons}
            for s, holds, reasons in outcome.clauses
        ],
        "undeclared": outcome.undeclared,
        "outputs": {name: tensor_json(tensor) for name, tensor in outcome.outputs.items()},
        "unspecified": {name: [list(p) for p in places] for name, places in outcome.unspecified.items()},
        "undetermined": outcome.undetermined or None,
    }
