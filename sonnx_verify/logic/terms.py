"""Terms: immutable, shared, and built only through total functions that check sorts.

Equal terms are the same object. Bound variables carry canonical numbers (one more than the deepest binder they scope
over), so that terms equal up to the names of bound variables are equal. Each term has a digest that depends on its
structure alone; every order in which arguments are printed follows from digests, never from the order of construction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import count

from sonnx_verify.logic.operators import GROUPS, OPERATORS
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT, REAL, FloatSort, IntegerSort, Sort

Payload = Hashable


class SortError(TypeError):
    """A term was asked for that has no sort. A defect of the caller, never of a user's text."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A free symbol: a constant when it has no argument sorts, else a function."""

    name: str
    arguments: tuple[Sort, ...]
    result: Sort

    def __call__(self, *args: Term) -> Term:
        return apply(self, *args)


@dataclass(frozen=True, slots=True)
class FoldKind:
    """What a fold takes from its set: `greatest` by an order, the only member (`the`), or the `sum`.

    `copy` tells apart folds that have to be chosen independently; the evaluator ignores it.
    """

    name: str
    has_else: bool
    copy: int = 0


class Term:
    """A node of the shared graph. Made only by the functions of this module."""

    __slots__ = ("args", "binders", "digest", "free", "op", "payload", "sort", "weight")

    op: str
    args: tuple[Term, ...]
    payload: Payload
    sort: Sort
    free: frozenset[Term]
    binders: int
    digest: int
    weight: int
    """How large the term would be as a tree, up to a limit: what is shared inside counts each time."""

    def __repr__(self) -> str:
        return show(self)


_interned: dict[tuple[object, ...], Term] = {}
_placeholders = count(1)


_FACTOR, _MASK = 0x9E3779B97F4A7C15F39CC0605CEDC835, (1 << 128) - 1
"""An odd number spreads what it multiplies over all bits that the mask keeps."""


@cache
def _code(op: str, sort: str, kind: type, payload: Payload) -> int:
    """A number for what a node says apart from its arguments, the same in every process."""
    return int.from_bytes(hashlib.blake2b(f"{op}|{sort}|{payload!r}".encode(), digest_size=16).digest(), "big")


def _make(op: str, args: tuple[Term, ...], sort: Sort, payload: Payload = None) -> Term:
    # A bool and an int that are equal are different payloads.
    key = (op, args, sort, payload, type(payload))
    found = _interned.get(key)
    if found is not None:
        return found
    term = Term()
    term.op, term.args, term.payload, term.sort = op, args, payload, sort
    term.weight = min(1 + sum(a.weight for a in args), 1 << 30)
    binds = OPERATORS[op].binds
    if op == "variable":
        term.free = frozenset((term,))
        term.binders = 0
    elif not binds:
        term.free = frozenset().union(*(a.free for a in args)) if args else frozenset()
        term.binders = max((a.binders for a in args), default=0)
    else:
        term.free, term.binders = _free_of_binder(args, binds)
    digest = _code(op, sort.name, type(payload), payload)
    for arg in args:
        digest = ((digest ^ arg.digest) * _FACTOR + 1) & _MASK
    term.digest = digest
    _interned[key] = term
    return term


def _free_of_binder(args: tuple[Term, ...], binds: object) -> tuple[frozenset[Term], int]:
    scopes: dict[int, set[Term]] = {}
    bound_at: set[int] = set()
    deepest = 0
    for position, scope in binds:  # type: ignore[attr-defined]  # the table's shape is Scopes
        bound_at.add(position)
        deepest = max(deepest, _number(args[position]))
        for inner in scope:
            scopes.setdefault(inner, set()).add(args[position])
    free: set[Term] = set()
    for position, arg in enumerate(args):
        if position not in bound_at:
            free |= arg.free - scopes.get(position, set())
            deepest = max(deepest, arg.binders)
    return frozenset(free), deepest


def _number(variable: Term) -> int:
    assert isinstance(variable.payload, int)
    return variable.payload


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise SortError(what)


# --------------------------------------------------------------------------------------------------------------- leaves


def literal(value: object, sort: Sort) -> Term:
    """A value of `sort`, in the form that logic/sorts.py gives for it."""
    match sort:
        case IntegerSort():
            _need(isinstance(value, int) and sort.lowest <= value <= sort.greatest, f"{value} is no {sort}")
        case FloatSort():
            _need(isinstance(value, int) and 0 <= value < 1 << sort.width, f"{value} is no bit pattern of {sort}")
        case _ if sort == BOOL:
            _need(isinstance(value, bool), f"{value} is no bool")
        case _ if sort == INT:
            _need(isinstance(value, int) and not isinstance(value, bool), f"{value} is no int")
        case _ if sort == REAL:
            _need(isinstance(value, Fraction), f"{value} is no fraction")
        case _:
            raise SortError(f"{sort} has no literals")
    return _make("literal", (), sort, value)


