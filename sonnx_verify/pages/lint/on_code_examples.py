"""Rules on the examples of reference pages."""

from __future__ import annotations

import re

from sonnx_verify.pages.lint.finding import REFERENCE, Found, Severity, rule
from sonnx_verify.pages.lint.on_reference import bounds_text
from sonnx_verify.pages.reading.code_examples import Node
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.schemas import Schema, schema


@rule("example-result-not-commented", Severity.WARNING, REFERENCE)
def not_commented(page: Page) -> Found:
    """A printed result stands among the statements of an example, and not in a comment as others do: it is a statement
    that does nothing."""
    for reference in page.references:
        for version in reference.versions:
            for example in version.examples:
                for span in example.loose:
                    yield span, "a literal stands as a statement, and does nothing", "put a # before it"


@rule("example-test-twice", Severity.WARNING, REFERENCE)
def test_twice(page: Page) -> Found:
    """Two cases of examples have the same name: the test of the one replaces that of the other."""
    for reference in page.references:
        seen: dict[str, int] = {}
        for version in reference.versions:
            for example in version.examples:
                for case in example.cases:
                    line = seen.setdefault(case.test, case.span.line) if case.test else case.span.line
                    if line != case.span.line:
                        yield case.span, f"`{case.test}` is the name of the case on line {line} too", "rename one"


@rule("example-node", Severity.ERROR, REFERENCE)
def node(page: Page) -> Found:
    """An example makes a node of another operator, or one with attributes or a number of inputs or outputs that the
    operator does not have in that version."""
    for reference in page.references:
        for version in reference.versions:
            known = schema(reference.operator, version.since) if not reference.domain and version.since else None
            other = [case.node for example in version.examples for case in example.cases if case.other]
            nodes = [n for example in version.examples for n in example.nodes if n not in other]
            named = any(re.search(rf"\b{reference.operator}\b", example.code) for example in version.examples)
            if nodes and not named:
                yield nodes[0].span, f"no example makes a node of {reference.operator}", "correct the name"
            for made in nodes:
                if known is not None and made.operator == reference.operator:
                    yield from _node(made, known)


def _node(made: Node, known: Schema) -> Found:
    name = f"{known.operator}-{known.version}"
    for attribute in made.attributes:
        if attribute not in {a.name for a in known.attributes}:
            yield made.span, f"{name} has no attribute {attribute}", "correct the name, or remove it"
    for required in (a.name for a in known.attributes if a.required):
        if required not in made.attributes:
            yield made.span, f"the attribute {required} of {name} is required", "give it"
    least_in, most_in, least_out, most_out = known.arity
    for what, given, least, most in (
        ("inputs", made.inputs, least_in, most_in), ("outputs", made.outputs, least_out, most_out),
    ):  # fmt: skip  # a table
        if given is not None and (len(given) < least or (most is not None and len(given) > most)):
            message = f"{name} has {bounds_text(least, most)} {what}, and the node {len(given)}"
            yield made.span, message, "correct the list"


RULES = (not_commented, test_twice, node)
