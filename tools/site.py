"""Builds the documentation site of this version, beside those of other versions.

    python tools/site.py FOLDER

FOLDER has a folder for each version, and index.html, which lists them; the pages of each version lead there. All of it
works from files, without a server. To publish a version, copy its folder beside those that are published, and build
the list anew with --list. The documents are read from FOLDER-source: those of docs/, and those that are made of the
project's records.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sonnx_verify.version import __version__  # noqa: E402  # runs without an installation
from tools.pages import pages, write  # noqa: E402  # as above

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>sonnx-verify: versions</title>
<style>body {{ font: 1.1rem/1.6 sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }}</style>
<h1>sonnx-verify</h1>
<p>The documents of each version, the newest first:</p>
<ul>
{rows}</ul>
</html>
"""


def versions(folder: Path) -> list[str]:
    """The versions that have a site in a folder, the newest first."""
    found = [path.parent.name for path in folder.glob("*/objects.inv")]
    return sorted(found, key=_order, reverse=True)


def _order(version: str) -> tuple[list[int], str]:
    """Numbers count as numbers: 0.10.0 is newer than 0.9.0."""
    return [int(part) for part in version.split(".") if part.isdigit()], version


def listed(folder: Path) -> str:
    """The page that lists the versions."""
    rows = ""
    for version in versions(folder):
        rows += f'<li><a href="{quote(version)}/index.html">{escape(version)}</a></li>\n'
    return PAGE.format(rows=rows)


def sources(folder: Path) -> None:
    """Put all documents into a folder, in place of what it has: Sphinx reads one folder."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    write(folder, pages())


def main() -> int:
    """Build it, and return the status of Sphinx, for which a warning is an error."""
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--list", action="store_true", help="Write index.html alone.")
    given = parser.parse_args()
    status = 0
    if not given.list:
        options = ["--builder", "html", "--quiet", "--fail-on-warning", "--keep-going"]
        # What Sphinx has read is no part of the site.
        source = given.folder.with_name(f"{given.folder.name}-source")
        options += ["--doctree-dir", str(given.folder.with_name(f"{given.folder.name}-doctrees"))]
        sources(source)
        command = [sys.executable, "-m", "sphinx", *options, str(source), str(given.folder / __version__)]
        status = subprocess.run(command, check=False).returncode
    (given.folder / "index.html").write_text(listed(given.folder), "utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
