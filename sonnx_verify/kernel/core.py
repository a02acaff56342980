"""The state of all forms: the notes, what T is, and operations on elements. Trusted.

`element` is the sort of the type variable T: a machine type, or ELEMENT, in which case every operation on elements is a
free symbol and the first order that is used is the order of ELEMENT. What is proved so holds for every type of the
family whose order is total; `order` then names that order. `types` are those that ELEMENT stands for, none where they
are not known. `fold_orders` are the orders by which something is the greatest or least: that there is such a member
rests on their being total.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum, unique

from sonnx_verify.kernel.notes import Notes
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
from sonnx_verify.logic.terms import FALSE, Role, Symbol, Term, and_, apply, boolean, element, le, lt, not_


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
SIGNED, UNSIGNED = "signed", "unsigned"
"""Words behind `T is`, beside families and element types: integer types that have numbers below 0, or have none."""
_PREDICATES = GROUPS[Group.FLOAT] | {Op.AT_MOST, Op.LESS}
"""Operations on elements that give a condition."""


def family_of(sort: Sort) -> str:
    """The family that an element type belongs to."""
    return next(name for name, members in FAMILIES.items() if sort in members)


@dataclass(slots=True)
class Kernel(Notes):
    """The state that forms work in."""

    family: str
    element: Sort
    order: str = field(default="", kw_only=True)
    types: tuple[Sort, ...] = field(default=(), kw_only=True)
    fold_orders: dict[tuple[str, Sort], None] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if self.family == Family.BOOL and self.element == ELEMENT:
            # It has one type, whose elements are conditions: there is nothing to abstract from. `x and y`
            # of elements has to have a meaning.
            self.element = BOOL

    def family_of_element(self, sort: Sort) -> str:
        """The family that elements of a sort belong to, abstract ones too; empty where there are none."""
        if sort == ELEMENT:
            return self.family
        if isinstance(sort, IntegerSort | FloatSort):
            return family_of(sort)
        return ""

    def abstract_family(self, sort: Sort) -> str:
        """The family of abstract elements; empty of any other sort, which says itself what it is."""
        if sort == ELEMENT:
            return self.family
        return ""

    def wraps(self, sort: Sort) -> bool:
        """Return whether it is a type of integers, whose arithmetic wraps."""
        return isinstance(sort, IntegerSort) or self.abstract_family(sort) == Family.INT

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

    def type_condition(self, sort: Sort, word: str) -> Term | None:
        """`T is signed`, where T stands for the sort: true or false of a type, and a free symbol of abstract elements,
        unless all types of their family agree. None for a word that is neither a type nor a family."""
        # As `T.greatest` is a free constant there: what is shown with it holds whatever it is, so of every type. What
        # does not follow is asked type by type, where it is true or false.
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
            return None
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
