"""Rules on what the sentences of reference pages say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sonnx_verify.pages.lint.finding import REFERENCE, Found, Severity, rule
from sonnx_verify.pages.reading import labels
from sonnx_verify.pages.reading.cursor import after
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.reference import Attribute, Version, default_of
from sonnx_verify.pages.reading.schemas import schema

_ROUNDED = 1e-5
"""Defaults that differ by less are one, rounded."""


@rule("default-claim", Severity.ERROR, REFERENCE)
def claim(page: Page) -> Found:
    """A sentence says another default of an attribute than its entry, or than ONNX where the entry gives none."""
    for version in _versions(page):
        for attribute in version.attributes:
            default = _default(version, attribute)
            text = labels.narrow(attribute.description)
            for found in labels.CLAIM.finditer(text):
                sentence = re.split(r"[.;。]\s", text[: found.start()])[-1]
                if _differ(found["value"], default) and not labels.OTHERS.search(sentence):
                    place = after(after(attribute.span, found[0].split()[0]), found["value"])
                    yield place, f"the default of {attribute.name} is {default}, not {found['value']}", "correct it"
        for cell in version.summary:
            for found in labels.INSTEAD.finditer(cell.plain):
                name, ours = found["name"] or found["name_zh"], found["ours"] or found["ours_zh"]
                for attribute in (a for a in version.attributes if a.name == name):
                    default = _default(version, attribute)
                    if _differ(ours, default):
                        message = f"the default of {name} is {default}, not {ours}"
                        yield after(cell.span, ours), message, "correct the comparison"


def _default(version: Version, attribute: Attribute) -> Any:
    if attribute.written is not None:
        return attribute.default
    known = schema(version.operator, version.since) if version.since and not version.domain else None
    return next((a.default for a in known.attributes if a.name == attribute.name), None) if known else None


def _differ(said: str, default: Any) -> bool:
    """Whether a number or a truth value that a sentence says is another than a default that is a number."""
    if not isinstance(default, int | float):
        return False
    try:
        value = default_of(said, "")
    except ValueError:
        return False
    return isinstance(value, int | float) and abs(value - default) > _ROUNDED * max(abs(value), abs(default))


@rule("sentence-left-out", Severity.NOTE, REFERENCE)
def left_out(page: Page) -> Found:
    """A sentence of the summary stands in the version before and in the version after, and not in this one: either the
    meaning changed twice, or the sentence was lost."""
    for reference in page.references:
        numbered = {v.since: v for v in reversed(reference.versions) if v.since is not None}
        ordered = [numbered[n] for n in sorted(numbered)]
        for before, version, later in zip(ordered, ordered[1:], ordered[2:], strict=False):
            here = {key for key, _ in _sentences(version)}
            both = {key for key, _ in _sentences(later)}
            lost = [shown for key, shown in _sentences(before) if here and key in both and key not in here]
            if lost:
                place = version.sections.get("summary", version.span)
                message = f"versions {before.since} and {later.since} say, and {version.since} does not: "
                yield place, message + ", ".join(lost), "add it, or say what differs"


def _sentences(version: Version) -> Iterator[tuple[str, str]]:
    """Each sentence of the summary: as it is compared, and as it is shown."""
    for cell in version.summary:
        for sentence in re.split(r"(?<=[.!?])\s+|(?<=[。！？])", " ".join(cell.plain.split())):
            if len(sentence) >= 10:
                yield re.sub(r"[\W_]+", "", sentence).lower(), f"`{sentence.strip()[:60]}`"


def _versions(page: Page) -> Iterator[Version]:
    return (version for reference in page.references for version in reference.versions)


RULES = (claim, left_out)
