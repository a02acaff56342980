"""The pages that are made of records: they can be made of the whole library, every operator has one, and links hold.

`SONNX_REWRITE_GOLDEN=1 pytest tests/docs` writes the page of the golden operator anew.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs import links
from tools import node_tests
from tools.pages import KINDS, pages, write

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
GOLDEN = HERE / "made" / "operator.md"
TOCTREE = re.compile(r"^```\{toctree\}\n(?::[^\n]*\n)*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All documents in one folder, as Sphinx reads them. Of the node tests, which test_node_tests.py runs, the head:
    their table has no links."""
    folder = tmp_path_factory.mktemp("site") / "docs"
    shutil.copytree(ROOT / "docs", folder)
    write(folder, {**pages(KINDS.keys() - {"node_tests"}), "node_tests.md": node_tests.HEAD})
    return folder


def test_links_resolve(site: Path) -> None:
    """To files that are there, and to headings that these have."""
    made = [path for path in sorted(site.rglob("*.md")) if not (ROOT / "docs" / path.relative_to(site)).exists()]

    assert {path.relative_to(site).parts[0].removesuffix(".md") for path in made} == set(KINDS)
    assert any(map(links.of, made))
    for page in made:
        assert links.broken(page) == [], page.name


def test_every_page_is_in_a_table_of_contents(site: Path) -> None:
    """Otherwise no way leads there; and each entry of one has a page."""
    listed = []
    for page in site.rglob("*.md"):
        for block in TOCTREE.findall(page.read_text("utf-8")):
            listed += [(page.parent / name).relative_to(site).as_posix() for name in block.split()]
    there = {path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.[mr][ds]*")}

    assert sorted(listed) == sorted(there - {"index"})


def test_every_operator_has_a_page(site: Path) -> None:
    """Each with a row of the table; its folder has the operator's name."""
    names = {path.name for path in (ROOT / "spec" / "sonnx").iterdir() if path.is_dir()}
    table = (site / "operators" / "index.md").read_text("utf-8")
    rows = re.findall(r"^\| \[(\w+)\]\((\w+)\.md\) \|", table, re.MULTILINE)

    assert names
    assert names <= {page for _, page in rows}
    for name, page in rows:
        assert (site / "operators" / f"{page}.md").read_text("utf-8").startswith(f"# {name}\n")


def test_the_page_of_an_operator(site: Path) -> None:
    made = (site / "operators" / "not.md").read_text("utf-8")
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        GOLDEN.write_text(made, "utf-8")

    assert made == GOLDEN.read_text("utf-8")


def test_a_kind_that_is_none(tmp_path: Path) -> None:
    """A mistake in the kind writes nothing, and names those that are there."""
    script = [sys.executable, str(ROOT / "tools" / "pages.py"), str(tmp_path / "out")]
    done = subprocess.run([*script, "operators", "finding"], capture_output=True, text=True)

    assert done.returncode == 2
    assert "error: there are no pages of the kind finding: write one of operators, findings, " in done.stderr
    assert not (tmp_path / "out").exists()
