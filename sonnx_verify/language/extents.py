"""The items and clauses of a formal text as they are written, for what shows them. Nothing trusted uses it."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from lark import Tree

from sonnx_verify.errors import Source, Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.parser import tree_of


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
