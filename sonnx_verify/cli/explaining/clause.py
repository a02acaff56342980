"""`explain` of a clause."""

from __future__ import annotations

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.authoring.explain.clause import stages
from sonnx_verify.authoring.explain.target import Target, target_of
from sonnx_verify.cli.options import print_json, tell_cache_problem
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import find_operator
from sonnx_verify.language.project import Project
from sonnx_verify.outputs.explanation import clause_lines, excluded_lines, explanation_json, needs_lines
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.progress import shown
from sonnx_verify.solving.check.run import usable_cores


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
