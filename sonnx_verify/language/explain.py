"""Why a condition is false of a concrete input, in the words of its text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sonnx_verify.language import syntax as s
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.library import holes, text_of
from sonnx_verify.language.values import Domain, Position, SetOf, Value, instantiate
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Interpretation, Undefined, indices_of
from sonnx_verify.logic.sorts import INDEX, INT
from sonnx_verify.logic.terms import Symbol, Term, integer

Scope = Mapping[str, Value]


class Explainer:
    """Walks an expression beside its evaluation."""

    def __init__(self, elaborator: Elaborator, facts: Interpretation) -> None:
        self.elaborator, self.facts = elaborator, facts

    def why_not(self, node: s.Node, scope: Scope) -> list[str]:
        """The reasons why the condition is false, from the outside in. Nothing where it is not false."""
        if self._truth(node, scope) is not False:
            return []
        match node.kind:
            case "group":
                return self.why_not(node.parts[0], scope)
            case "conjunction":
                return next((why for part in node.parts if (why := self.why_not(part, scope))), [])
            case "implies":
                return self.why_not(node.parts[-1], scope)
            case "for_all":
                return self._for_all(node, scope)
            case "call" if node.parts[0].text and node.parts[0].text[0] in self.elaborator.library.definitions:
                return self._definition(node, scope)
            case "fails":
                return [f"{node.text[0]} is not the first that fails"]
            case _:
                return [self._leaf(node, scope)]

    def _truth(self, node: s.Node, scope: Scope) -> object:
        with self.elaborator.context.silent():
            value = self.elaborator.value(node, scope)
        return self._value(value) if isinstance(value, Term) else None

    def _value(self, term: Term) -> object:
        try:
            return evaluate(term, self.facts)
        except (Undefined, KeyError):
            return None

    def _leaf(self, node: s.Node, scope: Scope) -> str:
        """The text, and what its integers are."""
        known: dict[str, None] = {}
        for part in node.parts if node.kind in ("relation", "disjunction") else ():
            with self.elaborator.context.silent():
                value = self.elaborator.value(part, scope)
            if isinstance(value, Term) and value.sort == INT and part.kind != "integer":
                known[f"{text_of(part)} = {self._value(value)}"] = None
        return f"`{text_of(node)}` is false" + (f": {', '.join(known)}" if known else "")

    def _definition(self, node: s.Node, scope: Scope) -> list[str]:
        name = node.parts[0].text[0]
        definition = self.elaborator.library.definitions[name][0]
        with self.elaborator.context.silent():
            values = [self.elaborator.value(p, scope) for p in node.parts[1].parts]
        inner = {p.name: v for p, v in zip(definition.parameters, values, strict=True)}
        return self.why_not(definition.body, inner) or [definition.title or f"`{text_of(node)}` is false"]

    def _for_all(self, node: s.Node, scope: Scope) -> list[str]:
        binders = [p for p in node.parts[0].parts if p.kind == "binder"]
        where = next((p.parts[0] for p in node.parts[0].parts if p.kind == "where"), None)
        return self._first_failure(node, binders, where, dict(scope), [])

    def _first_failure(
        self, node: s.Node, binders: list[s.Node], where: s.Node | None, scope: dict[str, Value], bound: list[str]
    ) -> list[str]:
        if not binders:
            if where is not None and self._truth(where, scope) is not True:
                return []
            why = self.why_not(node.parts[1], scope)
            if why and node.text:
                return [self._sentence(node, scope)]
            return [f"{', '.join(bound)}: {why[0]}", *why[1:]] if why else []
        first, *others = binders
        for value, shown in self._members(first.parts[0], scope):
            inner = {**scope, first.text[0]: value}
            why = self._first_failure(node, others, where, inner, [*bound, f"{first.text[0]} = {shown}"])
            if why:
                return why
        return []

    def _members(self, node: s.Node, scope: Scope) -> list[tuple[Value, str]]:
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
            assert isinstance(low, int) and isinstance(high, int)
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

    def _sentence(self, node: s.Node, scope: Scope) -> str:
        with self.elaborator.context.silent():
            values = [self.elaborator.value(hole, scope) for hole in holes(node)]
        shown = iter([str(self._value(v)) if isinstance(v, Term) else "?" for v in values])
        return re.sub(r"\{[^{}]*\}", lambda _: next(shown), node.text[0].strip('"'))
