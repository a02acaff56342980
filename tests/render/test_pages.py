"""Formal texts as pages: what code hosts and TeX both read."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pylatexenc.latexwalker import LatexWalker

from sonnx_verify.cli import main
from sonnx_verify.language.project import Project
from sonnx_verify.pages.page import ORDER
from sonnx_verify.pages.read import page_from
from sonnx_verify.render.formal import Formal
from sonnx_verify.render.markdown import page

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


def test_every_formula_of_every_page_is_read_and_valid() -> None:
    project = Project.open(ROOT)
    for unit in project.units:
        assert unit.file is not None
        text = page(Formal.of(unit.file, project.library(unit)))
        found = formulas(text)
        dollars = re.sub(r"```math\n.*?\n```", "", text, flags=re.DOTALL).count("$")
        assert len(found) == dollars // 2 + text.count("```math"), unit.operator
        for formula in found:
            LatexWalker(formula, tolerant_parsing=False).get_latex_nodes()
        assert "\n\n\n" not in text and not re.search(r"[ \t]$", text, re.MULTILINE), unit.operator


def test_the_pages_of_the_profile_have_its_tags_and_sections() -> None:
    """Read like a page that somebody wrote, it has the sections and the tags of one, each in each family."""
    project = Project.open(ROOT)
    for unit in [u for u in project.units if u.namespace == "sonnx"]:
        assert unit.file is not None
        made = page_from("a.md", page(Formal.of(unit.file, project.library(unit))).encode())
        assert made.operator == unit.file.name
        for sections in made.by_family[1:]:
            assert [s.kind for s in sections if s.kind] == ["family", *ORDER]
            tags = sorted((t.name, t.kind) for s in sections for t in s.tags)
            assert tags == sorted((c.tag, c.kind) for c in unit.file.clauses)


def test_a_version_and_a_file(tmp_path: Path) -> None:
    """An operator by its name in a version, a library by its file, into a file."""
    done = CliRunner().invoke(main, ["render", "onnx.Max-8"])
    assert done.exit_code == 0 and "# **Max** (float, float)" in done.stdout and "(int, int)" not in done.stdout
    out = tmp_path / "strides.md"
    done = CliRunner().invoke(main, ["render", str(ROOT / "spec/common/strides.sonnx"), "--out", str(out)])
    assert done.exit_code == 0 and out.read_text("utf-8").startswith("# strides: Places on an axis")


def test_what_is_there_is_not_replaced(tmp_path: Path) -> None:
    """The same page again is fine; neither what somebody wrote nor the text itself is lost."""
    out, text = tmp_path / "strides.md", ROOT / "spec/common/strides.sonnx"
    command = ["render", str(text), "--out"]
    assert [CliRunner().invoke(main, [*command, str(out)]).exit_code for _ in range(2)] == [0, 0]
    out.write_text("mine", "utf-8")
    before = text.read_bytes()
    for path in (out, text):
        done = CliRunner().invoke(main, [*command, str(path)])
        assert done.exit_code == 2 and "is there already" in done.output
    assert out.read_text("utf-8") == "mine" and text.read_bytes() == before


def test_what_is_left_open_is_said() -> None:
    done = CliRunner().invoke(main, ["render", "onnx.Max-13"])

    assert "### Left open" in done.stdout and "- `[U_NAN]` The value of $\\text{max}$ is not specified" in done.stdout
