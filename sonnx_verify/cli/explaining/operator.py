"""`explain` of an operator: its text, and what that uses."""

from __future__ import annotations

import click

from sonnx_verify.authoring.explain.text import operator_text
from sonnx_verify.cli.options import print_json
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.outputs.operator_text import operator_lines
from sonnx_verify.outputs.wanted import Form


def explain_operator(project: Project, unit: Unit, form: Form) -> int:
    """Print the text of an operator, item by item, with the places of what it uses."""
    made = operator_text(project, unit)
    if form is Form.JSON:
        print_json(made)
    else:
        click.echo("\n".join(operator_lines(made)))
    return 0
