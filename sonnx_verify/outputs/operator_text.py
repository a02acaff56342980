"""The answer of `explain` about an operator, as text and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from sonnx_verify.authoring.explain.text import Item, OperatorText, UsedName
from sonnx_verify.language.families import Instance
from sonnx_verify.outputs.explanation import WIDTH
from sonnx_verify.results.text import framed


def operator_lines(made: OperatorText) -> Iterator[str]:
    """The sections, the items with the numbers of their lines, and what they use of other texts."""
    file = made.unit.file
    assert file is not None
    yield f"{made.unit.operator} ({file.kind}), {made.unit.shown}"
    for section in made.sections:
        yield _section(section)
    width = max((len(str(item.span.line)) for item in made.items), default=0)
    for item in made.items:
        yield from _item(item, width)
    if made.used:
        yield "uses"
    for used in made.used:
        yield from _used(used)


def _section(section: Instance) -> str:
    variables = [f"{variable} = {sort.name}" for variable, sort in section.variables.items()]
    return f"section {section.name}: {' '.join([*section.types, *variables])}".rstrip()


def _item(item: Item, width: int) -> Iterator[str]:
    # The lines of an item keep their indent beneath its first one.
    first, *others = item.text.splitlines()
    yield f"  {item.span.line:>{width}}  {first}"
    for line in others:
        yield f"  {'':{width}}  {line}".rstrip()


def _used(used: UsedName) -> list[str]:
    said = framed(' "', used.title, '"')
    place = f"{used.span.source.name}:{used.span.line}"
    return textwrap.wrap(
        f"{used.name}{said}, {place}; in {', '.join(used.users)}",
        WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def operator_json(made: OperatorText) -> dict[str, Any]:
    """The object of docs/json.md."""
    file = made.unit.file
    assert file is not None
    sections = [
        {"name": x.name, "types": list(x.types), "variables": {v: sort.name for v, sort in x.variables.items()}}
        for x in made.sections
    ]
    return {
        "operator": made.unit.operator,
        "kind": file.kind,
        "file": made.unit.shown,
        "sections": sections,
        "items": [{"name": i.name or None, "line": i.span.line, "text": i.text} for i in made.items],
        "uses": [
            {"name": u.name, "title": u.title, "file": u.span.source.name, "line": u.span.line, "in": list(u.users)}
            for u in made.used
        ],
    }
