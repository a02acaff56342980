"""A specification at known shapes, attributes and lists: the rest of its terms is about elements alone.

Numbers and texts are known, elements are terms. What needs to know an element to go on, as a size that is read from
one, is Open.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from sonnx_verify.arrays.partial.binders import Binder
from sonnx_verify.arrays.partial.walk import Environment, Items, Open, PartialEvaluator
from sonnx_verify.conformance.symbolic.long_folds import LONG, Fact, LongFold
from sonnx_verify.kernel.variables import Variable, VariableKind
from sonnx_verify.logic.evaluator import without_memory
from sonnx_verify.logic.evaluator_values import stripped
from sonnx_verify.logic.nodes import integer_of, number_of
from sonnx_verify.logic.sorts import INDEX, INT, STRING
from sonnx_verify.logic.terms import TRUE, Symbol, Term, eq, is_literal, literal
from sonnx_verify.results.concrete import Assignment, Concrete, tensors_in
from sonnx_verify.solving.inputs.inputs import interpretation

_KNOWN = (INT, STRING)
"""Terms of these sorts are literals."""
IsTotal = Callable[[Term, Term, Term], bool]
"""Tells whether an order, of its two variables, was shown to be total."""


class Specialiser(PartialEvaluator):
    """Specialises terms by what their symbols mean: values, functions of values; those in `free` give terms.

    `is_total` says whether an order, of its two variables, was shown to be total: of such an order the greatest element
    is determined by what it is. `said` has what is known of the symbols that stand for the greatest of many.
    """

    most = 1 << 16

    def __init__(
        self,
        facts: Mapping[Symbol, Any],
        free: Collection[Symbol],
        is_total: IsTotal = lambda order, x, y: False,
    ) -> None:
        super().__init__(facts, free, {})
        self._free, self._is_total = frozenset(free), is_total
        self.said: dict[Symbol, Fact] = {}

    @classmethod
    def of(cls, variables: Iterable[Variable], known: Assignment) -> Specialiser:
        """The specialiser for variables of which some elements are terms."""
        variables = list(variables)
        free = [v.symbol("read") for v in variables if v.kind is VariableKind.TENSOR and _is_free(known[v.name])]
        return cls(interpretation(variables, known), free)

    def knowing(
        self, values: Mapping[Symbol, Any], elements: Mapping[Symbol, Term], is_total: IsTotal | None = None
    ) -> Specialiser:
        """One that knows more: values, and terms for elements."""
        # What evaluation remembers rests on what was known before.
        facts = without_memory(self.facts, values, elements)
        return Specialiser(facts, self._free.union(elements), is_total or self._is_total)

    # -------------------------------------------------------------------------------------------------- what differs

    def unknown(self, number: Term) -> Exception:
        """No number may depend on elements."""
        return Open("a size, an index or a text that depends on elements")

    def applied(self, term: Term, env: Environment) -> Term:
        """A symbol at values; one that nothing is known of stands for itself."""
        symbol = term.payload
        assert isinstance(symbol, Symbol)
        try:
            meant = self.facts[symbol]
        except KeyError:
            if term.args:
                raise Open(f"what `{symbol.name}` is") from None
            return term
        value = meant
        if term.args:
            value = meant(*[self._argument(a, env) for a in term.args])
        # Elements of what is free are terms, all other values are known.
        if isinstance(value, Term):
            return value
        return literal(value, term.sort)

    def _argument(self, term: Term, env: Environment) -> object:
        if term.sort != INDEX:
            return self.number(term, env)
        position = self.index(term, env)
        for coordinate in position:
            if not is_literal(coordinate):
                raise self.unknown(coordinate)
        return stripped([integer_of(c) for c in position])

    def greatest(self, binder: Binder, items: Items, otherwise: Term | None, env: Environment) -> Term:
        """The greatest of many elements that all count, by a total order, is a symbol."""
        is_long = len(items) > LONG and binder.sort not in _KNOWN
        # Of members that may not count, it is not known that one attains the value.
        if is_long and all(condition is TRUE for condition, _ in items) and self._is_total_of(binder):
            return self._greatest_of(binder, [value for _, value in items])
        return super().greatest(binder, items, otherwise, env)

    def _is_total_of(self, binder: Binder) -> bool:
        """Return whether the order speaks of its two variables alone, and was shown to be total."""
        return binder.order.free <= {binder.x, binder.y} and self._is_total(binder.order, binder.x, binder.y)

    def _greatest_of(self, binder: Binder, values: list[Term]) -> Term:
        # Two folds over the same elements, each once, are one symbol: so both sides of a claim share it.
        values = list(dict.fromkeys(values))
        symbol = Symbol(f"greatest of {' '.join(f'{v.digest:x}' for v in values)}", (), binder.sort)
        plain = Specialiser(self.facts, self._free)

        def bound(value: Term, member: Term) -> Term:
            return plain(binder.order, {number_of(binder.x): member, number_of(binder.y): value})

        self.said[symbol] = LongFold(symbol, tuple(values), eq, bound)
        return symbol()

    def _walked(self, term: Term, env: Environment) -> Term:
        made = super()._walked(term, env)
        # A size or an index that rests on an element: the shape of the result would be another one for each.
        if made.sort in _KNOWN and not is_literal(made):
            raise self.unknown(made)
        return made


def _is_free(value: Concrete) -> bool:
    elements: list[object] = []
    for tensor in tensors_in({"": value}):
        elements += tensor.elements
    return any(isinstance(element, Term) for element in elements)
