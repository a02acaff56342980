"""`coverage`: the parts of a specification that a suite of tests exercises, and vectors for the others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click
from msgspec import UNSET, Struct, UnsetType

from sonnx_verify.cli.options import FORMAT, OPSET, complete_operator, guarded, named, print_json
from sonnx_verify.conformance.targets.models import need_onnx
from sonnx_verify.conformance.vectors.coverage import SuiteCoverage, covered, units_of
from sonnx_verify.conformance.vectors.node_tests import ROWS, written
from sonnx_verify.conformance.vectors.suite import Unread, read
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import here
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.text import counted_text
from sonnx_verify.stores.folder import INDEX, refuse_others, write_folder


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path())
@click.argument("operator", metavar="[SPEC]", required=False, shell_complete=complete_operator)
@click.option("--out", type=click.Path(), metavar="DIR", help="Write vectors for the gaps to DIR.")
@OPSET
@FORMAT
@guarded
def coverage(folder: str, operator: str | None, out: str | None, opset: int | None, form: Form) -> int:
    """Measure how well a test suite covers a specification.

    DIR holds tests in the layout of ONNX's node tests; SPEC is an operator, by default the profile of the tests'
    operator. Prints which clauses, branches and special values the tests exercise, and which they miss.

    \b
    Examples:
      sonnx-verify coverage tests/conformance/vectors/suite
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
    report = _Report(_Suite(len(tests), dict(sorted(others.items())), broken), [_operator(one) for one in found])
    if out is not None:
        files = written(project, units[0], found[0].rest())
        write_folder(Path(out), files, ROWS)
        report.written = _Written(out, len(json.loads(files[INDEX])["cases"]))
    if form is Form.JSON:
        print_json(report)
    else:
        click.echo("\n".join(_as_text(report)))
    # A suite of which nothing was looked at has no gaps to show, and must not pass for one without any.
    if broken or not any(one.tests for one in found):
        return 1
    return int(any(one.unread for one in found))


class _Points(Struct):
    met: list[str]
    missed: list[str]

    @classmethod
    def of(cls, names: list[str], met: set[str]) -> _Points:
        return cls([n for n in names if n in met], [n for n in names if n not in met])


class _Operator(Struct):
    operator: str
    tests: int
    large: int
    outside: list[str]
    excluded: dict[str, int]
    unread: list[Unread]
    clauses: _Points
    branches: _Points
    open: _Points
    special: dict[str, _Points]
    types_without: list[str]


class _Suite(Struct):
    tests: int
    others: dict[str, int]
    broken: list[Unread]


class _Written(Struct):
    folder: str
    cases: int


class _Report(Struct):
    suite: _Suite
    operators: list[_Operator]
    written: _Written | UnsetType = UNSET


def _operator(covered: SuiteCoverage) -> _Operator:
    special = covered.wanted_special
    return _Operator(
        covered.reader.unit.operator,
        covered.tests,
        covered.large,
        covered.outside,
        dict(sorted(covered.excluded.items())),
        covered.unread,
        **{kind: _Points.of(names, covered.met) for kind, names in covered.wanted.items()},
        special={t: _Points.of(names, covered.special[t]) for t, names in special.items() if t in covered.special},
        types_without=covered.types_without,
    )


def _as_text(report: _Report) -> list[str]:
    lines = []
    if not any(one.tests for one in report.operators):
        lines.append("no test exercises an operator with a specification, or the one that is named")
    for one in report.operators:
        lines += _operator_text(one)
    if report.suite.others:
        others = ", ".join(f"{name} {count}" for name, count in report.suite.others.items())
        lines.append(f"tests of other operators: {others}")
    lines += [f"{row.test} cannot be read: {row.why}" for row in report.suite.broken]
    if report.written is not UNSET:
        lines.append(f"{report.written.cases} cases for the rest written to {report.written.folder}")
    return lines


def _operator_text(one: _Operator) -> list[str]:
    lines = [f"{one.operator}: {counted_text(one.tests, 'test')}"]
    if one.excluded:
        lines.append("  rejected: " + ", ".join(f"{count} by {tag}" for tag, count in one.excluded.items()))
    # `C1 fails alone` begins with its tag, `nan in A` ends with its input; the other points stand for themselves.
    lines += _part("clauses", one.clauses, lambda name: _halves(name, " "))
    lines += _part("branches", one.branches, _undivided)
    lines += _part("left open", one.open, _undivided)
    for element, names in one.special.items():
        lines += _part(f"special values, {element}", names, lambda name: _halves(name, " in ")[::-1])
    if one.outside:
        lines.append("  cannot be tested from files: " + ", ".join(one.outside))
    if one.types_without:
        lines.append("  no test of: " + ", ".join(one.types_without))
    if one.large:
        lines.append(f"  too large to look at their branches and boundaries: {counted_text(one.large, 'test')}")
    return [*lines, *(f"  {row.test} is not an input of it: {row.why}" for row in one.unread)]


def _halves(name: str, between: str) -> tuple[str, str]:
    first, _, rest = name.partition(between)
    return first, rest


def _undivided(name: str) -> tuple[str, str]:
    return name, ""


def _part(text: str, names: _Points, divided: Callable[[str], tuple[str, str]]) -> list[str]:
    """The number of points that are met, and those that are not: one line for each tag, or input, that they share."""
    count = len(names.met) + len(names.missed)
    if not count:
        return []
    rows: dict[str, list[str]] = {}
    for name in names.missed:
        shared, rest = divided(name)
        rows.setdefault(shared, []).append(rest)
    lines = [f"  {text}: {len(names.met)} of {count}"]
    for shared, listed in rows.items():
        lines.append(f"    not {shared}")
        if divided is not _undivided:
            lines[-1] += f": {', '.join(listed)}"
    return lines
