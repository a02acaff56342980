"""What `reduce` of numpy's functions means on a fibre: a list of elements, in the order of the axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sonnx_verify.conformance.symbolic.cells import folded
from sonnx_verify.conformance.symbolic.long_folds import LONG, Law, LongFold
from sonnx_verify.conformance.symbolic.table import ROWS, Reduction, at_most, is_nan
from sonnx_verify.conformance.symbolic.trace import refuse, trace
from sonnx_verify.logic import floats
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, FloatSort, Sort
from sonnx_verify.logic.terms import Symbol, Term, and_, apply, bits, element, eq, ite, literal, not_, or_

TREE = "a tree of additions"
"""What the symbols are called that stand for a sum of floats in an order that numpy chooses."""
_UNITS = {
    "add": 0, "multiply": 1, "logical_and": 1, "logical_or": 0, "logical_xor": 0,
    "bitwise_and": -1, "bitwise_or": 0, "bitwise_xor": 0,
}  # fmt: skip  # a table


def fold(name: str, cells: Sequence[Term], sort: Sort) -> Term:
    """What the ufunc makes of the cells, of which one may be an initial value. Of none: its unit."""
    row = ROWS[name]
    if row.reduces is Reduction.NONE:
        refuse(f"numpy.{name}.reduce")
    if not cells:
        if name not in _UNITS:
            refuse(f"numpy.{name}.reduce of nothing")
        unit = _UNITS[name]
        return literal(bool(unit), BOOL) if sort == BOOL else literal(_unit_of(sort, unit), sort)
    distinct = list(dict.fromkeys(cells))
    if name in _LAWS and sort != BOOL and len(distinct) > LONG:
        return _named(name, distinct, sort)
    if row.reduces is Reduction.ADDED and isinstance(sort, FloatSort):
        return _added(name, cells, sort)
    made = cells[0]
    for cell in cells[1:]:
        made = row.meaning(made, cell)
    return made


def _unit_of(sort: Sort, unit: int) -> int:
    if isinstance(sort, FloatSort):
        return floats.from_float(sort, float(unit))
    return -1 % (1 << getattr(sort, "width", 0)) if unit == -1 and not getattr(sort, "signed", True) else unit


def _named(name: str, cells: list[Term], sort: Sort) -> Term:
    """The value as a symbol, whatever order the cells are taken in. Of the greatest or least of floats it is known that
    it is one of them, and that none is beyond it: of zeros of both signs it may be any. There always is one."""
    run = trace()
    symbol = run.open(f"{name} of {' '.join(f'{c.digest:x}' for c in cells)}", sort)
    attained, bound = _LAWS[name]
    run.facts[symbol] = LongFold(symbol, tuple(cells), attained, bound)
    return apply(symbol)


def _extreme_laws(beyond: Callable[[Term, Term], Term], absorbs: bool) -> tuple[Law, Law]:
    """`beyond(a, b)`: b is at least as far as a."""

    def attained(value: Term, member: Term) -> Term:
        same = eq(value, member)
        return ite(is_nan(value), is_nan(member), same) if isinstance(value.sort, FloatSort) else same

    def bound(value: Term, member: Term) -> Term:
        if not isinstance(value.sort, FloatSort):
            return beyond(member, value)
        if absorbs:
            return or_(is_nan(value), and_(not_(is_nan(member)), beyond(member, value)))
        return or_(is_nan(member), and_(not_(is_nan(value)), beyond(member, value)))

    return attained, bound


def _bit_laws(op: str) -> tuple[Law, Law]:
    """Of what `and` or `or` makes of bits. That it is attained is said of the first bit alone, the sign."""

    def first(term: Term) -> Term:
        width = getattr(term.sort, "width", 0)
        shifted = bits(Op.SHIFT_RIGHT, term, literal(width - 1, term.sort))
        return not_(eq(shifted, literal(0, term.sort)))

    def attained(value: Term, member: Term) -> Term:
        kept = not_ if op == Op.BIT_AND else _itself
        return or_(not_(kept(first(value))), kept(first(member)))

    def bound(value: Term, member: Term) -> Term:
        return eq(bits(op, value, member), value)

    return attained, bound


def _itself(term: Term) -> Term:
    return term


def _from_above(a: Term, b: Term) -> Term:
    return at_most(b, a)


_LAWS: Mapping[str, tuple[Law, Law]] = {
    "maximum": _extreme_laws(at_most, absorbs=True),
    "minimum": _extreme_laws(_from_above, absorbs=True),
    "fmax": _extreme_laws(at_most, absorbs=False),
    "fmin": _extreme_laws(_from_above, absorbs=False),
    "bitwise_and": _bit_laws("bit_and"),
    "bitwise_or": _bit_laws("bit_or"),
}


def _added(name: str, cells: Sequence[Term], sort: FloatSort) -> Term:
    """A sum in an order that numpy chooses. Of one element it is that, or that and a zero."""
    if name != "add":
        refuse(f"numpy.{name}.reduce of floats")
    run = trace()
    if len(cells) == 1:
        zero = literal(0, sort)
        return ite(run.choice(), cells[0], folded(element(Op.ADD, zero, cells[0])))
    opened = run.open(f"{TREE} {len(cells)}", sort)
    return apply(Symbol(opened.name, tuple(c.sort for c in cells), sort), *cells)


def is_tree(term: Term) -> bool:
    """Whether a term is a sum of its arguments in an order that numpy chooses."""
    return term.op == Op.APPLY and isinstance(term.payload, Symbol) and term.payload.name.startswith(TREE)
