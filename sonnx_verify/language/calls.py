"""Calls: built-in functions, definitions, orders, operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass

from sonnx_verify.errors import Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import family_of
from sonnx_verify.language.cures import of_call
from sonnx_verify.language.library import FUNCTIONS, MACHINE, Call, Setting, a_kind, fits
from sonnx_verify.language.numbers import CONVERSIONS, Numbers
from sonnx_verify.language.values import (
    Declared,
    Items,
    Outcome,
    Position,
    SetOf,
    Value,
    kind_of,
)
from sonnx_verify.language.variables import resolved_type
from sonnx_verify.logic.sorts import BOOL, ELEMENT, ELEMENT_TYPES, INT, REAL, FloatSort
from sonnx_verify.logic.terms import (
    ONE,
    ZERO,
    Symbol,
    Term,
    and_,
    apply,
    div,
    eq,
    integer,
    ite,
    le,
    lt,
    mod,
    not_,
    or_,
    placeholder,
    recursion,
    sub,
)


@dataclass(frozen=True)
class _Recursion:
    """A definition whose body is being elaborated, with what its parameters and its own call mean there."""

    definition: s.Definition
    scope: dict[str, Value]
    variable: Term
    start: int
    below: Term


def _leaf(kind: s.Type) -> str:
    """What a type is of at last."""
    return kind.name if kind.of is None else _leaf(kind.of)


def _plain_name(node: s.Node) -> str:
    return node.text[0] if node.kind == "name" else ""


def _one_less(node: s.Node) -> str:
    """The name n of `n - 1`."""
    if node.kind != "sum" or node.text != ("-",) or node.parts[1].kind != "integer" or node.parts[1].text != ("1",):
        return ""
    return _plain_name(node.parts[0])


class Calls(Numbers):
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

    def apply(self, name: str, values: list[Value], span: Span) -> Value:
        """A definition or operator on given values."""
        return self._defined(name, values, span)

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

    def _arity(self, name: str, values: Sized, wanted: int, span: Span) -> None:
        if len(values) != wanted:
            raise SpecificationError(
                f"`{name}` takes {wanted} argument{'s' if wanted != 1 else ''}, not {len(values)}",
                span,
                f"give it {wanted}",
            )

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

    def _defined(self, name: str, values: list[Value], span: Span) -> Value:
        choices = self.library.definitions[name]
        family = self._family_of(choices, values)
        definition = next((d for d in choices if d.family in ("", family)), None)
        if definition is None:
            raise SpecificationError(
                f"`{name}` is defined for {', '.join(d.family for d in choices)}, not for {family}",
                span,
                f"define it `for {family}`",
            )
        if name in self._calls:
            cycle = " -> ".join([*self._calls[self._calls.index(name) :], name])
            number = next((p.name for p in definition.parameters if p.type.name == "int"), "n")
            itself = name == self._calls[-1]
            cure = f"say on what it recurs: `by recursion on {number} from 0`" if itself else "break the circle"
            raise SpecificationError(f"definitions go round in a circle: {cycle}", span, cure)
        self._arity(name, values, len(definition.parameters), span)
        scope: dict[str, Value] = {}
        for parameter, value in zip(definition.parameters, values, strict=True):
            scope[parameter.name] = self.fitting(value, parameter.type, f"`{name}`", span)
        self._calls.append(name)
        exact, below_exact = self.context.exact, self.context.below_exact
        self.context.exact, self.context.below_exact = False, exact or below_exact
        self._path.append(span)
        try:
            with self.context.calling(span):
                if definition.recursion is not None:
                    return self._recursive(definition, definition.recursion, scope, span)
                result = self.value(definition.body, scope)
        finally:
            self._calls.pop()
            self.context.exact, self.context.below_exact = exact, below_exact
            self._path.pop()
        return self.fitting(result, definition.result, f"the body of `{name}`", definition.body.span)

    def _recursive(self, definition: s.Definition, by: tuple[str, int], scope: dict[str, Value], span: Span) -> Value:
        """A definition that calls itself with one less: first what one step is, then what each step needs."""
        name, start = by
        number = scope.get(name)
        if not isinstance(number, Term) or number.sort != INT:
            raise SpecificationError(
                f"`{definition.name}` goes by recursion on `{name}`, which is no integer parameter",
                definition.span,
                f"declare `{name} : int`",
            )
        self.context.require("in-bounds", le(integer(start), number), f"`{definition.name}` begins at {start}", span)
        sort = {"int": INT, "real": REAL, "bool": BOOL}.get(definition.result.name)
        if sort is None:
            sort = self.context.sort_of(definition.result.name, definition.result.span)
        variable, below = placeholder(INT), placeholder(sort)
        inner: dict[str, Value] = {**scope, name: variable}

        def body(value_below: Term) -> Term:
            self._recursions[definition.name] = _Recursion(definition, inner, variable, start, value_below)
            try:
                made = self.fitting(
                    self.value(definition.body, inner),
                    definition.result,
                    f"the body of `{definition.name}`",
                    definition.body.span,
                )
            finally:
                del self._recursions[definition.name]
            assert isinstance(made, Term)
            if made.sort != sort:
                raise SpecificationError(
                    f"`{definition.name}` goes by recursion and gives {definition.result}, and of these arguments"
                    f" {a_kind(kind_of(made))}",
                    span,
                    f"give it arguments of {definition.result}, or declare a result of {kind_of(made)}",
                )
            return made

        with self.context.silent():
            step = body(below)
        with self.context.ranging(integer(start), number, variable):
            body(recursion(start, sub(variable, ONE), variable, below, step))
        return recursion(start, number, variable, below, step)

    def _call_below(
        self, current: _Recursion, nodes: tuple[s.Node, ...], scope: Mapping[str, Value], span: Span
    ) -> Value:
        """A definition's call of itself: with its own parameters, and one less where it recurs."""
        definition = current.definition
        assert definition.recursion is not None
        by = definition.recursion[0]
        names = [p.name for p in definition.parameters]
        written = [_one_less(n) if name == by else _plain_name(n) for name, n in zip(names, nodes, strict=False)]
        if len(nodes) != len(names) or written != names or any(scope.get(n) is not current.scope[n] for n in names):
            call = ", ".join(f"{n} - 1" if n == by else n for n in names)
            raise SpecificationError(
                f"`{definition.name}` may call itself with its own parameters and one less of `{by}` only",
                span,
                f"write `{definition.name}({call})`",
            )
        needed = lt(integer(current.start), current.variable)
        self.context.require("total", needed, f"`{definition.name}` does not go below {current.start}", span)
        return current.below

    def _family_of(self, choices: Sequence[s.Definition], values: list[Value]) -> str:
        """The family of what is given for T, else of another element type that a definition names, else that of the
        section. It is the same whether the elements of the section are abstract or not."""
        for generic in (True, False):
            for n, value in enumerate(values):
                types = [d.parameters[n].type for d in choices if n < len(d.parameters)]
                named = {_leaf(resolved_type(t, self.context.variables)) for t in types}
                leaf = kind_of(value).split()[-1].rstrip(")")
                if generic and "T" in named and leaf == ELEMENT.name:
                    return self.context.family
                if leaf in ELEMENT_TYPES and ("T" in named if generic else leaf in named and leaf != REAL.name):
                    return family_of(ELEMENT_TYPES[leaf])
        return self.context.family

    def fitting(self, value: Value, wanted: s.Type, whose: str, span: Span) -> Value:
        """The value as the wanted type, or an error. An operator's result fits where a tensor does."""
        wanted = resolved_type(wanted, self.context.variables)
        if isinstance(value, Outcome) and wanted.name == "tensor":
            value = self._result(value, span)
        if not fits(value, wanted):
            raise SpecificationError(
                f"{whose} needs {a_kind(str(wanted))} here, and this is {a_kind(kind_of(value))}",
                span,
                f"give it {a_kind(str(wanted))}",
            )
        return value

    def _of_undefined(self, undefined: s.Undefined, values: list[Value], span: Span) -> Term:
        self._arity(undefined.name, values, len(undefined.arguments), span)
        terms = [v for v in values if isinstance(v, Term)]
        if len(terms) != len(values):
            raise SpecificationError(f"`{undefined.name}` takes numbers", span, "give it numbers")
        result = BOOL if undefined.result.name == "bool" else INT
        symbol = Symbol(f"undefined..{undefined.name}", tuple(t.sort for t in terms), result)
        return apply(symbol, *terms)

    def order(self, order: s.OrderDefinition, x: Term, y: Term, span: Span | None = None) -> Term:
        """`x before y` in an order of the library. It is total as what it says of its own family, T being the type of
        these elements: so it is read, wherever it is used."""
        self.context.know_order(order, self.library)
        family = self.context.family if x.sort == ELEMENT else "int" if x.sort == INT else family_of(x.sort)
        if family != order.family:
            raise SpecificationError(
                f"`{order.name}` is an order on {order.family}, and these elements are {family}",
                span or order.span,
                f"name an order on {family}",
            )
        if x.sort == ELEMENT:
            return self.context.abstract_order(order.name, x, y)
        scope: dict[str, Value] = {order.x: x, order.y: y}
        with self.context.of_elements(family, x.sort):
            within = self.condition(order.body, scope)
            if not order.classes:
                return within
            x_class, y_class = (self.class_number(order, e) for e in (x, y))
        return or_(lt(y_class, x_class), and_(eq(x_class, y_class), within))

    def class_number(self, order: s.OrderDefinition, element: Term) -> Term:
        """The place of an element's class, 0 for the greatest; one more than the last for an element in no class."""
        number = integer(len(order.classes))
        for place in range(len(order.classes) - 1, -1, -1):
            number = ite(self.in_class(order, place, element), integer(place), number)
        return number

    def in_class(self, order: s.OrderDefinition, place: int, element: Term) -> Term:
        """Whether an element meets the condition of a class."""
        return self.condition(order.classes[place][1], {order.of: element})
