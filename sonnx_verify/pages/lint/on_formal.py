"""Rules on a page and the formal text beside it: each states what the other states, under one tag."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sonnx_verify.language import syntax as s
from sonnx_verify.language.sections import belongs
from sonnx_verify.pages.lint.beside import formal_beside
from sonnx_verify.pages.lint.finding import Found, Severity, rule_on
from sonnx_verify.pages.reading.families import sections_by_line
from sonnx_verify.pages.reading.kinds import TagKind
from sonnx_verify.pages.reading.page import Page, Section, tags_in
from sonnx_verify.pages.reading.tags import Tag

_STATED: tuple[str, ...] = (TagKind.RESTRICTION, TagKind.CONSTRAINT, TagKind.ERROR)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A family of the page that the formal text has too: its heading, its tags, and the clauses that hold of it."""

    heading: Section
    tags: list[Tag]
    clauses: list[s.Clause]


def _pairs(page: Page) -> Iterator[_Pair]:
    """The families that the page and the formal text both have."""
    file = formal_beside(page)
    if file is None:
        return
    stated = [clause for clause in file.clauses if clause.kind in _STATED]
    by_line = sections_by_line(page, file)
    for sections in page.by_family[1:]:
        lines = [line for line, found in by_line.items() if found is sections]
        if lines:
            tags = [tag for tag in tags_in(sections) if tag.kind in _STATED]
            # A clause without a family holds of every one, so every family of the page states it.
            own = [clause for clause in stated if any(belongs(file, clause, line) for line in lines)]
            yield _Pair(sections[0], tags, own)


@rule_on(_pairs, "clause-missing", Severity.ERROR)
def clause_missing(pair: _Pair) -> Found:
    """A tag of the page has no clause in the formal text that names the page: nothing verifies it."""
    known = {clause.tag for clause in pair.clauses}
    for tag in pair.tags:
        if tag.name not in known:
            yield tag.span, f"{tag.name} has no clause in the formal text", "write it there, or remove it here"


@rule_on(_pairs, "tag-missing", Severity.ERROR)
def tag_missing(pair: _Pair) -> Found:
    """A clause of the formal text has no tag in that family of the page, so readers do not learn of it."""
    known = {tag.name for tag in pair.tags}
    for clause in pair.clauses:
        if clause.tag not in known:
            message = f"[{clause.tag}] of the formal text is not on the page: {clause.title}"
            yield pair.heading.heading.span, message, f"state it under {pair.heading.short}"


@rule_on(_pairs, "tag-of-another-kind", Severity.ERROR)
def another_kind(pair: _Pair) -> Found:
    """A tag is a restriction on the page and a constraint in the formal text, or the like."""
    kinds = {clause.tag: clause.kind for clause in pair.clauses}
    for tag in pair.tags:
        # A tag without a clause is told by `clause-missing`, and once is enough.
        if kinds.get(tag.name, tag.kind) != tag.kind:
            yield tag.span, f"{tag.name} is a {kinds[tag.name]} in the formal text", "make the two agree"


RULES = (clause_missing, tag_missing, another_kind)
