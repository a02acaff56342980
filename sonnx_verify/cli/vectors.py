"""`vectors`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import click

from sonnx_verify.conform.models import need_onnx
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.stores.folder import INDEX, refuse_others, write_folder


def vectors(operator: str, out: str, types: str, form: str) -> int:
    """Write the cases of an operator as node tests, and say how many there are."""
    from sonnx_verify.conform.cases.contexts import contexts
    from sonnx_verify.conform.cases.vectors import ROWS
    from sonnx_verify.conform.cases.vectors import vectors as made

    need_onnx()
    project = here()
    unit = find_operator(project, operator)
    chosen = contexts(unit, named(types))
    folder = Path(out)
    refuse_others(folder, ROWS)
    files = made(project, unit, chosen)
    write_folder(folder, files, ROWS)
    index = json.loads(files[INDEX])
    told(unit.operator, folder, index, form)
    return 0


def named(types: str) -> list[str]:
    """The types of a list with commas."""
    return [t.strip() for t in types.split(",") if t.strip()]


def told(operator: str, folder: Path, index: dict[str, object], form: str) -> None:
    """Print what was written: how many cases of each type, and what the specification says of them."""
    rows = index["cases"]
    assert isinstance(rows, list)
    if form == "json":
        click.echo(json.dumps({k: index[k] for k in ("operator", "version", "text", "cases")}, indent=1))
        return
    counts = Counter((row["types"].get("T", ""), row["verdict"]) for row in rows)
    for element in dict.fromkeys(row["types"].get("T", "") for row in rows):
        parts = [f"{counts[element, v]} {text}" for v, text in _VERDICTS.items() if counts[element, v]]
        click.echo(f"{operator} {element}: {', '.join(parts)}")
    held = sum(row["held"] for row in rows)
    click.echo(f"{held} tests written to {folder}, {len(rows)} cases in {folder / INDEX}")


_VERDICTS = {"result": "with a result", "rejected": "rejected", "unspecified": "that the text leaves open"}
