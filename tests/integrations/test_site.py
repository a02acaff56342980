"""The documentation site builds without a warning, and every link in it leads somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from sonnx_verify import __all__ as public
from sonnx_verify import __version__

pytestmark = pytest.mark.integrations

ROOT = Path(__file__).parents[2]


def build(folder: Path, *options: str) -> None:
    command = [sys.executable, str(ROOT / "tools" / "site.py"), str(folder), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_site(tmp_path: Path) -> None:
    """Each page of each version leads to the list of the versions, and nowhere into the void."""
    pytest.importorskip("sphinx", reason="an extra: make test-integrations installs it")
    build(tmp_path / "site")
    site = tmp_path / "site" / __version__
    source = tmp_path / "site-source"
    pages = {path.relative_to(source).with_suffix(".html") for path in source.rglob("*.[mr][ds]*")}
    made = {
        Path("operators", "max.html"),
        Path("findings", "index.html"),
        Path("accuracy.html"),
        Path("node_tests.html"),
    }
    assert {Path("python.html"), *made} <= pages
    assert pages <= {path.relative_to(site) for path in site.rglob("*.html")}
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        assert f"sonnx-verify {__version__}" in text
        up = "../" * len(path.relative_to(site).parts)
        assert f'href="{up}index.html"' in text
        # Nothing is fetched when a page is read.
        assert re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?//[^"]*', text) == [], path.name
        for link in re.findall(r'(?:href|src)="([^"#?]+)', text):
            # Where a text speaks of another site, that is for its reader.
            if not link.startswith(("http", "mailto:", "data:")):
                assert (path.parent / unquote(link)).exists(), f"{path.name}: {link}"
    reference = (site / "python.html").read_text("utf-8")
    named = set(re.findall(r'<dt class="sig [^>]*id="sonnx_verify\.(\w+)"', reference))
    assert named == {name for name in public if not name.startswith("_") and name != "errors"}


def test_the_list_of_versions(tmp_path: Path) -> None:
    """The newest first, by number; what is no site is none of them."""
    for name in ("0.9.0", "0.10.0", "0.2.1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "objects.inv").touch()
    (tmp_path / "other").mkdir()
    build(tmp_path, "--list")
    text = (tmp_path / "index.html").read_text("utf-8")
    assert re.findall(r'href="(.*?)/index.html"', text) == ["0.10.0", "0.9.0", "0.2.1"]
