"""Why a condition is false of a concrete input, in the words of its text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sonnx_verify.language import syntax as s
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.parser import holes
from sonnx_verify.language.subexpressions import Scope
from sonnx_verify.language.syntax import text_of
from sonnx_verify.language.values import Domain, Position, SetOf, Value, instantiate
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
                return [f"{node.tag} is not the first that fails"]
            case _:
                return [self._leaf(node, scope)]

    def _truth(self, node: s.Expression, scope: Scope) -> object:
        with self.elaborator.context.silent():
            value = self.elaborator.value(node, scope)
        return self._value(value) if isinstance(value, Term) else None

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
        return f"`{text_of(node)}` is false" + (f": {', '.join(known)}" if known else "")

    def _definition(self, node: s.Call, scope: Scope) -> list[str]:
        definition = self.elaborator.library.definitions[node.name][0]
        with self.elaborator.context.silent():
            values = [self.elaborator.value(argument, scope) for argument in node.arguments]
        inner = {p.name: v for p, v in zip(definition.parameters, values, strict=True)}
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
            return [f"{', '.join(bound)}: {why[0]}", *why[1:]] if why else []
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
        domain = found.domain if isinstance(found, SetOf) else found
        members = self._of_domain(domain)
        if not isinstance(found, SetOf):
            return members
        kept: list[tuple[Value, str]] = []
        for value, shown in members:
            term = value.term if isinstance(value, Position) else value
            assert isinstance(term, Term)
            condition = instantiate(found.condition, found.variable, term)
            if isinstance(condition, Term) and self._value(condition) is True:
                member = instantiate(found.body, found.variable, term)
                kept.append((member, str(self._value(member)) if isinstance(member, Term) else shown))
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
        shown = iter([str(self._value(v)) if isinstance(v, Term) else "?" for v in values])
        return re.sub(r"\{[^{}]*\}", lambda _: next(shown), sentence)


def _compared(node: s.Expression) -> tuple[s.Expression, ...]:
    """The parts whose values tell why a condition is false."""
    match node:
        case s.Relation():
            return node.operands
        case s.Disjunction():
            return node.parts
        case _:
            return ()
