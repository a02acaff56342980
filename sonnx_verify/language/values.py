"""What expressions mean while they are elaborated: terms, and structures of terms that never reach a solver.

Shapes and indices are stored from the right; the language counts axes from the left and the elaborator converts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sonnx_verify.language import syntax as s
from sonnx_verify.language.constants import Constant
from sonnx_verify.logic.sorts import BOOL, ELEMENT, ELEMENT_TYPES, INT, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import (
    ONE,
    TRUE,
    ZERO,
    Symbol,
    Term,
    and_,
    eq,
    forall,
    forall_index,
    integer,
    is_literal,
    ite,
    sub,
    substitute,
)


@dataclass(frozen=True)
class Shape:
    """`dim(q)` is the size on axis q from the right, meaningful for 0 <= q < rank."""

    rank: Term
    dim: Callable[[Term], Term]


@dataclass(frozen=True)
class Position:
    """An index of a tensor of that rank."""

    term: Term
    rank: Term


@dataclass(frozen=True)
class Tensor:
    """`read` takes an index term; `facts` says which declared facts hold of the tensor."""

    shape: Shape
    read: Callable[[Term], Term]
    sort: Sort
    facts: Callable[[str], Term] | None = None


@dataclass(frozen=True)
class Items:
    """A list: `count` values, numbered from `base` in the language and from 0 here. `kind` names what it lists."""

    count: Term
    item: Callable[[Term], Value]
    kind: str
    base: int = 0


@dataclass(frozen=True)
class Domain:
    """What a variable ranges over: integers from low to high, or the indices of a shape."""

    low: Term = ZERO
    high: Term = ZERO
    shape: Shape | None = None


@dataclass(frozen=True)
class Members:
    """A set of integers of which it is known what it contains, not where it ends."""

    contains: Callable[[Term], Term]


@dataclass(frozen=True)
class Results:
    """The elements that conform, given by a condition; `representative` is the one that is computed."""

    sort: Sort
    conforms: Callable[[Term], Term]
    representative: Term


@dataclass(frozen=True)
class SetOf:
    """A collection: the values of `body` for the members of a domain that meet a condition, one for each of them."""

    domain: Domain
    variable: Term
    condition: Term
    body: Term | Position


@dataclass(frozen=True)
class Outcome:
    """What an operator does: `defined` where it has a result, and that result."""

    defined: Term
    result: Tensor


@dataclass(frozen=True)
class Declared:
    """What the name of an input, attribute or output stands for: its value, and whether it is given. Where reading it
    `needs` that it is given, the value means nothing otherwise. Where it has a `default` the value is known to be that
    if it is not given."""

    value: Value
    given: Term = TRUE
    needs: bool = False
    default: Constant | None = None


MACHINE = IntegerSort | FloatSort
"""Element types of machines: all but bool and real."""

Value = Term | Shape | Position | Tensor | Items | SetOf | Members | Results | Outcome | Declared


def kind_of(value: Value) -> str:
    """The name of the value's type, for messages."""
    match value:
        case Term():
            return value.sort.name
        case Shape():
            return "shape"
        case Position():
            return "index"
        case Tensor():
            return f"tensor of {value.sort}"
        case Items():
            return f"list of {value.kind}"
        case SetOf():
            return f"set of {kind_of(value.body)}"
        case Members():
            return "set of int"
        case Results():
            return f"set of results in {value.sort}"
        case Outcome():
            return f"result of an operator (tensor of {value.result.sort})"
        case Declared():
            return kind_of(value.value)


def a_kind(kind: str) -> str:
    """The kind with its article."""
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def fits(value: Value, wanted: s.Type) -> bool:
    """Whether a value is of the type."""
    match value, wanted.name:
        case Term(), "int":
            return value.sort == INT
        case Term(), "bool":
            return value.sort == BOOL
        case Term(), "T":
            return value.sort == ELEMENT or value.sort.name in ELEMENT_TYPES
        case Term(), _:
            return value.sort.name == wanted.name
        case Shape(), "shape":
            return True
        case Position(), "index":
            return True
        case Tensor(), "tensor":
            assert wanted.of is not None
            return wanted.of.name == "T" or value.sort.name == wanted.of.name
        case Items(), "list":
            return same_kind(value.kind, str(wanted.of))
        case SetOf(), "set":
            assert wanted.of is not None
            return fits(value.body, wanted.of)
        case Members(), "set":
            return str(wanted.of) == "int"
        case Results(), "set":
            assert wanted.of is not None
            return wanted.of.name in ("T", value.sort.name)
        case _:
            return False


def same_kind(kind: str, wanted: str) -> bool:
    """Whether what a list holds, by its name, is what is wanted; T stands for any element."""
    return kind == wanted or (wanted.split()[-1] == "T" and kind.split()[:-1] == wanted.split()[:-1])


def last(rank: Term) -> Term:
    """The number of the last axis, or position, of so many."""
    return sub(rank, ONE)


def same_shape(a: Shape, b: Shape) -> Term:
    """Equal ranks and equal sizes on every axis."""
    return and_(eq(a.rank, b.rank), forall(ZERO, last(a.rank), lambda q: eq(a.dim(q), b.dim(q))))


def same_tensor(a: Tensor, b: Tensor) -> Term:
    """Equal shapes and the same element at every index."""
    return and_(
        same_shape(a.shape, b.shape),
        forall_index(a.shape.rank, a.shape.dim, lambda i: eq(a.read(i), b.read(i))),
    )


