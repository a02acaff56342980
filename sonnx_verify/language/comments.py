"""The gaps between the tokens of a text: comments and blank lines, which the grammar leaves out. Not trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lark import Token

from sonnx_verify.language.documents import Comment

_PIECE = re.compile(r"--[^\n]*|\n")


@dataclass(frozen=True, slots=True)
class Gap:
    """The gap between two tokens: its comments, and `blank` if a blank line comes after the last of them."""

    comments: tuple[Comment, ...]
    blank: bool


def gaps(text: str, tokens: Sequence[Token]) -> list[Gap]:
    """The gap before each token, and the one after the last."""
    starts = [*(_place(t.start_pos) for t in tokens), len(text)]
    ends = [0, *(_place(t.end_pos) for t in tokens)]
    # Before the first token a comment stands on a line of its own, though no line ends before it.
    first, *others = zip(ends, starts, strict=True)
    return [_gap(text[: first[1]], lines=1), *(_gap(text[end:start], lines=0) for end, start in others)]


def _place(position: int | None) -> int:
    assert position is not None
    return position


def _gap(text: str, lines: int) -> Gap:
    """The gap of that text, with `lines` line ends before it."""
    found: list[Comment] = []
    for piece in _PIECE.findall(text):
        if piece == "\n":
            lines += 1
        else:
            found.append(Comment(piece.rstrip(" \t\r"), lines > 0, lines > 1))
            lines = 0
    return Gap(tuple(found), lines > 1)


def comments_of(text: str, tokens: Sequence[Token]) -> list[str]:
    """The comments of a text, in its order."""
    found: list[str] = []
    for gap in gaps(text, tokens):
        found += [comment.text for comment in gap.comments]
    return found


def moved(
    between: dict[int, list[Comment]], leading: Iterable[int], trailing: Iterable[int]
) -> dict[int, list[Comment]]:
    """Comments by the place of the word that they follow, so that none stands between a word and the line it belongs
    to: what follows a word that begins a line, such as `and`, goes before it; what comes before a comma, behind it."""
    # `a -- why` and then `and b` on the next line: the comment is about a, and would be torn from it if `and` began a
    # line with the comment behind it. From the last place on, so that a comment may pass several such words.
    found = {place: list(comments) for place, comments in between.items() if comments}
    for place in sorted(leading, reverse=True):
        if place in found:
            found[place - 1] = _in_line(found.get(place - 1, []) + found.pop(place))
    for place in sorted(trailing):
        if place - 1 in found:
            found[place] = _in_line(found.pop(place - 1) + found.get(place, []))
    return found


def _in_line(comments: list[Comment]) -> list[Comment]:
    """Only the first can stand at the end of a line."""
    return [Comment(c.text, c.own or n > 0) for n, c in enumerate(comments)]
