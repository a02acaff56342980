"""What `reduce` of numpy's functions means on a fibre: a list of elements, in the order of the axes."""

from __future__ import annotations

from collections.abc import Sequence

from sonnx_verify.implementations.symbolic.cells import folded
from sonnx_verify.implementations.symbolic.table import ROWS, at_most, is_nan, nan
from sonnx_verify.implementations.symbolic.trace import refuse, trace
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, FloatSort, Sort
from sonnx_verify.logic.terms import Symbol, Term, and_, apply, element, eq, implies, ite, literal, not_, or_

TREE = "a tree of additions"
"""What the symbols are called that stand for a sum of floats in an order that numpy chooses."""
_UNITS = {
    "add": 0, "multiply": 1, "logical_and": 1, "logical_or": 0, "logical_xor": 0,
    "bitwise_and": -1, "bitwise_or": 0, "bitwise_xor": 0,
}  # fmt: skip


def fold(name: str, cells: Sequence[Term], sort: Sort) -> Term:
    """What the ufunc makes of the cells, of which one may be an initial value. Of none: its unit."""
    row = ROWS[name]
    if not row.reduces:
        refuse(f"numpy.{name}.reduce")
    if not cells:
        if name not in _UNITS:
            refuse(f"numpy.{name}.reduce of nothing")
        unit = _UNITS[name]
        return literal(bool(unit), BOOL) if sort == BOOL else literal(_unit_of(sort, unit), sort)
    if row.reduces == "chosen" and isinstance(sort, FloatSort) and len(cells) > 2:
        return _chosen(name, list(dict.fromkeys(cells)), sort)
    if row.reduces == "added" and isinstance(sort, FloatSort):
        return _added(name, cells, sort)
    made = cells[0]
    for cell in cells[1:]:
        made = row.meaning(made, cell)
    return made


def _unit_of(sort: Sort, unit: int) -> int:
    if isinstance(sort, FloatSort):
        return floats.from_float(sort, float(unit))
    return -1 % (1 << getattr(sort, "width", 0)) if unit == -1 and not getattr(sort, "signed", True) else unit


def _chosen(name: str, cells: list[Term], sort: FloatSort) -> Term:
    """The greatest or least of floats, whatever the order they are taken in: one of them that no other is beyond. Of
    zeros of both signs any; it says nothing else, so such a value there always is."""
    if len(cells) <= 2:
        return fold(name, cells, sort)
    run = trace()
    label = " ".join(f"{c.digest:x}" for c in cells)
    symbol = run.open(f"{name} of {label}", sort)
    value = apply(symbol)
    upward = name in ("maximum", "fmax")
    missing = [is_nan(c) for c in cells]
    attained = or_(*(and_(not_(m), eq(value, c)) for m, c in zip(missing, cells, strict=True)))
    bounds = [at_most(c, value) if upward else at_most(value, c) for c in cells]
    if name in ("maximum", "minimum"):
        some = or_(*missing)
        run.facts[symbol] = and_(
            implies(some, eq(value, nan(sort))), implies(not_(some), and_(attained, *bounds))
        )
    else:
        every = and_(*missing)
        beyond = [or_(m, b) for m, b in zip(missing, bounds, strict=True)]
        run.facts[symbol] = and_(
            implies(every, eq(value, nan(sort))), implies(not_(every), and_(attained, *beyond))
        )
    return value


def _added(name: str, cells: Sequence[Term], sort: FloatSort) -> Term:
    """A sum in an order that numpy chooses. Of one element it is that, or that and a zero."""
    if name != "add":
        refuse(f"numpy.{name}.reduce of floats")
    run = trace()
    if len(cells) == 1:
        zero = literal(0, sort)
        return ite(run.choice(), cells[0], folded(element("add", zero, cells[0])))
    opened = run.open(f"{TREE} {len(cells)}", sort)
    return apply(Symbol(opened.name, tuple(c.sort for c in cells), sort), *cells)


def is_tree(term: Term) -> bool:
    """Whether a term is a sum of its arguments in an order that numpy chooses."""
    return term.op == "apply" and isinstance(term.payload, Symbol) and term.payload.name.startswith(TREE)
