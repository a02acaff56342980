"""Rules on tags: their names, anchors and origins, and where they stand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from sonnx_verify.pages.lint.finding import Edit, Found, Severity, edit, rule, rule_on
from sonnx_verify.pages.lint.visits import sections, tags
from sonnx_verify.pages.reading.blocks import Cell, Inline
from sonnx_verify.pages.reading.kinds import InlineKind, SectionKind, TagKind, TagStyle
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.pages.reading.tags import NEW, OLD, Tag
from sonnx_verify.sources import Span

_DIGITS = 4
_STEP = 10
_FAMILIES = ("REAL", "FLOAT", "INT", "UINT", "BOOL")
_ELSEWHERE = re.compile(r"(?<![A-Z])(?:GR|R|C|E|T)\d+(?!\d)")
"""A tag of the old style in the name of an anchor, with whatever before and after it."""
_SAID = re.compile(rf"\W*({NEW.pattern}|{OLD.pattern})\W*")
"""The text of a link that is a tag."""
_NO_ORIGIN = re.compile(r"\W*(transient|todo|tbd|tbc|none|n/?a)\W*", re.IGNORECASE)
_DOTS = re.compile(r"[\s.…]*(\.{3}|…)[\s.…]*")


def _with_origins(page: Page) -> Iterator[tuple[Tag, Cell]]:
    """The tags that say where they come from, with that."""
    for tag in page.tags:
        if tag.origin is not None:
            yield tag, tag.origin


@rule("tag-duplicate", Severity.ERROR)
def duplicate(page: Page) -> Found:
    """A tag is defined twice in one place: in the old style in one section, in the new style anywhere."""
    seen: dict[object, Tag] = {}
    for section in page.sections:
        for tag in section.tags:
            # In the old style each family numbers its tags from 1; in the new one they have the family in them.
            key = tag.name if tag.style is TagStyle.NEW else (tag.name, id(section))
            first = seen.setdefault(key, tag)
            if first is not tag:
                yield tag.span, f"{tag.name} is already defined on line {first.span.line}", "renumber it"


@rule_on(tags, "tag-malformed", Severity.WARNING)
def malformed(tag: Tag) -> Found:
    """A tag does not follow its style: a letter instead of a number; in the new style, not four digits, small letters,
    `CONSTRAINT` instead of `CONSTR`, a number that is not a multiple of ten."""
    made = NEW.fullmatch(tag.name)
    if made is None:
        if not tag.number[0].isdigit():
            yield tag.span, f"{tag.name} has a letter instead of a number", "number tags from 1"
        return
    if problems := _problems(made):
        yield tag.span, f"{tag.name} has {', '.join(problems)}", "write it as E_OP_FAMILY_FUNC_0010"


def _problems(made: re.Match[str]) -> list[str]:
    """The oddities of a tag of the new style. Names of inputs and attributes in it are as ONNX writes them."""
    number, family, what = made["number"], made["family"] or "", made["what"].partition("_")[0]
    found = []
    if len(number) != _DIGITS:
        found.append(f"a number of {len(number)} digits")
    # Steps of ten leave room for a statement between two others, without a new number for all that follow.
    elif int(number) % _STEP:
        found.append(f"a number that is not a multiple of {_STEP}")
    if what.upper() not in ("FUNC", "CONSTR"):
        short = "FUNC" if what.upper().startswith("FUNC") else "CONSTR"
        found.append(f"{what} for {short}")
    if not family:
        found.append("no family")
    elif family.upper() not in _FAMILIES:
        found.append(f"{family} for a family")
    letters = made["operator"] + family + what
    if letters != letters.upper():
        found.append("small letters")
    return found


@rule("tag-of-another-operator", Severity.ERROR)
def another_operator(page: Page) -> Found:
    """A tag of the new style names a different operator than the page: the page may be a copy."""
    # A page whose headings name no operator may be about any: `family-missing` tells of that.
    if not page.operator:
        return
    for tag in page.tags:
        made = NEW.fullmatch(tag.name)
        if made and made["operator"].lower() != page.operator.lower():
            yield (
                tag.span,
                f"{tag.name} names {made['operator']}, but the page is about {page.operator}",
                "correct the tag",
            )


@rule("anchor-differs", Severity.ERROR)
def anchor_differs(page: Page) -> Found:
    """The anchor next to a tag has the name of another tag, so a link leads to the wrong statement. It may have more
    before and after the tag, as in `int-R1` and `C1ra`, or another name altogether; and another number, where the tags
    of a page begin anew with each input and its anchors do not."""
    linked = {link.target for link in page.links}
    taken = {*page.anchors, *(target.removeprefix("#") for target in linked)}
    often = Counter((tag.name, id(section.family)) for section in page.sections for tag in section.tags)
    anchors = Counter(anchor.target for anchor in page.text.inlines([InlineKind.ANCHOR]))
    families = {id(tag): id(section.family) for section in page.sections for tag in section.tags}
    for tag in page.tags:
        # The C3 of a second input may have the anchor C4: `C3` would be that of the first.
        restarts = often[tag.name, families[id(tag)]] > 1
        for anchor in tag.anchors:
            if not _is_of_another(anchor.target, tag) or (restarts and anchors[anchor.target] == 1):
                continue
            name = tag.name
            if tag.style is TagStyle.OLD:
                # `int-R2` with R1 becomes `int-R1`: what stands around the tag keeps families apart.
                name = _ELSEWHERE.sub(tag.name, anchor.target, count=1)
            made: tuple[Edit, ...] = ()
            # Only where no link leads to either: a link may be right, and the anchor of the other tag the wrong one.
            if name not in taken and f"#{anchor.target}" not in linked:
                made = edit(anchor.span, anchor.target, name)
            yield anchor.span, f"the anchor of {tag.name} is `{anchor.target}`", f'write id="{name}"', made
            taken.add(name)


def _is_of_another(anchor: str, tag: Tag) -> bool:
    """Return whether an anchor has a tag in its name, and not this one. One such as `definition` is of none."""
    if tag.style is TagStyle.NEW:
        return anchor != tag.name and anchor.lower().startswith("e_")
    named = _ELSEWHERE.findall(anchor)
    return bool(named or NEW.fullmatch(anchor)) and tag.name not in named


@rule("anchor-duplicate", Severity.ERROR)
def anchor_duplicate(page: Page) -> Found:
    """An anchor occurs twice on a page: links lead to the first, and none can lead to the other."""
    seen: dict[str, Inline] = {}
    for anchor in page.text.inlines([InlineKind.ANCHOR]):
        first = seen.setdefault(anchor.target, anchor)
        if first is not anchor:
            message = f"the anchor `{anchor.target}` is already on line {first.span.line}"
            yield anchor.span, message, "give it a unique name, with the family"


@rule("link-differs", Severity.ERROR)
def link_differs(page: Page) -> Found:
    """The text of a link is one tag, but it leads to another."""
    at: dict[str, str] = {}
    for tag in page.tags:
        for anchor in tag.anchors:
            at.setdefault(anchor.target, tag.name)
    for link in page.links:
        said, target = _SAID.fullmatch(link.text), link.target[1:]
        if said is None or not link.target.startswith("#"):
            continue
        # Of an anchor that stands with no tag, its own name may be a tag; of another name nobody knows what it marks.
        name = at.get(target, target)
        if target not in at and not NEW.fullmatch(target):
            continue
        # `int-C1` ends with the tag that the link says: families keep theirs apart so.
        if name != said[1] and not name.endswith((f"-{said[1]}", f"_{said[1]}")):
            yield link.span, f"the link says {said[1]} but leads to {name}", "correct one of them"


@rule("anchor-missing", Severity.NOTE)
def anchor_missing(page: Page) -> Found:
    """Some tags of a section have anchors and this one has none, so nothing can refer to it."""
    taken = set(page.anchors)
    for section in page.sections:
        old = [tag for tag in section.tags if tag.style is TagStyle.OLD]
        like = next((tag for tag in old if tag.anchors), None)
        if like is None:
            continue
        for tag in old:
            # General restrictions are defined elsewhere, and steps of a function are cited in the function alone.
            if tag.anchors or tag.kind in (TagKind.GENERAL_RESTRICTION, TagKind.FUNCTION):
                continue
            name = _anchor_like(like, tag)
            made: tuple[Edit, ...] = ()
            if name not in taken:
                made = _anchored(tag, name)
            yield tag.span, f"{tag.name} has no anchor, but others have one", f'add <a id="{name}"></a>', made
            taken.add(name)


def _anchor_like(other: Tag, tag: Tag) -> str:
    """The name that an anchor of a tag has if it is like that of another tag: beside `int-R1` it is `int-R2`."""
    before, found, after = other.anchors[0].target.partition(other.name)
    if not found:
        return tag.name
    return f"{before}{tag.name}{after}"


def _anchored(tag: Tag, name: str) -> tuple[Edit, ...]:
    """The edit that puts an anchor behind a tag, where that is alone in code or brackets."""
    line = tag.span.source.line(tag.span.line)
    pattern = re.compile(rf"`?[\[(]?`?{re.escape(tag.name)}`?[\])]?`?(?=[\s|]|$)")
    # Marks may stand before the span of a tag: a back-tick and a bracket.
    found = pattern.search(line, max(0, tag.span.column - 3))
    # Inside of HTML an anchor might come to stand in the attribute of another element.
    if found is None or re.search(r"[<>]", line[: found.end()]):
        return ()
    place = Span(tag.span.source, tag.span.line, found.end() + 1, 0)
    return (Edit(place, "", f' <a id="{name}"></a>'),)


@rule_on(tags, "tag-unclosed", Severity.WARNING)
def unclosed(tag: Tag) -> Found:
    """A mark with a tag begins a statement, but no mark with END ends it: its extent is unknown."""
    if not tag.closed:
        yield tag.span, f"{tag.name} has no end mark", "end it with the same mark and [END]"


@rule("tag-brackets", Severity.NOTE)
def brackets(page: Page) -> Found:
    """Most tags of a page are in brackets, but this one is not."""
    old = [tag for tag in page.tags if tag.style is TagStyle.OLD and tag.kind is not TagKind.FUNCTION]
    without = [tag for tag in old if not tag.written.startswith("[")]
    # A page that has brackets nowhere is consistent: only the smaller part is told.
    if len(without) * 2 >= len(old):
        return
    for tag in without:
        written = tag.written.strip()
        made: tuple[Edit, ...] = ()
        if re.fullmatch(r"\(?\w+\)?", written):
            made = edit(tag.span, written, f"[{tag.name}]")
        yield tag.span, f"{tag.name} is written without brackets, unlike others", f"write [{tag.name}]", made


@rule_on(tags, "origin-missing", Severity.WARNING)
def origin_missing(tag: Tag) -> Found:
    """A restriction does not say where it comes from. Restrictions are made by the profile: each has a reason."""
    if tag.kind is not TagKind.RESTRICTION:
        return
    # A cell with a dash in it says no origin either.
    if tag.origin is None or not re.search(r"\w{2}", tag.origin.plain):
        yield tag.span, f"{tag.name} has no origin", "name its origin: a general restriction, a standard"


@rule_on(_with_origins, "origin-transient", Severity.NOTE)
def origin_transient(of: tuple[Tag, Cell]) -> Found:
    """An origin is a placeholder that says that there is none yet."""
    tag, origin = of
    if _NO_ORIGIN.fullmatch(origin.plain):
        yield origin.span, f"the origin of {tag.name} is `{origin.plain}`", "name its origin"


@rule_on(sections, "tag-in-another-section", Severity.WARNING)
def elsewhere(section: Section) -> Found:
    """A restriction, an error or a constraint is placed in a section for something else."""
    for tag in section.tags:
        if section.within in _FOREIGN.get(tag.kind, ()):
            article = "an" if tag.kind is TagKind.ERROR else "a"
            yield tag.span, f"{tag.name} is {article} {tag.kind}, in the section `{section.short}`", "move it"


_FOREIGN = {
    TagKind.RESTRICTION: (SectionKind.ERRORS, SectionKind.SIGNATURE, SectionKind.EXAMPLES),
    TagKind.CONSTRAINT: (SectionKind.ERRORS, SectionKind.RESTRICTIONS, SectionKind.EXAMPLES),
    TagKind.ERROR: (
        SectionKind.RESTRICTIONS,
        SectionKind.INPUTS,
        SectionKind.OUTPUTS,
        SectionKind.ATTRIBUTES,
        SectionKind.EXAMPLES,
    ),
}
"""The sections in which a tag of a kind is out of place. Constraints of an input stand with it, so not among these."""


@rule_on(_with_origins, "restriction-cites-another", Severity.ERROR)
def cites_another(of: tuple[Tag, Cell]) -> Found:
    """A restriction cites a general restriction that is about something else."""
    tag, origin = of
    for name in dict.fromkeys(re.findall(r"\bGR\d+\b", origin.plain)):
        words, about = _GENERAL.get(name, ("", ""))
        # The empty pattern of one that is not known is found everywhere.
        if not re.search(words, tag.statement.plain, re.IGNORECASE):
            message = f"{tag.name} cites {name}, which is about {about}"
            yield origin.span, message, "cite the one that it follows from, or none"


_GENERAL = {
    "GR1": ("sparse|dense", "sparse tensors"),
    "GR2": ("type", "explicit types"),
    "GR3": ("conver|cast|type", "implicit conversion"),
    "GR4": ("default|attribute|given", "default values"),
}
"""The general restrictions: words of which one stands in what follows from it, and its subject."""


@rule("tags-elided", Severity.ERROR)
def elided(page: Page) -> Found:
    """A table of tags ends with dots: the tags left out are stated nowhere."""
    for block in page.text.blocks:
        for row in block.rows[1:]:
            if row and _DOTS.fullmatch(row[0].plain):
                yield row[0].span, "the list of tags is not complete", "state it for every axis at once"


RULES = (
    duplicate,
    malformed,
    another_operator,
    anchor_differs,
    anchor_duplicate,
    link_differs,
    anchor_missing,
    unclosed,
    brackets,
    origin_missing,
    origin_transient,
    elsewhere,
    cites_another,
    elided,
)
