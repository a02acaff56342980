"""The items and clauses of a formal text as they are written, for what shows them. Nothing trusted uses it."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from lark import Tree

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.parser import tree_of
from sonnx_verify.sources import Source, Span

_COMMENT = re.compile(r'("[^"\n]*")|--[^\n]*')


def item_text(span: Span) -> str:
    """The text of the item that a place is in, with all of its lines; empty where there is none."""
    extents = _extents(span.source)
    number = bisect_right(extents, (span.start, len(span.source.text))) - 1
    if number < 0:
        return ""
    start, end = extents[number]
    if span.start >= end:
        return ""
    return span.source.text[start:end].rstrip()


def on_one_line(text: str) -> str:
    """A part of a formal text on one line, without comments."""
    return " ".join(_COMMENT.sub(lambda found: found[1] or "", text).split())


def example_values(example: s.Example) -> dict[str, str]:
    """The values of an example by their names, as the text has them, each on one line and without comments."""
    text, item = example.span.source.text, item_text(example.span)
    end = text.rfind(item, 0, example.span.start + len(item)) + len(item)
    starts = [entry.span.start for entry in example.entries]
    made: dict[str, str] = {}
    for entry, start, after in zip(example.entries, starts, [*starts, end][1:], strict=True):
        value = on_one_line(text[start:after].partition("=")[2])
        # What is said of the whole stands behind the last value.
        made[entry.name] = value.removesuffix(example_ending(example)).rstrip()
    return made


def example_ending(example: s.Example) -> str:
    """The last line of an example that is no value; empty if there is none."""
    if example.refused:
        return f"refused by {example.refused}"
    if example.open_by:
        return f"open by {example.open_by}"
    if example.openness:
        return example.openness.value
    return "does not conform" if example.excluded else ""


def clause_text(clause: s.Clause) -> str:
    """The text of a clause from its tag on, with all of its lines."""
    text = clause.span.source.text
    end = clause.span.start + clause.span.length
    if clause.body is not None:
        end = max(clause.body.span.start + clause.body.span.length, end)
    else:
        # A clause in words alone has no body; its sentence is the rest of the line.
        end = (text + "\n").find("\n", end)
    return text[clause.span.start : end]


@lru_cache(maxsize=8)
def _extents(source: Source) -> list[tuple[int, int]]:
    """The items of a text: where each begins and ends, in order."""
    try:
        tree = tree_of(source)
    except SpecificationError:
        return []
    return sorted((item.meta.start_pos, item.meta.end_pos) for item in tree.children if isinstance(item, Tree))
