"""`vectors`: tests of an operator in the layout of ONNX's node tests, with an index."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import click

from sonnx_verify.cli.options import FORMAT, OPSET, complete_operator, guarded, named, print_json, refuse_without, split
from sonnx_verify.conformance.targets.models import need_onnx
from sonnx_verify.errors import MissingFile, UsageError
from sonnx_verify.language.named import here
from sonnx_verify.language.project import Project
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.text import counted_text
from sonnx_verify.stores.folder import INDEX, refuse_others, write_folder


@click.command()
@click.argument("operator", metavar="SPEC", shell_complete=complete_operator)
@click.option(
    "--out", type=click.Path(), required=True, metavar="DIR", help="The folder: new, empty, or of an earlier run."
)
@click.option("--types", default="", metavar="TYPES", help="Element types, such as float,int8 (default: all).")
@click.option("--large", is_flag=True, help="Describe large vectors, too, by their seeds, in DIR/large.json.")
@OPSET
@FORMAT
@guarded
def vectors(operator: str, out: str, types: str, opset: int | None, form: Form, *, large: bool) -> int:
    """Write test vectors solved from a specification.

    The folder has the layout of ONNX's node tests. The vectors cover each clause at its boundary and failing alone,
    each branch, special values, empty tensors and rank 0; an index says which vector covers what, and what is rejected.
    SPEC is an operator, or a file large.json, whose vectors are written out.

    \b
    Examples:
      sonnx-verify vectors sonnx.ReduceMax --types bool --out vectors
      sonnx-verify vectors sonnx.ReduceSum --types float --large --out vectors
      sonnx-verify vectors vectors/large.json --out large
    """
    from sonnx_verify.conformance.inputs.contexts import contexts
    from sonnx_verify.conformance.vectors.large import LARGE, described
    from sonnx_verify.conformance.vectors.node_tests import ROWS
    from sonnx_verify.conformance.vectors.node_tests import vectors as made

    # The layout of node tests is protocol buffers, which only ONNX's package writes.
    need_onnx()
    project = here()
    folder = Path(out)
    if operator.endswith(".json"):
        refuse_without("the name of an operator", "opset")
        if types or large:
            raise UsageError("a file of large vectors has its types", cure="give --out alone")
        return _write_out(project, operator, folder, form)
    unit = named(project, operator, opset)
    chosen = contexts(unit, split(types))
    refuse_others(folder, ROWS)
    extra = {}
    if large:
        extra[LARGE] = described(project, unit, chosen)
    files = made(project, unit, chosen, extra)
    write_folder(folder, files, ROWS)
    # What is printed is read from what was written, so that the two cannot differ.
    index = json.loads(files[INDEX])
    _print(unit.operator, folder, index, form)
    if large and form is not Form.JSON:
        count = len(json.loads(files[LARGE])["cases"])
        click.echo(f"{counted_text(count, 'large vector')} in {folder / LARGE}")
    return 0


def _write_out(project: Project, name: str, folder: Path, form: Form) -> int:
    """Write the vectors that a file of large ones describes."""
    from sonnx_verify.conformance.vectors.large import read_large, written_out
    from sonnx_verify.conformance.vectors.node_tests import ROWS

    try:
        data = Path(name).read_bytes()
    except OSError as problem:
        raise MissingFile(f"{name} cannot be read: {problem.strerror}", cure="check the path") from None
    file = read_large(data, name)
    refuse_others(folder, ROWS)
    files = written_out(project, file)
    write_folder(folder, files, ROWS)
    index = json.loads(files[INDEX])
    if form is Form.JSON:
        print_json({k: index[k] for k in ("operator", "version", "text", "cases")})
    else:
        click.echo(f"{counted_text(len(index['cases']), 'test')} written to {folder}, the bytes are as {name} has them")
    return 0


def _print(operator: str, folder: Path, index: dict[str, object], form: Form) -> None:
    """Print what was written: how many cases of each type, and what the specification says of them."""
    rows = index["cases"]
    assert isinstance(rows, list)
    if form is Form.JSON:
        print_json({k: index[k] for k in ("operator", "version", "text", "cases")})
        return
    counts = Counter((row["types"].get("T", ""), row["verdict"]) for row in rows)
    for element in dict.fromkeys(row["types"].get("T", "") for row in rows):
        parts = [f"{counts[element, v]} {text}" for v, text in _VERDICTS.items() if counts[element, v]]
        click.echo(f"{operator} {element}: {', '.join(parts)}")
    held = sum(row["held"] for row in rows)
    click.echo(f"{held} tests written to {folder}, {len(rows)} cases in {folder / INDEX}")


_VERDICTS = {"result": "with a result", "rejected": "rejected", "unspecified": "that the text leaves open"}
