"""Definitions and orders of a library on given values, with recursion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass

from sonnx_verify.errors import Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import family_of
from sonnx_verify.language.library import a_kind, fits
from sonnx_verify.language.numbers import Numbers
from sonnx_verify.language.values import Outcome, Value, kind_of
from sonnx_verify.language.variables import resolved_type
from sonnx_verify.logic.sorts import BOOL, ELEMENT, ELEMENT_TYPES, INT, REAL
from sonnx_verify.logic.terms import ONE, Term, and_, eq, integer, ite, le, lt, or_, placeholder, recursion, sub


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


class Definitions(Numbers):
    """The layer of definitions and orders."""

    def apply(self, name: str, values: list[Value], span: Span) -> Value:
        """A definition or operator on given values."""
        return self._defined(name, values, span)

    def _arity(self, name: str, values: Sized, wanted: int, span: Span) -> None:
        if len(values) != wanted:
            raise SpecificationError(
                f"`{name}` takes {wanted} argument{'s' if wanted != 1 else ''}, not {len(values)}",
                span,
                f"give it {wanted}",
            )

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