@lru_cache(maxsize=None, typed=True)
def integer(value: int) -> Term:
    """A mathematical integer."""
    return literal(value, INT)


TRUE = literal(True, BOOL)
FALSE = literal(False, BOOL)
ZERO = integer(0)
ONE = integer(1)


def boolean(value: bool) -> Term:
    """TRUE or FALSE."""
    return TRUE if value else FALSE


def is_literal(term: Term) -> bool:
    """Whether the term is a value."""
    return term.op == "literal"


def placeholder(sort: Sort) -> Term:
    """A variable that occurs nowhere else, to be bound by one of the binders below."""
    return _make("variable", (), sort, -next(_placeholders))


def apply(symbol: Symbol, *args: Term) -> Term:
    """The free symbol applied to arguments of its sorts."""
    _need(tuple(a.sort for a in args) == symbol.arguments, f"{symbol.name} applied to {[a.sort.name for a in args]}")
    return _make("apply", args, symbol.result, symbol)


# ------------------------------------------------------------------------------------------------------- propositional


@cache
def not_(a: Term) -> Term:
    """Negation."""
    _need(a.sort == BOOL, "not of a term that is no bool")
    if a.op == "literal":
        return boolean(not a.payload)
    return a.args[0] if a.op == "not" else _make("not", (a,), BOOL)


def _junction(op: str, unit: Term, args: Iterable[Term]) -> Term:
    kept: dict[Term, None] = {}
    for arg in args:
        _need(arg.sort == BOOL, f"{op} of a term that is no bool")
        for part in arg.args if arg.op == op else (arg,):
            if part is not unit:
                kept[part] = None
    absorbing = not_(unit)
    if absorbing in kept or any(part.op == "not" and part.args[0] in kept for part in kept):
        return absorbing
    if not kept:
        return unit
    # The order is kept: a reader of the terms, and the evaluator, meet a guard before what it guards.
    return next(iter(kept)) if len(kept) == 1 else _make(op, tuple(kept), BOOL)


def and_(*args: Term) -> Term:
    """Conjunction, evaluated from the left."""
    return _junction("and", TRUE, args)


def or_(*args: Term) -> Term:
    """Disjunction, evaluated from the left."""
    return _junction("or", FALSE, args)


def implies(a: Term, b: Term) -> Term:
    """Implication."""
    return or_(not_(a), b)


def ite(condition: Term, then: Term, otherwise: Term) -> Term:
    """`then` where the condition holds, else `otherwise`."""
    _need(condition.sort == BOOL and then.sort == otherwise.sort, "ite of unequal sorts")
    if condition.op == "literal":
        return then if condition.payload else otherwise
    if then is otherwise:
        return then
    if then.sort == BOOL:
        return and_(or_(not_(condition), then), or_(condition, otherwise))
    return _make("ite", (condition, then, otherwise), then.sort)


@cache
def eq(a: Term, b: Term) -> Term:
    """Sameness. For floats: one NaN, two zeros."""
    _need(a.sort == b.sort, f"= of {a.sort} and {b.sort}")
    if a is b:
        return TRUE
    if a.sort == BOOL:
        for x, y in ((a, b), (b, a)):
            if x.op == "literal":
                return y if x.payload else not_(y)
    if a.op == "literal" and b.op == "literal":
        return FALSE
    if a.sort in (INT, REAL):
        difference = sub(a, b)
        if difference.op == "literal":
            return boolean(difference.payload == 0)
    first, second = sorted((a, b), key=lambda t: t.digest)
    return _make("=", (first, second), BOOL)


# -------------------------------------------------------------------------------------------- mathematical arithmetic


def linear(term: Term) -> tuple[dict[Term, int | Fraction], int | Fraction]:
    """The coefficients of the term's atoms, and its constant."""
    if term.op == "literal":
        return {}, term.payload  # type: ignore[return-value]  # literals of INT and REAL hold numbers
    if term.op == "+":
        atoms: dict[Term, int | Fraction] = {}
        constant: int | Fraction = 0
        for part in term.args:
            inner, more = linear(part)
            constant += more
            for atom, coefficient in inner.items():
                atoms[atom] = atoms.get(atom, 0) + coefficient
        return atoms, constant
    if term.op == "*" and term.args[0].op == "literal":
        return {term.args[1]: term.args[0].payload}, 0  # type: ignore[dict-item]  # as above
    return {term: 1}, 0


