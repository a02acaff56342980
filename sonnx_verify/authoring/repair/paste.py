"""A clause put into a text: its place, its tag, and its looks.

In: the source of a text and a proposal. Out: the source with the clause, and the lines that an author would paste. Not
trusted: the text is read and checked again as a whole (trial.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from lark import Tree

from sonnx_verify.authoring.explain.target import edited
from sonnx_verify.authoring.repair.proposals import Proposal
from sonnx_verify.errors import Source, UserError
from sonnx_verify.language.comments import tokens_of
from sonnx_verify.language.layout import grammar, layout

_LETTER = {"restriction": "R", "constraint": "C", "error": "E"}
_CONTENT = (
    "clause",
    "outside",
    "let",
    "shape",
    "value",
    "unspecified",
    "order",
    "order_by_classes",
    "define",
    "theorem",
)
"""The items below the declarations."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A text with clauses pasted into it: these as they are laid out, and the line of the old text above them."""

    text: str
    lines: tuple[str, ...]
    below: int


@dataclass(frozen=True, slots=True)
class _Item:
    rule: str
    tag: str
    kind: str
    name: str
    start: int
    end: int


def mended(source: Source, edition: int, proposal: Proposal, place: str) -> Mended:
    """The text with a proposal in it; `place` is where it fails. `edition` counts the versions and texts in the file:
    the clause goes into that one."""
    items = _items(source.text)
    starts = [n for n, item in enumerate(items) if item.rule == "version"]
    tags = {tag.strip() for item in items for tag in item.tag.strip("[]").split(",")}
    if edition:
        # A later version adds to the first: its clause goes behind the items of that version.
        last = starts[edition] if edition < len(starts) else len(items)
        return _pasted(source, items[last - 1], _written(proposal, tags, "add "))
    own = items[: starts[0]] if starts else items
    return _pasted(source, own[_behind(own, proposal.kind, place)], _written(proposal, tags, ""))


def _items(text: str) -> list[_Item]:
    made = []
    for node in grammar().parse(text).children:
        assert isinstance(node, Tree)
        tokens = tokens_of(node)
        inner = node.children[1] if node.data in ("add", "replace") else node
        assert isinstance(inner, Tree)
        words = tokens_of(inner)
        tag = next((str(t) for t in words[:1] if t.type == "TAG"), "")
        kind = next((str(t) for t in words[:2] if t.type == "KIND"), "")
        name = next((str(t) for t in words[:3] if t.type == "NAME"), "")
        rule = "version" if node.data == "version" else str(inner.data)
        start, end = tokens[0].start_pos, tokens[-1].end_pos
        assert start is not None
        assert end is not None
        made.append(_Item(rule, tag, kind, name, start, end))
    return made


def _behind(items: list[_Item], kind: str, place: str) -> int:
    """The item behind which a clause stands: above the clause or `let` that fails, which may rely on it then; else the
    last of its kind; else a constraint below the restrictions; else the declarations."""
    for n, item in enumerate(items):
        if kind != "error" and item.rule in ("clause", "let") and place in (item.tag.strip("[]"), item.name):
            return n - 1
    kinds = ("restriction",) if kind == "restriction" else ("constraint", "error")
    same = [n for n, item in enumerate(items) if item.kind in kinds]
    if same:
        return same[-1]
    restrictions = [n for n, item in enumerate(items) if item.kind == "restriction"]
    if restrictions:
        return restrictions[-1]
    return next((n for n, item in enumerate(items) if item.rule in _CONTENT), len(items)) - 1


def _written(proposal: Proposal, tags: set[str], prefix: str) -> str:
    """The clauses as text, with tags that are free."""
    tag = _free(_LETTER[proposal.kind], tags)
    family = f" for {proposal.family}" if proposal.family else ""
    title = proposal.title.replace('"', "'")
    when = "when " if proposal.kind == "error" else ""
    written = f'{prefix}[{tag}] {proposal.kind} "{title}"{family} : {when}{proposal.condition}'
    if proposal.covered:
        written += f'\n{prefix}[{_free("E", tags)}] error "not: {title}"{family} : when {tag} fails'
    return written


def _free(letter: str, tags: set[str]) -> str:
    """The first tag that is free: where a clause is missing from the middle, the page beside calls it so."""
    return next(tag for n in count(1) if (tag := f"{letter}{n}") not in tags)


def _pasted(source: Source, above: _Item, written: str) -> Mended:
    text = source.text
    at = _line_end(text, above.end)
    blank = "" if above.rule in _CONTENT else "\n"
    new = edited(source, [(at, at, f"\n{blank}{written}")])
    return Mended(new, tuple(_laid_out(written)), text.count("\n", 0, at) + 1)


def _line_end(text: str, at: int) -> int:
    """The end of the line, if nothing but a comment stands behind the item."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    rest = text[at:end].strip()
    return end if not rest or rest.startswith("--") else at


def _laid_out(written: str) -> list[str]:
    """The clauses as `fmt` lays them out; one of a later version, which `fmt` does not read alone, as it is."""
    try:
        return layout(Source("clauses", written)).splitlines()
    except UserError:
        return written.splitlines()
