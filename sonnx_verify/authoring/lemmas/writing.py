"""Lines that name theorems, written into a text where an author would have put them."""

from __future__ import annotations

from collections.abc import Sequence

from sonnx_verify.language import syntax as s
from sonnx_verify.language.layout import layout
from sonnx_verify.sources import Source

_USE = "use "


def written_into(source: Source, file: s.File, lines: Sequence[str]) -> str:
    """The text with lines: `use` behind those that it has, or above the operator, `using` at the end. A text in the one
    layout stays in it."""
    assert file.span is not None
    text = source.text.split("\n")
    uses = [line for line in lines if line.startswith(_USE)]
    place = max((use.span.line for use in file.uses), default=0)
    if not place:
        # Above it and not between it and its comment.
        place = file.span.line - 1
        uses = [*uses, ""]
    while text and not text[-1]:
        text.pop()
    others = [line for line in lines if not line.startswith(_USE)]
    made = Source(source.name, "\n".join([*text[:place], *uses, *text[place:], *others, ""]))
    return layout(made) if layout(source) == source.text else made.text
