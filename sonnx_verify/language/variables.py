"""Declared names as free symbols: what they are made of, and what their types alone say of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.constants import GREATEST, LOWEST, Constant, default_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.values import Declared, Items, Members, Position, Shape, Tensor, Value, last, listed
from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, INDEX, INT, STRING, Sort
from sonnx_verify.logic.terms import (
    TRUE,
    ZERO,
    Role,
    Symbol,
    Term,
    add,
    and_,
    apply,
    at,
    eq,
    forall,
    implies,
    inside_shape,
    integer,
    le,
    literal,
    or_,
    sub,
)

_ARGUMENTS: dict[str, tuple[Sort, ...]] = {"dim": (INT,), "read": (INDEX,), "member": (INT,)}
_ROLES = {
    "": Role.PLAIN,
    "rank": Role.RANK,
    "dim": Role.SIZE,
    "read": Role.READ,
    "member": Role.MEMBER,
    "given": Role.GIVEN,
}


@dataclass(frozen=True, slots=True)
class Variable:
    """A declared name. `count` is the length of a family, else None; `role` says where the name comes from.

    Symbols: `name.rank`, `name.dim`, `name.read` and one for each fact; the first argument of each is the position in
    the family where there is one. An integer or element is the symbol `name` itself. What is `optional`, or has a
    `default`, has the symbol `name.given` for whether it is given.
    """

    name: str
    kind: str
    sort: Sort
    count: Term | None
    base: int
    facts: tuple[str, ...] = ()
    role: str = "input"
    type_variable: bool = False
    optional: bool = False
    default: Constant | None = None
    _symbols: dict[str, Symbol] = field(init=False, repr=False, compare=False, default_factory=dict)

    def symbol(self, part: str) -> Symbol:
        """The symbol of one part: rank, dim, read, given, a fact, or `` for the name itself."""
        # A search for counterexamples asks millions of times.
        found = self._symbols.get(part)
        if found is None:
            found = self._symbols[part] = self._symbol(part)
        return found

    def _symbol(self, part: str) -> Symbol:
        leading = () if self.count is None or part == "given" else (INT,)
        arguments = _ARGUMENTS.get(part, ())
        result = INT if part in ("rank", "dim") else self.sort if part in ("read", "") else BOOL
        role = _ROLES.get(part, Role.FACT)
        return Symbol(f"{self.name}.{part}" if part else self.name, (*leading, *arguments), result, role)

    @property
    def may_be_left_out(self) -> bool:
        """Whether there is something to say of its being given."""
        return self.optional or self.default is not None

    @property
    def given(self) -> Term:
        """Whether it is given."""
        return apply(self.symbol("given")) if self.may_be_left_out else TRUE


def element_sort(kind: s.Type, context: Context) -> Sort:
    """The element sort a type names: T's, another type variable's, or a type of ONNX."""
    if kind.name == "T":
        return context.element
    if kind.name in context.variables:
        return context.variables[kind.name]
    if kind.name in ELEMENT_TYPES:
        return ELEMENT_TYPES[kind.name]
    known = ["T", *context.variables, *ELEMENT_TYPES]
    raise SpecificationError(f"there is no element type `{kind.name}`", kind.span, "use one of " + ", ".join(known))


def resolved_type(kind: s.Type, variables: Mapping[str, Sort]) -> s.Type:
    """The type with each type variable beside T replaced by the type that it stands for."""
    if kind.of is not None:
        return replace(kind, of=resolved_type(kind.of, variables))
    return replace(kind, name=variables[kind.name].name) if kind.name in variables else kind


def variable_of(
    declaration: s.Declaration, context: Context, count: Term | None, base: int, facts: Iterable[str], role: str
) -> Variable:
    """The variable that a declaration introduces."""
    named = declaration.type
    if named.name in ("ints", "floats"):
        named = s.Type("list", named.span, s.Type(named.name[:-1], named.span))
    many = named.name == "list"
    if many:
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
    elif kind == "int":
        sort = INT
    elif kind == "string":
        kind, sort = "element", STRING
    elif kind == "shape":
        sort = INT
    elif kind == "tensor":
        assert named.of is not None
        sort = element_sort(named.of, context)
    else:
        sort = element_sort(named, context)
        kind = "element"
    if many and count is None:
        count = Symbol(f"{declaration.name}.count", (), INT, Role.COUNT)()
    over = kind == "tensor" and named.of is not None and named.of.name == "T" or named.name == "T"
    known = tuple(facts) if kind == "tensor" and role == "input" else ()
    optional = declaration.optional and role in ("input", "attribute")
    default = None if declaration.default is None else default_of(declaration, many, sort)
    return Variable(declaration.name, kind, sort, count, base, known, role, over, optional, default)


def asked_for(declaration: s.Declaration) -> Variable | None:
    """The free fact that an optional output is asked for: part of the input."""
    if not declaration.optional:
        return None
    return Variable(f"{declaration.name}.given", "element", BOOL, None, 0, (), "asked")


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


def declared_value(variable: Variable) -> Declared:
    """The variable as its name means it."""
    return Declared(value_of(variable), variable.given, variable.optional, variable.default)


def constant_value(constant: Constant, sort: Sort) -> Value:
    """A constant of a sort, or a list of such, as a value."""
    if not isinstance(constant, tuple):
        return literal(constant, sort)
    made = listed([literal(item, sort) for item in constant])
    assert made is not None
    return made


def typed(variable: Variable, bounded: bool) -> Term:
    """What the declaration says whatever the clauses say: ranks and sizes are not negative; an attribute, when bounded,
    is an integer of 64 bits; what is not given has its default. Nothing is said of what is optional and not given."""
    value = value_of(variable)
    made = kind_says(value, bounded)
    if variable.optional:
        return implies(variable.given, made)
    if variable.default is not None:
        default = constant_value(variable.default, variable.sort)
        return and_(made, or_(variable.given, same_constant(value, default)))
    return made


def kind_says(value: Value, bounded: bool = False) -> Term:
    """What the kind of a value says of it."""

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
            return and_(le(integer(LOWEST), value), le(value, integer(GREATEST)))
        return and_()

    if isinstance(value, Items):
        items = value
        return and_(le(ZERO, items.count), forall(ZERO, last(items.count), lambda m: one(items.item(m))))
    return one(value)


def same_constant(value: Value, constant: Value) -> Term:
    """Whether a value is the given constant, both of one kind."""
    if isinstance(value, Term) and isinstance(constant, Term):
        return eq(value, constant)
    assert isinstance(value, Items) and isinstance(constant, Items)
    count = constant.count.payload
    assert isinstance(count, int)
    places = [integer(n) for n in range(count)]
    return and_(eq(value.count, constant.count), *(same_constant(value.item(m), constant.item(m)) for m in places))


def count_of(low: Term, high: Term) -> Term:
    """How many integers there are from low to high."""
    return add(sub(high, low), integer(1))
