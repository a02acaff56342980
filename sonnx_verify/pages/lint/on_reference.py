"""Rules on reference pages: what they say of versions and signatures, held against ONNX's table."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from sonnx_verify.pages.lint.finding import REFERENCE, Found, Severity, rule
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.reference import Attribute, Parameter, Reference, Version
from sonnx_verify.pages.reading.schemas import Schema, operators, schema


@rule("reference-unread", Severity.ERROR, REFERENCE)
def unread(page: Page) -> Found:
    """A part of a reference page cannot be read: an entry without a name or type, a type that is none, a default of
    another kind, code that is no Python, a printed result that is no array."""
    for reference in page.references:
        yield from ((span, why, "correct it") for span, why in reference.problems)
        for version in reference.versions:
            for example in version.examples:
                yield from ((span, why, "correct it") for span, why in example.problems)


@rule("reference-empty", Severity.WARNING, REFERENCE)
def nothing(page: Page) -> Found:
    """A page in reStructuredText or plain text describes no operator: no heading names one, with parts below it."""
    if not page.references:
        yield page.start, "no version of an operator is described", "write a heading such as Max - 13, and its parts"


@rule("reference-operator-unknown", Severity.ERROR, REFERENCE)
def unknown_operator(page: Page) -> Found:
    """ONNX's main domain has no operator of that name."""
    for reference in page.references:
        known = reference.operator in operators() or reference.domain or any(v.experimental for v in reference.versions)
        if not known:
            yield reference.span, f"ONNX has no operator {reference.operator}", "correct the name, or say the domain"


@rule("reference-version-unknown", Severity.ERROR, REFERENCE)
def unknown_version(page: Page) -> Found:
    """An operator has no such version: its definition was not changed there."""
    for reference, version in _versions(page):
        known = operators()[reference.operator]
        if version.since is not None and version.since not in known:
            shown = ", ".join(map(str, known))
            message = f"ONNX has no {reference.operator}-{version.since}, but versions {shown}"
            yield version.numbers[0][1], message, "correct the number"


@rule("reference-version-missing", Severity.NOTE, REFERENCE)
def missing_version(page: Page) -> Found:
    """A page with several versions of an operator leaves out one that ONNX has, at the end too: it was written before
    that, or lost it."""
    for reference in page.references:
        stated = {v.since for v in reference.versions}
        lacking = [n for n in operators().get(reference.operator, ()) if n not in stated]
        if len(stated) > 1 and lacking and not reference.domain:
            shown = ", ".join(map(str, lacking))
            yield reference.span, f"version{'s' * (len(lacking) > 1)} {shown} of {reference.operator} not there", "add"


@rule("version-twice", Severity.ERROR, REFERENCE)
def version_twice(page: Page) -> Found:
    """A version of an operator is described twice."""
    for reference in page.references:
        seen: dict[int, Version] = {}
        for version in reference.versions:
            if version.since is not None and seen.setdefault(version.since, version) is not version:
                first = seen[version.since].span.line
                name = f"{reference.operator}-{version.since}"
                yield version.span, f"{name} is described on line {first} already", "remove one of them"


@rule("version-order", Severity.NOTE, REFERENCE)
def version_order(page: Page) -> Found:
    """The versions of an operator go neither up nor down."""
    for reference in page.references:
        found = [(v.since, v) for v in reference.versions if v.since is not None]
        up = len(found) > 1 and found[0][0] < found[-1][0]
        for (one, _), (other, version) in zip(found, found[1:], strict=False):
            if one != other and (one < other) != up:
                way = "up" if up else "down"
                yield version.span, f"version {other} stands after {one}, and versions go {way}", "move it"


@rule("version-differs", Severity.ERROR, REFERENCE)
def version_differs(page: Page) -> Found:
    """The heading, the field, the sentence or the anchor of a version say different numbers."""
    for reference in page.references:
        for version in reference.versions:
            for number, span in version.numbers[1:]:
                if number != version.since:
                    message = f"this says version {number}, and line {version.numbers[0][1].line} says {version.since}"
                    yield span, message, "make them one"


