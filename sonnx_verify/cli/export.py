"""`export`: formal texts as data for other tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from sonnx_verify.api.files import texts_of
from sonnx_verify.cli.options import OPSET, complete_identity, format_option, guarded, named
from sonnx_verify.errors import UsageError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.named import here
from sonnx_verify.language.places import root_here
from sonnx_verify.language.project import Project
from sonnx_verify.outputs.specification import export_json
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.pages.render.opened import formal_of, page_of


@click.command()
@click.argument("what", nargs=-1, required=True, metavar="SPEC...", shell_complete=complete_identity)
@OPSET
@format_option(Form.JSON)
@guarded
def export(what: tuple[str, ...], *, opset: int | None, form: Form) -> int:
    """Export specifications as data.

    SPEC is an operator, such as `sonnx.Max-13`, a .sonnx file, of which every version is exported, or a folder. The
    data has the signature, the types, each clause with its sentence and its formula, the rules of shape and value, what
    is left open, the examples, and the decisions of the page.

    \b
    Examples:
      sonnx-verify export sonnx.Max-13
      sonnx-verify export spec/sonnx
    """
    assert form is Form.JSON
    texts = [(unit, formal_of(project, unit), page_of(unit)) for project, unit in _named(what, opset)]
    click.echo(json.dumps(export_json(texts), indent=2, ensure_ascii=False))
    return 0


def _named(what: Sequence[str], opset: int | None) -> Iterator[tuple[Project, Unit]]:
    """The operators that are named, each once."""
    seen: set[str] = set()
    for name in what:
        for project, unit in _found(name, opset):
            if unit.operator not in seen:
                seen.add(unit.operator)
                yield project, unit


def _found(name: str, opset: int | None) -> Iterator[tuple[Project, Unit]]:
    path = Path(name)
    if path.suffix != ".sonnx" and not path.is_dir():
        project = here()
        yield project, named(project, name, opset)
        return
    project = Project.of_files(root_here(), [p for p in texts_of([name]) if p is not None])
    found = False
    for unit in project.units:
        if unit.error is not None:
            raise unit.error
        if unit.file is not None and unit.file.version is not None:
            found = True
            yield project, unit
    if not found:
        raise UsageError(f"{name} has no operator", cure="name an operator, or a file or folder with some")