def _from_linear(atoms: Mapping[Term, int | Fraction], constant: int | Fraction, sort: Sort) -> Term:
    def number(value: int | Fraction) -> Term:
        return literal(Fraction(value), REAL) if sort == REAL else integer(int(value))

    if len(atoms) == 1 and not constant:
        ((atom, coefficient),) = atoms.items()
        if coefficient == 1:
            return atom
    parts = []
    for atom in sorted(atoms, key=lambda t: t.digest):
        coefficient = atoms[atom]
        if coefficient:
            parts.append(atom if coefficient == 1 else _make("*", (number(coefficient), atom), sort))
    if constant or not parts:
        parts.append(number(constant))
    return parts[0] if len(parts) == 1 else _make("+", tuple(parts), sort)


def add(*args: Term) -> Term:
    """The sum of integers, or of reals, in linear normal form."""
    sort = args[0].sort
    _need(sort in (INT, REAL) and all(a.sort == sort for a in args), "+ of terms that are no numbers")
    atoms: dict[Term, int | Fraction] = {}
    constant: int | Fraction = 0
    for arg in args:
        inner, more = linear(arg)
        constant += more
        for atom, coefficient in inner.items():
            atoms[atom] = atoms.get(atom, 0) + coefficient
    return _from_linear(atoms, constant, sort)


@cache
def scale(factor: int, a: Term) -> Term:
    """A constant times a number."""
    _need(a.sort in (INT, REAL), f"* of {a.sort}")
    atoms, constant = linear(a)
    return _from_linear({atom: factor * c for atom, c in atoms.items()}, factor * constant, a.sort)


@cache
def sub(a: Term, b: Term) -> Term:
    """The difference of two numbers."""
    _need(a.sort == b.sort, f"- of {a.sort} and {b.sort}")
    return add(a, scale(-1, b))


def times(a: Term, b: Term) -> Term:
    """The product of two numbers; linear where one of them is a value."""
    _need(a.sort == b.sort and a.sort in (INT, REAL), "* of terms that are no numbers")
    for x, y in ((a, b), (b, a)):
        if x.op == "literal":
            atoms, constant = linear(y)
            factor: int | Fraction = x.payload  # type: ignore[assignment]  # a number, by its sort
            return _from_linear({atom: factor * c for atom, c in atoms.items()}, factor * constant, a.sort)
    first, second = sorted((a, b), key=lambda t: t.digest)
    return _make("*", (first, second), a.sort)


def div(a: Term, b: Term) -> Term:
    """Euclidean quotient, as SMT-LIB's div. The divisor must not be 0."""
    return _divide("div", a, b)


def mod(a: Term, b: Term) -> Term:
    """Euclidean remainder, as SMT-LIB's mod, never negative. The divisor must not be 0."""
    return _divide("mod", a, b)


def euclid(a: int, b: int) -> tuple[int, int]:
    """Quotient and non-negative remainder; ZeroDivisionError when `b` is 0."""
    remainder = a % abs(b)
    return (a - remainder) // b, remainder


def _divide(op: str, a: Term, b: Term) -> Term:
    _need(a.sort == INT and b.sort == INT, f"{op} of terms that are no integers")
    if a.op == b.op == "literal" and b.payload != 0:
        quotient, remainder = euclid(a.payload, b.payload)  # type: ignore[arg-type]  # integers, by their sort
        return integer(quotient if op == "div" else remainder)
    return _make(op, (a, b), INT)


# --------------------------------------------------------------------------------------------------------- comparisons

_COMPARED = (INT, REAL, ELEMENT)


def le(a: Term, b: Term) -> Term:
    """At most. For floats IEEE's (false with NaN, equal zeros); for abstract elements the total order."""
    return _compare("<=", a, b)


def lt(a: Term, b: Term) -> Term:
    """Less than, in the same sense."""
    return _compare("<", a, b)


@cache
def _compare(op: str, a: Term, b: Term) -> Term:
    known = a.sort in _COMPARED or isinstance(a.sort, IntegerSort | FloatSort)
    _need(a.sort == b.sort and known, f"{op} of {a.sort} and {b.sort}")
    if a.sort in (INT, REAL):
        # One comparison, in one form, keeps equal conditions equal: what is added stands right, what is taken left.
        return _at_most(a, b) if op == "<=" else not_(_at_most(b, a))
    return _make(op, (a, b), BOOL)


