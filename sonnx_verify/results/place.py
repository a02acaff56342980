"""A place in a text, as reports name it."""

from __future__ import annotations

from dataclasses import dataclass

from sonnx_verify.sources import Span, in_line


@dataclass(frozen=True, slots=True)
class Place:
    """The name of a file, and where in it: lines and columns count from 1; a length of 0 is not known."""

    file: str
    line: int = 1
    column: int = 1
    length: int = 0

    @classmethod
    def of(cls, span: Span) -> Place:
        """The place of a span."""
        return cls(span.source.name, span.line, span.column, span.length)

    def __str__(self) -> str:
        return f"{in_line(self.file)}:{self.line}:{self.column}"
