"""The README and the documents say what is so: every command in them is run, every link and every module exists.

A ```console block holds commands, each on a line that starts with `$ `, and below each what it prints to stdout. A line
`...` stands for any number of lines. The solvers' versions, and how many queries they took, may differ. Commands are
run in the root of the project; those that name a file of their page, or a `user.` operator, in a folder with what the
page has shown above them, and `export-smt`, `vectors` and `new`, which write, in an empty one.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import command, main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
STEPS = ROOT / "docs" / "tutorial.md"
"""Its commands build on each other: test_tutorial.py follows them."""
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPECIFICATION = re.compile(r"^```sonnx ?\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```python (\w+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
WRITES = (" export-smt ", " vectors ", " new ")
VARIES = (
    (re.compile(r'\b(z3|cvc5)(": "| )\d[\d.]*'), r"\1\2VERSION"),
    (re.compile(r"^\d+ queries, \d+ of", re.MULTILINE), "N queries, N of"),
)


def commands(page: Path) -> list[tuple[str, str, int]]:
    """(command, expected output, place of the block) of every console block of a page."""
    found = []
    for block in CONSOLE.finditer(page.read_text("utf-8")):
        parts = re.split(r"^\$ (.*)\n", block[1], flags=re.MULTILINE)
        assert parts[0] == "", f"{page.name}: a console block begins with `$ `"
        found += [(line, output, block.start()) for line, output in zip(parts[1::2], parts[2::2], strict=True)]
    return found


def files_above(page: Path, place: int) -> dict[str, str]:
    """The files that a reader has at a place: each as the page showed it last, or shows it first below the place."""
    text = page.read_text("utf-8")
    shown: list[tuple[int, str, str]] = []
    for block in SPECIFICATION.finditer(text):
        if found := re.search(r"^operator (\w+) version", block[1], re.MULTILINE):
            shown.append((block.start(), f"{found[1]}.sonnx", block[1]))
    shown += [(block.start(), block[1], block[2]) for block in CODE.finditer(text)]
    files: dict[str, str] = {}
    for at, name, content in sorted(shown):
        if at < place or name not in files:
            files[name] = content
    return files


def shown() -> list[object]:
    """Every command of every page, as a case of its own."""
    cases = [(page.relative_to(ROOT).as_posix(), *found) for page in PAGES if page != STEPS for found in commands(page)]
    return [pytest.param(*case, id=f"{case[0]}: {case[1]}") for case in cases]


@cache
def printed(command: str, folder: Path) -> str:
    """What `sonnx-verify ...` prints in a folder."""
    words = shlex.split(command)
    assert words[0] == "sonnx-verify", f"only `sonnx-verify` and `make` are run, not {words[0]}"
    with contextlib.chdir(folder):  # in this process, which has read the library
        done = CliRunner().invoke(main, words[1:], prog_name="sonnx-verify", catch_exceptions=False)
    assert done.exit_code in (0, 1), done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], Path]:
    """A function from a page and a place to a folder with the files that a reader of it has there."""
    folders: dict[tuple[tuple[str, str], ...], Path] = {}

    def folder(page: str, place: int) -> Path:
        files = tuple(sorted(files_above(ROOT / page, place).items()))
        if files not in folders:
            folders[files] = tmp_path_factory.mktemp("texts")
            for name, content in files:
                (folders[files] / name).write_text(content, "utf-8")
        return folders[files]

    return folder


def masked(text: str) -> str:
    """The text without what may differ from one installation to the next."""
    for pattern, replacement in VARIES:
        text = pattern.sub(replacement, text)
    return text


def pattern_of(expected: str) -> str:
    """The expected output as a regular expression."""
    lines = masked(expected).splitlines(keepends=True)
    return "".join(r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) for line in lines)


def writes(command: str) -> bool:
    """Whether a command writes to the folder where it is run."""
    return any(name in command for name in WRITES)


def targets() -> set[str]:
    """The targets of the Makefile."""
    return set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize(("page", "command", "expected", "place"), shown())
def test_a_command_prints_what_the_page_shows(
    page: str, command: str, expected: str, place: int, folder_of: Callable[[str, int], Path], tmp_path: Path
) -> None:
    if command.startswith("make "):
        assert set(command.split()[1:]) <= targets()
        return
    folder = ROOT
    if writes(command):
        folder = tmp_path
    elif " user." in command or any(f" {name}" in command for name in files_above(ROOT / page, place)):
        folder = folder_of(page, place)
    output = printed(command, folder)
    if re.fullmatch(pattern_of(expected), masked(output)) is None:
        assert masked(output) == masked(expected), f"{page} shows another output of `{command}`"


def test_the_pattern_tells_outputs_apart() -> None:
    assert re.fullmatch(pattern_of("a\n...\nd\n"), "a\nb\nc\nd\n")
    assert re.fullmatch(pattern_of("...\nd\n"), "d\n")
    assert not re.fullmatch(pattern_of("a\n...\nd\n"), "a\nb\nc\n")
    assert not re.fullmatch(pattern_of("a.c\n"), "abc\n")
    assert masked("9 queries, 7 of them asked of z3 5.4.0.0 and cvc5 1.4.2") == masked(
        "8 queries, 8 of them asked of z3 6 and cvc5 2"
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_resolve(page: Path) -> None:
    for link in LINK.findall(FENCED.sub("", page.read_text("utf-8"))):
        if not link.startswith(("#", "https://")):
            assert (page.parent / link.partition("#")[0]).exists(), f"{page.name}: {link}"


def test_the_design_names_every_layer() -> None:
    """docs/design.md has the layers of the contract that the linter checks, in its order."""
    text = (ROOT / "docs" / "design.md").read_text("utf-8").partition("## Layers")[2].partition("\n## ")[0]
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    cells = re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE)

    assert [sorted(re.findall(r"`(\w+)`", cell)) for cell in cells] == [
        sorted(re.findall(r"\w+", layer)) for layer in layers if layer != "__main__"
    ]


def test_the_walk_goes_down_the_layers() -> None:
    """The ten steps of docs/design.md name files that are there, ten of them."""
    text = (ROOT / "docs" / "design.md").read_text("utf-8")
    walk = text.partition("## The way of a clause")[2].partition("\n## ")[0]
    steps = re.findall(r"^(\d+)\. ", walk, re.MULTILINE)

    assert steps == [str(n) for n in range(1, 11)]
    for name in re.findall(r"`([\w/]+\.py)`", walk):
        assert (ROOT / "sonnx_verify" / name).is_file(), name


ROW = re.compile(r"^\| `([\w-]+)` \| ([^|]+) \| `(sonnx-verify [^|]+)` \|$", re.MULTILINE)


def rows() -> list[tuple[str, str, str]]:
    """Command, what it does, and an example, from the README's table."""
    return ROW.findall((ROOT / "README.md").read_text("utf-8"))


