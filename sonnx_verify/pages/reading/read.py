"""Files as pages.

The bytes of any file go in, a page comes out. No file makes this fail: what cannot be read is a problem of the page,
with its place. Only a file that is not there, or may not be opened, raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from sonnx_verify.errors import MissingFile
from sonnx_verify.pages.reading import labels
from sonnx_verify.pages.reading.blocks import Text
from sonnx_verify.pages.reading.kinds import PageForm
from sonnx_verify.pages.reading.markdown import read_markdown
from sonnx_verify.pages.reading.page import Page, page_of
from sonnx_verify.pages.reading.plain import read_plain
from sonnx_verify.pages.reading.rst import read_rst
from sonnx_verify.sources import Source, Span

# A page is far smaller: a longer file is none, and would take minutes to read.
MOST_BYTES = 2 << 20
MOST_LINES = 50_000
"""A page that has more is not read."""


def read_page(path: Path, shown: str | None = None) -> Page:
    """The page of a file. Raises MissingFile where there is none, or none that may be read."""
    name = shown or path.as_posix()
    return page_from(name, page_bytes(path, name), path)


def page_bytes(path: Path, shown: str | None = None) -> bytes:
    """The bytes of a file, of one that is too long no more than shows that. Raises MissingFile."""
    name = shown or path.as_posix()
    try:
        if not path.is_file():
            raise MissingFile(f"{name} is not a file", cure="name a page")
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as problem:
        raise MissingFile(
            f"{name} cannot be read: {problem.strerror}", cure="check the path and its permissions"
        ) from None


def page_from(name: str, data: bytes, path: Path | None = None) -> Page:
    """The page that some bytes say."""
    if len(data) > MOST_BYTES:
        return _unread(name, f"it has more than {MOST_BYTES} bytes, and is not read", path)
    # No text has such bytes: the file is an image, an archive, or in another encoding.
    if b"\0" in data:
        return _unread(name, "it has NUL bytes: it is not text", path)
    problem, line = "", 1
    # Pages come from many editors: bytes that are no UTF-8 are most often Latin-1, in which any byte is a character.
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("latin-1")
        before = data[: error.start]
        # "\r\n" ends one line, and has been counted twice.
        line = 1 + before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
        problem = f"it is not UTF-8: byte {error.start} is {data[error.start]:#x}; it is read as Latin-1"
    source = Source(name, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
    if not source.text.strip("\ufeff \t\n"):
        return _unread(name, "it is empty", path)
    if source.text.count("\n") >= MOST_LINES:
        return _unread(name, f"it has more than {MOST_LINES} lines, and is not read", path)
    made = _READERS[form_of(name, source.text)](source)
    if problem:
        made.problems.append((Span(source, line, 1), problem))
    return page_of(made, path)


_READERS: dict[PageForm, Callable[[Source], Text]] = {
    PageForm.MARKDOWN: read_markdown,
    PageForm.RST: read_rst,
    PageForm.PLAIN: read_plain,
}
_SUFFIXES = {
    ".md": PageForm.MARKDOWN,
    ".markdown": PageForm.MARKDOWN,
    ".rst": PageForm.RST,
    ".rest": PageForm.RST,
}
_MARKED = re.compile(r"^(?:#{1,6} |```|\|.*\|\s*$)", re.MULTILINE)
_BULLET = re.compile(r"^\s*[•‣◦●]\s", re.MULTILINE)
_RST = re.compile(r"^\.\. (?:_[^:\n]+:|[\w-]+::)|^([=~^\"'#*+-])\1{2,}\n[^\n]+\n\1{3,}$", re.MULTILINE)


def form_of(name: str, text: str) -> PageForm:
    """The form of a page, by its name or else by its text: reStructuredText has directives, targets or titles between
    two rules; plain text has the versions of an operator as lines that stand alone, and bullets, or neither headings
    nor fences of Markdown."""
    suffix = Path(name).suffix.lower()
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if _RST.search(text):
        return PageForm.RST
    has_versions = any(labels.VERSION.match(line) for line in text.split("\n"))
    if has_versions and (_BULLET.search(text) or not _MARKED.search(text)):
        return PageForm.PLAIN
    return PageForm.MARKDOWN


def _unread(name: str, why: str, path: Path | None) -> Page:
    source = Source(name, "")
    return page_of(Text(source, PageForm.MARKDOWN, problems=[(Span(source, 1, 1), why)]), path)
