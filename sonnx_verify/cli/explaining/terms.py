"""`explain --terms`: clauses and claims as the terms they became."""

from __future__ import annotations

import click
from msgspec import Struct

from sonnx_verify.api.select import one
from sonnx_verify.cli.options import named, print_json
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.named import here
from sonnx_verify.language.project import Project
from sonnx_verify.logic.shown import show as show_term
from sonnx_verify.logic.sorts import ELEMENT, INDEX, INT
from sonnx_verify.logic.terms import Symbol
from sonnx_verify.obligations.obligation import Statement
from sonnx_verify.obligations.orders import NotAbstract
from sonnx_verify.obligations.section import sorts
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.written import OfVersions


class TermJson(Struct, frozen=True):
    """A clause or claim in words, and as a term."""

    what: str
    term: str | None


class TermsJson(OfVersions, frozen=True):
    """The whole answer."""

    terms: list[TermJson]


def terms(identity: str, form: Form) -> int:
    """Print the clauses of an operator, or the claims of an obligation."""
    rows = _obligation(identity) if "/" in identity else _operator(identity)
    if form is Form.JSON:
        print_json(TermsJson([TermJson(what, term or None) for what, term in rows]))
    else:
        for what, term in rows:
            click.echo(what)
            if term:
                click.echo(f"    {term}")
    return 0


def _operator(identity: str) -> list[tuple[str, str]]:
    project = here()
    unit = named(project, identity)
    file = unit.file
    assert file is not None
    rows = [(f"{unit.operator} ({file.kind}), {unit.shown}", "")]
    declared = (*file.inputs, *file.attributes, *file.outputs)
    rows += [(d.span.source.line(d.span.line).strip(), "") for d in declared]
    # Of the symbol T for each family: the terms are the same for all its types.
    for instance in instances(file):
        variables = [f"{variable} = {sort.name}" for variable, sort in instance.variables.items()]
        rows.append((f"section {instance.name}: {' '.join([*instance.types, *variables])}", ""))
        types = sorts(instance.types)
        rows += _section(project, unit, Context(instance.family, ELEMENT, variables=instance.variables, types=types))
    return rows


def _section(project: Project, unit: Unit, context: Context) -> list[tuple[str, str]]:
    meaning = project.meaning(unit, context)
    rows = []
    for statement in (*meaning.restrictions, *meaning.constraints, *meaning.errors):
        clause = statement.clause
        term = "outside the model"  # a clause in words alone, which no obligation is about
        if statement.term is not None:
            term = show_term(statement.term)
        rows.append((f"[{clause.tag}] {clause.kind}: {clause.title}", term))
    rows += [(f"[{c.tag}] {c.kind} about outputs: {c.title}", "") for c in meaning.output_clauses]
    for name, family in meaning.families.items():
        if family.count is not None:
            rows.append((f"number of outputs {name}", show_term(family.count)))
        # At a symbol k that stands for any number of a member, from 0 on.
        member = f"{name}[k]"
        meaning = meaning.with_members(name, {member: Symbol("k", (), INT)()})
    for name, shape in meaning.shapes.items():
        rows.append((f"rank of {name}", show_term(shape.rank)))
        rows.append((f"size of {name} on axis q from the right", show_term(shape.dim(Symbol("q", (), INT)()))))
    # At symbols q and i that stand for any axis and any index: the terms are those of the obligations.
    for name in meaning.values:
        result = meaning.result(name)
        if result is not None:
            rows.append((f"{name} at index i", show_term(result.read(Symbol("i", (), INDEX)()))))
        if name in meaning.members:
            # The term above is one member of the set: this says which y are.
            place = Symbol("i", (), INDEX)()
            sort = next(v.sort for v in meaning.outputs if v.name == name)
            rows.append(
                (f"{name} at index i may be y if", show_term(meaning.members[name](place, Symbol("y", (), sort)())))
            )
    return rows


def _obligation(identity: str) -> list[tuple[str, str]]:
    _, obligation = one(identity)
    # A static check, such as that a text is well formed, has no terms: its answer is all there is.
    rows = [(f"{obligation.id}, {obligation.span}", "")]
    if obligation.build is None:
        assert obligation.answer is not None
        return [*rows, (obligation.answer.reason, "")]
    # One that holds for each type alike is built of a type without arithmetic; one that adds needs a type of its own.
    try:
        statement: Statement = obligation.build(Context(obligation.family, ELEMENT, types=obligation.types))
    except NotAbstract:
        statement = obligation.build(Context(obligation.family, obligation.types[0]))
        rows.append((f"for {obligation.types[0].name}, and each other type alike", ""))
    rows += [("given", show_term(h)) for h in statement.hypotheses]
    for claim in statement.claims:
        rows.append((f"claim: {claim.what}", show_term(claim.goal)))
    for wanted in statement.wanted:
        rows.append((f"wanted: {wanted.what}", " and ".join(show_term(c) for c in wanted.conditions)))
    return rows