def test_the_readme_has_a_row_for_each_command() -> None:
    """With options that the command has, and an example of it."""
    assert {name for name, _, _ in rows()} == set(main.commands)
    for name, does, example in rows():
        found = command(name)
        assert found is not None
        known = {option for parameter in found.params for option in parameter.opts}
        assert set(re.findall(r"`(--[\w-]+)`", does)) <= known
        assert example.startswith(f"sonnx-verify {name} ")


@pytest.mark.parametrize("example", [example for _, _, example in rows()])
def test_a_row_s_example_runs(example: str, tmp_path: Path) -> None:
    """It prints something, or has nothing to say, and is no misuse."""
    assert printed(example, tmp_path if writes(example) else ROOT) or "--check" in example


def test_trust_names_every_folder() -> None:
    """The page for assessors says of each part of the package whether it is trusted; the files it names are there."""
    page = (ROOT / "docs" / "trust.md").read_text("utf-8")
    package = ROOT / "sonnx_verify"
    trusted = page.partition("**Files.**")[2].partition("**Rules.**")[0]
    named = set(re.findall(r"`(\w+)/`", trusted))
    files = re.findall(r"`((?:\w+/)*\w+\.py)`", page)

    assert named == {p.name for p in package.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert [f for f in files if not any(package.rglob(f))] == []
