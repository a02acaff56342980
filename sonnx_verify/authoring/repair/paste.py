"""A clause put into a text: its place, its tag, and its looks.

In: the source of a text and a proposal. Out: the source with the clause, and the lines that an author would paste. Not
trusted: the text is read and checked again as a whole (trial.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, unique
from itertools import count
from typing import cast

from lark import Token, Tree

from sonnx_verify.authoring.explain.target import edited
from sonnx_verify.authoring.repair.proposals import Proposal
from sonnx_verify.errors import UserError
from sonnx_verify.language.layout import grammar, layout
from sonnx_verify.language.syntax import ClauseKind
from sonnx_verify.language.words import tokens_of
from sonnx_verify.sources import Source

_LETTER = {ClauseKind.RESTRICTION: "R", ClauseKind.CONSTRAINT: "C", ClauseKind.ERROR: "E"}
_KINDS = {kind.value: kind for kind in ClauseKind}


@unique
class _Rule(StrEnum):
    """The rules of the grammar that matter here."""

    VERSION = "version"
    ADD = "add"
    REPLACE = "replace"
    CLAUSE = "clause"
    LET = "let"
    OUTSIDE = "outside"
    SHAPE = "shape"
    VALUE = "value"
    UNSPECIFIED = "unspecified"
    ORDER = "order"
    ORDER_BY_CLASSES = "order_by_classes"
    DEFINE = "define"
    THEOREM = "theorem"


_CONTENT = frozenset(_Rule) - {_Rule.VERSION, _Rule.ADD, _Rule.REPLACE}
"""The items below the declarations."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A text with clauses pasted into it: these as they are laid out, and the line of the old text above them."""

    text: str
    lines: tuple[str, ...]
    below: int


@dataclass(frozen=True, slots=True)
class _Item:
    """An item of a text, from where to where it is; in an item of a later version, what it adds or replaces."""

    rule: str
    tag: str
    kind: ClauseKind | None
    name: str
    start: int
    end: int


def mended(source: Source, edition: int, proposal: Proposal, place: str) -> Mended:
    """The text with a proposal in it; `place` is where it fails. `edition` counts the versions and texts in the file:
    the clause goes into that one."""
    items = _items(source.text)
    tags: set[str] = set()
    for item in items:
        tags.update(tag.strip() for tag in item.tag.split(","))
    # The items of the first version, then those of each later one, and the end.
    ends = [n for n, item in enumerate(items) if item.rule == _Rule.VERSION] + [len(items)]
    if edition == 0:
        own = items[: ends[0]]
        return _pasted(source, own[_behind(own, proposal.kind, place)], _written(proposal, tags, ""))
    # A later version adds to the first: its clause goes behind the items of that version.
    last = ends[min(edition, len(ends) - 1)]
    return _pasted(source, items[last - 1], _written(proposal, tags, "add "))


def _items(text: str) -> list[_Item]:
    made = []
    for node in grammar().parse(text).children:
        assert isinstance(node, Tree)
        tokens = tokens_of(node)
        inner = node
        if node.data in (_Rule.ADD, _Rule.REPLACE):
            inner = cast("Tree[Token]", node.children[1])
        words = tokens_of(inner)
        tag = _first(words[:1], "TAG").strip("[]")
        kind = _KINDS.get(_first(words[:2], "KIND"))
        start, end = tokens[0].start_pos, tokens[-1].end_pos
        assert start is not None
        assert end is not None
        made.append(_Item(str(inner.data), tag, kind, _first(words[:3], "NAME"), start, end))
    return made


def _first(tokens: list[Token], kind: str) -> str:
    """The first token of a kind; empty if there is none."""
    return next((str(token) for token in tokens if token.type == kind), "")


def _behind(items: list[_Item], kind: ClauseKind, place: str) -> int:
    """The item behind which a clause stands: above the clause or `let` that fails, which may rely on it then; else the
    last of its kind; else a constraint below the restrictions; else the declarations."""
    kinds = [ClauseKind.CONSTRAINT, ClauseKind.ERROR]
    if kind is ClauseKind.RESTRICTION:
        kinds = [ClauseKind.RESTRICTION]
    # An error guards nothing: it is asked of input that some clause rejects.
    if kind is not ClauseKind.ERROR:
        for n, item in enumerate(items):
            if item.rule in (_Rule.CLAUSE, _Rule.LET) and place in (item.tag, item.name):
                return n - 1
    for wanted in (kinds, [ClauseKind.RESTRICTION]):
        same = [n for n, item in enumerate(items) if item.kind in wanted]
        if same:
            return same[-1]
    return next((n for n, item in enumerate(items) if item.rule in _CONTENT), len(items)) - 1


def _written(proposal: Proposal, tags: set[str], prefix: str) -> str:
    """The clauses as text, with tags that are free."""
    tag = _free(_LETTER[proposal.kind], tags)
    # A title is a text in quotes, and the language has no escapes.
    title = proposal.title.replace('"', "'")
    family, condition = "", proposal.condition
    if proposal.family:
        family = f" for {proposal.family}"
    if proposal.kind is ClauseKind.ERROR:
        condition = f"when {condition}"
    written = f'{prefix}[{tag}] {proposal.kind} "{title}"{family} : {condition}'
    # A constraint needs an error, unless one of the text applies to that input already.
    if proposal.covered:
        written += f'\n{prefix}[{_free("E", tags)}] error "violated: {title}"{family} : when {tag} fails'
    return written


def _free(letter: str, tags: set[str]) -> str:
    """The first tag that is free: of a clause that is missing from the middle, the tag that its page has."""
    return next(tag for n in count(1) if (tag := f"{letter}{n}") not in tags)


def _pasted(source: Source, above: _Item, written: str) -> Mended:
    text = source.text
    at = _line_end(text, above.end)
    added = f"\n{written}"
    if above.rule not in _CONTENT:
        # Below the declarations `fmt` leaves a line blank.
        added = f"\n{added}"
    new = edited(source, [(at, at, added)])
    return Mended(new, tuple(_laid_out(written)), text.count("\n", 0, at) + 1)


def _line_end(text: str, at: int) -> int:
    """The end of the line, if nothing but a comment stands behind the item."""
    rest, _, _ = text[at:].partition("\n")
    if rest.strip() and not rest.strip().startswith("--"):
        return at
    return at + len(rest)


def _laid_out(written: str) -> list[str]:
    """The clauses as `fmt` lays them out; one of a later version, which `fmt` does not read alone, as it is."""
    try:
        return layout(Source("clauses", written)).splitlines()
    except UserError:
        return written.splitlines()
