"""Mends what findings say, where that is mechanical: on the bytes of a page, of which nothing else changes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from sonnx_verify.pages.lint.finding import Edit, Finding
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.page import Page, slug
from sonnx_verify.pages.reading.read import page_from

_ROUNDS = 20
"""The most rounds. A mend may make room for another one: a free name of an anchor, a bar at the end of a row."""
_BOM = "\ufeff"


def mended(name: str, data: bytes, path: Path | None = None) -> tuple[bytes, list[Finding], Page]:
    """The bytes of a page with all mends made, what was mended, and the page that they say then."""
    page, done = page_from(name, data, path), []
    for _ in range(_ROUNDS):
        now = _together(fixable(page, findings_of(page, slow=False)))
        changed = _with(data, [edit for finding in now for edit in finding.edits])
        if changed == data:
            break
        # Places have moved: what is left is looked for anew on the page as it is now.
        data, page = changed, page_from(name, changed, path)
        done += now
    return data, done, page


def fixable(page: Page, findings: list[Finding]) -> list[Finding]:
    """The findings that can be mended, each alone: its edits find the text that they replace. A heading that a link
    leads to keeps its name."""
    linked = {link.target[1:] for link in page.links if link.target.startswith("#")}
    # `#inputs-1` leads to the second heading `Inputs`. To rename the first would make it `#inputs`, so both are kept.
    stems = linked | {re.sub(r"-\d+$", "", target) for target in linked}
    kept = {s.heading.span.line for s in page.sections if slug(s.heading.cell.plain) in stems}
    return [finding for finding in findings if _can_be_made(finding.edits, kept)]


def _can_be_made(edits: Sequence[Edit], kept: set[int]) -> bool:
    """Return whether there are edits, none on a line that is kept, and each finds what it replaces."""
    return bool(edits) and all(edit.span.line not in kept and _stands(edit) for edit in edits)


def _stands(edit: Edit) -> bool:
    start = edit.span.column - 1
    return edit.span.source.line(edit.span.line)[start : start + edit.span.length] == edit.old


def _together(findings: list[Finding]) -> list[Finding]:
    """The mends that can be made at once: no edit touches another."""
    taken: dict[int, list[Edit]] = defaultdict(list)
    made = []
    for finding in findings:
        # All edits of a finding or none: half of a mend, as a bracket without its partner, is worse than the slip.
        if any(_touches_one(edit, taken[edit.span.line]) for edit in finding.edits):
            continue
        made.append(finding)
        for edit in finding.edits:
            taken[edit.span.line].append(edit)
    return made


def _touches_one(edit: Edit, others: Sequence[Edit]) -> bool:
    """Return whether an edit overlaps another one of its line, or meets it: of two insertions at one place, which comes
    first would be an accident."""
    start, end = edit.span.column, edit.span.column + edit.span.length
    return any(start <= other.span.column + other.span.length and other.span.column <= end for other in others)


def _with(data: bytes, edits: list[Edit]) -> bytes:
    """The bytes with some edits made. Line ends, a mark of the byte order and the encoding stay as they are."""
    try:
        text, encoding = data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        # Latin-1 gives every byte back as it was, whatever the encoding really is.
        text, encoding = data.decode("latin-1"), "latin-1"
    body = text.removeprefix(_BOM)
    mark = text[: len(text) - len(body)]
    # With the group, the ends of lines are kept between the lines: line n is at 2 * (n - 1).
    lines = re.split(r"(\r\n|\r|\n)", body)
    # From the end to the beginning: an edit leaves the columns before it as they were.
    for edit in sorted(edits, key=lambda e: (e.span.line, e.span.column), reverse=True):
        place, start = 2 * (edit.span.line - 1), edit.span.column - 1
        line = lines[place]
        lines[place] = line[:start] + edit.new + line[start + edit.span.length :]
    return (mark + "".join(lines)).encode(encoding)
