"""Calls: built-in functions, definitions, orders, operators."""

from __future__ import annotations

from collections.abc import Mapping

from sonnx_verify.errors import Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.cures import of_call
from sonnx_verify.language.definitions import Definitions
from sonnx_verify.language.library import FUNCTIONS, MACHINE, Call, Setting, a_kind
from sonnx_verify.language.numbers import CONVERSIONS
from sonnx_verify.language.values import Declared, Items, Position, SetOf, Value, kind_of
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INT, FloatSort
from sonnx_verify.logic.terms import ZERO, Role, Symbol, Term, apply, div, eq, mod, not_


class Calls(Definitions):
    """Elaborates calls: the layer of what has a name."""

    def _call(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        head = node.parts[0]
        if head.kind != "name":
            raise SpecificationError("only a name can be called", head.span, "write `name(arguments)`")
        nodes = node.parts[1].parts
        if head.text[0] in self._recursions:
            return self._call_below(self._recursions[head.text[0]], nodes, scope, node.span)
        if head.text[0] == "given":
            return self._given(node, nodes, scope)
        return self._apply(head.text[0], nodes, [self.value(p, scope) for p in nodes], node.span)

    def _given(self, node: s.Node, nodes: tuple[s.Node, ...], scope: Mapping[str, Value]) -> Term:
        """Whether a declared thing is given. Its value plays no part, so it is not read."""
        self._arity("given", list(nodes), 1, node.span)
        name = nodes[0].text[0] if nodes[0].kind == "name" else ""
        value = scope[name] if name in scope else scope.get(f"[given {name}]")
        if name not in scope and isinstance(value, Term):
            return value  # an output, which most clauses cannot read
        if not isinstance(value, Declared):
            raise SpecificationError(
                "`given` speaks of an input, an attribute or an output", nodes[0].span, "name one that is declared"
            )
        return value.given

    def _call_with(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        """An operator with settings of its attributes."""
        head, arguments, *settings = node.parts
        if head.kind != "name":
            raise SpecificationError("only a name can be called", head.span, "write `name(arguments)`")
        made: dict[str, Setting] = {}
        for setting in settings:
            name = setting.text[0]
            if name in made:
                raise SpecificationError(f"`{name}` is set twice", setting.span, "set it once")
            made[name] = Setting(self.value(setting.parts[0], scope), setting.span)
        values = [self.value(p, scope) for p in arguments.parts]
        name = head.text[0]
        if name in FUNCTIONS or name in self.library.definitions or name in self.library.orders:
            raise SpecificationError(f"`{name}` is no operator and has no attributes", node.span, "leave out `with`")
        outcome = self.library.operators(Call(name, values, made, (*self._path, node.span)), self.context)
        if outcome is None:
            raise self._unknown("operator", name, node.span, list(self.library.operator_names()))
        return outcome

    def _call_set(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        return self._apply(node.text[0], (node.parts[0],), [self.value(node.parts[0], scope)], node.span)

    def _apply(self, name: str, nodes: tuple[s.Node, ...], values: list[Value], span: Span) -> Value:
        if name in ("axes", "indices"):
            raise SpecificationError(f"`{name}(...)` is what a variable ranges over", span, f"write `k in {name}(X)`")
        if name in FUNCTIONS:
            return self._function(name, nodes, values, span)
        if name in CONVERSIONS:
            return self.conversion(name, values, span)
        if name in self.library.orders:
            x, y = self._elements(name, nodes, values, span, 2)
            return self.order(self.library.orders[name], x, y, span)
        if name in self.library.definitions:
            return self._defined(name, values, span)
        if name in self.library.undefined:
            return self._of_undefined(self.library.undefined[name], values, span)
        made = self.library.operators(Call(name, values, {}, (*self._path, span)), self.context)
        if made is not None:
            return made
        known = [*self.library.definitions, *self.library.orders, *FUNCTIONS, *self.library.operator_names()]
        cure = of_call(name, known, self.library.defined_in(name))
        raise SpecificationError(f"there is no definition or operator `{name}` here", span, cure)

    def _function(self, name: str, nodes: tuple[s.Node, ...], values: list[Value], span: Span) -> Value:
        if name == "rank":
            self._arity(name, values, 1, span)
            value = values[0]
            return value.rank if isinstance(value, Position) else self._shape(nodes[0], value).rank
        if name == "count":
            self._arity(name, values, 1, span)
            if isinstance(values[0], Items):
                return values[0].count
            cure = "count its members: `count { x | x in ... }`" if isinstance(values[0], SetOf) else "name a list"
            raise SpecificationError(f"count needs a list, not {a_kind(kind_of(values[0]))}", span, cure)
        if name in ("div", "mod"):
            self._arity(name, values, 2, span)
            a, b = values
            if not (isinstance(a, Term) and isinstance(b, Term) and a.sort == b.sort == INT):
                raise SpecificationError(f"{name} needs two integers", span, "write integers")
            self.context.require("in-bounds", not_(eq(b, ZERO)), "a divisor is not 0", span)
            return (div if name == "div" else mod)(a, b)
        if name == "given":
            raise SpecificationError("`given` takes a name", span, "write `given(x)`")
        arguments = self._elements(name, nodes, values, span, 2 if name == "ieee_equal" else 1)
        if self.context.family != "float" and not isinstance(arguments[0].sort, FloatSort):
            raise SpecificationError(
                f"`{name}` speaks of floats, and these elements are {self.context.family}",
                span,
                "mark the clause `for float`",
            )
        return self.context.operation(name, *arguments)

    def _elements(
        self, name: str, nodes: tuple[s.Node, ...], values: list[Value], span: Span, wanted: int
    ) -> list[Term]:
        self._arity(name, values, wanted, span)
        found = []
        for node, value in zip(nodes, values, strict=True):
            if not (isinstance(value, Term) and (value.sort == ELEMENT or isinstance(value.sort, MACHINE))):
                raise SpecificationError(
                    f"`{name}` takes elements, and this is {a_kind(kind_of(value))}", node.span, "read an element"
                )
            found.append(value)
        return found

    def _of_undefined(self, undefined: s.Undefined, values: list[Value], span: Span) -> Term:
        self._arity(undefined.name, values, len(undefined.arguments), span)
        terms = [v for v in values if isinstance(v, Term)]
        if len(terms) != len(values):
            raise SpecificationError(f"`{undefined.name}` takes numbers", span, "give it numbers")
        result = BOOL if undefined.result.name == "bool" else INT
        symbol = Symbol(f"undefined..{undefined.name}", tuple(t.sort for t in terms), result, Role.UNDEFINED)
        return apply(symbol, *terms)
