"""One slip of a pen: some characters of a file that are replaced by others."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lark import Token, Tree

from sonnx_verify.errors import Source
from sonnx_verify.language.comments import tokens_of
from sonnx_verify.paths import resolved

Node = Tree[Token] | Token
NOTHING, LEFT_OUT = "(nothing)", "(left out)"


@dataclass(frozen=True, slots=True)
class Slip:
    """`old`, which stands at `start` in the text of `source`, is replaced by `new`. `kind` says what sort of slip it
    is, `item` in which item of the text it is."""

    source: Source
    start: int
    old: str
    new: str
    kind: str = ""
    item: str = ""
    said: str = ""
    """What is replaced, where `old` has more in it that stays."""

    @property
    def line(self) -> int:
        """Its line, counted from 1."""
        return self.source.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """Its column, counted from 1."""
        return self.start - self.source.text.rfind("\n", 0, self.start)

    @property
    def place(self) -> str:
        """`file:line:column`."""
        return f"{self.source.name}:{self.line}:{self.column}"

    @property
    def change(self) -> str:
        """`old -> new`, on one line."""
        if self.said:
            return f"{self.said} -> {LEFT_OUT}"
        return f"{' '.join(self.old.split()) or NOTHING} -> {' '.join(self.new.split()) or LEFT_OUT}"

    @property
    def identity(self) -> str:
        """What tells it from every other slip in a project."""
        return f"{self.place} {self.change}"

    @property
    def text(self) -> str:
        """The text of the file with the slip in it."""
        return self.source.text[: self.start] + self.new + self.source.text[self.start + len(self.old) :]

    def instead(self, root: Path) -> Mapping[Path, str]:
        """What a project below `root` reads instead of what is written in its file."""
        return {resolved(root / self.source.name): self.text}


def sample(slips: Sequence[Slip], size: int | None) -> list[Slip]:
    """So many of them, in their order: the same ones whenever the texts around are the same."""
    if size is None or size >= len(slips):
        return list(slips)
    by_hash = sorted(slips, key=lambda s: hashlib.sha256(s.identity.encode()).hexdigest())
    chosen = {s.identity for s in by_hash[:size]}
    return [s for s in slips if s.identity in chosen]


def span(node: Node) -> tuple[int, int]:
    """From where to where a node stands in its text."""
    tokens = tokens_of(node) if isinstance(node, Tree) else [node]
    start, end = tokens[0].start_pos, tokens[-1].end_pos
    assert start is not None
    assert end is not None
    return start, end


def kind_of(node: Node) -> str:
    """The rule of a tree, the type of a token."""
    return str(node.data) if isinstance(node, Tree) else str(node.type)
