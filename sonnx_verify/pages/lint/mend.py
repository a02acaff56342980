"""Mends what findings say, where that is mechanical: on the bytes of a page, of which nothing else changes."""

from __future__ import annotations

import re
from pathlib import Path

from sonnx_verify.pages.lint.finding import Edit, Finding
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.page import Page, slug
from sonnx_verify.pages.reading.read import page_from

_ROUNDS = 20
"""A mend may make room for another one, as where the name of an anchor becomes free; so often at most."""
_BOM = "\ufeff"


def mended(name: str, data: bytes, path: Path | None = None) -> tuple[bytes, list[Finding], Page]:
    """The bytes of a page with all mends made, what was mended, and the page that they say then."""
    page, done = page_from(name, data, path), []
    for _ in range(_ROUNDS):
        now = _together(fixable(page, findings_of(page, slow=False)))
        changed = _with(data, [edit for finding in now for edit in finding.edits])
        if changed == data:
            break
        data, page = changed, page_from(name, changed, path)
        done += now
    return data, done, page


def fixable(page: Page, findings: list[Finding]) -> list[Finding]:
    """Those of the findings that can be mended, each alone: what its edits replace stands there. Headings that links
    lead to keep their names."""
    linked = {link.target[1:] for link in page.links if link.target.startswith("#")}
    stems = linked | {re.sub(r"-\d+$", "", target) for target in linked}
    kept = {s.heading.span.line for s in page.sections if slug(s.heading.cell.plain) in stems}
    return [
        finding
        for finding in findings
        if finding.edits and all(e.span.line not in kept and _stands(e) for e in finding.edits)
    ]


def _together(findings: list[Finding]) -> list[Finding]:
    """As many of them as can be mended at once: no edit touches another."""
    taken: dict[int, list[tuple[int, int]]] = {}
    made = []
    for finding in findings:
        places = [(e.span.line, e.span.column - 1, e.span.column - 1 + e.span.length) for e in finding.edits]
        if all(end < a or b < start for line, start, end in places for a, b in taken.get(line, ())):
            made.append(finding)
            for line, start, end in places:
                taken.setdefault(line, []).append((start, end))
    return made


def _stands(edit: Edit) -> bool:
    start = edit.span.column - 1
    return edit.span.source.line(edit.span.line)[start : start + edit.span.length] == edit.old


def _with(data: bytes, edits: list[Edit]) -> bytes:
    """The bytes with some edits made. Line ends, a mark of the byte order and the encoding stay as they are."""
    if not edits:
        return data
    try:
        text, encoding = data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        text, encoding = data.decode("latin-1"), "latin-1"
    mark = _BOM if text.startswith(_BOM) else ""
    lines = re.split(r"(\r\n|\r|\n)", text.removeprefix(_BOM))
    for edit in sorted(edits, key=lambda e: (e.span.line, e.span.column), reverse=True):
        place, start = 2 * (edit.span.line - 1), edit.span.column - 1
        line = lines[place]
        lines[place] = line[:start] + edit.new + line[start + edit.span.length :]
    return (mark + "".join(lines)).encode(encoding)
