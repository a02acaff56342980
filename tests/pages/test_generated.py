"""Pages composed at random are read as they were composed, and mending changes what it says alone."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_verify.pages.lint.mend import mended
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.kinds import InlineKind
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import page_from

SEEDS = st.integers(0, 1 << 32)


def _generate() -> ModuleType:
    import sys

    spec = importlib.util.spec_from_file_location("generate_pages", Path(__file__).with_name("generate.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


generate = _generate()


def tags_of(page: Page) -> list[tuple[str, str, str, int]]:
    return [(tag.name, tag.kind.value, tag.style.value, tag.span.line) for tag in page.tags]


@settings(max_examples=40)
@given(SEEDS)
def test_what_was_composed_is_read(seed: int) -> None:
    made = generate.composed(seed)
    page = page_from("page.md", made.text.encode())

    assert tags_of(page) == made.tags
    assert page.operator == made.operator
    assert [re.sub(r"\W+", " ", f.title).strip() for f in page.families] == [
        re.sub(r"\W+", " ", title).strip() for title in made.families
    ]
    assert [(s.heading.span.line, s.kind) for s in page.sections if s.title] == made.sections
    assert [(i.span.line, i.target) for i in page.links] == made.links
    assert [i.target for i in page.text.inlines([InlineKind.ANCHOR])] == made.anchors


@settings(max_examples=40)
@given(SEEDS)
def test_every_finding_has_a_place(seed: int) -> None:
    page = page_from("page.md", generate.composed(seed).text.encode())
    for finding in findings_of(page, slow=False):
        line = page.source.line(finding.span.line)
        assert 1 <= finding.span.column <= len(line) + 1, finding


@settings(max_examples=15)
@given(SEEDS, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.booleans())
def test_mending(seed: int, ends: str, mark: bool, latin: bool) -> None:
    """The second time nothing is left to mend; nothing new is found; the tags are the same; line ends, the mark of the
    byte order and the encoding stay."""
    text = generate.composed(seed).text.replace("Exact.", "Exact, caf\xe9.") + "\nThe lenght of an additionnal axis.\n"
    data = text.replace("\n", ends).encode("latin-1" if latin else "utf-8-sig" if mark else "utf-8")
    before = page_from("page.md", data)
    changed, done, page = mended("page.md", data)

    assert done
    assert mended("page.md", changed)[:2] == (changed, [])
    assert tags_of(page) == tags_of(before)
    assert changed.startswith(b"\xef\xbb\xbf") == (mark and not latin)
    assert changed.count(b"\r") == data.count(b"\r")
    assert changed.count(b"\n") == data.count(b"\n")
    assert changed.count(b"\xe9") == data.count(b"\xe9")
    touched = {f.span.line for f in done}
    for number, (old, new) in enumerate(
        zip(before.source.text.split("\n"), page.source.text.split("\n"), strict=True), 1
    ):
        assert old == new or number in touched
    known = {(f.rule, f.span.line) for f in findings_of(before, slow=False)}
    assert {(f.rule, f.span.line) for f in findings_of(page, slow=False)} <= known


@pytest.mark.parametrize("seed", range(3))
def test_a_seed_gives_one_page(seed: int) -> None:
    assert generate.composed(seed) == generate.composed(seed)
