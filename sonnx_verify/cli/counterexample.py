"""`counterexample`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.api.select import one
from sonnx_verify.errors import UsageError
from sonnx_verify.outputs.console import line_of
from sonnx_verify.outputs.findings import quoted_finding
from sonnx_verify.results.values import shown_lines
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import record_json, told
from sonnx_verify.stores.folder import refuse_others, write_folder


def counterexample(identity: str, export: str | None, out: str | None, form: str) -> int:
    """Decide one obligation and show, or export, its counterexample or witness."""
    if export == "onnx" and out is None:
        raise UsageError("--export onnx writes a folder", cure="name it with --out")
    if export != "onnx" and out is not None:
        raise UsageError("--out is the folder of --export onnx", cure="give both, or neither")
    if out is not None:
        from sonnx_verify.outputs.export import ROWS, onnx_test

        # Before anything is decided, which may take a while; and again before it is replaced.
        refuse_others(Path(out), ROWS)
    selection, obligation = one(identity)
    with asking() as solvers:
        record = next(run([obligation], solvers, selection.needed()))
    if record.error is not None:
        raise record.error
    shown = record.counterexample or record.witness
    if export is not None and shown is None:
        raise UsageError(f"{record.id} is {record.verdict.name}: there is no input to export", cure="drop --export")
    if export == "numpy":
        from sonnx_verify.outputs.export import numpy_snippet

        assert shown is not None
        click.echo(numpy_snippet(record.id, shown), nl=False)
    elif out is not None:
        assert shown is not None
        files = onnx_test(selection.project, obligation, shown)
        write_folder(Path(out), files, ROWS)
        for name in files:
            click.echo(Path(out) / name)
    elif form == "json":
        click.echo(json.dumps(record_json(record), indent=1, ensure_ascii=False))
    elif record.counterexample is not None:
        click.echo("\n".join(quoted_finding(record, selection.project.root)))
    else:
        click.echo(line_of(told(record)))
        if record.witness is not None:
            click.echo(f"  no counterexample; a witness, replayed: {record.witness.broken}")
            for line in shown_lines(record.witness):
                click.echo(f"    {line}")
    return 0
