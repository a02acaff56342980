"""Rules on reference pages: their versions, types, attributes and examples, compared with ONNX's table.

Sentences are not compared: they are ONNX's own. The one exception is a sentence that a version lacks and its
neighbours have.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sonnx_verify.language.signatures import Parameter as Known
from sonnx_verify.language.signatures import Schema
from sonnx_verify.pages.lint.finding import REFERENCE, Found, Severity, rule, rule_on
from sonnx_verify.pages.lint.text import bounds_text, is_within, noun
from sonnx_verify.pages.reading.code_examples import Case, Node
from sonnx_verify.pages.reading.code_examples import Example as Code
from sonnx_verify.pages.reading.kinds import Part
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.reference import Attribute, Constraint, Parameter, Reference, Version
from sonnx_verify.pages.reading.schemas import operators, schema

_SHORTEST = 10
"""A sentence with fewer characters is none: a number, an abbreviation."""
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_DIGITS = re.compile(r"\d*\.(\d{3,})(?!\d*e)")
"""A number with enough digits after its point that a rounded one can be told from a wrong one."""

# ---------------------------------------------------------------------------------------------------- what is visited


def _references(page: Page) -> list[Reference]:
    return page.references


def _of_onnx(page: Page) -> list[Reference]:
    """The operators that belong to ONNX's main domain: of others its table knows nothing."""
    return [reference for reference in page.references if not reference.domain]


def _versions(page: Page) -> Iterator[tuple[Reference, Version]]:
    for reference in page.references:
        for version in reference.versions:
            yield reference, version


def _known(page: Page) -> Iterator[tuple[Version, Schema]]:
    """The versions that ONNX has, each with its row of the table."""
    for reference, version in _versions(page):
        # Of another domain, of an operator or a version that ONNX does not have: other rules say so.
        if version.domain or version.since not in operators().get(reference.operator, ()):
            continue
        found = schema(reference.operator, version.since)
        assert found is not None
        yield version, found


def _constraints(page: Page) -> Iterator[tuple[Constraint, Schema]]:
    for version, known in _known(page):
        for constraint in version.types:
            yield constraint, known


def _defaults(page: Page) -> Iterator[tuple[Attribute, Any]]:
    """The attributes that page and ONNX both have, each with the default that ONNX gives."""
    for version, known in _known(page):
        theirs = {attribute.name: attribute.default for attribute in known.attributes}
        for attribute in version.attributes:
            if attribute.name in theirs:
                yield attribute, theirs[attribute.name]


def _codes(reference: Reference) -> Iterator[Code]:
    for version in reference.versions:
        yield from version.examples


def _cases(codes: Iterable[Code]) -> Iterator[Case]:
    for code in codes:
        yield from code.cases


@rule_on(_references, "reference-unread", Severity.ERROR, REFERENCE)
def unread(reference: Reference) -> Found:
    """A part of a reference page cannot be read: an entry without a name or type, an unknown type, a default of another
    kind, code that is not Python, a printed result that is not an array."""
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


@rule_on(_of_onnx, "reference-operator-unknown", Severity.ERROR, REFERENCE)
def unknown_operator(reference: Reference) -> Found:
    """ONNX's main domain has no operator of that name."""
    if reference.operator not in operators():
        yield reference.span, f"ONNX has no operator {reference.operator}", "correct the name, or say the domain"


@rule_on(_versions, "reference-version-unknown", Severity.ERROR, REFERENCE)
def unknown_version(of: tuple[Reference, Version]) -> Found:
    """An operator has no such version: its definition was not changed there."""
    reference, version = of
    known = operators().get(reference.operator, ())
    # An operator that ONNX does not have at all is another finding.
    if version.domain or not known or version.since in (None, *known):
        return
    shown = ", ".join(map(str, known))
    message = f"ONNX has no {reference.operator}-{version.since}, but versions {shown}"
    yield version.numbers[0][1], message, "correct the number"


@rule_on(_of_onnx, "reference-version-missing", Severity.NOTE, REFERENCE)
def missing_version(reference: Reference) -> Found:
    """A page with several versions of an operator leaves out one that ONNX has, at the end too: it is out of date, or
    lost it."""
    stated = {version.since for version in reference.versions}
    lacking = [number for number in operators().get(reference.operator, ()) if number not in stated]
    # A page with one version was written about that one.
    if len(stated) > 1 and lacking:
        shown = ", ".join(map(str, lacking))
        yield reference.span, f"{noun('version', lacking)} {shown} of {reference.operator} missing", "add"


@rule_on(_versions, "version-differs", Severity.ERROR, REFERENCE)
def version_differs(of: tuple[Reference, Version]) -> Found:
    """The heading, the field, the sentence or the anchor of a version say different numbers."""
    version = of[1]
    for number, span in version.numbers[1:]:
        if number != version.since:
            first = version.numbers[0][1].line
            yield span, f"this says version {number}, but line {first} says {version.since}", "make the two agree"


