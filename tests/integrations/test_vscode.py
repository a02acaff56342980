"""The VS Code extension, packaged by the commands of its README, has what it needs and nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.integrations

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
# VS Code alone has the module `vscode`. The library asks it for classes and tables of names while it is loaded.
STAND_IN = """
const Module = require("module");
const anything = new Proxy(class {}, { get: (of, name) => (name === "prototype" ? of[name] : anything) });
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? anything : load(name, ...rest));
const made = require(process.argv[1]);
console.log(typeof made.activate, typeof made.deactivate);
"""


def program(name: str) -> str:
    """A program that this stage is for: where it is missing the test fails."""
    path = shutil.which(name)
    assert path is not None, f"{name} is not installed: apt-get install nodejs npm"
    return path


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package that the commands of the README make."""
    folder = tmp_path_factory.mktemp("extension") / "vscode"
    shutil.copytree(EXTENSION, folder, ignore=shutil.ignore_patterns("node_modules", "*.vsix"))
    (block,) = re.findall(r"```console\n(.*?)```", (folder / "README.md").read_text("utf-8"), re.DOTALL)
    install, package, into_editor = re.findall(r"\$ (.*)", block)
    for command in (install, package):
        name, *rest = command.split()
        done = subprocess.run(
            [program(name), *rest], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    made = str(into_editor).split()[-1]
    return folder / made


def test_package(packed: Path, tmp_path: Path) -> None:
    """It has all files that package.json names, the licence and what the extension imports; no settings of npm."""
    with zipfile.ZipFile(packed) as archive:
        names = set(archive.namelist())
        archive.extractall(tmp_path)
    inside = tmp_path / "extension"
    made = json.loads((inside / "package.json").read_text("utf-8"))
    contributed = made["contributes"]
    language, grammar = contributed["languages"][0], contributed["grammars"][0]
    named = [made["main"], made["icon"], language["configuration"], grammar["path"], *language["icon"].values()]
    named += [f"images/{state}.svg" for state in ("proved", "refuted", "undecided", "expected", "stale")]

    assert [path for path in named if not (inside / path).is_file()] == []
    assert (inside / "LICENSE.txt").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert not {name for name in names if name.endswith((".npmrc", "package-lock.json", ".gitignore"))}
    assert not {name for name in names if "node_modules/@vscode" in name}
    done = subprocess.run([program("node"), "-e", STAND_IN, str(inside / made["main"])], capture_output=True, text=True)
    assert done.stdout == "function function\n", done.stderr
