"""`explain` without an option: what is named decides what is told."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sonnx_verify.api.select import select
from sonnx_verify.authoring.explain.target import Target
from sonnx_verify.cli.explaining.clause import explain_clause, named_clause
from sonnx_verify.cli.explaining.listing import listing
from sonnx_verify.cli.explaining.obligation import explain_obligation
from sonnx_verify.cli.explaining.operator import explain_operator
from sonnx_verify.cli.options import named
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import here, here_at_once, read_at_once
from sonnx_verify.language.places import installed_library
from sonnx_verify.language.project import Project
from sonnx_verify.outputs.wanted import Form


def explain_named(identities: Sequence[str], form: Form) -> int:
    """Explain an operator, a clause or an obligation; list what several identities, or a pattern, name."""
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
