"""Rules on a page against ONNX: the operator, its version, arity, types, attributes and their defaults."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sonnx_verify.language.signatures import Attribute, Schema
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.pages.lint.beside import formal_beside
from sonnx_verify.pages.lint.finding import Found, Severity, rule, rule_on
from sonnx_verify.pages.lint.text import bounds_text, is_within, noun
from sonnx_verify.pages.lint.visits import families
from sonnx_verify.pages.reading.blocks import Block
from sonnx_verify.pages.reading.kinds import SectionKind
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.pages.reading.schemas import operators, schema
from sonnx_verify.pages.reading.signature import Based, Documented, Signature, based_on, documented, signature_of
from sonnx_verify.results.text import counted_text
from sonnx_verify.sources import Span

_TYPE = re.compile(r"\b(?:u?int(?:4|8|16|32|64)|float16|bfloat16|float|double|bool|string|complex(?:64|128))\b")

# ---------------------------------------------------------------------------------------------------- what is visited


def _name(page: Page) -> str:
    """The operator of a page as ONNX writes it."""
    return _as_onnx_writes(page.operator) or page.operator


def _as_onnx_writes(operator: str) -> str:
    """The operator of ONNX with the same letters, empty where there is none."""
    return {known.lower(): known for known in operators()}.get(operator.lower(), "")


def _schema(page: Page) -> Schema | None:
    """The row of ONNX's table for the version that the page is based on, or for the newest."""
    based = page.once(based_on)
    if based is None:
        return schema(_name(page))
    return schema(_name(page), based.version)


@dataclass(frozen=True, slots=True)
class _Family:
    """A family of a page whose operator ONNX has, with ONNX's row for it."""

    page: Page
    schema: Schema
    sections: list[Section]


def _families(page: Page) -> Iterator[_Family]:
    """The families of a page; none of a page of an operator that ONNX does not have."""
    found = _schema(page)
    if found is not None:
        for sections in families(page):
            yield _Family(page, found, sections)


@dataclass(frozen=True, slots=True)
class _Versioned:
    """A page of an operator of ONNX that says on which version it is based; `versions` are those that ONNX has."""

    page: Page
    based: Based
    versions: tuple[int, ...]


def _versioned(page: Page) -> Iterator[_Versioned]:
    """The page, where it names both an operator of ONNX and a version."""
    based, versions = page.once(based_on), operators().get(_name(page), ())
    if based is not None and versions:
        yield _Versioned(page, based, versions)


def _attributes(page: Page) -> Iterator[tuple[Schema, Documented, Attribute | None]]:
    """The attributes that families document, each with what ONNX says of it."""
    for family in _families(page):
        known = {attribute.name: attribute for attribute in family.schema.attributes}
        for one in documented(family.sections, SectionKind.ATTRIBUTES):
            # A heading such as `Constraints on all attributes` is about none.
            if re.fullmatch(r"[A-Za-z_]\w*", one.name):
                yield family.schema, one, known.get(one.name)


def _both_attributes(page: Page) -> Iterator[tuple[Documented, Attribute]]:
    """The attributes that families document and ONNX has."""
    for _, one, known in _attributes(page):
        if known is not None:
            yield one, known


@rule("operator-unknown", Severity.ERROR)
def unknown_operator(page: Page) -> Found:
    """The headings of families name an operator that ONNX does not have, or spell it differently."""
    name = page.operator
    if not name or name in operators() or _is_users(page) or _is_no_operator(page):
        return
    place = page.families[0].heading.span
    if meant := _as_onnx_writes(name):
        yield place, f"ONNX calls it {meant}, not {name}", f"write {meant}"
        return
    yield place, f"ONNX has no operator {name}", _cure(name, list(operators()), "name one of ONNX")


def _cure(name: str, known: list[str], otherwise: str) -> str:
    """The name that an author may have meant, or another cure."""
    near = difflib.get_close_matches(name, known, 1)
    if not near:
        return otherwise
    return f"did you mean {near[0]}?"


def _is_no_operator(page: Page) -> bool:
    """Return whether the page says that it is about something that operators share, as `Broadcast functionality`."""
    return re.search(rf"\b{page.operator}\W{{1,6}}functionality\b", page.source.text) is not None


def _is_users(page: Page) -> bool:
    """Return whether the operator is one of a user: the formal text next to the page says so."""
    file = formal_beside(page)
    return file is not None and file.kind == "user"


