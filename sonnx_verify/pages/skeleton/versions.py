"""The rows of the versions before that of a new text, for its author to decide: `versions.toml` in its first form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sonnx_verify.language.signatures import Schema
from sonnx_verify.language.syntax import TypeWord
from sonnx_verify.pages.skeleton.signature import FAMILY_OF, main_variable
from sonnx_verify.results.written import json_line

_HEAD = """\
# Versions of {name} without a text of their own: docs/design.md, "Versions and texts", says what a row means.
# A row claims that its version means what the text says. Where ONNX's prose says so, remove the marks of the row.
# Where it does not, write a text of the version: {file}.sonnx begins with the oldest, and each later one changes it.
"""


def earlier_versions(schema: Schema, earlier: Sequence[Schema]) -> str:
    """The table with a row for each of these versions, newest first, none of which counts yet; empty if there is none.

    The types are ONNX's. That the versions mean the same stands in ONNX's prose alone, which somebody has to read.
    """
    if not earlier:
        return ""
    head = _HEAD.format(name=schema.operator, file=schema.operator.lower())
    rows = ("".join(f"# {line}\n" for line in _row(schema, one)) for one in reversed(earlier))
    return "\n".join([head, *rows])


def _row(schema: Schema, earlier: Schema) -> Iterator[str]:
    yield f"[{schema.operator}.{earlier.version}]"
    yield f"same_as = {schema.version}"
    main = main_variable(schema)
    for variable, types in schema.types.items():
        then = earlier.types.get(variable)
        named = TypeWord.T if variable == main else variable
        if then is None:
            yield f"there is no {variable} there: its types are {', '.join(sorted(earlier.elements))}"
            continue
        has = [one for one in types if one in FAMILY_OF and one in then]
        lacks = [one for one in types if one in FAMILY_OF and one not in then]
        if lacks:
            word, listed = ("types", has) if len(has) < len(lacks) else ("without", lacks)
            yield f"{word}.{named} = {json_line(sorted(listed))}"
    for what, now, then_ in (
        ("input", schema.inputs, earlier.inputs),
        ("output", schema.outputs, earlier.outputs),
        ("attribute", schema.attributes, earlier.attributes),
    ):
        ours, theirs = {part.name: part for part in now}, {part.name: part for part in then_}
        for name in dict.fromkeys((*ours, *theirs)):
            if name not in theirs:
                yield f"there is no {what} {name} there"
            elif name not in ours:
                yield f"there is an {what} {name} too"
            elif ours[name] != theirs[name]:
                yield f"the {what} {name} is declared in another way"
