"""The obligations of orders: total on each type, and no class of an order by classes is empty. Trusted.

A fold by an order, as `greatest V by ascending`, is a constant with the rules of the greatest element of a total
order. By `<` no element is below itself, so the rules would contradict each other, and prove anything (twin
totality_not_asked). Floats are why this is asked of each type: by IEEE 754, NaN is not below or above anything.
"""

from __future__ import annotations

from collections.abc import Callable

from sonnx_verify.kernel.core import FAMILIES
from sonnx_verify.language.context import Context, Library
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.families import families
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import OrderDefinition
from sonnx_verify.logic.sorts import ELEMENT, Sort
from sonnx_verify.logic.terms import Symbol, Term, and_, eq, implies, or_
from sonnx_verify.obligations.obligation import Claim, Statement, Wanted, element_variables
from sonnx_verify.obligations.section import Section
from sonnx_verify.obligations.section import sorts as operator_sorts


class NotAbstract(Exception):
    """Raised where a statement speaks of a certain element type, so that it is asked type by type."""


def order_statement(library: Library, order: OrderDefinition) -> Callable[[Context], Statement]:
    """The statement that the order is total, antisymmetric and transitive."""

    def build(context: Context) -> Statement:
        if context.element == ELEMENT:
            raise NotAbstract
        claims = tuple(order_claims(library, order, context.element, context))
        return Statement(element_variables("xyz", context.element), (), claims)

    return build


def order_claims(library: Library, order: OrderDefinition, sort: Sort, context: Context | None = None) -> list[Claim]:
    """The laws of a total order on one element type: any two elements compare, two that are below each other are one,
    and the order is transitive. (A total order is reflexive by the first law, with y = x.) Then the conditions under
    which its text means anything."""
    elaborator = Elaborator(library, context or Context(order.family, sort))
    # Free symbols: what is proved of them is true of any three elements.
    x, y, z = (Symbol(name, (), sort)() for name in "xyz")

    def before(a: Term, b: Term) -> Term:
        return elaborator.calls.order(order, a, b)

    laws = {
        f"`{order.name}` is total": or_(before(x, y), before(y, x)),
        f"`{order.name}` is antisymmetric": implies(and_(before(x, y), before(y, x)), eq(x, y)),
        f"`{order.name}` is transitive": implies(and_(before(x, y), before(y, z)), before(x, z)),
    }
    # Before it is an order it has to mean something: what divides by 0 compares nothing.
    meant = {f"{side.reason} ({side.span})": side.formula for side in elaborator.context.sides}
    # Whatever uses the order asks for the same laws of it: not cut, they are the same queries, answered once.
    return [Claim((), law, what, whole=True, side=what in meant) for what, law in {**laws, **meant}.items()]


def class_wanted(library: Library, order: OrderDefinition, place: int) -> Callable[[Context], Statement]:
    """The claim that a class of an order by classes has a member."""
    name = order.classes[place].name

    def build(context: Context) -> Statement:
        if context.element == ELEMENT:
            raise NotAbstract
        elaborator = Elaborator(library, context)
        member = elaborator.calls.in_class(order, place, Symbol("x", (), context.element)())
        wanted = Wanted((member,), f"a member of class `{name}`", f"the class `{name}` is empty")
        return Statement(element_variables("x", context.element), wanted=(wanted,))

    return build


def section_for(project: Project, unit: Unit, order: OrderDefinition) -> Section:
    """The section of an order: the element types of its family that the file lists, else all."""
    file = unit.file
    assert file is not None
    # A theory that lists int8 alone uses its orders on int8 alone.
    listed = [types for _, family, types in families(file) if family == order.family and types]
    types = operator_sorts(listed[0]) if listed else FAMILIES[order.family]
    return Section(project, unit, order.family, order.family, types)
