"""Elements of 64 bits as integers, where more is known of them than their type says.

Their sums may not fit into 64 bits, so they would be computed on Python's integers. Mostly a condition says that they
are small, as indices are; otherwise the arrays are looked at in each run, and only large elements take the long way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.loops import Argument
from sonnx_verify.arrays.evaluator.operations import is_natural
from sonnx_verify.arrays.evaluator.program import Compiler
from sonnx_verify.arrays.partial.binders import Kind
from sonnx_verify.arrays.partial.intervals import Bounds, Interval, interval
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import INT, IntegerSort
from sonnx_verify.logic.terms import TRUE, Symbol, Term, conjuncts, is_literal, linear, sub, subterms

_SMALL = 1 << 48
"""Elements up to this, and sums and differences of thousands of them, fit into 64 bits."""
_WIDTH = 64


def bounds_said(compiler: Compiler, condition: Term) -> Iterator[tuple[Argument, Interval]]:
    """The bounds of all elements of an input that a condition on inputs says, as `for all i : 0 <= X[i] < 4` does."""
    for part in conjuncts(condition):
        node = compiler.nodes.folds.get(part)
        if node is not None and node.kind is Kind.ALL and node.condition is TRUE:
            every = {loop.variable: loop.size for loop in node.loops}
            for limit in conjuncts(node.value):
                yield from _limit(compiler, limit, every)
        elif node is None:
            yield from _limit(compiler, part, {})


def _limit(compiler: Compiler, limit: Term, every: dict[Term, int]) -> Iterator[tuple[Argument, Interval]]:
    """The bound that a comparison says of an element at any index."""
    denied = limit.op is Op.NOT
    comparison = limit.args[0] if denied else limit
    if comparison.op is not Op.AT_MOST or comparison.args[0].sort != INT:
        return
    # a <= b says that b - a is at least 0; its denial says that a - b is at least 1.
    left, right = comparison.args
    atoms, constant = linear(sub(left, right) if denied else sub(right, left))
    if len(atoms) != 1:
        return
    ((atom, by),) = atoms.items()
    argument = _read_everywhere(compiler, atom, every)
    least = int(denied) - int(constant)
    if argument is not None and by == 1:
        yield argument, (least, None)
    elif argument is not None and by == -1:
        yield argument, (None, -least)


def _read_everywhere(compiler: Compiler, atom: Term, every: dict[Term, int]) -> Argument | None:
    """The input of which an integer is an element at any index."""
    if atom.op is not Op.TO_INT or atom.args[0].payload not in compiler.nodes.reads:
        return None
    symbol = atom.args[0].payload
    assert isinstance(symbol, Symbol)
    argument, coordinates = compiler.nodes.reads[symbol], atom.args[0].args
    named = [c for c in coordinates if c in every]
    if len(set(named)) < len(named):
        return None
    for coordinate, size in zip(coordinates, compiler.shapes[argument], strict=True):
        # An axis of one place has no loop.
        if every.get(coordinate, 1) != size:
            return None
    return argument


def narrowed(compiler: Compiler, term: Term, known: dict[Argument, Interval]) -> tuple[Term, list[int]]:
    """The term with its wide elements named as integers that fit, and the places of the arrays of which that is not
    known."""
    values: dict[Term, Term] = {}
    asked: dict[int, None] = {}
    for part in _everything_in(compiler, term):
        if part.op is not Op.TO_INT or part.args[0].payload not in compiler.nodes.reads:
            continue
        sort, symbol = part.args[0].sort, part.args[0].payload
        assert isinstance(sort, IntegerSort)
        assert isinstance(symbol, Symbol)
        argument = compiler.nodes.reads[symbol]
        if sort.width < _WIDTH:
            continue
        low, high = known.get(argument, (None, None))
        if low is None or high is None or low < -_SMALL or high > _SMALL:
            asked[compiler.places[argument]] = None
        low, high = (
            max(-_SMALL if low is None else low, -_SMALL, sort.lowest),
            min(_SMALL if high is None else high, _SMALL),
        )
        values[part] = compiler.nodes.name(part, (low, high))
    return _with_quotients(compiler, compiler.nodes.replaced(term, values)), list(asked)


def _with_quotients(compiler: Compiler, term: Term) -> Term:
    """The term with its quotients and remainders by what is no number named: their bounds are those of their parts."""
    bounds = compiler.nodes.bounds
    while True:
        values: dict[Term, Term] = {}
        for part in _everything_in(compiler, term):
            if part.op not in (Op.DIV, Op.MOD) or is_literal(part.args[1]) or any(map(_is_divided, part.args)):
                continue
            of = _most(part.args[0] if part.op is Op.DIV else part.args[1], bounds)
            if of is not None:
                is_least = part.op is Op.MOD or all(is_natural(arg, bounds) for arg in part.args)
                values[part] = compiler.nodes.name(part, (0 if is_least else -of, of))
        if not values:
            return term
        term = compiler.nodes.replaced(term, values)


def _is_divided(term: Term) -> bool:
    """There is a quotient or remainder in it that has no name yet."""
    return any(part.op in (Op.DIV, Op.MOD) and not is_literal(part.args[1]) for part in subterms(term))


def _most(term: Term, bounds: Bounds) -> int | None:
    """The greatest magnitude that an integer may have."""
    low, high = interval(term, bounds)
    if low is None or high is None:
        return None
    return max(-low, high)


def _everything_in(compiler: Compiler, term: Term) -> Iterator[Term]:
    """The terms in a term, also those that its folds are computed from."""
    seen: set[Term] = set()
    stack = [term]
    while stack:
        for part in subterms(stack.pop()):
            if part not in seen:
                seen.add(part)
                yield part
                if part in compiler.nodes.folds:
                    stack += compiler.nodes.folds[part].all_parts


def are_small(arrays: Sequence[Any], places: Sequence[int]) -> bool:
    """The elements of these arrays are as small as their names say. False of stand-ins, which are not looked at."""
    for array in (arrays[place] for place in places):
        if type(array) is not np.ndarray or (array.size and not -_SMALL <= array.min() <= array.max() <= _SMALL):
            return False
    return True
