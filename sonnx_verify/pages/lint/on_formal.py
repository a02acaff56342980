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
        known = {clause.tag for clause in clauses}
        for tag in tags:
            if tag.name not in known:
                yield tag.span, f"{tag.name} has no clause in the formal text", "write it there, or remove it here"


@rule("tag-missing", Severity.ERROR)
def tag_missing(page: Page) -> Found:
    """A clause of the formal text has no tag in that family of the page, so that readers do not learn of it."""
    for family, tags, clauses in _pairs(page):
        known = {tag.name for tag in tags}
        for clause in clauses:
            if clause.tag not in known:
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
    if file is None:
        return
    names = {name for name, *_ in families(file)}
    stated = [clause for clause in file.clauses if clause.kind in _STATED]
    for sections in page.by_family[1:]:
        name = sections[0].title.partition("(")[2].rstrip(") ").partition(",")[0].strip()
        if name in names:
            every = [tag for section in sections for tag in section.tags]
            tags = [tag for tag in every if tag.kind in _STATED]
            yield sections[0], tags, [clause for clause in stated if clause.family in ("", name)]


def formal_beside(page: Page) -> s.File | None:
    """The formal text beside a page, where there is one that names it. What is wrong with it, `check` says."""
    if page.path is None:
        return None
    beside = page.path.with_suffix(".sonnx")
    if not beside.is_file():
        return None
    with suppress(UserError):
        file = parse(read_source(beside))
        if file.page is not None and file.page.name == page.path.name:
            return file
    return None


RULES = (clause_missing, tag_missing, another_kind)
