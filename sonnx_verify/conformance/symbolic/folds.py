"""The meaning of `reduce` of numpy's functions on a fibre: a list of elements, in the order of the axes.

Trusted for what `conform` calls proved. numpy says little of the order in which it reduces: whatever depends on that
order is a symbol, of which only is known what holds in every order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sonnx_verify.conformance.symbolic.cells import folded
from sonnx_verify.conformance.symbolic.long_folds import LONG, Law, LongFold
from sonnx_verify.conformance.symbolic.table import ROWS, Reduction, at_most, is_nan
from sonnx_verify.conformance.symbolic.trace import refuse, trace
from sonnx_verify.logic import floats
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, FloatSort, IntegerSort, MinifloatSort, Sort
from sonnx_verify.logic.terms import Role, Symbol, Term, and_, apply, bits, element, eq, ite, literal, not_, or_

_TREE = "a tree of additions"
"""The beginning of the names of symbols that stand for a sum of floats in an order that numpy chooses."""
# Of nothing `maximum` and `minimum` have no value: numpy raises, and has done so when their fold is asked for.
_UNITS = {
    "add": 0, "multiply": 1, "logical_and": 1, "logical_or": 0, "logical_xor": 0,
    "bitwise_and": -1, "bitwise_or": 0, "bitwise_xor": 0,
}  # fmt: skip  # a table


def fold(name: str, cells: Sequence[Term], sort: Sort) -> Term:
    """The value of the ufunc on the cells, of which one may be an initial value; on none of them, its unit."""
    row = ROWS[name]
    if row.reduces is Reduction.NONE:
        refuse(f"numpy.{name}.reduce")
    if not cells:
        if name not in _UNITS:
            refuse(f"numpy.{name}.reduce of nothing")
        return literal(_unit_of(sort, _UNITS[name]), sort)
    # Greatest, least, and, or: an element that is there twice counts once, in whatever order.
    distinct = list(dict.fromkeys(cells))
    # Each `maximum` of a chain has three cases, and a claim has them all; its laws are two for each named member.
    if name in _LAWS and sort != BOOL and len(distinct) > LONG:
        return _named(name, distinct, sort)
    if row.reduces is Reduction.ADDED and isinstance(sort, MinifloatSort):
        refuse(f"numpy.{name}.reduce of {sort}")
    if row.reduces is Reduction.ADDED and isinstance(sort, FloatSort):
        return _added(name, cells, sort)
    # One after the other: of integers and truth values every order gives the same.
    made = cells[0]
    for cell in cells[1:]:
        made = row.meaning(made, cell)
    return made


def _unit_of(sort: Sort, unit: int) -> int | bool:
    """The unit as an element; that of `and` has all bits set."""
    match sort:
        case FloatSort():
            return floats.from_float(sort, float(unit))
        case IntegerSort(signed=False):
            return unit % (1 << sort.width)
        case _ if sort == BOOL:
            return bool(unit)
        case _:
            return unit


def _named(name: str, cells: list[Term], sort: Sort) -> Term:
    """The value as a symbol, whatever order the cells are taken in. Of the greatest or least of floats it is known that
    it is one of them, and that none is beyond it: of zeros of both signs it may be any. There always is one."""
    # The name has the cells in it: the same fold in another run is the same value only if its number is the same too.
    run = trace()
    symbol = run.open(f"{name} of {' '.join(f'{c.digest:x}' for c in cells)}", sort)
    attained, bound = _LAWS[name]
    run.facts[symbol] = LongFold(symbol, tuple(cells), attained, bound)
    return apply(symbol)


def _extreme_laws(beyond: Callable[[Term, Term], Term], *, absorbs: bool) -> tuple[Law, Law]:
    """The laws of a greatest element, by `beyond(a, b)`: b is at least as far as a. `absorbs` says that a NaN is
    farther than all numbers, as for `maximum`; else it is nearer, as for `fmax`."""

    def attained(value: Term, member: Term) -> Term:
        same = eq(value, member)
        if not isinstance(value.sort, FloatSort):
            return same
        # Which of several NaNs comes out is open: that it is one is all that is known.
        return ite(is_nan(value), is_nan(member), same)

    def bound(value: Term, member: Term) -> Term:
        if not isinstance(value.sort, FloatSort):
            return beyond(member, value)
        # IEEE 754: `<=` is false where one of the two is NaN, so these are told apart first.
        first, second = (value, member) if absorbs else (member, value)
        return or_(is_nan(first), and_(not_(is_nan(second)), beyond(member, value)))

    return attained, bound


def _bit_laws(op: Op) -> tuple[Law, Law]:
    """The laws of `and` or `or` on bits. That it is attained is said of the first bit alone, the sign."""

    def first(term: Term) -> Term:
        assert isinstance(term.sort, IntegerSort)
        shifted = bits(Op.SHIFT_RIGHT, term, literal(term.sort.width - 1, term.sort))
        return not_(eq(shifted, literal(0, term.sort)))

    def attained(value: Term, member: Term) -> Term:
        # Each bit has a member of its own that decides it. A law names one member, so it is about one bit.
        if op is Op.BIT_AND:
            return or_(first(value), not_(first(member)))
        return or_(not_(first(value)), first(member))

    def bound(value: Term, member: Term) -> Term:
        # `and` with a member takes no further bit away, `or` adds none.
        return eq(bits(op, value, member), value)

    return attained, bound


def _from_above(a: Term, b: Term) -> Term:
    return at_most(b, a)


_LAWS: Mapping[str, tuple[Law, Law]] = {
    "maximum": _extreme_laws(at_most, absorbs=True),
    "minimum": _extreme_laws(_from_above, absorbs=True),
    "fmax": _extreme_laws(at_most, absorbs=False),
    "fmin": _extreme_laws(_from_above, absorbs=False),
    "bitwise_and": _bit_laws(Op.BIT_AND),
    "bitwise_or": _bit_laws(Op.BIT_OR),
}


def _added(name: str, cells: Sequence[Term], sort: FloatSort) -> Term:
    """A sum in an order that numpy chooses. Of one element it is that, or that and a zero."""
    if name != "add":
        refuse(f"numpy.{name}.reduce of floats")
    run = trace()
    if len(cells) == 1:
        # numpy may begin with 0: then -0 comes out as 0 + -0, which is +0.
        zero = literal(0, sort)
        return ite(run.choice(), cells[0], folded(element(Op.ADD, zero, cells[0])))
    opened = run.open(f"{_TREE} {len(cells)}", sort)
    return apply(Symbol(opened.name, tuple(c.sort for c in cells), sort, Role.REORDERED), *cells)


def is_tree(term: Term) -> bool:
    """Return whether a term is a sum of its arguments in an order that numpy chooses."""
    return isinstance(term.payload, Symbol) and term.payload.role is Role.REORDERED
