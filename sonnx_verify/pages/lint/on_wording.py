"""Rules on wording: sentences that leave open what they say, or say it in the wrong place."""

from __future__ import annotations

import re
from itertools import pairwise

from sonnx_verify.pages.lint.finding import Found, Severity, rule, rule_on
from sonnx_verify.pages.lint.visits import (
    cells_below_headings,
    cells_of_families,
    families,
    formulas,
    in_cells,
    tags,
)
from sonnx_verify.pages.reading.blocks import Cell
from sonnx_verify.pages.reading.kinds import InlineKind, SectionKind, TagKind
from sonnx_verify.pages.reading.latex import MOST_CHARACTERS
from sonnx_verify.pages.reading.page import Page, Section, cells_of, tags_in
from sonnx_verify.pages.reading.signature import based_on, signature_of
from sonnx_verify.pages.reading.symbols import place_in
from sonnx_verify.pages.reading.tags import Tag

_FLOATS = re.compile(r"\bfloat|\bdouble|\breal\b|\btype\b|\bfp(?:16|32|64)|\bany\b", re.IGNORECASE)
_ORDERED = re.compile(r"\b(?:NaN|inf(?:inity)?)\s*[<>]|[<>]\s*[-+]?\s*(?:NaN|inf(?:inity)?)\b", re.IGNORECASE)
_TYPES = re.compile(r"\b(?:u?int(?:8|16|32|64)|float16|bfloat16|double)\b")
_OPEN = re.compile(r"\b(such as|for example|for instance|e\.g\.|etc\b|and so on)", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"\b(?:mathematical|usual|common|standard|natural|obvious) (?:definition|meaning|sense|order)\b", re.IGNORECASE
)
_INDEX = re.compile(
    r"\b(?:any|each|every|all)\s+(?:tensor\s+)?(?:index|indices|indexes)\s+"
    r"(?:\$[a-z]\$|[a-z]\b)(?!\s*(?:of|in|with|\\in|=))"
)
_RELATION = re.compile(
    r"\bbroadcast|\bsame (?:shape|size|rank|type)|\bcompatible\b|\bequal (?:shape|size|rank)", re.IGNORECASE
)
_APPLIES = re.compile(r"\bb(?:roa|oar)dcast\w*\b.*\b(?:appl|respect|hold)|\b(?:shall|must) be broadcast", re.IGNORECASE)
"""Words that say that inputs broadcast. That they have one shape may well be a restriction."""
_LEAVES_OUT = re.compile(
    r"\b(?:(?:is|are) (?:not supported|only supported|unsupported|restricted to|limited to)|only supports?)\b",
    re.IGNORECASE,
)
_PROSE = (
    SectionKind.SIGNATURE,
    SectionKind.FUNCTION,
    SectionKind.INPUTS,
    SectionKind.OUTPUTS,
    SectionKind.ATTRIBUTES,
)
_GIVEN = (SectionKind.RESTRICTIONS, SectionKind.ERRORS, SectionKind.INPUTS)
"""The sections with conditions on what is given."""
_TAG = re.compile(r"\b(?:GR|R)\d+\b")
_ELIDED = re.compile(r"[_^]\{?[a-z](?:\s*,\s*[a-z])+\s*,?\s*(?:\.{3}|\\l?dots)\s*\}")
_LIBRARY = re.compile(r"\b(numpy|pytorch|tensorflow)\b", re.IGNORECASE)
_NEWEST = re.compile(r"onnx__\w+\.html$")
"""The end of the address of ONNX's page of an operator, which opens with the newest version."""


@rule_on(families, "order-in-another-family", Severity.WARNING)
def another_family(sections: list[Section]) -> Found:
    """An order with NaN or infinities is given in a family of integers, which have neither: it is missing for floats,
    or nobody looks for it here."""
    # A family for any type has floats too.
    if _FLOATS.search(sections[0].title):
        return
    for cell in cells_of(sections):
        if _ORDERED.search(cell.plain):
            message = f"an order of special values is given under {sections[0].short}, which has none"
            yield cell.span, message, "state it in the family of floats"


@rule_on(cells_of_families, "list-open", Severity.WARNING)
def open_list(cell: Cell) -> Found:
    """A sentence names types as examples: it does not say which others it means."""
    for sentence in re.split(r"(?<=[.;])\s+", cell.plain):
        found = _OPEN.search(sentence)
        # "for example int8" illustrates; "types such as int8 and int16" is a list that somebody has to complete.
        if found and len(_TYPES.findall(sentence)) > 1:
            yield cell.span, f"`{found[1]}` leaves open which types are meant", "list all of them"


@rule_on(in_cells(cells_of_families, _ELSEWHERE), "meaning-elsewhere", Severity.NOTE)
def elsewhere(at: tuple[Cell, re.Match[str]]) -> Found:
    """A meaning is left to a definition that is not given: `the mathematical definition` does not cover NaN, both
    zeros, or empty input."""
    cell, found = at
    yield cell.span, f"`{found[0]}` is not defined here", "state it, for all values of the type"


