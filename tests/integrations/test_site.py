"""The documentation site builds without a warning, and every link in it leads somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

pytestmark = pytest.mark.integrations

ROOT = Path(__file__).parents[2]


def test_site(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="an extra: make test-integrations installs it")
    options = ["--builder", "html", "--quiet", "--fail-on-warning", "--keep-going"]
    options += ["--doctree-dir", str(tmp_path / "d")]
    command = [sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(tmp_path / "site")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    site = tmp_path / "site"
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert pages <= {path.stem for path in site.glob("*.html")}
    for path in site.glob("*.html"):
        text = path.read_text("utf-8")
        # Nothing is fetched when a page is read.
        assert re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?//[^"]*', text) == [], path.name
        for link in re.findall(r'(?:href|src)="([^"#?]+)', text):
            # Where a text speaks of another site, that is for its reader.
            if not link.startswith(("http", "mailto:", "data:")):
                assert (path.parent / unquote(link)).exists(), f"{path.name}: {link}"
