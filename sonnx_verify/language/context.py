"""The state of one elaboration, and the library that its text can use. Trusted.

A `Context` holds element types, what encloses the place, and the side conditions met on the way; a `Library` holds the
definitions, orders, theorems and operators that a text can name. They stand together because each speaks of the other:
an operator of a library is applied in a context, and a context notes orders with the library that gives them a meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto, unique
from typing import TypedDict, Unpack

from sonnx_verify.errors import SpecificationError, UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.enclosure import Enclosure, Frame, Indexing, Place, Ranging
from sonnx_verify.language.reads import Read
from sonnx_verify.language.values import Outcome, Position, Shape, Value
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic.operators import GROUPS, Group, Op
from sonnx_verify.logic.sorts import (
    BOOL,
    ELEMENT,
    ELEMENT_TYPES,
    FLOATS,
    INTEGERS,
    MINIFLOATS,
    REAL,
    FloatSort,
    IntegerSort,
    Sort,
)
from sonnx_verify.logic.terms import (
    FALSE,
    TRUE,
    Role,
    Symbol,
    Term,
    and_,
    apply,
    boolean,
    element,
    is_literal,
    le,
    lt,
    not_,
)
from sonnx_verify.results.kinds import Kind
from sonnx_verify.sources import Span


@unique
class Family(StrEnum):
    """A family of element types whose operations have one meaning: a clause `for float` speaks of each of its types."""

    INT = "int"
    FLOAT = "float"
    MINIFLOAT = "minifloat"
    BOOL = "bool"
    REAL = "real"


FAMILIES: dict[str, tuple[Sort, ...]] = {
    Family.INT: tuple(INTEGERS),
    Family.FLOAT: tuple(FLOATS),
    Family.MINIFLOAT: tuple(MINIFLOATS),
    Family.BOOL: (BOOL,),
    Family.REAL: (REAL,),
}
UNTYPED: tuple[str, Sort] = (Family.INT, ELEMENT)
"""The family, and T, in a text that lists no types for T."""
SIGNED, UNSIGNED = "signed", "unsigned"
"""Words behind `T is`, beside families and element types: integer types that have numbers below 0, or have none."""
_PREDICATES = GROUPS[Group.FLOAT] | {Op.AT_MOST, Op.LESS}
"""Operations on elements that give a condition."""


def family_of(sort: Sort) -> str:
    """The family that an element type belongs to."""
    return next(name for name, members in FAMILIES.items() if sort in members)


# ------------------------------------------------------------------------------------------------ what a text can use


@dataclass(frozen=True, slots=True)
class Lemma:
    """A theorem that a proof can use: its place, the library of its text, and the obligation that it is, for a family,
    some element types, and the types of the other type variables; None where it is not stated for them. `typed` says
    that its text lists types for T."""

    theorem: s.Theorem
    file: s.File
    library: Callable[[], Library]
    id: Callable[[str, tuple[Sort, ...], Mapping[str, Sort]], str | None]
    typed: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """The value of an attribute in a call."""

    value: Value
    span: Span
    is_type: bool = False
    """It is written as the name of a type."""


@dataclass(frozen=True, slots=True)
class Call:
    """An operator's name with arguments and settings. The path leads to it, through the calls of definitions."""

    name: str
    values: list[Value]
    settings: Mapping[str, Setting]
    path: tuple[Span, ...]

    @property
    def span(self) -> Span:
        """The place of the call itself."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Library:
    """The names that a file can use: definitions (one for each family), orders, facts, general restrictions."""

    definitions: Mapping[str, list[s.Definition]] = field(default_factory=dict)
    orders: Mapping[str, s.OrderDefinition] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    generals: Mapping[str, s.General] = field(default_factory=dict)
    undefined: Mapping[str, s.Undefined] = field(default_factory=dict)
    lemmas: Mapping[str, Lemma] = field(default_factory=dict)
    operators: Callable[[Call, Context], Outcome | None] = lambda *_: None
    operator_names: Callable[[], Sequence[str]] = tuple
    defined_in: Callable[[str], str] = lambda _: ""
    """The library, not used here, that defines a name."""
    hidden_by: Callable[[str], UserError | None] = lambda _: None
    """The error of a text that declares a name and cannot be read."""
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The `types` lines of an operator that its items are marked for by name."""