@rule("operator-other-name", Severity.NOTE)
def other_name(page: Page) -> Found:
    """A signature spells the operator differently from the heading of the family: readers look for two operators."""
    for sections in families(page):
        found = signature_of(sections)
        if found is not None and found.operator != page.operator:
            message = f"the signature says {found.operator}, but the heading says {page.operator}"
            yield found.span, message, f"write {page.operator}"


@rule("version-missing", Severity.WARNING)
def no_version(page: Page) -> Found:
    """The page does not say on which version of ONNX it is based: its restrictions change with the version."""
    if page.operator and page.once(based_on) is None and not _is_users(page):
        yield page.start, "the page names no version of ONNX", "name the version of the operator, with a link to it"


@rule_on(_versioned, "version-unknown", Severity.ERROR)
def unknown_version(of: _Versioned) -> Found:
    """The operator did not exist in the version of ONNX that the page is based on, or ONNX had withdrawn it."""
    operator, version = of.page.operator, of.based.version
    found = schema(_name(of.page), version)
    if found is None:
        first = f"it begins with version {of.versions[0]}"
        yield of.based.span, f"{operator} is not in version {version}: {first}", "correct the version"
    elif found.deprecated:
        message = f"{operator} is deprecated since version {found.version}"
        yield of.based.span, message, "specify what replaces it"


@rule_on(_versioned, "version-between", Severity.NOTE)
def between(of: _Versioned) -> Found:
    """The page is based on a version in which the operator did not change: its version is an older one."""
    version = of.based.version
    # Before the first version there is no operator, which is an error; after the newest opset ONNX may have changed it.
    if version in of.versions or not of.versions[0] < version <= _newest_opset():
        return
    in_force = max(v for v in of.versions if v < version)
    shown = f"{of.page.operator} has no version {version}; opset {version} uses version {in_force}"
    yield of.based.span, shown, f"name version {in_force}"


def _newest_opset() -> int:
    """The newest opset that ONNX's table knows: the last one that changed some operator."""
    return max(versions[-1] for versions in operators().values())


@rule_on(_families, "arity-differs", Severity.ERROR)
def arity(family: _Family) -> Found:
    """A signature has more inputs or outputs than ONNX allows, or fewer than it requires."""
    signature = signature_of(family.sections)
    if signature is None:
        return
    # Pages write attributes among the arguments: `Y = ReduceMax(data, axes, keepdims)`.
    attributes = {attribute.name for attribute in family.schema.attributes}
    inputs = [name for name in signature.inputs if name not in attributes]
    least, most, least_out, most_out = family.schema.arity
    if not signature.variadic:
        yield from _counted(signature, "input", len(inputs), least, most)
    elif most is not None:
        yield signature.span, f"ONNX takes at most {most} inputs, but the signature has dots", "name them"
    yield from _counted(signature, "output", len(signature.outputs), least_out, most_out)


def _counted(signature: Signature, what: str, count: int, least: int, most: int | None) -> Found:
    if not is_within(count, least, most):
        bounds = bounds_text(least, most, "or more")
        yield signature.span, f"the signature has {counted_text(count, what)}, ONNX has {bounds}", "make them agree"


@rule("type-not-of-operator", Severity.ERROR)
def foreign_type(page: Page) -> Found:
    """A type that the page lists is not one that ONNX allows for this operator in this version."""
    found = _schema(page)
    if found is None:
        return
    # `real` is no type of ONNX: pages of the profile have a family of real numbers, of which floats round.
    allowed = {*found.elements, "real"}
    for span, names in _listed(page):
        for name in names:
            if name not in allowed:
                message = f"{found.operator}-{found.version} of ONNX does not take {name}"
                yield span, message, f"its types are {', '.join(sorted(found.elements))}"


@rule("types-left-out", Severity.WARNING)
def left_out(page: Page) -> Found:
    """ONNX allows types that the page does not mention: the page restricts the operator without saying so."""
    found = _schema(page)
    places = _listed(page)
    listed: set[str] = set()
    for _, names in places:
        listed.update(names)
    # A page that lists none of ONNX's types lists none at all, or is of another operator.
    if found is None or listed.isdisjoint(found.elements):
        return
    known: set[str] = set()
    for types in found.types.values():
        known.update(types)
    # A restriction may mention a type anywhere: "float16 is not supported".
    text = page.source.text.lower()
    unlisted = sorted((known & ELEMENT_TYPES.keys()) - listed)
    missing = [name for name in unlisted if not re.search(rf"\b{name}\b", text)]
    if missing:
        message = f"the page does not mention {', '.join(missing)}, which ONNX takes too"
        yield places[0][0], message, "specify it, or add a restriction"


