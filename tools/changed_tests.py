#!/usr/bin/env python3
"""Run the tests that a change can touch: `python tools/changed_tests.py [REF] [--list]`.

The change is what differs from REF in the working tree, and what git does not know yet. REF is the merge base with
main, on main the last commit. A test file is selected if it imports a changed module, directly or through others. What
is run by name counts as imported: a module that a string names, and, where a test names the program, each command whose
name is a word of the test or of the golden files beside it. A file of an operator's folder, such as spec/onnx/pow,
touches the test files that name the operator, or a text that speaks of it, and those that read the library as a whole.
Any other file of the package, of spec/, proofs/ or tests/, a conftest.py and pyproject.toml can touch all tests. A file
elsewhere, such as a document, touches the test files that name it, a folder above it, or all files with its ending.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sonnx_verify.cli import COMMANDS  # noqa: E402  # runs without an installation

CODE = ("sonnx_verify", "tests", "tools")
OF_ALL = ("sonnx_verify", "spec", "proofs", "tests", "pyproject.toml")
_MODULE = re.compile(r"\b(?:sonnx_verify|tests|tools)(?:[./]\w+)+")
_PROGRAM = re.compile(r"""["'/]sonnx_verify["']|sonnx-verify|sonnx_verify\.cli|\b(?:tables_in|start_playground)\b""")
"""The program, or a fixture of tests/conftest.py that runs it."""
_ANY = re.compile(r"""/ "sonnx_verify"|import_module\(|\bCOMMANDS\b|/ "docs"|"README|\*\.md""")
"""In a test that reads the package, imports modules that only a run tells, or runs what a document shows."""
_FOLDER = re.compile(r"spec/(?:onnx|sonnx)/\w+(?=/)")
"""The folder of an operator, at the beginning of a path."""
_TITLE = re.compile(r"^(?:operator|theory|library) (\w+)", re.MULTILINE)
_WHOLE = r"""(?<![\w/}.-])(?<!\[")(?<!tmp_path\s/\s")(?<!folder\s/\s")(?<!project\s/\s")
    (?:FOLDERS)(?!(?:/|"\s/\s")(?:(?:onnx|sonnx)(?:/|"\s/\s")\w|common|drafts|\w+\.sonnx))
    (?!/(?:satisfiable|well-formed|refines|narrowing)\b)(?=["/*])
    | \bProject\.open\((?:ROOT|HERE|Path\()
    | \b(?:copytree\(ROOT,|chdir\(ROOT\)|cwd=ROOT\b|installed_library|files_of_project|operators\()
    | \bfor\s\w+\sin\s[\w.()]*\.units\b(?!\sif\s\w+\.path)
    | /\s"(?:docs"(?!\s/\s"\w+\.toml)|tools")|"README|\*\.md"""
"""In a test that reads all texts: folders of them without a text in one, a function that finds them, the project of the
root, a run in the root, a document, a tool."""


@cache
def modules() -> Mapping[str, str]:
    """The files of the package, the tests and the tools, by their names as modules."""
    found = sorted(p.relative_to(ROOT).as_posix() for folder in CODE for p in (ROOT / folder).rglob("*.py"))
    return {path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in found}


def test_files() -> list[str]:
    """All test files."""
    return [path for path in modules().values() if path.rpartition("/")[2].startswith("test_")]


def named_in(name: str) -> set[str]:
    """The modules that a module names without importing them."""
    path = ROOT / modules()[name]
    text = path.read_text("utf-8")
    # The commands, each of which a test names for itself.
    named = set() if name == "sonnx_verify.cli" else {word.replace("/", ".") for word in _MODULE.findall(text)}
    if name.startswith("tests.") and name != "tests.conftest":
        if _PROGRAM.search(text) or _ANY.search(text):
            words = set(re.findall(r"[\w-]+", text + "".join(p.read_text("utf-8") for p in path.parent.glob("*.txt"))))
            run = [entry for command, entry in COMMANDS.items() if command in words or _ANY.search(text)]
            named |= {"sonnx_verify.__main__", *(entry.place.partition(":")[0] for entry in run)}
        if "spec_from_file_location" in text:
            words = set(re.findall(r"\w+", text))
            named |= {n for n in modules() if n.rpartition(".")[2] in words and not n.startswith("sonnx_verify")}
        named |= {".".join([*name.split(".")[:depth], "conftest"]) for depth in range(2, name.count(".") + 1)}
    return named & modules().keys() - {name}


@cache
def importers() -> Mapping[str, set[str]]:
    """For each module those that import it, or name it."""
    graph = grimp.build_graph(*CODE, cache_dir=None)
    found = {name: graph.find_modules_that_directly_import(name) for name in modules() if name in graph.modules}
    for name in modules():
        for other in named_in(name):
            found.setdefault(other, set()).add(name)
    return found


def nearest(changed: Iterable[str]) -> dict[str, int]:
    """The test files that import some modules, and over how many steps; those with the fewest first."""
    # Who imports a module runs the packages that it is in.
    inside = [name for package in changed for name in modules() if f"{name}.".startswith(f"{package}.")]
    distance = dict.fromkeys(inside, 0)
    queue = list(distance)
    for name in queue:
        new = sorted(importers().get(name, set()) - distance.keys())
        distance.update(dict.fromkeys(new, distance[name] + 1))
        queue += new
    tests = set(test_files())
    found = {path: distance[name] for name, path in modules().items() if path in tests and name in distance}
    return dict(sorted(found.items(), key=lambda one: one[1]))


@cache
def texts() -> Mapping[str, str]:
    """The texts in the language, by their paths."""
    found = sorted(path for folder in ("spec", "proofs", "tests") for path in (ROOT / folder).rglob("*.sonnx"))
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in found}


