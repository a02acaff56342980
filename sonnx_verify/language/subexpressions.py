"""How the parts of the elaborator ask for the meaning of the expressions inside theirs. Trusted.

The elaborator is made of parts that each know one thing: reads, numbers, comparisons, binders, calls, folds, makers.
Those that meet expressions inside of expressions are handed a `Subexpressions`, which is the elaborator itself; no part
knows another one's state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sonnx_verify.language import syntax as s
from sonnx_verify.language.values import Value
from sonnx_verify.logic.terms import Term

Scope = Mapping[str, Value]
"""What each name means at a place. Names that no text can write, such as `[C1]`, say what clauses mean."""


class Subexpressions(Protocol):
    """The meaning of expressions in a scope; each call notes the side conditions that it meets in the context."""

    def value(self, node: s.Expression, scope: Scope) -> Value:
        """The meaning of an expression."""

    def condition(self, node: s.Expression, scope: Scope) -> Term:
        """The meaning of an expression that has to be true or false."""

    def integer(self, node: s.Expression, scope: Scope) -> Term:
        """The meaning of an expression that has to be an integer."""