def _listed(page: Page) -> list[tuple[Span, list[str]]]:
    """The element types that the Contents and the headings of families name, with their places."""
    made = []
    for block, is_heading in _listing(page):
        names = list(dict.fromkeys(_TYPE.findall(block.cell.plain)))
        # In a heading `float` is a family, more often than the type.
        if is_heading:
            names = [name for name in names if name not in ("float", "bool", "string")]
        if names:
            made.append((block.span, names))
    return made


def _listing(page: Page) -> Iterator[tuple[Block, bool]]:
    """The blocks that list types, each with whether it is the heading of a family."""
    for section in page.sections:
        if section.kind is SectionKind.FAMILY:
            yield section.heading, True
        elif section.kind is SectionKind.CONTENTS:
            yield section.heading, False
            yield from ((block, False) for block in section.blocks)


@rule_on(_attributes, "attribute-unknown", Severity.ERROR)
def unknown_attribute(of: tuple[Schema, Documented, Attribute | None]) -> Found:
    """The page documents an attribute that the operator does not have in this version of ONNX."""
    found, one, known = of
    if known is not None:
        return
    said = ""
    # ReduceMax's `axes` was an attribute up to version 13, and is an input since: pages take over the older one.
    if one.name in {parameter.name for parameter in found.inputs}:
        said = f"; {one.name} is an input"
    fix = _cure(one.name, [attribute.name for attribute in found.attributes], "remove it, or correct the name")
    yield one.span, f"{found.operator}-{found.version} of ONNX has no attribute {one.name}{said}", fix


@rule_on(_families, "attribute-missing", Severity.WARNING)
def missing_attribute(family: _Family) -> Found:
    """ONNX gives the operator an attribute that a family does not mention: its effect is undocumented."""
    # A family of one or two sections says that it is as another one.
    if len(family.sections) <= 2:
        return
    texts = [f"{section.heading.cell.text} {section.text}" for section in family.sections]
    # LaTeX writes keepdims and noop\_with\_empty\_axes.
    text = " ".join(texts).replace("\\", "")
    names = [attribute.name for attribute in family.schema.attributes]
    missing = [name for name in names if not re.search(rf"\b{re.escape(name)}\b", text)]
    if missing:
        title = family.sections[0].title
        message = f"{title} does not mention the {noun('attribute', missing)} {', '.join(missing)}"
        yield family.sections[0].heading.span, message, "say what each value does, or restrict it"


@rule_on(_both_attributes, "attribute-kind-differs", Severity.ERROR)
def other_kind(of: tuple[Documented, Attribute]) -> Found:
    """The page gives an attribute a different kind than ONNX does: a list for a number, or the like."""
    one, known = of
    # Empty where the page does not say a kind.
    if one.kind not in ("", known.kind):
        yield one.span, f"{one.name} is {_kind(known.kind)} in ONNX, not {_kind(one.kind)}", "correct it"


def _kind(kind: str) -> str:
    """A kind of attributes with its article: `an int`, `a list of ints`."""
    if kind.endswith("s"):
        return f"a list of {kind}"
    return f"an {kind}" if kind.startswith("i") else f"a {kind}"


@rule_on(_both_attributes, "default-differs", Severity.ERROR)
def other_default(of: tuple[Documented, Attribute]) -> Found:
    """The page names a different default value of an attribute than ONNX does."""
    one, known = of
    if not one.default or one.default_span is None or _same(one.default, known.default):
        return
    if known.required:
        yield one.default_span, f"{one.name} is required in ONNX and has no default", "remove the default"
    # ONNX gives some attributes no default and says in words what holds then: a page may give that as the default.
    elif known.default is not None:
        message = f"the default of {one.name} is {known.default} in ONNX, not {one.default}"
        yield one.default_span, message, "correct it"


def _same(written: str, default: Any) -> bool:
    """Return whether a default is written so, as a number or as text: 1 is 1.0."""
    try:
        return float(written) == float(default)
    except (TypeError, ValueError):
        return written == str(default)


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