@rule_on(cells_below_headings, "index-of-which", Severity.WARNING)
def of_which(cell: Cell) -> Found:
    """A sentence is about any index, but does not say of which tensor: it has no range."""
    # The words of a link are read as others are: "any [index](#index) of X".
    text = re.sub(r"\]\([^)]*\)", "]", cell.text).replace("[", "").replace("]", "")
    if found := _INDEX.search(text):
        yield cell.span, f"`{found[0].strip()}` does not say which tensor is meant", "name the tensor, or the range"


@rule("indices-elided", Severity.WARNING)
def elided(page: Page) -> Found:
    """A list of indices ends with dots: what holds of a tensor with fewer dimensions, or with more, is left to the
    reader."""
    # Told once, and of a formula that is too long to be read too: its beginning shows the habit.
    for formula in formulas(page):
        if found := _ELIDED.search(formula.text[:MOST_CHARACTERS]):
            place = place_in(formula.span, formula.text, found.start())
            yield place, "the indices end with dots", "write them for a rank that has a name: $i_0, \\ldots, i_{n-1}$"
            return


@rule_on(tags, "restriction-as-constraint", Severity.WARNING)
def as_constraint(tag: Tag) -> Found:
    """A restriction asks that inputs broadcast. Restrictions leave something out of the standard; a requirement of the
    standard itself is a constraint, with its error."""
    if tag.kind is TagKind.RESTRICTION and _APPLIES.search(tag.statement.plain):
        message = f"{tag.name} is about how tensors broadcast: that is a constraint"
        yield tag.span, message, "state it as a constraint of the inputs"


def _prose(page: Page) -> list[Section]:
    """The sections of families in which something is said of the operator: their own, and those below one of them."""
    return [s for s in page.in_families if s.kind in _PROSE or s.within is not SectionKind.OTHER]


@rule_on(_prose, "restriction-hidden", Severity.WARNING)
def hidden(section: Section) -> Found:
    """A sentence outside of the tags leaves something out of what ONNX allows: a restriction that has no tag, no origin
    and no place in the table."""
    stated: set[tuple[int, int]] = set()
    for tag in section.tags:
        for cell in tag.cells:
            stated |= _places(cell)
    for cell in section.cells:
        found = _LEAVES_OUT.search(cell.plain)
        # A sentence that cites a restriction, "by R1 it is not supported", repeats it.
        if found and stated.isdisjoint(_places(cell)) and not _TAG.search(cell.plain):
            message = f"`{found[0]}` restricts ONNX in prose"
            yield cell.span, message, "make it a restriction with a tag, or cite one"


def _places(cell: Cell) -> set[tuple[int, int]]:
    """The places of the pieces of a cell. The cell of a tag is another one than that of its item: it has its pieces."""
    return {(inline.span.line, inline.span.column) for inline in cell.inlines}


@rule_on(families, "condition-on-output", Severity.WARNING)
def on_output(sections: list[Section]) -> Found:
    """A condition on the input names the output, which does not exist yet: it reads as a demand on the result, and does
    not define it."""
    signature = signature_of(sections)
    if signature is None:
        return
    for tag in tags_in(section for section in sections if section.kind in _GIVEN):
        names = {inline.text.strip() for inline in tag.statement.of(InlineKind.CODE, InlineKind.MATH)}
        output = next((name for name in signature.outputs if name in names), None)
        # Other conditions may speak of the output to say what they are for.
        if output is not None and _RELATION.search(tag.statement.plain):
            message = f"{tag.name} names {output}, which is the output"
            yield tag.span, message, f"say which inputs are allowed, and what the shape of {output} is"


@rule("heading-skips", Severity.NOTE)
def skips(page: Page) -> Found:
    """A heading is more than one level below the one before it: outlines and readers' tools miss a level."""
    for before, section in pairwise(page.sections):
        level = before.heading.level
        # A page may begin with any level. What stands before its first heading has level 0.
        if level and section.heading.level > level + 1:
            yield section.heading.span, f"`{section.short}` skips a level", f"give it {level + 1} signs"


@rule("version-link", Severity.NOTE)
def version_link(page: Page) -> Found:
    """The page is based on a version of an operator, but links to a page that opens with the newest."""
    based = page.once(based_on)
    if based is None:
        return
    for link in page.links:
        # In a family a link may lead to another operator, as for what it means.
        if page.families and link.span.line >= page.families[0].heading.span.line:
            continue
        if _NEWEST.search(link.target):
            yield link.span, f"the link leads to the newest version, not to {based.version}", "link to that version"
            return


@rule_on(tags, "origin-of-another", Severity.NOTE)
def origin(tag: Tag) -> Found:
    """A tag comes from the documentation of another library: ONNX may differ from it."""
    if tag.origin is None:
        return
    # The words may be `documentation`, and the link behind them leads to numpy's.
    words = " ".join([tag.origin.plain, *(link.target for link in tag.origin.of(InlineKind.LINK))])
    if found := _LIBRARY.search(words):
        yield tag.span, f"the origin of {tag.name} is {found[1].lower()}", "cite ONNX"


RULES = (
    another_family,
    open_list,
    elsewhere,
    of_which,
    elided,
    as_constraint,
    hidden,
    on_output,
    skips,
    version_link,
    origin,
)
