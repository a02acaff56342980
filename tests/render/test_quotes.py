"""Quotations in pages: told where they differ, renewed in place, and never more than that."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.read import read_page
from sonnx_verify.pages.render.markdown import SECTIONS

ROOT = Path(__file__).parents[2]
RENEWED = """\
# Twice

<!-- render: twice.sonnx Y.shape -->
```math
\\text{shape}(Y) = \\text{shape}(X)
```
<!-- /render -->

and

<!-- render: twice.sonnx Y.value int -->
```math
Y[i] = X[i] + X[i]
```
<!-- /render -->

The end.
"""


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["page", "render", *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_a_page_is_checked_renewed_and_then_holds(folder: Path) -> None:
    page = folder / "twice.md"
    before = page.read_text("utf-8")
    status, said = run("--check", "twice.md")
    assert status == 1
    assert page.read_text("utf-8") == before
    assert "twice.md:8:1: differs: twice.sonnx Y.value int" in said
    assert "-what somebody wrote\n+```math" in said
    assert run("--write", "twice.md")[0] == 0
    assert page.read_text("utf-8") == RENEWED
    assert run("--check", "twice.md") == (0, "twice.md: 2 quotations\n")
    text = (folder / "twice.sonnx").read_text("utf-8")
    (folder / "twice.sonnx").write_text(text.replace("X[i] + X[i]", "2 * X[i]"), "utf-8")
    assert run("--check", "twice.md")[0] == 1


def test_sections_are_quoted_one_after_the_other(folder: Path) -> None:
    """What stands between marks is all of the page that the text renders to, in pieces."""
    whole = run("twice.sonnx")[1]
    kinds = " ".join(f"#{name}" for name in SECTIONS)
    marks = [f"<!-- render: twice.sonnx {what} -->" for what in ("#contents", f"{kinds} int", f"{kinds} float")]
    (folder / "whole.md").write_text("# Contents\n" + "".join(f"{mark}\n<!-- /render -->\n" for mark in marks), "utf-8")
    assert run("--write", "whole.md")[0] == 0
    written = (folder / "whole.md").read_text("utf-8")

    kept = [line for line in written.splitlines() if not line.startswith("<!--")]
    assert [line for line in kept if line] == [line for line in whole.splitlines() if line]
    (folder / "twice.sonnx").write_text((folder / "twice.sonnx").read_text("utf-8").replace("X is no", "X is not a"))
    status, said = run("--check", "whole.md")
    assert (status, said.count("is not a vector"), said.count(": differs: ")) == (1, 2, 2)


def test_a_page_may_have_one_section_for_any_type(folder: Path) -> None:
    """What is of some types alone says so there."""
    kinds = " ".join(f"#{name}" for name in SECTIONS)
    (folder / "any.md").write_text(
        f"# Contents\n<!-- render: twice.sonnx #contents any -->\n<!-- /render -->\n"
        f"<!-- render: twice.sonnx {kinds} any -->\n<!-- /render -->\n",
        "utf-8",
    )
    assert run("--write", "any.md")[0] == 0
    written = (folder / "any.md").read_text("utf-8")

    assert "- **Twice** for the types [int8, int16, float16, float](#any)" in written
    assert "# **Twice** (any, any)\n\nHere $T$ is one of int8, int16, float16, float." in written
    assert re.findall(r"At every index .*", written) == [
        "At every index $i$ of $Y$ for int:",
        "At every index $i$ of $Y$ for float:",
    ]
    assert written.count('<a id="any-C1"></a>') == 1


def test_lint_says_it_too(folder: Path) -> None:
    found = [
        (f.rule, f.span.line) for f in findings_of(read_page(folder / "twice.md")) if f.rule == "quotation-differs"
    ]

    assert found == [("quotation-differs", 3), ("quotation-differs", 8)]


def test_line_ends_rights_and_links_stay(folder: Path) -> None:
    page = folder / "twice.md"
    page.write_bytes(page.read_bytes().replace(b"\n", b"\r\n"))
    page.chmod(0o640)
    (folder / "link.md").symlink_to("twice.md")
    assert run("--write", "link.md")[0] == 0

    assert page.read_bytes() == RENEWED.replace("\n", "\r\n").encode()
    assert page.stat().st_mode & 0o777 == 0o640
    assert (folder / "link.md").is_symlink()
    assert sorted(p.name for p in folder.iterdir()) == ["link.md", "twice.md", "twice.sonnx"]


def test_what_stands_in_a_fence_is_code(folder: Path) -> None:
    text = "```\n<!-- render: none.sonnx x -->\n```\n\n~~~~\n```\n<!-- /render -->\n~~~~\n"
    (folder / "a.md").write_text(text, "utf-8")

    assert run("--check", "a.md") == (0, "a.md: 0 quotations\n")


MISTAKES = {
    "<!-- render: twice.sonnx Y.shape -->\n": ("1:1", "has no end"),
    "<!-- /render -->\n": ("1:1", "no quotation begins"),
    "<!-- render: twice.sonnx E1 -->\n<!-- render: twice.sonnx C1 -->\n<!-- /render -->\n": ("2:1", "begins in a quot"),
    "<!-- render: twice.sonnx -->\n<!-- /render -->\n": ("1:1", "does not name an item"),
    "<!-- render: -->\n<!-- /render -->\n": ("1:1", "does not name an item"),
    "<!-- render: twice.sonnx Y.vale -->\n<!-- /render -->\n": ("1:1", "has no `Y.vale`"),
    "<!-- render: twice.sonnx Y.value -->\n<!-- /render -->\n": ("1:1", "add one of them: int, float"),
    "<!-- render: twice.sonnx Y.value bool -->\n<!-- /render -->\n": ("1:1", "not given for bool"),
    "<!-- render: twice.sonnx #nothing int -->\n<!-- /render -->\n": ("1:1", "no section `#nothing`"),
    "<!-- render: twice.sonnx #result bool -->\n<!-- /render -->\n": ("1:1", "no types `bool`"),
    "<!-- render: twice.sonnx #result -->\n<!-- /render -->\n": ("1:1", "write int, float, any behind"),
    "<!-- render: twice.sonnx # int -->\n<!-- /render -->\n": ("1:1", "no section `#`"),
    "<!-- render: none.sonnx Y.value -->\n<!-- /render -->\n": ("1:1", "cannot be read"),
    "<!-- render: twice.sonnx@7 Y.value -->\n<!-- /render -->\n": ("1:1", "has no version 7"),
    "<!-- render: . Y.value -->\n<!-- /render -->\n": ("1:1", "is not a file"),
    "<!-- render: broken.sonnx Y.value -->\n<!-- /render -->\n": ("broken.sonnx:1:10", "operator"),
}
"""Pages, with the place and a part of what is said of them."""


@pytest.mark.parametrize("text", MISTAKES)
@pytest.mark.parametrize("how", ["--check", "--write"])
def test_mistakes(text: str, how: str, folder: Path) -> None:
    (folder / "broken.sonnx").write_text("operator 7", "utf-8")
    (folder / "page.md").write_text(text, "utf-8")
    place, words = MISTAKES[text]
    status, said = run(how, "page.md")

    assert (status, place in said, words in said) == (2, True, True), said
    assert (folder / "page.md").read_text("utf-8") == text
    finding = [f for f in findings_of(read_page(folder / "page.md")) if f.rule == "quotation-differs"]
    assert len(finding) == 1


def test_mistakes_of_a_user(folder: Path) -> None:
    (folder / "latin.md").write_bytes(b"\xe9")
    (folder / "mixed.md").write_bytes(b"a\r\nb\n")
    for words, said in {
        ("--check", "--write", "twice.md"): "give one of them",
        ("--check", "none.md"): "cannot be read",
        ("--check", "."): "is a folder",
        ("--check", "latin.md"): "is not UTF-8",
        ("--write", "mixed.md"): "line ends of several kinds",
        ("--check", "--out", "a", "twice.md"): "--out is for a formal text",
        ("twice.md",): "is a page",
        ("twice.sonnx", "twice.sonnx"): "name one",
        ("none.sonnx",): "cannot be read",
        ("user.None-1",): "unknown operator user.None-1",
        ("",): "an empty name",
        ("twice.sonnx", "--out", "none/there.md"): "cannot be written",
        ("twice.sonnx", "--out", "."): "is a directory",
        (): "Missing argument",
    }.items():
        status, output = run(*words)
        assert status == 2, (words, output)
        assert said in output, (words, output)


def test_a_folder_that_cannot_be_written_to(folder: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    folder.chmod(0o500)
    try:
        for words in (["--write", "twice.md"], ["twice.sonnx", "--out", "a.md"]):
            status, said = run(*words)
            assert status == 2
            assert "cannot be written" in said
    finally:
        folder.chmod(0o700)
    assert "what somebody wrote" in (folder / "twice.md").read_text("utf-8")


def test_our_own_pages_quote_what_is_so() -> None:
    """At least one of them quotes, and no quotation has drifted."""
    pages = sorted((ROOT / "spec" / "sonnx").rglob("*.md"))
    status, said = run("--check", *map(str, pages))

    assert status == 0, said
    assert sum(int(line.split()[-2]) for line in said.splitlines()) >= 2


@pytest.mark.parametrize(
    "text",
    [
        "1. ```\n   {open}\n   mine\n   {close}\n   ```",
        "- - - ```\n      {open}\n      mine\n      {close}\n      ```",
        "```a`b\n\n````\n```\n{open}\nmine\n{close}\n```\n````",
        "a\n\n    {open}\n    mine\n    {close}",
        "<!--\n{open}\nmine",
        "> ~~~\n> {open}\n> mine\n> {close}\n> ~~~",
    ],
)
def test_code_and_comments_hold_no_marks(folder: Path, text: str) -> None:
    """What somebody wrote there stays."""
    page = folder / "twice.md"
    shown = text.format(open="<!-- render: twice.sonnx Y.shape -->", close="<!-- /render -->")
    page.write_text(f"# Twice\n\n{shown}\n", "utf-8")
    before = page.read_bytes()
    run("--write", "twice.md")

    assert page.read_bytes() == before
