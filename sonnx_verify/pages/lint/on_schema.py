"""Rules on a page against ONNX: the operator, its version, arity, types, attributes and their defaults."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from sonnx_verify.errors import Span
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.pages.lint.finding import Found, Severity, rule
from sonnx_verify.pages.lint.on_formal import formal_beside
from sonnx_verify.pages.reading.kinds import SectionKind
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.pages.reading.schemas import Attribute, Schema, operators, schema
from sonnx_verify.pages.reading.signature import Documented, Signature, based_on, documented, signature_of


@rule("operator-unknown", Severity.ERROR)
def unknown_operator(page: Page) -> Found:
    """The headings of families name an operator that ONNX does not have, or write it otherwise than ONNX does."""
    name = page.operator
    if not name or name in operators() or _is_users(page):
        return
    place = page.families[0].heading.span
    meant = {known.lower(): known for known in operators()}.get(name.lower())
    if meant is not None:
        yield place, f"ONNX calls it {meant}, not {name}", f"write {meant}"
        return
    near = difflib.get_close_matches(name, operators(), 1)
    yield place, f"ONNX has no operator {name}", f"did you mean {near[0]}?" if near else "name one of ONNX"


def _is_users(page: Page) -> bool:
    """Whether the operator is one of a user: the formal text beside the page says so."""
    file = formal_beside(page)
    return file is not None and file.kind == "user"


@rule("operator-other-name", Severity.NOTE)
def other_name(page: Page) -> Found:
    """A signature writes the operator otherwise than the heading of the family: readers look for two operators."""
    if not page.operator:
        return
    for _, found in _signatures(page):
        if found.operator != page.operator:
            message = f"the signature calls it {found.operator}, the heading {page.operator}"
            yield found.span, message, f"write {page.operator}"


@rule("version-missing", Severity.WARNING)
def no_version(page: Page) -> Found:
    """The page does not say on which version of ONNX it is based: what it restricts changes with the version."""
    if page.operator and page.once(based_on) is None and not _is_users(page):
        yield page.start, "the page names no version of ONNX", "name the version of the operator, with a link to it"


@rule("version-unknown", Severity.ERROR)
def unknown_version(page: Page) -> Found:
    """The operator did not exist in the version of ONNX that the page is based on, or ONNX had withdrawn it."""
    based, versions = page.once(based_on), operators().get(_name(page), ())
    if based is None or not versions:
        return
    found = schema(_name(page), based.version)
    if found is None:
        first = f"it begins with version {versions[0]}"
        yield based.span, f"{page.operator} is not in version {based.version}: {first}", "correct the version"
    elif found.deprecated:
        yield based.span, f"{page.operator} is deprecated since version {found.version}", "specify what replaces it"


@rule("version-between", Severity.NOTE)
def between(page: Page) -> Found:
    """The page is based on a version in which the operator did not change: its version is an older one."""
    based, versions = page.once(based_on), operators().get(_name(page), ())
    newest = max(v for known in operators().values() for v in known)
    if based is not None and versions and based.version not in versions and versions[0] < based.version <= newest:
        in_force = max(v for v in versions if v < based.version)
        shown = f"version {based.version} is none of {page.operator}; {in_force} is in force there"
        yield based.span, shown, f"name version {in_force}"


@rule("arity-differs", Severity.ERROR)
def arity(page: Page) -> Found:
    """A signature has more inputs or outputs than ONNX allows, or fewer than it requires."""
    found = _schema(page)
    if found is None:
        return
    for _, signature in _signatures(page):
        attributes = {a.name for a in found.attributes}
        inputs = [name for name in signature.inputs if name not in attributes]
        least, most, least_out, most_out = found.arity
        if not signature.variadic:
            yield from _count(signature.span, "input", len(inputs), least, most)
        elif most is not None:
            yield signature.span, f"ONNX takes at most {most} inputs, and the signature has dots", "name them"
        yield from _count(signature.span, "output", len(signature.outputs), least_out, most_out)


def _count(span: Span, what: str, count: int, least: int, most: int | None) -> Found:
    if least <= count and (most is None or count <= most):
        return
    plural = "" if count == 1 else "s"
    yield span, f"the signature has {count} {what}{plural}, ONNX has {_bounds(least, most)}", "make them agree"


def _bounds(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} or more"
    return f"{least}" if least == most else f"{least} to {most}"


@rule("type-not-of-operator", Severity.ERROR)
def foreign_type(page: Page) -> Found:
    """A type that the page lists is none that ONNX allows for this operator in this version."""
    found = _schema(page)
    if found is None:
        return
    allowed = {*found.elements, "real"}
    for span, names in _listed(page):
        for name in names:
            if name not in allowed:
                message = f"{found.operator}-{found.version} of ONNX does not take {name}"
                yield span, message, f"its types are {', '.join(sorted(found.elements))}"


@rule("types-left-out", Severity.WARNING)
def left_out(page: Page) -> Found:
    """ONNX allows types that the page does not mention: it restricts the operator, and does not say so."""
    found = _schema(page)
    listed = {name for _, names in _listed(page) for name in names}
    if found is None or not listed & found.elements:
        return
    text = page.source.text.lower()
    known = {t for types in found.types.values() for t in types if t in ELEMENT_TYPES}
    missing = sorted(t for t in known - listed if not re.search(rf"\b{t}\b", text))
    if missing:
        place = next(span for span, _ in _listed(page))
        message = f"ONNX takes {', '.join(missing)} too, and the page does not mention it"
        yield place, message, "specify it, or add a restriction"


@rule("attribute-unknown", Severity.ERROR)
def unknown_attribute(page: Page) -> Found:
    """The page documents an attribute that the operator does not have in this version of ONNX."""
    for found, one, known in _attributes(page):
        if known is None:
            near = difflib.get_close_matches(one.name, [a.name for a in found.attributes], 1)
            kinds = {p.name: "an input" for p in found.inputs}
            said = f"; {one.name} is {kinds[one.name]}" if one.name in kinds else ""
            fix = f"did you mean {near[0]}?" if near else "remove it, or correct the name"
            yield one.span, f"{found.operator}-{found.version} of ONNX has no attribute {one.name}{said}", fix


@rule("attribute-missing", Severity.WARNING)
def missing_attribute(page: Page) -> Found:
    """ONNX gives the operator an attribute that a family does not mention: what it does then is said nowhere."""
    found = _schema(page)
    if found is None:
        return
    for sections in page.by_family[1:]:
        text = " ".join(f"{section.heading.cell.text} {section.text}" for section in sections).replace("\\", "")
        missing = [a.name for a in found.attributes if not re.search(rf"\b{re.escape(a.name)}\b", text)]
        if missing and len(sections) > 2:
            plural = "s" if len(missing) > 1 else ""
            message = f"{sections[0].title} does not mention the attribute{plural} {', '.join(missing)}"
            yield sections[0].heading.span, message, "say what each value does, or restrict it"


@rule("attribute-kind-differs", Severity.ERROR)
def other_kind(page: Page) -> Found:
    """The page gives an attribute another kind than ONNX does: a list for a number, or the like."""
    for _, one, known in _attributes(page):
        if known is not None and one.kind and one.kind != known.kind:
            yield one.span, f"{one.name} is {_kind(known.kind)} in ONNX, not {_kind(one.kind)}", "correct it"


def _kind(kind: str) -> str:
    if kind.endswith("s"):
        return f"a list of {kind}"
    return f"an {kind}" if kind[0] == "i" else f"a {kind}"


@rule("default-differs", Severity.ERROR)
def other_default(page: Page) -> Found:
    """The page names another default value of an attribute than ONNX does."""
    for _, one, known in _attributes(page):
        if known is None or not one.default or one.default_span is None:
            continue
        if known.default is None:
            if known.required:
                yield one.default_span, f"{one.name} is required in ONNX and has no default", "remove the default"
        elif not _same(one.default, known.default):
            message = f"the default of {one.name} is {known.default} in ONNX, not {one.default}"
            yield one.default_span, message, "correct it"


def _same(written: str, default: Any) -> bool:
    try:
        return float(written) == float(default)
    except (TypeError, ValueError):
        return written == str(default)


# --------------------------------------------------------------------------------------------- what a page says


def _name(page: Page) -> str:
    """The operator of a page as ONNX writes it."""
    return {known.lower(): known for known in operators()}.get(page.operator.lower(), page.operator)


def _schema(page: Page) -> Schema | None:
    """The row of ONNX's table for the version that the page is based on, or for the newest."""
    based = page.once(based_on)
    return schema(_name(page), None if based is None else based.version)