# --------------------------------------------------------------------------------------------- what is noted on the way


@unique
class Lack(Enum):
    """Something that a text reads by its number, and that may not be there."""

    ITEM = auto()  # of a list
    AXIS = auto()  # of a shape or an index


@dataclass(frozen=True, slots=True)
class Side:
    """A condition on which the meaning of a clause rests: a closed formula, its reason, and where it arose. Its kind is
    IN_BOUNDS, where something is read that has to be there, or TOTAL, where there has to be exactly one value. Of what
    is read by a number `lack` says what it is, of an element `read` which one."""

    kind: Kind
    formula: Term
    reason: str
    span: Span
    place: Place
    read: Read | None = None
    lack: Lack | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """An `if` of the source: closed formulas that say it never goes one way, and never the other."""

    span: Span
    never_then: Term
    never_else: Term


class _Passing(TypedDict, total=False):
    """The fields of a context that have another value inside a part."""

    family: str
    element: Sort
    types: tuple[Sort, ...]
    variables: Mapping[str, Sort]
    sides: list[Side]
    branches: list[Branch]
    restrictions: list[Term]
    supposed: dict[str, None]
    supposing: bool
    exact: bool
    below_exact: bool
    applied: bool
    universal: bool
    muted: int
    enclosing: list[Frame]
    binders: list[Ranging | Indexing]