@rule_on(_references, "sentence-left-out", Severity.NOTE, REFERENCE)
def left_out(reference: Reference) -> Found:
    """A sentence of the summary occurs in the version before and in the version after, but not in this one: either the
    meaning changed twice, or the sentence was lost."""
    # A page may have a version twice: the first one counts, as it is the one that links lead to.
    numbered = {v.since: v for v in reversed(reference.versions) if v.since is not None}
    ordered = [numbered[number] for number in sorted(numbered)]
    for before, version, later in zip(ordered, ordered[1:], ordered[2:], strict=False):
        here, after = _sentences(version), _sentences(later)
        lost = [shown for key, shown in _sentences(before).items() if key in after and key not in here]
        # Without a summary at all the version refers to another one, or is deprecated.
        if here and lost:
            place = version.sections.get(Part.SUMMARY, version.span)
            message = f"versions {before.since} and {later.since} have a sentence that {version.since} lacks: "
            yield place, message + ", ".join(lost), "add it, or say what differs"


def _sentences(version: Version) -> dict[str, str]:
    """The sentences of the summary as they are shown, by their letters alone."""
    made: dict[str, str] = {}
    for cell in version.summary:
        for sentence in _SENTENCE_ENDS.split(" ".join(cell.plain.split())):
            if len(sentence) >= _SHORTEST:
                # Other marks, spaces and capitals are no other sentence.
                key = re.sub(r"[\W_]+", "", sentence).lower()
                made.setdefault(key, f"`{sentence.strip()[:60]}`")
    return made


# ---------------------------------------------------------------------------------------------------------- signatures


@rule_on(_constraints, "types-differ", Severity.ERROR, REFERENCE)
def types_differ(of: tuple[Constraint, Schema]) -> Found:
    """The element types of a type variable are not those that ONNX has for that version."""
    constraint, known = of
    ours, theirs = constraint.types, known.types.get(constraint.variable)
    # A variable that ONNX does not have differs as the type of its parameter; one without types is told as unread.
    if theirs is None or not ours:
        return
    extra = [name for name in dict.fromkeys(ours) if name not in theirs]
    lacking = [name for name in theirs if name not in ours]
    told = []
    if extra:
        told.append(f"{', '.join(extra)} too many")
    if lacking:
        told.append(f"{', '.join(lacking)} missing")
    if told:
        what = f"{constraint.variable} in {known.operator}-{known.version}"
        yield constraint.span, f"of {what}: {'; '.join(told)}", "list ONNX's types"


@rule_on(_known, "parameters-differ", Severity.ERROR, REFERENCE)
def parameters_differ(of: tuple[Version, Schema]) -> Found:
    """Inputs or outputs are not those that ONNX has: their names, order, types, and whether they are optional."""
    version, known = of
    if _described(version):
        yield from _compared(Part.INPUTS, version.inputs, known.inputs, version)
        yield from _compared(Part.OUTPUTS, version.outputs, known.outputs, version)


def _described(version: Version) -> bool:
    """Return whether a version has a signature: of one that is deprecated, pages may say nothing else."""
    return not version.deprecated or not {Part.INPUTS, Part.OUTPUTS, Part.ATTRIBUTES}.isdisjoint(version.sections)


def _compared(what: Part, ours: Sequence[Parameter], theirs: Sequence[Known], version: Version) -> Found:
    """The findings on the inputs, or the outputs, of a version."""
    if len(ours) != len(theirs):
        # With one missing in the middle, every later one would differ from the one in its place.
        place = version.sections.get(what, version.span)
        names = ", ".join(parameter.name for parameter in theirs) or "none"
        yield (
            place,
            f"wrong number of {what}: ONNX has {len(theirs)} ({names}), the page has {len(ours)}",
            "list ONNX's",
        )
        return
    for mine, other in zip(ours, theirs, strict=True):
        if mine.name != other.name:
            yield mine.span, f"ONNX calls it {other.name}, not {mine.name}", f"write {other.name}"
        if mine.type not in ("", "".join(other.type.split())):
            yield mine.span, f"{mine.name} has the type {other.type} in ONNX, not {mine.type}", f"write {other.type}"
        if mine.option != other.option:
            yield mine.span, f"{mine.name} is {other.option or 'neither optional nor variadic'} in ONNX", "say that"


@rule_on(_known, "attributes-differ", Severity.ERROR, REFERENCE)
def attributes_differ(of: tuple[Version, Schema]) -> Found:
    """Attributes are not those that ONNX has: their names, kinds, and whether they are required."""
    version, known = of
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
            required = "required" if other.required else "not required"
            yield attribute.span, f"{attribute.name} is {required}", "say that"
    if theirs and _described(version):
        place = version.sections.get(Part.ATTRIBUTES, version.span)
        yield place, f"{name} also has the {noun('attribute', theirs)} {', '.join(theirs)}", "add"


