"""Expressions of a text as text again: with other names for what they speak of, and negated.

Nothing rests on these texts being right: a clause that is made of them is read and checked as it would be pasted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sonnx_verify.language import syntax as s

Names = Mapping[str, str]
"""What is written for a name."""

_LOOSE = frozenset(("if_", "for_all", "exists", "within", "implies", "iff", "disjunction", "conjunction", "not_"))
_LOOSE_WORDS = re.compile(r"=>|\b(and|or|iff|if|not|for all|exists|within)\b")
_HIDDEN = re.compile(r'("[^"\n]*")|--[^\n]*')
_UNIT = re.compile(r"[A-Za-z_]\w*(\.\w+|\[\w+\]|\([\w., ]*\))*|\d+|\[[^\[\]]*\]|\([^()]*\)")
_OPPOSITE = {"=": "!=", "!=": "="}


def reworded(node: s.Node, names: Names) -> str:
    """The expression on one line, without comments, with what is written for each name that it does not bind."""
    start = node.span.start
    text = node.span.source.text[start : start + node.span.length]
    free = (n for n in _free(node, frozenset()) if n.text[0] in names)
    found = [(n.span.start - start, n.span.length, names[n.text[0]]) for n in free]
    for place, length, new in sorted(found, reverse=True):
        text = text[:place] + new + text[place + length :]
    return " ".join(_HIDDEN.sub(lambda m: m[1] or " ", text).split())


def _free(node: s.Node, bound: frozenset[str]) -> Iterator[s.Node]:
    """The names in an expression that it does not bind and does not call."""
    if node.kind == "name":
        if node.text[0] not in bound:
            yield node
        return
    parts = node.parts
    if node.kind in ("call", "call_with") and parts[0].kind == "name":
        parts = parts[1:]
    inner = bound | frozenset(bound_in(node))
    for part in parts:
        # What ranges over a domain is not yet bound in it, but no text uses one name for both.
        yield from _free(part, inner)


def bound_in(node: s.Node) -> list[str]:
    """The names that an expression binds in its parts."""
    if node.kind == "make":
        return [node.text[1]]
    binders = [p for p in node.parts if p.kind == "binders"] if node.kind in ("for_all", "exists", "set") else []
    return [b.text[0] for group in binders for b in group.parts if b.kind == "binder"]


def unit(text: str) -> str:
    """The text as one operand."""
    return text if _UNIT.fullmatch(text) else f"({text})"


def closed(text: str) -> str:
    """A condition as an operand of `and`, `or` and `not`."""
    return f"({text})" if _LOOSE_WORDS.search(text) else text


def negated(node: s.Node, names: Names) -> str:
    """The condition that holds where the expression does not."""
    match node.kind:
        case "group":
            return negated(node.parts[0], names)
        case "not_":
            return reworded(_plain(node.parts[0]), names)
        case "relation" if len(node.parts) == 2 and node.text[0] in _OPPOSITE:
            left, right = (reworded(p, names) for p in node.parts)
            return f"{left} {_OPPOSITE[node.text[0]]} {right}"
        case "disjunction":
            return " and ".join(closed(negated(p, names)) for p in node.parts)
        case "conjunction":
            return " or ".join(closed(negated(p, names)) for p in node.parts)
        case "exists" if len(node.parts) == 2:
            inner = {k: v for k, v in names.items() if k not in bound_in(node)}
            return f"for all {reworded(node.parts[0], inner)} : {negated(node.parts[1], inner)}"
        case _:
            return f"not {_operand(node, names)}"


def _operand(node: s.Node, names: Names) -> str:
    text = reworded(node, names)
    return f"({text})" if node.kind in _LOOSE or node.kind in ("relation", "member_of") else text


def _plain(node: s.Node) -> s.Node:
    return _plain(node.parts[0]) if node.kind == "group" else node
