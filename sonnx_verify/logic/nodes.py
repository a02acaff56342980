"""The nodes that terms are made of: immutable, shared, each with a digest of its structure.

Equal terms are the same object. Every order in which arguments are printed follows from digests, never from the order
of construction.

Trusted. A node is found by its parts, so two nodes that differ are two terms that differ. Free variables and the number
of binders are worked out once, when a node is made: substitution relies on both. A variable that is missing from `free`
would be left in place where a value has to stand.
"""

from __future__ import annotations

import hashlib
import sys
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from fractions import Fraction
from functools import cache, lru_cache
from itertools import count
from typing import ParamSpec, TypeVar, cast

from sonnx_verify.interpreter import LONGEST, TooLarge
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.operators import OPERATORS, Op, Scopes
from sonnx_verify.logic.sorts import BOOL, INT, REAL, STRING, FloatSort, IntegerSort, MinifloatSort, Sort

Payload = Hashable
P = ParamSpec("P")
R = TypeVar("R")
K = TypeVar("K")
V = TypeVar("V")
_symbols: dict[tuple[str, tuple[Sort, ...], Sort], Symbol] = {}


class SortError(TypeError):
    """A term was asked for that has no sort. A defect of the caller, never of a user's text."""


class Role(Enum):
    """The part that a symbol plays in what it is about. Its name is for people: no rule reads it."""

    PLAIN = auto()  # a number, a truth value, a lone element, a name that only a proof has
    RANK = auto()
    SIZE = auto()  # of an axis
    READ = auto()  # an element at an index
    MEMBER = auto()  # an item of a list or a set
    COUNT = auto()  # how many members a family has
    GIVEN = auto()  # whether what may be left out is there
    FACT = auto()  # what a text declares of a tensor
    # Of abstract elements, whose type is not known:
    OPERATION = auto()  # an operation of their type
    CONSTANT = auto()  # a constant of their type, or what depends on one
    ORDER = auto()  # a relation that stands for an order
    UNDEFINED = auto()  # a function that a draft uses and never defines
    # Of elements of code that is checked against a text:
    REORDERED = auto()  # the sum of its arguments, added in an order that is not known
    # Of partial evaluation:
    NO_VALUE = auto()  # a term that has no value where it stands


class Symbol:
    """A free symbol: a constant when it has no argument sorts, else a function. Equal symbols are the same object.

    Name and sorts tell symbols apart, and are all that digests and query texts are made from. So one name of the same
    sorts has one role: a second one raises SortError, since a condition about the one would be taken for one about the
    other.
    """

    __slots__ = ("arguments", "name", "result", "role")

    name: str
    arguments: tuple[Sort, ...]
    result: Sort
    role: Role

    def __new__(cls, name: str, arguments: tuple[Sort, ...], result: Sort, role: Role = Role.PLAIN) -> Symbol:
        key = (name, arguments, result)
        found = _symbols.get(key)
        if found is None:
            found = _symbols[key] = object.__new__(cls)
            found.name, found.arguments, found.result = key
            found.role = role
        elif found.role is not role:
            raise SortError(f"`{name}` is a symbol for {found.role.name.lower()}, and not for {role.name.lower()}")
        return found

    def __repr__(self) -> str:
        return f"Symbol(name={self.name!r}, arguments={self.arguments!r}, result={self.result!r})"

    def __reduce__(self) -> tuple[type[Symbol], tuple[object, ...]]:
        # In another process a symbol is again the one of its parts.
        return Symbol, (self.name, self.arguments, self.result, self.role)

    def __call__(self, *args: Term) -> Term:
        return apply(self, *args)


class FoldName(StrEnum):
    """The value that a fold takes from its set."""

    GREATEST = "greatest"  # by an order
    THE = "the"  # the only member
    SUM = "sum"
    PRODUCT = "product"
    COUNT = "count"  # the number of members
    POSITION = "position"  # the member with a number of others before it


@dataclass(frozen=True, slots=True)
class FoldKind:
    """The payload of a fold.

    `copy` tells apart folds that have to be chosen independently; the evaluator ignores it.
    """

    name: FoldName
    has_else: bool
    copy: int = 0


