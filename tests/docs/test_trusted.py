"""The manifest of what a verdict rests on, docs/trusted.toml, is the import closure of the decision."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sonnx_verify.logic.verdict import VerdictName

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "sonnx_verify"
MANIFEST: dict[str, Any] = tomllib.loads((ROOT / "docs" / "trusted.toml").read_text("utf-8"))
TRUSTED = ("every", "evaluated", "proved")
TEXT = "text"
"""The list of what decides which forms of the kernel a text becomes."""
LISTS = (*TRUSTED, TEXT, "voices", "proposed", "limits", "handed-in", "carried", "replayed", "wording", "beside")


ASKS = {
    "solving/check/by_file.py",
    "solving/check/decide.py",
    "solving/check/record.py",
    "solving/check/refutation.py",
    "solving/check/run.py",
    "solving/check/spoken.py",
    "solving/check/steps.py",
    "solving/check/work.py",
    "solving/inputs/found.py",
}
"""The files that ask solvers, or tell what was asked: they make verdicts of every kind."""
CORES: list[dict[str, Any]] = tomllib.loads((ROOT / "tests" / "twins" / "cores.toml").read_text("utf-8"))["twin"]


def trusted() -> list[str]:
    """The files of the lists of what is trusted."""
    return [name for kind in TRUSTED for name in MANIFEST[kind]["files"]]


def file_of(module: str) -> Path | None:
    """The file of a module or package of ours."""
    place = ROOT.joinpath(*module.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


def imported_by(path: Path) -> Iterator[Path]:
    """The files of ours that a file imports, inside functions too; not for type checkers alone."""
    tree = ast.parse(path.read_text("utf-8"))
    for_types: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for statement in node.body:
                for_types.update(ast.walk(statement))
    for node in ast.walk(tree):
        if node in for_types:
            continue
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            modules = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for module in modules:
            found = file_of(module) if module.partition(".")[0] == PACKAGE else None
            if found is not None:
                yield found


def closure() -> set[str]:
    """The files that the decision can run, from the roots of the manifest on."""
    seen: set[Path] = set()
    todo = [ROOT / root for root in MANIFEST["roots"]]
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            todo += imported_by(path)
    return {path.relative_to(ROOT / PACKAGE).as_posix() for path in seen if path.read_text("utf-8").strip()}


def code_lines(path: Path) -> int:
    """The lines of a file without blanks, comments and docstrings."""
    text = path.read_text("utf-8")
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(ast.Constant(str()), lineno=first, end_lineno=int(last)):
                docstrings.update(range(first, last + 1))
    without = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in without:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def test_the_manifest_is_what_the_decision_imports() -> None:
    """Every file that a decision can run is in exactly one list, and no list names another one."""
    listed = [name for kind in LISTS for name in MANIFEST[kind]["files"]]
    seen = closure()

    assert sorted(listed) == sorted(set(listed))
    assert sorted(seen - set(listed)) == [], "a decision runs these: say in docs/trusted.toml whether they are trusted"
    assert sorted(set(listed) - seen) == [], "no decision runs these: take them out of docs/trusted.toml"


def test_lists_are_sorted_and_have_a_reason() -> None:
    """So that a difference is one line, and a reader knows why."""
    for kind in LISTS:
        assert MANIFEST[kind]["files"] == sorted(MANIFEST[kind]["files"]), kind
        assert MANIFEST[kind]["why"], kind


def test_the_page_for_assessors_has_the_size() -> None:
    """docs/trust.md says how many files are trusted, and how many hundreds of lines of code they have, or nearly so;
    and the same of those that decide which forms a text becomes."""
    page = (ROOT / "docs" / "trust.md").read_text("utf-8")
    said = re.findall(r"(\d+) files, some ([\d,]+) lines of code", page)

    assert len(said) == 2
    for (number, size), files in zip(said, (trusted(), MANIFEST[TEXT]["files"]), strict=True):
        assert int(number) == len(files)
        assert abs(int(size.replace(",", "")) - sum(code_lines(ROOT / PACKAGE / name) for name in files)) <= 100


def test_what_is_evaluated_is_not_proved() -> None:
    """Nothing that gives a text its meaning, or evaluates it, uses what claims are proved with."""
    proving = set(MANIFEST["proved"]["files"])
    for name in (*MANIFEST["every"]["files"], *MANIFEST[TEXT]["files"], *MANIFEST["evaluated"]["files"]):
        used = {path.relative_to(ROOT / PACKAGE).as_posix() for path in imported_by(ROOT / PACKAGE / name)}
        assert name in ASKS or not used & proving, f"{name} uses {sorted(used & proving)}"


def test_a_mistake_in_a_proof_shows_no_input() -> None:
    """A twin in a file of `proved` makes no verdict one that an input shows (tests/twins/test_twins.py runs them)."""
    proving = {f"{PACKAGE}/{name}" for name in MANIFEST["proved"]["files"]}
    twins = [twin for twin in CORES if twin["file"] in proving]

    assert len(twins) > 15
    assert not [twin["name"] for twin in twins if twin["verdict"] in (VerdictName.HOLDS, VerdictName.REFUTED)]


def test_what_is_trusted_does_not_grow() -> None:
    """The manifest says how many lines of code may be trusted, and how many may decide what a text becomes."""
    assert sum(code_lines(ROOT / PACKAGE / name) for name in trusted()) <= MANIFEST["most"]
    assert sum(code_lines(ROOT / PACKAGE / name) for name in MANIFEST[TEXT]["files"]) <= MANIFEST["most_of_text"]


def test_nothing_trusted_imports_by_name() -> None:
    """What is imported is seen by reading: no `importlib`, no `__import__`, no `exec`."""
    for kind in LISTS:
        for name in MANIFEST[kind]["files"]:
            text = (ROOT / PACKAGE / name).read_text("utf-8")
            found = re.findall(r"\b(?:importlib\.import_module|__import__|import_module|exec|eval)\(", text)
            assert not found, f"{name}: {found}"
