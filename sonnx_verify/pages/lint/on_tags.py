"""Rules on tags: their names, anchors and origins, and where they stand."""

from __future__ import annotations

import re

from sonnx_verify.pages.lint.finding import Edit, Found, Severity, edit, rule
from sonnx_verify.pages.reading.blocks import Inline
from sonnx_verify.pages.reading.kinds import InlineKind, SectionKind
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.pages.reading.tags import NEW, OLD, Tag

_DIGITS = 4
_STEP = 10
_FAMILIES = ("REAL", "FLOAT", "INT", "UINT", "BOOL")
_ELSEWHERE = re.compile(r"(?<![A-Z])(?:GR|R|C|E|T)\d+(?!\d)")
"""A tag of the old style in the name of an anchor, with whatever before and after it."""


@rule("tag-duplicate", Severity.ERROR)
def duplicate(page: Page) -> Found:
    """A tag is defined twice in one place: in the old style in one section, in the new style anywhere."""
    seen: dict[object, Tag] = {}
    for section in page.sections:
        for tag in section.tags:
            key = tag.name if tag.style == "new" else (tag.name, id(section))
            first = seen.setdefault(key, tag)
            if first is not tag:
                yield tag.span, f"{tag.name} is defined on line {first.span.line} already", "number it anew"


@rule("tag-malformed", Severity.WARNING)
def malformed(page: Page) -> Found:
    """A tag is not written as its style has it: a letter for a number; in the new style another count of digits than
    four, small letters, `CONSTRAINT` for `CONSTR`, a number that is no multiple of ten."""
    for tag in page.tags:
        made = NEW.fullmatch(tag.name)
        if made is None:
            if not tag.number[0].isdigit():
                yield tag.span, f"{tag.name} has a letter for a number", "number tags from 1"
            continue
        problems = _problems(made)
        if problems:
            yield tag.span, f"{tag.name} has {', '.join(problems)}", "write it as E_OP_FAMILY_FUNC_0010"


def _problems(made: re.Match[str]) -> list[str]:
    """The oddities of a tag of the new style. Names of inputs and attributes in it are as ONNX writes them."""
    found = []
    if len(made["number"]) != _DIGITS:
        found.append(f"a number of {len(made['number'])} digits")
    elif int(made["number"]) % _STEP:
        found.append(f"a number that is no multiple of {_STEP}")
    what = made["what"].partition("_")[0]
    if what.upper() not in ("FUNC", "CONSTR"):
        found.append(f"{what} for {'FUNC' if what.upper().startswith('FUNC') else 'CONSTR'}")
    family = made["family"] or ""
    if not family:
        found.append("no family")
    elif family.upper() not in _FAMILIES:
        found.append(f"{family} for a family")
    if any(part != part.upper() for part in (made["operator"], family, what)):
        found.append("small letters")
    return found


@rule("tag-of-another-operator", Severity.ERROR)
def another_operator(page: Page) -> Found:
    """A tag of the new style names another operator than the page: the page may have been copied from that one's."""
    for tag in page.tags:
        made = NEW.fullmatch(tag.name)
        if made and page.operator and made["operator"].lower() != page.operator.lower():
            yield tag.span, f"{tag.name} names {made['operator']}; the page is of {page.operator}", "correct the tag"


@rule("anchor-differs", Severity.ERROR)
def anchor_differs(page: Page) -> Found:
    """The anchor that stands with a tag has the name of another tag: who follows a link comes to the wrong statement.
    It may have more before and after the tag, as in `int-R1` and `C1ra`, or another name altogether."""
    linked = {link.target for link in page.links}
    taken = {*page.anchors, *(target.removeprefix("#") for target in linked)}
    for tag in page.tags:
        for anchor in tag.anchors:
            if _of_another(anchor.target, tag):
                name = _ELSEWHERE.sub(tag.name, anchor.target, count=1) if tag.style == "old" else tag.name
                message, fix = f"{tag.name} has the anchor `{anchor.target}`", f'write id="{name}"'
                # Only where no link leads to either.
                free = name not in taken and f"#{anchor.target}" not in linked
                yield anchor.span, message, fix, edit(anchor.span, anchor.target, name) if free else ()
                taken.add(name)