def _signatures(page: Page) -> Iterator[tuple[Sequence[Section], Signature]]:
    for sections in page.by_family[1:]:
        if (found := signature_of(sections)) is not None:
            yield sections, found


def _attributes(page: Page) -> Iterator[tuple[Schema, Documented, Attribute | None]]:
    """The attributes that families document, each with what ONNX says of it."""
    found = _schema(page)
    if found is not None:
        known = {a.name: a for a in found.attributes}
        for sections in page.by_family[1:]:
            for one in documented(sections, SectionKind.ATTRIBUTES):
                if re.fullmatch(r"[A-Za-z_]\w*", one.name):
                    yield found, one, known.get(one.name)


_TYPE = re.compile(r"\b(?:u?int(?:4|8|16|32|64)|float16|bfloat16|float|double|bool|string|complex(?:64|128))\b")


def _listed(page: Page) -> Iterator[tuple[Span, list[str]]]:
    """The element types that the Contents and the headings of families name, with their places."""
    for section in page.sections:
        blocks = section.blocks if section.kind is SectionKind.CONTENTS else ()
        for block in (section.heading, *blocks) if section.kind in (SectionKind.CONTENTS, SectionKind.FAMILY) else ():
            names = list(dict.fromkeys(_TYPE.findall(block.cell.plain)))
            # In a heading `float` is a family, more often than the type.
            if section.kind is SectionKind.FAMILY:
                names = [name for name in names if name not in ("float", "bool", "string")]
            if names:
                yield block.span, names


RULES = (
    unknown_operator,
    other_name,
    no_version,
    unknown_version,
    between,
    arity,
    foreign_type,
    left_out,
    unknown_attribute,
    missing_attribute,
    other_kind,
    other_default,
)
