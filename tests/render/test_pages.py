"""Formal texts as pages: what code hosts and TeX both read."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pylatexenc.latexwalker import LatexWalker

from sonnx_verify.cli import main
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.pages.reading.page import ORDER
from sonnx_verify.pages.reading.read import page_from
from sonnx_verify.pages.render.formal import Formal
from sonnx_verify.pages.render.markdown import page

ROOT = Path(__file__).parents[2]


def formulas(text: str) -> list[str]:
    """What a reader of Markdown takes for formulas."""
    parser = MarkdownIt("commonmark", {"html": True}).enable("table").use(dollarmath_plugin)
    found = []
    for token in parser.parse(text):
        if token.type == "fence" and token.info == "math":
            found.append(token.content)
        found += [c.content for c in token.children or [] if c.type.startswith("math")]
    return found


@cache
def pages() -> list[tuple[Unit, str]]:
    """The texts of the library, and the page of each."""
    project = Project.open(ROOT)
    return [(u, page(Formal.of(u.file, project.library(u)))) for u in project.units if u.file is not None]


def test_every_formula_of_every_page_is_read_and_valid() -> None:
    assert len(pages()) == len(Project.open(ROOT).units)
    every: set[str] = set()
    for unit, text in pages():
        found = formulas(text)
        every |= set(found)
        dollars = re.sub(r"```math\n.*?\n```", "", text, flags=re.DOTALL).count("$")
        assert len(found) == dollars // 2 + text.count("```math"), unit.operator
        assert "\n\n\n" not in text, unit.operator
        assert not re.search(r"[ \t]$", text, re.MULTILINE), unit.operator
    # Most stand on several pages. One that is not valid is an error that shows it.
    for formula in sorted(every):
        LatexWalker(formula, tolerant_parsing=False).get_latex_nodes()


def test_the_pages_of_the_profile_have_its_tags_and_sections() -> None:
    """Read like a page that somebody wrote, it has the sections and the tags of one, each in each family."""
    for unit, text in [(u, text) for u, text in pages() if u.namespace == "sonnx"]:
        assert unit.file is not None
        made = page_from("a.md", text.encode())
        assert made.operator == unit.file.name
        every = {(c.tag, c.kind.value) for c in unit.file.clauses}
        of_all = {(c.tag, c.kind.value) for c in unit.file.clauses if not c.family}
        shown = []
        for sections in made.by_family[1:]:
            # Constraints have a heading below that of inputs, and of outputs.
            assert [s.kind for s in sections if s.kind not in ("", "constraints")] == ["family", *ORDER]
            tags = [(t.name, t.kind.value) for s in sections for t in s.tags]
            assert of_all <= set(tags) <= every
            assert len(tags) == len(set(tags))
            shown += tags
        assert set(shown) == every


def test_a_version_and_a_file(tmp_path: Path) -> None:
    """An operator by its name in a version, a library by its file, into a file."""
    done = CliRunner().invoke(main, ["page", "render", "onnx.Max-8"])
    assert done.exit_code == 0
    assert "# **Max** (float, float)" in done.stdout
    assert "(int, int)" not in done.stdout
    out = tmp_path / "strides.md"
    done = CliRunner().invoke(main, ["page", "render", str(ROOT / "spec/common/strides.sonnx"), "--out", str(out)])
    assert done.exit_code == 0
    assert out.read_text("utf-8").startswith("# strides: Places on an axis")


def test_what_is_there_is_not_replaced(tmp_path: Path) -> None:
    """The same page again is fine; neither what somebody wrote nor the text itself is lost."""
    out, text = tmp_path / "strides.md", ROOT / "spec/common/strides.sonnx"
    command = ["render", str(text), "--out"]
    assert [CliRunner().invoke(main, [*command, str(out)]).exit_code for _ in range(2)] == [0, 0]
    out.write_text("mine", "utf-8")
    before = text.read_bytes()
    for path in (out, text):
        done = CliRunner().invoke(main, [*command, str(path)])
        assert done.exit_code == 2
        assert "already exists" in done.output
    assert out.read_text("utf-8") == "mine"
    assert text.read_bytes() == before


def test_what_is_left_open_is_said() -> None:
    done = CliRunner().invoke(main, ["page", "render", "onnx.Max-13"])

    assert "### Left open" in done.stdout
    assert "- `[U_NAN]` The value of $\\text{max}$ is not specified" in done.stdout


MINE = """operator Pick version 1 user
page "pick.md"
types int = int8 int32
types bool = bool
input X : tensor of T
input places : tensor of int64
attribute axis : int default 0
output Y : tensor of T
[C1] constraint "the axis exists" : 0 <= axis < rank(X)
[C2] constraint "each place is on the axis" : for all j in places : 0 <= int(places[j]) < X.shape[axis]
[E1] error "no such axis" : when C1 fails
[E2] error "no such place" : when C2 fails
shape Y = places.shape
value Y[i] = X[index (k in axes(X) -> if k = axis then int(places[i]) else 0)]
"""


def test_the_page_of_a_user_s_operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the page of an operator that ONNX does not have: `lint` finds only what it does not decide, and `trace`
    that a constraint, as it is read, is that of the text."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pick.sonnx").write_text(MINE, "utf-8")
    (tmp_path / "pick.md").write_text(CliRunner().invoke(main, ["page", "render", "pick.sonnx"]).stdout, "utf-8")
    told = json.loads(CliRunner().invoke(main, ["page", "lint", "pick.md", "--format", "json"]).stdout)
    traced = CliRunner().invoke(main, ["page", "trace", "pick.md"]).stdout

    assert {finding["rule"] for finding in told["findings"]} == {"undecided"}
    assert sum("| C1 |" in line and "proved equivalent" in line for line in traced.splitlines()) == 2
    # Without the text nobody says that it is a user's.
    (tmp_path / "pick.sonnx").unlink()
    assert "operator-unknown" in CliRunner().invoke(main, ["page", "lint", "pick.md"]).stdout


def test_a_text_without_an_output_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has a page too: `check` says what is missing."""
    monkeypatch.chdir(tmp_path)
    text = "operator N version 1 user\ntypes int = int8\ninput X : tensor of T\nshape Y = X.shape\nvalue Y[i] = X[i]\n"
    (tmp_path / "n.sonnx").write_text(text, "utf-8")
    made = CliRunner().invoke(main, ["page", "render", "n.sonnx"])

    assert made.exit_code == 0
    assert made.stdout.startswith("# Contents")


_TYPES = re.compile(r"^types \w+(?: of (\w+))? *= *([\w ]+)$", re.MULTILINE)


@pytest.mark.parametrize(
    "path", sorted(p for p in (ROOT / "tests/language").rglob("*.sonnx") if " of U " in p.read_text("utf-8")), ids=str
)
def test_the_types_of_a_page_are_those_of_the_text(path: Path) -> None:
    """A variable other than T has the types of all its lines, as the lines themselves say."""
    listed: dict[str, list[str]] = {}
    for variable, types in _TYPES.findall(path.read_text("utf-8")):
        listed.setdefault(variable, []).extend(types.split())
    del listed[""]
    done = CliRunner().invoke(main, ["page", "render", str(path)])
    assert done.exit_code == 0
    for variable, types in listed.items():
        found = re.findall(rf"^- \${variable}\$ is (?:one of )?(.*)$", done.stdout, re.MULTILINE)
        assert set(found) == {", ".join(types)}
