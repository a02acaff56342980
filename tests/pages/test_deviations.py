"""Pages that deviate as real ones do, one deviation each: what is read of them, what is found, and what is mended."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

import pytest

from sonnx_verify.pages.lint.mend import mended
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import read_page

HERE = Path(__file__).with_name("deviations")
CASES = sorted(path.stem for path in HERE.glob("*.md"))


def model_of(page: Page) -> list[str]:
    """What is read of a page, line by line."""
    made = [f"operator {page.operator}"]
    for section in page.sections:
        family = section.family.title if section.family is not None and section.family is not section else "-"
        place = f"{section.heading.span.line} {section.kind or '-'} ({section.within or '-'})"
        made.append(f"section {place} in {family}: {section.title}")
    for tag in page.tags:
        anchors = " ".join(a.target for a in tag.anchors)
        origin = "" if tag.origin is None else f" <- {tag.origin.plain}"
        place = f"{tag.span.line}:{tag.span.column}"
        made.append(f"tag {place} {tag.style} {tag.kind} {tag.written} [{anchors}]: {tag.statement.text}{origin}")
    made += [f"link {i.span.line}:{i.span.column} {i.text!r} to {i.target}" for i in page.links]
    return made


@pytest.mark.parametrize("name", CASES)
def test_page(name: str) -> None:
    """Golden: the model, the findings, the mends. `SONNX_REWRITE_GOLDEN=1` writes it anew."""
    path = HERE / f"{name}.md"
    page = read_page(path, f"{name}.md")
    found = [f"{f.span.line}:{f.span.column} {f.severity} {f.rule}: {f.message}" for f in findings_of(page)]
    changed, _, after = mended(f"{name}.md", path.read_bytes(), path)
    old, new = page.source.text.splitlines(), after.source.text.splitlines()
    mends = [line for line in difflib.unified_diff(old, new, n=0, lineterm="") if line[:3] not in ("---", "+++")]
    told = "\n".join([*model_of(page), "", *found, "", *mends]).rstrip() + "\n"
    golden = HERE / f"{name}.txt"
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        golden.write_text(told, "utf-8")

    assert told == golden.read_text("utf-8")
    assert mended(f"{name}.md", changed, path)[:2] == (changed, [])
