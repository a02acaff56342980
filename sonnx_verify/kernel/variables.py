"""Declared names as free symbols, and the hypotheses that their types alone give. Trusted.

A declaration introduces uninterpreted symbols; a proof about them is one about every tensor, list and number that the
declaration admits, and about no other: a hypothesis too many would prove too much, one too few refute what holds.

    input X : tensor of T       X.rank, X.dim(q), X.read(i), and one symbol for each fact, such as X.dense
    attribute axis : int        axis, and axis.given where it may be left out
    input X[0 .. L]             L, and the same symbols of X with the position in front: X.dim(m, q)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum, unique

from sonnx_verify.kernel.values import (
    Constant,
    Declared,
    Items,
    Members,
    Position,
    Shape,
    Tensor,
    Value,
    abstraction,
    kind_of,
    last,
    listed,
    of_axes,
    of_indices,
)
from sonnx_verify.logic.sorts import BOOL, INDEX, INT, Sort
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
)

LOWEST, GREATEST = -(2**63), 2**63 - 1
"""The range of an integer attribute: AttributeProto has it as an int64."""


@unique
class VariableKind(StrEnum):
    """The kind of a variable, or of each member of a family of them. An element may also be a text."""

    TENSOR = "tensor"
    SHAPE = "shape"
    INDEX = "index"
    SET = "set"
    INT = "int"
    ELEMENT = "element"


@unique
class VariableRole(StrEnum):
    """The origin of a variable: a declaration, the last number of a family (LENGTH), whether an optional output is
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


SHOWN_BY_OTHERS = (VariableRole.LENGTH, VariableRole.ASKED)
"""The roles of numbers that an input shows by what is given."""


@unique
class Part(StrEnum):
    """A part of a variable that has a symbol of its own, beside its facts; ITSELF is that of an integer or element."""

    ITSELF = ""
    RANK = "rank"
    DIM = "dim"
    READ = "read"
    MEMBER = "member"
    GIVEN = "given"