def _at_most(a: Term, b: Term) -> Term:
    """Of a comparison of integers and its negation one is written as such and the other as `not`, so that a condition
    and its negation are seen to exclude each other."""
    difference = sub(b, a)
    atoms, constant = linear(difference)
    if not atoms:
        return boolean(constant >= 0)
    if a.sort == INT and atoms[min(atoms, key=lambda t: t.digest)] < 0:
        return not_(_comparison(*linear(sub(integer(-1), difference)), a.sort))
    return _comparison(atoms, constant, a.sort)


def _comparison(atoms: Mapping[Term, int | Fraction], constant: int | Fraction, sort: Sort) -> Term:
    left = {atom: -c for atom, c in atoms.items() if c < 0}
    right = {atom: c for atom, c in atoms.items() if c > 0}
    low = _from_linear(left, -constant if constant < 0 else 0, sort)
    high = _from_linear(right, constant if constant > 0 else 0, sort)
    return _make("<=", (low, high), BOOL)


# ------------------------------------------------------------------------------------------------------------- elements


def element(op: str, *args: Term) -> Term:
    """An operation on machine integers or floats: those of the groups `element` and `float`."""
    sort = args[0].sort
    _need(all(a.sort == sort for a in args), f"{op} of unequal sorts")
    if op in GROUPS["float"]:
        _need(isinstance(sort, FloatSort) and len(args) == (2 if op == "ieee_equal" else 1), f"{op} of {sort}")
        return _make(op, args, BOOL)
    _need(op in GROUPS["element"] and isinstance(sort, IntegerSort | FloatSort), f"{op} of {sort}")
    _need(len(args) == (1 if op == "neg" else 2), f"{op} of {len(args)} terms")
    return _make(op, args, sort)


# -------------------------------------------------------------------------------------------------------------- binders


def _close(body: Term, variable: Term, number: int) -> tuple[Term, Term]:
    canonical = _make("variable", (), variable.sort, number)
    return canonical, substitute(body, {variable: canonical})


def forall(low: Term, high: Term, body: Callable[[Term], Term]) -> Term:
    """For every integer from `low` to `high`, both included."""
    _need(low.sort == INT and high.sort == INT, "a range of terms that are no integers")
    variable = placeholder(INT)
    return bind_forall(low, high, variable, body(variable))


def bind_forall(low: Term, high: Term, variable: Term, inner: Term) -> Term:
    """`forall` over a variable that already stands in the body."""
    _need(inner.sort == BOOL, "forall of a term that is no bool")
    if inner.op == "literal" and inner.payload:
        return TRUE
    if low.op == high.op == "literal":
        first, last = _value(low), _value(high)
        if last - first < 3:
            return and_(*(substitute(inner, {variable: integer(k)}) for k in range(first, last + 1)))
    inner = _within(inner, variable, low, high)
    if inner.op == "literal" and inner.payload:
        return TRUE
    canonical, closed = _close(inner, variable, inner.binders + 1)
    return _make("forall", (canonical, low, high, closed), BOOL)


def _within(term: Term, variable: Term, low: Term, high: Term) -> Term:
    """The term with the comparisons that a variable in low..high decides replaced by what they are."""
    decided: dict[Term, Term] = {}
    for node in subterms(term):
        if node.op == "<=" and variable in node.free and node.args[0].sort == INT:
            margin = sub(node.args[1], node.args[0])
            sign = linear(margin)[0].get(variable)
            least, most = (low, high) if sign == 1 else (high, low) if sign == -1 else (None, None)
            if least is None or most is None:
                continue
            # The margin grows with the variable from `least` to `most`, or against it.
            rest = sub(margin, scale(int(sign or 0), variable))
            for end, holds in ((least, True), (most, False)):
                slack = add(rest, scale(int(sign or 0), end))
                if slack.op == "literal" and (_value(slack) >= 0) is holds:
                    decided[node] = boolean(holds)
    return _replace(term, variable, decided) if decided else term


def _replace(term: Term, variable: Term, values: Mapping[Term, Term]) -> Term:
    memo: dict[Term, Term] = dict(values)

    def walk(node: Term) -> Term:
        if variable not in node.free:
            return node
        done = memo.get(node)
        if done is None:
            args = tuple(walk(a) for a in node.args)
            done = _rebind(node, args) if OPERATORS[node.op].binds else rebuild(node, args)
            memo[node] = done
        return done

    return walk(term)


