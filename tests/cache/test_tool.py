"""Another line in any file that can change a verdict is another tool: what was kept is not taken for what it finds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import grimp
import pytest

import sonnx_verify
from sonnx_verify.solving.solvers.registry import ADAPTERS
from sonnx_verify.stores import tool

PACKAGE = Path(sonnx_verify.__file__).parent
MANIFEST = Path(__file__).resolve().parents[2] / "docs" / "trusted.toml"
ROOTS = (tool.DECIDING, "language/trees.py", "pages/lint/searches.py")
"""The files whose closures of imports are in the keys of records, of trees and of searches."""
TRUSTED = ("language", "logic", "obligations", "processes", "results", "solving", "stores")
"""The folders of docs/trust.md that verdicts of `check` rest on, with the files beside them."""


def digest(*parts: str) -> str:
    """Not the one that is remembered."""
    tool.package_code.cache_clear()
    return tool.digest_of.__wrapped__(*parts)


def digest_from(root: str) -> str:
    """Not the one that is remembered."""
    tool.package_code.cache_clear()
    return tool.digest_from.__wrapped__(root)


def stands_for_ours(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make keys of another folder, and remember none of its code."""
    monkeypatch.setattr(tool, "_PACKAGE", package)
    monkeypatch.setattr(tool, "package_code", cache(tool.package_code.__wrapped__))


def file_of(module: str) -> str | None:
    """The file of a module of ours, from the package on; None if there is no such module."""
    place = module.replace(".", "/").removeprefix("sonnx_verify").removeprefix("/")
    files = [file for file in (f"{place}.py", f"{place}/__init__.py".removeprefix("/")) if (PACKAGE / file).is_file()]
    return files[0] if files else None


@contextmanager
def another_line(path: Path) -> Iterator[None]:
    before = path.read_bytes()
    path.write_bytes(before + b"\n")
    try:
        yield
    finally:
        path.write_bytes(before)


