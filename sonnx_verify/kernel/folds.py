"""Forms of sets and folds: a sum, a number of members, the greatest, the only one. Trusted.

A set keeps its domain, condition and body apart, so that it becomes a binder of the logic where it is used. A fold that
needs a member (`max`, `the`, ...) asks that there is one, unless it has a default; `the` asks too that no other member
has another value.
"""

from __future__ import annotations

from collections.abc import Callable

from sonnx_verify.kernel.core import Kernel
from sonnx_verify.kernel.notes import Why
from sonnx_verify.kernel.ranges import Binding, binding
from sonnx_verify.kernel.values import Domain, Items, Position, SetOf, Value
from sonnx_verify.logic.nodes import FoldName
from sonnx_verify.logic.sorts import ELEMENT, INT, Sort
from sonnx_verify.logic.terms import (
    ONE,
    TRUE,
    Symbol,
    Term,
    and_,
    bind_fold,
    bind_fold_index,
    eq,
    implies,
    le,
    not_,
    placeholder,
    substitute,
)
from sonnx_verify.results.kinds import Kind

Order = Callable[[Term, Term], Term]
"""The condition that x is at most y."""
_NUMBERS = Symbol("one number", (), INT)(), Symbol("other number", (), INT)()
_ELEMENTS = Symbol("one element", (), ELEMENT)(), Symbol("other element", (), ELEMENT)()


def comprehension(
    k: Kernel, found: Domain | SetOf, where: Callable[[Value], Term], body: Callable[[Value], Value]
) -> tuple[SetOf | None, Value]:
    """`{ e | n in D where c }`, and its body: that is looked at where the condition holds. None where no set can hold
    the body."""
    bound = binding(found)
    with bound.inside(k):
        condition = where(bound.value)
        with k.assuming(condition):
            made = body(bound.value)
    if not isinstance(made, Term | Position | Items):
        return None, made
    return SetOf(bound.domain, bound.variable, and_(bound.condition, condition), made), made


def number_of(base: SetOf) -> Term:
    """`count S`: one for each member of its domain that meets the condition, whatever their values."""
    # `count { mod(n, 2) | n in 0 .. 9 }` is 10, not 2.
    return _folded(base, FoldName.COUNT, ONE, le, None)


def all_of(base: SetOf) -> Term:
    """`all S` of conditions: true of the empty set."""
    assert isinstance(base.body, Term)
    return Binding(base.domain, base.variable, base.condition, base.variable).for_all(base.body)


def any_of(base: SetOf) -> Term:
    """`any S` of conditions: false of the empty set."""
    assert isinstance(base.body, Term)
    return not_(Binding(base.domain, base.variable, base.condition, base.variable).for_all(not_(base.body)))


def sum_of(base: SetOf, body: Term) -> Term:
    """`sum S` of numbers that add up to the same in any order: 0 of the empty set."""
    return _folded(base, FoldName.SUM, body, le, None)


def product_of(base: SetOf, body: Term) -> Term:
    """`product S`, likewise: 1 of the empty set."""
    return _folded(base, FoldName.PRODUCT, body, le, None)


def greatest_of(
    k: Kernel, base: SetOf, body: Term, order: Order, otherwise: Term | None, not_empty: Why, by: str = ""
) -> Term:
    """`greatest S by ORDER`, `max S`; with the order turned round, `least` and `min`. Without a default it asks that
    the set is not empty. That there is such a member rests on the order being total: one that a text defines is noted
    `by` its name, and without a name it is `<=` of integers, or that turned round."""
    # An obligation of its own asks that it is, and no proof that uses the order stands where that does not. Twin:
    # totality_not_asked.
    if by:
        k.fold_orders[(by, body.sort)] = None
    _check_order(k, order, body.sort, by)
    _ask_for_one(k, base, body, otherwise, not_empty)
    # What the text of the order asks of any two elements is asked with its laws: these two are bound in the fold alone.
    with k.silent():
        return _folded(base, FoldName.GREATEST, body, order, otherwise)


def _check_order(k: Kernel, order: Order, sort: Sort, by: str) -> None:
    """Refuse an order other than the one that is asked to be total, by its name or, without one, as `<=` is."""
    # Twins: order_of_no_name, order_of_another_name. On a type that is no abstract one a named order is what its text
    # says; each text is read on abstract elements too.
    if not by:
        assert sort == INT, "an order without a name"
        assert order(*_NUMBERS) in (le(*_NUMBERS), le(*reversed(_NUMBERS))), "an order without a name"
    if by and sort == ELEMENT:
        compared = order(*_ELEMENTS)
        named = k.abstract_order(by, *_ELEMENTS), k.abstract_order(by, *reversed(_ELEMENTS))
        assert compared in named, f"an order other than {by}"


def the_only(k: Kernel, base: SetOf, body: Term, otherwise: Term | None, not_empty: Why, all_equal: Why) -> Term:
    """`the S`: asks that all members are equal and, without a default, that there is one."""
    _ask_for_one(k, base, body, otherwise, not_empty)
    # Two members may have one value, as in `the { x | x in [a, a] }`. That all members agree is asked even where there
    # is a default, which is for the empty set alone. Twin of the evaluator: the_first_member.
    one = _over(
        base,
        body,
        lambda first, x: _over(base, body, lambda second, y: implies(and_(first, second), eq(x, y))),
    )
    k.require(Kind.TOTAL, one, all_equal)
    return _folded(base, FoldName.THE, body, le, otherwise)


def _ask_for_one(k: Kernel, base: SetOf, body: Term, otherwise: Term | None, why: Why) -> None:
    # Terms are total: `max { }` has some value in the logic, and `the` of two members is one of them. Neither is a
    # meaning that a text may rest on.
    if otherwise is None:
        empty = _over(base, body, lambda condition, value: not_(condition))
        k.require(Kind.TOTAL, not_(empty), why)


def _over(base: SetOf, body: Term, said: Callable[[Term, Term], Term]) -> Term:
    """The condition on each member: on the condition under which it is one, and its value."""
    m = placeholder(base.variable.sort)
    condition, value = (substitute(t, {base.variable: m}) for t in (base.condition, body))
    return Binding(base.domain, m, TRUE, m).for_all(said(condition, value))


def _folded(base: SetOf, name: str, body: Term, order: Order, otherwise: Term | None) -> Term:
    shape = base.domain.shape
    if shape is None:
        low, high = base.domain.low, base.domain.high
        return bind_fold(name, low, high, base.variable, base.condition, body, order, otherwise)
    return bind_fold_index(name, shape.rank, shape.dim, base.variable, base.condition, body, order, otherwise)