_EITHER = Symbol("either", (), BOOL)()
"""A condition of which nothing is known."""


def choose(condition: Term, then: Value, otherwise: Value) -> Value | None:
    """`then` where the condition holds, else `otherwise`; None when their kinds differ."""
    if is_literal(condition):
        # What is never looked at has to fit too: whether a text is well-formed does not depend on a number in it.
        if choose(_EITHER, then, otherwise) is None:
            return None
        return then if condition is TRUE else otherwise
    match then, otherwise:
        case Term(), Term() if then.sort == otherwise.sort:
            return ite(condition, then, otherwise)
        case Shape(), Shape():
            return Shape(
                ite(condition, then.rank, otherwise.rank),
                lambda q: ite(condition, then.dim(q), otherwise.dim(q)),
            )
        case Position(), Position():
            return Position(ite(condition, then.term, otherwise.term), ite(condition, then.rank, otherwise.rank))
        case Tensor(), Tensor() if then.sort == otherwise.sort:
            shape = choose(condition, then.shape, otherwise.shape)
            assert isinstance(shape, Shape)
            first, second = then.facts, otherwise.facts
            facts = None if first is None or second is None else lambda f: ite(condition, first(f), second(f))
            return Tensor(shape, lambda i: ite(condition, then.read(i), otherwise.read(i)), then.sort, facts)
        case ((Results() | Term()), (Results() | Term())):
            return _choose_results(condition, then, otherwise)
        case Items(), Items() if (then.kind, then.base) == (otherwise.kind, otherwise.base):
            count = ite(condition, then.count, otherwise.count)
            return Items(count, lambda m: _either(condition, then.item(m), otherwise.item(m)), then.kind, then.base)
        case Outcome(), Outcome():
            result = choose(condition, then.result, otherwise.result)
            return (
                Outcome(ite(condition, then.defined, otherwise.defined), result) if isinstance(result, Tensor) else None
            )
        case _:
            return None


def results(value: Term | Results) -> Results:
    """An element as the only one that conforms."""
    if isinstance(value, Results):
        return value
    return Results(value.sort, lambda y: eq(y, value), value)


def _choose_results(condition: Term, then: Term | Results, otherwise: Term | Results) -> Results | None:
    if (isinstance(then, Term) and isinstance(otherwise, Term)) or then.sort != otherwise.sort:
        return None
    first, second = results(then), results(otherwise)
    return Results(
        first.sort,
        lambda y: ite(condition, first.conforms(y), second.conforms(y)),
        ite(condition, first.representative, second.representative),
    )


def _either(condition: Term, then: Value, otherwise: Value) -> Value:
    """`choose` of values that are of one kind."""
    made = choose(condition, then, otherwise)
    assert made is not None
    return made


def listed(values: list[Value]) -> Items | None:
    """The list of the values, or None when they are of several kinds."""

    def item(position: Term) -> Value:
        if is_literal(position):
            number = position.payload
            assert isinstance(number, int)
            return values[min(max(number, 0), len(values) - 1)]
        chosen = values[-1]
        for n in range(len(values) - 2, -1, -1):
            made = choose(eq(position, integer(n)), values[n], chosen)
            assert made is not None
            chosen = made
        return chosen

    kinds = [kind_of(v) for v in values]
    if any(choose(eq(ZERO, _UNKNOWN), values[0], v) is None for v in values[1:]):
        return None
    return Items(integer(len(values)), item, kinds[0])


_UNKNOWN = Symbol("unknown", (), ZERO.sort)()


def instantiate(value: Value, variable: Term, term: Term) -> Value:
    """The value with a variable that stands in it replaced by a term."""

    def put(t: Term) -> Term:
        return substitute(t, {variable: term})

    match value:
        case Term():
            return put(value)
        case Shape():
            return Shape(put(value.rank), lambda q: put(value.dim(q)))
        case Position():
            return Position(put(value.term), put(value.rank))
        case Tensor():
            shape = instantiate(value.shape, variable, term)
            assert isinstance(shape, Shape)
            facts = value.facts
            return Tensor(
                shape,
                lambda i: put(value.read(i)),
                value.sort,
                None if facts is None else lambda fact: put(facts(fact)),
            )
        case Items():
            items = value
            return Items(put(items.count), lambda m: instantiate(items.item(m), variable, term), items.kind, items.base)
        case SetOf():
            body = instantiate(value.body, variable, term)
            assert isinstance(body, Term | Position)
            return SetOf(_put_domain(value.domain, put), value.variable, put(value.condition), body)
        case Members():
            members = value
            return Members(lambda k: put(members.contains(k)))
        case Results():
            given = value
            return Results(given.sort, lambda y: put(given.conforms(y)), put(given.representative))
        case Outcome():
            result = instantiate(value.result, variable, term)
            assert isinstance(result, Tensor)
            return Outcome(put(value.defined), result)
        case Declared():
            return replace(value, value=instantiate(value.value, variable, term), given=put(value.given))


def _put_domain(domain: Domain, put: Callable[[Term], Term]) -> Domain:
    shape = domain.shape
    if shape is None:
        return Domain(put(domain.low), put(domain.high))
    return Domain(shape=Shape(put(shape.rank), lambda q: put(shape.dim(q))))