def test_a_line_in_a_trusted_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "sonnx_verify"
    # Without the other folders, which would be read again for each line.
    for folder in TRUSTED:
        shutil.copytree(PACKAGE / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in PACKAGE.glob("*.py"):
        shutil.copy(path, copy)
    stands_for_ours(copy, monkeypatch)
    files = [path for folder in TRUSTED for path in (copy / folder).rglob("*") if path.suffix in (".py", ".lark")]
    whole, answering = digest(), digest(*tool.ANSWERING)
    for path in [*files, *copy.glob("*.py")]:
        with another_line(path):
            assert digest() != whole, path
            asked = path.relative_to(copy).as_posix().startswith(tool.ANSWERING)
            assert (digest(*tool.ANSWERING) != answering) is asked, path
    assert (digest(), digest(*tool.ANSWERING)) == (whole, answering)


def test_all_that_a_worker_runs_is_in_the_key_of_answers() -> None:
    """What the process that holds a solver imports, and what speaks to it."""
    code = (
        "import sys\n"
        "from sonnx_verify.processes import program\n"
        "from sonnx_verify.solving.solvers import lane, pool, stock, worker\n"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('sonnx_verify')), sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    files = {Path(line).relative_to(PACKAGE).as_posix() for line in done.stdout.splitlines()}

    # Docstrings, how an operator is loaded, and what the version is called.
    other = {"__init__.py", "logic/__init__.py", "results/__init__.py", "solving/__init__.py", "version.py"}
    assert "processes/channel.py" in files
    assert {file for file in files - other if not file.startswith(tool.ANSWERING)} == set()


@pytest.mark.parametrize("root", ROOTS)
def test_a_line_that_some_files_run(root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest of a root changes with each file that it can run and each grammar, and with no file elsewhere."""
    copy = tmp_path / "sonnx_verify"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "static", "templates"))
    stands_for_ours(copy, monkeypatch)
    run = tool.run_from(root)
    assert "language/grammar.lark" in run
    others = sorted(path.relative_to(copy).as_posix() for path in copy.rglob("*.py"))
    outside = {os.path.dirname(file): file for file in others if file not in run}
    assert {"cli", "lsp", "outputs", "playground"} <= outside.keys()
    before = digest_from(root)
    for file in run:
        with another_line(copy / file):
            assert digest_from(root) != before, file
    for file in outside.values():
        with another_line(copy / file):
            assert digest_from(root) == before, file


@pytest.mark.parametrize("root", ROOTS)
def test_all_that_is_imported_is_in_the_key(root: str) -> None:
    """Another reader of imports sees nothing more: no file, and no library without a version in the key."""
    graph = grimp.build_graph(
        "sonnx_verify", include_external_packages=True, exclude_type_checking_imports=True, cache_dir=None
    )
    start = "sonnx_verify." + root.removesuffix(".py").replace("/", ".")
    modules = {start, *graph.find_upstream_modules(start)}
    ours = {module for module in modules if module.startswith("sonnx_verify")}
    versions = {*tool.LIBRARIES, *(adapter.MODULE for adapter in ADAPTERS.values())}
    versions.add("flint")  # python-flint
    versions.add("distributed")  # carries what is decided, and decides nothing

    assert len(ours) > 10
    assert {file_of(module) for module in ours} - tool.run_from(root) == set()
    assert modules - ours - sys.stdlib_module_names - versions == set()


def test_all_that_verdicts_rest_on_is_in_the_key() -> None:
    """The manifest of tests/docs/test_trusted.py is made by a third reader."""
    manifest = tomllib.loads(MANIFEST.read_text("utf-8"))
    listed = {file for part in manifest.values() if isinstance(part, dict) for file in part["files"]}

    assert len(listed) > 100
    assert listed - tool.run_from(tool.DECIDING) == set()


def test_data_of_the_code_that_decides() -> None:
    """Where code reads a file that is no grammar, the digest needs it too."""
    folders = {(PACKAGE / file).parent for file in tool.run_from(tool.DECIDING)}
    data = {path.name for folder in folders for path in folder.iterdir() if path.is_file() and path.suffix != ".py"}

    assert data == {"grammar.lark", "py.typed"}


HOOK = """
import os, sys

def look(event, arguments):
    if event == "import" and arguments[0].startswith("sonnx_verify"):
        with open(os.environ["SEEN"], "a") as file:
            file.write(arguments[0] + "\\n")

sys.addaudithook(look)
"""
DECIDE = """
from sonnx_verify.api.asked import Asked
from sonnx_verify.api.cache import opened, solvers_with
from sonnx_verify.api.decided import Decided
from sonnx_verify.language.kept import keep_in
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.store import store_of_trees

keep_in(store_of_trees)
asked = Asked.of([])
cache = opened(asked.root, asked.further, Solvers().versions())
with solvers_with(cache) as solvers:
    decided = Decided(asked, cache, jobs=2)
    for one in decided.results(solvers):
        print(one.id, one.verdict, "hinted" * one.hinted)
assert not decided.errors
cache.close()
"""
THEORY = """
theory few "Of numbers"

types int   = int8
types float = float16

theorem more "one more is not less"
  for n, m : int assuming n < m
  : n + 1 <= m

theorem large "no number is large"
  for k : T
  : k <= T(2)

theorem zero "a float is itself, or NaN"
  for x : float
  : x = x or is_nan(x)
"""
OPERATOR = """
operator Double version 1 user

types int = int64

input  X : tensor of T
output Y : tensor of T

[C1] constraint "X has axes" : rank(X) > 0
[E1] error "X has none" : when C1 fails

shape Y = X.shape
value Y[i] = X[i] + X[i]

example two
  X = int64 (1) [1]
  Y = int64 (1) [2]

example none
  X = int64 () 7
  refused by C1
"""


def test_all_that_a_decision_imports_is_in_the_key(project: Path, tmp_path: Path) -> None:
    """In each process of a run that keeps records: proofs along hints, counterexamples, examples and floats."""
    (project / "proofs" / "few.sonnx").write_text(THEORY, "utf-8")
    (project / "spec").mkdir()
    (project / "spec" / "double.sonnx").write_text(OPERATOR, "utf-8")
    hook, seen = tmp_path / "hook", tmp_path / "seen"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(HOOK, "utf-8")
    path = os.pathsep.join([str(hook), str(PACKAGE.parent)])
    environment = {**os.environ, "PYTHONPATH": path, "SEEN": str(seen)}
    subprocess.run(
        [sys.executable, "-m", "sonnx_verify", "check", "--update-hints", "-q"], env=environment, check=False
    )
    seen.unlink()
    done = subprocess.run([sys.executable, "-c", DECIDE], env=environment, capture_output=True, text=True, check=True)
    files = {file_of(module) for module in seen.read_text("utf-8").split()} - {None}

    for verdict in ("proved hinted", "refuted", "holds"):
        assert verdict in done.stdout
    assert {"solving/solvers/worker.py", "solving/inputs/found.py", "logic/floats.py", "stores/records.py"} <= files
    # Neither the command line nor what prints: nothing is excused.
    assert files - tool.run_from(tool.DECIDING) == set()


SOURCES = {
    "root.py": "",
    "plain.py": "",
    "other.py": "",
    "part/__init__.py": "",
    "part/inner.py": "from sonnx_verify.plain import VALUE\n",
}
INNER = {"part/__init__.py", "part/inner.py", "plain.py"}


@pytest.mark.parametrize(("line", "files"), [
    ("import sonnx_verify.plain", {"plain.py"}),
    ("from sonnx_verify.plain import VALUE", {"plain.py"}),
    ("from sonnx_verify import plain, other", {"plain.py", "other.py"}),
    ("from sonnx_verify import (\n    plain,\n    other,\n)", {"plain.py", "other.py"}),
    ("from sonnx_verify.part import (\n    # (a comment)\n    inner,\n)", INNER),
    ("import sonnx_verify.plain; import sonnx_verify.other", {"plain.py", "other.py"}),
    ("from sonnx_verify.plain import VALUE; from sonnx_verify.part import inner", INNER),
    ("# sonnx_verify.part import (inner\nfrom sonnx_verify.other import VALUE", {*INNER, "other.py"}),
    ("from sonnx_verify import \\\n    other", {"other.py"}),
    ("from sonnx_verify \\\n    import other", {"other.py"}),
    ("def run():\n    from sonnx_verify.part import inner", INNER),
    ("from sonnx_verify.part.inner import (\n    VALUE as other,\n)", INNER),
    ("from sonnx_verify.part import VALUE", {"part/__init__.py"}),
    ('start("sonnx_verify.other")', {"other.py"}),
    ("import os", set()),
    ("import sonnx_verify", None),
    ("import sonnx_verify as sv", None),
    ("from sonnx_verify import check", None),
    ("from sonnx_verify import *", None),
    ('"sonnx_verify" + name', None),
    ('f"sonnx_verify.{name}"', None),
    ("from .part import inner", None),
    ("from . import other", None),
    ("import importlib", None),
    ("from importlib import import_module", None),
    ("__import__(name)", None),
    ("resolve_name(place)", None),
])  # fmt: skip  # a table
def test_forms_of_imports(line: str, files: set[str] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name of a module, wherever it is; everything where a name is not seen."""
    for file, text in SOURCES.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text, "utf-8")
    shutil.copy(PACKAGE / "__init__.py", tmp_path)
    shutil.copy(PACKAGE / "version.py", tmp_path)
    (tmp_path / "root.py").write_text(f"{line}\n", "utf-8")
    stands_for_ours(tmp_path, monkeypatch)
    always = {"__init__.py", "version.py", "root.py"}
    if files is None:
        files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.py")}
        assert digest_from("root.py") == digest()

    assert tool.run_from("root.py") == always | files


def test_all_keys_of_a_process_are_of_one_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs is what was imported, and not what an editor wrote since."""
    stands_for_ours(tmp_path, monkeypatch)
    for file in ("__init__.py", "root.py"):
        (tmp_path / file).touch()
    before = digest_from("root.py")
    (tmp_path / "root.py").write_text("VALUE = 1\n", "utf-8")

    assert tool.digest_from.__wrapped__("root.py") == before
    assert digest_from("root.py") != before


@pytest.mark.parametrize("part", ["solving/nowhere", "solving/nowhere.py"])
def test_a_part_that_is_not_there(part: str) -> None:
    """Else what moved would be in no key, and nobody would notice."""
    with pytest.raises(FileNotFoundError, match=part):
        digest("processes", part)


def test_a_root_that_is_not_there() -> None:
    """The same of a file whose imports are in a key."""
    with pytest.raises(FileNotFoundError, match="nowhere"):
        digest_from("solving/nowhere.py")
