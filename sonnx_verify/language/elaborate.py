"""Expressions to terms. Names, kinds and arities are checked on the way; each mistake is an error at its place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, reduce

from sonnx_verify.errors import Source, Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context, family_of
from sonnx_verify.language.parser import parse_expression
from sonnx_verify.language.values import (
    Items,
    Outcome,
    Position,
    SetOf,
    Shape,
    Tensor,
    Value,
    choose,
    instantiate,
    kind_of,
    last,
    listed,
    same_shape,
    same_tensor,
)
from sonnx_verify.logic.operators import GROUPS
from sonnx_verify.logic.sorts import BOOL, ELEMENT, ELEMENT_TYPES, INDEX, INT, REAL, FloatSort, IntegerSort
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Symbol,
    Term,
    add,
    and_,
    apply,
    at,
    bind_fold,
    bind_forall,
    bind_forall_index,
    div,
    eq,
    forall,
    implies,
    index,
    integer,
    ite,
    le,
    lt,
    mod,
    not_,
    or_,
    placeholder,
    scale,
    sub,
    substitute,
    times,
)


@dataclass(frozen=True, slots=True)
class Library:
    """What a file can use: definitions by name (one for each family), orders, facts, general restrictions."""

    definitions: Mapping[str, list[s.Definition]] = field(default_factory=dict)
    orders: Mapping[str, s.OrderDefinition] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    generals: Mapping[str, str] = field(default_factory=dict)
    undefined: Mapping[str, s.Undefined] = field(default_factory=dict)
    operators: Callable[[str, list[Value], Span, Context], Outcome | None] = lambda *_: None


@dataclass(frozen=True, slots=True)
class Domain:
    """What a variable ranges over: integers from low to high, or the indices of a shape."""

    low: Term = ZERO
    high: Term = ZERO
    shape: Shape | None = None


class Elaborator:
    """Elaborates the expressions of one file in one context."""

    def __init__(self, library: Library, context: Context, index_base: int = 0) -> None:
        self.library, self.context, self.index_base = library, context, index_base
        self._calls: list[str] = []

    # ------------------------------------------------------------------------------------------------ entry points

    def value(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        """The meaning of an expression."""
        return getattr(self, f"_{node.kind.strip('_')}")(node, scope)  # type: ignore[no-any-return]  # dispatch by rule

    def condition(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        """The meaning of an expression that has to be true or false."""
        return self._term(node, scope, BOOL, "a condition")

    def integer(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        """The meaning of an expression that has to be an integer."""
        return self._term(node, scope, INT, "an integer")

    def _term(self, node: s.Node, scope: Mapping[str, Value], sort: object, what: str) -> Term:
        value = self.value(node, scope)
        if isinstance(value, Term) and value.sort == sort:
            return value
        raise SpecificationError(f"this is {_a(kind_of(value))}, and {what} is needed", node.span, f"write {what}")

    def _result(self, outcome: Outcome, span: Span) -> Tensor:
        """What an operator gives, to be looked into: only where it is no error."""
        self.context.require("total", outcome.defined, "the operator has a result", span)
        return outcome.result

    def _shape(self, node: s.Node, value: Value) -> Shape:
        match value:
            case Shape():
                return value
            case Tensor():
                return value.shape
            case Outcome():
                return self._result(value, node.span).shape
            case _:
                raise SpecificationError(
                    f"this is {_a(kind_of(value))}, and a shape or a tensor is needed", node.span, "name a tensor"
                )

    # ---------------------------------------------------------------------------------------------------- control

    def _if(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        condition = self.condition(node.parts[0], scope)
        with self.context.assuming(condition):
            then = self.value(node.parts[1], scope)
        with self.context.assuming(not_(condition)):
            otherwise = self.value(node.parts[2], scope)
        made = choose(condition, then, otherwise)
        if made is None:
            raise SpecificationError(
                f"one branch is {_a(kind_of(then))}, the other {_a(kind_of(otherwise))}",
                node.span,
                "give both branches the same type",
            )
        self.context.branch(condition, node.span)
        return made

    def _group(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        return self.value(node.parts[0], scope)

    def domain(self, node: s.Node, scope: Mapping[str, Value]) -> Domain:
        """What a variable ranges over: an interval, the positions of a list, the axes or indices of a shape."""
        if node.kind == "range":
            low, high = (self.integer(p, scope) for p in node.parts)
            return Domain(low, high)
        if node.kind == "call" and node.parts[0].kind == "name":
            name = node.parts[0].text[0]
            if name in ("axes", "indices") and len(node.parts[1].parts) == 1:
                argument = node.parts[1].parts[0]
                shape = self._shape(argument, self.value(argument, scope))
                if name == "indices":
                    return Domain(shape=shape)
                return Domain(ZERO, last(shape.rank))
        value = self.value(node, scope)
        match value:
            case Items():
                return Domain(integer(value.base), add(integer(value.base - 1), value.count))
            case Shape() | Tensor() | Outcome():
                return Domain(shape=self._shape(node, value))
            case _:
                raise SpecificationError(
                    f"{_a(kind_of(value))} is nothing to range over",
                    node.span,
                    "write a range `0 .. n`, a list, `axes(X)`, or a tensor for its indices",
                )

    def _bound(self, domain: Domain) -> tuple[Term, Value]:
        if domain.shape is None:
            variable = placeholder(INT)
            return variable, variable
        variable = placeholder(INDEX)
        return variable, Position(variable, domain.shape.rank)

    def _for_all(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        *binders, where = _binders(node.parts[0])
        if node.text:
            self._check_sentence(node, scope)
        return self._quantified(binders, where, node.parts[1], dict(scope), implies)

    def _check_sentence(self, node: s.Node, scope: Mapping[str, Value]) -> None:
        """The expressions in the sentence that tells why a `for all` fails have to mean something."""
        inner = dict(scope)
        with self.context.silent():
            for binder in node.parts[0].parts:
                if binder.kind == "binder":
                    inner[binder.text[0]] = self._bound(self.domain(binder.parts[0], inner))[1]
            for hole in holes(node):
                self.value(hole, inner)

    def _exists(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        *binders, where = _binders(node.parts[0])
        return not_(self._quantified(binders, where, node.parts[1], dict(scope), lambda a, b: implies(a, not_(b))))

    def _quantified(
        self,
        binders: list[s.Node | None],
        where: s.Node | None,
        body: s.Node,
        scope: dict[str, Value],
        combine: Callable[[Term, Term], Term],
    ) -> Term:
        if not binders:
            condition = TRUE if where is None else self.condition(where, scope)
            with self.context.assuming(condition):
                return combine(condition, self.condition(body, scope))
        first, *others = binders
        assert first is not None
        domain = self.domain(first.parts[0], scope)
        variable, value = self._bound(domain)
        scope[first.text[0]] = value
        if domain.shape is None:
            with self.context.ranging(domain.low, domain.high, variable):
                inner = self._quantified(others, where, body, scope, combine)
            return bind_forall(domain.low, domain.high, variable, inner)
        with self.context.indexing(domain.shape.rank, domain.shape.dim, variable):
            inner = self._quantified(others, where, body, scope, combine)
        return bind_forall_index(domain.shape.rank, domain.shape.dim, variable, inner)

    def _implies(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        a = self.condition(node.parts[0], scope)
        with self.context.assuming(a):
            return implies(a, self.condition(node.parts[1], scope))

    def _iff(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        return eq(self.condition(node.parts[0], scope), self.condition(node.parts[1], scope))

    def _conjunction(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        return self._junction(node.parts, scope, TRUE, and_, lambda a: a)

    def _disjunction(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        return self._junction(node.parts, scope, FALSE, or_, not_)

    def _junction(
        self,
        parts: tuple[s.Node, ...],
        scope: Mapping[str, Value],
        unit: Term,
        join: Callable[..., Term],
        met: Callable[[Term], Term],
    ) -> Term:
        """Joined from the left: what stands on the right is only looked at where the left has not decided."""
        made = unit
        for part in parts:
            with self.context.assuming(met(made)):
                made = join(made, self.condition(part, scope))
        return made

    def _not(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        return not_(self.condition(node.parts[0], scope))

    # ------------------------------------------------------------------------------------------------- comparisons

    def _relation(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        values = [self.value(p, scope) for p in node.parts]
        return and_(*(self._compare(node, op, a, b) for op, a, b in zip(node.text, values, values[1:], strict=False)))

    def _compare(self, node: s.Node, op: str, a: Value, b: Value) -> Term:
        if op in ("=", "!="):
            same = self._same(node, a, b)
            return same if op == "=" else not_(same)
        if op in (">", ">="):
            op, a, b = {">": "<", ">=": "<="}[op], b, a
        if isinstance(a, Term) and isinstance(b, Term) and a.sort == b.sort and a.sort != BOOL:
            if a.sort == INT:
                return (le if op == "<=" else lt)(a, b)
            return self.context.operation(op, a, b)
        raise SpecificationError(
            f"`{op}` cannot compare {_a(kind_of(a))} with {_a(kind_of(b))}",
            node.span,
            "compare numbers, or elements of one type",
        )

    def _same(self, node: s.Node, a: Value, b: Value) -> Term:
        match a, b:
            case Term(), Term() if a.sort == b.sort:
                return eq(a, b)
            case Shape(), Shape():
                return same_shape(a, b)
            case Tensor(), Tensor() if a.sort == b.sort:
                return same_tensor(a, b)
            case Position(), Position():
                return and_(eq(a.rank, b.rank), eq(a.term, b.term))
            case Outcome(), Outcome() if a.result.sort == b.result.sort:
                return and_(eq(a.defined, b.defined), implies(a.defined, same_tensor(a.result, b.result)))
            case Outcome(), Tensor() if a.result.sort == b.sort:
                return and_(a.defined, same_tensor(a.result, b))
            case Tensor(), Outcome():
                return self._same(node, b, a)
            case _:
                raise SpecificationError(
                    f"{_a(kind_of(a))} is never {_a(kind_of(b))}", node.span, "compare things of one type"
                )

    def _is(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        value, what = self.value(node.parts[0], scope), node.text[0]
        if isinstance(value, Outcome) and what == "valid":
            return value.defined
        if isinstance(value, Outcome):
            value = self._result(value, node.span)
        if not isinstance(value, Tensor):
            raise SpecificationError(
                f"`is {what}` speaks of a tensor, and this is {_a(kind_of(value))}", node.span, "name a tensor"
            )
        if what not in self.library.facts:
            raise self._unknown("fact", what, node.span, list(self.library.facts))
        if value.facts is not None:
            return value.facts(what)
        if not self.context.applied:
            raise SpecificationError(
                f"whether it `is {what}` is known of an operator's inputs only", node.span, "leave this out"
            )
        return TRUE

    def _is_not(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        return not_(self._is(node, scope))

    def _fails(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        name = node.text[0]
        value = scope.get(f"[{name}]")
        if not isinstance(value, Term):
            known = [k[1:-1] for k in scope if k.startswith("[")]
            raise self._unknown("constraint", name, node.span, known)
        return not_(value)

    # -------------------------------------------------------------------------------------------------- arithmetic

    def _sum(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        values = [self.value(p, scope) for p in node.parts]
        made = self._number(node.parts[0], values[0])
        for sign, part, value in zip(node.text, node.parts[1:], values[1:], strict=True):
            made = self._arithmetic(node, "add" if sign == "+" else "sub", made, self._number(part, value))
        return made

    def _product(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        values = [self._number(p, self.value(p, scope)) for p in node.parts]
        return reduce(lambda a, b: self._arithmetic(node, "mul", a, b), values)

    def _negative(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        value = self._number(node.parts[0], self.value(node.parts[0], scope))
        return scale(-1, value) if value.sort in (INT, REAL) else self.context.operation("neg", value)

    def _number(self, node: s.Node, value: Value) -> Term:
        if isinstance(value, Term) and value.sort not in (BOOL, INDEX):
            return value
        raise SpecificationError(
            f"arithmetic needs numbers, and this is {_a(kind_of(value))}", node.span, "write a number or an element"
        )

    def _arithmetic(self, node: s.Node, op: str, a: Term, b: Term) -> Term:
        if a.sort != b.sort:
            raise SpecificationError(
                f"arithmetic on {_a(kind_of(a))} and {_a(kind_of(b))}", node.span, "use numbers of one type"
            )
        if a.sort in (INT, REAL):
            return add(a, b) if op == "add" else sub(a, b) if op == "sub" else times(a, b)
        return self.context.operation(op, a, b)

    def _power(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        base = self.integer(node.parts[0], scope)
        exponent = int(node.text[0])
        if base.op != "literal" or exponent > 1024:
            raise SpecificationError(
                "only a written-out number has powers, up to the 1024th", node.span, "write a constant such as 2^31"
            )
        assert isinstance(base.payload, int)
        return integer(base.payload**exponent)

    def _integer(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        if len(node.text[0]) > 400:
            raise SpecificationError("a number of more than 400 digits", node.span, "write a power, such as 2^31")
        return integer(int(node.text[0]))

    # ------------------------------------------------------------------------------------------------ names and reads

    def _name(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        name = node.text[0]
        if name in scope:
            return scope[name]
        if name in self.library.definitions or name in self.library.orders or name in FUNCTIONS:
            raise SpecificationError(f"`{name}` needs its arguments", node.span, f"write `{name}(...)`")
        raise self._unknown("name", name, node.span, [*scope, *self.library.definitions, *FUNCTIONS])

    def _unknown(self, what: str, name: str, span: Span, known: list[str]) -> SpecificationError:
        near = difflib.get_close_matches(name, [k for k in known if not k.startswith("[")], n=1)
        cure = f"did you mean `{near[0]}`?" if near else f"define `{name}`, or `use` the library that does"
        return SpecificationError(f"there is no {what} `{name}` here", span, cure)

    def _member(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        value, field_name = self.value(node.parts[0], scope), node.text[0]
        if field_name == "shape":
            return self._shape(node.parts[0], value)
        raise SpecificationError(f"nothing has a `{field_name}`", node.span, "a tensor has a `.shape`")

    def _read(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        owner, argument = self.value(node.parts[0], scope), self.value(node.parts[1], scope)
        span = node.span
        if isinstance(owner, Outcome):
            owner = self._result(owner, span)
        match owner, argument:
            case Items(), Term() if argument.sort == INT:
                position = sub(argument, integer(owner.base))
                self._inside(position, owner.count, f"the list has no item at this position: {text_of(node)}", span)
                return owner.item(position)
            case Shape(), Term() if argument.sort == INT:
                self._inside(argument, owner.rank, f"the shape has no such axis: {text_of(node)}", span)
                return owner.dim(sub(last(owner.rank), argument))
            case Position(), Term() if argument.sort == INT:
                self._inside(argument, owner.rank, f"the index has no such axis: {text_of(node)}", span)
                return add(at(owner.term, sub(last(owner.rank), argument)), integer(self.index_base))
            case Tensor(), Position():
                return self._element(owner, argument, node)
            case _:
                raise SpecificationError(
                    f"{_a(kind_of(owner))} cannot be read at {_a(kind_of(argument))}",
                    span,
                    "read tensors at an index; lists, shapes and indices at an integer",
                )

    def _element(self, owner: Tensor, position: Position, node: s.Node) -> Term:
        shape = owner.shape
        within = forall(
            ZERO,
            last(shape.rank),
            lambda q: and_(le(ZERO, at(position.term, q)), lt(at(position.term, q), shape.dim(q))),
        )
        self.context.require(
            "in-bounds", and_(eq(position.rank, shape.rank), within), f"the read {text_of(node)}", node.span
        )
        return owner.read(position.term)

    def _inside(self, position: Term, count: Term, reason: str, span: Span) -> None:
        self.context.require("in-bounds", and_(le(ZERO, position), lt(position, count)), reason, span)

    def _slice(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        owner = self.value(node.parts[0], scope)
        if not isinstance(owner, Items):
            raise SpecificationError(
                f"only a list has parts, and this is {_a(kind_of(owner))}", node.span, "take a part of a list"
            )
        low, high = (self.integer(p, scope) for p in node.parts[1].parts)
        start = sub(low, integer(owner.base))
        count = add(sub(high, low), ONE)
        self.context.require(
            "in-bounds",
            and_(le(ZERO, start), le(ZERO, count), le(add(start, count), owner.count)),
            f"the list has no such part: {text_of(node)}",
            node.span,
        )
        return Items(count, lambda m: owner.item(add(start, m)), owner.kind)

    # ------------------------------------------------------------------------------------------------------- calls

    def _call(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        head = node.parts[0]
        if head.kind != "name":
            raise SpecificationError("only a name can be called", head.span, "write `name(arguments)`")
        nodes = node.parts[1].parts
        return self._apply(head.text[0], nodes, [self.value(p, scope) for p in nodes], node.span)

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
        if name in self.library.orders:
            x, y = self._elements(name, nodes, values, span, 2)
            return self.order(self.library.orders[name], x, y)
        if name in self.library.definitions:
            return self._defined(name, values, span)
        if name in self.library.undefined:
            return self._of_undefined(self.library.undefined[name], values, span)
        made = self.library.operators(name, values, span, self.context)
        if made is not None:
            return made
        known = [*self.library.definitions, *self.library.orders, *FUNCTIONS]
        raise self._unknown("definition or operator", name, span, known)

    def _function(self, name: str, nodes: tuple[s.Node, ...], values: list[Value], span: Span) -> Value:
        if name == "rank":
            self._arity(name, values, 1, span)
            value = values[0]
            return value.rank if isinstance(value, Position) else self._shape(nodes[0], value).rank
        if name == "count":
            self._arity(name, values, 1, span)
            if isinstance(values[0], Items):
                return values[0].count
            raise SpecificationError(f"count needs a list, not {_a(kind_of(values[0]))}", span, "name a list")
        if name in ("div", "mod"):
            self._arity(name, values, 2, span)
            a, b = values
            if not (isinstance(a, Term) and isinstance(b, Term) and a.sort == b.sort == INT):
                raise SpecificationError(f"{name} needs two integers", span, "write integers")
            self.context.require("in-bounds", not_(eq(b, ZERO)), "a divisor is not 0", span)
            return (div if name == "div" else mod)(a, b)
        arguments = self._elements(name, nodes, values, span, 2 if name == "ieee_equal" else 1)
        if self.context.family != "float" and not isinstance(arguments[0].sort, FloatSort):
            raise SpecificationError(
                f"`{name}` speaks of floats, and these elements are {self.context.family}",
                span,
                "mark the clause `for float`",
            )
        return self.context.operation(name, *arguments)

    def _arity(self, name: str, values: list[Value], wanted: int, span: Span) -> None:
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
            if not (isinstance(value, Term) and (value.sort == ELEMENT or isinstance(value.sort, _MACHINE))):
                raise SpecificationError(
                    f"`{name}` takes elements, and this is {_a(kind_of(value))}", node.span, "read an element"
                )
            found.append(value)
        return found

    def _defined(self, name: str, values: list[Value], span: Span) -> Value:
        choices = self.library.definitions[name]
        family = self._family_of(values)
        definition = next((d for d in choices if d.family in ("", family)), None)
        if definition is None:
            raise SpecificationError(
                f"`{name}` is defined for {', '.join(d.family for d in choices)}, not for {family}",
                span,
                f"define it `for {family}`",
            )
        if name in self._calls:
            cycle = " -> ".join([*self._calls[self._calls.index(name) :], name])
            raise SpecificationError(f"definitions go round in a circle: {cycle}", span, "break the circle")
        self._arity(name, values, len(definition.parameters), span)
        scope: dict[str, Value] = {}
        for parameter, value in zip(definition.parameters, values, strict=True):
            scope[parameter.name] = self._fitting(value, parameter.type, f"`{name}`", span)
        self._calls.append(name)
        try:
            result = self.value(definition.body, scope)
        finally:
            self._calls.pop()
        return self._fitting(result, definition.result, f"the body of `{name}`", definition.body.span)

    def _family_of(self, values: list[Value]) -> str:
        """The family of the elements among the arguments, or that of T."""
        for value in values:
            sort = ELEMENT_TYPES.get(kind_of(value).split()[-1].rstrip(")"))
            if isinstance(sort, _MACHINE):
                return family_of(sort)
        return self.context.family

    def _fitting(self, value: Value, wanted: s.Type, whose: str, span: Span) -> Value:
        """The value as the wanted type, or an error. An operator's result fits where a tensor does."""
        if isinstance(value, Outcome) and wanted.name == "tensor":
            value = self._result(value, span)
        if not _fits(value, wanted):
            raise SpecificationError(
                f"{whose} needs {_a(str(wanted))} here, and this is {_a(kind_of(value))}",
                span,
                f"give it {_a(str(wanted))}",
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

    def order(self, order: s.OrderDefinition, x: Term, y: Term) -> Term:
        """`x before y` in an order of the library."""
        self.context.know_order(order, self.library)
        if x.sort == ELEMENT:
            return self.context.abstract_order(order.name, x, y)
        scope: dict[str, Value] = {order.x: x, order.y: y}
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

    # ---------------------------------------------------------------------------------------- lists, sets and folds

    def _listed(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        values = [self.value(p, scope) for p in node.parts[0].parts]
        made = listed(values)
        if made is None:
            raise SpecificationError(
                "the list has things of several types: " + ", ".join(kind_of(v) for v in values),
                node.span,
                "list things of one type",
            )
        return made

    def _set(self, node: s.Node, scope: Mapping[str, Value]) -> SetOf:
        *binders, where = _binders(node.parts[1])
        if len(binders) != 1 or binders[0] is None:
            raise SpecificationError("a set has one variable", node.span, "write { e | k in low .. high where c }")
        domain = self.domain(binders[0].parts[0], scope)
        if domain.shape is not None:
            raise SpecificationError("a set ranges over integers", node.span, "range over a list or an interval")
        variable = placeholder(INT)
        inner = {**scope, binders[0].text[0]: variable}
        with self.context.ranging(domain.low, domain.high, variable):
            condition = TRUE if where is None else self.condition(where, inner)
            with self.context.assuming(condition):
                body = self.value(node.parts[0], inner)
        if not isinstance(body, Term) or body.sort in (BOOL, INDEX):
            raise SpecificationError(
                f"a set holds numbers or elements, not {_a(kind_of(body))}", node.parts[0].span, "write a number"
            )
        return SetOf(domain.low, domain.high, variable, condition, body)

    def _fold(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        kind, *rest = node.text
        base = self.value(node.parts[0], scope)
        if not isinstance(base, SetOf):
            raise SpecificationError(
                f"`{kind}` takes a set, and this is {_a(kind_of(base))}", node.parts[0].span, "write { ... | ... }"
            )
        fallback = next((p for p in node.parts if p.kind == "default"), None)
        otherwise = None if fallback is None else self._number(fallback, self.value(fallback.parts[0], scope))
        if otherwise is not None and otherwise.sort != base.body.sort:
            raise SpecificationError("the default has another type than the set", node.span, "give both one type")
        order = self._order_of(node, kind, rest[0] if rest else "", base)
        if kind != "sum":
            self._choice(node, kind, base, otherwise)
        name = {"max": "greatest", "min": "greatest", "least": "greatest"}.get(kind, kind)
        return bind_fold(name, base.low, base.high, base.variable, base.condition, base.body, order, otherwise)

    def _order_of(self, node: s.Node, kind: str, name: str, base: SetOf) -> Callable[[Term, Term], Term]:
        sort = base.body.sort
        if kind in ("greatest", "least"):
            if name not in self.library.orders:
                raise self._unknown("order", name, node.span, list(self.library.orders))
            order = self.library.orders[name]
            self.context.know_order(order, self.library)
            self.context.fold_orders[(name, sort)] = None
            if kind == "greatest":
                return lambda x, y: self.order(order, x, y)
            return lambda x, y: self.order(order, y, x)
        if kind in ("max", "min", "sum") and sort != INT:
            raise SpecificationError(
                f"`{kind}` is for integers, and this is a set of {sort}",
                node.span,
                "name an order: `greatest S by ...`",
            )
        return (lambda x, y: le(y, x)) if kind == "min" else le

    def _choice(self, node: s.Node, kind: str, base: SetOf, otherwise: Term | None) -> None:
        """Without a default the set must not be empty; the only member has to be the only one."""

        def member(m: Term) -> Term:
            return substitute(base.condition, {base.variable: m})

        if otherwise is None:
            empty = forall(base.low, base.high, lambda m: not_(member(m)))
            self.context.require("total", not_(empty), f"the set is not empty: {text_of(node)}", node.span)
        if kind == "the":

            def value(m: Term) -> Term:
                return substitute(base.body, {base.variable: m})

            one = forall(
                base.low,
                base.high,
                lambda m: forall(
                    base.low, base.high, lambda n: implies(and_(member(m), member(n)), eq(value(m), value(n)))
                ),
            )
            self.context.require("total", one, f"the set has one member only: {text_of(node)}", node.span)

    def _make(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        """A list, shape, index or tensor given by its parts."""
        kind, name = node.text
        domain = self.domain(node.parts[0], scope)
        body = node.parts[1]
        if kind == "tensor":
            if domain.shape is None:
                raise SpecificationError("a tensor is given by its indices", node.span, "range over a shape")
            return self._make_tensor(domain.shape, name, body, scope)
        if domain.shape is not None:
            raise SpecificationError(f"{_a(kind)} is given by its positions", node.span, "range over integers")
        count = add(sub(domain.high, domain.low), ONE)
        variable = placeholder(INT)
        if kind == "list":
            self.context.require("total", le(ZERO, count), f"no negative length: {text_of(node)}", node.span)
            with self.context.ranging(ZERO, last(count), variable):
                item = self._part(domain, name, body, scope, variable, count)
            return Items(count, lambda m: instantiate(item, variable, m), kind_of(item))
        with self.context.ranging(ZERO, last(count), variable):
            # Axis q from the right is position count - 1 - q of the range.
            size = self._number(body, self._part(domain, name, body, scope, sub(last(count), variable), count))
            if size.sort != INT:
                raise SpecificationError(f"{_a(kind)} holds integers", body.span, "write an integer")
            if kind == "index":
                size = sub(size, integer(self.index_base))
            else:
                reason = f"no size is negative: {text_of(node)}"
                self.context.require("total", le(ZERO, size), reason, node.span)
        self.context.require("total", le(ZERO, count), f"the rank is not negative: {text_of(node)}", node.span)

        def coordinate(q: Term) -> Term:
            return substitute(size, {variable: q})

        if kind == "shape":
            return Shape(count, coordinate)
        return Position(index(count, coordinate), count)

    def _part(
        self, domain: Domain, name: str, body: s.Node, scope: Mapping[str, Value], position: Term, count: Term
    ) -> Value:
        with self.context.assuming(and_(le(ZERO, position), lt(position, count))):
            return self.value(body, {**scope, name: add(domain.low, position)})

    def _make_tensor(self, shape: Shape, name: str, body: s.Node, scope: Mapping[str, Value]) -> Tensor:
        variable = placeholder(INDEX)
        with self.context.indexing(shape.rank, shape.dim, variable):
            element = self.value(body, {**scope, name: Position(variable, shape.rank)})
        if not isinstance(element, Term) or element.sort in (INT, INDEX):
            raise SpecificationError(
                f"a tensor holds elements, not {_a(kind_of(element))}", body.span, "write an element"
            )
        return Tensor(shape, lambda i: substitute(element, {variable: i}), element.sort)

    def _replaced(self, node: s.Node, scope: Mapping[str, Value]) -> Position:
        position = self.value(node.parts[0], scope)
        if not isinstance(position, Position):
            raise SpecificationError(
                f"only an index has a coordinate to replace, not {_a(kind_of(position))}", node.span, "name an index"
            )
        axis = self.integer(node.parts[1], scope)
        value = self.integer(node.parts[2], scope)
        self._inside(axis, position.rank, f"the index has no such axis: {text_of(node)}", node.span)
        where = sub(last(position.rank), axis)
        old = position.term
        return Position(
            index(position.rank, lambda q: ite(eq(q, where), sub(value, integer(self.index_base)), at(old, q))),
            position.rank,
        )


_MACHINE = IntegerSort | FloatSort
FUNCTIONS = frozenset(GROUPS["float"] | {"rank", "count", "div", "mod", "axes", "indices"})


def _fits(value: Value, wanted: s.Type) -> bool:
    match value, wanted.name:
        case Term(), "int":
            return value.sort == INT
        case Term(), "bool":
            return value.sort == BOOL
        case Term(), "T":
            return value.sort == ELEMENT or value.sort.name in ELEMENT_TYPES
        case Term(), _:
            return value.sort.name == wanted.name
        case Shape(), "shape":
            return True
        case Position(), "index":
            return True
        case Tensor(), "tensor":
            assert wanted.of is not None
            return wanted.of.name == "T" or value.sort.name == wanted.of.name
        case Items(), "list":
            return _same_kind(value.kind, str(wanted.of))
        case SetOf(), "set":
            assert wanted.of is not None
            return _fits(value.body, wanted.of)
        case _:
            return False


@cache
def holes(node: s.Node) -> tuple[s.Node, ...]:
    """The expressions in braces in the sentence of a `for all`."""
    found = []
    for text in re.findall(r"\{([^{}]*)\}", node.text[0]):
        try:
            found.append(parse_expression(Source(node.span.source.name, text)))
        except SpecificationError as problem:
            raise SpecificationError(
                f"in the sentence after `otherwise`: {problem.message}", node.span, "write an expression in the braces"
            ) from None
    return tuple(found)


def _same_kind(kind: str, wanted: str) -> bool:
    """Whether what a list holds, by its name, is what is wanted; T stands for any element."""
    return kind == wanted or (wanted.split()[-1] == "T" and kind.split()[:-1] == wanted.split()[:-1])


def _binders(node: s.Node) -> list[s.Node | None]:
    """The binders, and at the end the condition or None."""
    where = next((p.parts[0] for p in node.parts if p.kind == "where"), None)
    return [*(p for p in node.parts if p.kind == "binder"), where]


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def text_of(node: s.Node) -> str:
    """The expression as it is written, on one line."""
    source, span = node.span.source, node.span
    lines = source.text.split("\n")
    start = sum(len(line) + 1 for line in lines[: span.line - 1]) + span.column - 1
    return " ".join(source.text[start : start + span.length].split())