@dataclass(slots=True)
class Context(Enclosure):
    """One elaboration.

    `element` is the sort of the type variable T: a machine type, or ELEMENT, in which case every operation on elements
    is a free symbol and the first order that is used is the order of ELEMENT. What is proved so holds for every type
    of the family whose order is total; `order` then names that order. `types` are those that ELEMENT stands for, none
    where they are not known: only a number that is written out asks for them. `variables` are the types of the other
    type variables. `fold_orders` are the orders by which something is the greatest or least: that there is such a
    member rests on their being total. `known_orders` are all that were used, each with the library it stands in.
    Where it is `universal`, in a theorem, `unwritten` holds a free variable for each thing that an operator was
    applied without, by its name; `sites` numbers the places where operators are applied. `applications` are the
    operators so met that have types for T, with these and a place. In a theorem it is `supposing` that their
    restrictions hold, which are noted in `restrictions`, and their sentences in `supposed`. Inside an `exact` clause
    integer elements are read as integers; a definition called there, `below_exact`, must not wrap. `types_asked`
    counts the conditions on types that were met.
    """

    family: str
    element: Sort
    order: str = ""
    variables: Mapping[str, Sort] = field(default_factory=dict)
    types: tuple[Sort, ...] = ()
    sides: list[Side] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)
    fold_orders: dict[tuple[str, Sort], None] = field(default_factory=dict)
    known_orders: dict[str, tuple[s.OrderDefinition, Library]] = field(default_factory=dict)
    restrictions: list[Term] = field(default_factory=list)
    supposed: dict[str, None] = field(default_factory=dict)
    supposing: bool = False
    exact: bool = False
    below_exact: bool = False
    applied: bool = False
    universal: bool = False
    unwritten: dict[str, Variable] = field(default_factory=dict)
    sites: dict[tuple[str, tuple[Span, ...]], int] = field(default_factory=dict)
    applications: dict[str, tuple[tuple[str, ...], Span]] = field(default_factory=dict)
    types_asked: int = 0

    def __post_init__(self) -> None:
        if self.family == Family.BOOL and self.element == ELEMENT:
            # It has one type, whose elements are conditions: there is nothing to abstract from. `x and y`
            # of elements has to have a meaning.
            self.element = BOOL

    @property
    def standing_for(self) -> tuple[str, ...]:
        """The names of the types that T stands for here; none where these are not known."""
        if self.element != ELEMENT:
            return (self.element.name,)
        return tuple(sort.name for sort in self.types)

    @contextmanager
    def _having(self, **fields: Unpack[_Passing]) -> Iterator[None]:
        """Inside a part where some fields have other values. Those that they had come back at its end, even of a part
        that fails: the clause behind one that is exact must not be exact."""
        before = {name: getattr(self, name) for name in fields}
        for name, value in fields.items():
            setattr(self, name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                setattr(self, name, value)

    def family_of_element(self, sort: Sort) -> str:
        """The family that elements of a sort belong to, abstract ones too; empty where there are none."""
        if sort == ELEMENT:
            return self.family
        if isinstance(sort, IntegerSort | FloatSort):
            return family_of(sort)
        return ""

    def of_operator(self, variables: Mapping[str, Sort]) -> AbstractContextManager[None]:
        """Inside the text of an operator that is applied: its type variables, beside T, stand for these types, and
        its arithmetic is its own."""
        # Not `universal`: the text of Op may apply Other only with all its attributes written. Were one left free
        # there, Op would give one result for each of its values, and would be no function of its inputs.
        return self._having(variables=variables, universal=False, exact=False, below_exact=False)

    def site(self, operator: str, path: tuple[Span, ...]) -> str:
        """The name of a place where an operator is applied: the operator's, with a number that tells its places apart.
        The path is that of the calls that lead there; the same one has the same name."""
        # `Op(X) = Op(X)` has two places, and each leaves its attribute unwritten for itself: the theorem has to hold
        # when the two are given different values, so it is false. The body of a recursion is elaborated twice, and its
        # place is one by its path: else the step would speak of another variable than its side conditions.
        key = (operator, path)
        if key not in self.sites:
            self.sites[key] = 1 + sum(1 for name, _ in self.sites if name == operator)
        return f"{operator}.{self.sites[key]}"

    def applying(self) -> AbstractContextManager[None]:
        """Inside an operator that is applied to tensors that were made, of which no fact fails."""
        return self._having(applied=True)

    def arithmetic(self, which: s.Arithmetic, span: Span) -> AbstractContextManager[None]:
        """Inside a clause whose arithmetic is `exact`, or wraps where nothing is said."""
        if which is s.Arithmetic.EXACT and self.family != Family.INT:
            raise SpecificationError(
                f"`exact` applies to integers, and the elements here are {self.family}",
                span,
                "write `for int exact`",
            )
        return self._having(exact=which is s.Arithmetic.EXACT, below_exact=False)

    def of_body(self) -> AbstractContextManager[None]:
        """Inside the body of a definition, which has arithmetic of its own: an exact clause that calls it would not see
        it wrap, so there it must not."""
        # `value Y[i] exact = twice(X, i)` with `define twice(X : tensor of T, i : index) : T = X[i] + X[i]`: the reader
        # of the clause thinks of integers, and of an int8 of 100 twice gives -56. It is refused (numbers.py), also in a
        # definition that the definition calls.
        return self._having(exact=False, below_exact=self.exact or self.below_exact)

    def adopt(self, other: Context) -> None:
        """Take over what another elaboration of the same elements noted, which began with the order of this one."""
        # Which order ELEMENT has is settled once for one statement: two texts that settled it differently would each
        # take what is proved of the other order for their own.
        assert self.order in ("", other.order)
        self.order = other.order
        self.fold_orders.update(other.fold_orders)
        for order, library in other.known_orders.values():
            self.know_order(order, library)
        self.applications.update(other.applications)
        self.sides.extend(other.sides)
        self.branches.extend(other.branches)

    def know_order(self, order: s.OrderDefinition, library: Library) -> None:
        """Note an order that is used. Two of one name are refused."""
        # On abstract elements an order is the symbol of its name: two of one name would be one relation, and what one
        # text proves of its own order would hold of the other's.
        known, _ = self.known_orders.setdefault(order.name, (order, library))
        if known is not order:
            raise SpecificationError(
                f"order `{order.name}` is defined twice; the other definition is at {known.span}",
                order.span,
                "rename one of them",
            )

    @contextmanager
    def of_theorem(self, *, typed: bool) -> Iterator[list[Term]]:
        """Inside the statement of a theorem that is used: its side conditions were asked where it is proved. It holds
        where the restrictions of the operators in it do, which are handed out. In a text without types of T, `typed` is
        false, definitions are those that were meant there."""
        # All that was noted around the place is put aside. Its restrictions must not mix with those of the user: they
        # stand on the left of the theorem (proof_scripts.py), and to assume them of the user's goal would be wrong.
        found: list[Term] = []
        family, element = self.family, self.element
        # Without types for T a definition means the one for integers. Read with the definitions for floats, a theorem
        # proved of the one would be believed of the other. Twin: lemma_of_another_family.
        if not typed:
            family, element = UNTYPED
        noted = self._having(restrictions=found, supposed={}, sides=[], branches=[], supposing=True)
        around = self._having(muted=0, enclosing=[], binders=[], types=self.types if typed else ())
        with noted, around, self.of_elements(family, element):
            yield found

    def of_elements(self, family: str, element: Sort) -> AbstractContextManager[None]:
        """Inside a text about elements of that type, whose arithmetic is its own: an order."""
        return self._having(family=family, element=element, exact=False, below_exact=False)

    def of_type(self, family: str, element: Sort) -> AbstractContextManager[None]:
        """Inside the body of a definition, where T stands for the type of its arguments."""
        return self._having(family=family, element=element)

    def require(
        self,
        kind: Kind,
        condition: Term,
        reason: str,
        span: Span,
        read: tuple[Position, Shape, int] | None = None,
        lack: Lack | None = None,
    ) -> None:
        """Note a side condition. A read has an index, the shape of its tensor, and the first coordinate's number."""
        # What is muted is elaborated elsewhere too, and noted there: the text of an operator that is applied has
        # obligations of its own, a step of a recursion is gone through once more. To mute anything else would drop a
        # question: `X[k]` beyond X has some value, and whatever is proved with it would be about nothing.
        if self.muted:
            return
        found = None
        if read is not None:
            position, shape, base = read
            found = Read(position, shape, condition, tuple(self.enclosing), base)
        condition = self.closed(condition)
        # Terms are built once, so what is trivially true is the term TRUE, and the same condition the same term.
        if condition is TRUE:
            return
        if all(x.formula is not condition or x.kind != kind or x.place != self.place for x in self.sides):
            self.sides.append(Side(kind, condition, reason, span, self.place, found, lack))

    def branch(self, condition: Term, span: Span) -> None:
        """Note an `if`, whose branches some input has to reach. In a definition that is called, one that an argument
        decides is none: that a call never takes the other branch is no fault of it."""
        # `f(n) = if n = 0 then 1 else ...` called as `f(2)`: 2 = 0 is the term FALSE, and is skipped. Written in a
        # clause itself, `if 2 = 0` is noted, and reported as a branch that nothing reaches.
        if not self.muted and (not is_literal(condition) or not self.called):
            self.branches.append(Branch(span, self.closed(not_(condition)), self.closed(condition)))

    def suppose(self, restriction: Term, sentence: str, span: Span) -> None:
        """Note a restriction of an operator that is applied here: theorems hold where restrictions do. In the text of
        another operator it is that text that has to see to it."""
        if not self.supposing:
            self.require(Kind.TOTAL, restriction, sentence, span)
        if self.muted or not self.supposing:
            return
        # Under its binders, but whatever the conditions around it say. A restriction that nothing meets, assumed as
        # `c => false`, would rule out all input with c in silence; alone it leaves no input at all, and the theorem is
        # seen to be vacuous.
        restriction = self.bound(restriction)
        if restriction is not TRUE and restriction not in self.restrictions:
            self.restrictions.append(restriction)
            self.supposed[sentence] = None

    # ------------------------------------------------------------------------------------- operations on elements

    def operation(self, op: Op, *args: Term) -> Term:
        """An operation of machine integers or floats, or its free symbol on abstract elements."""
        if args[0].sort == ELEMENT:
            result = ELEMENT
            if op in _PREDICATES:
                result = BOOL
            return self.free_operation(op, result, *args)
        match op:
            case Op.AT_MOST:
                return le(*args)
            case Op.LESS:
                return lt(*args)
            case _:
                return element(op, *args)

    def free_operation(self, name: str, result: Sort, *args: Term) -> Term:
        """An operation or constant on abstract elements: a free symbol."""
        # Nothing is known of it but that it is a function of its arguments. So what is shown with it holds of the
        # operation of every type of the family: `x = y => f(x) = f(y)` is, `x + y = y + x` does not follow. Two dots:
        # no name of a user's with one part behind it can be the same. The family: `int..add` and `float..add` are two
        # functions.
        role = Role.OPERATION
        if not args:
            role = Role.CONSTANT
        return apply(Symbol(f"{self.family}..{name}", tuple(a.sort for a in args), result, role), *args)

    def sort_of(self, name: str, span: Span) -> Sort:
        """The element sort that the name of a type means here."""
        if name == s.TypeWord.T:
            return self.element
        if name in self.variables:
            return self.variables[name]
        if name in ELEMENT_TYPES:
            return ELEMENT_TYPES[name]
        known = ("T", *self.variables, *ELEMENT_TYPES)
        raise SpecificationError(f"unknown element type `{name}`", span, "one of " + ", ".join(known))

    # ------------------------------------------------------------------------------------------ conditions on types

    def type_condition(self, sort: Sort, word: str, span: Span) -> Term:
        """`T is signed`, where T stands for the sort: true or false of a type, and a free symbol of abstract elements,
        unless all types of their family agree."""
        # As `T.greatest` is a free constant there: what is shown with it holds whatever it is, so of every type. What
        # does not follow is asked type by type, where it is true or false.
        self.types_asked += 1
        family = self.family
        if sort != ELEMENT:
            family = family_of(sort)
        if word in FAMILIES:
            # `float` is the family here, as behind `for`, and not the type of 32 bits.
            return boolean(word == family)
        if word == SIGNED:
            return self._signed(sort, family)
        if word == UNSIGNED:
            return and_(boolean(family == Family.INT), not_(self._signed(sort, family)))
        if word not in ELEMENT_TYPES:
            known = ", ".join((SIGNED, UNSIGNED, *FAMILIES, *(t for t in ELEMENT_TYPES if t not in FAMILIES)))
            raise SpecificationError(f"unknown type or family `{word}`", span, f"write one of {known}")
        return self.same_type(sort, ELEMENT_TYPES[word])

    def same_type(self, sort: Sort, other: Sort) -> Term:
        """The condition that two types are one; each may be that of abstract elements."""
        if sort != ELEMENT and other == ELEMENT:
            sort, other = other, sort
        if sort != ELEMENT or other == ELEMENT:
            return boolean(sort == other)
        if family_of(other) != self.family:
            return FALSE
        return self._left_open(other.name)

    def _signed(self, sort: Sort, family: str) -> Term:
        if family != Family.INT:
            return FALSE
        if isinstance(sort, IntegerSort):
            return boolean(sort.signed)
        return self._left_open(SIGNED)

    def _left_open(self, word: str) -> Term:
        return self.free_operation(f"is_{word}", BOOL)

    def abstract_order(self, name: str, x: Term, y: Term) -> Term:
        """An order on abstract elements: theirs when it is the first one used, else a free relation."""
        if self.order in ("", name):
            # The logic knows that the order of ELEMENT is total: an obligation of its own asks that this one is.
            # Without it `greatest S by ORDER` might have no value. Twin: totality_not_asked.
            self.order = name
            return le(x, y)
        # Of a second order nothing is known, not even that it is total: one type could have orders that disagree, as
        # `numeric` and its reverse do, and the order of ELEMENT is only one of them.
        return apply(Symbol(f"order..{name}", (ELEMENT, ELEMENT), BOOL, Role.ORDER), x, y)