def _value(term: Term) -> int:
    assert isinstance(term.payload, int)
    return term.payload


def exists(low: Term, high: Term, body: Callable[[Term], Term]) -> Term:
    """For some integer from `low` to `high`."""
    return not_(forall(low, high, lambda k: not_(body(k))))


def forall_index(rank: Term, dim: Callable[[Term], Term], body: Callable[[Term], Term]) -> Term:
    """For every index of the shape of that rank whose size on axis k, from the right, is `dim(k)`."""
    variable = placeholder(INDEX)
    return bind_forall_index(rank, dim, variable, body(variable))


def bind_forall_index(rank: Term, dim: Callable[[Term], Term], variable: Term, inner: Term) -> Term:
    """`forall_index` over a variable that already stands in the body."""
    _need(rank.sort == INT and inner.sort == BOOL, "forall over an index set needs a rank and a bool")
    if inner.op == "literal" and inner.payload:
        return TRUE
    axis, sizes = _axis_function(dim)
    canonical, closed = _close(inner, variable, inner.binders + 1)
    return _make("forall_index", (canonical, rank, axis, sizes, closed), BOOL)


def _axis_function(dim: Callable[[Term], Term]) -> tuple[Term, Term]:
    variable = placeholder(INT)
    body = dim(variable)
    _need(body.sort == INT, "a function of axes must give integers")
    return _close(body, variable, body.binders + 1)


def index(rank: Term, coordinate: Callable[[Term], Term]) -> Term:
    """The index with `coordinate(k)` on axis k, from the right, for 0 <= k < rank, and 0 elsewhere."""
    _need(rank.sort == INT, "an index needs a rank")
    variable, body = _axis_function(coordinate)
    # An index rebuilt from all its own coordinates, with no rank of its own, is left to extensionality.
    return _make("index", (variable, rank, body), INDEX)


def at(position: Term, axis: Term) -> Term:
    """The coordinate of an index on an axis counted from the right."""
    _need(position.sort == INDEX and axis.sort == INT, "at needs an index and an axis")
    if position.op == "index":
        variable, rank, body = position.args
        return ite(
            and_(le(ZERO, axis), lt(axis, rank)),
            substitute(body, {variable: axis}),
            ZERO,
        )
    if position.op == "ite":
        condition, then, otherwise = position.args
        return ite(condition, at(then, axis), at(otherwise, axis))
    return _make("at", (position, axis), INT)


Order = Callable[[Term, Term], Term]


def fold(
    name: str,
    low: Term,
    high: Term,
    condition: Callable[[Term], Term],
    body: Callable[[Term], Term],
    order: Order = le,
    otherwise: Term | None = None,
) -> Term:
    """A fold of `body(k)` over the k in low..high that meet the condition.

    `greatest` by the order, `the` only member, or the `sum` (0 when empty). The others give `otherwise` when the set
    is empty; without it non-emptiness is the caller's obligation, as is uniqueness for `the`.
    """
    variable = placeholder(INT)
    return bind_fold(name, low, high, variable, condition(variable), body(variable), order, otherwise)


def bind_fold(
    name: str, low: Term, high: Term, variable: Term, chosen: Term, value: Term, order: Order, otherwise: Term | None
) -> Term:
    """`fold` over a variable that already stands in the condition and the body."""
    _need(name in ("greatest", "the", "sum"), f"no fold is called {name}")
    _need(low.sort == INT and high.sort == INT and chosen.sort == BOOL, "a fold needs a range and a condition")
    sort = value.sort
    _need(name != "sum" or sort in (INT, REAL), f"sum of {sort}")
    _need(otherwise is None or otherwise.sort == sort, "the else value has another sort")
    x, y = placeholder(sort), placeholder(sort)
    ordered = order(x, y) if name == "greatest" else TRUE
    chosen, value = (_within(t, variable, low, high) for t in (chosen, value))
    number = max(chosen.binders, value.binders) + 1
    canonical = _make("variable", (), INT, number)
    chosen, value = (substitute(t, {variable: canonical}) for t in (chosen, value))
    x_, y_ = (_make("variable", (), sort, ordered.binders + n) for n in (1, 2))
    ordered = substitute(ordered, {x: x_, y: y_})
    rest = () if otherwise is None else (otherwise,)
    args = (canonical, low, high, chosen, value, x_, y_, ordered, *rest)
    return _make("fold", args, sort, FoldKind(name, otherwise is not None))


