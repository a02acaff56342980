"""Rules on tags: their names, anchors and origins, and where they stand."""

from __future__ import annotations

import re

from sonnx_verify.lint.finding import Found, rule
from sonnx_verify.pages.page import Page, Section
from sonnx_verify.pages.tags import NEW, Tag

_DIGITS = 4
_STEP = 10


@rule("tag-duplicate", "error")
def duplicate(page: Page) -> Found:
    """A tag is defined twice in one place: in the old style in one section, in the new style anywhere."""
    seen: dict[object, Tag] = {}
    for section in page.sections:
        for tag in section.tags:
            key = tag.name if tag.style == "new" else (tag.name, id(section))
            first = seen.setdefault(key, tag)
            if first is not tag:
                yield tag.span, f"{tag.name} is defined on line {first.span.line} already", "number it anew"


@rule("tag-malformed", "warning")
def malformed(page: Page) -> Found:
    """A tag is not written as its style has it: a letter for a number; in the new style another count of digits than
    four, small letters, `CONSTRAINT` for `CONSTR`, a number that is no multiple of ten."""
    for tag in page.tags:
        made = NEW.fullmatch(tag.name)
        if made is None:
            if not tag.number.isdigit():
                yield tag.span, f"{tag.name} has a letter for a number", "number tags from 1"
            continue
        problems = []
        if len(made["number"]) != _DIGITS:
            problems.append(f"a number of {len(made['number'])} digits")
        elif int(made["number"]) % _STEP:
            problems.append(f"a number that is no multiple of {_STEP}")
        if made["what"].upper().startswith("CONSTRAINT"):
            problems.append("CONSTRAINT for CONSTR")
        if tag.name != tag.name.upper():
            problems.append("small letters")
        if problems:
            yield tag.span, f"{tag.name} has {', '.join(problems)}", "write it as E_OP_FAMILY_FUNC_0010"


@rule("tag-of-another-operator", "error")
def another_operator(page: Page) -> Found:
    """A tag of the new style names another operator than the page: the page may have been copied from that one's."""
    for tag in page.tags:
        made = NEW.fullmatch(tag.name)
        if made and page.operator and made["operator"].lower() != page.operator.lower():
            yield tag.span, f"{tag.name} names {made['operator']}; the page is of {page.operator}", "correct the tag"


@rule("anchor-differs", "error")
def anchor_differs(page: Page) -> Found:
    """The anchor that stands with a tag has another name: who follows a link comes to the wrong statement. It may have
    the family before the tag, as in `int-R1`."""
    for tag in page.tags:
        for anchor in tag.anchors:
            if anchor.target != tag.name and not anchor.target.endswith((f"-{tag.name}", f"_{tag.name}")):
                yield anchor.span, f"{tag.name} has the anchor `{anchor.target}`", f'write id="{tag.name}"'


@rule("anchor-missing", "note")
def anchor_missing(page: Page) -> Found:
    """Some tags of a page have anchors and this one has none, so that nothing can refer to it."""
    if any(tag.anchors for tag in page.tags):
        for tag in page.tags:
            if not tag.anchors and tag.style == "old":
                yield tag.span, f"{tag.name} has no anchor, and others have one", f'add <a id="{tag.name}"></a>'


@rule("origin-missing", "warning")
def origin_missing(page: Page) -> Found:
    """A restriction does not say where it comes from. Restrictions are made by the profile: each has a reason."""
    for tag in page.tags:
        if tag.kind == "restriction" and (tag.origin is None or not re.search(r"\w{2}", tag.origin.plain)):
            yield tag.span, f"{tag.name} has no origin", "say what it follows from: a general restriction, a standard"


@rule("origin-transient", "note")
def origin_transient(page: Page) -> Found:
    """An origin is a word that says that there is none yet."""
    for tag in page.tags:
        if tag.origin is not None and re.fullmatch(r"\W*(transient|todo|tbd|tbc|none|n/?a)\W*", tag.origin.plain, re.I):
            yield tag.origin.span, f"the origin of {tag.name} is `{tag.origin.plain}`", "say what it follows from"




@rule("tag-in-another-section", "warning")
def elsewhere(page: Page) -> Found:
    """A restriction, an error or a constraint stands in a section for something else."""
    for section in page.sections:
        for tag in section.tags:
            wrong = _misplaced(tag, section)
            if wrong:
                yield tag.span, f"{tag.name} is {wrong}, in the section `{section.title}`", "move it"


def _misplaced(tag: Tag, section: Section) -> str:
    if tag.kind == "restriction" and section.kind in ("errors", "signature", "examples"):
        return "a restriction"
    if tag.kind == "constraint" and section.kind in ("errors", "restrictions", "examples"):
        return "a constraint"
    if tag.kind == "error" and section.kind in ("restrictions", "inputs", "outputs", "attributes", "examples"):
        return "an error"
    return ""


@rule("restriction-cites-another", "error")
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


@rule("tags-elided", "error")
def elided(page: Page) -> Found:
    """A table of tags ends with dots: what it leaves out is stated nowhere."""
    for block in page.text.blocks:
        for row in block.rows[1:]:
            if row and re.fullmatch(r"[\s.…]*(\.{3}|…)[\s.…]*", row[0].plain):
                yield row[0].span, "the list of tags goes on, and is not written", "state it for every axis at once"
