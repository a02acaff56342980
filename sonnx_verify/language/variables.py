"""Declared names as free symbols: what they are made of, and what their types alone say of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from typing import Protocol

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.constants import GREATEST, LOWEST, Constant, default_of
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


@unique
class VariableKind(StrEnum):
    """What a variable is, or each member of a family of them. An element may also be a text."""

    TENSOR = "tensor"
    SHAPE = "shape"
    INDEX = "index"
    SET = "set"
    INT = "int"
    ELEMENT = "element"


@unique
class VariableRole(StrEnum):
    """Where a variable comes from: a declaration, the last number of a family (LENGTH), whether an optional output is
    asked for (ASKED), an input that an operator is applied without (ABSENT), the number of an induction, an element of
    a law."""

    INPUT = "input"
    OUTPUT = "output"
    ATTRIBUTE = "attribute"
    THEOREM = "theorem"
    PARAMETER = "parameter"
    LENGTH = "length"
    ASKED = "asked"
    ABSENT = "absent"
    INDUCTION = "induction"
    ELEMENT = "element"


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
    kind: VariableKind
    sort: Sort
    count: Term | None
    base: int
    facts: tuple[str, ...] = ()
    role: VariableRole = VariableRole.INPUT
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
        result: Sort = BOOL
        if part in ("rank", "dim"):
            result = INT
        elif part in ("read", ""):
            result = self.sort
        # That an output is asked for is a variable of its own, `Z.given`: the same symbol as that an input Z is given.
        role = Role.GIVEN if self.role is VariableRole.ASKED else _ROLES.get(part, Role.FACT)
        return Symbol(f"{self.name}.{part}" if part else self.name, (*leading, *arguments), result, role)

    @property
    def may_be_left_out(self) -> bool:
        """Whether there is something to say of its being given."""
        return self.optional or self.default is not None

    @property
    def given(self) -> Term:
        """Whether it is given."""
        return apply(self.symbol("given")) if self.may_be_left_out else TRUE


class ElementTypes(Protocol):
    """The types that T and the other type variables stand for, as a context says."""

    @property
    def element(self) -> Sort: ...

    @property
    def variables(self) -> Mapping[str, Sort]: ...


def element_sort(kind: s.Type, context: ElementTypes) -> Sort:
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
    declaration: s.Declaration,
    context: ElementTypes,
    count: Term | None,
    base: int,
    facts: Iterable[str],
    role: VariableRole,
) -> Variable:
    """The variable that a declaration introduces."""
    named = _spelled_out(declaration.type)
    many = named.name == "list"
    if many:
        assert named.of is not None
        named = named.of
    kind, sort = _kind_and_sort(declaration, named, context)
    if many and count is None:
        count = Symbol(f"{declaration.name}.count", (), INT, Role.COUNT)()
    is_tensor = kind is VariableKind.TENSOR
    of_t = named.name == "T" or (is_tensor and named.of is not None and named.of.name == "T")
    known = tuple(facts) if is_tensor and role is VariableRole.INPUT else ()
    # An output that is optional is one that may not be asked for: `asked_for` says when it is.
    optional = declaration.optional and role in (VariableRole.INPUT, VariableRole.ATTRIBUTE)
    default = None if declaration.default is None else default_of(declaration, many, sort)
    return Variable(declaration.name, kind, sort, count, base, known, role, of_t, optional, default)


def _spelled_out(kind: s.Type) -> s.Type:
    """The type without the short names that ONNX has for lists of attributes."""
    if kind.name in ("ints", "floats"):
        return s.Type("list", kind.span, s.Type(kind.name.removesuffix("s"), kind.span))
    return kind


def _kind_and_sort(declaration: s.Declaration, named: s.Type, context: ElementTypes) -> tuple[VariableKind, Sort]:
    """The kind that a type is, and the sort of what is read from it: of a set, whether an integer is a member."""
    match named.name:
        case "index":
            return VariableKind.INDEX, INDEX
        case "set":
            assert named.of is not None
            if named.of.name != "int":
                raise SpecificationError(
                    f"`{declaration.name}` is a {named}: only sets of int are declared",
                    declaration.type.span,
                    "declare `set of int`",
                )
            return VariableKind.SET, BOOL
        case "int":
            return VariableKind.INT, INT
        case "string":
            return VariableKind.ELEMENT, STRING
        case "shape":
            return VariableKind.SHAPE, INT
        case "tensor":
            assert named.of is not None
            return VariableKind.TENSOR, element_sort(named.of, context)
        case _:
            return VariableKind.ELEMENT, element_sort(named, context)


def asked_for(declaration: s.Declaration) -> Variable | None:
    """The free fact that an optional output is asked for: part of the input."""
    if not declaration.optional:
        return None
    return Variable(f"{declaration.name}.given", VariableKind.ELEMENT, BOOL, None, 0, (), VariableRole.ASKED)


def value_of(variable: Variable) -> Value:
    """The variable as a value."""
    if variable.count is None:
        return _single(variable, ())
    match variable.kind:
        case VariableKind.TENSOR:
            kind = f"tensor of {variable.sort}"
        case VariableKind.ELEMENT:
            kind = variable.sort.name
        case _:
            kind = variable.kind.value
    return Items(variable.count, lambda m: _single(variable, (m,)), kind, variable.base)


def _single(variable: Variable, lead: tuple[Term, ...]) -> Value:
    """One variable, or the member of a family that `lead` numbers."""

    def part(name: str, *arguments: Term) -> Term:
        return apply(variable.symbol(name), *lead, *arguments)

    match variable.kind:
        case VariableKind.INT | VariableKind.ELEMENT:
            return part("")
        case VariableKind.INDEX:
            return Position(part(""), part("rank"))
        case VariableKind.SET:
            return Members(lambda k: part("member", k))
        case VariableKind.SHAPE:
            return Shape(part("rank"), lambda q: part("dim", q))
        case VariableKind.TENSOR:
            shape = Shape(part("rank"), lambda q: part("dim", q))
            facts = part if variable.facts else None
            return Tensor(shape, lambda i: part("read", i), variable.sort, facts)


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
        # Its value is there whether it is given or not, so that a text reads it without asking.
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
    assert isinstance(value, Items)
    assert isinstance(constant, Items)
    count = constant.count.payload
    assert isinstance(count, int)
    places = [integer(n) for n in range(count)]
    return and_(eq(value.count, constant.count), *(same_constant(value.item(m), constant.item(m)) for m in places))


def count_of(low: Term, high: Term) -> Term:
    """How many integers there are from low to high."""
    return add(sub(high, low), integer(1))
