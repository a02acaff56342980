"""The questions of the elaborator's parts for the meaning of the expressions inside theirs, and scopes. Trusted.

The elaborator is made of parts that each know one thing: reads, numbers, comparisons, binders, calls, folds, makers.
Those that meet expressions inside of expressions are handed a `Subexpressions`, which is the elaborator itself; no part
knows another one's state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sonnx_verify.kernel.values import Value
from sonnx_verify.language import syntax as s
from sonnx_verify.logic.terms import Term

Scope = Mapping[str, Value]
"""The meaning of each name at a place. Beside the names of the text it has keys that no text can write, since no name
begins with a bracket: so a `let C1` or an input `C1` does not change the meaning of `C1 fails`."""


def key_of_constraint(tag: str) -> str:
    """The key of the condition that a constraint is the first to fail."""
    return f"[{tag}]"


def key_of_asked(output: str) -> str:
    """The key of the condition that an output is asked for."""
    return f"[given {output}]"


def is_name(key: str) -> bool:
    """Return whether a text can write the key."""
    return not key.startswith("[")


def constraints_in(scope: Scope) -> list[str]:
    """The tags of the constraints above a place."""
    tags = [key[1:-1] for key in scope if not is_name(key)]
    return [tag for tag in tags if " " not in tag]


class Subexpressions(Protocol):
    """The meaning of expressions in a scope; each call notes the side conditions that it meets in the context."""

    def value(self, node: s.Expression, scope: Scope) -> Value:
        """The meaning of an expression."""

    def condition(self, node: s.Expression, scope: Scope) -> Term:
        """The meaning of an expression that has to be true or false."""

    def integer(self, node: s.Expression, scope: Scope) -> Term:
        """The meaning of an expression that has to be an integer."""
