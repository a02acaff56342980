"""Lines that name theorems, written into a text where an author would have put them."""

from __future__ import annotations

from collections.abc import Sequence

from sonnx_verify.language import syntax as s
from sonnx_verify.language.layout import layout
from sonnx_verify.sources import Source

_USE = "use "


def written_into(source: Source, file: s.File, lines: Sequence[str]) -> str:
    """The text with lines: `use` above those that it has, or above the operator, `using` at the end. A text in the one
    layout stays in it."""
    assert file.span is not None
    text = source.text.split("\n")
    uses = [line for line in lines if line.startswith(_USE)]
    # Not behind a `use`: its name may stand on the next line.
    place = min((use.span.line for use in file.uses), default=0) - 1
    if place < 0:
        place, uses = file.span.line - 1, [*uses, ""]
        # Above the comment of the operator, which goes on to belong to it.
        while place and text[place - 1].startswith("--"):
            place -= 1
    while text and not text[-1]:
        text.pop()
    others = [line for line in lines if not line.startswith(_USE)]
    made = Source(source.name, "\n".join([*text[:place], *uses, *text[place:], *others, ""]))
    return layout(made) if layout(source) == source.text else made.text
