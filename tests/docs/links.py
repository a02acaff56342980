"""The links of a document, and those of them that lead nowhere."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"`[^`\n]*`")


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    heads = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def of(page: Path) -> list[str]:
    """The links of a page to other documents."""
    found = _LINK.findall(_CODE.sub("", FENCED.sub("", page.read_text("utf-8"))))
    return [link for link in found if not link.startswith("https://")]


def broken(page: Path) -> list[str]:
    """The links of a page whose file is not there, or lacks the heading."""
    found = []
    for link in of(page):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        # The examples of that page are pages with mistakes, links among them.
        reads = bool(anchor) and target.suffix == ".md" and page.name != "lint-rules.md"
        if not target.exists() or (reads and anchor not in anchors(target)):
            found.append(link)
    return found
