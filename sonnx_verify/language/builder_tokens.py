"""What the rules of the grammar read off the tokens that they are made of."""

from __future__ import annotations

from typing import Any

from lark import Token


class Origin(str):
    """What stands behind `from`."""


class Family(str):
    """What stands behind `for`."""


def unquoted(token: Any) -> str:
    """The text without its quotes, if it has any."""
    text = str(token)
    return text[1:-1] if text.startswith('"') else text


def marks_of(children: list[Any]) -> tuple[str, str]:
    """The origin and the family among the children."""
    origin = next((str(c) for c in children if isinstance(c, Origin)), "")
    family = next((str(c) for c in children if isinstance(c, Family)), "")
    return origin, family


def names_of(children: list[Any]) -> list[str]:
    """The names among the children."""
    return [str(c) for c in children if isinstance(c, Token) and c.type == "NAME"]


def arithmetic_of(children: list[Any]) -> str:
    """The word for the arithmetic of a clause; empty without one."""
    return next((str(c) for c in children if isinstance(c, Token) and c.type == "ARITHMETIC"), "")


def tag_of(children: list[Any]) -> str:
    """The first tags among the children; empty without any."""
    return next((tags_of(c) for c in children if isinstance(c, Token) and c.type == "TAG"), "")


def tags_of(token: Token) -> str:
    """The tags in a pair of brackets, whatever blanks are between them."""
    return ", ".join(tag.strip() for tag in token[1:-1].split(","))


def is_optional(children: list[Any]) -> bool:
    """Whether the word for it is among the children."""
    return any(isinstance(c, Token) and c.type == "OPTIONAL" for c in children)