def _of_another(anchor: str, tag: Tag) -> bool:
    if tag.style == "new":
        return anchor != tag.name and bool(NEW.fullmatch(anchor) or re.match("e_", anchor, re.I))
    named = [m[0] for m in _ELSEWHERE.finditer(anchor)]
    return bool(named or NEW.fullmatch(anchor)) and tag.name not in named


@rule("anchor-duplicate", Severity.ERROR)
def anchor_duplicate(page: Page) -> Found:
    """An anchor is there twice on a page: links lead to the first, and none can lead to the other."""
    seen: dict[str, Inline] = {}
    for anchor in page.text.inlines([InlineKind.ANCHOR]):
        first = seen.setdefault(anchor.target, anchor)
        if first is not anchor:
            message = f"the anchor `{anchor.target}` is on line {first.span.line} already"
            yield anchor.span, message, "give it a name of its own, with the family"


@rule("link-differs", Severity.ERROR)
def link_differs(page: Page) -> Found:
    """A link says one tag and leads to another."""
    at = {anchor.target: tag for tag in reversed(page.tags) for anchor in reversed(tag.anchors)}
    for link in page.links:
        said = re.fullmatch(rf"\W*({NEW.pattern}|{OLD.pattern})\W*", link.text)
        if said and link.target.startswith("#"):
            there = at.get(link.target[1:])
            name = there.name if there else link.target[1:]
            if name != said[1] and (there or NEW.fullmatch(name)) and not name.endswith((f"-{said[1]}", f"_{said[1]}")):
                yield link.span, f"the link says {said[1]} and leads to {name}", "correct one of them"


@rule("anchor-missing", Severity.NOTE)
def anchor_missing(page: Page) -> Found:
    """Some tags of a section have anchors and this one has none, so that nothing can refer to it."""
    taken = set(page.anchors)
    for section in page.sections:
        having = [t.anchors[0] for t in section.tags if t.anchors and t.style == "old"]
        for tag in section.tags if having else ():
            if not tag.anchors and tag.style == "old" and tag.kind not in ("general restriction", "function"):
                name = _anchor_like(having, section, tag)
                message, fix = f"{tag.name} has no anchor, and others have one", f'add <a id="{name}"></a>'
                yield tag.span, message, fix, () if name in taken else _anchored(page, tag, name)
                taken.add(name)


def _anchor_like(having: list[Inline], section: Section, tag: Tag) -> str:
    """The name that an anchor of a tag has if it is like those of its neighbours."""
    other = next(t for t in section.tags if t.anchors and t.anchors[0] is having[0])
    before, found, after = having[0].target.partition(other.name)
    return f"{before}{tag.name}{after}" if found else tag.name


def _anchored(page: Page, tag: Tag, name: str) -> tuple[Edit, ...]:
    """The edit that puts an anchor behind a tag, where that is alone in code or brackets."""
    line = page.source.line(tag.span.line)
    pattern = re.compile(rf"`?[\[(]?`?{re.escape(tag.name)}`?[\])]?`?(?=[\s|]|$)")
    found = pattern.search(line, max(0, tag.span.column - 3))
    if found is None or re.search(r"[<>]", line[: found.end()]):
        return ()
    place = type(tag.span)(page.source, tag.span.line, found.end() + 1, 0)
    return (Edit(place, "", f' <a id="{name}"></a>'),)


@rule("tag-unclosed", Severity.WARNING)
def unclosed(page: Page) -> Found:
    """A mark with a tag begins a statement, and none with END ends it: nobody knows how far it goes."""
    for tag in page.tags:
        if not tag.closed:
            yield tag.span, f"{tag.name} is not ended", "end it with the same mark and [END]"