def inside(position: Term, rank: Term, axis: Term, sizes: Term) -> Term:
    """Whether an index lies in the index set of the shape (rank, axis -> sizes): in range on every axis, 0 beyond."""
    return _make("inside", (position, rank, axis, sizes), BOOL)


# -------------------------------------------------------------------------------------------------------- substitution


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """The term with other arguments of the same sorts, simplified again by the builders."""
    match term.op:
        case "not":
            return not_(*args)
        case "and":
            return and_(*args)
        case "or":
            return or_(*args)
        case "=":
            return eq(*args)
        case "ite":
            return ite(*args)
        case "+":
            return add(*args)
        case "*":
            return times(*args)
        case "div" | "mod":
            return _divide(term.op, *args)
        case "<=" | "<":
            return _compare(term.op, *args)
        case "at":
            return at(*args)
        case _:
            return _make(term.op, args, term.sort, term.payload)


def substitute(term: Term, values: Mapping[Term, Term]) -> Term:
    """The term with free variables replaced by other terms of their sorts, and simplified again."""
    wanted = frozenset(values)
    memo: dict[Term, Term] = dict(values)
    # Values with binders in them move the numbers of the binders around them: those are opened first, because a bound
    # variable that takes a new number must not meet the old number of another.
    deep = any(value.binders for value in values.values())

    def walk(node: Term) -> Term:
        if not (node.free & wanted):
            return node
        done = memo.get(node)
        if done is None:
            if OPERATORS[node.op].binds:
                opened = _open(node) if deep else node
                done = _rebind(opened, tuple(walk(a) for a in opened.args))
            else:
                done = rebuild(node, tuple(walk(a) for a in node.args))
            memo[node] = done
        return done

    return walk(term)


def _open(node: Term) -> Term:
    args = list(node.args)
    for position, scope in OPERATORS[node.op].binds:
        old = args[position]
        args[position] = placeholder(old.sort)
        for s in scope:
            args[s] = substitute(args[s], {old: args[position]})
    return _make(node.op, tuple(args), node.sort, node.payload)


def _rebind(node: Term, args: tuple[Term, ...]) -> Term:
    """A binder over changed arguments, its variables renumbered where the depth of what they scope over changed."""
    fresh = list(args)
    for position, scope in OPERATORS[node.op].binds:
        old = node.args[position]
        depth = max(fresh[s].binders for s in scope)
        offset = 2 if node.op == "fold" and position == 6 else 1
        if _number(old) != depth + offset:
            new = _make("variable", (), old.sort, depth + offset)
            fresh[position] = new
            for s in scope:
                fresh[s] = substitute(fresh[s], {old: new})
    if node.op == "forall":
        variable, low, high, body = fresh
        return bind_forall(low, high, variable, body)
    if node.op == "forall_index" and fresh[4] is TRUE:
        return TRUE
    return _make(node.op, tuple(fresh), node.sort, node.payload)


def with_copy(term: Term, copy: int) -> Term:
    """The term with all its folds chosen independently of those of other copies."""
    memo: dict[Term, Term] = {}

    def walk(node: Term) -> Term:
        done = memo.get(node)
        if done is None:
            args = tuple(walk(a) for a in node.args)
            payload = node.payload
            if node.op == "fold":
                assert isinstance(payload, FoldKind)
                payload = FoldKind(payload.name, payload.has_else, copy)
            done = _make(node.op, args, node.sort, payload)
            memo[node] = done
        return done

    return walk(term)


# -------------------------------------------------------------------------------------------------------------- walking


def subterms(term: Term) -> Iterator[Term]:
    """Every distinct subterm, arguments before what uses them."""
    seen: set[Term] = set()
    stack: list[tuple[Term, bool]] = [(term, False)]
    while stack:
        node, ready = stack.pop()
        if node in seen:
            continue
        if ready:
            seen.add(node)
            yield node
        else:
            stack.append((node, True))
            stack.extend((a, False) for a in reversed(node.args) if a not in seen)


def show(term: Term) -> str:
    """The term as an S-expression, for people and for error messages."""
    match term.op:
        case "literal":
            return str(term.payload).lower() if term.sort == BOOL else str(term.payload)
        case "variable":
            return f"v{term.payload}"
        case "apply":
            assert isinstance(term.payload, Symbol)
            head = term.payload.name
        case "fold":
            assert isinstance(term.payload, FoldKind)
            head = term.payload.name
        case _:
            head = term.op
    return f"({head} {' '.join(show(a) for a in term.args)})" if term.args else head
