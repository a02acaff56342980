"""`explain` of a clause."""

from __future__ import annotations

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.authoring.explain.clause import explained
from sonnx_verify.authoring.explain.target import Target, target_of
from sonnx_verify.cli.options import print_json, tell_cache_problem
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import find_operator
from sonnx_verify.language.project import Project
from sonnx_verify.outputs.explanation import explanation, explanation_json
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.progress import shown
from sonnx_verify.solving.check.run import usable_cores


def explain_clause(project: Project, target: Target, form: Form) -> int:
    """Print what a clause excludes, what it follows from, and which proofs need it. Return 3 if something of that stays
    undecided."""
    with asking(tell_cache_problem) as solvers:
        alone = Alone(solvers, usable_cores(), lambda r, n: shown(r, n, "proofs"))
        made = explained(project, target, alone)
    if form is Form.JSON:
        print_json(explanation_json(made))
    else:
        click.echo("\n".join(explanation(made)))
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
