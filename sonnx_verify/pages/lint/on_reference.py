"""Rules on reference pages: their versions, types, attributes and examples, compared with ONNX's table.

Sentences are not compared: they are ONNX's own. The one exception is a sentence that a version lacks and its
neighbours have.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sonnx_verify.pages.lint.finding import REFERENCE, Found, Severity, rule
from sonnx_verify.pages.reading.code_examples import Case, Node
from sonnx_verify.pages.reading.code_examples import Example as Code
from sonnx_verify.pages.reading.kinds import Part
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.reference import Attribute, Parameter, Reference, Version
from sonnx_verify.pages.reading.schemas import Parameter as Known
from sonnx_verify.pages.reading.schemas import Schema, operators, schema

_SHORTEST = 10
"""A sentence with fewer characters is none: a number, an abbreviation."""


@rule("reference-unread", Severity.ERROR, REFERENCE)
def unread(page: Page) -> Found:
    """A part of a reference page cannot be read: an entry without a name or type, a type that is none, a default of
    another kind, code that is no Python, a printed result that is no array."""
    for reference in page.references:
        problems = list(reference.problems)
        for code in _codes(reference):
            problems += code.problems
        for span, why in problems:
            yield span, why, "correct it"


@rule("reference-empty", Severity.WARNING, REFERENCE)
def nothing(page: Page) -> Found:
    """A page in reStructuredText or plain text describes no operator: no heading names one, with parts below it."""
    if not page.references:
        yield page.start, "no version of an operator is described", "write a heading such as Max - 13, and its parts"


# ------------------------------------------------------------------------------------------------------------ versions


@rule("reference-operator-unknown", Severity.ERROR, REFERENCE)
def unknown_operator(page: Page) -> Found:
    """ONNX's main domain has no operator of that name."""
    for reference in page.references:
        if not reference.domain and reference.operator not in operators():
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
        stated = {version.since for version in reference.versions}
        lacking = [number for number in operators().get(reference.operator, ()) if number not in stated]
        if len(stated) > 1 and lacking and not reference.domain:
            shown = ", ".join(map(str, lacking))
            yield reference.span, f"version{_plural(lacking)} {shown} of {reference.operator} not there", "add"


@rule("version-differs", Severity.ERROR, REFERENCE)
def version_differs(page: Page) -> Found:
    """The heading, the field, the sentence or the anchor of a version say different numbers."""
    for _, version in _every(page):
        for number, span in version.numbers[1:]:
            if number != version.since:
                first = version.numbers[0][1].line
                yield span, f"this says version {number}, and line {first} says {version.since}", "make them one"


@rule("sentence-left-out", Severity.NOTE, REFERENCE)
def left_out(page: Page) -> Found:
    """A sentence of the summary stands in the version before and in the version after, and not in this one: either the
    meaning changed twice, or the sentence was lost."""
    for reference in page.references:
        numbered = {v.since: v for v in reversed(reference.versions) if v.since is not None}
        ordered = [numbered[number] for number in sorted(numbered)]
        for before, version, later in zip(ordered, ordered[1:], ordered[2:], strict=False):
            here, after = _sentences(version), _sentences(later)
            lost = [shown for key, shown in _sentences(before).items() if key in after and key not in here]
            if here and lost:
                place = version.sections.get(Part.SUMMARY, version.span)
                message = f"versions {before.since} and {later.since} say, and {version.since} does not: "
                yield place, message + ", ".join(lost), "add it, or say what differs"


def _sentences(version: Version) -> dict[str, str]:
    """The sentences of the summary as they are shown, by their letters alone."""
    made: dict[str, str] = {}
    for cell in version.summary:
        for sentence in re.split(r"(?<=[.!?])\s+|(?<=[。！？])", " ".join(cell.plain.split())):
            if len(sentence) >= _SHORTEST:
                key = re.sub(r"[\W_]+", "", sentence).lower()
                made.setdefault(key, f"`{sentence.strip()[:60]}`")
    return made


# ---------------------------------------------------------------------------------------------------------- signatures