@rule("deprecation-differs", Severity.ERROR, REFERENCE)
def deprecation(page: Page) -> Found:
    """A version is called deprecated and is not, or the other way round."""
    for version, known in _known(page):
        if version.deprecated != known.deprecated and "version" in version.sections:
            said = "is deprecated in ONNX" if known.deprecated else "is not deprecated in ONNX"
            yield version.sections["version"], f"{known.operator}-{known.version} {said}", "correct the sentence"


@rule("types-differ", Severity.ERROR, REFERENCE)
def types_differ(page: Page) -> Found:
    """The element types of a type variable are not those that ONNX has for that version."""
    for version, known in _known(page):
        for constraint in version.types:
            if constraint.variable not in known.types or not constraint.types:
                continue
            theirs, ours = known.types[constraint.variable], constraint.types
            extra = [t for t in dict.fromkeys(ours) if t not in theirs]
            lacking = [t for t in theirs if t not in ours]
            if extra or lacking:
                both = (extra, "too many"), (lacking, "missing")
                told = [f"{', '.join(types)} {why}" for types, why in both if types]
                what = f"{constraint.variable} in {known.operator}-{known.version}"
                yield constraint.span, f"of {what}: {'; '.join(told)}", "list ONNX's types"


@rule("type-repeated", Severity.WARNING, REFERENCE)
def type_repeated(page: Page) -> Found:
    """A type is listed twice for a type variable."""
    for _, version in _every(page):
        for constraint in version.types:
            for name in dict.fromkeys(t for t in constraint.types if constraint.types.count(t) > 1):
                yield constraint.span, f"`{name}` is listed twice for {constraint.variable}", "list it once"


@rule("type-variable", Severity.ERROR, REFERENCE)
def type_variable(page: Page) -> Found:
    """A type variable of an input or output has no type constraint, or one has no input or output of that type."""
    for _, version in _every(page):
        if not version.types and "types" not in version.sections and not version.inputs:
            continue
        defined = {c.variable for c in version.types}
        used = {p.type for p in (*version.inputs, *version.outputs)}
        for parameter in (*version.inputs, *version.outputs):
            if re.fullmatch(r"[A-Z]\w*", parameter.type) and parameter.type not in defined:
                yield parameter.span, f"nothing says which types {parameter.type} may be", "add a type constraint"
        for constraint in version.types:
            if used and not any(re.search(rf"\b{re.escape(constraint.variable)}\b", t) for t in used):
                yield constraint.span, f"nothing has the type {constraint.variable}", "remove it, or correct the types"


@rule("parameters-differ", Severity.ERROR, REFERENCE)
def parameters_differ(page: Page) -> Found:
    """Inputs or outputs are not those that ONNX has: their names, order, types, and whether they are optional."""
    for version, known in _known(page):
        for what in ("inputs", "outputs") if _described(version) else ():
            yield from _compared(what, getattr(version, what), getattr(known, what), version)


def _described(version: Version) -> bool:
    """Whether a version has a signature: of one that is deprecated, pages may say nothing else."""
    return not version.deprecated or bool({"inputs", "outputs", "attributes"} & version.sections.keys())


def _compared(what: str, ours: list[Parameter], theirs: tuple[Any, ...], version: Version) -> Found:
    names = [p.name for p in theirs]
    if len(ours) != len(theirs):
        place = version.sections.get(what, version.span)
        yield place, f"ONNX has {len(theirs)} {what}: {', '.join(names) or 'none'}; here are {len(ours)}", "list ONNX's"
        return
    for mine, other in zip(ours, theirs, strict=True):
        if mine.name != other.name:
            yield mine.span, f"ONNX calls it {other.name}, not {mine.name}", f"write {other.name}"
        if mine.type and mine.type != "".join(other.type.split()):
            yield mine.span, f"{mine.name} has the type {other.type} in ONNX, not {mine.type}", f"write {other.type}"
        if mine.option != other.option:
            yield mine.span, f"{mine.name} is {other.option or 'neither optional nor variadic'} in ONNX", "say that"


@rule("reference-arity-differs", Severity.ERROR, REFERENCE)
def arity_differs(page: Page) -> Found:
    """A sentence or a heading says another number of inputs or outputs than ONNX."""
    for version, known in _known(page):
        for what, said, bounds in (
            ("inputs", version.inputs_arity, known.arity[:2]),
            ("outputs", version.outputs_arity, known.arity[2:]),
        ):
            if said is not None and said[0] != bounds:
                yield said[1], f"ONNX has {bounds_text(*bounds)} {what}", "correct the numbers"


