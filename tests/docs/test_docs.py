"""The README and the documents say what is so: every command in them is run, every link and every module exists.

A ```console block holds commands, each on a line that starts with `$ `, and below each what it prints to stdout. A line
`...` stands for any number of lines. The solvers' versions, and how many queries they took, may differ. Commands are
run in the root of the project; those that name a file of their page, or a `user.` operator, in a folder with what the
page has shown above them, and `check --export-smt`, `vectors` and `new`, which write, in an empty project, whose texts
they leave alone. Below a command that is a mistake stands its error.
`SONNX_REWRITE_GOLDEN=1 pytest tests/docs` writes the outputs into the pages anew.
"""

from __future__ import annotations

import contextlib
import importlib.util
import re
import shlex
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

import click
import pytest
from click.testing import CliRunner

from sonnx_verify.cli import COMMANDS, command, main
from sonnx_verify.results.sentences import KINDS
from tests.docs import links

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OF_DEVELOPERS = [ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "changes" / "README.md"]
STEPS = ROOT / "docs" / "tutorial.md"
"""Its commands build on each other: test_tutorial.py follows them."""
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPECIFICATION = re.compile(r"^```sonnx ?\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```python (\w+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MISTAKE = re.compile(r"\S+:\d+:\d+: error: |error: ")
WRITES = (" --export-smt ", " vectors ", " new ")


def load(name: str) -> ModuleType:
    """A module beside this one: test files are no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


quoted = load("quoted")


@cache
def text_of(page: Path) -> str:
    """The page as it was when the cases were collected: a case that writes it anew moves what stands below."""
    return page.read_text("utf-8")


def commands(page: Path) -> list[tuple[str, str, int]]:
    """(command, expected output, place of the block) of every console block of a page."""
    found = []
    for block in CONSOLE.finditer(text_of(page)):
        parts = re.split(r"^\$ (.*)\n", block[1], flags=re.MULTILINE)
        assert parts[0] == "", f"{page.name}: a console block begins with `$ `"
        found += [(line, output, block.start()) for line, output in zip(parts[1::2], parts[2::2], strict=True)]
    return found


def files_above(page: Path, place: int) -> dict[str, str]:
    """The files that a reader has at a place: each as the page showed it last, or shows it first below the place."""
    text = text_of(page)
    shown: list[tuple[int, str, str]] = []
    for block in SPECIFICATION.finditer(text):
        if found := re.search(r"^(?:operator|theory) (\w+)", block[1], re.MULTILINE):
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
def printed(command: str, folder: Path, *, mistake: bool = False) -> str:
    """What `sonnx-verify ...` prints in a folder; of a mistake, the error."""
    words = shlex.split(command)
    assert words[0] == "sonnx-verify", f"only `sonnx-verify` and `make` are run, not {words[0]}"
    with contextlib.chdir(folder):  # in this process, which has read the library
        done = CliRunner().invoke(main, words[1:], prog_name="sonnx-verify", catch_exceptions=False)
    if mistake:
        assert done.exit_code == 2, done.stdout
        return done.stderr
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


def writes(command: str) -> bool:
    """Whether a command writes to the folder where it is run."""
    return any(name in command for name in WRITES)


PROJECT = ("spec", "proofs")
"""The folders of the clone that `make verify` checks."""


@pytest.fixture
def empty_project(tmp_path: Path) -> Path:
    """A project without a text yet."""
    for name in PROJECT:
        (tmp_path / name).mkdir()
    return tmp_path


def left_in(project: Path) -> set[str]:
    """The folders, and the files beside them, that commands left in a project that was empty."""
    for name in PROJECT:
        assert not any((project / name).iterdir()), f"`make verify` would check what is in {name}"
    return {path.name for path in project.iterdir()} - set(PROJECT)


def targets() -> set[str]:
    """The targets of the Makefile."""
    return set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize(("page", "command", "expected", "place"), shown())
def test_a_command_prints_what_the_page_shows(
    page: str, command: str, expected: str, place: int, folder_of: Callable[[str, int], Path], empty_project: Path
) -> None:
    if command.startswith("make "):
        assert set(command.split()[1:]) <= targets()
        return
    folder = ROOT
    if writes(command):
        folder = empty_project
    elif " user." in command or any(f" {name}" in command for name in files_above(ROOT / page, place)):
        folder = folder_of(page, place)
    # An error is shown on purpose: a command that fails unasked is never written into a page.
    output = printed(command, folder, mistake=MISTAKE.match(expected) is not None)
    quoted.compare(ROOT / page, command, expected, output)
    left_in(empty_project)


def test_the_pattern_tells_outputs_apart() -> None:
    assert quoted.agrees("a\n...\nd\n", "a\nb\nc\nd\n")
    assert quoted.agrees("...\nd\n", "d\n")
    assert not quoted.agrees("a\n...\nd\n", "a\nb\nc\n")
    assert not quoted.agrees("a.c\n", "abc\n")
    assert quoted.agrees("9 queries, 7 of them asked of z3 5.4.0.0\n", "8 queries, 8 of them asked of z3 6\n")
    assert quoted.agrees("9 SMT queries, 7 sent to both solvers\n", "8 SMT queries, 8 sent to both solvers\n")


@pytest.mark.parametrize(
    ("expected", "printed", "made"),
    [
        pytest.param("a\n...\nd\n", "a\nb\nd\ne\n", "a\n...\nd\ne\n", id="a line more"),
        pytest.param("a 1\n...\nthe end 2\n", "a 1\nb\nthe end 3\n", "a 1\n...\nthe end 3\n", id="other words"),
        pytest.param("a 1\n...\nthe end\n", "a 1\nb\nc\n", "a 1\nb\nc\n", id="what ended the elision is gone"),
        pytest.param("...\nthe end 2\n...\n", "x\nthe end 3\ny\n", "...\nthe end 3\n...\n", id="elided at both ends"),
        pytest.param("a\nz3 5.1\nb\n", "a\nz3 5.2\nc\n", "a\nz3 5.1\nc\n", id="a version stays"),
        pytest.param("a\n...\nd\n", "a\nd\ne\n", "a\nd\ne\n", id="nothing is elided now"),
    ],
)
def test_an_output_is_written_anew(expected: str, printed: str, made: str, tmp_path: Path) -> None:
    """Elisions stay while the lines around them are there, and hide nothing in the place of a line that is gone."""
    assert quoted.renewed(expected, printed) == made
    page = tmp_path / "page.md"
    page.write_text(f"```console\n$ one\n{expected}$ two\n{expected}```\n", "utf-8")
    quoted.rewrite(page, "two", expected, made)

    assert page.read_text("utf-8") == f"```console\n$ one\n{expected}$ two\n{made}```\n"
    assert quoted.agrees(made, printed)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_no_old_name_of_a_command(page: Path) -> None:
    """A reader who copies a command gets no note that it is called otherwise now."""
    used = set(re.findall(r"(?:`|^\$ )sonnx-verify ([a-z-]+)", page.read_text("utf-8"), re.MULTILINE))
    assert {name for name in used if name in COMMANDS and COMMANDS[name].now} == set()


@pytest.mark.parametrize("page", [*PAGES, *OF_DEVELOPERS], ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_resolve(page: Path) -> None:
    """To files that are there, and to headings that these have."""
    assert links.broken(page) == []
    # The site has the documents alone.
    assert page.parent.name != "docs" or not any(link.startswith("../") for link in links.of(page))


def test_the_steps_of_a_developer_are_commands() -> None:
    """CONTRIBUTING.md names commands, options and targets of make that are there, but for those to come."""
    text, _, later = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("\nTo come: ")
    text += later.partition("\n")[2]
    used = re.findall(r"`sonnx-verify ([\w-]+)((?: [\w-]+)*)([^`]*)`", text)
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)

    assert used
    for name, words, options in used:
        found = command(name)
        assert found is not None, name
        if isinstance(found, click.Group):
            found = found.get_command(click.Context(found), words.split()[0])
            assert found is not None, words
        known = {option for parameter in found.params for option in parameter.opts}
        assert set(re.findall(r"--[\w-]+", words + options)) <= known, name
    assert set(re.findall(r"\bmake ([a-z]\w*(?:-\w+)*)`", text)) <= set(targets)


def cells_of(heading: str) -> list[list[str]]:
    """The names in the first column of the table below a heading of docs/design.md."""
    text = (ROOT / "docs" / "design.md").read_text("utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE)
    return [re.findall(r"`(\w+)(?:\.py)?`", cell) for cell in cells]


def layers_of(contract: str) -> list[list[str]]:
    """The layers of a contract that the linter checks, the highest first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = (one["layers"] for one in contracts if one["name"] == contract)
    return [sorted(re.findall(r"\w+", layer)) for layer in layers]


def test_the_design_names_every_layer() -> None:
    """docs/design.md has the layers of the contract that the linter checks, in its order."""
    assert [sorted(cell) for cell in cells_of("Layers")] == [one for one in layers_of("layers") if one != ["__main__"]]


def test_the_design_names_every_stage_of_conform() -> None:
    """Each stage stands below those that it imports; the two rooms of proofs stand below the table."""
    stages = [name for (name,) in cells_of("The stages of `conform`")]
    rank = {name: n for n, layer in enumerate(reversed(layers_of("stages of conformance"))) for name in layer}

    assert {*stages} == rank.keys() - {"proofs", "symbolic"}
    assert [rank[name] for name in stages] == sorted(rank[name] for name in stages)


def test_the_walk_goes_down_the_layers() -> None:
    """The ten steps of docs/design.md name files that are there, ten of them."""
    text = (ROOT / "docs" / "design.md").read_text("utf-8")
    walk = text.partition("## The way of a clause")[2].partition("\n## ")[0]
    steps = re.findall(r"^(\d+)\. ", walk, re.MULTILINE)

    assert steps == [str(n) for n in range(1, 11)]
    for name in re.findall(r"`([\w/]+\.py)`", walk):
        assert (ROOT / "sonnx_verify" / name).is_file(), name


MAPS = {"index.md", "reference.md", "lint-rules.md", "records.md"}
"""Pages that send readers elsewhere, or are generated from what is tested by itself."""
SETTINGS = {"editor.md", "report.md", "playground.md"}
"""Pages about what is seen in an editor or a browser."""


@pytest.mark.parametrize("page", [p for p in PAGES if p.name not in MAPS | SETTINGS], ids=lambda p: p.name)
def test_every_page_has_an_example_that_runs(page: Path) -> None:
    """A command with its output, or Python that the tests run."""
    text = page.read_text("utf-8")

    assert commands(page) or page.name in ("api.md", "evaluator.md", "backend.md")
    assert "\n$ sonnx-verify " in text or "```python" in text


ROW = re.compile(r"^\| `([\w-]+)( [\w -]+)?` \| ([^|]+) \| `(sonnx-verify [^|]+)` \|$", re.MULTILINE)


def rows() -> list[tuple[str, str, str, str]]:
    """Command, the command or option below it, what it does, and an example, from the README's table."""
    return ROW.findall((ROOT / "README.md").read_text("utf-8"))


def test_the_readme_has_a_row_for_each_command() -> None:
    """With options that the command has, and an example of it."""
    assert {name for name, _, _, _ in rows()} == {name for name, entry in COMMANDS.items() if entry.group is not None}
    for name, below, does, example in rows():
        found = command(name)
        assert found is not None
        known = {option for parameter in found.params for option in parameter.opts}
        if isinstance(found, click.Group) and below:
            inner = found.get_command(click.Context(found), below.strip())
            assert inner is not None
            known |= {option for parameter in inner.params for option in parameter.opts}
        assert set(re.findall(r"(--[\w-]+)", below)) | set(re.findall(r"`(--[\w-]+)`", does)) <= known
        assert example.startswith((f"sonnx-verify {name}{below} ", f"sonnx-verify {name} --help"))


@pytest.mark.parametrize("example", [example for _, _, _, example in rows()])
def test_a_row_s_example_runs(example: str, empty_project: Path) -> None:
    """It prints something, or has nothing to say, and is no misuse. What it writes goes to a folder that git ignores:
    readers try it in their clone."""
    assert printed(example, empty_project if writes(example) else ROOT) or "--check" in example
    assert left_in(empty_project) == ({"build"} if writes(example) else set())
    assert "build/" in (ROOT / ".gitignore").read_text("utf-8").split()


def test_the_design_names_the_file_of_each_kind() -> None:
    """Every kind of obligation has a row, with files that are there."""
    text = (ROOT / "docs" / "design.md").read_text("utf-8").partition("## Obligations")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| ([\w-]+) \|.*\| ([^|]+) \|$", text, re.MULTILINE)
    files = {kind: re.findall(r"`(\w+\.py)`", cell) for kind, cell in listed if kind != "kind"}
    folder = ROOT / "sonnx_verify" / "obligations"

    assert list(files) == list(KINDS)
    assert all(names and all((folder / name).is_file() for name in names) for names in files.values())


def test_the_head_of_the_readme_is_true() -> None:
    """Its line of facts has the licence and the versions of Python."""
    _, line = re.split(r"\n\n", (ROOT / "README.md").read_text("utf-8"))[:2]
    facts = line.split(" · ")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    assert facts[0].startswith(f"Python {project['requires-python'].removeprefix('>=')} to ")
    assert facts[1] == project["license"]


def test_trust_names_every_folder() -> None:
    """The page for assessors says of each part of the package whether it is trusted; the files it names are there."""
    page = (ROOT / "docs" / "trust.md").read_text("utf-8")
    package = ROOT / "sonnx_verify"
    trusted = page.partition("**Files.**")[2].partition("**Rules.**")[0]
    named = set(re.findall(r"`(\w+)/`", trusted))
    files = re.findall(r"`((?:\w+/)*\w+\.py)`", page)

    assert named == {p.name for p in package.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert [f for f in files if not any(package.rglob(f))] == []