class Term:
    """A node of the shared graph. Made only by the functions of this module."""

    __slots__ = ("args", "binders", "digest", "free", "op", "payload", "sort", "weight")

    op: Op
    args: tuple[Term, ...]
    payload: Payload
    sort: Sort
    free: frozenset[Term]
    binders: int
    digest: int
    weight: int
    """The size of the term as a tree, up to a limit: shared subterms count each time."""

    def __repr__(self) -> str:
        # For people there is `show` (shown.py).
        said = [str(getattr(self.payload, "name", self.payload))] if self.payload is not None else []
        return f"({' '.join([self.op, *said, *map(repr, self.args)])})"

    def __reduce__(self) -> tuple[Callable[..., Term], tuple[object, ...]]:
        # In another process a term is again the one node of its parts.
        return make, (self.op, self.args, self.sort, self.payload)


_interned: dict[tuple[object, ...], Term] = {}
_memos: list[Callable[[], None]] = []
"""The functions that clear the tables that refer to terms."""


def _references(table: Mapping[K, V], key: K) -> int:
    """The number of references to a value of a table, as this version of Python counts them."""
    value = table[key]
    return sys.getrefcount(value)


_NOBODY = _references({0: object()}, 0)
"""The number of references to a value that the table alone refers to."""
_LANE = "solver "
_OWN, _SCRATCH, _RUNS, _RUN = count(1), 1 << 40, 1 << 42, 1 << 32
_numbers: ContextVar[Iterator[int]] = ContextVar("numbers", default=_OWN)
"""The counter of placeholders: in scratch work, and in a run, from a number on that no other one reaches."""
_runs = count()
_open: ContextVar[frozenset[int]] = ContextVar("open", default=frozenset())
"""The runs of numbers whose work is not at its end."""
_NONE: frozenset[Term] = frozenset()


_VARIABLE = OPERATORS[ops.VARIABLE]
_HEAVIEST = 1 << 30
_FACTOR, _MASK = 0x9E3779B97F4A7C15F39CC0605CEDC835, (1 << 128) - 1
"""An odd number has an inverse modulo 2 to 128, so multiplying by it loses nothing, and it spreads each bit upwards."""


@cache
def _code(op: str, sort: str, kind: type, payload: Payload) -> int:
    """A number for what a node says apart from its arguments, the same in every process."""
    # `kind` is that of the payload: it keeps True apart from 1 in the cache.
    text = f"{op}|{sort}|{_written(payload)}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest(), "big")


def _written(payload: Payload) -> str:
    """The text of a payload that digests are made of.

    Statement hashes, the order of arguments, query texts and so the times of solvers hang on it. It is spelled out
    here, field by field, so that a new field of a payload, an enum in place of a string or another `repr` of Python
    leaves every digest as it is. tests/logic/test_digests.py pins some.
    """
    match payload:
        case None | bool() | int() | str():
            return repr(payload)
        case Fraction():
            return f"Fraction({payload.numerator}, {payload.denominator})"
        case Symbol():
            arguments = ", ".join(_written_sort(sort) for sort in payload.arguments)
            if len(payload.arguments) == 1:
                arguments += ","  # as `repr` writes a tuple of one, which digests were first made from
            result = _written_sort(payload.result)
            return f"Symbol(name={payload.name!r}, arguments=({arguments}), result={result})"
        case FoldKind():
            return f"FoldKind(name={str(payload.name)!r}, has_else={payload.has_else!r}, copy={payload.copy!r})"
        case _:
            raise SortError(f"a term has no payload of {type(payload).__name__}")


def _written_sort(sort: Sort) -> str:
    match sort:
        case IntegerSort():
            return f"IntegerSort(name={sort.name!r}, width={sort.width!r}, signed={sort.signed!r})"
        case MinifloatSort():
            return f"MinifloatSort(name={sort.name!r}, exponent={sort.exponent!r}, significand={sort.significand!r})"
        case FloatSort():
            return f"FloatSort(name={sort.name!r}, exponent={sort.exponent!r}, significand={sort.significand!r})"
        case _:
            return f"Sort(name={sort.name!r})"


def remembered(function: Callable[P, R]) -> Callable[P, R]:
    """The function with what it returned for the same arguments, until terms are forgotten."""
    return remembered_of(None)(function)