@rule("types-differ", Severity.ERROR, REFERENCE)
def types_differ(page: Page) -> Found:
    """The element types of a type variable are not those that ONNX has for that version."""
    for version, known in _known(page):
        for constraint in version.types:
            ours, theirs = constraint.types, known.types.get(constraint.variable)
            if theirs is None or not ours:
                continue
            told = []
            if extra := [name for name in dict.fromkeys(ours) if name not in theirs]:
                told.append(f"{', '.join(extra)} too many")
            if lacking := [name for name in theirs if name not in ours]:
                told.append(f"{', '.join(lacking)} missing")
            if told:
                what = f"{constraint.variable} in {known.operator}-{known.version}"
                yield constraint.span, f"of {what}: {'; '.join(told)}", "list ONNX's types"


@rule("parameters-differ", Severity.ERROR, REFERENCE)
def parameters_differ(page: Page) -> Found:
    """Inputs or outputs are not those that ONNX has: their names, order, types, and whether they are optional."""
    for version, known in _known(page):
        if _described(version):
            yield from _compared(Part.INPUTS, version.inputs, known.inputs, version)
            yield from _compared(Part.OUTPUTS, version.outputs, known.outputs, version)


def _described(version: Version) -> bool:
    """Whether a version has a signature: of one that is deprecated, pages may say nothing else."""
    return not version.deprecated or bool({Part.INPUTS, Part.OUTPUTS, Part.ATTRIBUTES} & version.sections.keys())


def _compared(what: Part, ours: Sequence[Parameter], theirs: Sequence[Known], version: Version) -> Found:
    if len(ours) != len(theirs):
        place = version.sections.get(what, version.span)
        names = ", ".join(parameter.name for parameter in theirs) or "none"
        yield place, f"ONNX has {len(theirs)} {what}: {names}; here are {len(ours)}", "list ONNX's"
        return
    for mine, other in zip(ours, theirs, strict=True):
        if mine.name != other.name:
            yield mine.span, f"ONNX calls it {other.name}, not {mine.name}", f"write {other.name}"
        if mine.type and mine.type != "".join(other.type.split()):
            yield mine.span, f"{mine.name} has the type {other.type} in ONNX, not {mine.type}", f"write {other.type}"
        if mine.option != other.option:
            yield mine.span, f"{mine.name} is {other.option or 'neither optional nor variadic'} in ONNX", "say that"


@rule("attributes-differ", Severity.ERROR, REFERENCE)
def attributes_differ(page: Page) -> Found:
    """Attributes are not those that ONNX has: their names, kinds, and whether they are required."""
    for version, known in _known(page):
        theirs = {attribute.name: attribute for attribute in known.attributes}
        name = f"{known.operator}-{known.version}"
        for attribute in version.attributes:
            other = theirs.pop(attribute.name, None)
            if other is None:
                yield attribute.span, f"{name} has no attribute {attribute.name}", "correct the name, or remove it"
                continue
            # A page that does not say kinds does not say what is required either.
            if not attribute.kind:
                continue
            if attribute.kind != other.kind:
                yield attribute.span, f"{attribute.name} is of kind {other.kind}, not {attribute.kind}", "correct it"
            if attribute.required != other.required:
                yield attribute.span, f"{attribute.name} is {'' if other.required else 'not '}required", "say that"
        if theirs and _described(version):
            place = version.sections.get(Part.ATTRIBUTES, version.span)
            yield place, f"{name} has also the attribute{_plural(list(theirs))} {', '.join(theirs)}", "add"


@rule("reference-default-differs", Severity.ERROR, REFERENCE)
def default_differs(page: Page) -> Found:
    """The default of an attribute is not the one that ONNX has."""
    for attribute, default in _defaults(page):
        if attribute.written is None or same(attribute.default, default, attribute.written):
            continue
        if default is None:
            yield attribute.default_span, f"ONNX gives {attribute.name} no default", "remove it"
        else:
            message = f"the default of {attribute.name} is {default} in ONNX"
            yield attribute.default_span, message, f"write {default}"


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


def _defaults(page: Page) -> Iterator[tuple[Attribute, Any]]:
    for version, known in _known(page):
        theirs = {attribute.name: attribute.default for attribute in known.attributes}
        for attribute in version.attributes:
            if attribute.name in theirs:
                yield attribute, theirs[attribute.name]