def _naming(names: Iterable[str], before: str, after: str) -> re.Pattern[str]:
    """Where a text or test names an operator, or another name between two others: `and` alone is a word of Python."""
    operators = "|".join(sorted(name for name in names if name[0].isupper()))
    others = "|".join(sorted(name for name in names if not name[0].isupper()))
    return re.compile(rf"\b(?:{operators})\b" + (f"|{before}(?:{others}){after}" if others else ""), re.MULTILINE)


def operators_of(folder: str) -> set[str]:
    """The operators whose texts are in a folder; none where it is gone."""
    return {title for path, text in texts().items() if path.startswith(f"{folder}/") for title in _TITLE.findall(text)}


def speaking_of(operators: Iterable[str]) -> set[str]:
    """The names of some operators, of the texts that name them, of those that name these, and of their files."""
    names = set(operators)
    while True:
        named = _naming(names, "^use ", r"\b")
        found = {title for text in texts().values() if named.search(text) for title in _TITLE.findall(text)}
        if found <= names:
            return names | {Path(path).stem for path, text in texts().items() if names & {*_TITLE.findall(text)}}
        names |= found


def data_beside(path: Path, text: str) -> str:
    """The other files in the folder of a test that it names, or all with an ending that it names, as one text."""
    beside = (p for p in path.parent.iterdir() if p.is_file() and p.suffix not in ("", ".py", ".sonnx"))
    return "".join(p.read_text("utf-8", "replace") for p in beside if p.name in text or f"*{p.suffix}" in text)


def reading(operators: Iterable[str]) -> set[str]:
    """The test files that name some operators, or what speaks of them, and those that read the whole library."""
    names = speaking_of(operators)
    named = _naming(names, r"""["'/.*]""", r"""["'/.]""")
    # Most tests of the language read all proofs, as lemmas: few of these speak of an operator.
    folders = {path.split("/")[0] for path, text in texts().items() if names & {*_TITLE.findall(text)}} & {"proofs"}
    whole = re.compile(_WHOLE.replace("FOLDERS", "|".join(["spec", *folders])), re.VERBOSE)
    readers: list[str] = []
    for name, path in modules().items():
        text = (ROOT / path).read_text("utf-8")
        if not name.startswith("sonnx_verify"):
            text += data_beside(ROOT / path, text)
            readers += [name] * bool(whole.search(text) or named.search(text))
    return set(nearest(readers))


def selected(changed: Iterable[str]) -> tuple[list[str], list[str]]:
    """The test files that a change of files can touch; and those changed files that can touch all, where there are."""
    by_path = {path: name for name, path in modules().items() if not path.endswith("conftest.py")}
    known = [path for path in changed if path in by_path]
    others = [path for path in changed if path not in by_path]
    folders = {path: found[0] for path in others if (found := _FOLDER.match(path))}
    operators = {path: named for path, folder in folders.items() if (named := operators_of(folder))}
    if every := [path for path in others if path.split("/")[0] in OF_ALL and path not in operators]:
        return test_files(), every
    chosen = set(nearest(by_path[path] for path in known))
    if operators:
        chosen |= reading(chain.from_iterable(operators.values()))
    for path in map(Path, others):
        words = [path.as_posix(), f'"{path.name}"']
        if path.as_posix() not in operators:
            words += [f'"{folder}"' for folder in path.parent.parts] + [f"*{path.suffix}"] * bool(path.suffix)
        chosen |= {test for test in test_files() if any(word in (ROOT / test).read_text("utf-8") for word in words)}
    return sorted(chosen), []


def git(*arguments: str) -> list[str]:
    """The lines that git prints."""
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()


def main() -> int:
    """Print what is selected, and run it."""
    parser = argparse.ArgumentParser(description="Run the tests that a change can touch.")
    parser.add_argument("ref", nargs="?", help="compare with this commit (default: the merge base with main)")
    parser.add_argument("--list", action="store_true", help="print the test files, and run nothing")
    options = parser.parse_args()
    ref = options.ref or git("merge-base", "HEAD", "main")[0]
    changed = [*git("diff", "--name-only", ref), *git("ls-files", "--others", "--exclude-standard")]
    chosen, every = selected(changed)
    print(*chosen, sep="\n")
    why = f": {every[0]} can touch all" if every else ""
    print(f"{len(chosen)} of {len(test_files())} test files for {len(changed)} changed files{why}", flush=True)
    if options.list or not chosen:
        return 0
    command = [sys.executable, "-m", "pytest", "-n", "3", "--dist", "worksteal", *([] if every else chosen)]
    status = subprocess.run(command, cwd=ROOT).returncode
    return 0 if status == 5 else status  # all that is selected is of the soak or the integrations


if __name__ == "__main__":
    sys.exit(main())
