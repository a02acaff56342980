"""Clauses put into a text: where they can stand, under which tags, and how they look there."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from lark import Tree

from sonnx_verify.authoring.explain.target import edited
from sonnx_verify.authoring.repair.proposal import Proposal
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
"""What stands below the declarations."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A text with clauses pasted into it: these as they are laid out, below which line of the old text, instead of
    which tags; and the tag of the first of them."""

    text: str
    lines: tuple[str, ...]
    below: int
    replaced: tuple[str, ...]
    tag: str


@dataclass(frozen=True, slots=True)
class _Item:
    rule: str
    tag: str
    kind: str
    name: str
    start: int
    end: int


def mended(source: Source, edition: int, proposal: Proposal, place: str) -> Iterator[Mended]:
    """The text with what is proposed, at each place where it may do; `place` is what fails. `edition` counts the
    versions and texts in the file: it goes into that one."""
    items = _items(source.text)
    starts = [n for n, i in enumerate(items) if i.rule == "version"]
    first = 0 if edition == 0 else starts[edition - 1] + 1
    last = starts[edition] if edition < len(starts) else len(items)
    own = items[first:last]
    if not own or (edition and proposal.replaced):
        return
    tags = {t.strip() for i in items for t in i.tag.strip("[]").split(",")}
    seen = set()
    for n in [len(own) - 1] if edition else _places(own, proposal.kind, place):
        lets = {i.name for i in own[n + 1 :] if i.rule == "let"}
        written, tag = _written(proposal, tags, lets, "add " if edition else "")
        made = _pasted(source, own, n, written, tag, proposal.replaced)
        if made.text not in seen:
            seen.add(made.text)
            yield made


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
        end = tokens[-1].end_pos
        assert tokens[0].start_pos is not None and end is not None
        made.append(
            _Item(str(inner.data) if node.data != "version" else "version", tag, kind, name, tokens[0].start_pos, end)
        )
    return made


def _places(items: list[_Item], kind: str, place: str) -> list[int]:
    """Behind which items the clause may stand: the last of its kind, else the declarations; what is before the item
    that fails; the last clause or `let`."""
    kinds = ("restriction",) if kind == "restriction" else ("constraint", "error")
    if kind == "error":
        kinds = ("error", "constraint")
    same = [n for n, i in enumerate(items) if i.kind in kinds]
    head = next((n for n, i in enumerate(items) if i.rule in _CONTENT), len(items)) - 1
    above = [n for n, i in enumerate(items) if i.kind == "restriction"] if kind != "restriction" else []
    found = [same[-1] if same else above[-1] if above else head]
    failing = [n for n, i in enumerate(items) if place in (i.tag.strip("[]"), i.name) and i.rule in ("clause", "let")]
    found += [n - 1 for n in failing[:1]]
    found += [n for n, i in enumerate(items) if i.rule in ("clause", "outside", "let")][-1:]
    return [n for n in dict.fromkeys(found) if n >= 0]


def _written(proposal: Proposal, tags: set[str], lets: set[str], prefix: str) -> tuple[str, str]:
    """The items as text, and the tag of the first. Names that `let` gives further down are not used."""
    condition = proposal.condition
    words = set(re.findall(r"\w+", condition.text))
    text = condition.inlined if words & lets else condition.text
    tag = _free(_LETTER[proposal.kind], tags)
    family = f" for {condition.family}" if condition.family else ""
    title = condition.title.replace('"', "'")
    when = "when " if proposal.kind == "error" else ""
    lines = [f'{prefix}[{tag}] {proposal.kind} "{title}"{family} : {when}{text}']
    if proposal.covered:
        lines.append(f'{prefix}[{_free("E", tags)}] error "not: {title}"{family} : when {tag} fails')
    return "\n".join(lines), tag


def _free(letter: str, tags: set[str]) -> str:
    """The first tag that nothing has: where a clause is missing from the middle, the page beside calls it so."""
    return next(tag for n in count(1) if (tag := f"{letter}{n}") not in tags)


def _pasted(source: Source, items: list[_Item], n: int, written: str, tag: str, replaced: tuple[str, ...]) -> Mended:
    text = source.text
    at = _line_end(text, items[n].end)
    edits = [(at, at, "\n" + "\n" * (items[n].rule not in _CONTENT) + written)]
    for item in items:
        if item.tag.strip("[]") in replaced:
            end = _line_end(text, item.end)
            edits.append((item.start, min(end + 1, len(text)), ""))
    new = edited(source, edits)
    lines = _laid_out(Source(source.name, text), Source(source.name, new), written)
    return Mended(new, tuple(lines), text.count("\n", 0, at) + 1, replaced, tag)


def _line_end(text: str, at: int) -> int:
    """The end of the line, if nothing but a comment stands behind the item."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    rest = text[at:end].strip()
    return end if not rest or rest.startswith("--") else at


def _laid_out(old: Source, new: Source, written: str) -> list[str]:
    """The clauses as `fmt` lays them out in a text that is laid out; by themselves in another."""
    try:
        if layout(old) == old.text:
            before, after = old.text.splitlines(), layout(new).splitlines()
            changes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
            added = [line for what, _, _, a, b in changes if what == "insert" for line in after[a:b] if line]
            if all(what in ("equal", "insert", "delete") for what, *_ in changes) and added:
                return added
        return layout(Source("clauses", written)).splitlines()
    except UserError:
        return written.splitlines()
