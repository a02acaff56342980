"""The answer of `explain` about an operator, as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from sonnx_verify.authoring.explain.text import Item, OperatorText, Section, UsedName
from sonnx_verify.outputs.explanation import WIDTH
from sonnx_verify.results.text import framed


def operator_lines(made: OperatorText) -> Iterator[str]:
    """The sections, the items with the numbers of their lines, and what they use of other texts."""
    yield f"{made.operator} ({made.kind}), {made.file}"
    for section in made.sections:
        yield _section(section)
    if made.pins is not None:
        yield str(made.pins)
    width = max((len(str(item.line)) for item in made.items), default=0)
    for item in made.items:
        yield from _item(item, width)
    if made.uses:
        yield "uses"
    for used in made.uses:
        yield from _used(used)


def _section(section: Section) -> str:
    variables = [f"{variable} = {name}" for variable, name in section.variables.items()]
    return f"section {section.name}: {' '.join([*section.types, *variables])}".rstrip()


def _item(item: Item, width: int) -> Iterator[str]:
    # The lines of an item keep their indent beneath its first one.
    first, *others = item.text.splitlines()
    yield f"  {item.line:>{width}}  {first}"
    for line in others:
        yield f"  {'':{width}}  {line}".rstrip()


def _used(used: UsedName) -> list[str]:
    said = framed(' "', used.title, '"')
    place = f"{used.file}:{used.line}"
    return textwrap.wrap(
        f"{used.name}{said}, {place}; in {', '.join(used.users)}",
        WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
