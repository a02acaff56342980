"""`explain --counterexample`: the smallest counterexample, or witness, of an obligation."""

from __future__ import annotations

from pathlib import Path

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.api.select import one
from sonnx_verify.cli.explaining.obligation import OPEN
from sonnx_verify.cli.options import Export, paint_of_output, print_json, tell_cache_problem
from sonnx_verify.errors import UsageError
from sonnx_verify.outputs.console import line_of
from sonnx_verify.outputs.findings import quoted_finding
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.answer_json import obligation_json
from sonnx_verify.results.example import example_lines
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.stores.folder import refuse_others, write_folder


def counterexample(identity: str, export: str | None, out: str | None, form: Form) -> int:
    """Print or export the smallest counterexample of an obligation, or its witness. Return 3 if it is undecided."""
    if export == Export.ONNX and out is None:
        raise UsageError("--export onnx writes a folder", cure="name it with --out")
    if export != Export.ONNX and out is not None:
        raise UsageError("--out is the folder of --export onnx", cure="give both, or neither")
    if out is not None:
        from sonnx_verify.outputs.export import ROWS, onnx_test

        # Before anything is decided, which may take a while; and again before it is replaced.
        refuse_others(Path(out), ROWS)
    selection, obligation = one(identity)
    with asking(tell_cache_problem) as solvers:
        record = next(run([obligation], solvers, selection.needed()))
    if record.error is not None:
        raise record.error
    # One of the two is there: input that breaks the claim, or input that its hypotheses admit.
    shown = record.counterexample or record.witness
    # Undecided, or a theorem without variables: an export of nothing must not look like one of an input.
    if export is not None and shown is None:
        raise UsageError(f"{record.id} is {record.verdict.name}: there is no input to export", cure="drop --export")
    result = result_of(record)
    if export == Export.NUMPY:
        from sonnx_verify.outputs.export import numpy_snippet

        assert shown is not None
        click.echo(numpy_snippet(record.id, shown), nl=False)
    elif out is not None:
        assert shown is not None
        files = onnx_test(selection.project, obligation, shown)
        write_folder(Path(out), files, ROWS)
        for name in files:
            click.echo(Path(out) / name)
    elif form is Form.JSON:
        print_json(obligation_json(result))
    elif result.counterexample is not None:
        click.echo("\n".join(quoted_finding(result, selection.project.root, paint_of_output())))
    else:
        click.echo(line_of(result, paint_of_output()))
        if result.witness is not None:
            click.echo(f"  no counterexample; a witness, replayed: {result.witness.broken}")
            for line in example_lines(result.witness):
                click.echo(f"    {line}")
    return 3 if result.verdict in OPEN else 0
