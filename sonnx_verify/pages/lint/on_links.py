"""Rules on links: where they lead to."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from sonnx_verify.errors import UserError
from sonnx_verify.pages.lint.finding import EVERY, Found, Severity, rule, rule_on
from sonnx_verify.pages.lint.visits import links
from sonnx_verify.pages.reading.blocks import Inline
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import read_page

_MOVING = re.compile(r"https?://github\.com/(?!onnx/)[^/]+/[^/]+/(?:blob|tree)/(?![0-9a-f]{40}/)")
"""The address of a file on a branch of a repository. Those of ONNX itself are what the profile is about."""


@rule("link-unresolved", Severity.ERROR, EVERY)
def unresolved(page: Page) -> Found:
    """A link leads to an anchor that does not exist, or to a file that its folder does not have."""
    for link in page.links:
        try:
            parts = urlsplit(link.target)
        except ValueError:
            # A bracket in a host is read as the beginning of an address of IPv6.
            yield link.span, f"`{link.target}` is not a valid address", "correct the link"
            continue
        if _is_local(parts):
            yield from _unresolved(page, link, parts)


def _is_local(parts: SplitResult) -> bool:
    """Return whether a link leads to no server. Others are not asked: whether they answer is no property of a page."""
    return not parts.scheme and not parts.netloc


def _unresolved(page: Page, link: Inline, parts: SplitResult) -> Found:
    """The finding of a link into the page itself, or to a file beside it."""
    if not parts.path:
        if parts.fragment and parts.fragment not in page.anchors:
            yield link.span, f"there is no anchor `{parts.fragment}` on the page", "add it, or correct the link"
        return
    # A page that was never saved has no files beside it.
    if page.path is None:
        return
    target = _file(page.path, parts.path)
    if target is not None:
        if parts.fragment and not _has_anchor(target, parts.fragment):
            yield link.span, f"{parts.path} has no anchor `{parts.fragment}`", "add it, or correct the link"
    elif _has_folder(page.path, parts.path):
        yield link.span, f"there is no file {parts.path} next to the page", "correct the link"


@rule("link-unchecked", Severity.WARNING, EVERY)
def unchecked(page: Page) -> Found:
    """A link leads to a folder that is not there. Either it is wrong, or the page was taken out of a larger tree."""
    for link in page.links:
        with suppress(ValueError):
            parts = urlsplit(link.target)
            if page.path is None or not parts.path or not _is_local(parts):
                continue
            if _file(page.path, parts.path) is None and not _has_folder(page.path, parts.path):
                message = f"there is no folder for {parts.path}, so nothing checks the link"
                yield link.span, message, "correct the link, or check the page where it belongs"


def _has_folder(page: Path, path: str) -> bool:
    """Return whether the folder is there that a file would stand in. Of a path from the top of the tree nobody knows:
    the top may be above all that is there."""
    if path.startswith("/"):
        return False
    try:
        return (page.absolute().parent / path).parent.is_dir()
    except (OSError, ValueError):
        # Names that no file can have are wrong wherever they lead.
        return True


def _file(page: Path, path: str) -> Path | None:
    """The file that a path leads to from a page. One that begins with `/` leads down from a folder above it: which of
    them is the top, the page does not know."""
    whole = page.absolute()
    folders = [whole.parent]
    if path.startswith("/"):
        folders = [*whole.parents]
    for folder in folders:
        try:
            if (target := folder / path.lstrip("/")).exists():
                return target
        except (OSError, ValueError):
            # Names that no file can have: too long, or with a zero in them.
            return None
    return None


def _has_anchor(path: Path, anchor: str) -> bool:
    """Return whether a page has an anchor. Of another file, as a picture, nobody knows its anchors: it may."""
    if path.suffix != ".md":
        return True
    try:
        changed = path.stat()
        return anchor in _anchors(path, changed.st_mtime_ns, changed.st_size)
    except (OSError, UserError):
        return False


@lru_cache(maxsize=256)
def _anchors(path: Path, changed: int, size: int) -> frozenset[str]:
    """The anchors of a page as it was when it was changed last: pages share what they refer to."""
    return frozenset(read_page(path).anchors)


@rule_on(links, "link-moves", Severity.NOTE, EVERY)
def moves(link: Inline) -> Found:
    """A link targets a branch of somebody's copy of a repository, which changes and may disappear."""
    if _MOVING.match(link.target):
        yield link.span, "the link targets a branch, which changes", "link to a commit, or to a page next to this one"


@rule_on(links, "link-empty", Severity.WARNING, EVERY)
def empty(link: Inline) -> Found:
    """A link has no target, or no text."""
    if not link.target:
        yield link.span, "the link has no target", "give it a target"


RULES = (unresolved, unchecked, moves, empty)
