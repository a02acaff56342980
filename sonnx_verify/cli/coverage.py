"""`coverage`: the parts of a specification that a suite of tests exercises, and vectors for the others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sonnx_verify.cli.options import FORMAT, OPSET, complete_operator, guarded, named, print_json
from sonnx_verify.conformance.cases.coverage import Covered
from sonnx_verify.conformance.cases.held import covered, read, units_of
from sonnx_verify.conformance.cases.vectors import ROWS, written
from sonnx_verify.conformance.models import need_onnx
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import here
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.text import counted_text
from sonnx_verify.stores.folder import INDEX, refuse_others, write_folder


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path())
@click.argument("operator", metavar="[SPEC]", required=False, shell_complete=complete_operator)
@click.option("--out", type=click.Path(), metavar="DIR", help="Write vectors for what is missed to DIR.")
@OPSET
@FORMAT
@guarded
def coverage(folder: str, operator: str | None, out: str | None, opset: int | None, form: Form) -> int:
    """Measure how well a test suite covers a specification.

    DIR holds tests in the layout of ONNX's node tests; SPEC is an operator, by default the profile of the tests'
    operator. Prints which clauses, branches and special values the tests exercise, and which they miss.

    \b
    Examples:
      sonnx-verify coverage tests/cases/suite
    """
    # Tests are protocol buffers of ONNX, and only its package reads those.
    need_onnx()
    project = here()
    wanted = None
    if operator is not None:
        wanted = named(project, operator, opset)
    if out is not None:
        refuse_others(Path(out), ROWS)
    tests, broken = read(Path(folder))
    units, others = units_of(project, wanted, tests)
    found = [covered(project, unit, tests) for unit in units]
    # A folder has one index, and an index is of one operator.
    if out is not None and len(found) != 1:
        raise UsageError(f"the suite covers {len(found)} operators", cure="name one to use --out")
    report = {
        "suite": {"tests": len(tests), "others": dict(sorted(others.items())), "broken": broken},
        "operators": [_as_json(one) for one in found],
    }
    if out is not None:
        files = written(project, units[0], found[0].rest())
        write_folder(Path(out), files, ROWS)
        report["written"] = {"folder": out, "cases": len(json.loads(files[INDEX])["cases"])}
    if form is Form.JSON:
        print_json(report)
    else:
        click.echo("\n".join(_as_text(report)))
    # A suite of which nothing was looked at has no gaps to show, and must not pass for one without any.
    if broken or not any(one.tests for one in found):
        return 1
    return int(any(one.unread for one in found))


def _as_json(covered: Covered) -> dict[str, Any]:
    special = covered.wanted_special
    return {
        "operator": covered.reader.unit.operator,
        "tests": covered.tests,
        "large": covered.large,
        "outside": covered.outside,
        "excluded": dict(sorted(covered.excluded.items())),
        "unread": [{"test": name, "why": why} for name, why in covered.unread],
        **{kind: _split(names, covered.met) for kind, names in covered.wanted.items()},
        "special": {t: _split(names, covered.special[t]) for t, names in special.items() if t in covered.special},
        "types_without": covered.types_without,
    }


def _split(names: list[str], met: set[str]) -> dict[str, list[str]]:
    return {"met": [n for n in names if n in met], "missed": [n for n in names if n not in met]}


def _as_text(report: dict[str, Any]) -> list[str]:
    suite = report["suite"]
    lines = []
    if not any(one["tests"] for one in report["operators"]):
        lines.append("no test exercises an operator with a specification, or the one that is named")
    for one in report["operators"]:
        lines += _operator_text(one)
    if suite["others"]:
        others = ", ".join(f"{name} {count}" for name, count in suite["others"].items())
        lines.append(f"tests of other operators: {others}")
    lines += [f"{row['test']} cannot be read: {row['why']}" for row in suite["broken"]]
    if "written" in report:
        lines.append(f"{report['written']['cases']} cases for the rest written to {report['written']['folder']}")
    return lines


def _operator_text(one: dict[str, Any]) -> list[str]:
    lines = [f"{one['operator']}: {counted_text(one['tests'], 'test')}"]
    if one["excluded"]:
        lines.append("  rejected: " + ", ".join(f"{count} by {tag}" for tag, count in one["excluded"].items()))
    # `C1 fails alone` begins with its tag, `nan in A` ends with its input; the other points stand for themselves.
    lines += _part("clauses", one["clauses"], lambda name: _halves(name, " "))
    lines += _part("branches", one["branches"], _undivided)
    lines += _part("left open", one["open"], _undivided)
    for element, names in one["special"].items():
        lines += _part(f"special values, {element}", names, lambda name: _halves(name, " in ")[::-1])
    if one["outside"]:
        lines.append("  cannot be tested from files: " + ", ".join(one["outside"]))
    if one["types_without"]:
        lines.append("  no test of: " + ", ".join(one["types_without"]))
    if one["large"]:
        lines.append(f"  too large to look at their branches and boundaries: {counted_text(one['large'], 'test')}")
    return [*lines, *(f"  {row['test']} is not an input of it: {row['why']}" for row in one["unread"])]


def _halves(name: str, between: str) -> tuple[str, str]:
    first, _, rest = name.partition(between)
    return first, rest


def _undivided(name: str) -> tuple[str, str]:
    return name, ""


def _part(text: str, names: dict[str, list[str]], divided: Callable[[str], tuple[str, str]]) -> list[str]:
    """The number of points that are met, and those that are not: one line for each tag, or input, that they share."""
    count = len(names["met"]) + len(names["missed"])
    if not count:
        return []
    rows: dict[str, list[str]] = {}
    for name in names["missed"]:
        shared, rest = divided(name)
        rows.setdefault(shared, []).append(rest)
    lines = [f"  {text}: {len(names['met'])} of {count}"]
    for shared, listed in rows.items():
        lines.append(f"    not {shared}")
        if divided is not _undivided:
            lines[-1] += f": {', '.join(listed)}"
    return lines
