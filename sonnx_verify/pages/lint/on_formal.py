"""Rules on a page and the formal text beside it: each states what the other states, under one tag."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from sonnx_verify.errors import UserError, read_source
from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import families
from sonnx_verify.language.parser import parse
from sonnx_verify.pages.lint.finding import Found, Severity, rule
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.pages.reading.tags import Tag

_STATED = ("restriction", "constraint", "error")


@rule("clause-missing", Severity.ERROR)
def clause_missing(page: Page) -> Found:
    """A tag of the page has no clause in the formal text beside it that names the page: nothing verifies it."""
    for _, tags, clauses in _pairs(page):
        for tag in tags:
            if tag.name not in {clause.tag for clause in clauses}:
                yield tag.span, f"{tag.name} has no clause in the formal text", "write it there, or remove it here"


@rule("tag-missing", Severity.ERROR)
def tag_missing(page: Page) -> Found:
    """A clause of the formal text has no tag in that family of the page, so that readers do not learn of it."""
    for family, tags, clauses in _pairs(page):
        for clause in clauses:
            if clause.tag not in {tag.name for tag in tags}:
                message = f"[{clause.tag}] of the formal text is not on the page: {clause.title}"
                yield family.heading.span, message, f"state it under {family.short}"


@rule("tag-of-another-kind", Severity.ERROR)
def another_kind(page: Page) -> Found:
    """A tag is a restriction on the page and a constraint in the formal text, or the like."""
    for _, tags, clauses in _pairs(page):
        kinds = {clause.tag: clause.kind for clause in clauses}
        for tag in tags:
            if kinds.get(tag.name, tag.kind) != tag.kind:
                yield tag.span, f"{tag.name} is a {kinds[tag.name]} in the formal text", "make them one"


def _pairs(page: Page) -> Iterator[tuple[Section, list[Tag], list[s.Clause]]]:
    """Each family of the page that the formal text has too, with its tags and its clauses."""
    file = formal_beside(page)
    names = {name for name, *_ in families(file)} if file is not None else set()
    for sections in page.by_family[1:]:
        name = sections[0].title.partition("(")[2].rstrip(") ").partition(",")[0].strip()
        if file is not None and name in names:
            tags = [t for section in sections for t in section.tags if t.kind in _STATED]
            yield sections[0], tags, [c for c in file.clauses if c.family in ("", name) and c.kind in _STATED]


def formal_beside(page: Page) -> s.File | None:
    """The formal text beside a page, where there is one that names it. What is wrong with it, `check` says."""
    if page.path is not None and (beside := page.path.with_suffix(".sonnx")).is_file():
        with suppress(UserError):
            file = parse(read_source(beside))
            if file.page is not None and file.page[0] == page.path.name:
                return file
    return None


RULES = (clause_missing, tag_missing, another_kind)
