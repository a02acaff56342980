"""The binding of each kind of expression, read off the grammar: where a formula needs parentheses, the text does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import sonnx_verify.language

_GRAMMAR = Path(sonnx_verify.language.__path__[0]) / "grammar.lark"
_RULE = re.compile(r"^\?(\w+): (.*(?:\n {5}\|.*)*)", re.MULTILINE)
_FIRST = "expression"


@cache
def levels() -> tuple[str, ...]:
    """The rules of expressions from the loosest to the tightest."""
    return tuple(dict(chain()))


@cache
def level(rule: str) -> int:
    """The binding of a rule: the higher, the tighter. Raises KeyError for what is none."""
    return {name: n for n, name in enumerate(levels())}[rule]


@cache
def chain() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each rule with the kinds of nodes that it makes itself; what it makes no node of is the next one's."""
    rules = dict(_RULE.findall(_GRAMMAR.read_text("utf-8")))
    made = []
    rule = _FIRST
    while rule in rules:
        kinds, following = [], ""
        for alternative in _alternatives(rules[rule]):
            body, _, alias = alternative.partition(" -> ")
            first, *others = body.split()
            if alias:
                # `| "-" power -> negative` makes nodes of that kind.
                kinds.append(alias.strip())
            elif others:
                # `?sum: product ("+" product)*` makes sums, and is a product where there is one alone.
                kinds.append(rule)
                following = following or first
            elif first in rules:
                following = first
            else:
                kinds.append(first)
        made.append((rule, tuple(dict.fromkeys(kinds))))
        rule = following
    return tuple(made)


def _alternatives(text: str) -> Iterator[str]:
    """The alternatives of a rule: at `|` outside of parentheses."""
    depth, part = 0, ""
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "|" and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += character
    yield part.strip()
