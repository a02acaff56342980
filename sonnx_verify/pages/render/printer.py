"""The printer of formulas: each kind of node has one rule, which gives LaTeX and how tightly that binds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sonnx_verify.language import syntax as s
from sonnx_verify.pages.render.kinds import Scope
from sonnx_verify.pages.render.names import enclosed
from sonnx_verify.pages.render.precedence import level

Shown = tuple[str, str]
"""LaTeX, and the rule of the grammar that binds as tightly as it does."""
Rule = Callable[["Printer", s.Node], Shown]


@dataclass(frozen=True, slots=True)
class Printer:
    """Prints expressions where some names are known. `results` says whether what is printed is a set of results, in
    which an element stands for the set of it alone."""

    scope: Scope
    rules: Mapping[str, Rule]
    results: bool = False

    def show(self, node: s.Node) -> str:
        """The formula of an expression that stands alone."""
        return self._shown(node)[0]

    def at(self, node: s.Node, rule: str) -> str:
        """The formula of an operand, in parentheses where it binds less tightly than that rule of the grammar."""
        latex, own = self._shown(node)
        return latex if level(own) >= level(rule) else enclosed(latex)

    def within(self, binders: s.Node) -> Printer:
        """The printer of what binders range over."""
        return Printer(self.scope.within(binders), self.rules, self.results)

    def having(self, name: str, kind: str) -> Printer:
        """The printer where one more name is known."""
        return Printer(self.scope.having({name: kind}), self.rules, self.results)

    def plain(self) -> Printer:
        """The printer of what is no set of results."""
        return Printer(self.scope, self.rules) if self.results else self

    def _shown(self, node: s.Node) -> Shown:
        rule = self.rules.get(node.kind)
        assert rule is not None, f"no formula for `{node.kind}`"
        return rule(self, node)
