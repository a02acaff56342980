"""A slip in a program or a specification: the function or item that it is in, and its words there, however these are
laid out in lines."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# `->` is one word: a slip in half of it would make a text that nobody can read.
_WORD = re.compile(r"\w+|[-=]>|[<>=!]=|\.\.|\*\*|//|\S")


def edit(root: Path, slip: dict[str, Any]) -> None:
    """Make the slip in the copy below `root`. Words that do not occur exactly once in their place are an error of the
    slip."""
    path = root / slip["file"]
    path.write_text(edited(path.read_text("utf-8"), slip), "utf-8")


def edited(text: str, slip: dict[str, Any]) -> str:
    """The text with the slip in it."""
    first, last = place_of(text, slip)
    new: str = slip["new"]
    return text[:first] + new + text[last:]


def place_of(text: str, slip: dict[str, Any]) -> tuple[int, int]:
    """Where the words that a slip changes begin and end in the text."""
    first, last = item_of(text, slip["item"]) if "item" in slip else function_of(text, slip["function"])
    words = [word for word in _WORD.finditer(text) if first <= word.start() < last]
    old = _WORD.findall(slip["old"])
    said = [word[0] for word in words]
    places = [n for n in range(len(said) - len(old) + 1) if said[n : n + len(old)] == old]
    assert len(places) == 1, f"{slip['name']}: {len(places)} times {slip['old']}"
    return words[places[0]].start(), words[places[0] + len(old) - 1].end()


def item_of(text: str, begun: str) -> tuple[int, int]:
    """Where the item of a specification that begins with these words begins and ends; of none, the whole text."""
    if not begun:
        return 0, len(text)
    # An item begins at the margin; what belongs to it is indented.
    starts = [found.start() for found in re.finditer(r"(?m)^[^\s#]", text)]
    here = [n for n, start in enumerate(starts) if text.startswith(begun, start)]
    assert len(here) == 1, f"{len(here)} items begin with {begun}"
    return starts[here[0]], [*starts, len(text)][here[0] + 1]


def function_of(text: str, function: str) -> tuple[int, int]:
    """Where a function of that qualified name begins and ends; of no name, the whole text."""
    if not function:
        return 0, len(text)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = [node for name, node in functions_in(ast.parse(text)) if name == function]
    assert len(found) == 1, f"{len(found)} functions are called {function}"
    assert found[0].end_lineno is not None
    return starts[found[0].lineno - 1], starts[found[0].end_lineno]


def functions_in(tree: ast.AST, outer: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    """The functions and classes of a program, by their qualified names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = f"{outer}.{node.name}".removeprefix(".")
            yield name, node
            yield from functions_in(node, name)
        else:
            yield from functions_in(node, outer)
