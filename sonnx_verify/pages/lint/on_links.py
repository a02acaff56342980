"""Rules on links: where they lead to."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from sonnx_verify.errors import UserError
from sonnx_verify.pages.lint.finding import EVERY, Found, Severity, rule
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import read_page


@rule("link-unresolved", Severity.ERROR, EVERY)
def unresolved(page: Page) -> Found:
    """A link leads to an anchor that is not there, or to a file that is not there."""
    anchors = page.anchors
    for link in page.links:
        try:
            parts = urlsplit(link.target)
        except ValueError:
            yield link.span, f"`{link.target}` is no address", "correct the link"
            continue
        if parts.scheme or parts.netloc or not link.target:
            continue
        if not parts.path:
            if parts.fragment and parts.fragment not in anchors:
                yield link.span, f"there is no anchor `{parts.fragment}` on the page", "add it, or correct the link"
            continue
        if page.path is None:
            continue
        target = _file(page.path, parts.path)
        if target is None:
            yield link.span, f"there is no file {parts.path} beside the page", "correct the link"
        elif parts.fragment and target.suffix == ".md" and parts.fragment not in _anchors(target):
            yield link.span, f"{parts.path} has no anchor `{parts.fragment}`", "add it, or correct the link"


def _file(page: Path, path: str) -> Path | None:
    """The file that a path leads to from a page. One that begins with `/` leads down from a folder above it: which of
    them is the top, the page does not know."""
    whole = page.absolute()
    for folder in whole.parents if path.startswith("/") else (whole.parent,):
        try:
            if (target := folder / path.lstrip("/")).exists():
                return target
        except (OSError, ValueError):
            return None
    return None


def _anchors(path: Path) -> frozenset[str]:
    try:
        changed = path.stat()
        return _read(path, changed.st_mtime_ns, changed.st_size)
    except (OSError, UserError):
        return frozenset()


@lru_cache(maxsize=256)
def _read(path: Path, changed: int, size: int) -> frozenset[str]:
    """The anchors of a page as it was when it was changed last: pages share what they refer to."""
    return frozenset(read_page(path).anchors)


@rule("link-moves", Severity.NOTE, EVERY)
def moves(page: Page) -> Found:
    """A link leads to a branch of somebody's copy of a repository, which moves and may vanish."""
    for link in page.links:
        if re.match(r"https?://github\.com/[^/]+/[^/]+/(blob|tree)/(?![0-9a-f]{40}/)", link.target) and not re.match(
            r"https?://github\.com/onnx/", link.target
        ):
            yield link.span, "the link leads to a branch, which moves", "link to a commit, or to a page beside this"


@rule("link-empty", Severity.WARNING, EVERY)
def empty(page: Page) -> Found:
    """A link leads nowhere, or has no text."""
    for link in page.links:
        if not link.target:
            yield link.span, "the link leads nowhere", "say where it leads to"


RULES = (unresolved, moves, empty)
