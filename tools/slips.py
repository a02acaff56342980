#!/usr/bin/env python3
"""Draw one-line slips in the product, and see whether a test notices each: `python tools/slips.py [--count N]`.

A slip swaps a comparison, `and` with `or`, or `+` with `-`, drops a `not` or a statement, negates a condition, adds 1
to a number, or turns True into False. The packages of the product have their turns, and a file of a package is drawn as
often as it has places for slips. One seed draws the same ones again. Each is made in a copy of the checkout, and the
tests that `make test` has run there up to the first failure, those first that are named like the changed module or
whose imports are nearest to it. A test that fails without the slip too does not count. The record says of each slip
which test killed it, or that it survived, as one does that changes nothing anybody can see: a person judges those. A
run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.changed_tests import git, modules, nearest  # noqa: E402  # runs without an installation

OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
}
"""How an operator is written, and what becomes of it."""
PATIENCE = 1800
"""Seconds for the tests of one distance. A slip that makes one of them run for ever is noticed."""


@dataclass(frozen=True, slots=True)
class Slip:
    """A change of one line of a file."""

    file: str
    line: int
    kind: str
    before: str
    after: str


def slips_of(file: str, text: str) -> Iterator[Slip]:
    """All slips in a file."""
    lines = text.splitlines()
    nodes = list(ast.walk(ast.parse(text)))
    decorators = (one for node in nodes if isinstance(node, ast.ClassDef) for one in node.decorator_list)
    # That a class has slots or is frozen, say, is nothing that it does.
    of_classes = {id(node) for one in decorators for node in ast.walk(one)}
    for node in nodes:
        if not isinstance(node, ast.expr | ast.stmt) or node.end_lineno != node.lineno or id(node) in of_classes:
            continue
        # Columns are of bytes.
        raw = lines[node.lineno - 1].encode()
        for kind, start, old, new in _changes(node, raw):
            after = raw[:start] + new.encode() + raw[start + len(old) :]
            yield Slip(file, node.lineno, kind, raw.decode(), after.decode())


def _changes(node: ast.expr | ast.stmt, raw: bytes) -> Iterator[tuple[str, int, bytes, str]]:
    """The changes at a node of one line: of what kind, in which column, what stands there, and what becomes of it."""
    whole = raw[node.col_offset : node.end_col_offset]
    match node:
        case ast.Compare():
            sides = [node.left, *node.comparators]
            for n, op in enumerate(node.ops):
                yield from _operator("comparison", sides[n], op, sides[n + 1], raw)
        case ast.BoolOp():
            yield from _operator("and, or", node.values[0], node.op, node.values[1], raw)
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            yield from _operator("sign", node.left, node.op, node.right, raw)
        case ast.UnaryOp(op=ast.Not()):
            yield "not", node.col_offset, b"not", ""
        case ast.Constant(value=bool() as value):
            yield "truth", node.col_offset, whole, str(not value)
        case ast.Constant(value=int() as value):
            yield "number", node.col_offset, whole, str(value + 1)
        case ast.IfExp() | ast.If():
            test = raw[node.test.col_offset : node.test.end_col_offset]
            yield "condition", node.test.col_offset, test, f"(not ({test.decode()}))"
        case ast.Expr(value=ast.Constant()):
            return  # documentation
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            yield "statement", node.col_offset, whole, "pass"


def _operator(
    kind: str, left: ast.expr, op: ast.AST, right: ast.expr, raw: bytes
) -> Iterator[tuple[str, int, bytes, str]]:
    """The operator between two operands of one line, which may have brackets around them."""
    old, new = OPERATORS[type(op)]
    start = raw.find(old.encode(), left.end_col_offset or 0, right.col_offset)
    if start >= 0:
        yield kind, start, old.encode(), new


@cache
def of_packages() -> dict[str, list[Slip]]:
    """All slips in the packages of the product."""
    of_package: dict[str, list[Slip]] = {}
    for name, file in modules().items():
        if name.startswith("sonnx_verify."):
            package = name.split(".")[1] if name.count(".") > 1 else ""
            of_package.setdefault(package, []).extend(slips_of(file, (ROOT / file).read_text("utf-8")))
    return of_package


def drawn(seed: int, count: int) -> list[Slip]:
    """The slips of a seed: a package of the product after the other, and any slip of one of its files."""
    chance = random.Random(seed)
    packages = sorted(package for package, slips in of_packages().items() if slips)
    chance.shuffle(packages)
    found: list[Slip] = []
    while len(found) < count:
        slip = chance.choice(of_packages()[packages[len(found) % len(packages)]])
        try:
            ast.parse(changed(slip))
        except SyntaxError:
            continue  # of a condition over several lines, say
        found.append(slip)
    return found


def changed(slip: Slip) -> str:
    """The text of the file with the slip."""
    lines = (ROOT / slip.file).read_text("utf-8").splitlines(keepends=True)
    lines[slip.line - 1] = lines[slip.line - 1].replace(slip.before, slip.after)
    return "".join(lines)


def copy_of_checkout(folder: Path) -> None:
    """All files that git has, as they are now."""
    for name in git("ls-files"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def failing(folder: Path, tests: list[str]) -> str | None:
    """The first of some tests that fails in a copy; None where all pass."""
    command = [sys.executable, "-m", "pytest", "-x", "-n", "2", "-p", "no:cacheprovider", "--tb=no", "-rfE", *tests]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    # A group of its own, which ends as a whole: with a slip a process may go on for ever.
    pipe: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "start_new_session": True}
    with subprocess.Popen(command, cwd=folder, env=environment, text=True, **pipe) as run:
        try:
            said, _ = run.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return "none: it takes too long"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
    if run.returncode in (0, 5):
        return None
    found = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", said, re.MULTILINE)
    return found[1] if found else f"status {run.returncode}: {said[-300:]}"


def in_turn(name: str) -> Iterator[list[str]]:
    """The tests that can notice a slip in a module: those named like it or its package, and then the nearest."""
    steps = {test: n for test, n in nearest([name]).items() if not test.startswith("tests/integrations/")}
    words = set(name.split(".")[1:])
    alike = [test for test in steps if words & set(re.findall("[a-z]+", test))]
    others = sorted((n, test) for test, n in steps.items() if test not in alike)
    yield alike
    for _, near in groupby(others, key=lambda one: one[0]):
        yield [test for _, test in near]


def judged(folder: Path, slip: Slip) -> dict[str, object]:
    """The verdict of the tests on a slip, and how many files of tests it took."""
    path = folder / slip.file
    text = path.read_text("utf-8")
    (name,) = (name for name, file in modules().items() if file == slip.file)
    ran = 0
    anyway: list[str] = []
    for tests in in_turn(name):
        ran += len(tests)
        path.write_text(changed(slip), "utf-8")
        try:
            test = failing(folder, [*tests, *(f"--deselect={other}" for other in anyway)]) if tests else None
        finally:
            path.write_text(text, "utf-8")
        if test is None:
            continue
        if "::" in test and failing(folder, [test]):
            anyway.append(test)
            continue
        return {"outcome": "killed", "test": test, "files": ran, "fails anyway": anyway}
    return {"outcome": "survived", "files": ran, "fails anyway": anyway}


def main() -> int:
    """Judge the slips that have no entry yet."""
    parser = argparse.ArgumentParser(description="Draw slips in the product, and see whether a test notices each.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "slips.json", help="the record")
    parser.add_argument("--list", action="store_true", help="print the slips, and try none")
    options = parser.parse_args()
    slips = drawn(options.seed, options.count)
    entries: list[dict[str, object]] = json.loads(options.out.read_text("utf-8")) if options.out.exists() else []
    known = {json.dumps([entry["file"], entry["line"], entry["after"]]) for entry in entries}
    with tempfile.TemporaryDirectory(prefix="slips-") as folder:
        if not options.list:
            copy_of_checkout(Path(folder))
        for slip in slips:
            print(f"{slip.file}:{slip.line} ({slip.kind})\n- {slip.before.strip()}\n+ {slip.after.strip()}", flush=True)
            if options.list or json.dumps([slip.file, slip.line, slip.after]) in known:
                continue
            entries.append({**asdict(slip), **judged(Path(folder), slip)})
            print(f"  {entries[-1]['outcome']} {entries[-1].get('test', '')}", flush=True)
            options.out.parent.mkdir(parents=True, exist_ok=True)
            options.out.write_text(json.dumps(entries, indent=1) + "\n", "utf-8")
    survived = sum(entry["outcome"] == "survived" for entry in entries)
    print(f"{len(entries)} slips judged, {survived} of them survived")
    return 0


if __name__ == "__main__":
    sys.exit(main())
