"""Forms of declarations: the hypotheses that a proof may assume of free things, and the conditions on given ones.
Trusted.

A hypothesis is assumed by every proof of the text, so one too many could prove too much. Each comes from a type or a
`where` that stands in the text, under `given` where the thing may be left out. Whoever applies an operator to values
assumes nothing of them: there the same is a condition, which is asked or supposed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from sonnx_verify.kernel.core import Kernel
from sonnx_verify.kernel.values import Constant, Declared, Items, Value, choose, listed, single
from sonnx_verify.kernel.variables import Variable, constant_value, kind_says, typed
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import INT, REAL, FloatSort
from sonnx_verify.logic.terms import FALSE, TRUE, Term, add, and_, eq, implies, integer, is_literal, literal, or_, sub


def always() -> Term:
    """Left out whenever whoever applies the operator likes: no condition."""
    return TRUE


def hypothesis(variable: Variable, leaving: Term, *, bounded: bool) -> Term:
    """The facts that the type of a declared thing gives: its ranks and sizes are not negative, an attribute is
    `bounded` by 64 bits; and it is given, unless the condition of leaving it out holds."""
    return and_(typed(variable, bounded=bounded), or_(variable.given, leaving))


def where(k: Kernel, given: Term, condition: Callable[[], Term]) -> Term:
    """The condition behind `where`, of what is given; it is looked at only there."""
    with k.assuming(given):
        return implies(given, condition())


def last_of(family: Items, base: int) -> Term:
    """The number of the last member of a family that is numbered from `base`: -1 more than how many there are, of none
    one below the first."""
    return sub(add(family.count, integer(base)), integer(1))


def agrees(wanted: Term, found: Term) -> Term:
    """The condition that two numbers of one name are one: applied to 2 and 3 tensors, `X[0 .. L], Z[0 .. L]` has
    `1 = 2`."""
    return eq(wanted, found)


def renumbered(family: Items, base: int) -> Items:
    """The same list, numbered from `base`: the second of two tensors is `L[1]` of a list, and `X[2]` of `X[1 .. N]`. It
    has the same items, and each read asks for its place among them."""
    return replace(family, base=base)


# --------------------------------------------------------------------------------------------------- given values


def name(value: Value, given: Term = TRUE, *, needs: bool = False) -> Declared:
    """The meaning of a declared name: its value, and whether it is given; where that `needs` to be, the value means
    nothing otherwise, and `reads.declared` asks for it. Twin: need_taken_away."""
    return Declared(value, given, needs)


def not_given(value: Value) -> Declared:
    """An input that an operator is applied without: its value may be read nowhere; it has one, since terms are
    total."""
    return Declared(value, FALSE, needs=True)


def not_asked() -> Term:
    """An optional output of an operator that is applied: nobody asks for it."""
    return FALSE


def attribute(given: Term, value: Value) -> Term:
    """The condition on the value of an attribute: where it is given, its integers have 64 bits, as in
    `given(axis) => -2^63 <= axis <= 2^63 - 1`."""
    # An integer of the language may be any. `Op(X with axis = 2^80)` is an application that no model has, and a text
    # may rest on the bound.
    return implies(given, kind_says(value, bounded=True))


def or_default(given: Term, value: Value, default: Constant, variable: Variable) -> Value:
    """The value where it is given, else the default of the text that is applied: a profile and its standard may have
    two. Of a standard with `default 1` it is `if given(axis) then axis else 1`."""
    # A value of another kind than the default was refused before: the attribute has one type.
    chosen = choose(given, value, constant_value(default, variable.sort))
    assert chosen is not None
    return chosen


def says_type(value: Term, code: int) -> Term:
    """The condition that an attribute says the type of its section: a number that says another type has another
    result. Of float it is `to = 1`."""
    return eq(value, integer(code))


def may_be_missing(given: Term, leaving: Term) -> Term:
    """The condition that a thing is given, unless that of leaving it out holds: `given(dtype) or U is T`."""
    return or_(given, leaving)


def as_float(value: Value, sort: FloatSort) -> Value:
    """A number that is written out, or a list of such, as the float nearest to it; anything else as it is."""
    # `with alpha = 0.1`: a float attribute is float32 in a model, so 0.1 is the float nearest to it. Of a number that
    # is computed nobody can say whether it was meant exactly, so that one has to be written `T(...)`.
    if isinstance(value, Term) and value.sort in (INT, REAL) and is_literal(value):
        assert isinstance(value.payload, int | Fraction)
        return literal(floats.round_to_nearest(sort, Fraction(value.payload)), sort)
    if isinstance(value, Items) and is_literal(value.count) and value.kind in (single(INT), single(REAL)):
        assert isinstance(value.count.payload, int)
        return listed([as_float(value.item(integer(n)), sort) for n in range(value.count.payload)]) or value
    return value
