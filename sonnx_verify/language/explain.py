"""Reasons why a condition is false of a concrete input, in the words of its text. Not trusted: the counterexample that
they are for was replayed before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sonnx_verify.kernel.values import Domain, Position, SetOf, Value, instantiate
from sonnx_verify.language import syntax as s
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.parser import holes
from sonnx_verify.language.subexpressions import Scope
from sonnx_verify.language.syntax import text_of
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Interpretation, Undefined, indices_of
from sonnx_verify.logic.sorts import INDEX, INT
from sonnx_verify.logic.terms import Symbol, Term, integer


class Explainer:
    """Walks an expression beside its evaluation."""

    def __init__(self, elaborator: Elaborator, facts: Interpretation) -> None:
        self.elaborator, self.facts = elaborator, facts

    def why_not(self, node: s.Expression, scope: Scope) -> list[str]:
        """The reasons why the condition is false, from the outside in. Nothing where it is not false."""
        # From the outside in, to the first part that is false: that is where a reader has to look.
        if self._truth(node, scope) is not False:
            return []
        match node:
            case s.Group():
                return self.why_not(node.inner, scope)
            case s.Conjunction():
                return next((why for part in node.parts if (why := self.why_not(part, scope))), [])
            case s.Implies():
                return self.why_not(node.right, scope)
            case s.ForAll():
                return self._first_failure(node, node.binders.binders, dict(scope), [])
            case s.Call() if node.name in self.elaborator.library.definitions:
                return self._definition(node, scope)
            case s.Fails():
                return [f"{node.tag} is not the first constraint to fail"]
            case _:
                return [self._leaf(node, scope)]

    def _truth(self, node: s.Expression, scope: Scope) -> object:
        with self.elaborator.context.silent():
            value = self.elaborator.value(node, scope)
        if not isinstance(value, Term):
            return None
        return self._value(value)

    def _value(self, term: Term) -> object:
        try:
            return evaluate(term, self.facts)
        except (Undefined, KeyError):
            return None

    def _leaf(self, node: s.Expression, scope: Scope) -> str:
        """The text, and what its integers are."""
        known: dict[str, None] = {}
        for part in _compared(node):
            with self.elaborator.context.silent():
                value = self.elaborator.value(part, scope)
            if isinstance(value, Term) and value.sort == INT and not isinstance(part, s.Integer):
                known[f"{text_of(part)} = {self._value(value)}"] = None
        said = f"`{text_of(node)}` is false"
        if known:
            said += f": {', '.join(known)}"
        return said

    def _definition(self, node: s.Call, scope: Scope) -> list[str]:
        # Of a definition for several families the first stands for all: these words only tell a reader where to look.
        definition = self.elaborator.library.definitions[node.name][0]
        with self.elaborator.context.silent():
            values = [self.elaborator.value(argument, scope) for argument in node.arguments]
        inner = self.elaborator.calls.items_for(definition)
        inner |= {p.name: v for p, v in zip(definition.parameters, values, strict=True)}
        return self.why_not(definition.body, inner) or [definition.title or f"`{text_of(node)}` is false"]

    def _first_failure(
        self, node: s.ForAll, binders: Sequence[s.Binder], scope: dict[str, Value], bound: list[str]
    ) -> list[str]:
        if not binders:
            where = node.binders.where
            if where is not None and self._truth(where, scope) is not True:
                return []
            why = self.why_not(node.body, scope)
            if why and node.sentence is not None:
                return [self._sentence(node, node.sentence, scope)]
            if not why:
                return []
            return [f"{', '.join(bound)}: {why[0]}", *why[1:]]
        first, *others = binders
        for value, shown in self._members(first.domain, scope):
            inner = {**scope, first.name: value}
            why = self._first_failure(node, others, inner, [*bound, f"{first.name} = {shown}"])
            if why:
                return why
        return []

    def _members(self, node: s.Domain, scope: Scope) -> list[tuple[Value, str]]:
        with self.elaborator.context.silent():
            found = self.elaborator.domain(node, scope)
        if not isinstance(found, SetOf):
            return self._of_domain(found)
        kept: list[tuple[Value, str]] = []
        for value, shown in self._of_domain(found.domain):
            term = value.term if isinstance(value, Position) else value
            assert isinstance(term, Term)
            condition = instantiate(found.condition, {found.variable: term})
            if not isinstance(condition, Term) or self._value(condition) is not True:
                continue
            # The name stands for a member of the set, so that is shown: of `k in { 2 * j | j in 0 .. 3 }` 0, 2, 4 and
            # 6.
            member = instantiate(found.body, {found.variable: term})
            if isinstance(member, Term):
                shown = str(self._value(member))
            kept.append((member, shown))
        return kept

    def _of_domain(self, domain: Domain) -> list[tuple[Value, str]]:
        if domain.shape is None:
            low, high = self._value(domain.low), self._value(domain.high)
            assert isinstance(low, int)
            assert isinstance(high, int)
            return [(integer(k), str(k)) for k in range(low, high + 1)]
        rank = self._value(domain.shape.rank)
        assert isinstance(rank, int)
        sizes = [self._value(domain.shape.dim(integer(q))) for q in range(rank)]
        found: list[tuple[Value, str]] = []
        # The evaluator knows no literal for an index, so each gets a symbol of its own, whose value is that index.
        for position in indices_of([size for size in sizes if isinstance(size, int)]):
            symbol = Symbol(f"at {position}", (), INDEX)
            assert isinstance(self.facts, dict)
            self.facts[symbol] = position
            full = [*position, *[0] * (rank - len(position))][::-1]
            found.append((Position(symbol(), domain.shape.rank), str(full)))
        return found

    def _sentence(self, node: s.ForAll, sentence: str, scope: Scope) -> str:
        with self.elaborator.context.silent():
            values = [self.elaborator.value(hole, scope) for hole in holes(node)]
        shown = iter([self._shown(value) for value in values])
        return re.sub(r"\{[^{}]*\}", lambda _: next(shown), sentence)

    def _shown(self, value: Value) -> str:
        if isinstance(value, Term):
            return str(self._value(value))
        return "?"


def _compared(node: s.Expression) -> tuple[s.Expression, ...]:
    """The parts whose values tell why a condition is false."""
    match node:
        case s.Relation():
            return node.operands
        case s.Disjunction():
            return node.parts
        case _:
            return ()