@rule("attributes-differ", Severity.ERROR, REFERENCE)
def attributes_differ(page: Page) -> Found:
    """Attributes are not those that ONNX has: their names, kinds, and whether they are required."""
    for version, known in _known(page):
        theirs = {a.name: a for a in known.attributes}
        name = f"{known.operator}-{known.version}"
        for attribute in version.attributes:
            other = theirs.get(attribute.name)
            if other is None:
                yield attribute.span, f"{name} has no attribute {attribute.name}", "correct the name, or remove it"
                continue
            if attribute.kind and attribute.kind != other.kind:
                yield attribute.span, f"{attribute.name} is of kind {other.kind}, not {attribute.kind}", "correct it"
            # Pages that do not say kinds do not say what is required either.
            if attribute.kind and attribute.required != other.required:
                yield attribute.span, f"{attribute.name} is {'' if other.required else 'not '}required", "say that"
        lacking = [a for a in theirs if a not in {x.name for x in version.attributes}]
        if lacking and _described(version):
            place = version.sections.get("attributes", version.span)
            yield place, f"{name} has also the attribute{'s' * (len(lacking) > 1)} {', '.join(lacking)}", "add"


@rule("reference-default-differs", Severity.ERROR, REFERENCE)
def default_differs(page: Page) -> Found:
    """The default of an attribute is not the one that ONNX has."""
    for attribute, default in _defaults(page):
        if attribute.written is not None and not same(attribute.default, default, attribute.written):
            name, place = attribute.name, attribute.default_span
            if default is None:
                yield place, f"ONNX gives {name} no default", "remove it"
            else:
                yield place, f"the default of {name} is {default} in ONNX", f"write {default}"


@rule("default-missing", Severity.NOTE, REFERENCE)
def default_missing(page: Page) -> Found:
    """An attribute has a default in ONNX, and its entry gives none: at most a sentence hints at it."""
    for attribute, default in _defaults(page):
        if attribute.written is None and default is not None:
            yield attribute.span, f"the default of {attribute.name}, {default}, is not given as such", "give it"


def same(ours: Any, theirs: Any, written: str) -> bool:
    """Whether two defaults are one; floats may be rounded, where enough digits are left to tell them."""
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(same(a, b, str(a)) for a, b in zip(ours, theirs, strict=True))
    if isinstance(ours, int | float) and isinstance(theirs, int | float):
        if math.isclose(ours, theirs, rel_tol=1e-6):
            return True
        digits = re.search(r"\d*\.(\d{3,})(?!\d*e)", written)
        return digits is not None and ours != 0 and round(theirs, len(digits[1])) == ours
    return str(ours) == str(theirs)


def bounds_text(least: int, most: int | None) -> str:
    """How many there may be, in words."""
    return f"{least}" if least == most else f"{least} to {'any number of' if most is None else most}"


def _defaults(page: Page) -> Iterator[tuple[Attribute, Any]]:
    for version, known in _known(page):
        theirs = {a.name: a.default for a in known.attributes}
        yield from ((a, theirs[a.name]) for a in version.attributes if a.name in theirs)


def _every(page: Page) -> Iterator[tuple[Reference, Version]]:
    return ((reference, version) for reference in page.references for version in reference.versions)


def _versions(page: Page) -> Iterator[tuple[Reference, Version]]:
    """Those of operators that ONNX's table has."""
    return ((r, v) for r, v in _every(page) if not v.domain and r.operator in operators())


def _known(page: Page) -> Iterator[tuple[Version, Schema]]:
    """The versions that ONNX has, with what its table says of them."""
    for reference, version in _versions(page):
        if version.since in operators()[reference.operator]:
            found = schema(reference.operator, version.since)
            assert found is not None
            yield version, found


RULES = (
    unread,
    nothing,
    unknown_operator,
    unknown_version,
    missing_version,
    version_twice,
    version_order,
    version_differs,
    deprecation,
    types_differ,
    type_repeated,
    type_variable,
    parameters_differ,
    arity_differs,
    attributes_differ,
    default_differs,
    default_missing,
)
