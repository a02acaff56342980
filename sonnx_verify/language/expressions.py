"""Control, comparisons, arithmetic, names and reads. Names, kinds and arities are checked on the way."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce

from sonnx_verify.errors import Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.library import FUNCTIONS, Domain, Library, a_kind, binders_of, holes, text_of
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
    same_shape,
    same_tensor,
)
from sonnx_verify.logic.sorts import BOOL, INDEX, INT, REAL, STRING
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Term,
    add,
    and_,
    at,
    bind_forall,
    bind_forall_index,
    eq,
    forall,
    implies,
    integer,
    le,
    literal,
    lt,
    not_,
    or_,
    placeholder,
    scale,
    sub,
    times,
)


class Expressions:
    """Elaborates what needs no definition: the first layer of the elaborator."""

    def __init__(self, library: Library, context: Context, index_base: int = 0) -> None:
        self.library, self.context, self.index_base = library, context, index_base
        self._calls: list[str] = []
        self._path: list[Span] = []

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
        raise SpecificationError(f"this is {a_kind(kind_of(value))}, and {what} is needed", node.span, f"write {what}")

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
                    f"{a_kind(kind_of(value))} is nothing to range over",
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
        *binders, where = binders_of(node.parts[0])
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
        *binders, where = binders_of(node.parts[0])
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
        if isinstance(a, Term) and isinstance(b, Term) and a.sort == b.sort and a.sort not in (BOOL, STRING):
            if a.sort == INT:
                return (le if op == "<=" else lt)(a, b)
            return self.context.operation(op, a, b)
        raise SpecificationError(
            f"`{op}` cannot compare {a_kind(kind_of(a))} with {a_kind(kind_of(b))}",
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
                    f"{a_kind(kind_of(a))} is never {a_kind(kind_of(b))}", node.span, "compare things of one type"
                )

    def _is(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        value, what = self.value(node.parts[0], scope), node.text[0]
        if isinstance(value, Outcome) and what == "valid":
            return value.defined
        if isinstance(value, Outcome):
            value = self._result(value, node.span)
        if not isinstance(value, Tensor):
            raise SpecificationError(
                f"`is {what}` speaks of a tensor, and this is {a_kind(kind_of(value))}", node.span, "name a tensor"
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
        if isinstance(value, Term) and value.sort not in (BOOL, INDEX, STRING):
            return value
        raise SpecificationError(
            f"arithmetic needs numbers, and this is {a_kind(kind_of(value))}", node.span, "write a number or an element"
        )

    def _arithmetic(self, node: s.Node, op: str, a: Term, b: Term) -> Term:
        if a.sort != b.sort:
            raise SpecificationError(
                f"arithmetic on {a_kind(kind_of(a))} and {a_kind(kind_of(b))}", node.span, "use numbers of one type"
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

    def _decimal(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        if len(node.text[0]) > 400:
            raise SpecificationError("a number of more than 400 digits", node.span, "write fewer")
        return literal(Fraction(node.text[0]), REAL)

    def _text_value(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        return literal(node.text[0][1:-1], STRING)

    # ------------------------------------------------------------------------------------------------ names and reads

    def _name(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        name = node.text[0]
        if name in scope:
            return self._value_of(scope[name], name, node.span)
        if name in self.library.definitions or name in self.library.orders or name in FUNCTIONS:
            raise SpecificationError(f"`{name}` needs its arguments", node.span, f"write `{name}(...)`")
        raise self._unknown("name", name, node.span, [*scope, *self.library.definitions, *FUNCTIONS])

    def _value_of(self, value: Value, name: str, span: Span) -> Value:
        """What a name stands for, where that may be read."""
        if not isinstance(value, Declared):
            return value
        if value.needs:
            self.context.require("in-bounds", value.given, f"`{name}` is given", span)
        return value.value

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
                    f"{a_kind(kind_of(owner))} cannot be read at {a_kind(kind_of(argument))}",
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
