"""Binders, indices and substitution.

Trusted. Bound variables carry canonical numbers, one more than the deepest binder they scope over, so that terms equal
up to the names of bound variables are equal: `for all k : for all j : P(k, j)` has number 1 for j and 2 for k.

A number depends on the body alone. A value that is put in for a variable may have binders itself, and so raise the
numbers of the binders above it: `_rebind` gives them their new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import cast

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.builders import and_, compare, eq, ite, le, lt, not_, or_
from sonnx_verify.logic.elements import element, floor, ordinal, real_function, to_int, to_real, wrapped
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.nodes import (
    TRUE,
    ZERO,
    Symbol,
    Term,
    boolean,
    integer,
    integer_of,
    is_once,
    make,
    need,
    number_of,
    placeholder,
    remembered_of,
    subterms_with,
    to_forget,
)
from sonnx_verify.logic.operators import GROUPS, OPERATORS, Group, Op
from sonnx_verify.logic.polynomials import add, divide, linear, quotient, scale, sub, times
from sonnx_verify.logic.sorts import BOOL, INDEX, INT

_MOST_MEMOS = 20_000
"""The number of remembered results of each kind."""


def close(body: Term, variable: Term, number: int) -> tuple[Term, Term]:
    """The bound variable of that number, and the body with it in place of a variable."""
    canonical = make(ops.VARIABLE, (), variable.sort, number)
    return canonical, substitute(body, {variable: canonical})


def forall(low: Term, high: Term, body: Callable[[Term], Term]) -> Term:
    """For every integer from `low` to `high`, both included."""
    need(low.sort == INT and high.sort == INT, "a range of terms that are not integers")
    variable = placeholder(INT)
    return bind_forall(low, high, variable, body(variable))


def bind_forall(low: Term, high: Term, variable: Term, inner: Term) -> Term:
    """`forall` over a variable that already stands in the body."""
    if is_once(variable):
        # No other term has this variable: a memory of what was made over it would never be asked.
        return _bind_forall(low, high, variable, inner)
    return _bind_forall_again(low, high, variable, inner)


def _bind_forall(low: Term, high: Term, variable: Term, inner: Term) -> Term:
    need(inner.sort == BOOL, "forall of a term that is not a bool")
    if inner is TRUE:
        return TRUE
    # A range of a few numbers is written out: for all k in 0 .. 1 : P(k) is P(0) and P(1), and of 1 .. 0 it is true. A
    # false body stays, since the range may be empty.
    if low.op is high.op is ops.LITERAL:
        first, last = integer_of(low), integer_of(high)
        if last - first < 3:
            return and_(*(substitute(inner, {variable: integer(k)}) for k in range(first, last + 1)))
    inner = within(inner, variable, low, high)
    if inner is TRUE:
        return TRUE
    canonical, closed = close(inner, variable, inner.binders + 1)
    return make(ops.FORALL, (canonical, low, high, closed), BOOL)


_bind_forall_again = remembered_of(_MOST_MEMOS)(_bind_forall)


def within(term: Term, variable: Term, low: Term, high: Term) -> Term:
    """The term with the comparisons that a variable in low..high decides replaced by what they are.

    In `for all k in 0 .. n : 0 <= k + 1 and f(k) <= k` the first comparison is true: its margin, k + 1, grows with k
    and is 1 at the least k. One whose margin is below 0 at the greatest k is false. Over an empty range anything goes.
    """
    decided: dict[Term, Term] = {}
    for node in subterms_with(term, variable):
        if node.op is ops.AT_MOST and node.args[0].sort == INT:
            margin = sub(node.args[1], node.args[0])
            sign = int(linear(margin)[0].get(variable, 0))
            if abs(sign) != 1:
                continue
            rest = sub(margin, scale(sign, variable))
            # The margin is sign * k + rest: it grows with k from one end of the range to the other, or against it. So
            # it is nowhere below its value at the one end, and nowhere above that at the other.
            ends = {1: (low, high), -1: (high, low)}[sign]
            for end, holds in zip(ends, (True, False), strict=True):
                slack = add(rest, scale(sign, end))
                if slack.op is ops.LITERAL and (integer_of(slack) >= 0) is holds:
                    decided[node] = boolean(holds)
    if not decided:
        return term
    return _replaced(term, variable, decided)


def forall_index(rank: Term, dim: Callable[[Term], Term], body: Callable[[Term], Term]) -> Term:
    """For every index of the shape of that rank whose size on axis k, from the right, is `dim(k)`."""
    variable = placeholder(INDEX)
    return bind_forall_index(rank, dim, variable, body(variable))


def bind_forall_index(rank: Term, dim: Callable[[Term], Term], variable: Term, inner: Term) -> Term:
    """`forall_index` over a variable that already stands in the body."""
    need(rank.sort == INT and inner.sort == BOOL, "forall over an index set needs a rank and a bool")
    if inner is TRUE:
        return TRUE
    axis, sizes = axis_function(dim)
    canonical, closed = close(inner, variable, inner.binders + 1)
    return make(ops.FORALL_INDEX, (canonical, rank, axis, sizes, closed), BOOL)


def axis_function(dim: Callable[[Term], Term]) -> tuple[Term, Term]:
    """A function of axes as a bound variable and a body."""
    variable = placeholder(INT)
    body = dim(variable)
    need(body.sort == INT, "a function of axes must give integers")
    return close(body, variable, body.binders + 1)


def index(rank: Term, coordinate: Callable[[Term], Term]) -> Term:
    """The index with `coordinate(k)` on axis k, from the right, for 0 <= k < rank, and 0 elsewhere."""
    need(rank.sort == INT, "an index needs a rank")
    variable, body = axis_function(coordinate)
    # An index rebuilt from all its own coordinates, with no rank of its own, is left to extensionality.
    return make(ops.INDEX, (variable, rank, body), INDEX)


def at(position: Term, axis: Term) -> Term:
    """The coordinate of an index on an axis counted from the right."""
    need(position.sort == INDEX and axis.sort == INT, "at needs an index and an axis")
    if position.op is ops.INDEX:
        variable, rank, body = position.args
        # 0 beyond the rank, whatever the body says there: an index is a function of all axes, and equal indices are
        # equal on all of them. [i, j] has j on axis 0, i on axis 1, 0 on axis 2 and on axis -1.
        return ite(
            and_(le(ZERO, axis), lt(axis, rank)),
            substitute(body, {variable: axis}),
            ZERO,
        )
    if position.op is ops.ITE:
        condition, then, otherwise = position.args
        return ite(condition, at(then, axis), at(otherwise, axis))
    return make(ops.AT, (position, axis), INT)


def inside(position: Term, rank: Term, axis: Term, sizes: Term) -> Term:
    """The condition that an index lies in the index set of the shape (rank, axis -> sizes): on every axis within the
    rank it is in range, on every other it is 0."""
    return make(ops.INSIDE, (position, rank, axis, sizes), BOOL)


def inside_shape(position: Term, rank: Term, dim: Callable[[Term], Term]) -> Term:
    """`inside` of the shape whose size on axis k, from the right, is `dim(k)`."""
    return inside(position, rank, *axis_function(dim))


# -------------------------------------------------------------------------------------------------------- substitution


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """The term with other arguments of the same sorts, simplified again by the builders."""
    build = _BUILDERS.get(term.op)
    if build is None:
        return make(term.op, args, term.sort, term.payload)
    return build(term, args)


_BUILDERS: dict[Op, Callable[[Term, tuple[Term, ...]], Term]] = {
    Op.NOT: lambda term, args: not_(*args),
    Op.AND: lambda term, args: and_(*args),
    Op.OR: lambda term, args: or_(*args),
    Op.EQUAL: lambda term, args: eq(*args),
    Op.ITE: lambda term, args: ite(*args),
    Op.PLUS: lambda term, args: add(*args),
    Op.TIMES: lambda term, args: times(*args),
    **{op: lambda term, args: divide(term.op, *args) for op in (Op.DIV, Op.MOD)},
    Op.QUOTIENT: lambda term, args: quotient(*args),
    Op.REAL_FUNCTION: lambda term, args: real_function(RealFunction(str(term.payload)), *args),
    **{op: lambda term, args: element(term.op, *args) for op in GROUPS[Group.ELEMENT]},
    **{op: lambda term, args: compare(term.op, *args) for op in (Op.AT_MOST, Op.LESS)},
    Op.TO_INT: lambda term, args: to_int(*args),
    Op.WRAPPED: lambda term, args: wrapped(args[0], term.sort),
    Op.TO_REAL: lambda term, args: to_real(*args),
    Op.FLOOR: lambda term, args: floor(*args),
    Op.ORDINAL: lambda term, args: ordinal(*args),
    Op.AT: lambda term, args: at(*args),
}
"""The builder of each operator that simplifies. Any other term is made as it stands."""


def substitute(term: Term, values: Mapping[Term, Term]) -> Term:
    """The term with free variables replaced by other terms of their sorts, and simplified again."""
    if len(values) == 1:
        ((variable, value),) = values.items()
        if variable not in term.free:
            return term
        if not value.binders:
            return _replaced(term, variable, _memo_of(variable, value))
    wanted = frozenset(values)
    if not (term.free & wanted):
        return term
    # Values with binders in them move the numbers of the binders around them: those are opened first, because a bound
    # variable that takes a new number must not meet the old number of another. With a value of one binder for x in
    # `for all 2 : for all 1 : P(2, 1, x)` variable 1 becomes 2: were 2 still there, the inner one would capture it.
    deep = any(value.binders for value in values.values())
    return _substituted(term, wanted, dict(values), deep=deep)


def _replaced(node: Term, variable: Term, memo: dict[Term, Term]) -> Term:
    """A node in which a variable is free, with what the memo begins with in it: a value of the variable that has no
    binders, or other terms in place of some."""
    done = memo.get(node)
    if done is None:
        args = tuple([_replaced(a, variable, memo) if variable in a.free else a for a in node.args])
        done = memo[node] = _remade(node, args)
    return done


def _substituted(node: Term, wanted: frozenset[Term], memo: dict[Term, Term], *, deep: bool) -> Term:
    if wanted.isdisjoint(node.free):
        return node
    done = memo.get(node)
    if done is None:
        opened = node
        if deep and OPERATORS[node.op].binds:
            opened = _open(node)
        args = tuple([_substituted(a, wanted, memo, deep=deep) for a in opened.args])
        done = memo[node] = _remade(opened, args)
    return done


def _remade(node: Term, args: tuple[Term, ...]) -> Term:
    """The node over changed arguments."""
    if OPERATORS[node.op].binds:
        return _rebind(node, args)
    return rebuild(node, args)


def interpret(term: Term, meanings: Mapping[Symbol, Callable[..., Term]]) -> Term:
    """The term with applications of some symbols replaced by what these mean on their arguments, and simplified again:
    the term that would have been built of the meanings."""
    speaks: dict[Term, bool] = {}
    memo: dict[Term, Term] = {}

    def is_about(node: Term) -> bool:
        found = speaks.get(node)
        if found is None:
            found = speaks[node] = node.payload in meanings or any([is_about(a) for a in node.args])
        return found

    def walk(node: Term) -> Term:
        if not is_about(node):
            return node
        done = memo.get(node)
        if done is None:
            # Any meaning may have binders in it: those around it are opened, as in `_substituted`.
            opened = _open(node) if OPERATORS[node.op].binds else node
            args = tuple([walk(a) for a in opened.args])
            if node.op is ops.APPLY and node.payload in meanings:
                done = meanings[cast("Symbol", node.payload)](*args)
                need(done.sort == node.sort, "a meaning of another sort")
            else:
                done = _remade(opened, args)
            memo[node] = done
        return done

    return walk(term)


def replace_nodes(terms: Iterable[Term], values: Mapping[Term, Term]) -> list[Term]:
    """The terms with nodes replaced by others, that have no more binders in them and no other free variables."""
    memo = dict(values)

    def walk(node: Term) -> Term:
        done = memo.get(node)
        if done is None:
            args = tuple(walk(a) for a in node.args)
            done = node
            if any(new is not old for new, old in zip(args, node.args, strict=True)):
                done = _remade(node, args)
            memo[node] = done
        return done

    return [walk(term) for term in terms]


_MEMOS: dict[tuple[Term, Term], dict[Term, Term]] = {}
to_forget(_MEMOS.clear)


def _memo_of(variable: Term, value: Term) -> dict[Term, Term]:
    """The results of replacing a bound variable by a value so far: the same is done for many terms, again and again."""
    if is_once(variable):
        # A placeholder is replaced when its binder closes, or by another term each time its function is applied.
        return {variable: value}
    found = _MEMOS.get((variable, value))
    if found is None:
        if len(_MEMOS) >= _MOST_MEMOS:
            _MEMOS.clear()
        found = _MEMOS[variable, value] = {variable: value}
    return found


def _open(node: Term) -> Term:
    """A binder with placeholders for its variables: no value that is put in below can have one of them."""
    args = list(node.args)
    for position, scope in OPERATORS[node.op].binds:
        old = args[position]
        args[position] = placeholder(old.sort)
        for s in scope:
            args[s] = substitute(args[s], {old: args[position]})
    return make(node.op, tuple(args), node.sort, node.payload)


def _rebind(node: Term, args: tuple[Term, ...]) -> Term:
    """A binder over changed arguments, its variables renumbered where the depth of what they scope over changed."""
    fresh = list(args)
    for position, scope in OPERATORS[node.op].binds:
        old = node.args[position]
        # The number is again one more than the deepest binder in its scope, so that the term is the one that would have
        # been built from the new parts: equal terms stay one node.
        depth = max(fresh[s].binders for s in scope)
        offset = _OFFSETS.get((node.op, position), 1)
        if number_of(old) != depth + offset:
            new = make(ops.VARIABLE, (), old.sort, depth + offset)
            fresh[position] = new
            for s in scope:
                fresh[s] = substitute(fresh[s], {old: new})
    if node.op is ops.FORALL:
        # The range may have become one of a few numbers, or the body true.
        variable, low, high, body = fresh
        return bind_forall(low, high, variable, body)
    if node.op is ops.FORALL_INDEX and fresh[4] is TRUE:
        return TRUE
    return make(node.op, tuple(fresh), node.sort, node.payload)


_OFFSETS = {
    (ops.FOLD, 6): 2,
    (ops.FOLD_INDEX, 7): 2,
    (ops.RECURSION, 1): 2,
    **{(ops.STATE, place): place + 1 for place in (1, 2, 3)},
}
"""Variables that share a scope have increasing numbers."""