@rule_on(_defaults, "reference-default-differs", Severity.ERROR, REFERENCE)
def default_differs(of: tuple[Attribute, Any]) -> Found:
    """The default of an attribute is not the one that ONNX has."""
    attribute, default = of
    if attribute.written is None or same(attribute.default, default, attribute.written):
        return
    message, fix = f"the default of {attribute.name} is {default} in ONNX", f"write {default}"
    if default is None:
        message, fix = f"ONNX gives {attribute.name} no default", "remove it"
    yield attribute.default_span, message, fix


@rule_on(_defaults, "default-missing", Severity.NOTE, REFERENCE)
def default_missing(of: tuple[Attribute, Any]) -> Found:
    """An attribute has a default in ONNX, and its entry gives none: at most a sentence hints at it."""
    attribute, default = of
    if attribute.written is None and default is not None:
        yield attribute.span, f"the default of {attribute.name}, {default}, is not marked as a default", "give it"


def same(ours: Any, theirs: Any, written: str) -> bool:
    """Return whether two defaults are one; floats may be rounded, where enough digits are left to tell them."""
    match ours, theirs:
        case list(), list():
            # Elements are compared as they print: how each of them is written in the list is not kept.
            return len(ours) == len(theirs) and all(map(same, ours, theirs, map(str, ours)))
        case int() | float(), int() | float():
            return _same_number(ours, theirs, written)
        case _:
            return str(ours) == str(theirs)


def _same_number(ours: float, theirs: float, written: str) -> bool:
    # ONNX keeps defaults as float32: its table has Selu's 1.6732632 where pages write 1.67326319217681884765625.
    if math.isclose(ours, theirs, rel_tol=1e-6):
        return True
    # Others write 1.67326, which is right to its last digit. A 0.000 is no rounding of anything.
    digits = _DIGITS.search(written)
    return digits is not None and ours != 0 and round(theirs, len(digits[1])) == ours


# ------------------------------------------------------------------------------------------------------------ examples


@rule_on(_references, "example-result-not-commented", Severity.WARNING, REFERENCE)
def not_commented(reference: Reference) -> Found:
    """A printed result is a statement of an example, not a comment as in others: it has no effect."""
    for code in _codes(reference):
        for span in code.loose:
            yield span, "a literal as a statement has no effect", "put a # before it"


@rule_on(_references, "example-test-twice", Severity.WARNING, REFERENCE)
def test_twice(reference: Reference) -> Found:
    """Two cases of examples have the same name: the test of one replaces that of the other."""
    seen: dict[str, int] = {}
    named = [case for case in _cases(_codes(reference)) if case.test]
    for case in named:
        line = seen.setdefault(case.test, case.span.line)
        if line != case.span.line:
            yield case.span, f"the case on line {line} is also called `{case.test}`", "rename one"


@rule_on(_versions, "example-node", Severity.ERROR, REFERENCE)
def node(of: tuple[Reference, Version]) -> Found:
    """An example creates a node of another operator, or one with attributes or a number of inputs or outputs that the
    operator does not have in that version."""
    reference, version = of
    # Examples of ONNX make nodes of an older opset too, to show what changed.
    other = [case.node for case in _cases(version.examples) if case.other]
    nodes: list[Node] = []
    for code in version.examples:
        nodes += [made for made in code.nodes if made not in other]
    named = any(re.search(rf"\b{reference.operator}\b", code.code) for code in version.examples)
    if nodes and not named:
        yield nodes[0].span, f"no example creates a node of {reference.operator}", "correct the name"
    if reference.domain or not version.since:
        return
    # For a version that ONNX does not have, the one in force there is what a model would get.
    known = schema(reference.operator, version.since)
    if known is None:
        return
    for made in nodes:
        # Examples may make other nodes around the one that is shown.
        if made.operator == reference.operator:
            yield from _node(made, known)


def _node(made: Node, known: Schema) -> Found:
    """The findings on a node of an operator."""
    name = f"{known.operator}-{known.version}"
    theirs = {attribute.name: attribute.required for attribute in known.attributes}
    for attribute in made.attributes:
        if attribute not in theirs:
            yield made.span, f"{name} has no attribute {attribute}", "correct the name, or remove it"
    for attribute, required in theirs.items():
        if required and attribute not in made.attributes:
            yield made.span, f"the attribute {attribute} of {name} is required", "give it"
    least_in, most_in, least_out, most_out = known.arity
    yield from _counted(made, name, "inputs", made.inputs, least_in, most_in)
    yield from _counted(made, name, "outputs", made.outputs, least_out, most_out)


def _counted(
    made: Node, operator: str, what: str, given: tuple[str, ...] | None, least: int, most: int | None
) -> Found:
    """The finding on the number of inputs, or of outputs, of a node."""
    # A list that the code computes is not known.
    if given is not None and not is_within(len(given), least, most):
        bounds = bounds_text(least, most, "to any number of")
        yield (
            made.span,
            f"wrong number of {what}: {operator} has {bounds}, the node has {len(given)}",
            "correct the list",
        )


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
