"""`explain`."""

from __future__ import annotations

import json

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.api.select import used_in
from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.authoring.explain.clause import explained
from sonnx_verify.authoring.explain.target import Target, target_of
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import find_operator, here_at_once
from sonnx_verify.language.project import Project
from sonnx_verify.outputs.explanation import explanation, explanation_json
from sonnx_verify.progress import shown
from sonnx_verify.solving.check.run import usable_cores


def explain(identity: str, form: str) -> int:
    """Explain a clause: what it excludes, what it follows from, which proofs need it; or an obligation. Returns 3 where
    something of that is not known."""
    if "/" not in identity:
        raise UsageError(f"{identity} is no clause", cure=f"name one of its clauses, as `{identity}/C1`")
    if identity.count("/") > 1:
        from sonnx_verify.cli.explain_obligation import explain_obligation

        return explain_obligation(identity, form)
    project = here_at_once()
    target = _target(project, identity)
    with asking() as solvers:
        alone = Alone(solvers, usable_cores(), lambda r, n: shown(r, n, "proofs"))
        made = explained(project, target, alone, used_in)
    if form == "json":
        click.echo(json.dumps(explanation_json(made), indent=1, ensure_ascii=False))
    else:
        click.echo("\n".join(explanation(made)))
    return 0 if made.decided else 3


def _target(project: Project, identity: str) -> Target:
    """The clause that `namespace.Op-version[@text][.section]/tag` names."""
    name, _, tag = identity.partition("/")
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
