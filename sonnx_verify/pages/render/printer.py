"""The printer of formulas: a rule gives LaTeX for each node, and how tightly that binds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sonnx_verify.language import syntax as s
from sonnx_verify.language.kinds import Kind, Kinds
from sonnx_verify.pages.render.names import enclosed
from sonnx_verify.pages.render.precedence import level

Rendered = tuple[str, str]
"""LaTeX, and the rule of the grammar that binds as tightly as it does."""
Rule = Callable[["Printer", s.Part], Rendered]


@dataclass(frozen=True, slots=True)
class Printer:
    """Prints nodes by a rule, where some names are known. `results` says whether what is printed is a set of results,
    in which an element stands for the set of it alone."""

    kinds: Kinds
    rule: Rule
    results: bool = False

    def show(self, node: s.Part) -> str:
        """The formula of an expression that stands alone."""
        latex, _ = self.rule(self, node)
        return latex

    def at(self, node: s.Part, rule: str) -> str:
        """The formula of an operand, in parentheses where it binds less tightly than that rule of the grammar."""
        latex, own = self.rule(self, node)
        # Parentheses follow from the grammar: a formula that is read back is the same expression.
        if level(own) < level(rule):
            return enclosed(latex)
        return latex

    def within(self, binders: s.Binders) -> Printer:
        """The printer where binders are in scope."""
        return replace(self, kinds=self.kinds.within(binders))

    def having(self, name: str, kind: Kind | None) -> Printer:
        """The printer where one more name is known."""
        return replace(self, kinds=self.kinds.having({name: kind}))

    def plain(self) -> Printer:
        """The printer of what is no set of results."""
        return replace(self, results=False)