@rule("tag-brackets", Severity.NOTE)
def brackets(page: Page) -> Found:
    """Most tags of a page stand between brackets, and this one does not."""
    old = [tag for tag in page.tags if tag.style == "old" and tag.kind != "function"]
    without = [tag for tag in old if not tag.written.startswith("[")]
    if len(without) * 2 < len(old):
        for tag in without:
            written = tag.written.strip()
            made = edit(tag.span, written, f"[{tag.name}]") if re.fullmatch(r"\(?\w+\)?", written) else ()
            yield tag.span, f"{tag.name} stands without brackets, and others with", f"write [{tag.name}]", made


@rule("origin-missing", Severity.WARNING)
def origin_missing(page: Page) -> Found:
    """A restriction does not say where it comes from. Restrictions are made by the profile: each has a reason."""
    for tag in page.tags:
        if tag.kind == "restriction" and (tag.origin is None or not re.search(r"\w{2}", tag.origin.plain)):
            yield tag.span, f"{tag.name} has no origin", "say what it follows from: a general restriction, a standard"


@rule("origin-transient", Severity.NOTE)
def origin_transient(page: Page) -> Found:
    """An origin is a word that says that there is none yet."""
    for tag in page.tags:
        if tag.origin is not None and re.fullmatch(r"\W*(transient|todo|tbd|tbc|none|n/?a)\W*", tag.origin.plain, re.I):
            yield tag.origin.span, f"the origin of {tag.name} is `{tag.origin.plain}`", "say what it follows from"


@rule("tag-in-another-section", Severity.WARNING)
def elsewhere(page: Page) -> Found:
    """A restriction, an error or a constraint stands in a section for something else."""
    for section in page.sections:
        for tag in section.tags:
            if section.within in _FOREIGN.get(tag.kind, ()):
                article = "an" if tag.kind == "error" else "a"
                yield tag.span, f"{tag.name} is {article} {tag.kind}, in the section `{section.short}`", "move it"


_FOREIGN = {
    "restriction": (SectionKind.ERRORS, SectionKind.SIGNATURE, SectionKind.EXAMPLES),
    "constraint": (SectionKind.ERRORS, SectionKind.RESTRICTIONS, SectionKind.EXAMPLES),
    "error": (
        SectionKind.RESTRICTIONS,
        SectionKind.INPUTS,
        SectionKind.OUTPUTS,
        SectionKind.ATTRIBUTES,
        SectionKind.EXAMPLES,
    ),
}
"""The sections in which a tag of a kind is out of place."""


@rule("restriction-cites-another", Severity.ERROR)
def cites_another(page: Page) -> Found:
    """A restriction cites a general restriction that is about something else."""
    for tag in page.tags:
        cited = re.findall(r"\bGR\d+\b", tag.origin.plain) if tag.origin is not None else []
        for name in dict.fromkeys(cited):
            words = GENERAL.get(name)
            if words and not re.search("|".join(words), tag.statement.plain, re.IGNORECASE):
                yield (
                    tag.origin.span if tag.origin else tag.span,
                    f"{tag.name} cites {name}, which is about {ABOUT[name]}",
                    "cite the one that it follows from, or none",
                )


GENERAL = {
    "GR1": ("sparse", "dense"),
    "GR2": ("type",),
    "GR3": ("conver", "cast", "type"),
    "GR4": ("default", "attribute", "given"),
}
"""Words of which one stands in what follows from a general restriction."""
ABOUT = {"GR1": "sparse tensors", "GR2": "explicit types", "GR3": "implicit conversion", "GR4": "default values"}


@rule("tags-elided", Severity.ERROR)
def elided(page: Page) -> Found:
    """A table of tags ends with dots: what it leaves out is stated nowhere."""
    for block in page.text.blocks:
        for row in block.rows[1:]:
            if row and re.fullmatch(r"[\s.…]*(\.{3}|…)[\s.…]*", row[0].plain):
                yield row[0].span, "the list of tags goes on, and is not written", "state it for every axis at once"


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
