"""One function of the elaborator with a slip in it, in place of the shipped one wherever a module has that."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import Any

from tests.twins.slip import edited, function_of

ROOT = Path(__file__).parents[2]


@contextmanager
def slipped(slip: dict[str, Any]) -> Iterator[None]:
    """Inside, the function that the slip names is the one with its `new` words in place of the `old` ones."""
    path = ROOT / slip["file"]
    module = importlib.import_module(slip["file"].removesuffix(".py").replace("/", "."))
    outer, _, name = slip["function"].rpartition(".")
    owner = getattr(module, outer) if outer else module
    shipped = vars(owner)[name]
    put = [(owner, name)]
    if isinstance(shipped, FunctionType) and not outer:
        users = [m for n, m in sys.modules.items() if n.startswith("sonnx_verify.")]
        put = [(user, own) for user in users for own, value in list(vars(user).items()) if value is shipped]
    false = _compiled(edited(path.read_text("utf-8"), slip), slip["function"], vars(module))
    for user, own in put:
        setattr(user, own, false)
    try:
        yield
    finally:
        for user, own in put:
            setattr(user, own, shipped)


def _compiled(text: str, function: str, names: dict[str, Any]) -> Any:
    first, last = function_of(text, function)
    # A decorator stands above its `def`.
    lines = text[:first].splitlines(keepends=True)
    while lines and lines[-1].strip().startswith("@"):
        first -= len(lines.pop())
    made: dict[str, Any] = {}
    # The text of a method is indented.
    tree = ast.parse("from __future__ import annotations\nif True:\n" + _below(text[first:last]))
    exec(compile(tree, function, "exec"), names, made)  # the slip is in this repository
    return made[function.rpartition(".")[2]]


def _below(text: str) -> str:
    """The text of a function as one below an `if`."""
    return text if text.startswith(" ") else "".join(f" {line}" for line in text.splitlines(keepends=True))