def remembered_of(most: int | None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """The same for so many arguments, those that were asked for last."""

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        kept = lru_cache(maxsize=most)(function)
        to_forget(kept.cache_clear)
        return cast("Callable[P, R]", kept)

    return wrap


def to_forget(clear: Callable[[], None]) -> None:
    """Have a table that refers to terms cleared when terms are forgotten."""
    _memos.append(clear)


def number_of_terms() -> int:
    """The number of terms that this process has."""
    return len(_interned)


def forget() -> None:
    """Let go of the terms that nobody has any more. Does nothing where another thread could be making some.

    A term that someone has stays in the table, so that there is never a second one of the same parts: that equal terms
    are one is what every comparison rests on.
    """
    if not all(thread is threading.main_thread() or thread.name.startswith(_LANE) for thread in threading.enumerate()):
        return
    for clear in _memos:
        clear()
    keys = list(_interned)
    # The last one first: what a term is made of was made before it, and is free once it is gone.
    while keys:
        key = keys.pop()
        if _references(_interned, key) == _NOBODY:
            del _interned[key]


def make(op: str, args: tuple[Term, ...], sort: Sort, payload: Payload = None) -> Term:
    """The one node of these parts. For the modules that build terms: whoever calls it answers for the sorts."""
    # A bool and an int that are equal are different payloads: in Python True == 1, and both hash alike.
    key = (op, args, sort, payload, type(payload))
    found = _interned.get(key)
    if found is not None:
        return found
    row = OPERATORS[op]
    term = Term()
    # Of equal texts the one in the table, so that operators are told apart by identity.
    term.op, term.args, term.payload, term.sort = row.name, args, payload, sort
    digest, weight, free, binders = _code(op, sort.name, type(payload), payload), 1, _NONE, 0
    for arg in args:
        # The product between two arguments makes their order count: of a <= b and b <= a the digests differ.
        digest = ((digest ^ arg.digest) * _FACTOR + 1) & _MASK
        weight += arg.weight
        # Most arguments share one set of variables, or have none: a new set is made only where there are more.
        if not free:
            free = arg.free
        elif arg.free and arg.free is not free:
            free = free | arg.free
        if arg.binders > binders:
            binders = arg.binders
    # A term that shares its parts doubles with each level as a tree: without a limit weights have thousands of digits.
    term.digest, term.weight = digest, min(weight, _HEAVIEST)
    if row is _VARIABLE:
        term.free, term.binders = frozenset((term,)), 0
    elif row.binds:
        term.free, term.binders = _free_of_binder(args, row.binds)
    else:
        term.free, term.binders = free, binders
    # Another thread may have made it meanwhile.
    return _interned.setdefault(key, term)


def _free_of_binder(args: tuple[Term, ...], binds: Scopes) -> tuple[frozenset[Term], int]:
    scopes: dict[int, set[Term]] = {}
    bound_at: set[int] = set()
    deepest = 0
    for position, scope in binds:
        bound_at.add(position)
        deepest = max(deepest, number_of(args[position]))
        for inner in scope:
            scopes.setdefault(inner, set()).add(args[position])
    free: set[Term] = set()
    # Only within its scope is a variable bound: of `for all k in 0 .. k : P(k)` the upper bound is free in k.
    for position, arg in enumerate(args):
        if position not in bound_at:
            free |= arg.free - scopes.get(position, set())
            deepest = max(deepest, arg.binders)
    return frozenset(free), deepest


def integer_of(literal: Term) -> int:
    """The integer that a literal is."""
    assert isinstance(literal.payload, int)
    return literal.payload


def number_of(variable: Term) -> int:
    """The number of a bound variable."""
    assert isinstance(variable.payload, int)
    return variable.payload


def need(condition: bool, what: str) -> None:  # noqa: FBT001  # it is what has to hold, as in `assert`
    """Raise SortError where the condition fails."""
    if not condition:
        raise SortError(what)


# --------------------------------------------------------------------------------------------------------------- leaves


def _short(*numbers: int) -> None:
    if any(n.bit_length() > LONGEST for n in numbers):
        raise TooLarge(f"a number of more than {LONGEST} bits")


def literal(value: object, sort: Sort) -> Term:
    """A value of `sort`, in the form that logic/sorts.py gives for it. Raises TooLarge beyond LONGEST."""
    match sort:
        case IntegerSort():
            need(isinstance(value, int) and sort.lowest <= value <= sort.greatest, f"{value} is no {sort}")
        case FloatSort():
            need(isinstance(value, int) and 0 <= value < 1 << sort.width, f"{value} is not a bit pattern of {sort}")
        case _ if sort == BOOL:
            need(isinstance(value, bool), f"{value} is not a bool")
        case _ if sort == INT:
            # True is an int to Python. As a number it would be a term of its own beside 1, and equal to it.
            need(isinstance(value, int) and not isinstance(value, bool), "no int")
            _short(cast(int, value))
        case _ if sort == REAL:
            need(isinstance(value, Fraction), "no fraction")
            _short(cast(Fraction, value).numerator, cast(Fraction, value).denominator)
        case _ if sort == STRING:
            need(isinstance(value, str), f"{value} is not a string")
        case _:
            raise SortError(f"{sort} has no literals")
    return make(ops.LITERAL, (), sort, value)


@lru_cache(maxsize=None, typed=True)
def integer(value: int) -> Term:
    """A mathematical integer."""
    return literal(value, INT)


to_forget(integer.cache_clear)
TRUE = literal(value=True, sort=BOOL)
FALSE = literal(value=False, sort=BOOL)
ZERO = integer(0)
ONE = integer(1)


def boolean(value: bool) -> Term:  # noqa: FBT001  # the value is all that there is to say
    """TRUE or FALSE."""
    return TRUE if value else FALSE


def is_literal(term: Term) -> bool:
    """Return whether the term is a value."""
    return term.op is ops.LITERAL


def placeholder(sort: Sort) -> Term:
    """A variable that occurs nowhere else, to be bound by one of the binders below."""
    return make(ops.VARIABLE, (), sort, -next(_numbers.get()))


def is_once(variable: Term) -> bool:
    """Return whether a variable is a placeholder that is made once, and not again in other scratch work or a run."""
    return -_SCRATCH < number_of(variable) < 0


@contextmanager
def scratch() -> Iterator[None]:
    """Make terms only to see that they can be made: none may be kept.

    The placeholders are those of the scratch work before, so that the terms made there are found again; terms of both
    that were kept would share variables."""
    if _numbers.get() is not _OWN:
        yield  # inside, the same work goes on
        return
    token = _numbers.set(count(_SCRATCH))
    try:
        yield
    finally:
        _numbers.reset(token)


def run_of_numbers() -> int:
    """The first of a run of numbers for placeholders, which no other run, and no other work, has."""
    return _RUNS + _RUN * next(_runs)


@contextmanager
def numbered(run: int) -> Iterator[None]:
    """Make placeholders with the numbers of a run, from its first one on.

    The same work on another element type then makes the same terms wherever the type plays no part, and finds them.
    Whoever gives two works one run answers for this: no term in which a placeholder of the one is free is bound in the
    other, where a binder could take it for its own. Inside itself a run goes on.
    """
    if run in _open.get():
        yield
        return
    numbers, opened = _numbers.set(iter(range(run, run + _RUN))), _open.set(_open.get() | {run})
    try:
        yield
    finally:
        _open.reset(opened)
        _numbers.reset(numbers)


def apply(symbol: Symbol, *args: Term) -> Term:
    """The free symbol applied to arguments of its sorts."""
    if tuple([a.sort for a in args]) != symbol.arguments:
        raise SortError(f"{symbol.name} applied to {[a.sort.name for a in args]}")
    return make(ops.APPLY, args, symbol.result, symbol)


def subterms(*terms: Term) -> Iterator[Term]:
    """Every distinct subterm of some terms, arguments before what uses them."""
    seen: set[Term] = set()
    entered: set[Term] = set()
    # A stack in place of recursion: a sum of 10,000 machine integers is as deep as it has addends.
    stack = [*terms][::-1]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        # A node is no part of its own arguments: met again, it has all of them done.
        if node in entered or not node.args:
            seen.add(node)
            yield node
        else:
            entered.add(node)
            stack.append(node)
            stack.extend([a for a in node.args[::-1] if a not in seen])


def subterms_with(term: Term, variable: Term) -> Iterator[Term]:
    """Every distinct subterm in which a variable is free, arguments before what uses them."""
    if variable not in term.free:
        return
    # As `subterms`, but a part without the variable is not entered: most of a large term has none.
    seen: set[Term] = set()
    entered: set[Term] = set()
    stack = [term]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        if node in entered:
            seen.add(node)
            yield node
        else:
            entered.add(node)
            stack.append(node)
            stack.extend([a for a in node.args[::-1] if a not in seen and variable in a.free])
