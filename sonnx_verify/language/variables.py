"""Declared names as free symbols: what they are made of, and what their types alone say of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.values import Items, Members, Position, Shape, Tensor, Value, last
from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, INDEX, INT, Sort
from sonnx_verify.logic.terms import ZERO, Symbol, Term, add, and_, apply, at, forall, inside_shape, integer, le, sub


@dataclass(frozen=True, slots=True)
class Variable:
    """A declared name. `count` is the length of a family, else None; `role` says where the name comes from.

    Symbols: `name.rank`, `name.dim`, `name.read` and one for each fact; the first argument of each is the position in
    the family where there is one. An integer or element is the symbol `name` itself.
    """

    name: str
    kind: str
    sort: Sort
    count: Term | None
    base: int
    facts: tuple[str, ...] = ()
    role: str = "input"
    type_variable: bool = False

    def symbol(self, part: str) -> Symbol:
        """The symbol of one part: rank, dim, read, a fact, or `` for the name itself."""
        leading = () if self.count is None else (INT,)
        arguments = {"rank": (), "dim": (INT,), "read": (INDEX,), "member": (INT,)}.get(part, ())
        result = {"rank": INT, "dim": INT, "read": self.sort, "": self.sort}.get(part, BOOL)
        return Symbol(f"{self.name}.{part}" if part else self.name, (*leading, *arguments), result)


def element_sort(kind: s.Type, context: Context) -> Sort:
    """The element sort a type names: T's, or a type of ONNX."""
    if kind.name == "T":
        return context.element
    if kind.name in ELEMENT_TYPES:
        return ELEMENT_TYPES[kind.name]
    raise SpecificationError(
        f"there is no element type `{kind.name}`", kind.span, "T, or one of " + ", ".join(ELEMENT_TYPES)
    )


def variable_of(
    declaration: s.Declaration, context: Context, count: Term | None, base: int, facts: Iterable[str], role: str
) -> Variable:
    """The variable that a declaration introduces."""
    kind, named = declaration.type.name, declaration.type
    listed = kind == "list"
    if listed:
        assert named.of is not None
        named = named.of
        kind = named.name
    if kind == "index":
        sort = INDEX
    elif kind == "set":
        assert named.of is not None
        if named.of.name != "int":
            raise SpecificationError(
                f"`{declaration.name}` is a {named}: only sets of int are declared",
                declaration.type.span,
                "declare `set of int`",
            )
        sort = BOOL
    elif kind in ("ints", "int"):
        listed = listed or kind == "ints"
        kind, sort = "int", INT
    elif kind == "shape":
        sort = INT
    elif kind == "tensor":
        assert named.of is not None
        sort = element_sort(named.of, context)
    else:
        sort = element_sort(named, context)
        kind = "element"
    if listed and count is None:
        count = Symbol(f"{declaration.name}.count", (), INT)()
    over = kind == "tensor" and named.of is not None and named.of.name == "T" or named.name == "T"
    known = tuple(facts) if kind == "tensor" and role == "input" else ()
    return Variable(declaration.name, kind, sort, count, base, known, role, over)


def value_of(variable: Variable) -> Value:
    """The variable as a value."""
    if variable.count is None:
        return _single(variable, ())
    kind = {"tensor": f"tensor of {variable.sort}", "element": variable.sort.name}.get(variable.kind, variable.kind)
    return Items(variable.count, lambda m: _single(variable, (m,)), kind, variable.base)


def _single(variable: Variable, lead: tuple[Term, ...]) -> Value:
    if variable.kind in ("int", "element"):
        return apply(variable.symbol(""), *lead)
    if variable.kind == "index":
        return Position(apply(variable.symbol(""), *lead), apply(variable.symbol("rank"), *lead))
    if variable.kind == "set":
        return Members(lambda k: apply(variable.symbol("member"), *lead, k))
    rank = apply(variable.symbol("rank"), *lead)
    shape = Shape(rank, lambda q: apply(variable.symbol("dim"), *lead, q))
    if variable.kind == "shape":
        return shape
    facts = (lambda fact: apply(variable.symbol(fact), *lead)) if variable.facts else None
    return Tensor(shape, lambda i: apply(variable.symbol("read"), *lead, i), variable.sort, facts)


def typed(variable: Variable, bounded: bool) -> Term:
    """What the type says: ranks and sizes are not negative; an attribute, when bounded, is an integer of 64 bits."""
    return typed_value(value_of(variable), bounded)


def typed_value(value: Value, bounded: bool = False) -> Term:
    """What the type of a value says of it."""

    def one(value: Value) -> Term:
        if isinstance(value, Tensor):
            value = value.shape
        if isinstance(value, Position):
            # Coordinates are not negative, and 0 beyond the rank.
            position = value
            reach = inside_shape(position.term, position.rank, lambda q: add(at(position.term, q), integer(1)))
            return and_(le(ZERO, position.rank), reach)
        if isinstance(value, Shape):
            shape = value
            sizes = forall(ZERO, last(shape.rank), lambda q: le(ZERO, shape.dim(q)))
            return and_(le(ZERO, shape.rank), sizes)
        if bounded and isinstance(value, Term) and value.sort == INT:
            return and_(le(integer(-(2**63)), value), le(value, integer(2**63 - 1)))
        return and_()

    if isinstance(value, Items):
        items = value
        return and_(le(ZERO, items.count), forall(ZERO, last(items.count), lambda m: one(items.item(m))))
    return one(value)


def count_of(low: Term, high: Term) -> Term:
    """How many integers there are from low to high."""
    return add(sub(high, low), integer(1))