# ------------------------------------------------------------------------------------------------------------ examples


@rule("example-result-not-commented", Severity.WARNING, REFERENCE)
def not_commented(page: Page) -> Found:
    """A printed result stands among the statements of an example, and not in a comment as others do: it is a statement
    that does nothing."""
    for reference in page.references:
        for code in _codes(reference):
            for span in code.loose:
                yield span, "a literal stands as a statement, and does nothing", "put a # before it"


@rule("example-test-twice", Severity.WARNING, REFERENCE)
def test_twice(page: Page) -> Found:
    """Two cases of examples have the same name: the test of the one replaces that of the other."""
    for reference in page.references:
        seen: dict[str, int] = {}
        for case in _cases(_codes(reference)):
            if not case.test:
                continue
            line = seen.setdefault(case.test, case.span.line)
            if line != case.span.line:
                yield case.span, f"`{case.test}` is the name of the case on line {line} too", "rename one"


@rule("example-node", Severity.ERROR, REFERENCE)
def node(page: Page) -> Found:
    """An example makes a node of another operator, or one with attributes or a number of inputs or outputs that the
    operator does not have in that version."""
    for reference, version in _every(page):
        other = [case.node for case in _cases(version.examples) if case.other]
        nodes = [made for code in version.examples for made in code.nodes if made not in other]
        named = any(re.search(rf"\b{reference.operator}\b", code.code) for code in version.examples)
        if nodes and not named:
            yield nodes[0].span, f"no example makes a node of {reference.operator}", "correct the name"
        if reference.domain or not version.since:
            continue
        known = schema(reference.operator, version.since)
        for made in nodes:
            if known is not None and made.operator == reference.operator:
                yield from _node(made, known)


def _node(made: Node, known: Schema) -> Found:
    name = f"{known.operator}-{known.version}"
    theirs = [attribute.name for attribute in known.attributes]
    for attribute in made.attributes:
        if attribute not in theirs:
            yield made.span, f"{name} has no attribute {attribute}", "correct the name, or remove it"
    for required in (attribute.name for attribute in known.attributes if attribute.required):
        if required not in made.attributes:
            yield made.span, f"the attribute {required} of {name} is required", "give it"
    least_in, most_in, least_out, most_out = known.arity
    for what, given, least, most in (
        ("inputs", made.inputs, least_in, most_in), ("outputs", made.outputs, least_out, most_out),
    ):  # fmt: skip  # a table
        if given is not None and (len(given) < least or (most is not None and len(given) > most)):
            message = f"{name} has {_bounds(least, most)} {what}, and the node {len(given)}"
            yield made.span, message, "correct the list"


def _bounds(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} to any number of"
    return f"{least}" if least == most else f"{least} to {most}"


# --------------------------------------------------------------------------------------------------------------- pages


def _plural(several: Sequence[object]) -> str:
    return "s" if len(several) > 1 else ""


def _every(page: Page) -> Iterator[tuple[Reference, Version]]:
    return ((reference, version) for reference in page.references for version in reference.versions)


def _versions(page: Page) -> Iterator[tuple[Reference, Version]]:
    """Those of operators that ONNX's table has."""
    return ((r, v) for r, v in _every(page) if not v.domain and r.operator in operators())


def _known(page: Page) -> Iterator[tuple[Version, Schema]]:
    """The versions that ONNX has, each with its row of the table."""
    for reference, version in _versions(page):
        if version.since in operators()[reference.operator]:
            found = schema(reference.operator, version.since)
            assert found is not None
            yield version, found


def _codes(reference: Reference) -> Iterator[Code]:
    return (code for version in reference.versions for code in version.examples)


def _cases(codes: Iterable[Code]) -> Iterator[Case]:
    return (case for code in codes for case in code.cases)


RULES = (
    unread,
    nothing,
    unknown_operator,
    unknown_version,
    missing_version,
    version_differs,
    left_out,
    types_differ,
    parameters_differ,
    attributes_differ,
    default_differs,
    default_missing,
    not_commented,
    test_twice,
    node,
)
