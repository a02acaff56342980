"""Control, connectives, names and reads. Names, kinds and arities are checked on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sonnx_verify.errors import Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.cures import near, of_member, of_name, of_two
from sonnx_verify.language.library import FUNCTIONS, Library, a_kind, text_of
from sonnx_verify.language.values import (
    Declared,
    Items,
    Outcome,
    Position,
    Shape,
    Tensor,
    Value,
    choose,
    kind_of,
    last,
)
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INT
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Term,
    add,
    and_,
    at,
    eq,
    forall,
    implies,
    index,
    integer,
    le,
    lt,
    not_,
    or_,
    sub,
)


class Expressions:
    """Elaborates what needs no definition: the first layer of the elaborator."""

    def __init__(self, library: Library, context: Context, index_base: int = 0) -> None:
        self.library, self.context, self.index_base = library, context, index_base
        self._calls: list[str] = []
        self._recursions: dict[str, Any] = {}
        self._path: list[Span] = []

    # ------------------------------------------------------------------------------------------------ entry points

    def value(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        """The meaning of an expression. Where arithmetic is exact an integer element is the integer it stands for."""
        made: Value = getattr(self, f"_{node.kind.strip('_')}")(node, scope)  # dispatch by rule
        return self.exactly(made) if self.context.exact and isinstance(made, Term) else made

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
        cure = f"write {what}"
        if sort == BOOL and isinstance(value, Term) and value.sort == ELEMENT:
            cure = "compare it; elements that are conditions stand in a `tensor of bool`, or belong to the family bool"
        raise SpecificationError(f"this is {a_kind(kind_of(value))}, and {what} is needed", node.span, cure)

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
                    f"this is {a_kind(kind_of(value))}, and a shape or a tensor is needed", node.span, "name a tensor"
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
                f"one branch is {a_kind(kind_of(then))}, the other {a_kind(kind_of(otherwise))}",
                node.span,
                of_two(then, otherwise, self.context),
            )
        self.context.branch(condition, node.span)
        return made

    def _group(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        return self.value(node.parts[0], scope)

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

    # ------------------------------------------------------------------------------------------------ names and reads

    def _name(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        name = node.text[0]
        if name in scope:
            return self._value_of(scope[name], name, node.span)
        if name in self.library.definitions or name in self.library.orders or name in FUNCTIONS:
            raise SpecificationError(f"`{name}` needs its arguments", node.span, f"write `{name}(...)`")
        known = [*scope, *self.library.definitions, *FUNCTIONS]
        raise SpecificationError(f"there is no name `{name}` here", node.span, of_name(name, scope, known))

    def _value_of(self, value: Value, name: str, span: Span) -> Value:
        """What a name stands for, where that may be read."""
        if not isinstance(value, Declared):
            return value
        if value.needs:
            self.context.require("in-bounds", value.given, f"`{name}` is given", span)
        return value.value

    def _unknown(self, what: str, name: str, span: Span, known: list[str]) -> SpecificationError:
        listed = ", ".join(f"`{k}`" for k in known[:8])
        cure = f"known here: {listed}" if listed else "state it, or `use` what states it"
        if found := near(name, known):
            cure = f"did you mean `{found}`?"
        return SpecificationError(f"there is no {what} `{name}` here", span, cure)

    def _member(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        value, field_name = self.value(node.parts[0], scope), node.text[0]
        if field_name == "shape":
            return self._shape(node.parts[0], value)
        raise SpecificationError(f"nothing has a `{field_name}`", node.span, of_member(field_name))

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
            case Tensor(), Items() if argument.kind == "int":
                coordinates = argument
                place = index(coordinates.count, lambda q: self._coordinate(coordinates, q))
                return self._element(owner, Position(place, coordinates.count), node)
            case _:
                raise SpecificationError(
                    f"{a_kind(kind_of(owner))} cannot be read at {a_kind(kind_of(argument))}",
                    span,
                    "read tensors at an index, of one axis `X[[k]]`; lists, shapes and indices at an integer",
                )

    def _element(self, owner: Tensor, position: Position, node: s.Node) -> Term:
        shape = owner.shape
        within = forall(
            ZERO,
            last(shape.rank),
            lambda q: and_(le(ZERO, at(position.term, q)), lt(at(position.term, q), shape.dim(q))),
        )
        right, reason = and_(eq(position.rank, shape.rank), within), f"the read {text_of(node)}"
        self.context.require("in-bounds", right, reason, node.span, (position, shape, self.index_base))
        return owner.read(position.term)

    def _coordinate(self, coordinates: Items, axis: Term) -> Term:
        item = coordinates.item(sub(last(coordinates.count), axis))
        assert isinstance(item, Term)
        return sub(item, integer(self.index_base))

    def exactly(self, element: Term) -> Term:
        """An element as it is read where arithmetic is exact; the layer of numbers says how."""
        return element

    def _inside(self, position: Term, count: Term, reason: str, span: Span) -> None:
        self.context.require("in-bounds", and_(le(ZERO, position), lt(position, count)), reason, span)

    def _slice(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        owner = self.value(node.parts[0], scope)
        if not isinstance(owner, Items):
            raise SpecificationError(
                f"only a list has parts, and this is {a_kind(kind_of(owner))}", node.span, "take a part of a list"
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
