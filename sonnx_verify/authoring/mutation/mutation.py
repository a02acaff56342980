"""One mutation: some characters of a file, replaced by others.

Mutations are made from the tree of the grammar, not from the syntax of language/syntax.py: that does not say where a
word such as `and`, `<=` or `by` stands, which is what mutations replace.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from pathlib import Path

from lark import Token, Tree

from sonnx_verify.language.words import tokens_of
from sonnx_verify.paths import resolved
from sonnx_verify.sources import Source

Node = Tree[Token] | Token
NOTHING, LEFT_OUT = "(nothing)", "(left out)"


@unique
class Sort(StrEnum):
    """The sort of a mutation."""

    ARITHMETIC = "arithmetic"
    BOUND = "bound"
    COMPARISON = "comparison"
    CONNECTIVE = "connective"
    CONSTANT = "constant"
    DROPPED = "dropped"
    FUNCTION = "function"
    INDEX = "index"
    NAME = "name"
    NEGATION = "negation"
    OPEN = "open"
    ORDER = "order"
    QUANTIFIER = "quantifier"
    TYPES = "types"


@unique
class Rule(StrEnum):
    """The rules of the grammar in which mutations are made, or which are looked at on the way; and a token."""

    ADD = "add"
    ARGUMENTS = "arguments"
    ATTRIBUTE = "attribute"
    BINDER = "binder"
    BINDERS = "binders"
    BOUNDS = "bounds"
    CALL = "call"
    CLASS = "class_"
    CLAUSE = "clause"
    COLON = "COLON"
    CONJUNCTION = "conjunction"
    DECIMAL = "decimal"
    DECLARED_AS = "declared_as"
    COUNT = "count"
    DEFAULT = "default"
    DEFINE = "define"
    DISJUNCTION = "disjunction"
    EXISTS = "exists"
    FAMILY = "family"
    FAILS = "fails"
    FOLD = "fold"
    FOR_ALL = "for_all"
    GROUP = "group"
    IF = "if_"
    IFF = "iff"
    IMPLIES = "implies"
    INPUT = "input"
    INTEGER = "integer"
    IS = "is_"
    IS_NOT = "is_not"
    LET = "let"
    LISTED = "listed"
    MAKE = "make"
    MEMBER = "member"
    MEMBER_OF = "member_of"
    MOVE = "move"
    NAME = "name"
    NEGATIVE = "negative"
    NOT = "not_"
    ORDER = "order"
    ORDER_BY_CLASSES = "order_by_classes"
    OUTPUT = "output"
    OUTSIDE = "outside"
    PARAMETER = "parameter"
    POWER = "power"
    PRODUCT = "product"
    RANGE = "range"
    READ = "read"
    RELATION = "relation"
    REMOVE = "remove"
    REMOVE_TYPES = "remove_types"
    REMOVE_TYPES_OF = "remove_types_of"
    REPLACE = "replace"
    SHAPE = "shape"
    SUM = "sum"
    TYPES = "types"
    TYPES_OF = "types_of"
    UNSPECIFIED = "unspecified"
    VALUE = "value"
    VERSION = "version"
    WHERE = "where"
    WITHIN = "within"


@dataclass(frozen=True, slots=True)
class Mutation:
    """`old`, which stands at `start` in the text of `source`, is replaced by `new`. `item` says in which item of the
    text it is, `said` the change as it is named; of equal changes in one item `number` counts from 1."""

    source: Source
    start: int
    old: str
    new: str
    kind: Sort | None = None
    item: str = ""
    said: str = ""
    number: int = 1

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
        return self.said or change_of(self.old, self.new)

    @property
    def name(self) -> str:
        """The name of the mutation in its text, as `[C1] for int: < -> <=`. No line is in it: an edit elsewhere, a
        comment or another layout leave it as it is."""
        again = f" #{self.number}" if self.number > 1 else ""
        return f"{self.item}: {self.change}{again}"

    @property
    def identity(self) -> str:
        """The file and the name: no other mutation in a project has it."""
        return f"{self.source.name} {self.name}"

    @property
    def text(self) -> str:
        """The text of the file with the mutation in it."""
        return self.source.text[: self.start] + self.new + self.source.text[self.start + len(self.old) :]

    def instead(self, root: Path) -> Mapping[Path, str]:
        """The text that a project below `root` reads instead of that of the file."""
        return {resolved(root / self.source.name): self.text}


def change_of(old: str, new: str) -> str:
    """A change, on one line."""
    return f"{' '.join(old.split()) or NOTHING} -> {' '.join(new.split()) or LEFT_OUT}"


def sample(mutations: Sequence[Mutation], size: int | None) -> list[Mutation]:
    """`size` of them, in their order: the same ones whenever the texts around are the same."""
    if size is None or size >= len(mutations):
        return list(mutations)
    # By a hash: neither the first ones, which are all in one clause, nor others each time.
    by_hash = sorted(mutations, key=lambda s: hashlib.sha256(s.identity.encode()).hexdigest())
    chosen = {s.identity for s in by_hash[:size]}
    return [s for s in mutations if s.identity in chosen]


def span(node: Node) -> tuple[int, int]:
    """From where to where a node stands in its text."""
    tokens = tokens_of(node) if isinstance(node, Tree) else [node]
    start, end = tokens[0].start_pos, tokens[-1].end_pos
    assert start is not None
    assert end is not None
    return start, end


def kind_of(node: Node) -> str:
    """The rule of a tree, the type of a token."""
    if isinstance(node, Tree):
        return str(node.data)
    return str(node.type)