_ARGUMENTS: dict[str, tuple[Sort, ...]] = {Part.DIM: (INT,), Part.READ: (INDEX,), Part.MEMBER: (INT,)}
_ROLES: dict[str, Role] = {
    Part.ITSELF: Role.PLAIN,
    Part.RANK: Role.RANK,
    Part.DIM: Role.SIZE,
    Part.READ: Role.READ,
    Part.MEMBER: Role.MEMBER,
    Part.GIVEN: Role.GIVEN,
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
    code: int | None = None
    """The only value of an attribute that says which type a type variable stands for."""
    _symbols: dict[str, Symbol] = field(init=False, repr=False, compare=False, default_factory=dict)

    def symbol(self, part: str) -> Symbol:
        """The symbol of one part: rank, dim, read, given, a fact, or `` for the name itself."""
        # A search for counterexamples asks millions of times. A symbol's name is its identity: nothing else of a text
        # may make one of the same name, so a fact cannot be called `rank` (declare.py), and what is made on the way has
        # two dots or a `#` or a number in its name.
        found = self._symbols.get(part)
        if found is None:
            found = self._symbols[part] = self._symbol(part)
        return found

    def _symbol(self, part: str) -> Symbol:
        arguments = _ARGUMENTS.get(part, ())
        # A family is given or not as a whole; all else is said of each member.
        if self.count is not None and part != Part.GIVEN:
            arguments = (INT, *arguments)
        result: Sort = BOOL
        if part in (Part.RANK, Part.DIM):
            result = INT
        elif part in (Part.READ, Part.ITSELF):
            result = self.sort
        role = _ROLES.get(part, Role.FACT)
        if self.role is VariableRole.ASKED:
            # That an output is asked for is a variable of its own, `Z.given`: a symbol like that of an input Z.
            role = Role.GIVEN
        name = self.name
        if part:
            name = f"{self.name}.{part}"
        return Symbol(name, arguments, result, role)

    @property
    def may_be_left_out(self) -> bool:
        """Return whether it has a symbol for being given."""
        return self.optional or self.default is not None

    @property
    def given(self) -> Term:
        """The condition that it is given."""
        if not self.may_be_left_out:
            return TRUE
        return apply(self.symbol(Part.GIVEN))


def free_count(name: str) -> Term:
    """The number of members in a family, or a list, of that name, of which nothing is known."""
    return Symbol(f"{name}.count", (), INT, Role.COUNT)()


def asked(name: str) -> Variable:
    """The free fact that an optional output is asked for: part of the input."""
    # A model of ONNX leaves an optional output out by an empty name. So `given(Mean)` is chosen by whoever applies the
    # operator, and a proof has to hold for both choices: it is a variable that is universally quantified, as inputs
    # are.
    return Variable(f"{name}.given", VariableKind.ELEMENT, BOOL, None, 0, (), VariableRole.ASKED)


def is_given(variable: Variable) -> Term:
    """The condition that a declared thing is given."""
    return variable.given


def is_asked(fact: Variable) -> Term:
    """The condition that an output is asked for."""
    return apply(fact.symbol(Part.ITSELF))


def last_number(name: str) -> Variable:
    """The name in `X[0 .. L]`: an integer of its own."""
    return Variable(name, VariableKind.INT, INT, None, 0, (), VariableRole.LENGTH)


def value_of(variable: Variable) -> Value:
    """The variable as a value."""
    if variable.count is None:
        return _single(variable, ())
    kind = kind_of(_single(variable, (ZERO,)))
    return Items(variable.count, abstraction(lambda m: _single(variable, (m,)), INT), kind, variable.base)


def _single(variable: Variable, lead: tuple[Term, ...]) -> Value:
    """One variable, or the member of a family that `lead` numbers."""

    def part(name: str, *arguments: Term) -> Term:
        return apply(variable.symbol(name), *lead, *arguments)

    match variable.kind:
        case VariableKind.INT | VariableKind.ELEMENT:
            return part(Part.ITSELF)
        case VariableKind.INDEX:
            return Position(part(Part.ITSELF), part(Part.RANK))
        case VariableKind.SET:
            return Members(of_axes(lambda k: part(Part.MEMBER, k)))
        case VariableKind.SHAPE:
            return Shape(part(Part.RANK), of_axes(lambda q: part(Part.DIM, q)))
        case VariableKind.TENSOR:
            shape = Shape(part(Part.RANK), of_axes(lambda q: part(Part.DIM, q)))
            facts = {fact: part(fact) for fact in variable.facts} or None
            return Tensor(shape, of_indices(lambda i: part(Part.READ, i)), variable.sort, facts)


def meanings_of(variable: Variable, value: Value) -> dict[Symbol, Callable[..., Term]]:
    """The symbols of a tensor, or of a family of tensors, as functions that a value of its kind gives."""
    symbol = variable.symbol
    if isinstance(value, Tensor):
        shape = value.shape
        return {symbol(Part.RANK): lambda: shape.rank, symbol(Part.DIM): shape.dim, symbol(Part.READ): value.read}
    assert isinstance(value, Items)
    assert variable.count is not None
    items = value

    def member(m: Term) -> Tensor:
        found = items.item(m)
        assert isinstance(found, Tensor)
        return found

    assert isinstance(variable.count.payload, Symbol)
    return {
        variable.count.payload: lambda: items.count,
        symbol(Part.RANK): lambda m: member(m).shape.rank,
        symbol(Part.DIM): lambda m, q: member(m).shape.dim(q),
        symbol(Part.READ): lambda m, i: member(m).read(i),
    }


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


def typed(variable: Variable, *, bounded: bool) -> Term:
    """The hypothesis that a declaration gives whatever the clauses say: ranks and sizes are not negative; an attribute,
    when bounded, is a 64-bit integer; what is not given has its default. Of what is optional and not given it
    says nothing."""
    value = value_of(variable)
    made = kind_says(value, bounded=bounded)
    if variable.code is not None:
        assert isinstance(value, Term)
        # The section says which type it is; the attribute of a model that has another one is input of another section.
        made = eq(value, integer(variable.code))
    if variable.optional:
        # Its symbols are there when it is not given, and free: no statement may rest on a value that nobody gave.
        return implies(variable.given, made)
    if variable.default is not None:
        # ONNX: an attribute that is left out has the default. So `default 0` reads as `given(axis) or axis = 0`; its
        # value is there whether it is given or not, and a text reads it without asking.
        default = constant_value(variable.default, variable.sort)
        return and_(made, or_(variable.given, same_constant(value, default)))
    return made


def kind_says(value: Value, *, bounded: bool = False) -> Term:
    """The hypothesis that the kind of a value gives."""
    # INT of the logic has no bounds and `dim` may have any value, so all of this has to be said. ONNX allows sizes of 0
    # and rank 0: `le(ZERO, ...)`, not `lt`.

    def one(value: Value) -> Term:
        if isinstance(value, Tensor):
            value = value.shape
        if isinstance(value, Position):
            # Coordinates are not negative, and 0 beyond the rank: so are all indices that a text can make, and two of
            # one rank are equal where their coordinates are. "Inside the shape of its coordinates, each + 1" says both.
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
    """The condition that a value is the given constant, both of one kind."""
    # The constant is a finite list that is written out, so its items are compared one by one; a longer list is another.
    if isinstance(value, Term) and isinstance(constant, Term):
        return eq(value, constant)
    assert isinstance(value, Items)
    assert isinstance(constant, Items)
    count = constant.count.payload
    assert isinstance(count, int)
    places = [integer(n) for n in range(count)]
    return and_(eq(value.count, constant.count), *(same_constant(value.item(m), constant.item(m)) for m in places))
