"""`explain` without an option: what is named decides what is told."""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.api.select import select
from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.authoring.explain.clause import stages
from sonnx_verify.authoring.explain.definition import DefinitionText, definition_text
from sonnx_verify.authoring.explain.target import Target, target_of
from sonnx_verify.authoring.explain.text import operator_text
from sonnx_verify.cli.explaining.listing import listing
from sonnx_verify.cli.explaining.obligation import explain_obligation
from sonnx_verify.cli.options import named, print_json, tell_cache_problem
from sonnx_verify.errors import UsageError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.named import find_operator, here, here_at_once, read_at_once
from sonnx_verify.language.places import installed_library
from sonnx_verify.language.project import Project
from sonnx_verify.outputs.definition_text import definition_lines
from sonnx_verify.outputs.explanation import clause_lines, excluded_lines, explanation_json, needs_lines
from sonnx_verify.outputs.operator_text import operator_lines
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.progress import shown
from sonnx_verify.solving.check.run import usable_cores


def explain_operator(project: Project, unit: Unit, form: Form) -> int:
    """Print the text of an operator, item by item, with the places of what it uses."""
    made = operator_text(project, unit)
    if form is Form.JSON:
        print_json(made)
    else:
        click.echo("\n".join(operator_lines(made)))
    return 0


def _told(made: DefinitionText, form: Form) -> int:
    """Print a definition, and what is known of it."""
    if form is Form.JSON:
        print_json(made)
    else:
        click.echo("\n".join(definition_lines(made)))
    return 0


def explain_clause(project: Project, target: Target, form: Form) -> int:
    """Print what a clause excludes, what it follows from, and which proofs need it. Return 3 if something of that stays
    undecided."""
    told = (clause_lines, excluded_lines, needs_lines)
    with asking(tell_cache_problem) as solvers:
        alone = Alone(solvers, usable_cores(), lambda r, n: shown(r, n, "proofs"))
        # What is known is printed at once: the proofs that need a clause may take a minute.
        for lines_of, made in zip(told, stages(project, target, alone), strict=False):
            if form is Form.TEXT and (lines := lines_of(made)):
                click.echo("\n".join(lines))
    if form is Form.JSON:
        print_json(explanation_json(made))
    if not made.decided:
        return 3
    return 0


def named_clause(project: Project, identity: str) -> Target:
    """The clause that `namespace.Op-version[@text][.section]/tag` names."""
    name, _, tag = identity.partition("/")
    # A version and a section may both have letters and points, so the name is tried with and without its last part.
    try:
        return target_of(find_operator(project, name), "", tag)
    except UsageError:
        before, _, section = name.rpartition(".")
        if "." not in before:
            raise
    try:
        unit = find_operator(project, before)
    except UsageError:
        # What was written is told, not a part of it.
        unit = find_operator(project, name)
    return target_of(unit, section, tag)


def explain_named(identities: Sequence[str], form: Form) -> int:
    """Explain an operator, a clause, an obligation or a definition; list what identities, or a pattern, name."""
    if len(identities) > 1:
        return listing(identities, form)
    identity = identities[0]
    if re.search(r"[*?\[]", identity):
        return _matching(identity, form)
    # `subject/tag` is a clause, `subject/tag/kind` an obligation about it.
    if identity.count("/") > 1:
        return explain_obligation(identity, form)
    try:
        if "/" in identity:
            project, target = _clause(identity)
        else:
            project = here()
            unit = named(project, identity)
    except UsageError as error:
        made = definition_text(here(), identity)
        if made is not None:
            return _told(made, form)
        # A section, a namespace, a file of theorems, or a theorem.
        return _matching(identity, form, error)
    if "/" in identity:
        return explain_clause(project, target, form)
    return explain_operator(project, unit, form)


def _clause(identity: str) -> tuple[Project, Target]:
    """The clause of that name, and the project that its text is in: the one here, or the installed library."""
    project = here_at_once()
    target = named_clause(project, identity)
    if any(unit.place == target.unit.place for unit in project.units):
        return project, target
    library = installed_library()
    texts, closed = read_at_once(library, ())
    project = Project.open(library, texts, closed=closed)
    return project, named_clause(project, identity)


def _matching(pattern: str, form: Form, instead: UsageError | None = None) -> int:
    """Explain the only obligation that matches, or list several. Raises the error that is given `instead` of the
    selection's where none does."""
    try:
        found = select([pattern])
    except UsageError:
        if instead is not None:
            raise instead from None
        raise
    if len(found.obligations) == 1 and not found.errors:
        return explain_obligation(found.obligations[0].id, form)
    return listing([pattern], form)
